"""Label sets as codes, and sentences as months and flags."""

import math
from typing import Any

import naive
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchbench.tables.labels import DEATH, LIFE, MALFORMED, MISSING, Labels, sentence, sentences

scalars = st.one_of(st.sampled_from(["盗窃", "[盗窃]", " 盗窃", "诈骗", "264", ""]), st.integers(263, 265))
usual = st.none() | scalars | st.lists(scalars, max_size=3)
wild = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=2), inner, max_size=2),
    max_leaves=5,
)


@given(st.lists(usual, max_size=12))
def test_codes_are_equal_exactly_where_sets_are_equal(column: list[Any]) -> None:
    labels = Labels()
    codes = [labels.code(each) for each in column]
    sets = [naive.label_set(each) for each in column]
    assert [code == MISSING for code in codes] == [each is None for each in sets]
    assert [[a == b for b in codes] for a in codes] == [[a == b for b in sets] for a in sets]


@given(st.lists(usual, max_size=12))
def test_codes_count_from_zero_in_order_of_appearance(column: list[Any]) -> None:
    labels = Labels()
    codes = [code for each in column if (code := labels.code(each)) != MISSING]
    assert list(dict.fromkeys(codes)) == list(range(len(set(codes))))
    assert [labels.sets()[code] for code in codes] == [each for one in column if (each := naive.label_set(one))]


@given(st.lists(usual | wild, max_size=8), st.lists(usual | wild, max_size=8))
def test_a_column_has_the_codes_of_its_members_whatever_came_before(before: list[Any], column: list[Any]) -> None:
    one, other = Labels(), Labels()
    for labels in (one, other):
        labels.codes(before)
    assert one.codes(column) == [other.code(each) for each in column]
    assert one.sets() == other.sets()


@given(usual | wild, st.lists(usual | wild, max_size=5))
def test_whether_a_label_is_malformed_does_not_depend_on_what_came_before(value: Any, before: list[Any]) -> None:
    fresh, used = Labels(), Labels()
    for each in before:
        used.code(each)
    assert min(fresh.code(value), 0) == min(used.code(value), 0)


def test_article_341_is_the_string_341() -> None:
    labels = Labels()
    assert (
        labels.code([341]) == labels.code(["341"]) == labels.code("341") == labels.code(341.0) == labels.code([" 341"])
    )


def test_brackets_of_an_accusation_do_not_matter() -> None:
    labels = Labels()
    assert labels.code(["[走私、贩卖、运输、制造]毒品"]) == labels.code(["走私、贩卖、运输、制造毒品"])


def test_order_and_repetition_do_not_matter() -> None:
    labels = Labels()
    assert labels.code(["盗窃", "诈骗"]) == labels.code(["诈骗", "盗窃", "盗窃"])
    assert labels.code(["盗窃"]) != labels.code(["盗窃", "诈骗"])


@pytest.mark.parametrize("nothing", [None, [], "", [""], ["[]"], [" ", ""]])
def test_a_set_without_a_label_is_missing(nothing: Any) -> None:
    assert Labels().code(nothing) == MISSING


@pytest.mark.parametrize(
    "wrong", [{}, {"a": 1}, [["盗窃"]], [{}], [None], ["盗窃", None], 26.4, [26.4], math.nan, math.inf]
)
def test_labels_of_a_wrong_type_are_malformed(wrong: Any) -> None:
    labels = Labels()
    assert labels.code(wrong) == labels.code(wrong) == MALFORMED
    assert labels.codes([wrong, ["盗窃"]]) == [MALFORMED, 0]


@given(
    st.fixed_dictionaries(
        {},
        optional={
            "imprisonment": st.none() | st.integers(0, 400),
            "death_penalty": st.none() | st.booleans(),
            "life_imprisonment": st.none() | st.booleans(),
        },
    )
)
def test_a_sentence_is_that_of_the_naive_twin(value: dict[str, Any]) -> None:
    expected = naive.sentence_of({"imprisonment": value})
    months, penalty = sentence(value)
    assert (None if months == MISSING else (bool(penalty & DEATH), bool(penalty & LIFE), months)) == expected


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (8, (8, 0)),
        (0, (0, 0)),
        ("8", (8, 0)),
        (8.0, (8, 0)),
        (None, (MISSING, 0)),
        ({}, (MISSING, 0)),
        ({"imprisonment": None}, (MISSING, 0)),
        ({"death_penalty": True}, (0, DEATH)),
        ({"life_imprisonment": True, "imprisonment": 300}, (0, LIFE)),  # months are 0 where a flag is set
        ({"life_imprisonment": 1, "death_penalty": 0, "imprisonment": 0}, (0, LIFE)),
        (-1, (MALFORMED, 0)),
        (8.5, (MALFORMED, 0)),
        (True, (MALFORMED, 0)),
        (2**31, (MALFORMED, 0)),
        (math.nan, (MALFORMED, 0)),
        (math.inf, (MALFORMED, 0)),
        ("eight", (MALFORMED, 0)),
        ("9" * 5000, (MALFORMED, 0)),
        ([8], (MALFORMED, 0)),
        ({"imprisonment": "eight"}, (MALFORMED, 0)),
        ({"imprisonment": [8]}, (MALFORMED, 0)),
        ({"death_penalty": "no"}, (MALFORMED, 0)),
    ],
)
def test_sentences_are_read_tolerantly(value: Any, expected: tuple[int, int]) -> None:
    assert sentence(value) == expected


whole = st.fixed_dictionaries(dict.fromkeys(("imprisonment", "death_penalty", "life_imprisonment"), wild))


@given(st.lists(st.lists(whole, max_size=6) | st.lists(whole | wild, max_size=6), max_size=2))
def test_a_column_of_sentences_has_those_of_its_members(columns: list[list[Any]]) -> None:
    for column in columns:
        expected = [sentence(each) for each in column]
        assert sentences(column) == ([months for months, _ in expected], [penalty for _, penalty in expected])


@given(wild)
def test_no_value_breaks_the_reading_of_a_sentence(value: Any) -> None:
    months, penalty = sentence(value)
    assert months >= MALFORMED
    assert penalty in (0, DEATH, LIFE, DEATH | LIFE)
