"""A whole comparison: each number is that of the test, interval and correction it is named by."""

import subprocess
import sys

import numpy as np
import polars as pl
import pytest
from cases import check_rows, first_of, tables
from hypothesis import given
from hypothesis import settings as examples
from hypothesis import strategies as st
from profiles import costly
from scipy import stats
from significance.drawn import like_measures, paired_of, six_gains_and_54_losses

from benchbench.errors import InputError
from benchbench.significance import corrections
from benchbench.significance.comparing import compare
from benchbench.significance.comparison_settings import TESTS, CompareSettings
from benchbench.significance.corrections import holm
from benchbench.significance.notes import family
from benchbench.significance.power import detectable_effect
from benchbench.tables import threads
from benchbench.tables.paired import Paired

FEW = CompareSettings(resamples=500)


@given(st.integers(0, 2**32), st.integers(14, 80), st.sampled_from([None, "A", "B"]))
def test_the_numbers_of_a_difference_are_those_of_scipy(seed: int, queries: int, baseline: str | None) -> None:
    values = like_measures(seed, 2, 3, queries)
    found = compare(paired_of(values), CompareSettings(resamples=200, baseline=baseline, tie=0.1))
    pairs = [("A", "B"), ("A", "C"), ("B", "C")] if baseline is None else [(baseline, other) for other in "ABC"]
    pairs = [pair for pair in pairs if pair[0] != pair[1]]
    assert [(one.measure, one.baseline, one.system) for one in found.differences] == [
        (measure, *pair) for measure in ("M0", "M1") for pair in pairs
    ]
    for one in found.differences:
        a, b = (values[["M0", "M1"].index(one.measure), "ABC".index(name)] for name in (one.baseline, one.system))
        assert one.mean == pytest.approx(np.mean(b - a), abs=1e-12)
        assert one.p["t"] == pytest.approx(stats.ttest_rel(b, a).pvalue, rel=1e-6)
        assert one.effect == pytest.approx(np.mean(b - a) / np.std(b - a, ddof=1), abs=1e-9)
        tenths = np.round(b - a, 12)
        assert (one.wins, one.losses) == ((tenths > 0.1).sum(), (tenths < -0.1).sum())
        assert one.wins + one.ties + one.losses == queries
        assert one.low <= one.mean <= one.high


@pytest.mark.parametrize(("correction", "theirs"), [("holm", "holm"), ("bh", "fdr_bh")])
@pytest.mark.parametrize("family", ["measure", "together"])
@pytest.mark.parametrize("baseline", first_of(None, "B"))
def test_each_family_is_corrected_by_itself(correction, theirs, family, baseline) -> None:
    from statsmodels.stats.multitest import multipletests

    found = compare(
        paired_of(like_measures(6, 3, 4, 50) * np.array([0.8, 1.0, 0.9, 0.95])[:, None]),
        CompareSettings(resamples=500, correction=correction, family=family, baseline=baseline, test="t"),
    )
    size = len(found.differences) // (3 if family == "measure" else 1)
    for test in TESTS:
        for first in range(0, len(found.differences), size):
            group = found.differences[first : first + size]
            twin = multipletests([one.p[test] for one in group], method=theirs)[1]
            assert [one.corrected[test] for one in group] == pytest.approx(twin, rel=1e-12)
    assert [one.significant for one in found.differences] == [one.corrected["t"] <= 0.05 for one in found.differences]
    assert 0 < sum(one.significant for one in found.differences) < len(found.differences)


def test_without_a_correction_p_values_stay() -> None:
    found = compare(paired_of(like_measures(6)), CompareSettings(resamples=500, correction="none"))
    assert all(one.p == one.corrected for one in found.differences)


def test_a_difference_against_a_baseline_is_the_same_as_among_all_pairs() -> None:
    """Neither the family nor the order of the names changes what a pair's values say, but the sign."""
    paired = paired_of(like_measures(7, 2, 4, 40))
    among_all = {(one.measure, one.baseline, one.system): one for one in compare(paired, FEW).differences}
    for one in compare(paired, CompareSettings(resamples=500, baseline="C")).differences:
        straight = among_all.get((one.measure, one.baseline, one.system))
        turned = among_all.get((one.measure, one.system, one.baseline))
        other = straight or turned
        assert other is not None
        assert one.p == other.p
        assert one.detectable == other.detectable
        assert one.mean == (other.mean if straight else -other.mean)
        assert one.direction == (other.direction if straight else -other.direction)
        low, high = (other.low, other.high) if straight else (-other.high, -other.low)
        assert (one.low, one.high) == pytest.approx((low, high), abs=1e-12)
        assert (one.wins, one.losses) == ((other.wins, other.losses) if straight else (other.losses, other.wins))


