"""What a whole comparison says of a margin, of queries that changed, and of how many would show a difference."""

import itertools
import math
from dataclasses import replace

import numpy as np
import polars as pl
import pytest
from cases import first_of, tables
from hypothesis import given
from hypothesis import settings as examples
from hypothesis import strategies as st
from profiles import costly
from scipy import stats
from significance.drawn import left_open_by_flips, like_measures, paired_of

from benchbench.errors import InputError
from benchbench.results.record import Number
from benchbench.significance.comparing import compare
from benchbench.significance.comparison_settings import CompareSettings
from benchbench.significance.corrections import holm
from benchbench.significance.distributions import share_at_most
from benchbench.significance.gates import as_gates, numbers, verdicts
from benchbench.significance.margins import MarginUnits, largest_change, within
from benchbench.significance.notes import asked_of
from benchbench.significance.power import detectable_effect
from benchbench.significance.result import Comparison, PairedDifference
from benchbench.significance.subset_means import kept, patterns
from benchbench.tables.paired import Paired


def one_of(differences: np.ndarray, **settings) -> PairedDifference:
    """Compare two systems of which the second differs so."""
    values = np.array([[np.full(len(differences), 0.5), 0.5 + differences]])
    return compare(paired_of(values), CompareSettings(margin=0.05, **settings)).differences[0]


def verdict(differences: np.ndarray) -> str:
    margin = one_of(differences).margin
    assert margin is not None
    return margin.verdict


NOISE = np.random.default_rng(0).normal(0, 0.05, 1000)


@pytest.mark.parametrize(
    ("differences", "said"),
    [
        (NOISE, "equivalent within 0.05"),
        (np.zeros(200), "equivalent within 0.05"),
        (np.zeros(50), "too few queries to say"),
        (NOISE[:40], "too few queries to say"),
        (NOISE + 0.2, "better"),
        (NOISE - 0.2, "worse"),
        (NOISE - 0.02, "equivalent within 0.05"),
        (np.where(np.arange(400) < 6, 0.4, 0.0) - np.where(np.arange(400) > 397, 0.1, 0.0), "equivalent within 0.05"),
        (np.where(np.arange(100) % 10 == 0, 0.45, 0.0) - np.where(np.arange(100) % 10 == 1, 0.2, 0.0),
         "not inferior by more than 0.05"),
    ],
)  # fmt: skip
def test_each_verdict_is_said_where_it_holds(differences: np.ndarray, said: str) -> None:
    assert verdict(differences) == said


def test_a_difference_may_be_significant_and_within_the_margin() -> None:
    one = one_of(NOISE - 0.02)
    assert one.direction == -1
    assert one.margin is not None
    assert one.margin.verdict == "equivalent within 0.05"
    assert -0.05 < one.margin.low < one.margin.high < 0.0


def test_without_a_margin_none_is_spoken_of() -> None:
    found = compare(paired_of(like_measures(1)), CompareSettings(resamples=200))
    assert {one.margin for one in found.differences} == {one.need for one in found.differences} == {None}
    assert asked_of(found.differences[0], found.settings, 3) == ""


@pytest.mark.parametrize("correction", ["holm", "maxt"])
def test_p_values_of_a_margin_are_corrected_over_the_family(correction) -> None:
    values = np.clip(0.5 + np.random.default_rng(2).normal(0, 0.06, (2, 3, 400)), 0, 1)
    loose = compare(paired_of(values), CompareSettings(margin=0.02, correction="none", resamples=500)).differences
    found = compare(paired_of(values), CompareSettings(margin=0.02, correction=correction, resamples=500)).differences
    for first in (0, 3):
        for name in ("equivalent", "not_inferior"):
            plain, after = (
                [getattr(one.margin, name) for one in all_of[first : first + 3]] for all_of in (loose, found)
            )
            assert after == holm(np.array(plain)).tolist()


def test_a_margin_against_a_baseline_goes_the_way_of_the_difference() -> None:
    values = np.clip(0.5 + np.random.default_rng(3).normal(0, 0.02, (1, 2, 400)) + [[[0.0], [0.1]]], 0, 1)
    up, down = (
        compare(paired_of(values), CompareSettings(baseline, margin=0.05)).differences[0].margin
        for baseline in ("A", "B")
    )
    assert (up.verdict, down.verdict) == ("better", "worse")
    assert up.low == pytest.approx(-down.high, abs=1e-3)
    assert up.not_inferior < 0.05 < down.not_inferior


