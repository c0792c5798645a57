"""Where the members of hits stand in lists of JSON objects, and columns of what stands there.

The lists were found to be JSON in UTF-8 before (`client.answer_columns`): nothing is checked here, and no step leaves
them. What the walk cannot decide it refuses, and who calls reads the answer another way.

The names of members that lead to something wanted form a tree, a row of `nodes` for each: the wanted members of an
object are the children of one node. A span is where a value begins, and in the upper 32 bits where it ends; 0 stands
for none. Places are unsigned: numba would check each signed one for being negative.
"""

import numpy as np

from benchbench.kernels._jit import inline, leaf
from benchbench.kernels.arrays import I32, I64, U8, U64, Bools, Bytes
from benchbench.kernels.byte_words import any_of, first_bit, tail_word
from benchbench.kernels.spans import hash_span

FIELDS = 9  # of a row of `nodes`:
PARENT, FIRST, LAST = 0, 1, 2  # the node of the object around it, and its children, …
START, LENGTH, WORD = 3, 4, 5  # … where its name stands in `names`, and the first 8 bytes of that as a word, …
OWN, BELOW, BEHIND = 6, 7, 8  # … 1 where its value is wanted, and the rows of spans for itself, first, and all below it
NO_NODE, HIT = 0, 1  # the first rows

_QUOTE, _BACKSLASH, _BLANK = np.uint8(0x22), np.uint8(0x5C), np.uint8(0x20)
_COMMA, _NULL = np.uint8(0x2C), np.uint8(0x6E)
_BRACE, _BRACKET, _END_BRACE, _END_BRACKET = np.uint8(0x7B), np.uint8(0x5B), np.uint8(0x7D), np.uint8(0x5D)
_ZERO, _ONE, _TWO, _EIGHT, _BLOCK = np.uint64(0), np.uint64(1), np.uint64(2), np.uint64(8), np.uint64(32)
_HALF, _LOW = np.uint64(32), np.uint64(0xFFFFFFFF)

_ends_or_escapes, _structure = any_of(b'"\\'), any_of(b'"{}[]')


@inline
def _after_blanks(text: Bytes, i: np.uint64) -> np.uint64:
    while text[i] <= _BLANK:
        i += _ONE
    return i


@inline
def _end_of_string(text: Bytes, i: np.uint64) -> np.uint64:
    """Return the place of the quote that ends the string whose characters begin at `i`."""
    size = np.uint64(text.size)
    while i + _BLOCK <= size:
        special = np.uint64(_ends_or_escapes(text, i))
        if special == _ZERO:
            i += _BLOCK
            continue
        i += np.uint64(first_bit(special))
        if text[i] == _QUOTE:
            return i
        i += _TWO
    while text[i] != _QUOTE:
        i += _TWO if text[i] == _BACKSLASH else _ONE
    return i


@inline
def _after_value(text: Bytes, i: np.uint64) -> np.uint64:
    """Return the place after the value that begins at `i`, within an object."""
    size, depth, c = np.uint64(text.size), 0, text[i]
    if c != _QUOTE and c != _BRACE and c != _BRACKET:
        while c != _COMMA and c != _END_BRACE and c > _BLANK:
            i += _ONE
            c = text[i]
        return i
    while True:
        if depth and i + _BLOCK <= size:
            found = np.uint64(_structure(text, i))
            if found == _ZERO:
                i += _BLOCK
                continue
            i += np.uint64(first_bit(found))
        c = text[i]
        if c == _QUOTE:
            i = _end_of_string(text, i + _ONE)
        elif c in (_BRACE, _BRACKET):
            depth += 1
        elif c in (_END_BRACE, _END_BRACKET):
            depth -= 1
        i += _ONE
        if depth == 0:
            return i


@inline
def _is_named(
    node: np.uint64, word: np.uint64, text: Bytes, start: np.uint64, stop: np.uint64, nodes: U64, names: Bytes
) -> bool:
    """Say whether a node has the name `text[start:stop]`, of which `word` is the beginning."""
    same = bool(nodes[node, WORD] == word and nodes[node, LENGTH] == stop - start)
    for j in range(_EIGHT, stop - start if same else _ZERO):
        same = same and bool(text[start + j] == names[nodes[node, START] + j])
    return same


