"""Whether texts in JSON can begin as those that are sought; mostly their first characters say no.

Texts are compared in normal form (`tables.hashing.normalise`). What stands here decides only where the first characters
are such that this changes none of them.
"""

from typing import Any

import numpy as np

from benchbench.kernels._jit import inline, intrinsic, ir, leaf, types
from benchbench.kernels.arrays import I64, U8, U64, Bytes, I64x2
from benchbench.kernels.byte_words import block, copy_block, lanes, load_word

_QUOTE, _BACKSLASH = np.uint8(0x22), np.uint8(0x5C)
_ZERO, _ONE, _TWO, _BLOCK = np.uint64(0), np.uint64(1), np.uint64(2), np.uint64(64)
_HALF, _LOW = np.uint64(32), np.uint64(0xFFFFFFFF)

# What `compare_beginnings` says of a text.
NONE, OTHER, SOUGHT, OPEN = 0, 1, 2, 3

_HEAD = 17  # characters: those of a prefix (`tables.hashing.text_prefix`), and one, which might change the last of them
HEAD_BYTES = 64  # of space for them, at most three each

UNSTABLE, STABLE, BLANK = 0, 1, 2  # what `characters` says of a character


def characters() -> U8:
    """Return what is known of each character below U+10000.

    One that is stable stands for itself in NFC whatever is near, and is no CR; a blank is stable white space. Others
    may be stable and are not known to be.
    """
    kinds = np.zeros(1 << 16, np.uint8)
    for first, last in _STABLE:
        kinds[first : last + 1] = STABLE
    kinds[[0x09, 0x0A, 0x0B, 0x0C, 0x1C, 0x1D, 0x1E, 0x1F, 0x20, 0x85, 0xA0, 0x3000]] = BLANK
    kinds[0x0D] = UNSTABLE
    return kinds


_STABLE = (
    (0x0000, 0x02FF),  # Latin
    (0x0400, 0x0482),  # Cyrillic
    (0x048A, 0x052F),
    (0x3000, 0x3029),  # punctuation of Chinese and Japanese, and kana
    (0x3041, 0x3096),
    (0x30A0, 0x30FF),
    (0x3400, 0x9FFF),  # Chinese characters
    (0xAC00, 0xD7A3),  # Hangul
    (0xFF00, 0xFFEF),  # full width
)

# Bytes of UTF-8 with which none of these is written, or not all: the first, the second after one, the third after two.
_UNKNOWN = (0xC2, 0xC2), (0xCC, 0xCF), (0xD2, 0xE2), (0xEE, 0xEE), (0xF0, 0xFF)
_UNKNOWN_SECOND = (0xE3, 0x84, 0x8F), (0xEA, 0x80, 0xAF), (0xED, 0x9E, 0xBF), (0xEF, 0x80, 0xBB)
_UNKNOWN_THIRD = (
    *((0xE3, 0x80, 0x80, 0x80), (0xE3, 0x80, 0xAA, 0xBF), (0xE3, 0x81, 0x80, 0x80), (0xE3, 0x82, 0x97, 0x9F)),
    (0xEF, 0xBF, 0xB0, 0xBF),
)


@intrinsic
def stable_characters(typing: Any, text: Any, i: Any) -> Any:
    """Return how many characters of `text[i:i + 64]` come before one that has an escape or may be none of `_STABLE`.

    `text[i - 2:i + 64]` is UTF-8 without control characters. A quote and U+3000 count as such characters too.
    """

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        now, one, two = (block(context, builder, signature, arguments, 64, back) for back in range(3))

        def within(bytes_: Any, first: int, last: int) -> Any:
            return builder.and_(lanes(builder, ">=", bytes_, first), lanes(builder, "<=", bytes_, last))

        found = builder.or_(lanes(builder, "==", now, 0x22), lanes(builder, "==", now, 0x5C))
        for first, last in _UNKNOWN:
            found = builder.or_(found, within(now, first, last))
        for lead, first, last in _UNKNOWN_SECOND:
            found = builder.or_(found, builder.and_(lanes(builder, "==", one, lead), within(now, first, last)))
        for lead, second, first, last in _UNKNOWN_THIRD:
            both = builder.and_(lanes(builder, "==", two, lead), lanes(builder, "==", one, second))
            found = builder.or_(found, builder.and_(both, within(now, first, last)))
        starts = builder.or_(lanes(builder, "<", now, 0x80), lanes(builder, ">=", now, 0xC0))
        word = ir.IntType(64)
        unknown, begun = builder.bitcast(found, word), builder.bitcast(starts, word)
        before = builder.and_(builder.not_(unknown), builder.sub(unknown, ir.Constant(word, 1)))
        return builder.ctpop(builder.and_(begun, before))

    return types.uint64(text, types.uint64), generate


