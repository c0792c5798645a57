"""The numbers of a calibration beside their definitions, every edge case; systems beside scipy and ppi-python."""

import warnings

import naive_raters
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from benchbench.errors import InputError
from benchbench.formats.qrels_runs import Qrels, Run
from benchbench.judging.agreement.numbers import MANY_GRADES, NO_PAIR, ONE_GRADE, Agreed, agreed, cut_places
from benchbench.judging.agreement.systems import SystemRanking, ranked_systems
from benchbench.results.record import Number
from benchbench.scoring import evaluate

pairs = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3), st.integers(0, 5)), min_size=1, max_size=50)


def of(drawn: list[tuple[int, int, int]]) -> Agreed:
    human, judge, query = np.array(drawn, np.float64).T
    return agreed(human, judge, query.astype(np.int64))


def named(found: Agreed) -> dict[str, Number]:
    return {one.name: one for one in found.numbers({"judge": "j"})}


@given(pairs)
def test_every_number_is_that_of_its_definition(drawn: list[tuple[int, int, int]]) -> None:
    human, judge, _ = zip(*drawn, strict=True)
    found = named(of(drawn))
    expected = {
        "kappa": naive_raters.kappa(human, judge),
        "weighted_kappa": naive_raters.kappa(human, judge, weighted=True),
        "alpha": naive_raters.alpha(list(zip(human, judge, strict=True))),
        "agreement": sum(a == b for a, b in zip(human, judge, strict=True)) / len(drawn),
        "bias": (sum(judge) - sum(human)) / len(drawn),
        "constant_agreement": max(map(human.count, human)) / len(drawn),
    }
    for cut in range(min(*human, *judge) + 1, max(*human, *judge) + 1):
        relevant = [[one >= cut for one in side] for side in (human, judge)]
        expected[f"kappa@{cut}"] = naive_raters.kappa(*relevant)
        expected[f"prevalence@{cut}"] = sum(relevant[0]) / len(drawn)
        expected[f"judge_prevalence@{cut}"] = sum(relevant[1]) / len(drawn)
        expected[f"bias@{cut}"] = (sum(relevant[1]) - sum(relevant[0])) / len(drawn)
        expected[f"constant_agreement@{cut}"] = max(sum(relevant[0]), len(drawn) - sum(relevant[0])) / len(drawn)
    for name, value in expected.items():
        assert found[name].value == (None if value is None else pytest.approx(float(value), abs=1e-12)), name
        assert found[name].scope == {"judge": "j"}
    assert {one.name for one in found.values() if one.name.startswith("kappa@")} == {
        name for name in expected if name.startswith("kappa@")
    }


@given(pairs)
def test_an_interval_has_the_value_in_it_and_ends_where_values_do(drawn: list[tuple[int, int, int]]) -> None:
    for one in named(of(drawn)).values():
        assert (one.low is None) == (one.high is None) == (one.interval is None)
        if one.low is not None and one.high is not None and one.value is not None:
            assert one.low - 1e-12 <= one.value <= one.high + 1e-12
            most = 3.0 if one.name == "bias" else 1.0
            assert -most <= one.low <= one.high <= most


def test_one_grade_by_both_has_no_kappa_but_a_reason() -> None:
    found = agreed(np.ones(4), np.ones(4), np.arange(4))
    assert [found.undefined[name] for name in ("kappa", "weighted_kappa", "alpha")] == [ONE_GRADE] * 3
    assert found.values["agreement"].value == 1.0
    assert found.cuts == []


def test_a_judge_with_one_grade_has_a_kappa_of_0_and_no_interval() -> None:
    found = agreed(np.array([0.0, 1.0, 2.0] * 10), np.ones(30), np.repeat(np.arange(10), 3))
    assert found.values["kappa"].value == 0.0
    assert found.interval("kappa") is None


def test_grades_may_be_negative_or_no_whole_numbers() -> None:
    from sklearn.metrics import cohen_kappa_score

    human, judge = np.array([-2.0, 0.0, 1.0, 0.0] * 5), np.array([0.0, 0.0, 1.0, -2.0] * 5)
    found = named(agreed(human, judge))
    assert found["kappa"].value == pytest.approx(cohen_kappa_score(human, judge))
    assert [name for name in found if name.startswith("kappa@")] == ["kappa@-1", "kappa@0", "kappa@1"]
    halves = named(agreed(human / 4, judge / 4))
    assert [name for name in halves if name.startswith("kappa@")] == ["kappa@0", "kappa@0.25"]


def test_a_grade_that_nobody_gave_has_its_cut_all_the_same() -> None:
    assert cut_places(np.array([0.0, 1.0, 3.0])) == [(1.0, 1), (2.0, 2), (3.0, 2)]


@pytest.mark.parametrize(
    ("grades", "cuts"),
    [
        (np.arange(0, 3.1, 0.1), [1.0, 2.0, 3.0]),
        (np.arange(0.05, 3, 0.1), [1.0, 2.0]),
        (np.arange(0, 0.9, 0.01), []),
        (np.arange(0, 1.01, 0.01), [1.0]),
        (np.arange(101.0), []),
        (np.arange(21.0), [float(one) for one in range(1, 21)]),
        (np.array([0.0, 1e9]), []),
        (np.array([2.0]), []),
    ],
)
def test_many_grades_have_cuts_at_whole_numbers_or_none(grades: np.ndarray, cuts: list[float]) -> None:
    found = cut_places(grades)
    assert [cut for cut, _ in found] == cuts
    assert [place for _, place in found] == np.searchsorted(grades, cuts).tolist()