def test_queries_of_a_group_count_once() -> None:
    """Four hundred queries that did not change say enough, and forty groups of ten do not."""
    values = np.full((1, 2, 400), 0.5)
    columns = pl.DataFrame({"case": [f"c{query // 10}" for query in range(400)]})
    assert compare(paired_of(values), CompareSettings(margin=0.01)).differences[0].margin.equivalent <= 0.05
    grouped = compare(paired_of(values, columns), CompareSettings(margin=0.01, need=0.01, cluster="case")).differences[
        0
    ]
    assert grouped.margin.verdict == "too few queries to say"
    assert grouped.need is None


def test_changed_found_and_lost_queries_are_counted() -> None:
    before = np.array([0.0, 0.0, 0.5, 0.5, 1.0, 0.3, 0.2])
    after = np.array([0.0, 0.4, 0.0, 0.0, 0.7, 0.1 + 0.2, 0.2])
    values = np.array([[before, after]])
    one = compare(paired_of(values), CompareSettings(resamples=100)).differences[0]
    assert (one.changed, one.found, one.lost) == (4, 1, 2)
    other = compare(paired_of(values), CompareSettings("B", resamples=100)).differences[0]
    assert (other.changed, other.found, other.lost) == (4, 2, 1)


@pytest.mark.parametrize("grouped", [False, True])
def test_so_many_queries_or_groups_show_the_difference_asked_for(grouped: bool) -> None:
    values = like_measures(9, 1, 2, 60)
    columns = pl.DataFrame({"case": [f"c{query // 3}" for query in range(60)]})
    settings = CompareSettings(resamples=100, need=0.05, cluster="case" if grouped else None)
    one = compare(paired_of(values, columns), settings).differences[0]
    units = 20 if grouped else 60
    spread = one.detectable / detectable_effect(units, 0.05, 0.8)
    assert detectable_effect(one.need, 0.05, 0.8) * spread <= 0.05 < detectable_effect(one.need - 1, 0.05, 0.8) * spread


@pytest.mark.parametrize(("test", "fewest"), [("randomization", 6), ("wilcoxon", 6), ("t", 2)])
def test_no_fewer_queries_show_a_difference_than_the_test_can_be_significant_of(test, fewest: int) -> None:
    (one,) = compare(paired_of(like_measures(9, 1, 2, 60)), CompareSettings(test=test, need=5.0)).differences
    assert one.need == fewest


def test_the_record_has_what_gates_may_name() -> None:
    values = np.clip(0.5 + np.random.default_rng(2).normal(0, 0.06, (1, 2, 50)), 0, 1)
    values[0, 1, 0] = 0.0
    found = compare(paired_of(values), CompareSettings(margin=0.02, need=0.01))
    named: dict[str, Number] = {one.name: one for one in numbers(found) if "baseline" in one.scope}
    one = found.differences[0]
    assert named["p_equivalent M0"].value == one.margin.equivalent
    assert named["p_not_inferior M0"].value == one.margin.not_inferior
    assert named["changed M0"].value == 1.0
    assert (named["lost M0"].value, named["found M0"].value) == (1.0, 0.0)
    assert named["need M0"].value == one.need
    assert named["need M0"].unit == "queries"
    gates = as_gates(("p_not_inferior M0 > 0.05", "changed M0 > 5%", "lost M0 > 1", "need M0 < 2"), lambda name: name)
    assert [gate.verdict for gate in verdicts(gates, found)] == ["failed", "failed", "passed", "passed"]


def test_the_sentence_says_what_was_asked() -> None:
    one = one_of(NOISE, need=0.01)
    said = asked_of(one, CompareSettings(margin=0.05, need=0.01), 3)
    assert said.startswith("B and A are equivalent within 0.05 (90 % interval ")
    assert said.endswith(
        f"after Holm). It would take {one.need:,} queries in 80 % of such comparisons to detect a difference of 0.01."
    )
    worse = asked_of(one_of(NOISE - 0.2), CompareSettings(margin=0.05), 1)
    assert worse.startswith("B and A are not shown to be within 0.05 (90 % interval −0.2")
    few = asked_of(one_of(NOISE[:3]), CompareSettings(margin=0.05), 1)
    assert few == "Too few queries to say whether B and A are within 0.05 (90 % interval −∞ to +∞)."


