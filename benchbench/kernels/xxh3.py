"""The 64-bit xxh3 hash of spans up to 128 bytes, as the xxHash specification has it, with seed 0.

The package xxhash takes one object at a time. The hashes of the hits of an answer took longer than all else that is
done with ids and scores.
"""

import numpy as np

from benchbench.kernels._jit import inline, leaf
from benchbench.kernels.arrays import U64, Bytes
from benchbench.kernels.byte_words import load_word, multiply_fold, swapped, tail_word

LONGEST = 128  # bytes

_SECRET = np.frombuffer(  # its first words
    bytes.fromhex(
        "b8fe6c3923a44bbe7c01812cf721ad1cded46de9839097db7240a4a4b7b3671f"
        "cb79e64eccc0e578825ad07dccff7221b8084674f743248ee03590e6813a264c"
        "3c2852bb91c300cb88d0658b1b532ea371644897a20df94e3819ef46a9deacd8"
        "a8fa763fe39c343ff9dcbbc7c70b4f1d8a51e04bcdb45931c89f7ec9d9787364"
    ),
    np.uint64,
)
_P1, _P2, _P3 = np.uint64(0x9E3779B185EBCA87), np.uint64(0xC2B2AE3D27D4EB4F), np.uint64(0x165667B19E3779F9)
_MIX, _FINAL = np.uint64(0x9FB21C651E98DF25), np.uint64(0x165667919E3779F9)
_LOW = np.uint64(0xFFFFFFFF)
_WORD, _PAIR, _HALF = np.uint64(8), np.uint64(16), np.uint64(32)

_FLIP_OF_3 = (_SECRET[0] ^ _SECRET[0] >> _HALF) & _LOW
_FLIP_OF_8 = _SECRET[1] ^ _SECRET[2]
_FLIPS_OF_16 = _SECRET[3] ^ _SECRET[4], _SECRET[5] ^ _SECRET[6]
_FIRST_FLIP, _SECOND_FLIP = _FLIPS_OF_16


@inline
def _folded(text: Bytes, i: np.uint64, secret: int) -> np.uint64:
    """Mix 16 bytes with two words of the secret."""
    return np.uint64(
        multiply_fold(load_word(text, i) ^ _SECRET[secret], load_word(text, i + _WORD) ^ _SECRET[secret + 1])
    )


@inline
def hash_short(text: Bytes, start: np.uint64, stop: np.uint64) -> np.uint64:
    """Return the hash of `text[start:stop]`, which has 1 to `LONGEST` bytes."""
    length = stop - start
    if length <= 3:
        ends = np.uint64(text[start]) << _PAIR | np.uint64(text[start + (length >> np.uint64(1))]) << np.uint64(24)
        h = (ends | np.uint64(text[stop - np.uint64(1)]) | length << _WORD) ^ _FLIP_OF_3
        h = (h ^ h >> np.uint64(33)) * _P2
        h = (h ^ h >> np.uint64(29)) * _P3
        return np.uint64(h ^ h >> _HALF)
    if length <= _WORD:
        four = np.uint64(4)
        h = (tail_word(text, start, start + four) << _HALF) + tail_word(text, stop - four, stop) ^ _FLIP_OF_8
        h ^= (h << np.uint64(49) | h >> np.uint64(15)) ^ (h << np.uint64(24) | h >> np.uint64(40))
        h *= _MIX
        h = (h ^ (h >> np.uint64(35)) + length) * _MIX
        return np.uint64(h ^ h >> np.uint64(28))
    if length <= _PAIR:
        low, high = load_word(text, start) ^ _FIRST_FLIP, load_word(text, stop - _WORD) ^ _SECOND_FLIP
        h = length + np.uint64(swapped(low)) + high + np.uint64(multiply_fold(low, high))
    else:
        h = length * _P1
        for n in range(((length - np.uint64(1)) >> np.uint64(5)) + np.uint64(1)):
            h += _folded(text, start + n * _PAIR, 4 * n) + _folded(text, stop - (n + np.uint64(1)) * _PAIR, 4 * n + 2)
    h = (h ^ h >> np.uint64(37)) * _FINAL
    return np.uint64(h ^ h >> _HALF)


@leaf
def hash_strings(text: Bytes, spans: U64, hashes: U64) -> bool:
    """Hash the strings that stand in JSON; 0 for what is none, is empty, has an escape, or more than `LONGEST` bytes.

    False where a hash is 0 or 1.

    Parameters
    ----------
    text, spans
        As `kernels.json_columns.walk` leaves them.
    hashes
        One for each span.
    """
    all_hashed = True
    for h in range(spans.size):
        start, stop = (spans[h] & _LOW) + np.uint64(1), (spans[h] >> _HALF) - np.uint64(1)
        value = np.uint64(0)
        if stop > start and stop - start <= LONGEST and text[start - np.uint64(1)] == 0x22:
            is_plain = True
            for i in range(start, stop):
                is_plain = is_plain and text[i] != 0x5C
            if is_plain:
                value = hash_short(text, start, stop)
        hashes[h] = value
        if value <= 1:
            all_hashed = False
    return all_hashed
