"""Means are added with fixed bits, and resampled means are those of a bootstrap."""

import itertools
import math
from collections import Counter
from collections.abc import Iterator
from fractions import Fraction

import numba
import numpy as np
import pytest
from cases import first_of
from helpers import called
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy import stats

from benchbench.kernels import random
from benchbench.kernels.bootstrap import column_sums, resampled_sums
from benchbench.kernels.bootstrap_counts import LEAF, draw
from benchbench.kernels.change_points import permuted
from benchbench.kernels.random import keys
from benchbench.kernels.sign_flips import GROUP, WIDTH, kept_sums
from benchbench.kernels.simd import LANES, add_times, load, load_bytes, store

shapes = hnp.array_shapes(min_dims=2, max_dims=2, min_side=1, max_side=30)


shares = hnp.arrays(np.float64, shapes, elements=st.floats(0, 1))


seeds = st.integers(0, 2**31)


@given(hnp.arrays(np.float64, shapes, elements=st.floats(-1e12, 1e12)))
def test_column_sums_are_exact_sums(values: np.ndarray) -> None:
    for column, total in zip(values.T, column_sums(values), strict=True):
        assert total == pytest.approx(math.fsum(column), rel=1e-13, abs=1e-13 * abs(column).max())


def test_column_sums_keep_what_a_plain_sum_loses() -> None:
    values = np.array([[1.0], [1e100], [1.0], [-1e100]])
    assert column_sums(values).tolist() == [2.0]


@given(hnp.arrays(np.float64, shapes, elements=st.floats(-1e12, 1e12)))
def test_the_sum_of_a_column_does_not_depend_on_the_other_columns(values: np.ndarray) -> None:
    alone = [column_sums(np.ascontiguousarray(values[:, [j]]))[0] for j in range(values.shape[1])]
    assert column_sums(values).tolist() == alone


@given(shares, st.integers(0, 100), st.integers(1, 70), seeds)
def test_resampled_sums_are_added_in_the_order_of_the_rows(
    values: np.ndarray, first: int, number: int, seed: int
) -> None:
    n, m = values.shape
    sums = resampled_sums(values, first, number, seed)
    for b in range(number):
        twin = np.zeros(m)
        for times, row in zip(draw(n, first + b, 1, seed)[:, 0], values, strict=True):
            twin += times * row
        assert sums[:, b].tolist() == twin.tolist()


# Resamples are multinomial, to the last bit those of a naive twin

key, mix = called(random.key), called(random.mix)


bootstrap_counts_seeds = st.integers(0, 2**63 - 1)


sizes = st.integers(1, 6 * LEAF) | st.sampled_from([LEAF - 1, LEAF, LEAF + 1, 4 * LEAF - 1, 4 * LEAF])


def words(seed: int, number: int) -> Iterator[int]:
    state = int(key(seed, number))
    while True:
        state = (state + 0x9E3779B97F4A7C15) % 2**64
        yield int(mix(np.uint64(state)))


def naive_successes(trials: int, chance: Fraction, stream: Iterator[int]) -> int:
    """Compare a random binary fraction of each trial with the chance, the same digit of all at a time."""
    found = 0
    while trials and chance:
        chance *= 2
        ones = sum((next(stream) >> max(64 - left, 0)).bit_count() for left in range(trials, 0, -64))
        if chance >= 1:
            chance -= 1
            found, trials = found + trials - ones, ones
        else:
            trials -= ones
    return found


def naive_draw(n: int, number: int, seed: int) -> list[int]:
    stream = words(seed, number)
    leaves = {0: (n, n)}  # first row: rows, draws
    for part in (2**k for k in reversed(range(n.bit_length()))):
        for start, (rows, draws) in sorted(leaves.items()):
            if rows > part and (rows > LEAF or rows & (rows - 1)):
                left = naive_successes(draws, Fraction(part, rows), stream)
                leaves |= {start: (part, left), start + part: (rows - part, draws - left)}
    times = [0] * n
    for start, (rows, draws) in sorted(leaves.items()):
        data = b"".join(next(stream).to_bytes(8, "little") for _ in range(0, draws, 8))
        for byte in data[:draws]:
            times[start + byte % rows] += 1
    return times


