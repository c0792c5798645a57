"""Hashing and comparing byte spans of a text: what ids are to the kernels."""

import numpy as np

from benchbench.kernels._jit import jit, leaf
from benchbench.kernels.arrays import U64, Bytes

_SEED = np.uint64(0x9E3779B97F4A7C15)
_C1, _C2 = np.uint64(0x87C37B91114253D5), np.uint64(0x4CF5AD432745937F)
_F1, _F2 = np.uint64(0xFF51AFD7ED558CCD), np.uint64(0xC4CEB9FE1A85EC53)


@leaf
def _absorb(state: np.uint64, word: np.uint64) -> np.uint64:
    word *= _C1
    word = (word << np.uint64(31)) | (word >> np.uint64(33))
    state ^= word * _C2
    state = (state << np.uint64(27)) | (state >> np.uint64(37))
    return state * np.uint64(5) + np.uint64(0x52DCE729)


@leaf
def hash_span(text: Bytes, start: np.uint64, stop: np.uint64) -> np.uint64:
    """Return a 64-bit hash of `text[start:stop]` (the mixing of MurmurHash3, by Appleby), never 0.

    Of our own, because it is taken while a line is scanned. Two different ids share a hash with probability
    2**-64; matching is within a query, so judging 1,000 hits by 1,000 judgments errs with probability 5e-14.
    """
    state, word, filled = _SEED, np.uint64(0), 0
    i = start
    while i < stop:
        word = (word << np.uint64(8)) | np.uint64(text[i])
        i += np.uint64(1)
        filled += 1
        if filled == 8:
            state = _absorb(state, word)
            word, filled = np.uint64(0), 0
    state = _absorb(state, word) ^ np.uint64(stop - start)
    state = (state ^ (state >> np.uint64(33))) * _F1
    state = (state ^ (state >> np.uint64(33))) * _F2
    state ^= state >> np.uint64(33)
    return state if state != np.uint64(0) else np.uint64(1)


@jit
def hash_spans(text: Bytes, starts: U64, stops: U64) -> U64:
    """Return the hash of each span."""
    hashes = np.empty(starts.size, np.uint64)
    for i in range(starts.size):
        hashes[i] = hash_span(text, starts[i], stops[i])
    return hashes


@leaf
def span_before(text: Bytes, a: np.uint64, a_stop: np.uint64, b: np.uint64, b_stop: np.uint64) -> bool:
    """Say whether the first span comes before the second in descending byte order, as `strcmp` orders."""
    while a < a_stop and b < b_stop:
        if text[a] != text[b]:
            return bool(text[a] > text[b])
        a += np.uint64(1)
        b += np.uint64(1)
    return bool(a < a_stop)
