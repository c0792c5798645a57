"""The long texts and the labels of a JSON answer, taken out before it is parsed.

Most bytes of an answer with texts are texts that equal none of those looked for, which their first characters show,
and labels that came before. To make objects of them costs most of the parsing. The kernel copies an answer, of each
long text only its beginning with a mark behind it, and only a mark for the object that holds the labels. The parser
then reads, and checks, all that is left. What is left out of a text has been checked here: escapes, control
characters, UTF-8; a text with anything unusual is copied whole. Who calls parses the objects.

Places are unsigned: numba would check each signed one for being negative.
"""

import numpy as np

from benchbench.kernels._jit import inline, leaf
from benchbench.kernels.arrays import U64, Bytes
from benchbench.kernels.byte_words import compared, first_bit

KEPT = 104  # bytes of a text: at least 17 characters, of which one that is escaped takes 6
SAVED = 64  # bytes that must be left out; more than a marker takes
MARKED = 40  # bytes of an object that a mark stands for, at least; more than the mark takes
DIGITS = 8  # of the number in a mark

_QUOTE, _BACKSLASH, _COLON, _BLANK = np.uint8(0x22), np.uint8(0x5C), np.uint8(0x3A), np.uint8(0x20)
_OPEN, _CLOSE = np.uint8(0x7B), np.uint8(0x7D)
_ZERO, _ONE, _BLOCK, _ALL = np.uint64(0), np.uint64(1), np.uint64(64), np.uint64(0xFFFFFFFFFFFFFFFF)

_quotes, _backslashes, _controls = compared("==", 0x22), compared("==", 0x5C), compared("<", 0x20)
_beyond_ascii, _leads, _leads_of_3, _leads_of_4 = (compared(">=", byte) for byte in (0x80, 0xC0, 0xE0, 0xF0))
_never = compared(">", 0xF4)
_e0, _ed, _c0, _c1, _f4 = (compared("==", byte) for byte in (0xE0, 0xED, 0xC0, 0xC1, 0xF4))


@inline
def _is_hexadecimal(c: np.uint8) -> bool:
    return bool(0x30 <= c <= 0x39) or bool(0x41 <= c <= 0x46) or bool(0x61 <= c <= 0x66)


@inline
def _after_escape(body: Bytes, i: np.uint64) -> np.uint64:
    """Return the place after the escape at `i`, 0 for a bad one and for half a surrogate pair."""
    c = body[i + _ONE]
    if c == 0x75:  # u
        first, second = body[i + np.uint64(2)], body[i + np.uint64(3)]
        if (first == 0x64 or first == 0x44) and second >= 0x38:
            return _ZERO
        for j in range(np.uint64(2), np.uint64(6)):
            if not _is_hexadecimal(body[i + j]):
                return _ZERO
        return i + np.uint64(6)
    known = c == 0x22 or c == 0x5C or c == 0x2F or c == 0x62 or c == 0x66 or c == 0x6E or c == 0x72 or c == 0x74
    return i + np.uint64(2) if known else _ZERO


@inline
def _are_fine(body: Bytes, i: np.uint64, within: np.uint64, seconds: np.uint64) -> bool:
    """Say that the second bytes after these leads make no overlong form, no surrogate and nothing above U+10FFFF."""
    left = seconds & within
    while left:
        place = i + np.uint64(first_bit(left))
        lead, second = body[place], body[place + _ONE]
        if lead == 0xE0 and second < 0xA0:
            return False
        if lead == 0xED and second >= 0xA0:
            return False
        if lead == 0xF0 and second < 0x90:
            return False
        if lead == 0xF4 and second >= 0x90:
            return False
        left &= left - _ONE
    return True


@inline
def _end_of_text(body: Bytes, start: np.uint64) -> tuple[np.uint64, np.uint64]:
    """Return where the text from `start` ends, and where it may be cut; 0 and 0 when it is to be copied whole.

    64 bytes at a time. `owed` has a bit for each of the next bytes that must continue a character.
    """
    size = np.uint64(body.size)
    i, cut, owed = start, start + np.uint64(KEPT), _ZERO
    while i + _BLOCK + np.uint64(8) <= size:  # an escape, and the byte after a lead, lie in the body
        special = np.uint64(_quotes(body, i)) | np.uint64(_backslashes(body, i)) | np.uint64(_controls(body, i))
        stop, within = _BLOCK, _ALL
        if special:
            stop = np.uint64(first_bit(special))
            within = (_ONE << stop) - _ONE
        high = np.uint64(_beyond_ascii(body, i)) & within
        if high | owed:
            leads = np.uint64(_leads(body, i)) & within
            three = np.uint64(_leads_of_3(body, i)) & within
            four = np.uint64(_leads_of_4(body, i)) & within
            due = (leads << _ONE) | (three << np.uint64(2)) | (four << np.uint64(3)) | owed
            if (due & within) != (high & ~leads):
                return _ZERO, _ZERO
            if special:
                if due & ~within:
                    return _ZERO, _ZERO
                owed = _ZERO
            else:
                owed = (leads >> np.uint64(63)) | (three >> np.uint64(62)) | (four >> np.uint64(61))
            if (np.uint64(_never(body, i)) | np.uint64(_c0(body, i)) | np.uint64(_c1(body, i))) & within:
                return _ZERO, _ZERO
            rare = np.uint64(_e0(body, i)) | np.uint64(_ed(body, i)) | four
            if rare & within and not _are_fine(body, i, within, rare):
                return _ZERO, _ZERO
        i += stop
        if special:
            if body[i] == _QUOTE:
                break
            if body[i] != _BACKSLASH:
                return _ZERO, _ZERO
            begun = i
            i = _after_escape(body, i)
            if i == _ZERO:
                return _ZERO, _ZERO
            if begun < cut < i:
                cut = i
    else:
        return _ZERO, _ZERO
    while cut < i and body[cut] & np.uint8(0xC0) == 0x80:
        cut += _ONE
    return i, cut