@leaf
def walk(
    text: Bytes,
    begins: U64,
    together: bool,
    nodes: U64,
    names: Bytes,
    likely: U64,
    top_k: int,
    spans: U64,
    is_used: Bools,
    counts: I64,
) -> bool:
    """Note where the wanted members of hits stand; False for another shape, and where a name is written with an escape.

    Parameters
    ----------
    text
        JSON in UTF-8.
    begins, together
        Where each list of hits begins; where they are together in one list, where this does.
    nodes, names
        The tree of names, and the names themselves, one behind the other.
    likely
        Space, two for each node, with 0 or what an earlier call has left: which node came next.
    top_k
        Hits of a list that are noted. Others are counted.
    spans, is_used
        (rows, hits), all 0: what hit `h` has for row `r` becomes `spans[r, h]`, where that is not null, and no object
        in which another wanted member may be. `is_used[r]` becomes true where any hit has something.
    counts
        Hits of each list.

    Returns
    -------
    bool
        False too where there are more hits than `spans` has columns: these have no wanted members.
    """
    hit, i = _ZERO, begins[0]
    if together and text[i] != _BRACKET:
        return False
    for n in range(counts.size):
        i = _after_blanks(text, i + _ONE) if together else begins[n]
        if text[i] != _BRACKET:
            return False
        count = 0
        i = _after_blanks(text, i + _ONE)
        while text[i] != _END_BRACKET:
            top = np.uint64(HIT if count < top_k else NO_NODE)
            if text[i] != _BRACE or (top and hit == np.uint64(spans.shape[1])):
                return False
            node, before = top, _TWO * top
            i = _after_blanks(text, i + _ONE)
            while True:
                if text[i] == _END_BRACE:
                    i += _ONE
                    if node == top:
                        break
                    before, node = _TWO * node + _ONE, nodes[node, PARENT]
                else:
                    start = i + _ONE
                    stop = _end_of_string(text, start)
                    word = tail_word(text, start, min(stop, start + _EIGHT))
                    child = likely[before]
                    if not _is_named(child, word, text, start, stop, nodes, names):
                        child, behind = nodes[node, FIRST], nodes[node, LAST]
                        while child < behind and not _is_named(child, word, text, start, stop, nodes, names):
                            child += _ONE
                        if child < behind:
                            likely[before] = child
                        else:
                            child = _ZERO
                            for j in range(start, stop):
                                if text[j] == _BACKSLASH:
                                    return False
                    i = _after_blanks(text, _after_blanks(text, stop + _ONE) + _ONE)
                    begin, row = i, nodes[child, BELOW]
                    if child:
                        before = _TWO * child + _ONE
                        for place in range(row, nodes[child, BEHIND]):  # of the same name before
                            spans[place, hit] = _ZERO
                        if text[i] == _BRACE and nodes[child, FIRST] < nodes[child, LAST]:
                            node, before = child, _TWO * child
                            i = _after_blanks(text, i + _ONE)
                            continue
                    i = _after_value(text, i)
                    if nodes[child, OWN] and text[begin] != _NULL:
                        spans[row, hit] = begin | i << _HALF
                        is_used[row] = True
                i = _after_blanks(text, i)
                if text[i] == _COMMA:
                    i = _after_blanks(text, i + _ONE)
            hit += top  # 1 for a hit that is noted
            count += 1
            i = _after_blanks(text, i)
            if text[i] == _COMMA:
                i = _after_blanks(text, i + _ONE)
        counts[n] = count
        if together:
            i = _after_blanks(text, i + _ONE)
            if text[i] != (_COMMA if n + 1 < counts.size else _END_BRACKET):
                return False
    return True


@inline
def _are_equal(text: Bytes, a: np.uint64, a_stop: np.uint64, other: Bytes, b: np.uint64, b_stop: np.uint64) -> bool:
    while a < a_stop and tail_word(text, a, min(a_stop, a + _EIGHT)) == tail_word(other, b, min(b_stop, b + _EIGHT)):
        a += _EIGHT
        b += _EIGHT
    return bool(a >= a_stop and b >= b_stop)