@given(sizes, st.integers(0, 2**40), st.integers(1, 3), bootstrap_counts_seeds)
def test_resamples_are_those_of_the_naive_twin(n: int, first: int, number: int, seed: int) -> None:
    drawn = draw(n, first, number, seed)
    assert drawn[:, :number].T.tolist() == [naive_draw(n, first + b, seed) for b in range(number)]


def many(n: int, resamples: int, seed: int) -> np.ndarray:
    """Return (resamples, n)."""
    return np.concatenate([draw(n, first, LANES, seed).T for first in range(0, resamples, LANES)]).astype(np.int64)


@pytest.mark.parametrize("n", [2, 3, 4, 5])
def test_all_resamples_of_few_rows_are_as_likely_as_the_multinomial_has_them(n: int) -> None:
    seen = Counter(map(tuple, many(n, 32_000, 3).tolist()))
    cases = [case for case in np.ndindex(*(n + 1,) * n) if sum(case) == n]
    law = stats.multinomial(n, [1 / n] * n).pmf(cases) * 32_000
    assert set(seen) <= set(cases)
    assert stats.chisquare([seen[case] for case in cases], law).pvalue > 0.001


@pytest.mark.parametrize(("n", "rows"), first_of((300, slice(0, 256)), (300, slice(296, 300)), (1100, slice(500, 800))))
def test_draws_of_a_part_are_binomial(n: int, rows: slice) -> None:
    """Parts that are leaves, and a part that cuts across them."""
    inside = many(n, 16_000, 5)[:, rows].sum(axis=1)
    law = stats.binom(n, (rows.stop - rows.start) / n)
    edges = np.unique(law.ppf(np.linspace(0.05, 0.95, 19)))
    seen = np.bincount(np.searchsorted(edges, inside), minlength=len(edges) + 1)
    chances = np.diff(np.concatenate(([0.0], law.cdf(edges), [1.0])))
    assert stats.chisquare(seen, chances * len(inside)).pvalue > 0.001


# The random numbers are splitmix64's, the same on every machine

random_key, random_mix, next_state = called(random.key), called(random.mix), called(random.next_state)


MASK = 2**64 - 1


u64 = st.integers(0, MASK)


random_seeds = st.integers(0, 2**63 - 1)


def naive_next_state(state: int) -> int:
    return (state + 0x9E3779B97F4A7C15) & MASK


def naive_mix(z: int) -> int:
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & MASK
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK
    return z ^ (z >> 31)


def naive_key(seed: int, number: int) -> int:
    return naive_mix(naive_next_state(seed) ^ naive_mix((number + 1) & MASK))


def test_the_stream_of_a_state_is_the_published_one_of_splitmix64() -> None:
    """The first outputs for state 1234567, as the reference implementation in C prints them."""
    state, drawn = np.uint64(1234567), []
    for _ in range(5):
        state = np.uint64(next_state(state))
        drawn.append(int(random_mix(state)))
    assert drawn == [
        6457827717110365317,
        3203168211198807973,
        9817491932198370423,
        4593380528125082431,
        16408922859458223821,
    ]


@given(u64)
def test_one_step_equals_its_naive_twin(state: int) -> None:
    assert int(next_state(np.uint64(state))) == naive_next_state(state)
    assert int(random_mix(np.uint64(state))) == naive_mix(state)


@given(random_seeds, st.integers(0, 2**40))
def test_a_key_equals_its_naive_twin(seed: int, number: int) -> None:
    assert int(random_key(seed, number)) == naive_key(seed, number)


@given(random_seeds, st.integers(0, 40), st.integers(0, 40))
def test_fewer_keys_are_the_beginning_of_more(seed: int, few: int, more: int) -> None:
    assert keys(seed, few).tolist() == keys(seed, few + more)[:few].tolist()
    assert keys(seed, few).tolist() == [naive_key(seed, number) for number in range(few)]


# Sums over the queries kept by random or by all sign patterns


