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

from benchbench.kernels._jit import jit, leaf
from benchbench.kernels.arrays import F64, U64, Bytes
from benchbench.kernels.decimal import BAD, UNDECIDED, parse_float
from benchbench.kernels.spans import hash_span

FINE, FIELDS, NUMBER, CONTROL, RANK = 0, 1, 2, 3, 4  # what stopped the parsing


class Lines(NamedTuple):
    """What a text holds. A group is a stretch of lines of one query."""

    groups: U64  # first row of each group, and the number of rows
    query_start: U64  # of each group
    query_stop: U64
    query: U64  # hash of each group's query id
    document: U64  # hash of each row's document id
    document_start: U64
    document_stop: U64
    value: F64  # score or grade
    undecided: U64  # (n, 3): rows whose value `float()` has to read, and the span to read it from
    problem: int  # FINE, or why parsing stopped
    place: int | np.int64  # byte where the bad line begins


@leaf
def _after_field(text: Bytes, i: np.uint64) -> np.uint64:
    """Return the first place from `i` that is white space or a control character."""
    one = np.uint64(1)
    while text[i] > 0x20:
        i += one
    return i


@leaf
def _next_field(text: Bytes, i: np.uint64) -> np.uint64:
    """Return the first place from `i` that is no white space within the line."""
    one = np.uint64(1)
    while text[i] == 0x20 or text[i] == 0x09 or 0x0B <= text[i] <= 0x0D:
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
def count_lines(text: Bytes, start: int, stop: int) -> int:
    """Return the number of line ends in a stretch of text."""
    lines = 0
    for c in text[start:stop]:
        lines += c == 0x0A
    return lines


@jit
def parse_lines(text: Bytes, start: int, stop: int, run: bool) -> Lines:
    """Parse `text[start:stop]`, whole lines of a run (query, Q0, document, rank, score, tag) or of qrels.

    Qrels have query, iteration, document and grade. The tag of a run may be missing, and what stands behind it
    is ignored, as trec_eval does.
    """
    one = np.uint64(1)
    capacity = count_lines(text, start, stop)
    groups, query = np.empty(capacity + 1, np.uint64), np.empty(capacity, np.uint64)
    query_start, query_stop = np.empty(capacity, np.uint64), np.empty(capacity, np.uint64)
    document, value = np.empty(capacity, np.uint64), np.empty(capacity, np.float64)
    document_start, document_stop = np.empty(capacity, np.uint64), np.empty(capacity, np.uint64)
    undecided = np.empty((0, 3), np.uint64)
    row, group, slow = np.uint64(0), np.uint64(0), 0
    known, known_stop = np.uint64(0), np.uint64(0)  # the span of the query of the line before
    problem, line = FINE, np.uint64(start)
    i = line
    while i < np.uint64(stop):
        line = i
        if text[i] == 0x23:
            while text[i] != 0x0A:
                i += one
            i += one
            continue
        i = _next_field(text, i)
        if text[i] == 0x0A:
            i += one
            continue
        first = i
        same = known  # walks along the query of the line before
        while text[i] > 0x20 and same < known_stop and text[i] == text[same]:
            i += one
            same += one
        if text[i] > 0x20 or same < known_stop or known == known_stop:
            i = _after_field(text, i)
            if i == first:
                problem = CONTROL
                break
            groups[group] = row
            query_start[group], query_stop[group] = first, i
            query[group] = hash_span(text, first, i)
            group += one
            known, known_stop = first, i
        i = _next_field(text, _after_field(text, _next_field(text, i)))
        document_start[row] = i
        i = _after_field(text, i)
        document_stop[row] = i
        i = _next_field(text, i)
        if run:
            if not (0x30 <= text[i] <= 0x39 or text[i] == 0x2D or text[i] < 0x20):
                problem = RANK
                break
            i = _next_field(text, _after_field(text, i))
        number = i
        i = _after_field(text, i)
        number_stop = i
        i = _next_field(text, i)
        while run and text[i] >= 0x20:  # the tag, and whatever stands behind it
            i = _next_field(text, _after_field(text, i))
        if text[i] != 0x0A or number == number_stop:
            problem = CONTROL if text[i] < 0x20 and text[i] != 0x0A else FIELDS
            break
        status, parsed = parse_float(text, number, number_stop)
        if status == BAD:
            problem = NUMBER
            break
        if status == UNDECIDED:
            if slow == len(undecided):
                grown = np.empty((2 * slow + 64, 3), np.uint64)
                grown[:slow] = undecided
                undecided = grown
            undecided[slow, 0], undecided[slow, 1], undecided[slow, 2] = row, number, number_stop
            slow += 1
        document[row] = hash_span(text, document_start[row], document_stop[row])
        value[row] = parsed
        row += one
        i += one
    groups[group] = row
    return Lines(
        groups[: group + one],
        query_start[:group],
        query_stop[:group],
        query[:group],
        document[:row],
        document_start[:row],
        document_stop[:row],
        value[:row],
        undecided[:slow],
        problem,
        np.int64(line),
    )