def test_a_measure_beyond_1_may_change_by_its_range() -> None:
    values = np.array([[np.linspace(0, 10, 100), np.linspace(0, 10, 100)]])
    found = compare(paired_of(values), CompareSettings(margin=0.2)).differences[0].margin
    assert found.low == pytest.approx(-10 * (1 - 0.05 ** (1 / 100)))
    assert not math.isinf(found.high)


# Equivalence and non-inferiority: beside their definitions, and against samples that hide what few queries lose

seeds = st.integers(0, 2**32)


def units_of(sums: np.ndarray, sizes: np.ndarray | None = None, resamples: int = 1000, seed: int = 0) -> MarginUnits:
    """Flip the signs of differences (units,)."""
    sizes = np.ones(len(sums)) if sizes is None else sizes
    drawn = kept(np.array([sums, sizes]), resamples, seed)
    return MarginUnits(sums, sizes, drawn[0], drawn[1], patterns(len(sums), resamples) is not None)


def asked(differences: np.ndarray, margin: float = 0.01, alpha: float = 0.05, largest: float = 1.0, seed: int = 0):
    return within(units_of(differences, seed=seed), margin, largest, 1e-15, alpha)


def clopper_pearson(count: int, number: int, alpha: float) -> float:
    return float(stats.binomtest(count, number).proportion_ci(1 - 2 * alpha, "exact").high)


def hidden(losses: list[float], largest: float, alpha: float) -> float:
    """Go through the sizes of losses: by how much more often may each be exceeded than it was?"""
    ends = sorted({0.0, largest, *(loss for loss in losses if loss > 0)})
    found = 0.0
    for low, high in itertools.pairwise(ends):
        count = sum(loss > low for loss in losses)
        found += (clopper_pearson(count, len(losses), alpha) - count / len(losses)) * (high - low)
    return found


@given(st.integers(1, 300).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))), st.floats(0.001, 0.4))
def test_the_bound_of_a_share_is_that_of_scipy(count_and_units: tuple[int, int], alpha: float) -> None:
    count, units = count_and_units
    assert share_at_most(np.array([float(count)]), units, alpha)[0] == pytest.approx(
        clopper_pearson(count, units, alpha), rel=1e-9
    )


@given(st.lists(st.sampled_from([0.0, 0.0, 0.0, -0.1, 0.1, -0.5, 0.25, 1.0, -1.0]), min_size=7, max_size=40), seeds)
def test_the_ends_are_those_of_the_flips_or_of_what_may_be_hidden(differences: list[float], seed: int) -> None:
    values = np.array(differences)
    units = units_of(values, seed=seed)
    found = within(units, 0.01, 1.0, 1e-15, 0.05)
    least = values.mean() - hidden((-values).tolist(), 1.0, 0.05)
    most = values.mean() + hidden(values.tolist(), 1.0, 0.05)
    low, high = left_open_by_flips(values, 0.1, 1000, seed)
    assert found.low == pytest.approx(min(low, least), abs=1e-12)
    assert found.high == pytest.approx(max(high, most), abs=1e-12)


@given(seeds, st.integers(5, 9), st.floats(0.05, 2.0))
def test_the_tests_of_few_units_go_through_all_signs(seed: int, number: int, margin: float) -> None:
    """Nothing is hidden where no change can be larger than all that all units show."""
    rng = np.random.default_rng(seed)
    sizes = rng.integers(1, 5, number).astype(float)
    sums = rng.normal(0, 1, number)
    found = within(units_of(sums, sizes), margin, 1e-9, 1e-15, 0.05)
    signs = np.array(list(itertools.product([-1, 1], repeat=number)))
    p = []
    for off in (sums + margin * sizes, margin * sizes - sums):
        p.append(min(1.0, float((signs @ off >= off.sum() - 1e-9).mean())))
    assert found.not_inferior >= p[0] - 1e-12
    assert found.equivalent >= max(p) - 1e-12