def tiled(values: np.ndarray) -> np.ndarray:
    """Put (rows, columns) into tiles, filled up with zeros."""
    rows, columns = values.shape
    tiles = np.zeros((-(-columns // WIDTH), -(-rows // GROUP) * GROUP, WIDTH))
    for c in range(columns):
        tiles[c // WIDTH, :rows, c % WIDTH] = values[:, c]
    return tiles


def sums(values: np.ndarray, first: int, number: int, seed: int, enumerate_all: bool = False) -> np.ndarray:
    """Return (number, columns)."""
    found = kept_sums(tiled(values), first, number, seed, enumerate_all)
    return found.transpose(1, 0, 2).reshape(number, -1)[:, : values.shape[1]]


def kept_rows(rows: int, first: int, number: int, seed: int) -> np.ndarray:
    """Row i counts 1 in column i, so the sums say which rows are kept; (number, rows)."""
    return sums(np.eye(rows), first, number, seed)


@given(st.integers(1, 9), st.integers(1, 20), st.integers(0, 2**32))
def test_enumerating_goes_through_every_subset_once(rows: int, columns: int, seed: int) -> None:
    values = np.random.default_rng(seed).normal(size=(rows, columns))
    found = sums(values, 0, 2**rows, seed, True)
    for subset in range(2**rows):
        for c in range(columns):
            twin = math.fsum(values[i, c] for i in range(rows) if subset >> i & 1)
            assert found[subset, c] == pytest.approx(twin, rel=1e-12, abs=1e-12)


@given(st.integers(1, 150), st.integers(1, 20), st.integers(0, 2**62))
def test_a_resample_sums_the_rows_that_it_keeps_of_every_column(rows: int, columns: int, seed: int) -> None:
    values = np.random.default_rng(rows).normal(size=(rows, columns))
    kept = kept_rows(rows, 3, 10, seed)
    assert set(np.unique(kept)) <= {0.0, 1.0}
    assert sums(values, 3, 10, seed) == pytest.approx(kept @ values, rel=1e-10, abs=1e-10)


@given(st.integers(1, 200), st.integers(1, 30), st.integers(1, 30), st.integers(0, 2**62))
def test_splitting_the_resamples_changes_no_bit(rows: int, few: int, more: int, seed: int) -> None:
    values = np.random.default_rng(1).normal(size=(rows, 9))
    whole = sums(values, 0, few + more, seed)
    parts = [sums(values, 0, few, seed), sums(values, few, more, seed)]
    assert whole.tobytes() == np.concatenate(parts).tobytes()


def test_every_row_is_kept_by_half_of_the_resamples_whatever_the_others_are() -> None:
    kept = kept_rows(130, 0, 4000, 5) - 0.5
    assert abs(kept.sum(axis=0)).max() < 4.5 * math.sqrt(4000) / 2
    together = (kept.T @ kept)[np.triu_indices(130, 1)]
    assert abs(together).max() < 5.5 * math.sqrt(4000) / 4
    after = (kept[1:] * kept[:-1]).sum(axis=0)  # one resample says nothing of the next
    assert abs(after).max() < 4.5 * math.sqrt(4000) / 4


def test_another_seed_keeps_other_rows() -> None:
    assert kept_rows(60, 0, 1, 1).tolist() != kept_rows(60, 0, 1, 2).tolist()


# Numbers `LANES` at a time, against numpy

doubles = st.floats(allow_nan=False, allow_infinity=False, width=64, min_value=-1e150, max_value=1e150)


@numba.njit
def add_row(sums, i, times, k, x):
    store(sums, i, add_times(load(sums, i), load_bytes(times, k), x))


@given(hnp.arrays(np.float64, (3, LANES), elements=doubles), hnp.arrays(np.uint8, (4, LANES)), doubles, st.data())
def test_lanes_are_added_one_by_one(sums: np.ndarray, times: np.ndarray, x: float, data: st.DataObject) -> None:
    i, k = data.draw(st.integers(0, 2)), data.draw(st.integers(0, 3))
    expected = sums.copy()
    expected[i] = sums[i] + times[k].astype(np.float64) * x  # numpy rounds twice
    add_row(sums, i, times, k, x)
    assert sums.tobytes() == expected.tobytes()


# The largest change of mean in a series, beside going through all parts

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