@leaf
def number_values(
    text: Bytes,
    spans: U64,
    which: I64,
    slots: I32,
    pool: Bytes,
    used: I64,
    places: U64,
    counts: I64,
    numbers: I32,
) -> bool:
    """Give the values of each field numbers, in order of appearance; False where there is no room for a new one.

    Parameters
    ----------
    text, spans
        (fields, hits): the values. They are equal where their JSON is written alike.
    which
        The fields' rows in `slots`, `places` and `counts`, which stay from one call to the next.
    slots
        (rows, a power of two that is twice as large as there is room for values), at first -1.
    pool, used
        A copy of what is known, and how many bytes it has.
    places, counts
        (rows, values): spans in `pool`, and how many values there are.
    numbers
        (fields, hits): the number of each hit's value, -1 for none.
    """
    mask = np.uint64(slots.shape[1] - 1)
    for h in range(spans.shape[1]):
        for f in range(spans.shape[0]):
            row = which[f]
            start, stop = spans[f, h] & _LOW, spans[f, h] >> _HALF
            numbers[f, h] = -1
            if start == stop:
                continue
            slot = hash_span(text, start, stop) & mask
            while slots[row, slot] >= 0:
                place = places[row, slots[row, slot]]
                if _are_equal(text, start, stop, pool, place & _LOW, place >> _HALF):
                    break
                slot = (slot + _ONE) & mask
            if slots[row, slot] < 0:
                begin, end = np.uint64(used[0]), np.uint64(used[0]) + (stop - start)
                if counts[row] == places.shape[1] or end > np.uint64(pool.size):
                    return False
                for j in range(stop - start):
                    pool[begin + j] = text[start + j]
                slots[row, slot], places[row, counts[row]], used[0] = counts[row], begin | end << _HALF, end
                counts[row] += 1
            numbers[f, h] = slots[row, slot]
    return True


@leaf
def join_values(text: Bytes, spans: U64, joined: Bytes) -> np.uint64:
    """Write values as one JSON list, in which none is null, into sufficient space; return its length."""
    at = _ZERO
    for h in range(spans.size):
        joined[at] = _COMMA if h else _BRACKET
        at += _ONE
        for j in range(spans[h] & _LOW, spans[h] >> _HALF):
            joined[at] = text[j]
            at += _ONE
        if not spans[h]:
            joined[at], joined[at + _ONE] = _NULL, np.uint8(0x75)
            joined[at + _TWO] = joined[at + _TWO + _ONE] = np.uint8(0x6C)
            at += np.uint64(4)
    joined[at] = _END_BRACKET
    return at + _ONE


# What `compare_beginnings` says of a text.
NONE, OTHER, SOUGHT, OPEN = 0, 1, 2, 3

_HEAD = 17  # characters: those of a prefix (`tables.hashing.text_prefix`), and one, which might change the last of them
HEAD_BYTES = 3 * _HEAD


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
    text: Bytes, spans: U64, counts: I64, prefixes: Bytes, ends: I64, offsets: I64, kinds: U8, head: Bytes, found: U8
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
    h = 0
    for q in range(counts.size):
        for _ in range(counts[q]):
            start, stop = spans[h] & _LOW, spans[h] >> _HALF
            found[h] = OPEN if stop else NONE
            length = (
                _after_head(text, start + _ONE, stop - _ONE, kinds, head) if stop and text[start] == _QUOTE else _ZERO
            )
            if length:
                found[h] = OTHER
                for source in range(offsets.shape[0]):
                    for p in range(offsets[source, q], offsets[source, q + 1]):
                        j, size = np.uint64(ends[p]), np.uint64(ends[p + 1] - ends[p])
                        k = _ZERO
                        while k < size and k < length and head[k] == prefixes[j + k]:
                            k += _ONE
                        if k == size:
                            found[h] = SOUGHT
            h += 1
