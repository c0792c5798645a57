"""Which measures a check judges, and which are shown elsewhere: those that are named, or the first."""

import math
from dataclasses import replace

import histories
import numpy as np
import pytest
from histories import Kept

from benchbench.errors import InputError
from benchbench.history.check.measures import JudgedMeasure, NotJudgedError, Scale, chosen, leading_ones, measures_of
from benchbench.history.entry import StoredNumber
from benchbench.history.folders import as_entries
from benchbench.history.measure_names import leading, named
from benchbench.results.record import Better, Number
from benchbench.significance.run_windows import WindowTest


def number(name: str, better: Better | None, unit: str = "") -> StoredNumber:
    return StoredNumber(1, name, unit=unit, better=better)


NUMBERS = {
    one.measure: one
    for one in (
        *(number("gold.nDCG@10", "higher"), number("gold.P@5", "higher"), number("width", None)),
        *(number("errors", "lower"), number("p99", "lower", "ms"), number("p95", "lower", "ms")),
    )
}
LATENCIES = {"p50": ""}


def names(wanted: list[str], there: list[str] | None = None) -> list[str]:
    known = measures_of(there or ["gold.P@5", "gold.nDCG@10", "width"], NUMBERS, LATENCIES)
    return [one.name for one in chosen(wanted, known, {"width"})]


def test_the_leading_measure_of_each_task_is_taken_by_itself():
    assert names([]) == ["gold.nDCG@10", "p50", "p99"]
    many = [f"{task}.{measure}" for task in "abcd" for measure in ("P@5", "nDCG@5", "nDCG@10", "RR")]
    assert leading_ones(many) == ["a.nDCG@10", "b.nDCG@10", "c.nDCG@10", "d.nDCG@10"]
    assert leading_ones(["P@5", "RR"]) == ["P@5"]
    of_targets = [f"{target}.gold.{measure}" for target in ("old", "new") for measure in ("P@5", "nDCG@10", "P.5")]
    assert leading_ones(of_targets) == ["old.gold.nDCG@10", "new.gold.nDCG@10"]
    assert leading_ones(["helpfulness", "accuracy", "tone", "length"]) == ["helpfulness", "accuracy", "tone"]
    assert leading_ones(["helpfulness", "accuracy", "overall"]) == ["overall"]


@pytest.mark.parametrize(
    ("wanted", "found"),
    [
        ("nDCG@10", "gold.nDCG@10"),
        ("ndcg_cut_10", "gold.nDCG@10"),
        ("gold.P@5", "gold.P@5"),
        ("P_5", "gold.P@5"),
        ("latency", "p50"),
        ("p50", "p50"),
        ("p95", "p95"),
        ("errors", "errors"),
    ],
)
def test_a_measure_may_be_written_in_any_way_that_gates_take(wanted: str, found: str) -> None:
    assert names([wanted]) == [found]


def test_a_measure_counts_once():
    assert names(["nDCG@10", "gold.nDCG@10", "P@5"]) == ["gold.nDCG@10", "gold.P@5"]


@pytest.mark.parametrize(
    ("wanted", "said"),
    [
        ("nDCG@20", "nDCG@20 is not measured"),
        ("brand.P@5", "there is no task brand"),
        ("width", "width has no direction"),
        ("p90", "p90 is not measured"),
        ("nonsense", "measured are gold.nDCG@10, gold.P@5, p50, errors, p99, p95"),
    ],
)
def test_a_measure_that_is_not_there_is_refused_with_those_that_are(wanted: str, said: str) -> None:
    with pytest.raises(NotJudgedError, match=said):
        names([wanted])


def test_without_latencies_latency_is_refused():
    known = measures_of(["P@5"], {"P@5": number("P@5", "higher")}, {})
    with pytest.raises(NotJudgedError, match=r"latency is not measured.*needs the time of each request"):
        chosen(["latency"], known, set())


def test_a_value_that_no_number_is_of_takes_its_direction_from_the_notation():
    assert measures_of(["gold.AP", "other"], {}, {})["gold.AP"].better == "higher"
    assert "other" not in measures_of(["gold.AP", "other"], {}, {})


def test_latency_of_a_target_is_named_after_it():
    known = measures_of([], {}, {"old.p50": "old", "new.p50": "new"})
    assert [one.name for one in chosen(["old.latency"], known, set())] == ["old.p50"]
    with pytest.raises(NotJudgedError, match=r"measured several times; name one of old\.p50, new\.p50"):
        chosen(["latency"], known, set())


