"""Step-down maxT beside its definition in whole numbers, and intervals that hold together."""

from fractions import Fraction
from itertools import combinations

import naive
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from significance.drawn import like_measures, paired_of

from benchbench.significance.comparing import compare
from benchbench.significance.max_t import FlippedMaxima, flips, flips_that_differ, simultaneous_intervals, step_down
from benchbench.significance.settings import Settings

seeds = st.integers(0, 2**32)
tenths = st.integers(2, 4).flatmap(
    lambda systems: st.lists(st.lists(st.integers(0, 5), min_size=systems, max_size=systems), min_size=2, max_size=6)
)


def flips_of(sums: np.ndarray, sizes: np.ndarray | None = None, resamples: int = 500, seed: int = 0) -> FlippedMaxima:
    """Flip the signs of columns (columns, units)."""
    return flips(sums, np.ones(sums.shape[1]) if sizes is None else sizes, resamples, seed)


def all_pairs(sums: np.ndarray) -> np.ndarray:
    return np.array(list(combinations(range(len(sums)), 2)))


def corrected(drawn: FlippedMaxima) -> np.ndarray:
    pairs = all_pairs(drawn.sums)
    return step_down(drawn, pairs, np.full(len(pairs), 1e-15))


def intervals(drawn: FlippedMaxima) -> tuple[np.ndarray, np.ndarray]:
    pairs = all_pairs(drawn.sums)
    return simultaneous_intervals(drawn, drawn, pairs, np.full(len(pairs), 1e-15), 0.05)


def t_values(drawn: FlippedMaxima) -> np.ndarray:
    """Return Student's t of each pair over all patterns (tests, patterns), the long way."""
    units = drawn.sums.shape[1]
    totals = 2 * drawn.kept_sums - drawn.sums.sum(axis=1, keepdims=True)
    found = []
    for a, b in all_pairs(drawn.sums):
        square, total = ((drawn.sums[b] - drawn.sums[a]) ** 2).sum(), totals[b] - totals[a]
        found.append(total / units / np.sqrt((square - total**2 / units) / (units - 1) / units))
    return np.array(found)


@given(tenths)
def test_few_units_are_corrected_as_the_definition_says(rows: list[list[int]]) -> None:
    sums = np.array(rows).T / 10
    exact = [[Fraction(row[b] - row[a]) for row in rows] for a, b in all_pairs(sums)]
    assert corrected(flips_of(sums)).tolist() == pytest.approx([float(p) for p in naive.max_t(exact)])


@given(seeds, st.integers(2, 5), st.integers(14, 60))
def test_the_statistic_is_students_t(seed: int, systems: int, queries: int) -> None:
    values = np.random.default_rng(seed).normal(size=(systems, queries))
    drawn, pairs = flips_of(values, resamples=300), all_pairs(values)
    differences = values[pairs[:, 1]] - values[pairs[:, 0]]
    own = np.abs(differences.mean(axis=1)) / (differences.std(axis=1, ddof=1) / np.sqrt(queries))
    order, t = np.argsort(-own), np.abs(t_values(drawn))
    steps = [(np.sum(t[order[place:]].max(axis=0) >= own[order[place]]) + 1) / 301 for place in range(len(pairs))]
    assert corrected(drawn)[order] == pytest.approx(np.maximum.accumulate(steps))


@given(seeds, st.integers(14, 80))
def test_a_family_of_one_is_not_corrected(seed: int, queries: int) -> None:
    values = like_measures(seed, 1, 2, queries)
    alone = compare(paired_of(values), Settings(resamples=500, seed=seed)).differences[0]
    together = compare(paired_of(values), Settings(resamples=500, seed=seed, correction="maxt")).differences[0]
    assert together.corrected["randomization"] == alone.p["randomization"]


@given(seeds, st.integers(3, 6), st.integers(7, 60))
def test_corrected_p_values_are_between_the_plain_and_the_single_step_ones_in_the_order_of_t(
    seed: int, systems: int, units: int
) -> None:
    values = like_measures(seed, 1, systems, units)[0]
    drawn, pairs = flips_of(values, seed=seed), all_pairs(values)
    p = corrected(drawn)
    alone = [step_down(drawn, pair[None], np.array([1e-15]))[0] for pair in pairs]
    roots = np.sqrt([((values[b] - values[a]) ** 2).sum() for a, b in pairs])
    sums = np.array([abs((values[b] - values[a]).sum()) for a, b in pairs])
    telling = np.divide(sums, roots, out=np.zeros(len(pairs)), where=roots > 0)
    flipped = 2 * drawn.kept_sums - values.sum(axis=1, keepdims=True)
    far = np.abs(flipped[pairs[:, 1]] - flipped[pairs[:, 0]])
    largest = np.divide(far, roots[:, None], out=np.zeros_like(far), where=roots[:, None] > 0).max(axis=0)
    more = 0 if drawn.exact else 1
    single = [(np.sum(largest >= one - 1e-9) + more) / (len(largest) + more) for one in telling]
    assert (p >= np.array(alone) - 1e-12).all()
    assert (p <= np.array(single) + 1e-12).all()
    assert (np.diff(p[np.argsort(-telling, kind="stable")]) >= 0).all()
    assert p[telling.argmax()] == pytest.approx(single[telling.argmax()])


