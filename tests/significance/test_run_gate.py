"""What a gate says of runs, and how seldom it alarms where nothing changed."""

import itertools
import math
import statistics
from dataclasses import dataclass, replace

import numpy as np
import pytest
from cases import first_of
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy import stats
from significance.drawn import alike, covariance

from benchbench.errors import InputError
from benchbench.significance.autocorrelation import autocorrelation
from benchbench.significance.run_gate import GateFinding, GateSettings, gate, units_needed
from benchbench.significance.run_growth import joined
from benchbench.significance.run_recovery import recovered
from benchbench.significance.run_windows import (
    OF_RUNS,
    WINDOWS,
    WindowTest,
    blocks,
    changes,
    t_test_of_runs,
    window_tests,
)


@dataclass
class Runs:
    """Ten runs of a reference, and later ones."""

    reference_runs: np.ndarray  # (10, queries)
    later: np.ndarray  # (runs, queries)

    @property
    def reference(self) -> np.ndarray:
        """The mean of each query."""
        return self.reference_runs.mean(axis=0)

    @property
    def means(self) -> np.ndarray:
        """The mean of each run of the reference."""
        return self.reference_runs.mean(axis=1)


def drawn(seed: int, runs: int = 8, queries: int = 40, noise: float = 0.1, shared: float = 0.0) -> Runs:
    """Draw runs over queries of many values; `noise` of each query, `shared` of whole runs."""
    rng = np.random.default_rng(seed)
    base = rng.beta(0.6, 0.9, queries)
    every = base + noise * rng.normal(size=(10 + runs, queries)) + shared * rng.normal(size=(10 + runs, 1))
    return Runs(every[:10], every[10:])


def identical(seed: int, runs: int = 8, queries: int = 40) -> Runs:
    """Return runs of a retriever that always answers alike."""
    return drawn(seed, runs, queries, noise=0.0)


FEW = GateSettings(planned=10, resamples=1_000)


def found(runs: Runs, settings: GateSettings = FEW, groups: np.ndarray | None = None, tested: int = 0) -> GateFinding:
    return gate(runs.reference, runs.means, runs.later, tested or len(runs.later), groups, settings)


def test_alpha_is_spent_over_planned_runs_windows_and_measures() -> None:
    assert GateSettings(alpha=0.06, planned=30, measures=5).level(1) == pytest.approx(0.00008)
    assert GateSettings(tests="queries").level(60) == pytest.approx(0.04 / 60)
    said = found(drawn(0, 6), GateSettings(planned=24))
    assert (said.level, said.spent) == pytest.approx((0.04 / 96, 0.01))


def test_levels_beyond_the_planned_runs_sum_to_less_than_alpha() -> None:
    settings, shares = GateSettings(planned=10, tests="queries"), 0.0
    for observation in range(1, 2_000):
        shares += settings.level(observation)
        assert settings.spent(observation) == pytest.approx(shares)
    assert 0.0499 < shares < 0.05


def test_patterns_are_enough_for_the_level() -> None:
    assert GateSettings().patterns(1) == 60_000
    assert GateSettings(resamples=90_000).patterns(1) == 90_000
    assert GateSettings(planned=1_000, measures=10).patterns(1) == 1_000_000


def test_a_level_that_no_test_can_reach_is_too_little_data_and_not_green() -> None:
    runs = drawn(12, 1, 200)
    runs.later[-1] -= 0.3
    said = found(runs, GateSettings(planned=1), tested=100_000)
    assert (said.verdict, said.windows) == ("too little data", ())
    assert "no test can reach its level" in said.why


def test_a_state_of_a_retriever_without_noise_is_tested_once_by_flips_alone() -> None:
    """Two commits that reorder ties are no noise of runs that could hide what the third loses."""
    runs = identical(4, 6, 200)
    rng = np.random.default_rng(4)
    for first in (0, 2):
        runs.later[first : first + 2] += 0.3 * rng.choice([-1.0, 1.0], 200)
    runs.later[4:] -= np.where(np.arange(200) < 40, 0.2, 0.0)
    said = found(runs, replace(FEW, tests="queries"))
    assert [one.runs for one in said.windows] == [1]
    assert (said.verdict, said.level) == ("worse", pytest.approx(0.004))
    assert said.windows[0].p_runs == 0.0


