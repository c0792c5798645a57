"""Decimal text to float64, correctly rounded: what `float()` gives, without a Python object.

Most scores have few digits and need one multiplication (Clinger, PLDI 1990); the rest take the algorithm of
Eisel and Lemire ("Number parsing at a gigabyte per second", Software: Practice and Experience 51, 2021).
What neither decides (subnormal numbers, more than 19 digits, a product too close to call) is left to `float()`.
"""

import math

import numpy as np

from benchbench.kernels._jit import inline, step
from benchbench.kernels.arrays import U64, Bytes
from benchbench.kernels.byte_words import first_bit, load_word

PARSED, BAD, UNDECIDED = 0, 1, 2

_LOW, _HIGH = -342, 308  # decimal exponents that the table of powers covers
_EXACT_POWERS = np.array([10.0**n for n in range(23)])
_WHOLE_POWERS = np.array([10**n for n in range(9)], np.uint64)


def _powers_of_five() -> U64:
    """Return 128 bits of 5**q as (upper, lower), for q from -342 to 308, as the paper's section 7.

    They are the leading ones, but from -27 to -1, where a number may lie half way between two floats, the next above:
    a product that is too small would fall below the half.
    """
    table = np.empty((_HIGH - _LOW + 1, 2), np.uint64)
    for q in range(_LOW, _HIGH + 1):
        if q >= 0:
            power = 5**q
            bits = power.bit_length()
            power = power << (128 - bits) if bits <= 128 else power >> (bits - 128)
        else:
            divisor = 5**-q
            bits = divisor.bit_length() + 127
            power = (1 << bits) // divisor + 1 if q >= -27 else (1 << (bits + 64)) // divisor >> 64
        table[q - _LOW] = power >> 64, power & 0xFFFFFFFFFFFFFFFF
    return table


_POWERS = _powers_of_five()


@inline
def _multiply(a: np.uint64, b: np.uint64) -> tuple[np.uint64, np.uint64]:
    """Return the upper and lower 64 bits of a product."""
    mask, half = np.uint64(0xFFFFFFFF), np.uint64(32)
    a0, a1, b0, b1 = a & mask, a >> half, b & mask, b >> half
    low, mid1, mid2, high = a0 * b0, a1 * b0, a0 * b1, a1 * b1
    carry = (low >> half) + (mid1 & mask) + (mid2 & mask)
    return high + (mid1 >> half) + (mid2 >> half) + (carry >> half), (carry << half) | (low & mask)


@inline
def _eisel_lemire(digits: np.uint64, q: int | np.int64) -> tuple[int, float]:
    """Return the status and value of digits · 10**q; `digits` is not 0."""
    if q < _LOW:
        return PARSED, 0.0
    if q > _HIGH:
        return UNDECIDED, 0.0
    zeros = 0
    while digits < np.uint64(1) << np.uint64(63):
        digits <<= np.uint64(1)
        zeros += 1
    upper, lower = _multiply(digits, _POWERS[q - _LOW, 0])
    if upper & np.uint64(0x1FF) == np.uint64(0x1FF):
        more, _ = _multiply(digits, _POWERS[q - _LOW, 1])
        lower += more
        if more > lower:
            upper += np.uint64(1)
    if lower == np.uint64(0xFFFFFFFFFFFFFFFF) and (q < -27 or q > 55):
        return UNDECIDED, 0.0
    top = upper >> np.uint64(63)
    mantissa = upper >> (top + np.uint64(9))
    exponent = (((152170 + 65536) * q) >> 16) + 63 + np.int64(top) - zeros
    if exponent + 1023 <= 0:
        return UNDECIDED, 0.0
    between = lower <= np.uint64(1) and -4 <= q <= 23 and mantissa & np.uint64(3) == np.uint64(1)
    if between and mantissa << (top + np.uint64(9)) == upper:
        mantissa &= ~np.uint64(1)  # to the even one of the two floats
    mantissa += mantissa & np.uint64(1)
    mantissa >>= np.uint64(1)
    if exponent > 1023 or (exponent == 1023 and mantissa >= np.uint64(1) << np.uint64(53)):
        return UNDECIDED, 0.0
    return PARSED, float(np.ldexp(np.float64(mantissa), exponent - 52))


@step
def _is_word(text: Bytes, start: np.uint64, stop: np.uint64, word: Bytes) -> bool:
    same = bool(stop - start == np.uint64(word.size))
    for i in range(word.size if same else 0):
        same = same and bool(text[start + np.uint64(i)] | 0x20 == word[i])
    return same


_INF = np.frombuffer(b"inf", np.uint8).copy()
_INFINITY = np.frombuffer(b"infinity", np.uint8).copy()


_ZEROS, _DOTS = np.uint64(0x3030303030303030), np.uint64(0x2E2E2E2E2E2E2E2E)
_ONES, _TOPS = np.uint64(0x0101010101010101), np.uint64(0x8080808080808080)
_NIBBLES, _SIXES = np.uint64(0xF0F0F0F0F0F0F0F0), np.uint64(0x0606060606060606)
_EVERY = np.uint64(0xFFFFFFFFFFFFFFFF)


@inline
def _eight_digits(word: np.uint64) -> np.uint64:
    """Return the number that eight ASCII digits are, the first in the lowest byte."""
    word -= _ZEROS
    word = word * np.uint64(10) + (word >> np.uint64(8))
    low = (word & np.uint64(0x000000FF000000FF)) * np.uint64(0x000F424000000064)
    high = ((word >> np.uint64(16)) & np.uint64(0x000000FF000000FF)) * np.uint64(0x0000271000000001)
    return (low + high) >> np.uint64(32)