@given(seeds, st.integers(14, 60), st.floats(0.005, 0.5))
def test_p_values_and_ends_say_the_same(seed: int, number: int, margin: float) -> None:
    rng = np.random.default_rng(seed)
    found = asked(np.round(rng.normal(0.0, 0.1, number) * (rng.random(number) < 0.5), 2), margin, seed=seed)
    assert (found.not_inferior <= 0.05) == (found.low > -margin)
    assert (found.equivalent <= 0.05) == (-margin < found.low and found.high < margin)
    assert found.not_inferior <= found.equivalent


@given(seeds)
@examples(max_examples=costly(20))
def test_a_wider_margin_is_never_harder_to_be_within(seed: int) -> None:
    rng = np.random.default_rng(seed)
    values = rng.normal(0, 0.05, 40)
    p = [asked(values, margin) for margin in (0.01, 0.05, 0.1, 0.5, 2.0)]
    assert [one.equivalent for one in p] == sorted((one.equivalent for one in p), reverse=True)
    assert [one.not_inferior for one in p] == sorted((one.not_inferior for one in p), reverse=True)


@pytest.mark.parametrize(("queries", "equivalent"), [(50, False), (298, False), (300, True), (2000, True)])
def test_systems_that_never_differed_are_equivalent_only_over_enough_queries(queries: int, equivalent: bool) -> None:
    """Of 298 queries without a change up to 1.0003 % may change, by 1: log(0.05) / log(1 - 0.01) is 298.07."""
    found = asked(np.zeros(queries))
    assert (found.equivalent <= 0.05) == equivalent
    assert found.low == pytest.approx(-clopper_pearson(0, queries, 0.05))


def test_a_tiny_change_of_every_query_hides_as_much_as_none() -> None:
    jitter = np.random.default_rng(0).normal(0, 1e-4, 50)
    assert asked(jitter).equivalent > 0.05
    assert asked(np.random.default_rng(0).normal(0, 1e-4, 400)).equivalent <= 0.05


def test_many_small_changes_are_within_a_margin_once_there_are_enough_queries() -> None:
    drawn = np.random.default_rng(1)
    assert asked(drawn.normal(0, 0.05, 100)).equivalent > 0.05
    assert asked(drawn.normal(0, 0.05, 2000)).equivalent <= 0.05


@pytest.mark.parametrize(("share", "loss"), first_of((0.02, 0.5), (0.01, 1.0), (0.05, 0.2)))
@pytest.mark.parametrize("queries", first_of(50, 300))
def test_rare_large_losses_are_called_within_the_margin_in_no_more_than_alpha(share, loss, queries) -> None:
    """The mean loses exactly the margin; the tests alone say "equivalent" of 22 to 63 % of samples of 50."""
    drawn = np.random.default_rng(3)
    found = [asked(-loss * (drawn.random(queries) < share), seed=seed) for seed in range(200)]
    assert np.mean([one.not_inferior <= 0.05 for one in found]) <= 0.05


def test_a_loss_is_no_obstacle_to_a_gain_and_the_other_way_round() -> None:
    values = np.concatenate([np.full(200, 0.3), np.zeros(800)])
    assert asked(values).not_inferior <= 0.05
    assert asked(values).equivalent > 0.05
    assert asked(-values).not_inferior > 0.05


def test_queries_of_a_group_count_as_one() -> None:
    """A group whose ten queries did not change is one unit without a change, and not ten."""
    sums, sizes = np.zeros(50), np.full(50, 10.0)
    found = within(units_of(sums, sizes), 0.01, 1.0, 1e-15, 0.05)
    assert found.low == pytest.approx(-clopper_pearson(0, 50, 0.05))
    larger = within(units_of(sums, np.where(np.arange(50) < 10, 30.0, 5.0)), 0.01, 1.0, 1e-15, 0.05)
    assert larger.low == pytest.approx(-clopper_pearson(0, 50, 0.05) * 3)


def test_of_too_few_units_nothing_can_be_said() -> None:
    found = asked(np.zeros(3))
    assert found.low == -np.inf
    assert found.equivalent > 0.05


def test_the_largest_change_is_that_of_the_measure() -> None:
    assert largest_change(np.array([[0.2, 0.4], [0.0, 0.9]])) == 1.0
    assert largest_change(np.array([[2.0, 4.0], [-1.0, 9.0]])) == 10.0