def test_rank_intervals_go_by_all_pairs_and_holm_whatever_the_family_of_the_table() -> None:
    paired = paired_of(like_measures(7, 2, 4, 40))
    found = compare(paired, FEW)
    for other in (
        CompareSettings(resamples=500, baseline="C"),
        CompareSettings(resamples=500, correction="bh", family="together"),
    ):
        assert compare(paired, other).estimates == found.estimates
    for one in found.estimates:
        mine = [difference for difference in found.differences if difference.measure == one.measure]
        won = [d.mean > 0 for d in mine if d.significant and d.system == one.system]
        won += [d.mean < 0 for d in mine if d.significant and d.baseline == one.system]
        assert (one.rank_low, one.rank_high) == (1 + won.count(False), 4 - won.count(True))
        assert one.rank_low <= one.rank <= one.rank_high


def test_the_detectable_difference_is_that_of_the_t_test() -> None:
    from statsmodels.stats.power import TTestPower

    values = like_measures(9, 1, 2, 60)
    one = compare(paired_of(values), CompareSettings(resamples=100, power=0.9, alpha=0.01)).differences[0]
    effect = float(np.squeeze(TTestPower().solve_power(nobs=60, alpha=0.01, power=0.9)))
    assert one.detectable == pytest.approx(effect * np.std(values[0, 1] - values[0, 0], ddof=1), rel=1e-4)


def test_the_same_seed_gives_the_same_bits_for_any_number_of_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    columns = pl.DataFrame({"kind": ["a", "b"] * 20})
    found = []
    for number in (1, 2, 4):
        monkeypatch.setattr(threads, "THREADS", number)
        one = compare(paired_of(like_measures(5, 2, 3, 40), columns), CompareSettings(resamples=3000, slices=("kind",)))
        found.append((one.estimates, one.differences, one.slices))
    assert found[0] == found[1] == found[2]


def test_another_seed_moves_what_is_drawn_and_nothing_else() -> None:
    paired = paired_of(like_measures(5, 1, 2, 40))
    one, other = (compare(paired, CompareSettings(resamples=500, seed=seed)).differences[0] for seed in (1, 2))
    assert (one.low, one.p["randomization"]) != (other.low, other.p["randomization"])
    assert (one.mean, one.p["t"], one.p["wilcoxon"]) == (other.mean, other.p["t"], other.p["wilcoxon"])


def test_equal_systems_differ_in_nothing() -> None:
    one = compare(paired_of(np.repeat(like_measures(1, 1, 1, 30), 2, axis=1)), FEW).differences[0]
    assert (one.mean, one.low, one.high, one.effect) == (0.0, 0.0, 0.0, 0.0)
    assert one.detectable is None
    assert set(one.p.values()) == {1.0}
    assert (one.wins, one.ties, one.losses, one.significant) == (0, 30, 0, False)


def test_a_difference_that_is_the_same_everywhere_has_no_effect_size() -> None:
    first = like_measures(1, 1, 1, 30)[0, 0] / 2
    found = compare(paired_of(np.array([[first, first + 0.1]])), FEW)
    (one,) = found.differences
    assert (one.mean, one.low, one.high) == pytest.approx((0.1, 0.1, 0.1), rel=1e-12)
    assert one.effect is None
    assert one.detectable is None
    assert (one.p["t"], one.wins) == (0.0, 30)
    assert "B and A differ by the same on every query in M0: the t-test has no spread" in found.notes[-1]


def test_a_tie_is_what_differs_by_no_more_whatever_rounds() -> None:
    values = np.array([[[0.2, 0.5, 0.1, 0.4], [0.1 + 0.2, 0.6, 0.3, 0.3]]])
    one = compare(paired_of(values), CompareSettings(resamples=100, tie=0.1)).differences[0]
    assert (one.wins, one.ties, one.losses) == (1, 3, 0)


