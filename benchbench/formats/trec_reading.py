"""TREC runs and qrels from text, parsed as bytes, in parts, on all cores.

A part is a piece of the text that begins and ends with a query, so that parts are ranked apart. A plain file is
mapped and let go of part by part; a stream is read in blocks.
"""

import mmap
from collections.abc import Callable, Iterator
from functools import partial
from typing import TypeVar

import numpy as np

from benchbench.errors import InputError
from benchbench.formats.source import LONGEST, Source
from benchbench.kernels.arrays import Bytes
from benchbench.kernels.trec_lines import (
    CONTROL,
    FINE,
    NOT_A_NUMBER,
    NUMBER,
    RANK,
    Lines,
    Parsed,
    count_lines,
    last_query,
    lines,
    next_query,
    parse_lines,
)
from benchbench.tables.borrowed import ArrayPool, Borrowed
from benchbench.tables.rows import Rows

PART = 1 << 22  # bytes of text that a thread parses at once
_NONE = np.empty(0, np.uint64)
_Result = TypeVar("_Result")


def mapped_rows(text: Bytes, run: bool, name: str) -> Iterator[Borrowed[Rows]]:
    """Yield the rows of a text that ends in a line end, part by part.

    InputError from the use of a part names the line and what is wrong with it.
    """
    start, scratch = 0, ArrayPool(lines)
    while start < text.size:
        stop = min(start + PART, text.size)
        if stop < text.size:
            stop = int(next_query(text, stop, text.size))
        if stop - start > LONGEST:
            _check_lines(text, start, stop, name)
        yield _part(scratch, text, start, stop, run, name, 0)
        start = stop


def streamed_rows(source: Source, run: bool) -> Iterator[Borrowed[Rows]]:
    """Yield the same of what has to be read from front to back."""
    rest, before, scratch = b"", 0, ArrayPool(lines)
    with source.opened() as file:
        while block := file.read(max(PART, len(rest))):
            rest += block
            whole = rest.rfind(b"\n") + 1
            if len(rest) - whole > LONGEST:
                line = before + rest.count(b"\n") + 1
                raise InputError(f"{source.name}, line {line}: longer than {LONGEST >> 20} MiB")
            text = np.frombuffer(rest, np.uint8)
            cut = int(last_query(text, whole)) if whole else 0
            if cut:
                yield _part(scratch, text[:cut], 0, cut, run, source.name, before)
                before += int(count_lines(text, 0, cut))
                rest = rest[cut:]
    if rest:
        text = np.frombuffer(rest if rest.endswith(b"\n") else rest + b"\n", np.uint8)
        yield _part(scratch, text, 0, text.size, run, source.name, before)


def _check_lines(text: Bytes, start: int, stop: int, name: str) -> None:
    """Refuse a line that is too long, a window at a time; a part is longer than one where a query has many lines."""
    while start < stop:
        ends = np.flatnonzero(text[start : min(start + LONGEST, stop)] == ord("\n"))
        if not ends.size:
            raise InputError(f"{name}, line {_line(text, start)}: longer than {LONGEST >> 20} MiB")
        start += int(ends[-1]) + 1


def _part(
    scratch: ArrayPool[Lines], text: Bytes, start: int, stop: int, run: bool, name: str, before: int
) -> Borrowed[Rows]:
    """Return a part to be parsed into memory that has held another: fresh memory would cost half as much as parsing."""
    rows = partial(_rows, text, start, stop, run, name, before)
    parsed = scratch.lent(lambda: int(count_lines(text, start, stop)), rows)

    def lend(use: Callable[[Rows], _Result]) -> _Result:
        result = parsed.use(use)
        _forget(text, start, stop)
        return result

    return Borrowed(lend)


def _rows(text: Bytes, start: int, stop: int, run: bool, name: str, before: int, scratch: Lines) -> Rows:
    parsed = parse_lines(text, start, stop, run, scratch)
    if parsed.problem != FINE:
        raise InputError(f"{name}, line {before + _line(text, int(parsed.place))}: {_problem(text, parsed, run)}")
    groups, rows = int(parsed.groups), int(parsed.rows)
    value = scratch.value[:rows]
    for row in np.flatnonzero(np.isnan(value)).tolist():
        place = int(scratch.number[row] ^ NOT_A_NUMBER)
        field = _field(text, place)
        try:
            value[row] = float(field)
        except ValueError:
            raise InputError(f"{name}, line {before + _line(text, place)}: {_no_number(field, run)}") from None
        if np.isinf(value[row]):  # written `inf`, it would have been decided
            large = f"the {'score' if run else 'grade'} {field[:40].decode()!r} is too large for a 64-bit float"
            raise InputError(f"{name}, line {before + _line(text, place)}: {large}")
    return Rows(
        text,
        scratch.groups[: groups + 1],
        scratch.query[:groups],
        scratch.query_start[:groups],
        scratch.query_stop[:groups],
        scratch.document[:rows],
        scratch.document_start[:rows],
        scratch.document_stop[:rows],
        value,
        _NONE if run else scratch.iteration[:rows],
    )


def _field(text: Bytes, place: int) -> bytes:
    """Return the field that begins there; few are longer than 64 bytes."""
    size = 64
    while True:
        piece = bytes(text[place : place + size])
        field = piece.split(maxsplit=1)[0]
        if len(field) < len(piece):
            return field
        size *= 16


def _forget(text: Bytes, start: int, stop: int) -> None:
    """Release a mapped part, so that memory does not grow with the file; what is needed again is read again."""
    mapped = getattr(text.base, "obj", None)  # numpy keeps a memoryview of the map
    if isinstance(mapped, mmap.mmap) and hasattr(mmap, "MADV_DONTNEED"):
        first = -(-start // mmap.PAGESIZE) * mmap.PAGESIZE
        if stop > first:
            mapped.madvise(mmap.MADV_DONTNEED, first, stop - first)


def _line(text: Bytes, place: int) -> int:
    return int(count_lines(text, 0, place)) + 1


def _problem(text: Bytes, parsed: Parsed, run: bool) -> str:
    line = bytes(text[parsed.place : parsed.place + 1000]).split(b"\n")[0]
    fields = line.split()
    if parsed.problem == CONTROL:
        return "a control character, so this is not a text file"
    if parsed.problem == NUMBER:
        return _no_number(fields[4 if run else 3], run)
    if parsed.problem == RANK:
        rank = fields[3][:40].decode(errors="replace")
        return f"the rank {rank!r} is not a number; a document id cannot hold white space"
    wanted = "6 (query, Q0, document, rank, score, tag)" if run else "4 (query, iteration, document, grade)"
    return f"{len(fields)} fields instead of {wanted}{_instead(fields, run)}"


def _instead(fields: list[bytes], run: bool) -> str:
    """Say what a line with another number of fields looks like."""
    if run and len(fields) == 4 and _is_number(fields[3]):
        return "; this is a line of judgments, not of a run"
    if not run and len(fields) in (5, 6) and _is_number(fields[3]) and _is_number(fields[4]):
        return "; this is a line of a run, not of judgments"
    if len(fields) == 3:
        names = f"query_id, doc_id, {'score' if run else 'relevance'}"
        return f"; a table with three columns begins with a line that names them, {names}, separated by tabs or commas"
    return ""


def _is_number(field: bytes) -> bool:
    try:
        float(field)
    except ValueError:
        return False
    return True


def _no_number(field: bytes, run: bool) -> str:
    return f"the {'score' if run else 'grade'} {field[:40].decode(errors='replace')!r} is not a number"