def test_a_level_that_no_test_reaches_is_refused_with_what_to_do() -> None:
    with pytest.raises(InputError, match=r"leaves 1e-09 for each test.*: plan fewer runs, or test"):
        GateSettings(planned=10_000, measures=1_000)


@pytest.mark.parametrize("wrong", [{"alpha": 0.0}, {"planned": 0}, {"measures": 0}, {"margin": 0.0}, {"resamples": 5}])
def test_settings_that_cannot_be_are_refused(wrong: dict[str, float]) -> None:
    with pytest.raises(InputError):
        GateSettings(**wrong)


@pytest.mark.parametrize(("moved", "verdict"), [(-0.2, "worse"), (0.2, "better"), (0.0, "no measurable change")])
def test_a_large_loss_is_worse_and_a_large_gain_better(moved: float, verdict: str) -> None:
    runs = drawn(6, 1)
    said = found(Runs(runs.reference_runs, runs.later + moved))
    assert said.verdict == verdict
    assert (said.decided is not None) == (moved != 0.0)
    if said.decided:
        assert f"The run is {verdict} than the reference by {abs(said.decided.difference):.4g}" in said.why


def test_a_small_loss_shows_in_the_mean_of_several_runs() -> None:
    runs = drawn(2, 8)
    runs.later[:] -= 0.07
    said = found(runs)
    assert said.verdict == "worse"
    assert said.decided is not None
    assert said.decided.runs > 1
    assert "The last " in said.why


@given(st.integers(0, 2**32), st.floats(-0.15, 0.15))
def test_of_the_opposite_values_the_opposite_is_said(seed: int, moved: float) -> None:
    runs = drawn(seed, 2)
    runs.later[:] += moved
    opposite = {"worse": "better", "better": "worse"}
    said = found(runs).verdict
    assert found(Runs(-runs.reference_runs, -runs.later)).verdict == opposite.get(said, said)


def test_noise_that_all_queries_of_a_run_share_is_no_change() -> None:
    """Flips of queries alone take the run for a loss: their p-value is the smallest that can be."""
    runs = drawn(3, 1, 200, noise=0.01, shared=0.05)
    runs.later[:] = runs.reference - 0.05 + 0.001 * np.random.default_rng(0).normal(size=200)
    said = found(runs)
    assert said.windows[0].p_queries < said.level
    assert said.windows[0].p_runs > said.level
    assert said.verdict == "no measurable change"


def test_a_commit_that_reorders_ties_is_no_change() -> None:
    """Run means alone take it for one: runs are identical before, and after."""
    runs = identical(4, 8, 200)
    runs.later[:] += 0.1 * np.random.default_rng(4).choice([-1.0, 1.0], 200)
    said = found(runs)
    assert {one.p_runs for one in said.windows} == {0.0}
    assert said.verdict == "no measurable change"


def test_identical_runs_are_not_worse_by_any_margin() -> None:
    said = found(identical(5), replace(FEW, margin=1e-9))
    assert said.verdict == "not worse"
    assert all((one.p_queries, one.p_runs, one.low, one.high) == (1.0, 1.0, 0.0, 0.0) for one in said.windows)
    assert said.changed == 0
    assert "No query of 40 has another value than in the reference." in said.why


def test_one_query_that_changed_is_no_alarm_and_is_said() -> None:
    runs = identical(6, 3)
    runs.later[2, 7] = -1e6
    said = found(runs)
    assert (said.verdict, said.changed, said.compared) == ("no measurable change", 1, 40)
    assert (
        "1 query of 40 changed, 1 for the worse and 0 for the better: fewer than 11 queries show no change" in said.why
    )


def test_among_identical_runs_flips_decide_alone() -> None:
    """As many queries as are needed, all for the worse, are a loss at once; one fewer is none."""
    needed = units_needed(FEW.level(1))
    for changed, verdict in ((needed - 1, "no measurable change"), (needed, "worse")):
        runs = identical(7, 1)
        runs.later[0, :changed] -= 0.2
        assert found(runs).verdict == verdict


def test_ten_identical_runs_and_then_another_one() -> None:
    runs = identical(8, 1, 100)
    runs.later[0] = np.random.default_rng(8).permutation(runs.later[0])
    assert found(runs).verdict == "no measurable change"