def test_an_unknown_baseline_is_refused_with_the_systems_there_are() -> None:
    with pytest.raises(InputError, match="the baseline bm52 is not among the systems compared: A, B, C"):
        compare(paired_of(like_measures(1)), CompareSettings(baseline="bm52"))


def test_an_unknown_column_is_refused() -> None:
    with pytest.raises(InputError, match="there is no column kind"):
        compare(paired_of(like_measures(1)), CompareSettings(slices=("kind",)))


def test_two_queries_can_be_compared() -> None:
    one = compare(paired_of(np.array([[[0.1, 0.4], [0.3, 0.5]]])), FEW).differences[0]
    assert one.p["randomization"] == one.p["wilcoxon"] == 0.5
    assert (one.low, one.high, one.significant) == (None, None, False)


@pytest.mark.slow  # 1,000 comparisons
def test_of_equal_systems_one_in_twenty_differs_and_one_interval_in_twenty_misses() -> None:
    """1,000 pairs as measures are, each a measure of its own; benchmarks/calibration.py draws more, and other kinds."""
    found = compare(paired_of(like_measures(11, 1001, 2, 60)[1:]), CompareSettings(resamples=1000)).differences
    for test in TESTS:
        assert 0.03 <= np.mean([one.p[test] <= 0.05 for one in found]) <= 0.07
    assert 0.93 <= np.mean([one.low <= 0.0 <= one.high for one in found]) <= 0.97


@pytest.mark.slow  # a process
def test_comparing_imports_only_the_functions_of_scipy() -> None:
    """scipy.stats takes a second to import, which is most of a small comparison."""
    code = "import sys, benchbench.significance.comparing; print('scipy.stats' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


def test_the_direction_is_that_of_the_test_that_decides() -> None:
    paired = paired_of(six_gains_and_54_losses())
    by_ranks = compare(paired, CompareSettings(resamples=500, test="wilcoxon"))
    (one,) = by_ranks.differences
    assert one.significant
    assert one.mean > 0
    assert (one.direction, one.wins, one.losses) == (-1, 6, 54)
    assert [(e.rank, e.rank_low, e.rank_high) for e in by_ranks.estimates] == [(2, 1, 1), (1, 2, 2)]
    (turned,) = compare(paired, CompareSettings(resamples=500, test="wilcoxon", baseline="B")).differences
    assert turned.direction == 1
    assert compare(paired, FEW).differences[0].direction == 0


@given(st.integers(0, 2**32))
@examples(max_examples=costly(20))
def test_without_ranks_the_direction_is_that_of_the_mean(seed: int) -> None:
    for one in compare(paired_of(like_measures(seed)), CompareSettings(resamples=200, test="t")).differences:
        assert one.direction == (np.sign(one.mean) if one.significant else 0)


@pytest.mark.parametrize(
    ("test", "queries", "can"),
    [("randomization", 5, False), ("randomization", 6, True), ("wilcoxon", 5, False), ("wilcoxon", 6, True),
     ("t", 5, True)],
)  # fmt: skip
def test_nothing_is_detectable_where_no_p_value_reaches_alpha(test, queries: int, can: bool) -> None:
    one = compare(
        paired_of(like_measures(2, 2, 2, queries)[1:]), CompareSettings(resamples=100, test=test)
    ).differences[0]
    assert (one.detectable is None) is not can


@pytest.mark.parametrize("test", ["randomization", "wilcoxon"])
def test_a_least_p_value_of_just_alpha_can_be_significant(test) -> None:
    """Six queries that all gain have p = 2/64 and nothing less: what alpha is here decides whether that is enough."""
    paired = paired_of(np.array([[np.arange(6) / 20, np.arange(6) / 10 + 0.1]]))
    at, below = (
        compare(paired, CompareSettings(test=test, alpha=alpha)).differences[0] for alpha in (2 / 64, 2 / 64 - 1e-9)
    )
    assert (at.p[test], at.significant, below.significant) == (2 / 64, True, False)
    assert at.detectable is not None
    assert below.detectable is None


