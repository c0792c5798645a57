"""Resamples are multinomial, to the last bit those of a naive twin."""

from collections import Counter
from collections.abc import Iterator
from fractions import Fraction

import numpy as np
import pytest
from cases import first_of
from helpers import called
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from benchbench.kernels import random
from benchbench.kernels.bootstrap_counts import LEAF, draw
from benchbench.kernels.simd import LANES

key, mix = called(random.key), called(random.mix)
seeds = st.integers(0, 2**63 - 1)
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


@given(sizes, st.integers(0, 2**40), st.integers(1, 3), seeds)
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
