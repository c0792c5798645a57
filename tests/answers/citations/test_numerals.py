"""Numbers as statutes write them."""

import pytest
from answers.citations.writing import DIGITS, in_units
from hypothesis import given
from hypothesis import strategies as st

from benchbench.answers.citations.narrow import narrow
from benchbench.answers.citations.numerals import branched, number, numbers


@given(st.integers(1, 9999))
def test_a_number_reads_the_same_in_all_scripts(value):
    places = "".join(DIGITS[int(sign)] for sign in str(value))
    for written in (str(value), places, in_units(value), in_units(value, zero="零")):
        assert number(written) == str(value)


@pytest.mark.parametrize(
    ("written", "value"),
    [
        ("十", "10"),
        ("十七", "17"),
        ("二十", "20"),
        ("百", "100"),
        ("百八十五", "185"),
        ("一百零三", "103"),
        ("千", "1000"),
        ("两", "2"),
    ],
)
def test_a_unit_without_a_sign_before_it_counts_once(written, value):
    assert number(written) == value


@given(st.text())
def test_narrowing_keeps_every_place(text):
    narrowed = narrow(text)
    assert len(narrowed) == len(text)
    assert all(
        one == other or "！" <= one <= "～" or one == "\u3000" for one, other in zip(text, narrowed, strict=True)
    )


def test_full_width_signs_are_made_narrow():
    assert narrow("第１条（Ａ）　第二条") == "第1条(A) 第二条"


@pytest.mark.parametrize(
    ("written", "labels"),
    [
        ("一、三", ["1", "3"]),
        ("五十二和五十三", ["52", "53"]),
        ("394-396", ["394", "395", "396"]),
        ("(一)至(三)", ["1", "2", "3"]),
        ("5-2", ["5-2"]),
        ("1-99999", ["1-99999"]),
    ],
)
def test_the_numbers_of_one_unit_are_labels_each(written, labels):
    assert list(numbers(written)) == labels


@pytest.mark.parametrize(
    ("written", "labels"),
    [
        ("", ["5"]),
        ("之一", ["5-1"]),
        ("の二の三", ["5-2-3"]),
        ("之一、之三", ["5-1", "5-3"]),
        ("之一至之三", ["5-1", "5-2", "5-3"]),
        ("之三至之一", ["5-3", "5-1"]),
    ],
)
def test_branches_go_deeper_or_on(written, labels):
    assert branched("5", written) == labels
