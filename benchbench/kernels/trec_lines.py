"""Lines of TREC runs and qrels to columns, as bytes and in one pass.

Conventions
-----------
Fields are separated by spaces, tabs or other ASCII white space; a line whose first character is `#` is a
comment; lines end with LF or CR LF, and the text ends with LF (the caller guarantees it). Spans are byte places
in the text. Parsing stops at the first line that is no line of its kind, and says where and why; nothing is
guessed. Places are unsigned: numba would check each signed one for being negative.
"""

from typing import NamedTuple

import numpy as np

from benchbench.kernels._jit import inline, leaf, step
from benchbench.kernels.arrays import F64, I64, U64, Bytes
from benchbench.kernels.byte_words import blanks, first_bit, line_ends
from benchbench.kernels.decimal import BAD, UNDECIDED, parse_float
from benchbench.kernels.spans import are_same, hash_span

FINE, FIELDS, NUMBER, CONTROL, RANK = range(5)  # what stopped the parsing
BLANK = 5  # a line without a row

_GAPS = np.uint64(1 << 0x20 | 1 << 0x09)
NOT_A_NUMBER = np.uint64(0x7FF8000000000000)

# Of a line: query, iteration, document and value, each from and to; then the place of the next line.
Fields = tuple[np.uint64, np.uint64, np.uint64, np.uint64, np.uint64, np.uint64, np.uint64, np.uint64, np.uint64]


class Lines(NamedTuple):
    """Scratch memory for the rows of a text; a group is consecutive rows of one query. Made by `lines`, used again."""

    groups: I64  # first row of each group, then the number of rows
    query_start: U64  # of each group
    query_stop: U64
    query: U64  # hash of each group's query id
    document: U64  # hash of each row's document id
    document_start: U64
    document_stop: U64
    iteration: U64  # hash of each row's second field in qrels, which may name a subtopic
    value: F64  # score or grade; NaN for one that `float()` has to read
    number: U64  # the same bits; those of such a NaN end in the place of its text


class Parsed(NamedTuple):
    """How far the parsing came."""

    groups: int
    rows: int
    problem: int  # FINE, or why parsing stopped
    place: int | np.int64  # byte where the bad line begins


def lines(capacity: int) -> Lines:
    """Return scratch memory for so many rows."""
    groups, value = np.empty(capacity + 1, np.int64), np.empty(capacity)
    a, b, c, d, e, f, g = (np.empty(capacity, np.uint64) for _ in range(7))
    return Lines(groups, a, b, c, d, e, f, g, value, value.view(np.uint64))


@inline
def _is_gap(c: np.uint8) -> bool:
    return bool(c == 0x20) or bool(c == 0x09)


@inline
def _is_no_gap(blank: np.uint8) -> bool:
    """Say whether a blank or control character is neither blank nor tab, by one test of a bit."""
    return bool((_GAPS >> np.uint64(blank)) & np.uint64(1) == np.uint64(0))


@step
def _after_field(text: Bytes, i: np.uint64) -> np.uint64:
    """Return the first place from `i` that is white space or a control character."""
    one = np.uint64(1)
    while text[i] > 0x20:
        i += one
    return i


@step
def _next_field(text: Bytes, i: np.uint64) -> np.uint64:
    """Return the first place from `i` that is no white space within the line."""
    one = np.uint64(1)
    while _is_gap(text[i]) or 0x0B <= text[i] <= 0x0C or (text[i] == 0x0D and text[i + one] == 0x0A):
        i += one
    return i


@leaf
def next_query(text: Bytes, start: int, stop: int) -> int | np.int64:
    """Return the first line begin after `start` whose query is not that of the line before it, or `stop`."""
    one, end = np.uint64(1), np.uint64(stop)
    i = np.uint64(start)
    while i < end and text[i] != 0x0A:
        i += one
    i += one
    known, known_stop = np.uint64(0), np.uint64(0)
    while i < end:
        line = i
        i = _next_field(text, i)
        first = i
        i = _after_field(text, i)
        if text[first] != 0x23 and i > first:
            if known_stop > known:
                same = i - first == known_stop - known
                for j in range(known_stop - known):
                    same = same and text[first + j] == text[known + j]
                if not same:
                    return np.int64(line)
            known, known_stop = first, i
        while text[i] != 0x0A:
            i += one
        i += one
    return stop