@inline
def _continued(text: Bytes, i: np.uint64) -> np.uint64:
    return np.uint64(text[i] & np.uint8(0x3F))


@inline
def _hexadecimal(c: np.uint8) -> np.uint64:
    return np.uint64(c & np.uint8(0x0F)) + (np.uint64(9) if c > 0x39 else _ZERO)


@inline
def _after_head(text: Bytes, i: np.uint64, stop: np.uint64, kinds: U8, head: Bytes) -> np.uint64:
    """Write the first characters from `i` on as UTF-8; return how many bytes, 0 where these do not decide."""
    read, length = 0, _ZERO
    while i < stop:
        c = text[i]
        code = np.uint64(c)
        i += _ONE
        if c == _BACKSLASH:
            c = text[i]
            code = np.uint64(c)
            i += _ONE
            if c == 0x75:  # u
                code = _ZERO
                for j in range(np.uint64(4)):
                    code = code << np.uint64(4) | _hexadecimal(text[i + j])
                i += np.uint64(4)
            elif c == 0x6E:
                code = np.uint64(0x0A)
            elif c >= 0x62:  # b, f, r, t: those that may matter have no place in a head that decides
                return _ZERO
        elif c >= 0xF0:
            return _ZERO
        elif c >= 0xE0:
            code = (code & np.uint64(0x0F)) << np.uint64(12) | _continued(text, i) << np.uint64(6)
            code |= _continued(text, i + _ONE)
            i += _TWO
        elif c >= 0xC0:
            code = (code & np.uint64(0x1F)) << np.uint64(6) | _continued(text, i)
            i += _ONE
        kind = kinds[code]
        if kind == UNSTABLE or (read == 0 and kind == BLANK):
            return _ZERO
        read += 1
        if read == _HEAD:
            return length
        if code < 0x80:
            head[length] = np.uint8(code)
        else:
            if code < 0x800:
                head[length] = np.uint8(np.uint64(0xC0) | code >> np.uint64(6))
            else:
                head[length] = np.uint8(np.uint64(0xE0) | code >> np.uint64(12))
                length += _ONE
                head[length] = np.uint8(np.uint64(0x80) | (code >> np.uint64(6) & np.uint64(0x3F)))
            length += _ONE
            head[length] = np.uint8(np.uint64(0x80) | (code & np.uint64(0x3F)))
        length += _ONE
    return _ZERO


@leaf
def compare_beginnings(
    text: Bytes, spans: U64, counts: I64, prefixes: Bytes, ends: I64, offsets: I64x2, kinds: U8, head: Bytes, found: U8
) -> None:
    """Say of each hit's text whether it can begin as one that is sought, by its first characters.

    Parameters
    ----------
    text, spans
        The values of the hits: JSON strings.
    counts
        Hits of each query.
    prefixes, ends, offsets
        As `tables.text_prefixes.Prefixes` has them.
    kinds
        What is known of each character (`characters`).
    head
        Space for the beginning of a text.
    found
        `NONE` without a value, `OTHER` for a text that begins as no prefix, however it is normalised, `SOUGHT` for one
        that begins as one, and `OPEN` where the value has to say.
    """
    h, size_of_text = 0, np.uint64(text.size)
    for q in range(counts.size):
        for _ in range(counts[q]):
            start, stop = spans[h] & _LOW, spans[h] >> _HALF
            found[h] = OPEN if stop else NONE
            length = _ZERO
            if stop and text[start] == _QUOTE:
                start += _ONE
                if start + _BLOCK <= size_of_text and text[start] != 0x20 and stable_characters(text, start) > _HEAD:
                    copy_block(text, start, head)
                    length = _BLOCK
                else:
                    length = _after_head(text, start, stop - _ONE, kinds, head)
            if length:
                found[h], word = OTHER, load_word(head, _ZERO)
                for source in range(offsets.shape[0]):
                    for p in range(offsets[source, q], offsets[source, q + 1]):
                        j, size = np.uint64(ends[p]), np.uint64(ends[p + 1] - ends[p])
                        if size >= 8 and load_word(prefixes, j) != word:  # nearly always
                            continue
                        k = _ZERO
                        while k < size and k < length and head[k] == prefixes[j + k]:
                            k += _ONE
                        if k == size:
                            found[h] = SOUGHT
            h += 1
