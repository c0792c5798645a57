"""A result as rows of the store."""

import json
import time
import zlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from benchbench.comparison.comparable import series_key
from benchbench.errors import InputError, visible
from benchbench.history.database import StoreConnection
from benchbench.history.measure_names import measure_of, slice_of
from benchbench.results.folder import encoded
from benchbench.results.record import Number, plain, utc
from benchbench.results.result import Result

_LONGEST_ID = 200  # characters; those of benchbench have 36
_MOST = (1 << 63) - 1


@dataclass(frozen=True)
class StoreRows:
    """What a result is in the store; the number of the run is not known yet."""

    run: Mapping[str, Any]
    numbers: list[dict[str, Any]]
    tags: list[dict[str, Any]]

    def with_values(self, file: str, size: int) -> "StoreRows":
        """Return them with the file of values per query, and its bytes."""
        return replace(self, run={**self.run, "values_file": file, "bytes": self.run["bytes"] + size})


def rows_of(result: Result, tags: Mapping[str, str], source: str) -> StoreRows:
    """Return the rows of a result; numbers without an interval have that of their values per query.

    Parameters
    ----------
    result
        Of any kind.
    tags
        Beside those of its record, before which they go.
    source
        The folder that it was read from.

    Raises
    ------
    InputError
        For a record whose id cannot be one.
    """
    record = result.record
    if not record.id.strip() or len(record.id) > _LONGEST_ID:
        raise InputError(f"a record has an id of 1 to {_LONGEST_ID} characters, and not {visible(record.id, 40)!r}")
    from benchbench.measures.own_interval import own_intervals  # for those who add a run, and not for readers

    all_tags = {**record.tags, **tags}
    whole, details = zlib.compress(encoded(plain(record))), zlib.compress(encoded(result.json_members()))
    run = {
        "id": record.id,
        "kind": record.kind,
        "name": record.name,
        "status": record.status,
        "started": in_utc(record.started),
        "finished": in_utc(record.finished),
        "added": utc(time.time()),
        "series": series_key(record),
        "signature": record.signature,
        "data": record.data.name or Path(record.data.source or "").name,
        "data_digest": record.data.digest or "",
        "commit": all_tags.get("commit", ""),
        "branch": all_tags.get("branch", ""),
        "source": source,
        "values_file": "",
    }
    return StoreRows(
        {name: storable(value) for name, value in run.items()}
        | {"record": whole, "details": details, "bytes": len(whole) + len(details)},
        [_number(place, number) for place, number in enumerate(own_intervals(result, record.numbers))],
        [
            {"place": place, "name": storable(name), "value": storable(value)}
            for place, (name, value) in enumerate(all_tags.items())
        ],
    )


def insert(connection: StoreConnection, rows: StoreRows) -> int:
    """Insert them, and return the number of the run."""
    number = connection.inserted("run", rows.run, "number")
    for table, many in (("number", rows.numbers), ("tag", rows.tags)):
        connection.insert(table, [{"run": number, **row} for row in many])
    return number


def storable(text: str) -> str:
    """Return a text as both databases take it: without the character 0, which PostgreSQL refuses, and as Unicode."""
    return text.replace("\0", "\N{SYMBOL FOR NULL}").encode(errors="replace").decode()


def in_utc(time_: str) -> str:
    """Return a time as records have it, with milliseconds, so that texts sort as times; what is none stays."""
    try:
        moment = datetime.fromisoformat(time_)
    except ValueError:
        return time_
    return utc((moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp())


def stored_json(blob: bytes, read: Callable[[bytes], Any] = json.loads) -> Any:
    """Return the JSON value that was stored, or what is read of it; InputError where it is damaged."""
    try:
        return read(zlib.decompress(blob))
    except (zlib.error, ValueError, TypeError):
        raise InputError("the history is damaged: a stored result cannot be unpacked; delete that run") from None


def _number(place: int, number: Number) -> dict[str, Any]:
    slice_ = slice_of(number)
    return {
        "place": place,
        "measure": storable(measure_of(number)),
        "scope": storable(encoded(number.scope).decode().rstrip()),
        "slice": None if slice_ is None else storable(slice_),
        "value": number.value,
        "low": number.low,
        "high": number.high,
        "stderr": number.stderr,
        "n": None if number.n is None else max(min(number.n, _MOST), -_MOST),
        "unit": storable(number.unit),
        "better": number.better,
    }
