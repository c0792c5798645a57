"""Equivalence and non-inferiority: beside their definitions, and against samples that hide what few queries lose."""

import itertools

import numpy as np
import pytest
from cases import first_of
from hypothesis import given
from hypothesis import settings as examples
from hypothesis import strategies as st
from profiles import costly
from scipy import stats

from benchbench.significance.distributions import share_at_most
from benchbench.significance.margins import MarginUnits, largest_change, within
from benchbench.significance.mean_intervals import group_interval
from benchbench.significance.subset_means import kept, patterns

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
    low, high = np.ravel(group_interval(values[:, None], np.ones(len(values)), 0.1, 1000, seed))
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