def test_means_of_zeros_and_ones_have_wilsons_interval_and_say_so() -> None:
    """Twelve hits of twelve are no certainty."""
    values = np.array([[np.ones(12), np.tile([0.0, 1.0], 6), np.tile([0.0, 0.5, 1.0], 4)]])
    found = compare(paired_of(values), FEW).estimates
    assert [one.interval for one in found] == ["Wilson", "Wilson", "Wilson's form with Student's t"]
    assert (found[0].low, found[0].high) == (pytest.approx(0.7575059933), 1.0)
    assert (found[1].low, found[1].high) == pytest.approx((0.2537816, 0.7462184))


def test_a_test_that_the_interval_does_not_agree_with_is_no_verdict_and_is_noted() -> None:
    """Most queries lose a little and few gain much: the mean is a loss by the test, and BCa leaves open a gain."""
    values = np.zeros((1, 2, 50))
    values[0, 1] = -0.04
    values[0, 1, :2] = 0.36
    (one,) = (found := compare(paired_of(values), CompareSettings())).differences
    assert one.p["randomization"] <= 0.05
    assert (one.significant, one.direction) == (False, 0)
    assert one.low < 0.0 < one.high
    assert found.estimates[0].rank_high == found.estimates[1].rank_high == 2
    assert "B - A in M0: the test finds a difference but the interval includes 0; a verdict needs both" in found.notes


def test_what_the_correction_leaves_open_the_interval_does() -> None:
    values = like_measures(6, 1, 8, 50) * np.linspace(0.7, 1.0, 8)[:, None]
    alone, corrected = (
        compare(paired_of(values), CompareSettings(resamples=2000, correction=correction)).differences
        for correction in ("none", "holm")
    )
    undecided = [
        (one, other) for one, other in zip(alone, corrected, strict=True) if one.significant != other.significant
    ]
    assert undecided
    for one, other in undecided:
        assert one.low > 0.0 or one.high < 0.0
        assert 0.0 in (other.low, other.high)
        assert (other.low, other.high) == (min(one.low, 0.0), max(one.high, 0.0))


def test_an_end_that_is_0_but_for_rounding_is_0() -> None:
    """Nine losses outweigh one gain exactly: means of samples are 0 in whole numbers, and 1e-17 in 64 bits."""
    values = np.zeros((1, 2, 50))
    values[0, 1] = -0.04
    values[0, 1, 0] = 0.36
    (one,) = compare(paired_of(values), CompareSettings()).differences
    assert (one.high, one.significant) == (0.0, False)


def test_groups_of_values_that_are_all_1_have_an_interval_and_no_single_point():
    values = np.zeros((1, 2, 40))
    values[0, 0] = 1.0
    columns = pl.DataFrame({"document": [f"d{n % 8}" for n in range(40)]})
    paired = Paired(("a", "b"), ("m",), [str(n) for n in range(40)], values, columns)
    sure, none = compare(paired, CompareSettings(cluster="document")).estimates
    assert 0.5 < sure.low < stats.binomtest(8, 8).proportion_ci(method="wilson").low
    assert (none.low, none.high, sure.high) == (0.0, pytest.approx(1.0 - sure.low), 1.0)


# maxT in a whole comparison: over each family, of queries and of groups, with intervals that hold together

MAXT = CompareSettings(resamples=500, correction="maxt")


def corrected(found) -> list[float]:
    return [one.corrected["randomization"] for one in found.differences]


@given(st.integers(0, 2**32), st.booleans(), st.sampled_from([None, "C"]))
def test_an_interval_leaves_out_0_only_where_the_difference_is_significant(seed, grouped, baseline) -> None:
    values = np.clip(like_measures(seed, 2, 4, 60) + np.array([0.0, 0.05, 0.1, 0.3])[:, None], 0, 1)
    columns = pl.DataFrame({"case": [f"c{query // 2}" for query in range(60)]})
    settings = CompareSettings(baseline, correction="maxt", resamples=500, cluster="case" if grouped else None)
    found = compare(paired_of(values, columns), settings).differences
    assert any(one.significant for one in found)
    for one in found:
        assert one.low <= one.mean <= one.high
        if one.significant:
            assert one.corrected["randomization"] <= 0.05
            assert one.low >= 0.0 or one.high <= 0.0
        else:
            assert one.low <= 0.0 <= one.high


