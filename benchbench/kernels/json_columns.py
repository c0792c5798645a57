"""Where the members of hits stand in lists of JSON objects, and columns of what stands there.

One walk checks that an answer is JSON in UTF-8, and notes where the wanted members of hits stand. What it cannot decide
it refuses, and who calls reads the answer another way.

Names that lead to something wanted form a tree, a row of `nodes` for each: from the whole answer to the list of lists,
to the lists of hits, to hits, and in these to members. A span is where a value begins, and in the upper 32 bits where
it ends; 0 stands for none. Places are unsigned: numba would check each signed one for being negative.
"""

from typing import Annotated

import numpy as np

from benchbench.kernels._jit import inline, leaf, step
from benchbench.kernels.arrays import F64, I64, U8, U64, Bools, Bytes, I32x2, I64x2, Records, StridedU64x2, U64x2
from benchbench.kernels.byte_words import first_bit, string_marks, tail_word, utf8_errors
from benchbench.kernels.decimal import PARSED, parse_float
from benchbench.kernels.spans import hash_span

NODE = np.dtype(
    [
        ("opens", np.uint64),  # the byte that its value must begin with, or 0
        ("first", np.uint64),  # its children: `first:last`, of a list the one
        ("last", np.uint64),
        ("start", np.uint64),  # where its name stands in `names` …
        ("length", np.uint64),
        ("word", np.uint64),  # … and the first 8 bytes of that
        ("own", np.uint64),  # 1 where its value is wanted
        ("below", np.uint64),  # rows of spans, for itself first and for all below it: `below:behind`
        ("behind", np.uint64),
    ],
    align=True,
)
Nodes = Annotated[Records, NODE]
NO_NODE, SKIPPED, HIT, HITS, LISTS, WAY = 0, 1, 2, 3, 4, 5  # the first rows; from `WAY` on objects on the way to hits;
# `below` and `behind` of the first are the nodes that the whole answer has as an object and as a list, 0 for none
SHORTEST, BLANKS = 40, b" \t\n\r"  # bytes of a text, and those that JSON may have between values

_QUOTE, _BACKSLASH, _BLANK = np.uint8(0x22), np.uint8(0x5C), np.uint8(0x20)
_COMMA, _COLON, _NULL = np.uint8(0x2C), np.uint8(0x3A), np.uint8(0x6E)
_MINUS, _ZERO_DIGIT, _NINE_DIGIT = np.uint8(0x2D), np.uint8(0x30), np.uint8(0x39)
_BRACE, _BRACKET, _END_BRACE, _END_BRACKET = np.uint8(0x7B), np.uint8(0x5B), np.uint8(0x7D), np.uint8(0x5D)
_BLANKS = np.uint64(sum(1 << byte for byte in BLANKS))
_ZERO, _ONE, _TWO, _THREE = np.uint64(0), np.uint64(1), np.uint64(2), np.uint64(3)
_EIGHT, _BLOCK = np.uint64(8), np.uint64(32)
_HALF, _LOW = np.uint64(32), np.uint64(0xFFFFFFFF)
_LIST, _FOUND = np.uint64(1), np.uint64(2)  # marks of an open value, beside its node: a list; has what leads to hits

_DIGITS, _HEXADECIMAL, _SIGNS = "0123456789", "0123456789abcdefABCDEF", "+-"
_MOVES = {  # of a scan of a number, a word or an escape: what is read next, by the character
    "scalar": {"-": "number", "0": "dot", "123456789": "digits", "t": "rue", "f": "alse", "n": "ull"},
    "number": {"0": "dot", "123456789": "digits"},
    "digits": {_DIGITS: "digits", ".": "fraction", "eE": "exponent"},
    "dot": {".": "fraction", "eE": "exponent"},
    "fraction": {_DIGITS: "fractions"},
    "fractions": {_DIGITS: "fractions", "eE": "exponent"},
    "exponent": {_SIGNS: "signed", _DIGITS: "exponents"},
    "signed": {_DIGITS: "exponents"},
    "exponents": {_DIGITS: "exponents"},
    "escape": {'"\\/bfnrt': "", "u": "xxxx"},
    **{word[n:]: {word[n]: word[n + 1 :]} for word in ("true", "false", "null") for n in range(1, len(word))},
    **{"x" * n: {_HEXADECIMAL: "x" * (n - 1)} for n in range(1, 5)},
    "": {},
}
_WHOLE = ("digits", "dot", "fractions", "exponents", "")  # what may be followed by anything
_END = 1
_STATES = ["no token", "end", *_MOVES]
_SCALAR, _ESCAPE = (np.uint8(_STATES.index(name)) for name in ("scalar", "escape"))


def _steps() -> U8:
    """Return the state that follows on another one and a byte: 0 for no token, `_END` before the first byte behind."""
    steps = np.zeros((len(_STATES), 256), np.uint8)
    for name, moves in _MOVES.items():
        row = steps[_STATES.index(name)]
        row[:] = _END if name in _WHOLE else 0
        for characters, after in moves.items():
            row[list(characters.encode())] = _STATES.index(after)
    return steps