def test_grades_that_are_not_evenly_spaced_have_a_kappa_by_value_too() -> None:
    from sklearn.metrics import cohen_kappa_score

    human, judge = np.array([0.0, 1.0, 5.0, 5.0, 0.0]), np.array([0.0, 5.0, 5.0, 1.0, 0.0])
    found = agreed(human, judge)
    assert found.values["weighted_kappa"].value == pytest.approx(cohen_kappa_score(human, judge, weights="quadratic"))
    labels = np.arange(6.0)
    by_value = cohen_kappa_score(human, judge, labels=labels.tolist(), weights="quadratic")
    assert found.values["weighted_kappa_by_value"].value == pytest.approx(by_value)
    even = agreed(np.array([0.0, 1.0, 2.0]), np.array([0.0, 1.0, 1.0]))
    assert "weighted_kappa_by_value" not in even.values


def test_pairs_that_the_judge_did_not_grade_are_counted_and_in_no_number() -> None:
    human, judge = np.array([0.0, 1.0, 2.0, np.nan]), np.array([0.0, np.nan, 1.0, 3.0])
    found = agreed(human, judge)
    assert (found.n, found.unparsed) == (2, 1)
    assert found.values["agreement"].value == 0.5


def test_no_pair_in_common_and_scores_instead_of_grades_have_a_reason() -> None:
    assert agreed(np.ones(2), np.full(2, np.nan)).undefined["kappa"] == NO_PAIR
    scores = np.linspace(0, 1, 300)
    assert agreed(scores, scores).undefined["kappa"] == MANY_GRADES


def test_agreement_on_every_pair_is_not_certain_to_last() -> None:
    grades = np.tile([0.0, 1.0], 20)
    found = named(agreed(grades, grades, np.repeat(np.arange(20), 2)))
    for name in ("kappa", "weighted_kappa", "alpha", "kappa@1", "agreement@1"):
        one = found[name]
        assert one.value == one.high == 1.0
        assert one.low is not None
        assert 0.5 < one.low < 1.0
        assert one.interval == "Wilson over queries, 95 %"
    assert found["bias"].interval is None


def test_the_bias_of_a_cut_has_mcnemars_p_where_each_pair_is_a_query() -> None:
    """Nine pairs are added, two are missed: the exact test of 9 of 11."""
    human, judge = np.array([0.0] * 9 + [1.0] * 2 + [1.0] * 40), np.array([1.0] * 9 + [0.0] * 2 + [1.0] * 40)
    (cut,) = agreed(human, judge).cuts
    assert (cut.added, cut.missed) == (9, 2)
    assert cut.p == pytest.approx(stats.binomtest(9, 11).pvalue, rel=1e-9)


def test_pairs_of_one_query_flip_their_signs_together() -> None:
    human, judge = np.zeros(60), np.array([1.0] * 20 + [0.0] * 40)
    alone, together = agreed(human, judge).cuts[0], agreed(human, judge, np.repeat(np.arange(3), 20)).cuts[0]
    assert alone.p < 0.001 < together.p == 1.0


def test_a_cluster_makes_intervals_wider() -> None:
    rng = np.random.default_rng(0)
    human = np.repeat(rng.integers(0, 2, 20), 10).astype(float)
    judge = np.where(np.repeat(rng.random(20) < 0.7, 10), human, 1 - human)
    alone, together = (agreed(human, judge, groups).values["kappa"] for groups in (None, np.repeat(np.arange(20), 10)))
    assert together.high - together.low > 2 * (alone.high - alone.low)


def test_one_query_has_no_interval_though_all_its_pairs_are_alike() -> None:
    found = agreed(np.array([0.0, 1.0, 1.0]), np.array([0.0, 1.0, 1.0]), np.zeros(3, np.int64))
    assert found.values["kappa"].value == found.values["agreement@1"].value == 1.0
    assert all(np.isnan(one.low) and np.isnan(one.high) for one in found.values.values())


def test_grades_that_differ_in_the_seventh_digit_have_names_of_their_own() -> None:
    from sklearn.metrics import cohen_kappa_score

    human, judge = np.array([1e6, 1e6 + 1, 1e6 + 1]), np.array([1e6, 1e6 + 1, 1e6])
    found = agreed(human, judge)
    assert [one.name for one in found.cuts] == ["@1000001"]
    assert found.values["kappa@1000001"].value == pytest.approx(cohen_kappa_score(human > 1e6, judge > 1e6))
    assert found.prevalence["judge"] == pytest.approx({"1000000": 2 / 3, "1000001": 1 / 3})


Table = dict[str, dict[str, float]]


def labels(seed: int, queries: int, wrong: float) -> Table:
    rng, truth = np.random.default_rng(seed), np.random.default_rng(0).integers(0, 4, (60, 6))
    changed = np.where(rng.random(truth.shape) < wrong, rng.integers(0, 4, truth.shape), truth)
    return {f"q{q}": {f"d{d}": float(grade) for d, grade in enumerate(changed[q])} for q in range(queries)}


def run(seed: int, noise: float) -> Run:
    rng, truth = np.random.default_rng(seed), labels(0, 60, 0.0)
    return Run.from_dict({q: {d: grade + noise * rng.normal() for d, grade in row.items()} for q, row in truth.items()})


def drawn(seed: int, people: int = 30, systems: int = 4) -> tuple[Table, Table, dict[str, Run], SystemRanking]:
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