def test_intervals_of_a_family_are_wider_than_those_of_one_difference() -> None:
    paired = paired_of(like_measures(3, 1, 5, 60))
    alone, together = compare(paired, CompareSettings(resamples=500)).differences, compare(paired, MAXT).differences
    inside = [one for one, other in zip(alone, together, strict=True) if not (one.significant or other.significant)]
    assert len(inside) > 3
    assert all(
        other.low <= one.low and one.high <= other.high
        for one, other in zip(alone, together, strict=True)
        if one in inside
    )
    assert sum(other.high - other.low for other in together) > 1.1 * sum(one.high - one.low for one in alone)


def test_a_family_of_all_measures_is_corrected_for_all_of_them() -> None:
    paired = paired_of(like_measures(4, 3, 4, 50))
    apart, together = (
        compare(paired, MAXT),
        compare(paired, CompareSettings(family="together", correction="maxt", resamples=500)),
    )
    least = [min(found) for found in (corrected(apart), corrected(together))]
    assert least[0] <= least[1]
    assert sum(corrected(apart)) < sum(corrected(together))
    assert "18 tests, corrected by step-down maxT" in together.family


def test_the_baseline_turns_signs_and_makes_the_family_smaller() -> None:
    paired = paired_of(like_measures(7, 1, 4, 40))
    of_all = {frozenset((one.baseline, one.system)): one for one in compare(paired, MAXT).differences}
    for one in compare(paired, CompareSettings("C", correction="maxt", resamples=500)).differences:
        other = of_all[frozenset((one.baseline, one.system))]
        assert one.p == other.p
        assert one.corrected["randomization"] <= other.corrected["randomization"]
        assert abs(one.mean) == abs(other.mean)


def test_groups_are_flipped_whole() -> None:
    """Ten copies of each query say no more than one."""
    few = like_measures(2, 1, 4, 30)
    many = np.repeat(few, 10, axis=2)
    columns = pl.DataFrame({"case": [f"c{query // 10}" for query in range(300)]})
    found = compare(paired_of(many, columns), CompareSettings(correction="maxt", resamples=500, cluster="case"))
    assert corrected(found) == pytest.approx(corrected(compare(paired_of(few), MAXT)), abs=1e-9)


def test_the_tests_that_do_not_decide_are_corrected_by_holm() -> None:
    found = compare(paired_of(like_measures(5, 1, 4, 40)), MAXT).differences
    for test in ("t", "wilcoxon"):
        assert [one.corrected[test] for one in found] == holm(np.array([one.p[test] for one in found])).tolist()


def test_the_tests_take_as_many_resamples_as_the_correction_needs() -> None:
    """Of 15 pairs p-values of 100 patterns are 15 / 101 or more after Holm."""
    values = like_measures(1, 1, 6, 40)
    values[0, 5] = np.clip(values[0, 5] + 0.4, 0, 1)
    found = compare(paired_of(values), CompareSettings(resamples=100))
    assert found.resamples == 300
    assert any(one.significant for one in found.differences)
    assert min(one.p["randomization"] for one in found.differences) == 1 / 301
    assert compare(paired_of(values), CompareSettings(resamples=400)).resamples == 400
    assert compare(paired_of(values), CompareSettings(resamples=100, test="t")).resamples == 100
    assert compare(paired_of(values[:, :, :6]), CompareSettings(resamples=100)).resamples == 100


def test_resamples_rise_no_further_than_the_work_that_they_make(monkeypatch) -> None:
    monkeypatch.setattr("benchbench.significance.comparing.MOST_WORK", 15 * 200)
    values = like_measures(1, 1, 6, 40)
    found = compare(paired_of(values), CompareSettings(resamples=100))
    assert found.resamples == 200
    assert found.notes[0].startswith("no p-value of the randomization test is below 0.005, times 15 tests 0.075: more")
    of_one = compare(paired_of(values), CompareSettings(resamples=100, baseline="A"))
    assert of_one.notes[0].startswith("no p-value of the randomization test is below 0.005, times 15 pairs 0.075: more")
    assert {(one.rank_low, one.rank_high) for one in of_one.estimates} == {(1, 6)}


# What a comparison cannot be made by is refused before anything is drawn

TABLES = tables(__file__, "settings")


def test_what_cannot_be_is_refused_in_a_sentence():
    def check(given, reason):
        with pytest.raises(InputError) as refused:
            CompareSettings(**given)
        assert str(refused.value).startswith(reason)

    check_rows(check, [*TABLES["refused"], ({"power": None}, "--power is a number from 1e-06 to 0.999, and not None")])


