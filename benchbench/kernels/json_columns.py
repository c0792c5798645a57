"""Where the members of hits stand in lists of JSON objects, and columns of what stands there.

The lists were found to be JSON in UTF-8 before (`client.answer_columns`): nothing is checked here, and no step leaves
them. What the walk cannot decide it refuses, and who calls reads the answer another way.

The names of members that lead to something wanted form a tree, a row of `nodes` for each: the wanted members of an
object are the children of one node. A span is where a value begins, and in the upper 32 bits where it ends; 0 stands
for none. Places are unsigned: numba would check each signed one for being negative.
"""

import numpy as np

from benchbench.kernels._jit import inline, leaf
from benchbench.kernels.arrays import I32, I64, U64, Bools, Bytes
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