_STEPS = _steps()


@step
def _after_blanks(text: Bytes, i: np.uint64) -> np.uint64:
    while text[i] <= _BLANK and _BLANKS >> np.uint64(text[i]) & _ONE:
        i += _ONE
    return i


@step
def _after_token(text: Bytes, i: np.uint64, state: np.uint8) -> np.uint64:
    """Return the place after a number, a word or an escape of which the rest begins at `i`, 0 where there is none."""
    while True:
        state = _STEPS[state, text[i]]
        if state <= _END:
            return i if state else _ZERO
        i += _ONE


@inline
def _end_of_string(text: Bytes, i: np.uint64) -> np.uint64:
    """Return the place of the quote that ends the string whose characters begin at `i`, 0 where it is no string."""
    last = np.uint64(text.size) - _BLOCK
    while i < _THREE:  # too little stands before it for a block to look back at
        if text[i] <= _QUOTE or text[i] == _BACKSLASH or 0x80 <= text[i] < 0xC2 or text[i] > 0xF4:
            return _ZERO
        i += _ONE
    while True:
        at = i if i < last else last
        found = string_marks(text, at)
        special = (found & _LOW) >> (i - at)
        if found > _LOW and (utf8_errors(text, at) >> (i - at)) & (special ^ (special - _ONE)):
            return _ZERO
        if special == _ZERO:
            if at != i:
                return _ZERO
            i += _BLOCK
        else:
            i += first_bit(special)
            if text[i] != _BACKSLASH:
                return i if text[i] == _QUOTE else _ZERO
            i = _after_token(text, i + _ONE, _ESCAPE)
            if i == _ZERO:
                return _ZERO


@step
def _is_named(
    node: np.uint64, word: np.uint64, text: Bytes, start: np.uint64, stop: np.uint64, nodes: Nodes, names: Bytes
) -> bool:
    """Say whether a node has the name `text[start:stop]`, of which `word` is the beginning."""
    if nodes[node].word != word or nodes[node].length != stop - start:
        return False
    at = nodes[node].start - start
    start += _EIGHT
    while start < stop and text[start] == names[at + start]:
        start += _ONE
    return bool(start >= stop)


@leaf
def walk(
    text: Bytes,
    nodes: Nodes,
    names: Bytes,
    likely: U64,
    top_k: int,
    stack: U64,
    spans: U64x2,
    is_used: Bools,
    counts: I64,
) -> bool:
    """Note where the wanted members of hits stand; False for what is no JSON in UTF-8, or is of another shape.

    Parameters
    ----------
    text
        The answer without a blank at its end, and with blanks before it where it has fewer than `SHORTEST` bytes.
    nodes, names
        The tree of names, and the names themselves, one behind the other.
    likely
        Space, two for each node, with 0 or what an earlier call has left: which node came next.
    top_k
        Hits of a list that are noted. Others are counted.
    stack
        Space for the values in which a value is.
    spans, is_used
        (rows, hits), all 0: what hit `h` has for row `r` becomes `spans[r, h]`, where that is not null, and no object
        in which another wanted member may be. `is_used[r]` becomes true where any hit has something.
    counts
        Hits of each list.

    Returns
    -------
    bool
        False too where there are more hits than `spans` has columns, more in one another than `stack` has places, or a
        name that leads to hits comes twice, and where a name is written with an escape that may be a wanted one.
    """
    size = np.uint64(text.size)
    # no step leaves the text, for the last byte ends all but strings
    if text[size - _ONE] != _END_BRACE and text[size - _ONE] != _END_BRACKET:
        return False
    i = _after_blanks(text, _ZERO)
    child = nodes[NO_NODE].below if text[i] == _BRACE else nodes[NO_NODE].behind
    if child == NO_NODE:
        return False
    depth, wanted_depth, begin_wanted, wanted = 0, -1, _ZERO, _ZERO
    entry, node, before, is_name = _ZERO, _ZERO, _ZERO, False
    noted, hit, q, count = _ZERO, _ZERO, 0, 0
    while True:
        i = _after_blanks(text, i)
        begin, c, end = i, text[i], _ZERO
        if c == _QUOTE:
            i = _end_of_string(text, i + _ONE)
            if i == _ZERO:
                return False
            start, stop = begin + _ONE, i
            end = i = i + _ONE
            if is_name:
                i = _after_blanks(text, i)
                if text[i] != _COLON:
                    return False
                i += _ONE
                is_name, child = False, _ZERO
                if node:
                    word = tail_word(text, start, stop if stop - start < _EIGHT else start + _EIGHT)
                    child, other = likely[before], nodes[node].first
                    while not _is_named(child, word, text, start, stop, nodes, names):
                        if other == nodes[node].last:
                            while start < stop and text[start] != _BACKSLASH:
                                start += _ONE
                            if start < stop:
                                return False
                            child = _ZERO
                            break
                        child = other
                        other += _ONE
                    if child:
                        likely[before] = child
                        before = _TWO * child + _ONE
                        if nodes[child].opens:
                            if entry & _FOUND:
                                return False
                            entry |= _FOUND
                        for place in range(nodes[child].below, nodes[child].behind):  # of the same name before
                            spans[place, hit] = _ZERO
                continue
        elif is_name:
            return False
        elif c in (_BRACE, _BRACKET):
            if depth == stack.size:
                return False
            stack[depth] = entry
            depth += 1
            opens = nodes[child].opens
            if opens:
                if opens != c:
                    return False
                if child == HIT:
                    if noted == np.uint64(spans.shape[1]):
                        return False
                    hit = noted
                    noted += _ONE
                if child <= HIT:
                    count += 1
                elif child == HITS:
                    if q == counts.size:
                        return False
                    count = 0
            elif c == _BRACKET or nodes[child].first == nodes[child].last:
                if nodes[child].own:
                    wanted_depth, begin_wanted, wanted = depth, i, child
                child = _ZERO
            node, is_name = child, bool(c == _BRACE)
            entry = node << _TWO | (_ZERO if is_name else _LIST) | (_FOUND if child < WAY or not opens else _ZERO)
            if node:
                before, child = _TWO * node, nodes[node].first
            i = _after_blanks(text, i + _ONE)
            if text[i] != (_END_BRACE if is_name else _END_BRACKET):
                continue
        else:
            end = i = _after_token(text, i, _SCALAR)
            if end == _ZERO:
                return False
        if end and child:
            if nodes[child].opens:
                return False
            if nodes[child].own and c != _NULL:
                spans[nodes[child].below, hit] = begin | end << _HALF
                is_used[nodes[child].below] = True
        while True:
            i = _after_blanks(text, i)
            if text[i] == _COMMA:
                break
            if text[i] != (_END_BRACKET if entry & _LIST else _END_BRACE) or not entry & _FOUND:
                return False
            i += _ONE
            if node == HITS:
                counts[q] = count
                q += 1
            elif depth == wanted_depth:
                spans[nodes[wanted].below, hit] = begin_wanted | i << _HALF
                is_used[nodes[wanted].below] = True
                wanted_depth = -1
            if node:
                before = _TWO * node + _ONE
            depth -= 1
            if depth == 0 or i == size:
                return bool(depth == 0 and i == size and q == counts.size)
            entry = stack[depth]
            node = entry >> _TWO
        i += _ONE
        is_name = not entry & _LIST
        child = np.uint64(SKIPPED) if node == HITS and count >= top_k else nodes[node].first