def test_the_furthest_that_can_be_asked_for_is_taken():
    furthest = CompareSettings(alpha=1e-6, power=0.999, seed=2**62, tie=0.0, slices=("tier",))
    assert 0.0 < detectable_effect(2, furthest.alpha, furthest.power) < float("inf")


def test_one_column_to_slice_by_may_stand_alone():
    assert CompareSettings(slices="tier").slices == ("tier",)  # type: ignore[arg-type]


# What a comparison says of itself


@pytest.mark.parametrize(
    ("systems", "measures", "settings", "words"),
    [
        (2, 1, CompareSettings(), "one pair of systems, one measure: one test, not corrected"),
        (
            4,
            3,
            CompareSettings(),
            "all 6 pairs of 4 systems, each of 3 measures by itself: 6 tests in each, corrected by Holm",
        ),
        (
            4,
            3,
            CompareSettings(family="together", correction="bh"),
            "all 6 pairs of 4 systems, 3 measures together: 18 tests, corrected by Benjamini and Hochberg",
        ),
        (
            4,
            3,
            CompareSettings(family="together", baseline="B", correction="none"),
            "3 systems against B, 3 measures together: 9 tests, not corrected",
        ),
        (
            2,
            2,
            CompareSettings(baseline="B"),
            "one system against B, each of 2 measures by itself: one test in each, not corrected",
        ),
    ],
)
def test_the_family_is_named_with_the_number_of_its_tests(systems, measures, settings, words) -> None:
    pairs = systems - 1 if settings.baseline else systems * (systems - 1) // 2
    assert family(paired_of(like_measures(1, measures, systems, 5)), settings, pairs) == words


def test_many_queries_need_no_note() -> None:
    assert compare(paired_of(like_measures(1, queries=100)), CompareSettings()).notes == ()


def test_an_exact_test_is_named() -> None:
    found = compare(paired_of(like_measures(1, queries=12)), CompareSettings()).notes
    assert "the randomization test is exact: it goes through all 2^12 = 4,096 sign patterns" in found
    few = (
        "with 12 queries a mean difference is found with a chance of 80% only if it is 0.89 standard deviations of the"
    )
    assert any(note.startswith(few) for note in found)


def test_a_test_that_can_find_nothing_says_so() -> None:
    found = compare(paired_of(like_measures(1, queries=4)), CompareSettings()).notes
    assert (
        "no p-value of a randomization test of 4 queries is below 0.12: none can be significant at 0.05, and no "
        "interval of a difference has an end"
    ) in found
    assert not [
        note
        for note in compare(paired_of(like_measures(1, queries=4)), CompareSettings(test="t")).notes
        if "below" in note
    ]


def test_too_few_queries_for_the_family_are_noted() -> None:
    paired = paired_of(like_measures(1, 2, 6, 7))
    assert any("more queries are needed" in note for note in compare(paired, CompareSettings(resamples=1000)).notes)
    for other in ("none", "maxt"):
        found = compare(paired, CompareSettings(resamples=1000, correction=other)).notes
        assert not any("are needed" in note for note in found)


def test_more_resamples_than_a_correction_may_take_are_noted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(corrections, "MOST_RESAMPLES", 200)
    found = compare(paired_of(like_measures(1, 2, 6, 30)), CompareSettings(resamples=100)).notes
    assert any("more resamples are needed" in note for note in found)


def test_equal_systems_are_named() -> None:
    values = like_measures(1, 2, 3, 40)
    values[:, 2] = values[:, 0]
    assert compare(paired_of(values), CompareSettings()).notes == ("A and C have equal values on every query",)
    values[0, 2, 0] = 1.0 - values[0, 0, 0]
    assert np.array_equal(values[1, 2], values[1, 0])
    assert not any("equal values" in note for note in compare(paired_of(values), CompareSettings()).notes)


def test_a_test_of_few_queries_that_differ_is_exact_and_named() -> None:
    values = like_measures(1, 1, 3, 40)
    values[:, 2, 8:] = values[:, 0, 8:]
    most = np.count_nonzero(values[0, 2] != values[0, 0])
    assert compare(paired_of(values), CompareSettings()).notes == (
        f"the randomization test of 1 of 3 differences is exact, since at most {most} queries differ",
    )


