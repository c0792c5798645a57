"""Measures as text: the round trip, every alias, every error."""

import re
import subprocess
import sys
from typing import Any

import numpy as np
import pytest
from cases import check_each, check_rows, tables
from hypothesis import example, given
from hypothesis import strategies as st

import benchbench
from benchbench.errors import InputError
from benchbench.measures.catalog import CATALOG, LARGEST, Definition, Param
from benchbench.measures.default_list import (
    averaged_measures,
    deepest_cutoff,
    default_cutoffs,
    default_measures,
    leading,
)
from benchbench.measures.dots import drawn
from benchbench.measures.headline import headline
from benchbench.measures.notation import Measure, parse, resolve
from benchbench.measures.scores import RunScores, ScoredRunDetails
from benchbench.measures.signature import run_signature
from benchbench.results.old_names import Part
from benchbench.results.record import Number, Setting, Subject, counts_of, record
from benchbench.results.signature import parts_of

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


# The catalogue of measures: complete, consistent, one row each

NAMES = [
    "P", "R", "Success", "F1", "RR", "AP", "nDCG", "Rprec", "bpref", "RBP", "ERR", "Judged", "infAP", "IPrec",
    "SetP", "SetR", "SetF", "NumRet", "NumRel", "NumRelRet", "NumQ",
    "alpha_nDCG", "ERR_IA", "StRecall",
    "microP", "microR", "microF1",
]  # fmt: skip


each_measure = pytest.mark.parametrize("row", CATALOG.values(), ids=CATALOG)


def params(name: str) -> list[str]:
    return [param.name for param in CATALOG[name].params]


def test_each_measure_of_the_contract_has_its_row():
    assert list(CATALOG) == NAMES


@each_measure
def test_a_row_is_complete(row: Definition):
    """The definition is one sentence, and the citation has a year."""
    assert CATALOG[row.name] is row
    assert row.definition.endswith(".")
    assert ". " not in row.definition
    assert re.search(r"\b(19|20)[0-9]{2}$", row.citation)


@each_measure
def test_the_parameters_of_a_row_are_possible(row: Definition):
    """Names are unique, a numeric default is in its range, and exclusion is mutual."""
    known = {param.name: param for param in row.params}
    assert len(known) == len(row.params)
    for param in row.params:
        assert param.meaning
        assert param.low < param.high <= LARGEST
        if isinstance(param.default, int | float) and param.type != "flag":
            assert param.low < param.default < param.high
        if param.excludes is not None:
            assert known[param.excludes].excludes == param.name


def test_no_two_measures_share_a_name_whatever_its_case():
    names = [name for row in CATALOG.values() for name in (row.name.lower(), *row.aliases)]
    assert len(names) == len(set(names))
    assert all(name == name.lower().replace("-", "_") for name in names)


def test_rel_belongs_to_the_binary_measures_and_not_to_graded_ones():
    without = {name for name in CATALOG if "rel" not in params(name)}
    assert without == {"nDCG", "ERR", "Judged", "NumRet", "NumQ"}
    assert all(param.default == 1 for row in CATALOG.values() for param in row.params if param.name == "rel")


def test_whatever_uses_recall_takes_its_denominator():
    assert [name for name in CATALOG if {"cap", "denominator"} <= set(params(name))] == ["R", "F1", "microR", "microF1"]


def test_counts_are_summed_micro_averages_are_pooled_and_the_rest_are_means():
    other = {name: row.aggregate for name, row in CATALOG.items() if row.aggregate != "mean"}
    counts, pooled = ("NumRet", "NumRel", "NumRelRet", "NumQ"), ("microP", "microR", "microF1")
    assert other == dict.fromkeys(counts, "sum") | dict.fromkeys(pooled, "micro")


def test_only_the_level_of_interpolated_precision_is_a_recall():
    assert [name for name, row in CATALOG.items() if row.cutoff_type == "recall"] == ["IPrec"]


def test_the_catalogue_and_the_notation_import_nothing_heavy():
    code = "import sys; import benchbench.measures.notation; print(*{'numpy', 'numba', 'polars'} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == ""


