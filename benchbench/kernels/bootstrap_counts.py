"""Resamples: n rows drawn from n with replacement, as the numbers of times that each row is drawn.

Increments at random places of a long array wait for memory, and a random word has more bits than a place among few rows
needs. So the draws are first shared out among leaves of at most `LEAF` rows, and then each leaf, small enough for the
fastest cache, draws its own. Both are exact: the numbers are multinomial, with no rounding of a probability.
"""

from typing import Any

import numpy as np

from benchbench.kernels._jit import inline, leaf
from benchbench.kernels.arrays import I64, U8, U64, I64x2, U8x2
from benchbench.kernels.byte_words import ones
from benchbench.kernels.random import key, mix, next_state
from benchbench.kernels.simd import LANES

LEAF = 256  # rows: a byte of a random word is one draw
_BYTES = 8


def draw(n: int, first: int, number: int, seed: int) -> U8:
    """Return how often each of n rows is in the resamples `first`, `first + 1`, …, at most `LANES` of them.

    The stream of one resample depends on `seed` and its number only, so any split of the work gives the same bits.

    Returns
    -------
    U8
        (n, `LANES`), a lane for each resample; lanes from `number` on are 0.
    """
    drawn: U8 = np.zeros((n, LANES), np.uint8)  # 256 times the same of more rows than that has a chance below 1e-500
    trials: I64 = np.zeros((number, n // LEAF + _BYTES), np.int64)  # of each leaf: the whole ones and one a bit
    states: U64 = np.empty(number, np.uint64)
    _draw(drawn, trials, states, first, seed)
    return drawn


@leaf
def _draw(drawn: U8x2, trials: I64x2, states: U64, first: int, seed: int) -> None:
    n = drawn.shape[0]
    for lane in range(states.size):
        states[lane] = share_out(n, trials, lane, key(seed, first + lane))
    start: Any = np.int64(0)  # numba would compile what is called twice, for a literal 0 as well
    while start < n:
        rows = min(LEAF, power_of_two(n - start))
        for lane in range(states.size):
            states[lane] = draw_leaf(drawn, start, rows, lane, trials[lane, leaf_of(start)], states[lane])
        start += rows


@inline
def share_out(n: int, trials: I64, lane: int, state: np.uint64) -> np.uint64:
    """Set how many of n draws fall into each leaf of n rows, `trials[lane]`; return the state after it.

    Rows are parted at a power of two again and again, until a leaf has a power of two itself.
    """
    trials[lane, 0] = n
    part = power_of_two(n)
    while part > 0:
        first = 0 if part >= LEAF else n - n % (2 * part)  # in smaller parts only what no whole leaf has
        for start in range(first, n, 2 * part):
            rows = min(2 * part, n - start)
            if rows > part:
                node = leaf_of(start)
                left, state = successes(trials[lane, node], part, rows, state)
                trials[lane, leaf_of(start + part)] = trials[lane, node] - left
                trials[lane, node] = left
        part >>= 1
    return state


@inline
def successes(trials: int, part: int, whole: int, state: np.uint64) -> tuple[int, np.uint64]:
    """Draw how many of some trials succeed, each with the chance `part / whole` < 1; return that and the state.

    A trial succeeds if a random binary fraction is below the chance. They are compared bit by bit, 64 trials at a time:
    where the chance has a 1, trials with a 0 succeed; where it has a 0, trials with a 1 fail; the others are open.
    """
    found = 0
    while trials > 0 and part > 0:
        part *= 2
        with_one = 0
        for open_ in range(trials, 0, -64):
            state = next_state(state)
            with_one += ones(mix(state) >> np.uint64(max(64 - open_, 0)))
        if part >= whole:
            part -= whole
            found += trials - with_one
            trials = with_one
        else:
            trials -= with_one
    return found, state


@inline
def draw_leaf(drawn: U8, start: int, rows: int, lane: int, trials: int, state: np.uint64) -> np.uint64:
    """Draw so many of the rows from `start` on, a power of two of them; return the state after it."""
    places, column = np.uint64(start), np.uint64(lane)  # numba would look for negative places
    mask = np.uint64(rows - 1)
    for left in range(trials, 0, -_BYTES):
        state = next_state(state)
        word = mix(state)
        for _ in range(_BYTES if left > _BYTES else left):
            drawn[places + (word & mask), column] += np.uint8(1)
            word >>= np.uint64(8)
    return state


@inline
def power_of_two(n: int) -> int:
    """Return the largest power of two that is at most n, which is at least 1."""
    power = 1
    while 2 * power <= n:
        power *= 2
    return power


@inline
def leaf_of(start: int) -> int:
    """Return the number of the leaf that starts there: whole ones first, then one for each bit of what is left."""
    return start // LEAF + int(ones(np.uint64(start % LEAF)))