@inline
def _is_named(body: Bytes, start: np.uint64, stop: np.uint64, names: Bytes, ends: U64) -> bool:
    """Say whether `body[start:stop]` is one of the names."""
    begin = _ZERO
    for n in range(ends.size):
        if ends[n] - begin == stop - start:
            same = True
            for j in range(stop - start):
                same = same and body[start + j] == names[begin + j]
            if same:
                return True
        begin = ends[n]
    return False


@inline
def _end_of_object(body: Bytes, i: np.uint64) -> np.uint64:
    """Return the place after the object that begins at `i`, 0 for one without an end."""
    size, depth, inside = np.uint64(body.size), 0, False
    while i < size:
        c = body[i]
        i += _ONE
        if inside:
            if c == _BACKSLASH:
                i += _ONE
            elif c == _QUOTE:
                inside = False
        elif c == _QUOTE:
            inside = True
        elif c == _OPEN:
            depth += 1
        elif c == _CLOSE:
            depth -= 1
            if depth == 0:
                return i
    return _ZERO


@inline
def _mark(short: Bytes, o: np.uint64, marker: Bytes, number: np.uint64) -> np.uint64:
    """Write a marker and a number at `o`; return the place after them."""
    for j in range(np.uint64(marker.size)):
        short[o + j] = marker[j]
    o += np.uint64(marker.size + DIGITS)
    for j in range(np.uint64(1), np.uint64(DIGITS + 1)):
        short[o - j] = np.uint8(0x30) + np.uint8(number % np.uint64(10))
        number //= np.uint64(10)
    return o


@leaf
def skim(
    body: Bytes, names: Bytes, ends: U64, marker: Bytes, short: Bytes, starts: U64, stops: U64
) -> tuple[np.uint64, np.uint64]:
    """Copy a body to `short` without long texts and objects; return its length and how many marks stand for them.

    Both are 0 for a body that is no JSON. `names[:ends[0]]` is the member with the object, the others those with a
    text. A cut text ends in `marker` and a number n of `DIGITS` digits, a string of these alone stands for an object;
    whole, they are `body[starts[n]:stops[n]]`. `short` has space for the body, `starts` and `stops` for one in
    `MARKED` bytes of it.
    """
    size = np.uint64(body.size)
    i, o, number = _ZERO, _ZERO, _ZERO
    begin, end = _ZERO, _ZERO  # of the string before
    while True:
        colons, others = 0, 0
        while i < size and body[i] != _QUOTE:
            c = body[i]
            short[o] = c
            colons += c == _COLON
            others += c != _COLON and c > _BLANK
            i += _ONE
            o += _ONE
            if c == _OPEN and colons == 1 and others == 1 and _is_named(body, begin, end, names, ends[:1]):
                stop = _end_of_object(body, i - _ONE)
                if stop >= i + np.uint64(MARKED):
                    starts[number], stops[number] = i - _ONE, stop
                    short[o - _ONE] = _QUOTE
                    o = _mark(short, o, marker, number)
                    short[o] = _QUOTE
                    o += _ONE
                    number += _ONE
                    i = stop
                    colons = 2
        if i >= size:
            return o, number
        short[o] = _QUOTE
        i += _ONE
        o += _ONE
        if colons == 1 and others == 0 and _is_named(body, begin, end, names, ends):
            stop, cut = _end_of_text(body, i)
            if stop > cut + np.uint64(SAVED):
                starts[number], stops[number] = i, stop
                for j in range(cut - i):
                    short[o + j] = body[i + j]
                o += cut - i
                o = _mark(short, o, marker, number)
                number += _ONE
                i = stop
        begin = i
        while i < size and body[i] != _QUOTE:
            if body[i] == _BACKSLASH and i + _ONE < size:
                short[o] = _BACKSLASH
                i += _ONE
                o += _ONE
            short[o] = body[i]
            i += _ONE
            o += _ONE
        if i >= size:
            return _ZERO, _ZERO
        end = i
        short[o] = _QUOTE
        i += _ONE
        o += _ONE