# The measures where none are named


def test_the_default_measures_are_those_of_the_first_version_in_its_order() -> None:
    assert list(map(str, default_measures((3, 10)))) == [
        f"{name}@{k}"
        for k in (3, 10)
        for name in ("P", "R", "Success", "F1", "nDCG", "RR", "microP", "microR", "microF1")
    ]


@pytest.mark.parametrize(
    ("measures", "cutoffs"),
    [
        (default_measures((3, 5)), (3, 5)),
        (default_measures((3, 5))[:-1], ()),
        (default_measures((3, 5))[::-1], ()),
        (resolve(["P@3", "RBP"]), ()),
        (resolve(["RBP"]), ()),
    ],
)
def test_only_the_whole_list_in_its_order_is_the_default(measures, cutoffs) -> None:
    assert default_cutoffs(measures) == cutoffs


def test_micro_averages_are_left_out_of_the_default_measures_alone() -> None:
    assert {one.name for one in averaged_measures(default_measures((5,)))} == {"P", "R", "Success", "F1", "nDCG", "RR"}
    asked = tuple(resolve(["microF1@5", "P@5"]))
    assert averaged_measures(asked) == asked


@pytest.mark.parametrize(
    ("names", "deepest", "first"),
    [
        (["nDCG@5", "P@20", "nDCG@20", "R"], 20, "nDCG@20"),
        (["nDCG@5", "P@20"], 20, "nDCG@5"),
        (["AP", "IPrec@0.5"], None, "AP"),
        (["RBP", "nDCG@5"], 5, "nDCG@5"),
    ],
)
def test_the_deepest_rank_and_the_measure_for_one_place(names: list[str], deepest, first: str) -> None:
    measures = resolve([name for name in names if name != "R"])
    assert deepest_cutoff(measures) == deepest
    assert leading([str(one) for one in measures]) == first


# One line that makes a score reproducible

PARTS: dict[str, Any] = {
    "tasks": "gold,article",
    "measures": default_measures((3, 10)),
    "self_by": "text",
    "gold_by": "id",
    "recall": "capped",
    "max_positives": 10,
    "counts": {"queries": 300, "scored": 298, "failed": 2, "without_positives": 4},
    "data_digest": "d1",
    "run_digest": "d2",
}


def test_a_signature_is_one_line_with_its_parts_in_a_fixed_order() -> None:
    assert str(run_signature(**PARTS)) == (
        "tasks:gold,article|measures:P,R,Success,F1,nDCG,RR|k:3,10|self:text|gold:id|recall:capped|positives:10"
        "|ties:input|failed:0|queries:300 (scored 298, failed 2, without positives 4)|data:d1|run:d2|version:"
        + benchbench.__version__
    )


def test_other_measures_than_the_default_ones_are_named_one_by_one_with_their_cut_offs() -> None:
    measures = resolve(["ndcg(gains={2:3,1:1})@10", "RBP(p=0.5)", "iprec@.1", "P@5", "R@5"])
    line = str(run_signature(**(PARTS | {"measures": measures})))
    assert "|measures:nDCG(gains={1:1,2:3})@10,RBP(p=0.5),IPrec@0.1,P@5,R@5|self:text|" in line
    assert parts_of(line)["measures"] == ",".join(map(str, measures))
    assert "k" not in parts_of(line)


def test_a_load_test_has_rules_and_data_and_no_one_run() -> None:
    load = run_signature(**(PARTS | {"counts": {"queries": 300, "without_positives": 4}, "run_digest": None})).parts
    whole = dict(run_signature(**PARTS).parts)
    del whole["run"]
    assert load == {**whole, "queries": "300 (without positives 4)"}