def test_systems_that_are_alike_cost_less_than_holm() -> None:
    """Twelve copies of one system beside another are one question, not twelve."""
    rng = np.random.default_rng(1)
    first, second = rng.normal(0, 1, 40), rng.normal(0.5, 1, 40)
    sums = np.concatenate([first[None], np.repeat(second[None], 12, axis=0)])
    pairs = np.array([[0, other] for other in range(1, 13)])
    drawn = flips_of(sums, resamples=2000)
    found = step_down(drawn, pairs, np.full(12, 1e-15))
    assert found == pytest.approx(np.repeat(step_down(drawn, pairs[:1], np.array([1e-15])), 12))


def test_all_patterns_of_the_units_that_differ_are_gone_through_when_they_are_not_more() -> None:
    """The other units are nothing to flip: the p-values are those of six units, whatever the seed."""
    few = np.random.default_rng(2).normal(size=(3, 6))
    many = np.concatenate([few, np.full((3, 70), 0.25)], axis=1)
    whole, pairs, rounding = flips_of(many), np.array([[0, 1], [0, 2], [1, 2]]), np.full(3, 1e-15)
    found = flips_that_differ(whole, pairs, rounding, 500, 0)
    assert found.exact
    assert step_down(found, pairs, rounding).tolist() == corrected(flips_of(few)).tolist()
    everywhere = flips_of(np.random.default_rng(2).normal(size=(3, 70)))
    assert flips_that_differ(everywhere, pairs, rounding, 500, 0) is everywhere


def test_equal_systems_are_never_told_apart_and_have_the_interval_0() -> None:
    values = np.repeat(like_measures(1, 1, 1, 70)[0], 3, axis=0)
    drawn = flips_of(values)
    assert corrected(drawn).tolist() == [1.0, 1.0, 1.0]
    assert [end.tolist() for end in intervals(drawn)] == [[0.0] * 3] * 2


def test_where_too_few_units_differ_for_any_test_every_interval_holds_0() -> None:
    """Three of seventy queries differ, all up: no sign-flip test finds that, though Student's interval would."""
    values = np.zeros((3, 70))
    values[1, :3] = values[2, :3] = 0.5
    pairs, rounding, whole = np.array([[0, 1], [0, 2], [1, 2]]), np.full(3, 1e-15), flips_of(values)
    few = flips_that_differ(whole, pairs, rounding, 500, 0)
    low, high = simultaneous_intervals(few, whole, pairs, rounding, 0.05)
    assert step_down(few, pairs, rounding).tolist() == [0.25, 0.25, 1.0]
    assert low.tolist()[:2] == [0.0, 0.0] or (low[:2] < 0).all()
    assert (high[:2] > values[1].mean()).all()
    assert np.isfinite([low, high]).all()


@given(seeds, st.integers(2, 5), st.integers(14, 60), st.booleans())
def test_an_interval_without_0_always_has_a_corrected_p_value_of_at_most_alpha(
    seed: int, systems: int, units: int, grouped: bool
) -> None:
    rng = np.random.default_rng(seed)
    sizes = rng.integers(1, 6, units).astype(float) if grouped else np.ones(units)
    sums = rng.normal(np.linspace(0, 0.6, systems)[:, None] * sizes, sizes**0.5, (systems, units))
    drawn = flips_of(sums, sizes, seed=seed)
    low, high = intervals(drawn)
    means = sums.sum(axis=1) / sizes.sum()
    pairs = all_pairs(sums)
    mean = means[pairs[:, 1]] - means[pairs[:, 0]]
    assert ((low <= mean) & (mean <= high)).all()
    assert (corrected(drawn)[(low > 0) | (high < 0)] <= 0.05).all()


def test_units_of_one_size_have_students_intervals_with_a_bound_for_all() -> None:
    values = np.random.default_rng(5).normal(0, 1, (4, 30))
    drawn = flips_of(values, resamples=2000)
    low, high = intervals(drawn)
    pairs = all_pairs(values)
    differences = values[pairs[:, 1]] - values[pairs[:, 0]]
    errors = differences.std(axis=1, ddof=1) / np.sqrt(30)
    assert (low + high) / 2 == pytest.approx(differences.mean(axis=1))
    bounds = (high - low) / 2 / errors
    assert np.ptp(bounds) < 1e-9
    t = np.sort(np.abs(t_values(drawn)).max(axis=0))
    assert t[int(0.93 * 2000)] < bounds[0] < t[int(0.97 * 2000)]


def test_fewer_units_than_can_show_anything_bound_nothing() -> None:
    low, high = intervals(flips_of(np.random.default_rng(0).normal(size=(3, 5))))
    assert np.isneginf(low).all()
    assert np.isposinf(high).all()
