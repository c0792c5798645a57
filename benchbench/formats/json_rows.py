"""Judgments or hits from JSON: an object of objects, or lines of such objects or of one row each."""

from collections.abc import Iterator
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import orjson

from benchbench.errors import InputError
from benchbench.formats.columns import choose_columns
from benchbench.formats.source import Source
from benchbench.tables.borrowed import Borrowed
from benchbench.tables.rows import Rows
from benchbench.tables.text_files import json_value, read_whole, too_large

CHUNK = 100_000  # rows that are objects of Python at once


class _JsonRow(NamedTuple):
    query: str
    document: str
    value: float
    subtopic: str


def json_rows(source: Source, run: bool) -> Iterator[Borrowed[Rows]]:
    """Yield the rows of a JSON object: query ids, document ids, numbers."""
    with source.opened() as file:
        records = json_value(read_whole(file, source.name), source.name)
    if not isinstance(records, dict) or not all(isinstance(hits, dict) for hits in records.values()):
        raise InputError(
            f'{source.name} is not a JSON object of objects, as {{"q1": {{"d1": 1}}}}; '
            "to give rows, write one per line in a file named .jsonl"
        )
    if any(records.values()):
        yield Borrowed.of(partial(Rows.from_dict, records, source.name))


def json_line_rows(source: Source, run: bool) -> Iterator[Borrowed[Rows]]:
    """Yield the rows of JSON lines, some 100,000 of whole queries at a time."""
    waiting: list[_JsonRow] = []
    for row in _records(source, run):
        if len(waiting) >= CHUNK and row.query != waiting[-1].query:
            yield Borrowed.of(partial(_rows, waiting, run))
            waiting = []
        waiting.append(row)
    if waiting:
        yield Borrowed.of(partial(_rows, waiting, run))


def _rows(rows: list[_JsonRow], run: bool) -> Rows:
    query, document, value, subtopic = zip(*rows, strict=True)
    starts = [i for i in range(len(rows)) if not i or query[i] != query[i - 1]]
    sizes = np.diff([*starts, len(rows)]).tolist()
    rest = document if run else document + subtopic  # ids of rows, then those of their subtopics
    return Rows.of([query[i] for i in starts], sizes, rest, np.array(value, np.float64))


def _records(source: Source, run: bool) -> Iterator[_JsonRow]:
    known: dict[tuple[str, ...], list[str]] = {}  # the columns of lines with the same keys
    for number, line in source.lines():
        if line.isspace():
            continue
        where = f"{source.name}, line {number}"
        try:
            yield from _of_record(orjson.loads(line), run, where, known)
        except orjson.JSONDecodeError as error:
            raise InputError(f"{where}: {too_large(error) or f'not JSON ({error.msg})'}") from None


def _of_record(record: Any, run: bool, where: str, known: dict[tuple[str, ...], list[str]]) -> list[_JsonRow]:
    if not isinstance(record, dict):
        example = f'{{"query_id": "q1", "doc_id": "d1", "{"score" if run else "relevance"}": 1}}'
        raise InputError(f'{where}: neither {example} nor {{"q1": {{"d1": 1}}}}')
    if record and all(isinstance(hits, dict) for hits in record.values()):
        return [_row(run, where, query, *hit) for query, hits in record.items() for hit in hits.items()]
    keys = tuple(record)
    if keys not in known:
        known[keys] = choose_columns(keys, run, where)
    return [_row(run, where, *(record[key] for key in known[keys]))]


def _row(run: bool, where: str, query: Any, document: Any, value: Any, subtopic: Any = None) -> _JsonRow:
    for what, identity in (("query", query), ("document", document)):
        if identity in (None, ""):
            raise InputError(f"{where}: no {what} id")
        if not isinstance(identity, str | int) or isinstance(identity, bool):
            raise InputError(
                f"{where}: the {what} id {_shown(identity)} is neither text nor a whole number; write it as text"
            )
    if not isinstance(value, int | float):
        raise InputError(f"{where}: the {'score' if run else 'grade'} {_shown(value)} is not a number")
    return _JsonRow(str(query), str(document), float(value), "" if subtopic is None else str(subtopic))


def _shown(value: Any) -> str:
    return orjson.dumps(value).decode()[:40]