@leaf
def number_values(
    text: Bytes,
    spans: StridedU64x2,
    is_used: Bools,
    ways: I64x2,
    slots: U64x2,
    known: I32x2,
    counts: I64,
    new: U64x2,
    numbers: I32x2,
) -> bool:
    """Give the values of each label numbers, in order of appearance; False where there is no room for a new one.

    Parameters
    ----------
    text, spans, is_used
        As `walk` leaves them. Values are equal where the hashes of their JSON are.
    ways
        (labels, alternatives): the rows of spans of which the first with a value counts, and behind them -1.
    slots, known
        (labels, a power of two that is twice as large as there is room for values): hashes, at first 0, and their
        numbers, which stay from one call to the next.
    counts, new
        How many values of each label there are; (labels, values): where those that are new stand.
    numbers
        (labels, hits): the number of each hit's value, -1 for none.
    """
    mask = np.uint64(slots.shape[1] - 1)
    for f in range(ways.shape[0]):
        first, behind = 0, 0
        for w in range(ways.shape[1]):
            if ways[f, w] >= 0 and is_used[ways[f, w]]:
                first, behind = first if behind else w, w + 1
        for h in range(numbers.shape[1]):
            span = _ZERO
            for w in range(first, behind):
                if span == _ZERO:
                    span = spans[ways[f, w], h]
            numbers[f, h] = -1
            if span:
                value = hash_span(text, span & _LOW, span >> _HALF)
                slot = value & mask
                while slots[f, slot] and slots[f, slot] != value:
                    slot = (slot + _ONE) & mask
                if slots[f, slot] == _ZERO:
                    if counts[f] == new.shape[1]:
                        return False
                    slots[f, slot], known[f, slot], new[f, counts[f]] = value, counts[f], span
                    counts[f] += 1
                numbers[f, h] = known[f, slot]
    return True


@leaf
def read_numbers(text: Bytes, spans: U64, numbers: F64) -> bool:
    """Read a JSON number from each span; False where one is something else, is `-0`, or is left to `float()`.

    `-0` is an integer to some parsers, which has no sign.
    """
    for h in range(spans.size):
        start, stop = spans[h] & _LOW, spans[h] >> _HALF
        if start == stop or not (_ZERO_DIGIT <= text[start] <= _NINE_DIGIT or text[start] == _MINUS):
            return False
        status, numbers[h] = parse_float(text, start, stop)
        if status != PARSED or (numbers[h] == 0.0 and text[start] == _MINUS):
            return False
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
