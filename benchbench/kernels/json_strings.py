"""Strings written as JSON: what orjson writes, without a Python object for each."""

import numpy as np

from benchbench.kernels._jit import leaf, step
from benchbench.kernels.arrays import I64, Bytes

_QUOTE, _BACKSLASH, _BLANK, _COMMA = np.uint8(0x22), np.uint8(0x5C), np.uint8(0x20), np.uint8(0x2C)
_BRACKET, _END_BRACKET, _ZERO_DIGIT = np.uint8(0x5B), np.uint8(0x5D), np.uint8(0x30)
_ZERO, _ONE, _TWO = np.uint64(0), np.uint64(1), np.uint64(2)
_PIECE = np.uint64(128)  # bytes of a string that are copied at once where none of them is escaped
_LONG_ESCAPE, _SURROGATE, _HALF_PAIR = np.uint8(ord("u")), np.uint8(0xED), np.uint8(0xA0)
_HEX = np.frombuffer(b"0123456789abcdef", np.uint8).copy()
_SHORT_ESCAPES = np.full(32, _LONG_ESCAPE, np.uint8)  # what stands behind the backslash, for each control character
_SHORT_ESCAPES[list(b"\b\t\n\f\r")] = list(b"btnfr")


@step
def _write_character(c: np.uint8, written: Bytes, at: np.uint64) -> np.uint64:
    """Write a byte of a string as JSON has it; return the place behind."""
    if c >= _BLANK and c != _QUOTE and c != _BACKSLASH:
        written[at] = c
        return at + _ONE
    short = _SHORT_ESCAPES[c] if c < _BLANK else c
    written[at], written[at + _ONE] = _BACKSLASH, short
    at += _TWO
    if short == _LONG_ESCAPE:
        for digit in (_ZERO_DIGIT, _ZERO_DIGIT, _HEX[c >> np.uint8(4)], _HEX[c & np.uint8(15)]):
            written[at] = digit
            at += _ONE
    return at


@leaf
def write_strings(text: Bytes, ends: I64, written: Bytes) -> np.uint64:
    """Write strings as one JSON list, as orjson does, into sufficient space; return its length.

    Parameters
    ----------
    text, ends
        UTF-8, and where each string ends in it. The first begins at 0.
    written
        Six bytes for each of theirs, three for each string, and two.

    Returns
    -------
    np.uint64
        0 where there is half a surrogate pair, which UTF-8 cannot have.
    """
    written[0] = _BRACKET
    at, i = _ONE, _ZERO
    for s in range(ends.size):
        if s:
            written[at] = _COMMA
            at += _ONE
        written[at] = _QUOTE
        at += _ONE
        end = np.uint64(ends[s])
        while i < end:
            stop = min(i + _PIECE, end)
            is_plain = True
            for j in range(i, stop):
                c = text[j]
                is_plain &= (c >= _BLANK) & (c != _QUOTE) & (c != _BACKSLASH) & (c != _SURROGATE)
            if is_plain:
                for j in range(stop - i):
                    written[at + j] = text[i + j]
                at += stop - i
            else:
                for j in range(i, stop):
                    if text[j] == _SURROGATE and text[j + _ONE] >= _HALF_PAIR:
                        return _ZERO
                    at = _write_character(text[j], written, at)
            i = stop
        written[at] = _QUOTE
        at += _ONE
    written[at] = _END_BRACKET
    return at + _ONE