@leaf
def last_query(text: Bytes, stop: int) -> int | np.int64:
    """Return where the lines of the last query of `text[:stop]`, whole lines, begin."""
    one, place = np.uint64(1), np.uint64(stop)
    known, known_stop = place, place  # the query of the line behind
    i = place
    while i > 0:
        i -= one  # the end of a line
        while i > 0 and text[i - one] != 0x0A:
            i -= one
        begin = _next_field(text, i)
        end = _after_field(text, begin)
        if text[i] != 0x23 and end > begin:
            if known < known_stop:
                same = end - begin == known_stop - known
                for j in range(end - begin if same else np.uint64(0)):
                    same = same and text[begin + j] == text[known + j]
                if not same:
                    return np.int64(place)
            known, known_stop = begin, end
            place = i
    return 0


@leaf
def count_lines(text: Bytes, start: int, stop: int) -> int | np.int64:
    """Return the number of line ends in a part of a text."""
    lines, i, block = np.uint64(0), np.uint64(start), np.uint64(64)
    while i + block <= np.uint64(stop):
        lines += line_ends(text, i)
        i += block
    for c in text[np.int64(i) : stop]:
        lines += np.uint64(c == 0x0A)
    return np.int64(lines)


@inline
def _scan(text: Bytes, line: np.uint64, run: bool) -> tuple[int, Fields]:
    """Return FINE, BLANK or what is wrong with a line, and its fields, whatever blanks part them."""
    one = np.uint64(1)
    i = _next_field(text, line)
    query = i
    if text[line] == 0x23 or text[i] == 0x0A:
        while text[i] != 0x0A:
            i += one
        return BLANK, (query, query, query, query, query, query, query, query, i + one)
    i = _after_field(text, i)
    query_stop = i
    i = _next_field(text, i)
    iteration = i
    i = _after_field(text, i)
    iteration_stop = i
    i = _next_field(text, i)
    document = i
    i = _after_field(text, i)
    document_stop = i
    i = _next_field(text, i)
    problem = CONTROL if query == query_stop else FINE
    if run:
        if problem == FINE and _is_no_rank(text[i]):
            problem = RANK
        i = _next_field(text, _after_field(text, i))
    value = i
    i = _after_field(text, i)
    value_stop = i
    i = _next_field(text, i)
    while run and text[i] > 0x20:  # the tag, and whatever stands behind it
        i = _next_field(text, _after_field(text, i))
    if problem == FINE and (text[i] != 0x0A or value == value_stop):
        problem = CONTROL if text[i] < 0x20 and text[i] != 0x0A else FIELDS
    return problem, (
        query, query_stop, iteration, iteration_stop, document, document_stop, value, value_stop, i + one
    )  # fmt: skip


@inline
def _is_no_rank(c: np.uint8) -> bool:
    return not (0x30 <= c <= 0x39 or c == 0x2D or c < 0x20)


@inline
def _next_blank(text: Bytes, base: np.uint64, bits: np.uint64) -> tuple[np.uint64, np.uint64, np.uint64]:
    """Return the place of the next blank, and the block that was reached with the blanks left in it."""
    while bits == np.uint64(0):
        base += np.uint64(64)
        bits = blanks(text, base)
    return base + np.uint64(first_bit(bits)), base, bits & (bits - np.uint64(1))