def test_before_ten_runs_there_is_too_little_data() -> None:
    runs = drawn(9)
    said = gate(runs.reference, runs.means[:9], runs.later, 8, None, FEW)
    assert (said.verdict, said.windows) == ("too little data", ())
    assert "The reference has 9 runs, and needs 10." in said.why
    none = gate(runs.reference, runs.means, runs.later[:0], 0, None, FEW)
    assert none.verdict == "too little data"


@pytest.mark.parametrize("queries", [0, 1, 5, 10])
def test_too_few_queries_can_show_nothing_and_it_is_said_how_many_could(queries: int) -> None:
    said = (
        found(drawn(10, 3, 40) if not queries else drawn(10, 3, queries), groups=None)
        if queries
        else gate(np.zeros(0), np.zeros(10), np.zeros((3, 0)), 3, None, FEW)
    )
    assert said.verdict == "too little data"
    if queries:
        assert "11 are needed, all of which change in one direction" in said.why


def test_groups_count_and_not_their_queries() -> None:
    runs = drawn(11, 2, 40)
    said = found(runs, groups=np.arange(40) // 8)
    assert said.verdict == "too little data"
    assert "5 groups can show no change" in said.why


def test_so_many_as_are_needed_show_a_change_and_one_fewer_does_not() -> None:
    for level in (0.05, 0.00125, 0.05 / 240, 1e-6):
        needed = units_needed(level)
        assert 2.0 ** (1 - needed) <= level < 2.0 ** (2 - needed)


def test_after_the_planned_runs_tests_go_on_and_it_is_said_what_to_do() -> None:
    runs = drawn(12, 8)
    runs.later[-1] -= 0.3
    said = found(runs, tested=25)
    assert (said.verdict, said.spent) == ("worse", pytest.approx(0.05 * (0.8 + 0.2 * 0.6)))
    assert "Alpha was planned for 10 runs and this is run 25: levels shrink" in said.why
    assert "Accept a new reference, or plan more runs." in said.why


def test_a_query_without_a_value_counts_in_the_runs_that_have_one() -> None:
    runs = drawn(9, 4)
    runs.later[:, 5] = np.nan
    left = [q for q in range(40) if q != 5]
    assert found(runs).compared == 39
    assert [one.difference for one in found(runs).windows] == pytest.approx(
        [(runs.later[-k:, left].mean(axis=0) - runs.reference[left]).mean() for k in (1, 2, 4)]
    )


def test_failed_queries_of_identical_runs_are_no_noise() -> None:
    runs = identical(14, 6)
    runs.later[np.random.default_rng(0).random(runs.later.shape) < 0.2] = np.nan
    assert all(one.difference == 0.0 and one.p_runs == 1.0 for one in found(runs).windows)


def test_infinite_values_and_runs_without_any_are_left_out_and_said() -> None:
    runs = drawn(15, 3)
    runs.later[0], runs.later[2, 3] = np.nan, -np.inf
    said = found(runs).why
    assert "1 infinite value counted as missing." in said
    assert "1 run without any value of a query left out." in said


def test_huge_values_are_tested_as_others_are() -> None:
    runs = drawn(16, 4)
    runs.later[:] -= 0.2
    one, huge = found(runs), found(Runs(runs.reference_runs * 2.0**1019, runs.later * 2.0**1019))
    assert huge.verdict == one.verdict == "worse"
    assert huge.decided is not None
    assert np.isfinite([huge.decided.low, huge.decided.high]).all()


def test_not_worse_needs_the_longest_window_shown_and_no_shorter_one_below() -> None:
    runs = drawn(17, 8, 200, noise=0.05)
    settings = replace(FEW, margin=0.02)
    said = found(runs, settings)
    assert said.verdict == "not worse"
    assert said.decided is not None
    assert said.decided.runs == 8
    assert said.decided.low > -0.02
    assert found(runs, replace(FEW, margin=1e-4)).verdict == "no measurable change"
    runs.later[-1] -= 0.021 + (runs.later[-1] - runs.reference).mean()
    assert found(runs, settings).verdict != "not worse"


def test_one_bad_run_is_an_alarm_that_its_neighbours_do_not_carry_on() -> None:
    runs = drawn(18, 8, 100)
    runs.later[3] -= 0.5
    verdicts = [found(Runs(runs.reference_runs, runs.later[:upto])).verdict for upto in range(1, 9)]
    assert verdicts == ["no measurable change"] * 3 + ["worse"] + ["no measurable change"] * 4


@pytest.mark.slow  # a simulated rate
@pytest.mark.parametrize(("noise", "shared"), first_of((0.1, 0.03), (0.1, 0.0), (0.02, 0.1)))
def test_quiet_series_seldom_alarm(noise: float, shared: float) -> None:
    alarmed = 0
    for seed in range(40):
        runs = drawn(1_000 + seed, 10, 30, noise, shared)
        every = [found(Runs(runs.reference_runs, runs.later[:upto])).verdict for upto in range(1, 11)]
        alarmed += any(one in ("worse", "better") for one in every)
    assert alarmed <= 5  # 2 of 40 are expected at most


def test_a_loss_of_six_errors_is_nearly_always_found_within_two_runs() -> None:
    error, missed = 0.1 * np.sqrt(2.0 / 50), 0
    for seed in range(20):
        runs = drawn(2_000 + seed, 2, 50)
        runs.later[:] -= 6.0 * error
        missed += found(runs).verdict != "worse"
    assert missed <= 2  # whose ten runs seem to resemble one another


def test_runs_that_resemble_the_one_before_are_too_few_and_it_is_said_how_many_are_needed() -> None:
    runs = drawn(6, 4, 200)
    cycle = np.sin(np.arange(14) / 2.0)[:, None]
    said = found(Runs(runs.reference_runs + cycle[:10], runs.later + cycle[10:]))
    assert (said.verdict, said.windows) == ("too little data", ())
    assert "Consecutive runs are alike (autocorrelation 0.8" in said.why
    assert "count as 1.8 independent ones" in said.why
    assert "That takes about 44 runs, and the reference grows to 30 at most: leave more time between runs." in said.why


def test_a_number_of_a_whole_run_is_tested_by_runs_alone() -> None:
    rng = np.random.default_rng(3)
    before, later = rng.normal(size=10), rng.normal(size=(6, 1))
    settings = replace(FEW, tests="runs")
    assert gate(np.array([before.mean()]), before, later, 6, None, settings).verdict == "no measurable change"
    later[-4:] -= 6.0
    said = gate(np.array([before.mean()]), before, later, 6, None, settings)
    assert said.verdict == "worse"
    assert said.decided is not None
    assert said.decided.low <= said.decided.difference <= said.decided.high < 0.0
    assert "by queries" not in said.why


def test_where_runs_never_differ_a_number_of_a_whole_run_is_too_little_data() -> None:
    said = gate(np.array([0.5]), np.full(10, 0.5), np.array([[0.4]]), 1, None, replace(FEW, tests="runs"))
    assert said.verdict == "too little data"
    assert "All 10 runs of the reference have the same value" in said.why


def test_counts_that_never_differed_are_known_to_differ_by_chance() -> None:
    """Twice the root of a count has a variance of 1; ten runs without a failure tell of no larger one."""
    settings, none = replace(FEW, tests="runs", least_spread=1.0), np.full(10, 2.0 * np.sqrt(0.375))
    verdicts = {}
    for failures in (1, 4, 30):
        later = np.array([[2.0 * np.sqrt(failures + 0.375)]])
        verdicts[failures] = gate(-none[:1], -none, -later, 1, None, settings).verdict
    assert verdicts == {1: "no measurable change", 4: "no measurable change", 30: "worse"}


# The means of the last runs against a reference, beside plain Python and scipy

seeds = st.integers(0, 2**32)


LEVEL = 0.05


def by_runs(
    difference: float, parts: list[list[float]], runs: tuple[int, int], coefficient: float
) -> tuple[float, float]:
    """Return t and the degrees of freedom, from what squares about a mean are expected to be under that matrix."""
    squares = sum((x - statistics.fmean(part)) ** 2 for part in parts for x in part)
    expected = sum(
        np.trace(one) - one.sum() / len(one) for one in (covariance(len(part), coefficient) for part in parts)
    )
    variance = sum(covariance(one, coefficient).sum() / one**2 for one in runs)
    freedom = sum(len(part) - 1 for part in parts) * (1.0 - coefficient**2) / (1.0 + coefficient**2)
    return difference / math.sqrt(squares / expected * variance), freedom


def shown(
    runs: Runs, groups: np.ndarray | None = None, level: float = LEVEL, resamples: int = 4_096
) -> list[WindowTest]:
    found = changes(runs.reference, runs.means, runs.later)
    return window_tests(found, groups, WINDOWS, level, resamples, 0)


def by_all_flips(runs: Runs, window: int, groups: np.ndarray) -> tuple[float, float]:
    """Return the mean difference of a window and its p-value, by going through all signs of the groups' sums."""
    per_query = []
    for q in range(runs.later.shape[1]):
        values = [value for value in runs.later[-window:, q].tolist() if not math.isnan(value)]
        if values and not math.isnan(runs.reference[q]):
            per_query.append((groups[q], statistics.fmean(values) - runs.reference[q]))
    sums = [math.fsum(d for g, d in per_query if g == one) for one in sorted({g for g, _ in per_query})]
    total = abs(math.fsum(sums))
    reached = [
        abs(math.fsum(s * d for s, d in zip(signs, sums, strict=True))) >= total - 1e-12
        for signs in itertools.product([-1, 1], repeat=len(sums))
    ]
    return math.fsum(d for _, d in per_query) / len(per_query), sum(reached) / len(reached)


@given(seeds, st.integers(2, 8), st.integers(1, 9), st.booleans())
def test_flips_are_those_of_all_signs(seed: int, queries: int, later: int, missing: bool) -> None:
    runs = drawn(seed, later, queries)
    if missing:
        runs.later[np.random.default_rng(seed).random(runs.later.shape) < 0.2] = np.nan
        runs.later[:, 0] = 0.5
    for one in shown(runs):
        difference, p = by_all_flips(runs, one.runs, np.arange(queries))
        assert one.difference == pytest.approx(difference, abs=1e-12)
        assert one.p_queries == pytest.approx(p)


@given(seeds, st.integers(2, 7))
def test_groups_of_unequal_size_are_flipped_as_one(seed: int, number: int) -> None:
    runs = drawn(seed, 2, 30)
    groups = np.random.default_rng(seed).integers(0, number, 30) ** 2 * 10
    for one in shown(runs, groups):
        difference, p = by_all_flips(runs, one.runs, groups)
        assert one.difference == pytest.approx(difference, abs=1e-12)
        assert one.p_queries == pytest.approx(p)


@given(seeds, st.sampled_from([2, 4, 8]))
def test_with_no_run_between_the_t_test_is_that_of_two_samples(seed: int, window: int) -> None:
    runs = drawn(seed, window)
    assume(autocorrelation(runs.means, runs.later.mean(axis=1)) == 0.0)
    one = shown(runs)[-1]
    theirs = stats.ttest_ind(runs.later.mean(axis=1), runs.means)
    assert one.p_runs == pytest.approx(theirs.pvalue, rel=1e-9)
    level = LEVEL * OF_RUNS[window]
    interval = theirs.confidence_interval(1.0 - level)
    p, low, high = t_test_of_runs(one.difference, [runs.means, runs.later.mean(axis=1)], (window, 10), level)
    assert (p, low, high) == pytest.approx((theirs.pvalue, interval.low, interval.high), rel=1e-9)


@given(seeds, st.integers(1, 14))
def test_of_one_run_the_t_test_is_that_of_a_prediction_with_the_runs_between(seed: int, later: int) -> None:
    runs = drawn(seed, later)
    means = runs.later.mean(axis=1)
    parts = [runs.means.tolist(), *(means[:-1][k : k + 4].tolist() for k in range(0, later - 1, 4))]
    coefficient = autocorrelation(runs.means, means[:-1], correction=16.0)
    t, freedom = by_runs(float(means[-1] - runs.means.mean()), parts, (1, 10), coefficient)
    assert shown(runs)[0].p_runs == pytest.approx(2.0 * stats.t.sf(abs(t), freedom), rel=1e-7)


@given(seeds)
def test_the_interval_lacks_0_exactly_where_both_tests_reject(seed: int) -> None:
    runs = drawn(seed, 8)
    runs.later[4:] -= np.random.default_rng(seed).uniform(0, 0.15)
    for one in shown(runs):
        assert one.low <= one.difference <= one.high
        both = one.p_queries <= LEVEL and one.p_runs <= LEVEL * (0.3 if one.runs == 8 else 0.5)
        assert one.rejects == both == (one.low > 0.0 or one.high < 0.0)


@given(seeds)
def test_the_order_of_queries_changes_nothing(seed: int) -> None:
    runs, order = drawn(seed, 4, 9), np.random.default_rng(seed).permutation(9)
    other = Runs(runs.reference_runs[:, order], runs.later[:, order])
    for one, turned in zip(shown(runs), shown(other), strict=True):
        assert (turned.p_queries, turned.rejects) == (one.p_queries, one.rejects)
        assert (turned.difference, turned.low, turned.high, turned.p_runs) == pytest.approx(
            (one.difference, one.low, one.high, one.p_runs), rel=1e-6, abs=1e-12
        )


@given(seeds, st.sampled_from([-1.0, 2.0, 2.0**-9, -(2.0**600), 2.0**-600]))
def test_scale_and_sign_carry_over(seed: int, scale: float) -> None:
    runs = drawn(seed, 4)
    for one, other in zip(shown(runs), shown(Runs(runs.reference_runs * scale, runs.later * scale)), strict=True):
        assert other.p_runs == pytest.approx(one.p_runs, rel=1e-9)
        assert other.p_queries == one.p_queries
        ends = sorted((one.low * scale, one.high * scale))
        assert (other.difference, other.low, other.high) == pytest.approx((one.difference * scale, *ends), rel=1e-9)


def test_what_the_rounding_of_a_mean_adds_is_no_difference() -> None:
    value = np.array([0.1, 0.3, 0.7])
    found = changes(np.tile(value, (10, 1)).sum(axis=0) * 0.1, np.full(10, value.mean()) * (1 + 2e-16), value[None])
    assert not found.runs.any()
    assert not found.means.any()
    assert not found.before.any()


def test_values_that_are_not_finite_are_missing_and_a_run_of_such_is_left_out() -> None:
    later = np.array([[1.0, np.nan, np.inf, 2.0], [np.nan, -np.inf, np.nan, np.nan], [2.0, 2.0, 2.0, 2.0]])
    found = changes(np.array([1.0, 1.0, 1.0, np.nan]), np.ones(10), later)
    assert found.runs[0].tolist() == pytest.approx([0.0, np.nan, np.nan, np.nan], nan_ok=True)
    assert found.runs[1].tolist() == pytest.approx([1.0, 1.0, 1.0, np.nan], nan_ok=True)
    assert found.means.tolist() == [0.0, 1.0]


def test_windows_that_are_longer_than_there_are_runs_are_left_out() -> None:
    assert [one.runs for one in shown(drawn(0, 5))] == [1, 2, 4]


def test_blocks_are_of_four_runs() -> None:
    assert [block.tolist() for block in blocks(np.arange(6.0))] == [[0, 1, 2, 3], [4, 5]]
    assert blocks(np.zeros(0)) == []


# Which runs join the ten that a reference begins with


def told(known: np.ndarray, last: np.ndarray) -> bool:
    """Say whether the last runs differ from the reference at 5 %."""
    if autocorrelation(known) == 0.0:
        return bool(stats.ttest_ind(last, known).pvalue <= 0.05)
    parts, difference = [known, last], float(last.mean() - known.mean())
    return t_test_of_runs(difference, parts, (8, len(known)), 0.05, autocorrelation(known))[0] <= 0.05


def naive(reference: np.ndarray, later: np.ndarray) -> int:
    """Return how many have joined, by asking after each run."""
    found = 0
    for run in range(9, len(later) + 1):
        known = np.concatenate([reference, later[:found]])
        if found < 20 and not told(known, later[run - 8 : run]):
            found = min(run - 8, 20)
    return found


@given(seeds, st.integers(0, 40), st.floats(-2.0, 2.0))
def test_it_is_what_asking_after_each_run_gives(seed: int, later: int, moved: float) -> None:
    rng = np.random.default_rng(seed)
    runs = rng.normal(size=10 + later) + np.where(np.arange(10 + later) > 20, moved, 0.0)
    assert joined(runs[:10], runs[10:]) == naive(runs[:10], runs[10:])


@given(seeds, st.integers(9, 60))
def test_no_run_that_has_joined_leaves_when_more_follow(seed: int, later: int) -> None:
    runs = np.random.default_rng(seed).normal(size=10 + later)
    assert joined(runs[:10], runs[10:-1]) <= joined(runs[:10], runs[10:]) <= min(later - 8, 20)


def test_equal_runs_join_as_soon_as_eight_have_followed() -> None:
    level = np.zeros(10)
    assert [joined(level, np.zeros(more)) for more in (0, 8, 9, 20, 28, 60)] == [0, 0, 1, 12, 20, 20]


@pytest.mark.slow  # many series
def test_a_loss_that_is_there_to_stay_does_not_become_part_of_the_reference() -> None:
    rng = np.random.default_rng(2)
    grown = []
    for _ in range(100):
        runs = rng.normal(size=60)
        runs[10:] -= 2.0 * np.sqrt(2.0)
        grown.append(joined(runs[:10], runs[10:]))
    assert np.mean(np.array(grown) > 0) <= 0.08


@pytest.mark.slow  # 400 series
def test_runs_of_a_plain_series_join_mostly() -> None:
    plain = np.random.default_rng(3).normal(size=(200, 70))
    assert np.mean([joined(runs[:10], runs[10:]) for runs in plain]) > 17.0
    resembling = alike(70, 0.5, np.random.default_rng(4), 200)
    assert np.mean([joined(runs[:10], runs[10:]) for runs in resembling]) > 14.0


# When an alert ends

SETTINGS = GateSettings(planned=10)


def ends(runs: Runs, alarmed: int, groups: np.ndarray | None = None) -> bool:
    return recovered(runs.reference, runs.means, runs.later[:alarmed], runs.later[alarmed:], groups, SETTINGS)


def bad(runs: Runs, until: int, loss: float = 0.2) -> Runs:
    runs.later[:until] -= loss
    return runs


def test_with_identical_runs_the_first_one_after_the_fix_ends_it() -> None:
    runs = bad(identical(0), 5)
    first = [upto for upto in range(2, 9) if ends(Runs(runs.reference_runs, runs.later[:upto]), 1)]
    assert first == [6, 7, 8]


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_a_large_loss_or_gain_ends_with_its_fix(sign: float) -> None:
    runs = bad(drawn(1, 8), 6, 0.3)
    turned = Runs(sign * runs.reference_runs, sign * runs.later)
    assert not ends(Runs(turned.reference_runs, turned.later[:6]), 1)
    assert ends(turned, 1)


@pytest.mark.slow  # a simulated rate
def test_a_loss_that_stays_seldom_ends() -> None:
    ended = 0
    for seed in range(30):
        runs = bad(drawn(100 + seed, 9), 9, 0.07)  # three errors of a paired difference
        ended += any(ends(Runs(runs.reference_runs, runs.later[:upto]), 1) for upto in range(2, 10))
    assert ended <= 3


def test_a_small_loss_that_was_fixed_ends_within_eight_runs() -> None:
    ended = sum(ends(bad(drawn(200 + seed, 16), 8, 0.05), 4) for seed in range(20))
    assert ended >= 17


def test_a_second_loss_in_the_other_direction_ends_nothing() -> None:
    runs = bad(drawn(2, 6), 3, 0.3)
    runs.later[3:] += 0.3
    assert not ends(runs, 1)


@pytest.mark.parametrize(("change", "over"), [(-0.01, False), (0.03, True)])
def test_runs_that_moved_further_away_end_nothing_though_the_reference_may_have_such(change: float, over: bool) -> None:
    """Ten queries lose much, and ninety gain a little or less than that: no flips tell either from the reference.

    All ninety changed the same way since the alert, which is shown; down ends nothing, back up does.
    """
    alarmed = np.repeat([-0.5, 0.05], [10, 90])
    later = np.repeat([-0.5, 0.05 + change], [10, 90])
    settings = GateSettings(planned=10, tests="queries")
    assert recovered(np.zeros(100), np.zeros(10), alarmed[None], later[None], None, settings) == over


def test_without_a_later_run_it_does_not_end() -> None:
    runs = bad(drawn(3, 4), 4)
    assert not ends(runs, 4)
    runs.later[2:] = np.nan
    assert not ends(runs, 2)


def test_queries_that_the_alert_and_the_runs_since_do_not_share_show_nothing() -> None:
    runs = bad(drawn(4, 4), 2, 0.3)
    runs.later[:2, :20] = np.nan
    runs.later[2:, 20:] = np.nan
    assert not ends(runs, 2)


def test_groups_are_kept_together() -> None:
    runs = bad(drawn(5, 6), 4, 0.3)
    assert ends(runs, 1, np.arange(40) // 2)
    assert not ends(runs, 1, np.arange(40) // 20)  # two groups show nothing
