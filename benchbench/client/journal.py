"""What was received, on disk: enough to go on after a kill, and to get the same result as without one.

A folder with `terms.json`, and a Parquet file for consecutive batches, named by its first query, one row a
batch. Each file is written aside, forced to the disk, and renamed: it is there whole or not at all.
"""

import contextlib
import io
import os
from collections.abc import Iterator, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

import orjson
import polars as pl

from benchbench.client.search import Batch
from benchbench.client.transport import Attempt
from benchbench.errors import InputError
from benchbench.tables.hashing import id_hashes
from benchbench.tables.hits import Hits

_TERMS = "terms.json"
_NUMBERS = pl.List(pl.Int64)
_COLUMNS: dict[str, Any] = {  # of hits; `id` is not there, being the hash of `ids`
    "counts": _NUMBERS,
    "ids": pl.List(pl.String),
    "text": pl.List(pl.UInt64),
    "score": pl.List(pl.Float64),
    "accusation": _NUMBERS,
    "article": _NUMBERS,
    "months": _NUMBERS,
    "penalty": _NUMBERS,
}
_ATTEMPT: dict[str, Any] = {
    "sent": pl.Float64,
    "first_byte": pl.Float64,
    "end": pl.Float64,
    "bytes": pl.Int64,
    "status": pl.Int64,
    "error": pl.String,
    "refused": pl.Boolean,
    "broken": pl.Boolean,
    "retry_after": pl.Float64,
}
_SCHEMA: dict[str, Any] = {
    "first": pl.Int64,
    "count": pl.Int64,
    "due": pl.Float64,
    "failure": pl.String,
    "attempts": pl.List(pl.Struct(_ATTEMPT)),
    "faults": pl.List(pl.Struct({"name": pl.String, "times": pl.Int64})),
    **_COLUMNS,
}


class Journal:
    """The batches of one run, in query order."""

    def __init__(self, folder: Path) -> None:
        """Name the folder; `begin` makes it."""
        self._folder = folder

    def begun(self) -> bool:
        """Say that there is something to go on with."""
        return (self._folder / _TERMS).is_file()

    def begin(self, terms: Mapping[str, Any]) -> Iterator[list[Batch]]:
        """Return what an earlier run on the same terms has stored, file by file.

        Parameters
        ----------
        terms
            What the result depends on, as JSON values; the keys are what people call them.

        Raises
        ------
        InputError
            Naming what differs from the terms on which the stored batches were received.
        """
        shown = orjson.loads(orjson.dumps(terms))
        if not self.begun():
            with explained(self._folder.parent):
                self._folder.mkdir(parents=True, exist_ok=True)
                write_whole(self._folder / _TERMS, orjson.dumps(shown))
            return iter(())
        stored = orjson.loads((self._folder / _TERMS).read_bytes())
        for name in {**stored, **shown}:
            if stored.get(name) != shown.get(name):
                raise InputError(
                    f"--resume: {self._folder.parent} was begun with {name} {_said(stored.get(name))}, and this is "
                    f"{_said(shown.get(name))}; repeat the command it was begun with, or name another --out"
                )
        return self._stored()

    def keep(self, batches: list[Batch]) -> None:
        """Store the next batches; their times count from the start of the search."""
        with explained(self._folder.parent):
            write_whole(self._folder / f"{batches[0].first:012}.parquet", _packed(batches))

    def _stored(self) -> Iterator[list[Batch]]:
        expected = 0
        for path in sorted(self._folder.glob("*.parquet")):
            try:
                batches = _unpacked(pl.read_parquet(path))
            except (OSError, pl.exceptions.PolarsError) as error:
                raise InputError(f"--resume: {path} cannot be read ({error}); name another --out") from None
            if batches[0].first != expected:
                raise InputError(f"--resume: what came before {path} is gone; name another --out")
            expected = batches[-1].first + batches[-1].count
            yield batches


def write_whole(path: Path, content: bytes) -> None:
    """Write a file that is there whole or not at all, even when the machine stops."""
    aside = path.with_name(path.name + ".part")
    with aside.open("wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
    aside.replace(path)


@contextlib.contextmanager
def explained(folder: Path) -> Iterator[None]:
    """Turn whatever stops the writing of results into one sentence."""
    try:
        yield
    except (OSError, pl.exceptions.ComputeError) as error:
        reason = getattr(error, "strerror", None) or str(error).splitlines()[0]
        raise InputError(f"cannot write {folder}: {reason}; name another place with --out") from error


def _packed(batches: list[Batch]) -> bytes:
    columns: dict[str, list[Any]] = {name: [getattr(batch.hits, name) for batch in batches] for name in _COLUMNS}
    columns |= {name: [getattr(batch, name) for batch in batches] for name in ("first", "count", "due", "failure")}
    columns["attempts"] = [[asdict(attempt) for attempt in batch.attempts] for batch in batches]
    columns["faults"] = [
        [{"name": name, "times": times} for name, times in batch.hits.faults.items()] for batch in batches
    ]
    whole = io.BytesIO()
    pl.DataFrame(columns, schema_overrides=_SCHEMA).select(*_SCHEMA).write_parquet(whole, compression="lz4")
    return whole.getvalue()


def _unpacked(frame: pl.DataFrame) -> list[Batch]:
    return [
        Batch(
            row["first"],
            row["count"],
            row["due"],
            Hits(
                **{name: row[name] for name in _COLUMNS},
                id=id_hashes(row["ids"]),
                faults={fault["name"]: fault["times"] for fault in row["faults"]},
            ),
            tuple(Attempt(**attempt) for attempt in row["attempts"]),
            row["failure"],
        )
        for row in frame.iter_rows(named=True)
    ]


def _said(value: Any) -> str:
    return (
        "nothing" if value is None else orjson.dumps(value).decode() if isinstance(value, dict | list) else str(value)
    )
