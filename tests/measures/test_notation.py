"""Measures as text: the round trip, every alias, every error."""

import re

import pytest
from cases import check_each, check_rows, tables
from hypothesis import example, given
from hypothesis import strategies as st

from benchbench.errors import InputError
from benchbench.measures.catalog import CATALOG, LARGEST, Definition, Param
from benchbench.measures.notation import Measure, parse

TABLES = tables(__file__)

RANKS = (5, 10, 15, 20, 30, 100, 200, 500, 1000)
GRADES = st.integers(1, 20) | st.floats(0.001, 20)


def texts(text: str) -> list[str]:
    return [str(measure) for measure in parse(text)]


def number(param: Param) -> st.SearchStrategy[int | float]:
    if param.type == "integer":
        return st.integers(int(param.low), int(param.high))
    if param.type == "grade":
        return GRADES
    return st.floats(param.low, param.high, exclude_min=param.open, exclude_max=param.open)


def spelled(param: Param) -> st.SearchStrategy[str]:
    """Return texts of right values, in any spelling that a person may choose."""
    if param.type == "flag":
        return st.sampled_from(["True", "False"])
    if param.type != "gains":
        return number(param).map(repr)
    pairs = st.dictionaries(GRADES, GRADES, min_size=1, max_size=4).map(
        lambda gains: "{" + " , ".join(f"{grade} :{gain}" for grade, gain in gains.items()) + "}"
    )
    return pairs | st.sampled_from(["'exp'", '"exp"', "'linear'"])


@st.composite
def written(draw: st.DrawFn) -> str:
    """Draw a right text: a name or alias in any case, some parameters in any order, a cut-off where it may be."""
    row = draw(st.sampled_from(list(CATALOG.values())))
    name = draw(st.sampled_from([row.name, row.name.lower(), row.name.upper(), *row.aliases]))
    chosen = draw(st.lists(st.sampled_from(row.params), unique=True)) if row.params else []
    kept = [param for param in chosen if param.excludes not in {other.name for other in chosen}]
    params = ",".join(f"{param.name}={draw(spelled(param))}" for param in kept)
    return name + (f"({params})" if params else "") + draw(cutoff(row, name))


def cutoff(row: Definition, name: str) -> st.SearchStrategy[str]:
    if row.cutoff == "none":
        return st.just("")
    some = st.floats(0, 1) if row.cutoff_type == "recall" else st.integers(1, LARGEST)
    marked = some.map(lambda value: f"@{value}")
    return marked | st.just("") if row.cutoff == "optional" and not name.endswith("_cut") else marked


@given(written())
def test_what_is_parsed_and_printed_parses_to_the_same_value(text: str):
    (measure,) = parse(text)
    (again,) = parse(str(measure))
    assert again == measure
    assert hash(again) == hash(measure)
    assert str(again) == str(measure)
    assert [name for name, _ in measure.params] == sorted(name for name, _ in measure.params)


def outcome(text: str) -> list[Measure] | str:
    """Return what a text gives; any exception but an `InputError` fails the test that asks."""
    try:
        return parse(text)
    except InputError as error:
        return str(error)


@given(st.text() | st.text(alphabet="Pndcg_RBPrelgainsp().,@={}:'0123456789 e-+", max_size=30))
@example("P(rel=" + "9" * 190 + ")@5")
@example("P@" + "9" * 5000)
@example("P(rel=1e999)@5")
@example("\x00(\x00=\x00)@\x00")
@example("\ud800@5")
@example("P(rel=٣)@٣")
@example("nDCG(gains={{1:1}})@5")
@example("nDCG(gains={1:1}})@5")
@example("P(rel=\n)@5")
@example("P." + "1," * 99 + "1")
@example("0" * 199 + "x")
def test_any_text_gives_measures_or_an_input_error_of_one_line(text: str):
    given_back = outcome(text)
    assert given_back
    assert isinstance(given_back, list) or "\n" not in given_back


def test_the_notation_of_ir_measures_prints_as_it_was_written():
    def check(text: str) -> None:
        assert texts(text) == [text]

    check_each(check, TABLES["printed"])


def test_a_measure_has_one_text_whatever_it_was_written_as():
    def check(text: str, expected: str) -> None:
        assert texts(text) == expected.split()

    check_rows(check, [(text, want) for want, row in TABLES["aliases"].items() for text in row.split()])


def test_blanks_mean_nothing():
    assert parse("  P ( rel = 2 ) @ 5 ") == parse("P(rel=2)@5")


@pytest.mark.parametrize(
    ("family", "expected"),
    [
        ("P", [f"P@{k}" for k in RANKS]),
        ("recall", [f"R@{k}" for k in RANKS]),
        ("ndcg_cut", [f"nDCG@{k}" for k in RANKS]),
        ("NDCG-Cut", [f"nDCG@{k}" for k in RANKS]),
        ("map_cut", [f"AP@{k}" for k in RANKS]),
        ("success", ["Success@1", "Success@5", "Success@10"]),
        ("iprec_at_recall", [f"IPrec@{level / 10}" for level in range(11)]),
    ],
)
def test_a_family_of_trec_eval_alone_stands_for_its_default_cutoffs(family: str, expected: list[str]):
    assert texts(family) == expected


def test_a_measure_is_a_frozen_hashable_value():
    (measure,) = parse("nDCG(gains={2:3,1:1})@10")
    assert measure == Measure("nDCG", (("gains", ((1, 1), (2, 3))),), 10)
    assert measure in {measure}
    with pytest.raises(AttributeError):
        measure.cutoff = 5  # type: ignore[misc]


def test_an_error_says_what_is_wrong_and_what_is_right():
    def check(text: str, sentence: str) -> None:
        with pytest.raises(InputError, match=re.escape(sentence)) as caught:
            parse(text)
        assert str(caught.value).startswith("measure ")

    check_rows(check, TABLES["refused"].items())


@pytest.mark.parametrize(
    "text", ["P(foo=1)@5", "R(cap=0)@5", "IPrec", "Rprec@3", "ERR(x=1)@2", "nDCG(gains=1)", "RBP(p=2)"]
)
def test_the_example_in_an_error_is_right(text: str):
    with pytest.raises(InputError) as caught:
        parse(text)
    assert parse(str(caught.value).split()[-1])
