"""The times at which requests came to a service, one per line, and where it is known for which query."""

import csv
import io
import math
from collections.abc import Iterator, Mapping
from datetime import datetime
from pathlib import Path
from typing import Any, NamedTuple

from benchbench.errors import InputError, visible
from benchbench.formats.lines import json_lines, open_input
from benchbench.tables.fields import identity
from benchbench.tables.shared_messages import or_joined
from benchbench.tables.text_files import detect_encoding, read_whole

_TIMES = ("timestamp", "@timestamp", "time", "ts")
_IDS = ("query_id", "_id", "id", "qid")
_TEXTS = ("query", "text")
_SEPARATORS = {".csv": ",", ".tsv": "\t"}
_LATEST = 1e12  # seconds; a time in microseconds is larger
_SHOWN = 60  # characters of what is no time


class TraceRow(NamedTuple):
    """One request."""

    line: int
    seconds: float
    query: str | None = None  # id or text
    by_id: bool = True


def read_trace(path: Path) -> list[TraceRow]:
    """Read a trace: JSON lines, or CSV or TSV with a header.

    Parameters
    ----------
    path
        A `.csv` or `.tsv` file has a header, others one JSON object or bare time per line. `timestamp`, `@timestamp`,
        `time` or `ts` is a number of seconds or a time as ISO 8601 has it; `query_id`, `_id`, `id` or `qid` is the id
        of a query, `query` or `text` its text. Nothing else is read. Lines may be in any order.

    Raises
    ------
    InputError
        What cannot be read, with file and line; times with a zone beside times without.
    """
    rows, kinds = [], dict[str, int]()
    for line, row in _separated(path) if path.suffix.lower() in _SEPARATORS else json_lines(path):
        where = f"{path}, line {line}"
        members = row if isinstance(row, Mapping) else {_TIMES[0]: row}
        given = next((members[name] for name in _TIMES if members.get(name) not in (None, "")), None)
        if given is None:
            raise InputError(f"{where}: no time ({or_joined(_TIMES)})")
        kind, seconds = _seconds(given, where)
        kinds.setdefault(kind, line)
        if len(kinds) > 1:
            (first, at), (other, _) = kinds.items()
            raise InputError(
                f"{where}: its time is {other}, and that of line {at} is {first}; write all times in the same way"
            )
        query = next((identity(members[name]) for name in _IDS if members.get(name) not in (None, "")), None)
        text = next((members[name] for name in _TEXTS if isinstance(members.get(name), str) and members[name]), None)
        rows.append(TraceRow(line, seconds, text if query is None else query, query is not None))
    if not rows:
        raise InputError(f"{path} has no request")
    return rows


def _seconds(given: Any, where: str) -> tuple[str, float]:
    """Return what kind of time it is, and its seconds."""
    if isinstance(given, str):
        try:
            given = float(given)
        except ValueError:
            try:
                moment = datetime.fromisoformat(given)
            except ValueError:
                raise InputError(
                    f"{where}: {visible(repr(given), _SHOWN)} is not a time; give seconds, or ISO 8601 as in "
                    "2026-01-31T12:00:00.5Z"
                ) from None
            if moment.tzinfo is not None:
                return "a time with a zone", moment.timestamp()
            return "a time without a zone", (moment - datetime(1970, 1, 1)).total_seconds()
    if isinstance(given, bool) or not isinstance(given, int | float) or not math.isfinite(given):
        raise InputError(f"{where}: {visible(repr(given), _SHOWN)} is not a time; give seconds, or ISO 8601")
    if abs(given) > _LATEST:
        raise InputError(f"{where}: {given:.15g} is too many seconds; times are in seconds")
    return "a number of seconds", float(given)


def _separated(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield the line and the cells of each row below the header."""
    with open_input(path) as file:
        content = read_whole(file, str(path))
    try:
        text = content.decode(detect_encoding(content[:4]))
    except UnicodeDecodeError as error:
        raise InputError(f"{path} is not in UTF-8: {error.reason} at byte {error.start:,}") from None
    reader = csv.reader(
        io.StringIO(text.removeprefix("\ufeff"), newline=""), delimiter=_SEPARATORS[path.suffix.lower()]
    )
    try:
        head = next(reader, None)
        if head is None:
            raise InputError(f"{path} is empty")
        if not set(_TIMES).intersection(head):
            raise InputError(f"{path}, line 1: no column with times ({or_joined(_TIMES)})")
        for row in reader:
            if row:
                yield reader.line_num, dict(zip(head, row, strict=False))
    except csv.Error as error:
        raise InputError(f"{path}, line {reader.line_num}: {error}") from None
