"""Random numbers of our own, so that a seed means the same on every machine and version of numpy."""

import numpy as np

from benchbench.kernels._jit import inline, leaf
from benchbench.kernels.arrays import U64


@inline
def next_state(state: np.uint64) -> np.uint64:
    """Return the state after this one."""
    return state + np.uint64(0x9E3779B97F4A7C15)


@inline
def mix(state: np.uint64) -> np.uint64:
    """Return the splitmix64 output for a state (Steele, Lea, Flood, OOPSLA 2014)."""
    z = (state ^ (state >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))


@inline
def key(seed: int | np.uint64, number: int) -> np.uint64:
    """Return a random 64-bit key for a number; sorting by it shuffles."""
    return mix(next_state(np.uint64(seed)) ^ mix(np.uint64(number) + np.uint64(1)))


def keys(seed: int, n: int) -> U64:
    """Return the keys of 0 to n - 1."""
    drawn = np.empty(n, np.uint64)
    _fill_keys(seed, drawn)
    return drawn


@leaf
def _fill_keys(seed: int, drawn: U64) -> None:
    for i in range(drawn.size):
        drawn[i] = key(seed, i)