@pytest.mark.parametrize(
    "change",
    [
        {"tasks": "gold"},
        {"measures": default_measures((3,))},
        {"self_by": "id"},
        {"gold_by": "text"},
        {"recall": "full"},
        {"max_positives": 5},
        {"counts": {"queries": 300, "scored": 299, "failed": 1, "without_positives": 4}},
        {"data_digest": "d3"},
        {"run_digest": "d3"},
        {"load": "d4"},
    ],
    ids=lambda change: next(iter(change)),
)
def test_whatever_changes_a_score_changes_the_signature(change: dict[str, Any]) -> None:
    assert run_signature(**(PARTS | change)) != run_signature(**PARTS)
    assert str(run_signature(**(PARTS | change))) != str(run_signature(**PARTS))


def test_equal_parts_make_equal_signatures() -> None:
    assert run_signature(**PARTS) == run_signature(**PARTS)


# Dots


@given(st.lists(st.floats(0, 1e6), max_size=200), st.integers(40, 120))
def test_no_more_than_may_be_are_drawn_each_once_and_the_slowest_among_them(times, most):
    given_times = np.array(times)
    found = drawn(given_times, most).tolist()
    assert found == sorted(set(found))
    assert len(found) == min(len(times), most)
    assert not times or max(times) in given_times[found]


def test_of_many_the_slowest_tenth_is_whole():
    times = np.random.default_rng(1).exponential(10.0, 10_000)
    found = drawn(times, 2_000)
    assert len(found) == 2_000
    assert set(np.argsort(times)[-1_000:]) <= set(found.tolist())


def test_a_slowest_tenth_that_is_more_than_half_of_what_may_be_drawn_has_that_half():
    times = np.random.default_rng(3).exponential(10.0, 10_000)
    is_slow = times >= np.quantile(times, 0.9)
    for most in (500, 1_500):
        found = drawn(times, most)
        assert len(found) == most
        assert is_slow[found].sum() in (most // 2 - 1, most // 2)
        assert int(np.argmax(times)) in found


def test_slow_times_that_come_with_a_period_keep_their_share():
    times = np.where(np.arange(100_000) % 2, 100.0, 1.0)
    assert np.mean(times[drawn(times, 2_000)] > 50.0) == pytest.approx(0.5, abs=0.05)


def test_the_same_are_drawn_each_time():
    times = np.random.default_rng(2).exponential(10.0, 5_000)
    assert (drawn(times, 500) == drawn(times, 500)).all()


# What scores come to

COUNTS = {"judged": 10, "returned": 10, "missing": 0, "unjudged": 0, "without_positives": 0}


def run(name: str, value: float | None, missing: int = 0) -> RunScores:
    measures = {"P@5": 0.5, "nDCG@10": value}
    made = record(
        "score",
        1.0,
        subject=[Subject(name=name, source=name)],
        settings={"measure": Setting(value=list(measures))},
        numbers=[Number(name=measure, value=mean) for measure, mean in measures.items()],
        counts=counts_of({**COUNTS, "missing": missing}),
    )
    return RunScores(Part(made), ScoredRunDetails([]))


def said(*runs: RunScores) -> tuple[list[tuple[str, str]], list[str]]:
    found, advice = headline(runs)
    return list(found), list(advice)


def test_of_one_run_it_is_the_leading_measure():
    assert said(run("a", 0.25)) == ([("●", "a: nDCG@10 0.250 over 10 judged queries.")], [])
    assert said(run("a", None)) == ([("●", "a: nDCG@10 – over 10 judged queries.")], [])


def test_of_several_it_is_the_best_and_how_to_know_whether_that_is_chance():
    found, advice = said(run("a", 0.25), run("b", 0.5), run("c", 0.5))
    assert found == [("●", "b, c have the best nDCG@10, 0.500, of 3 runs over 10 judged queries.")]
    assert advice == ["To test the differences: benchbench compare with the same files."]
    assert said(run("a", 0.5), run("b", 0.5))[0] == [("●", "2 runs over 10 judged queries.")]


def test_queries_that_a_run_lacks_are_said():
    assert said(run("a", 0.25, 2)) == (
        [("○", "a: nDCG@10 0.250 over 10 judged queries.")],
        ["It lacks 2 of 10 judged queries."],
    )
    assert "b lacks 1 of 10 judged queries." in said(run("a", 0.25), run("b", 0.5, 1))[1]
