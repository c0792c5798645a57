"""Bytes 8 and 64 at a time, against one at a time."""

import numba
import numpy as np
from helpers import called
from hypothesis import given
from hypothesis import strategies as st

from benchbench.kernels import byte_words
from benchbench.kernels.byte_words import first_bit, line_ends, load_word, multiply_fold, ones

blanks, tail_word = called(byte_words.blanks), called(byte_words.tail_word)
words = st.integers(0, 2**64 - 1)


@numba.njit
def look(text, i, a, b):
    marked = a | np.uint64(1) << np.uint64(63)
    return load_word(text, i), line_ends(text, i), multiply_fold(a, b), first_bit(marked), ones(a)


@given(st.binary(min_size=64, max_size=90), words, words)
def test_intrinsics_do_what_they_say(data: bytes, a: int, b: int):
    text = np.frombuffer(data, np.uint8)
    i = len(data) - 64
    word, ends, folded, bit, number = look(text, np.uint64(i), np.uint64(a), np.uint64(b))
    assert word == int.from_bytes(data[i : i + 8], "little")
    assert ends == data[i : i + 64].count(b"\n")
    assert folded == ((a * b) >> 64) ^ ((a * b) & (2**64 - 1))
    marked = a | 1 << 63
    assert bit == (marked & -marked).bit_length() - 1
    assert number == a.bit_count()


@given(st.binary(min_size=1, max_size=140), st.data())
def test_blanks_and_tails_stop_at_the_end_of_the_text(data: bytes, draw: st.DataObject):
    text = np.frombuffer(data, np.uint8)
    i = draw.draw(st.integers(0, len(data) - 1))
    seen = blanks(text, np.uint64(i))
    assert [seen >> j & 1 for j in range(64)] == [int(i + j < len(data) and data[i + j] <= 32) for j in range(64)]
    stop = draw.draw(st.integers(i, min(i + 8, len(data))))
    assert tail_word(text, np.uint64(i), np.uint64(stop)) == int.from_bytes(data[i:stop], "little")