@inline
def _glance(
    text: Bytes, line: np.uint64, run: bool, base: np.uint64, bits: np.uint64
) -> tuple[bool, np.uint64, np.uint64, Fields]:
    """Say whether one blank or tab parts each two fields of a line; return which blanks are left, and its fields."""
    one = np.uint64(1)
    nothing = (line, line, line, line, line, line, line, line, line)
    query_stop, base, bits = _next_blank(text, base, bits)
    if _is_no_gap(text[query_stop]) or query_stop == line or text[line] == 0x23:
        return False, base, bits, nothing
    iteration = query_stop + one
    iteration_stop, base, bits = _next_blank(text, base, bits)
    if _is_no_gap(text[iteration_stop]) or iteration_stop == iteration:
        return False, base, bits, nothing
    document = iteration_stop + one
    document_stop, base, bits = _next_blank(text, base, bits)
    if _is_no_gap(text[document_stop]) or document_stop == document:
        return False, base, bits, nothing
    last = document_stop + one  # the field that the line ends with
    end, base, bits = _next_blank(text, base, bits)
    value, value_stop = last, end
    if run:
        if _is_no_gap(text[end]) or end == last or _is_no_rank(text[last]):
            return False, base, bits, nothing
        value = end + one
        value_stop, base, bits = _next_blank(text, base, bits)
        if _is_no_gap(text[value_stop]) or value == value_stop:
            return False, base, bits, nothing
        last = value_stop + one
        end, base, bits = _next_blank(text, base, bits)
    usual = text[end] == 0x0A and last < end
    if text[end] == 0x0D and last < end:
        end, base, bits = _next_blank(text, base, bits)
        usual = text[end] == 0x0A and text[end - one] == 0x0D
    fields = (
        line, query_stop, iteration, iteration_stop, document, document_stop, value, value_stop, end + one
    )  # fmt: skip
    return bool(usual), base, bits, fields


@leaf
def parse_lines(text: Bytes, start: int, stop: int, run: bool, scratch: Lines) -> Parsed:
    """Parse `text[start:stop]`, whole lines of a run (query, Q0, document, rank, score, tag) or of qrels.

    Qrels have query, iteration, document and grade. The tag of a run may be missing, and what stands behind it
    is ignored, as trec_eval does. A line of the usual shape is taken by the places of its blanks, found 64 bytes
    at a time; any other is scanned byte by byte. `scratch` has a place for every line (`count_lines`).
    """
    block = np.uint64(64)
    row, group = 0, 0
    known, known_stop = np.uint64(0), np.uint64(0)  # the query of the line before
    problem, line = FINE, np.uint64(start)
    base, bits = line, blanks(text, line)  # a block, and which of its bytes from the line on are blanks
    while line < np.uint64(stop):
        usual, base, bits, fields = _glance(text, line, run, base, bits)
        if not usual:
            problem, fields = _scan(text, line, run)
            after = fields[8]
            base = after - (after - np.uint64(start)) % block
            if base < np.uint64(stop):
                bits = (blanks(text, base) >> (after - base)) << (after - base)
            if problem == BLANK:
                problem, line = FINE, after
                continue
            if problem != FINE:
                break
        query, query_stop, iteration, iteration_stop, document, document_stop, value, value_stop, after = fields
        status, parsed = parse_float(text, value, value_stop)
        if status == BAD:
            problem = NUMBER
            break
        if not are_same(text, query, query_stop, known, known_stop):
            scratch.groups[group], scratch.query[group] = row, hash_span(text, query, query_stop)
            scratch.query_start[group], scratch.query_stop[group] = query, query_stop
            group += 1
            known, known_stop = query, query_stop
        scratch.document_start[row], scratch.document_stop[row] = document, document_stop
        scratch.document[row] = hash_span(text, document, document_stop)
        if not run:
            scratch.iteration[row] = hash_span(text, iteration, iteration_stop)
        scratch.value[row] = parsed
        if status == UNDECIDED:
            scratch.number[row] = NOT_A_NUMBER | value
        row += 1
        line = after
    scratch.groups[group] = row
    return Parsed(group, row, problem, np.int64(line))
