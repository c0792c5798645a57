"""Which measures a check judges."""

import pytest

from benchbench.history.check.measures import NotJudgedError, chosen, leading_ones, measures_of
from benchbench.history.entry import StoredNumber
from benchbench.results.record import Better


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
