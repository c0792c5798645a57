"""The largest change of mean in a series, beside going through all parts."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchbench.kernels.change_points import permuted

LESS = 0.7
scores = st.lists(st.integers(-3, 3), min_size=4, max_size=6).filter(lambda values: len(set(values)) > 1)


def centred(values: list[int]) -> np.ndarray:
    return np.array(values, float) - np.mean(values)


def scales_of(values: np.ndarray) -> np.ndarray:
    """One over the standard deviation of the mean of all subsets of each size, gone through."""
    return np.array(
        [1.0 / np.std([sum(some) for some in itertools.combinations(values, k)]) for k in range(1, len(values))]
    )


def naive(values: np.ndarray, scales: np.ndarray, lengths: list[int]) -> float:
    """Return the largest statistic of all parts."""
    n = len(values)
    steps = [abs(values[:j].sum()) * scales[j - 1] for j in range(1, n)]
    inside = [
        abs(values[i : i + length].sum()) * scales[length - 1] - LESS
        for length in lengths
        for i in range(1, n - length, max(1, length // 4))
    ]
    return max(steps + inside)


def drawn(
    values: np.ndarray,
    scales: np.ndarray,
    lengths: list[int],
    most: int,
    reached: int,
    seed: int = 0,
    less: float = 1.0,
):
    """Return what `permuted` returns and the place; the order given has its scales times `less`."""
    place, scratch = np.zeros(2, np.int64), np.empty(len(values) + 1)
    inside = np.array(lengths, np.int64)
    found = permuted(values.copy(), scales, less * scales, LESS, inside, most, reached, seed, scratch, place)
    return *found, place.tolist()


@given(scores)
def test_the_scale_of_a_sum_is_that_of_drawing_without_replacement(values: list[int]) -> None:
    n, k = len(values), np.arange(1, len(values))
    formula = np.sqrt((n - 1) / (k * (n - k))) / centred(values).std()
    assert formula == pytest.approx(scales_of(centred(values)))


@given(scores, st.booleans())
def test_the_place_is_that_of_the_largest_statistic(values: list[int], inside: bool) -> None:
    series = centred(values)
    scales, lengths = scales_of(series), list(range(2, len(values) - 1)) if inside else []
    *_, (begin, end) = drawn(series, scales, lengths, 1, 1)
    statistic = abs(series[begin:end].sum()) * scales[end - begin - 1] - (LESS if begin else 0.0)
    assert statistic == pytest.approx(naive(series, scales, lengths))


@given(scores, st.integers(0, 2**32))
def test_random_orders_reach_it_as_often_as_all_orders_do(values: list[int], seed: int) -> None:
    series = centred(values)
    scales, lengths = scales_of(series), list(range(2, len(values) - 1))
    observed = naive(series, scales, lengths)
    every = [naive(np.array(order), scales, lengths) for order in itertools.permutations(series)]
    share = np.mean(np.array(every) >= observed * (1.0 - 1e-9))
    number, as_large, _ = drawn(series, scales, lengths, 2_000, 2_001, seed)
    assert number == 2_000
    assert abs(as_large / number - share) < 6.0 * np.sqrt(share * (1.0 - share) / number) + 1e-9


def test_orders_are_drawn_until_so_many_are_as_large() -> None:
    series = centred([1, -1, 1, -1, 1, -1])
    number, as_large, _ = drawn(series, scales_of(series), [], 10_000, 5)
    assert as_large == 5
    assert number < 100


def test_the_same_seed_draws_the_same_orders() -> None:
    series = np.random.default_rng(0).normal(size=40)
    series -= series.mean()
    k = np.arange(1, 40)
    scales = np.sqrt(39 / (k * (40 - k))) / series.std()
    first, again, other = (drawn(series, scales, [2, 3, 5, 9], 500, 500, seed) for seed in (1, 1, 2))
    assert first == again
    assert first != other


def test_the_order_given_has_scales_of_its_own() -> None:
    """With smaller ones as many random orders or more are as large."""
    series = centred([1, 2, 1, 2, 1, 5, 6, 5, 6, 5])
    scales = scales_of(series)
    counts = [drawn(series, scales, [], 500, 500, less=less)[1] for less in (1.0, 0.7, 0.3)]
    assert counts == sorted(counts)
    assert counts[0] < counts[2]