@inline
def _last(count: np.uint64) -> np.uint64:
    """Return a word that is all ones in its last bytes, 1 to 8."""
    return np.uint64(_EVERY << ((np.uint64(8) - count) << np.uint64(3)))


@inline
def _padded(word: np.uint64, count: np.uint64) -> np.uint64:
    """Return the last characters of a word, 1 to 8, with the digit 0 before them."""
    kept = _last(count)
    return np.uint64((word & kept) | (_ZEROS & ~kept))


@inline
def _are_digits(word: np.uint64) -> bool:
    return bool((word & _NIBBLES) == _ZEROS) and bool(((word + _SIXES) & _NIBBLES) == _ZEROS)


@inline
def _fixed_point(text: Bytes, start: np.uint64, stop: np.uint64) -> tuple[bool, float]:
    """Read `12.345678`: up to eight digits, a dot among the first eight bytes, up to eight digits; or say no.

    Without a branch a digit (Lemire, "Quickly parsing eight digits", 2018), because scores are mostly of this
    shape and their lengths cannot be foreseen.
    """
    eight, one = np.uint64(8), np.uint64(1)
    negative = text[start] == 0x2D
    first = start + one if negative else start
    if first < eight or stop + eight > np.uint64(text.size) or stop - first > np.uint64(16):
        return False, 0.0
    dots = np.uint64(load_word(text, first)) ^ _DOTS
    dots = (dots - _ONES) & ~dots & _TOPS
    if dots == np.uint64(0):
        return False, 0.0
    whole = first_bit(dots) >> np.uint64(3)  # the number of digits before the dot
    dot = first + whole
    if whole == np.uint64(0) or dot + one >= stop or stop - dot > np.uint64(9):
        return False, 0.0
    places = stop - dot - one
    upper, lower = np.uint64(load_word(text, dot - eight)), np.uint64(load_word(text, stop - eight))
    if whole + places <= eight:  # all digits in one word: the first ones move to before the last ones
        behind = _last(places)
        word = _padded((upper >> (places << np.uint64(3))) & ~behind | lower & behind, whole + places)
        if not _are_digits(word):
            return False, 0.0
        digits = _eight_digits(word)
    else:
        upper, lower = _padded(upper, whole), _padded(lower, places)
        if not (_are_digits(upper) and _are_digits(lower)):
            return False, 0.0
        digits = _eight_digits(upper) * _WHOLE_POWERS[places] + _eight_digits(lower)
        if digits > np.uint64(1 << 53):
            return False, 0.0
    value = np.float64(digits) / _EXACT_POWERS[places]
    return True, -value if negative else value


@inline
def parse_float(text: Bytes, start: np.uint64, stop: np.uint64) -> tuple[int, float]:
    """Return the status and value of the number in `text[start:stop]`; `nan` and hexadecimal are `BAD`."""
    one, digit = np.uint64(1), np.uint8(text[start] - np.uint8(0x30))
    if stop - start == one and digit <= 9:  # as grades are
        return PARSED, float(digit)
    fixed, value = _fixed_point(text, start, stop)
    if fixed:
        return PARSED, value
    i = start
    negative = i < stop and text[i] == 0x2D
    if negative or (i < stop and text[i] == 0x2B):
        i += one
    first = i
    digits = np.uint64(0)
    while i < stop and np.uint8(text[i] - np.uint8(0x30)) <= 9:
        digits = digits * np.uint64(10) + np.uint64(text[i] - np.uint8(0x30))
        i += one
    count = i - first
    fraction = np.uint64(0)
    if i < stop and text[i] == 0x2E:
        i += one
        first = i
        while i < stop and np.uint8(text[i] - np.uint8(0x30)) <= 9:
            digits = digits * np.uint64(10) + np.uint64(text[i] - np.uint8(0x30))
            i += one
        fraction = i - first
        count += fraction
    if count == np.uint64(0):
        if _is_word(text, first, stop, _INF) or _is_word(text, first, stop, _INFINITY):
            return PARSED, -math.inf if negative else math.inf
        return BAD, 0.0
    exponent = -np.int64(fraction)
    if i < stop:
        status, power = _parse_exponent(text, i, stop)
        if status != PARSED:
            return status, 0.0
        exponent += power
    if count > np.uint64(19):  # `digits` may have overflowed
        return UNDECIDED, 0.0
    if digits == np.uint64(0):
        return PARSED, -0.0 if negative else 0.0
    if digits <= np.uint64(1 << 53) and -22 <= exponent <= 22:
        exact = np.float64(digits)
        exact = exact / _EXACT_POWERS[-exponent] if exponent < 0 else exact * _EXACT_POWERS[exponent]
        return PARSED, -exact if negative else exact
    status, value = _eisel_lemire(digits, exponent)
    return status, -value if negative else value


@inline
def _parse_exponent(text: Bytes, i: np.uint64, stop: np.uint64) -> tuple[int, np.int64]:
    """Return the status and value of `e±12`; far exponents are cut above 1000, where every value is 0 or infinite."""
    one = np.uint64(1)
    if text[i] | 0x20 != 0x65:
        return BAD, np.int64(0)
    i += one
    negative = False
    if i < stop and (text[i] == 0x2D or text[i] == 0x2B):
        negative = text[i] == 0x2D
        i += one
    if i == stop:
        return BAD, np.int64(0)
    power = np.int64(0)
    while i < stop:
        if not 0x30 <= text[i] <= 0x39:
            return BAD, np.int64(0)
        if power < 1000:
            power = power * 10 + np.int64(text[i]) - 0x30
        i += one
    return PARSED, -power if negative else power
