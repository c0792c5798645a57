"""TREC runs and qrels from text, parsed as bytes, in parts, on all cores; and their JSON dictionaries.

A part is a stretch of the file that begins and ends with a query, so parts are ranked apart and only ranked
hashes stay. A run whose lines are not grouped by query is read again as one part.
"""

import gzip
import mmap
import os
import sys
import zlib
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from pathlib import Path

import numpy as np
import orjson

from benchbench.errors import InputError
from benchbench.formats.lines import open_input
from benchbench.kernels.arrays import U64, Bytes
from benchbench.kernels.lines import CONTROL, FIELDS, FINE, NUMBER, RANK, Lines, next_query, parse_lines
from benchbench.kernels.ranking import Ranked
from benchbench.tables.judged import Qrels, Rows, Run, as_values, ranked

PART = 4 << 20  # bytes of text that a thread parses at once; larger parts need fresh memory each time


def read_qrels(path: Path | str) -> Qrels:
    """Read qrels: TREC text (query, iteration, document, grade), or a JSON object of objects.

    `-` is standard input; a name ending in `.gz` is unpacked. InputError names file, line and reason.
    """
    text, name = _text(Path(path)), str(path)
    if _is_json(text):
        return Qrels.from_rows(Rows.from_dict(as_values(_json(text, name), name), name), name)
    return Qrels.from_rows(_rows(text, 0, text.size, False, name), name)


def read_run(path: Path | str, ties: str = "trec", strict: bool = False) -> Run:
    """Read a run: TREC text (query, Q0, document, rank, score, tag), or a JSON object of objects.

    Parameters
    ----------
    path
        As for `read_qrels`.
    ties
        `trec`: score, then document id, both descending; the rank column is ignored. `input`: the order of
        the lines.
    strict
        A document twice for a query is an error instead of being dropped and counted.
    """
    text, name = _text(Path(path)), str(path)
    title = Path(name).name
    if _is_json(text):
        rows = Rows.from_dict(as_values(_json(text, name), name), name)
        return Run.from_ranked(title, [(rows.query, ranked(rows, ties, strict, name))], ties)

    def part(span: tuple[int, int]) -> tuple[U64, Ranked]:
        rows = _rows(text, *span, True, name)
        result = ranked(rows, ties, strict, name)
        _forget(text, *span)
        return rows.query, result

    threads = os.cpu_count() or 1
    with ThreadPoolExecutor(threads) as pool:
        parts = list(pool.map(part, _parts(text)))
    if not any(result.document.size for _, result in parts):
        raise InputError(f"{name} has no hit, so every score would be 0 by definition")
    queries = np.concatenate([query for query, _ in parts])
    if np.unique(queries).size < queries.size:
        rows = _rows(text, 0, text.size, True, name).gathered()
        parts = [(rows.query, ranked(rows, ties, strict, name))]
    return Run.from_ranked(title, parts, ties)


def _text(path: Path) -> Bytes:
    """Return the file's bytes, ending in a line end; a plain file is mapped and not read."""
    try:
        if str(path) == "-":
            data = sys.stdin.buffer.read()
        elif path.suffix == ".gz":
            with open_input(path) as packed, gzip.open(packed) as file:
                data = file.read()
        else:
            with open_input(path) as file:
                size = os.fstat(file.fileno()).st_size
                if size and _ends_with_line_end(path):
                    return np.frombuffer(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ), np.uint8)
                data = file.read()
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise InputError(f"{path} is not a whole gzip file: {error}") from None
    if not data:
        raise InputError(f"{path} is empty")
    return np.frombuffer(data if data.endswith(b"\n") else data + b"\n", np.uint8)


def _forget(text: Bytes, start: int, stop: int) -> None:
    """Let go of a mapped stretch that is not needed again, so that memory does not grow with the file."""
    mapped = getattr(text.base, "obj", None)  # numpy keeps a memoryview of the map
    if isinstance(mapped, mmap.mmap) and hasattr(mmap, "MADV_DONTNEED"):
        first = -(-start // mmap.PAGESIZE) * mmap.PAGESIZE
        if stop > first:
            mapped.madvise(mmap.MADV_DONTNEED, first, stop - first)


def _ends_with_line_end(path: Path) -> bool:
    with path.open("rb") as file:
        file.seek(-1, os.SEEK_END)
        return file.read() == b"\n"


def _parts(text: Bytes) -> list[tuple[int, int]]:
    """Return spans of about `PART` bytes that each begin with a query."""
    cuts = [0]
    while text.size - cuts[-1] > PART:
        cuts.append(int(next_query(text, cuts[-1] + PART, text.size)))
    if cuts[-1] < text.size:
        cuts.append(text.size)
    return list(pairwise(cuts))


def _rows(text: Bytes, start: int, stop: int, run: bool, name: str) -> Rows:
    lines = parse_lines(text, start, stop, run)
    if lines.problem != FINE:
        raise InputError(f"{name}, line {_line(text, lines.place)}: {_problem(text, lines, run)}")
    for row, first, last in lines.undecided.tolist():
        try:
            lines.value[row] = float(bytes(text[first:last]))
        except ValueError:
            raise InputError(f"{name}, line {_line(text, first)}: {_no_number(text[first:last], run)}") from None
    return Rows(
        text,
        lines.groups.astype(np.int64),
        lines.query,
        lines.query_start,
        lines.query_stop,
        lines.document,
        lines.document_start,
        lines.document_stop,
        lines.value,
    )


def _line(text: Bytes, place: int | np.int64) -> int:
    return int(np.count_nonzero(text[:place] == 0x0A)) + 1


def _problem(text: Bytes, lines: Lines, run: bool) -> str:
    line = bytes(text[lines.place : lines.place + 1000]).split(b"\n")[0]
    fields = line.split()
    if lines.problem == CONTROL:
        return "a control character, so this is no text file"
    if lines.problem == NUMBER:
        return _no_number(np.frombuffer(fields[4 if run else 3], np.uint8), run)
    if lines.problem == RANK:
        rank = fields[3][:40].decode(errors="replace")
        return f"the rank {rank!r} is not a number; a document id cannot hold white space"
    assert lines.problem == FIELDS
    wanted = "6 (query, Q0, document, rank, score, tag)" if run else "4 (query, iteration, document, grade)"
    return f"{len(fields)} fields instead of {wanted}"


def _no_number(field: Bytes, run: bool) -> str:
    shown = bytes(field[:40]).decode(errors="replace")
    return f"the {'score' if run else 'grade'} {shown!r} is not a number"


def _is_json(text: Bytes) -> bool:
    return bytes(text[:64]).lstrip()[:1] == b"{"


def _json(text: Bytes, name: str) -> object:
    try:
        return orjson.loads(text.tobytes())
    except orjson.JSONDecodeError as error:
        raise InputError(f"{name}, line {error.lineno}: not JSON ({error.msg})") from None