# Gates

TABLES = tables(__file__, "gates")


MEASURES = ("nDCG@10", "RR")


@pytest.fixture(scope="module")
def comparison() -> Comparison:
    """Two systems over forty queries: the second loses 0.1 in nDCG@10 everywhere, and nothing in RR."""
    before = np.random.default_rng(1).uniform(0.2, 0.8, (2, 40))
    after = before - np.array([[0.1], [0.0]])
    return compared(np.stack([before, after], axis=1))


def compared(values: np.ndarray, baseline: str | None = None) -> Comparison:
    systems = ("old", "new", "newer")[: values.shape[1]]
    queries = [f"q{n}" for n in range(values.shape[2])]
    return compare(Paired(systems, MEASURES, queries, values), CompareSettings(baseline, resamples=1000))


def known(text: str) -> str:
    if text not in MEASURES:
        raise InputError(f"{text} is not compared")
    return text


def failure(comparison: Comparison, text: str) -> str | None:
    (verdict,) = verdicts(as_gates(text, known), comparison)
    return verdict.failure


@pytest.mark.parametrize("text", TABLES["holding"])
def test_a_gate_fails_when_all_of_its_conditions_hold(comparison, text):
    assert failure(comparison, text) is not None


@pytest.mark.parametrize(
    "text",
    ["Δ nDCG@10 < -0.5 and p < 0.05", "Δ RR < 0", "Δ nDCG@10 > 0", "Δ nDCG@10 < 0 and p > 0.5", "p RR < 0.9"],
)
def test_a_gate_passes_when_one_of_them_does_not(comparison, text):
    assert failure(comparison, text) is None


def test_the_sentence_names_pair_values_and_bounds(comparison):
    p = comparison.differences[0].corrected["randomization"]
    assert failure(comparison, " Δ nDCG@10 < -1% and p < 0.05 ") == (
        f"new against old: Δ nDCG@10 is -0.1 and p nDCG@10 is {p:.6g}, "
        "required Δ nDCG@10 at least -0.01 or p nDCG@10 at least 0.05"
    )
    assert failure(comparison, "Δ nDCG@10 <= 0") == "new against old: Δ nDCG@10 is -0.1, required above 0"


def test_a_value_that_is_not_a_number_fails_its_gate(comparison):
    first, *others = comparison.differences
    without = replace(comparison, differences=(replace(first, mean=math.nan), *others))
    assert "Δ nDCG@10 has no value" in str(failure(without, "Δ nDCG@10 < -0.5"))


@pytest.mark.parametrize(
    ("text", "reason"), [*TABLES["refused"].items(), ("nDCG@10 < " + "9" * 500, "is not name, comparison and bound")]
)
def test_what_is_no_gate_is_refused_with_a_reason(text, reason):
    with pytest.raises(InputError, match=r"^--fail-if ") as refused:
        as_gates(text, known)
    assert reason in str(refused.value)


def test_each_system_is_checked_against_the_baseline():
    values = np.random.default_rng(2).uniform(0, 1, (2, 3, 20))
    found = verdicts(as_gates("Δ RR < 9", known), compared(values, "new"))
    assert [one.scope for one in found] == [
        {"baseline": "new", "system": "old"},
        {"baseline": "new", "system": "newer"},
    ]
    assert [one.about for one in found] == ["old against new", "newer against new"]
    assert all(one.failure for one in found)


def test_without_a_baseline_several_pairs_are_refused():
    values = np.random.default_rng(2).uniform(0, 1, (2, 3, 20))
    with pytest.raises(InputError, match="name that with --baseline"):
        verdicts(as_gates("Δ RR < 9", known), compared(values))


def test_the_share_of_changed_queries_has_no_interval_where_queries_are_not_independent() -> None:
    columns = pl.DataFrame({"document": np.arange(60) // 2})
    for cluster, there in ((None, True), ("document", False)):
        found = numbers(compare(paired_of(like_measures(1, 1, 2, 60), columns), CompareSettings(cluster=cluster)))
        (changed,) = (one for one in found if one.name == "changed M0")
        assert (changed.low is not None, changed.interval is not None) == (there, there)