def test_speed_and_failures_share_an_alpha_of_their_own():
    known = measures_of(["gold.nDCG@10"], NUMBERS | {"gold.microF1@10": number("gold.microF1@10", "higher")}, LATENCIES)
    assert {name for name, one in known.items() if one.is_speed} == {"p50", "p95", "p99", "errors"}
    assert {name: one.per for name, one in known.items() if name[0] in "gpe"} == {
        "gold.nDCG@10": "query",
        "gold.P@5": "run",
        "gold.microF1@10": "run",
        "p50": "block",
        "p95": "run",
        "p99": "run",
        "errors": "run",
    }


NAMES = ["gold.nDCG@10", "title.nDCG@10", "title.P@5", "judge.en@1.grounded", "old.p50", "new.p50", "Δ gold.AP"]


@pytest.mark.parametrize(
    ("texts", "expected"),
    [
        (["nDCG@10"], ["gold.nDCG@10"]),
        (["title.nDCG@10", "P@5"], ["title.nDCG@10", "title.P@5"]),
        (["grounded"], ["judge.en@1.grounded"]),
        (["Δ AP"], ["Δ gold.AP"]),
        (["old.p50", "old.p50"], ["old.p50"]),
        (["P@5", "all"], ["title.P@5", *(one for one in NAMES if one != "title.P@5")]),
        ([], []),
    ],
)
def test_measures_are_named_as_gates_name_them_or_by_the_end_of_one(texts, expected):
    assert named(texts, NAMES) == expected


@pytest.mark.parametrize(
    ("text", "names", "reason"),
    [
        ("p50", NAMES, "p50 is stored several times; name one of old.p50, new.p50"),
        ("AP", NAMES, "AP is not stored; stored are "),
        ("ounded", NAMES, "ounded is not stored; "),
        ("AP", [], "AP is not stored: the runs have no numbers"),
    ],
)
def test_what_is_none_or_several_is_one_sentence(text, names, reason):
    with pytest.raises(InputError) as refused:
        named([text], names)
    assert str(refused.value).startswith(reason)


def first(*numbers: Number, most: int = 9) -> list[str]:
    """Return what stands for the numbers of a record."""
    _, stored = as_entries([(histories.Path("x"), Kept({}, others=numbers))])
    return leading(stored, most)


def test_the_gold_task_comes_first_and_in_it_the_usual_measures():
    def of(task: str, name: str) -> Number:
        return Number(name=name, value=0.5, better="higher", scope={"task": task})

    speed = Number(name="p50", value=1.0, unit="ms", better="lower")
    found = first(of("title", "nDCG@10"), of("gold", "P@3"), of("gold", "nDCG@10"), speed, of("gold", "R@10"))
    assert found == ["gold.nDCG@10", "gold.R@10", "p50", "gold.P@3"]
    assert first(of("title", "P@3"), of("title", "AP"), most=1) == ["title.AP"]


def test_differences_slices_and_what_has_no_better_side_are_left_out():
    numbers = [
        Number(name="Δ AP", value=0.1, better="higher"),
        Number(name="p AP", value=0.1),
        Number(name="AP", value=0.5, better="higher", scope={"slice": "a=b"}),
        Number(name="length", value=3.0),
        Number(name="AP", value=0.5, better="higher"),
    ]
    assert first(*numbers) == ["AP"]
    assert first(*numbers[:4]) == ["length"]
    assert first() == []


@pytest.mark.parametrize("reach", [800.0, float("inf")])
def test_a_factor_that_no_number_can_hold_leaves_no_interval(reach: float):
    """The median of few runs that resemble one another may be anything."""
    test = WindowTest(runs=1, difference=0.5, p_queries=0.1, p_runs=0.8, low=-reach, high=reach, rejects=False)
    found = Scale.of(JudgedMeasure("p50", "ms", "lower", "", "block")).window(test)
    assert (found.low, found.high) == (None, None)
    assert found.difference == pytest.approx(math.exp(-0.5) - 1)


def test_fewer_failures_than_none_are_none():
    """An interval of roots that goes below 0 begins there, and not at the square of what is below."""
    scale = Scale.of(JudgedMeasure("errors", "", "lower", per="run"))
    of_roots = scale.scaled(np.array([1.0]))
    test = WindowTest(runs=1, difference=0.0, p_queries=1.0, p_runs=0.8, low=-9.0, high=9.0, rejects=False)
    found = replace(scale, base=float(of_roots[0])).window(test)
    assert (found.low, found.difference) == (-1.0, 0.0)
    assert found.high is not None
    assert found.high > 0.0
