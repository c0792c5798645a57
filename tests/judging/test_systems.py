"""Systems under people and judge, beside scipy and ppi-python."""

import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from benchbench.errors import InputError
from benchbench.formats.qrels_runs import Qrels, Run
from benchbench.judging.agreement.systems import Ranked, ranked_systems
from benchbench.scoring import evaluate

Table = dict[str, dict[str, float]]


def labels(seed: int, queries: int, wrong: float) -> Table:
    rng, truth = np.random.default_rng(seed), np.random.default_rng(0).integers(0, 4, (60, 6))
    changed = np.where(rng.random(truth.shape) < wrong, rng.integers(0, 4, truth.shape), truth)
    return {f"q{q}": {f"d{d}": float(grade) for d, grade in enumerate(changed[q])} for q in range(queries)}


def run(seed: int, noise: float) -> Run:
    rng, truth = np.random.default_rng(seed), labels(0, 60, 0.0)
    return Run.from_dict({q: {d: grade + noise * rng.normal() for d, grade in row.items()} for q, row in truth.items()})


def drawn(seed: int, people: int = 30, systems: int = 4) -> tuple[Table, Table, dict[str, Run], Ranked]:
    rng = np.random.default_rng(seed)
    human, judge = labels(seed, people, 0.1), labels(seed + 1, 60, 0.3)
    runs = {f"s{n}": run(seed + n, float(rng.integers(1, 5))) for n in range(systems)}
    (found,) = ranked_systems(Qrels.from_dict(human), Qrels.from_dict(judge), runs, ["nDCG@3"])
    return human, judge, runs, found


@pytest.mark.slow  # the oracle over many examples
@given(st.integers(0, 1_000))
def test_correlations_are_those_of_scipy(seed: int) -> None:
    _, _, _, found = drawn(seed, 10)
    sides = [[getattr(one, side) for one in found.systems] for side in ("people", "judge")]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of means that are all alike
        expected = stats.kendalltau(*sides).statistic, stats.spearmanr(*sides).statistic
    made = [np.nan if one is None else one for one in (found.tau, found.spearman)]
    assert made == pytest.approx(expected, nan_ok=True, abs=1e-12)


def test_means_are_over_the_queries_that_both_have_labelled() -> None:
    human, judge, runs, found = drawn(3)
    for one in found.systems:
        for side, table in (("people", human), ("judge", {q: judge[q] for q in human})):
            expected = evaluate(Qrels.from_dict(table), runs[one.name], "nDCG@3").mean()["nDCG@3"]
            assert getattr(one, side) == pytest.approx(expected)
    assert found.queries == 30


def test_prediction_powered_means_are_those_of_ppi_python() -> None:
    from ppi_py import ppi_mean_ci, ppi_mean_pointestimate

    human, judge, runs, found = drawn(5)
    for one in found.systems:
        values = [
            dict(evaluate(Qrels.from_dict(table), runs[one.name], "nDCG@3").per_query().iter_rows())
            for table in (human, judge)
        ]
        people, beside = (np.array([side[q] for q in human]) for side in values)
        alone = np.array([value for q, value in values[1].items() if q not in human])
        assert one.powered is not None
        assert one.powered.mean == pytest.approx(float(ppi_mean_pointestimate(people, beside, alone)[0]), abs=1e-9)
        low, high = ppi_mean_ci(people, beside, alone, alpha=0.05)
        assert (one.powered.low, one.powered.high) == pytest.approx((float(low[0]), float(high[0])), abs=1e-9)


def test_where_people_have_labelled_all_queries_no_help_is_needed() -> None:
    _, _, _, found = drawn(5, 60)
    assert [one.powered for one in found.systems] == [None] * 4


def test_ranks_and_their_changes_are_counted() -> None:
    human = {"q1": {"a": 1, "b": 0, "c": 0}, "q2": {"a": 1, "b": 0, "c": 0}}
    judge = {"q1": {"a": 0, "b": 1, "c": 0}, "q2": {"a": 0, "b": 1, "c": 0}}
    runs = {
        name: Run.from_dict({q: {d: float(n) for n, d in enumerate(order)} for q in human})
        for name, order in (("first", "cba"), ("second", "cab"), ("third", "bac"))
    }
    (found,) = ranked_systems(Qrels.from_dict(human), Qrels.from_dict(judge), runs, ["RR"])
    assert [(one.people_rank, one.judge_rank) for one in found.systems] == [(1, 2), (2, 1), (2, 3)]
    assert (found.largest_rank_change, found.swapped_pairs, found.pairs) == (1, 1, 3)


def test_a_difference_that_people_show_and_the_judge_does_not_is_decided_differently() -> None:
    human = {f"q{n}": {"a": 1, "b": 0} for n in range(20)}
    judge = {f"q{n}": {"a": float(n % 2), "b": float(1 - n % 2)} for n in range(20)}
    runs = {
        name: Run.from_dict({q: {d: float(n) for n, d in enumerate(order)} for q in human})
        for name, order in (("good", "ba"), ("bad", "ab"))
    }
    (found,) = ranked_systems(Qrels.from_dict(human), Qrels.from_dict(judge), runs, ["RR"])
    (one,) = found.decided_differently
    assert (one.one, one.other, one.people_decision, one.judge_decision) == ("good", "bad", "worse", "open")
    assert found.tau is None  # the judge sees no difference at all


def test_one_system_has_no_correlation() -> None:
    _, _, _, found = drawn(1, 30, 1)
    assert (found.tau, found.spearman) == (None, None)
    assert (found.pairs, list(found.decided_differently)) == (0, [])


def test_labels_of_other_queries_rank_nothing() -> None:
    runs = {"s": Run.from_dict({"q1": {"d": 1}, "q2": {"d": 1}})}
    (found,) = ranked_systems(Qrels.from_dict({"q1": {"d": 1}}), Qrels.from_dict({"q2": {"d": 1}}), runs, ["RR"])
    assert (found.queries, list(found.systems)) == (0, [])


def test_a_measure_without_values_per_query_is_refused() -> None:
    runs = {"s": Run.from_dict({"q1": {"d": 1}})}
    qrels = Qrels.from_dict({"q1": {"d": 1}})
    with pytest.raises(InputError, match="has no value per query"):
        ranked_systems(qrels, qrels, runs, ["MicroP@1"])