def test_an_interval_that_is_not_of_the_mean_says_so() -> None:
    found = compare(paired_of(like_measures(1, queries=100)), CompareSettings(test="wilcoxon"))
    assert found.notes == (
        "intervals are of the middle of the differences that are not 0, as the test is: the mean need not be in them",
    )
    assert {one.interval for one in found.differences} == {"Hodges and Lehmann"}


def test_groups_of_very_different_sizes_are_few_to_the_t_test() -> None:
    values = like_measures(1, 1, 2, 300)
    columns = pl.DataFrame({"document": [0] * 150 + [1] * 70 + [2 + query % 30 for query in range(80)]})
    assert "32 groups of document that weigh as 3.26 of one size" in "".join(
        compare(paired_of(values, columns), CompareSettings(test="t", cluster="document")).notes
    )
    assert len(compare(paired_of(values, columns), CompareSettings(cluster="document")).notes) == 1
    even = pl.DataFrame({"document": [query // 10 for query in range(300)]})
    assert len(compare(paired_of(values, even), CompareSettings(test="t", cluster="document")).notes) == 1


# Notes on queries that belong together though nobody said so

QUERIES = 300


def alike(groups: int, correlation: float = 0.5) -> np.ndarray:
    """Draw two systems whose differences are alike within groups of consecutive queries."""
    rng = np.random.default_rng(1)
    size = QUERIES // groups
    common = np.repeat(rng.normal(size=groups), size)
    differences = 0.15 + np.sqrt(correlation) * common + np.sqrt(1 - correlation) * rng.normal(size=QUERIES)
    return np.array([[np.zeros(QUERIES), differences]])


def named(groups: int) -> pl.DataFrame:
    return pl.DataFrame({"document": [f"d{query // (QUERIES // groups)}" for query in range(QUERIES)]})


def test_a_column_whose_groups_are_alike_is_noted_with_the_p_value_it_would_give() -> None:
    paired = paired_of(alike(30), named(30))
    (note,) = compare(paired, CompareSettings()).notes
    (asked,) = compare(paired, CompareSettings(cluster="document")).differences
    (alone,) = compare(paired, CompareSettings()).differences
    assert note == (
        f"queries with the same document are alike (30 groups; design effect {asked.design_effect:.2f} of B - A in "
        f"M0): --cluster document keeps them together, and the p-value before correction is "
        f"{asked.p['randomization']:.2g} instead of {alone.p['randomization']:.2g}"
    )
    assert asked.design_effect > 3
    assert "alike" not in "".join(compare(paired, CompareSettings(cluster="document")).notes)


@pytest.mark.parametrize(
    ("values", "columns"),
    [
        (alike(30, 0.0), named(30)),  # no design effect
        (alike(10), named(10)),  # too few groups to rely on
        (alike(30), named(QUERIES)),  # every query by itself
        (alike(30), pl.DataFrame({"length": np.repeat(np.arange(30), 10)})),  # numbers are measured, and name nothing
    ],
)
def test_nothing_is_said_of_columns_that_change_nothing_or_name_nothing(values, columns) -> None:
    assert compare(paired_of(values, columns), CompareSettings()).notes == ()


@pytest.mark.slow  # a simulated rate
def test_a_column_that_says_nothing_is_seldom_noted_however_many_differences_are_looked_at() -> None:
    rng = np.random.default_rng(3)
    noted = 0
    for _ in range(40):
        columns = pl.DataFrame({name: pl.Series(rng.integers(0, 25, 250)).cast(pl.String) for name in ("user", "case")})
        noted += bool(compare(paired_of(rng.random((3, 5, 250)), columns), CompareSettings(resamples=100)).notes)
    assert noted <= 6  # of 40, each with a chance of 0.05; a design effect above 1.5 alone is in nearly all of them


def test_a_note_names_a_test_that_takes_groups() -> None:
    (note,) = (
        one
        for one in compare(paired_of(alike(30), named(30)), CompareSettings(test="wilcoxon")).notes
        if "alike" in one
    )
    assert "--cluster document with --test randomization keeps them together" in note


def test_lists_of_labels_are_looked_at_too() -> None:
    columns = named(30).select(pl.concat_list("document").alias("accusation"))
    (note,) = compare(paired_of(alike(30), columns), CompareSettings()).notes
    assert note.startswith("queries with the same accusation are alike (30 groups")
