"""Hashing and comparing byte spans of a text: what ids are to the kernels."""

import numpy as np

from benchbench.kernels._jit import inline, leaf
from benchbench.kernels.arrays import U64, Bytes
from benchbench.kernels.byte_words import load_word, multiply_fold, tail_word

_S0, _S1 = np.uint64(0xA0761D6478BD642F), np.uint64(0xE7037ED1A0B428DB)
_S2 = np.uint64(0x8EBC6AF09C88C6E3)
_WORD, _TWO = np.uint64(8), np.uint64(16)


@inline
def hash_span(text: Bytes, start: np.uint64, stop: np.uint64) -> np.uint64:
    """Return a 64-bit hash of `text[start:stop]` (the mixing of wyhash, by Wang Yi), never 0.

    Of our own, because it is taken while a line is scanned. Two different ids share a hash with probability
    2**-64; matching is within a query, so judging 1,000 hits by 1,000 judgments errs with probability 5e-14.
    """
    i, state, length = start, _S0, stop - start
    b = np.uint64(0)
    while stop - i > _TWO:
        state = np.uint64(multiply_fold(load_word(text, i) ^ _S1, load_word(text, i + _WORD) ^ state))
        i += _TWO
    if stop - i > _WORD:
        a, b = np.uint64(load_word(text, i)), np.uint64(load_word(text, stop - _WORD))  # they may overlap
    else:
        a = tail_word(text, i, stop)
    state = np.uint64(multiply_fold(multiply_fold(a ^ _S1, b ^ state) ^ _S2, length ^ _S1))
    return state if state != np.uint64(0) else np.uint64(1)


@inline
def are_same(text: Bytes, a: np.uint64, a_stop: np.uint64, b: np.uint64, b_stop: np.uint64) -> bool:
    """Say whether two spans have the same bytes."""
    if a_stop - a != b_stop - b:
        return False
    while a_stop - a > _WORD:
        if load_word(text, a) != load_word(text, b):
            return False
        a += _WORD
        b += _WORD
    return bool(tail_word(text, a, a_stop) == tail_word(text, b, b_stop))


def hash_spans(text: Bytes, starts: U64, stops: U64) -> U64:
    """Return the hash of each span."""
    hashes = np.empty(starts.size, np.uint64)
    _hash_spans(text, starts, stops, hashes)
    return hashes


@leaf
def _hash_spans(text: Bytes, starts: U64, stops: U64, hashes: U64) -> None:
    for i in range(starts.size):
        hashes[i] = hash_span(text, starts[i], stops[i])


def copy_spans(text: Bytes, starts: U64, stops: U64) -> Bytes:
    """Return the bytes of all spans, one behind the other."""
    copied = np.empty(int((stops - starts).sum()), np.uint8)
    _copy_spans(text, starts, stops, copied)
    return copied


@leaf
def _copy_spans(text: Bytes, starts: U64, stops: U64, copied: Bytes) -> None:
    end = 0
    for i in range(starts.size):
        for j in range(starts[i], stops[i]):
            copied[end] = text[j]
            end += 1


@inline
def span_before(text: Bytes, a: np.uint64, a_stop: np.uint64, b: np.uint64, b_stop: np.uint64) -> bool:
    """Say whether the first span comes before the second in descending byte order, as `strcmp` orders."""
    while a < a_stop and b < b_stop:
        if text[a] != text[b]:
            return bool(text[a] > text[b])
        a += np.uint64(1)
        b += np.uint64(1)
    return bool(a < a_stop)
