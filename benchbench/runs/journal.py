"""The received answers on disk: a run that was killed can continue from them, with the same result.

The folder has `terms.json`, with what the result depends on, and Parquet files, each with consecutive batches,
one row per batch. Codes of labels are those of the process that wrote a file, and its first row has the sets that they
stand for. A file is named by its first query, the query after its last, and its checksum, which covers the terms as
well: a damaged file, or one of another run, is known before it is read. Each file is written aside, forced to the disk,
and renamed: it is there whole or not at all.
"""

import contextlib
import io
import os
import re
import shutil
from collections.abc import Callable, Mapping
from itertools import chain, groupby, islice
from pathlib import Path
from typing import Any

import orjson
import polars as pl
from msgspec import Struct
from msgspec.structs import asdict

from benchbench.client import label_codes
from benchbench.client.search import BatchResult
from benchbench.client.transport import Attempt
from benchbench.errors import InputError
from benchbench.results.folder import explained
from benchbench.tables.callbacks import nothing
from benchbench.tables.hashing import content_digest, id_hashes
from benchbench.tables.hits import Hits
from benchbench.tables.labels import NO_LABELS, Kind, Label, LabelSchema, Vocabulary

_CONDITIONS = "terms.json"
_AGAIN = "asked_again.json"  # reason -> queries that had failed for it, and were forgotten to be asked again …
_DUE = "failed.due"  # … the same while some of them may still be there, or nothing while none was counted yet …
_BEFORE = "asked_before.json"  # … and those of an earlier time
_NAME = re.compile(r"(\d{12})-(\d{12})-[0-9a-f]{32}\.parquet")
_LAYOUT = "the layout of stored answers"  # the condition that another version may not meet …
_THIS_LAYOUT = 3  # … and what it is for this one
_COLUMNS: dict[str, Any] = {  # of hits; `id` is not there, being the hash of `ids`
    "counts": pl.List(pl.Int64),
    "ids": pl.List(pl.String),
    "text": pl.List(pl.UInt64),
    "score": pl.List(pl.Float64),
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
    "page": pl.Int64,
}
_SCHEMA: dict[str, Any] = {
    "first": pl.Int64,
    "count": pl.Int64,
    "due": pl.Float64,
    "failure": pl.String,
    "attempts": pl.List(pl.Struct(_ATTEMPT)),
    "faults": pl.List(pl.Struct({"name": pl.String, "times": pl.Int64})),
    **_COLUMNS,
    "codes": pl.List(pl.Int32),  # all that stand in the file, in its first row, …
    "sizes": pl.List(pl.Int32),  # … of their sets, …
    "texts": pl.List(pl.String),  # … and the members of these, one set after the other
}


class _Labels(Struct, frozen=True):
    """The labels of hits: their columns, named so that no label has the name of another column."""

    schema: LabelSchema
    vocabulary: Vocabulary

    @property
    def columns(self) -> dict[str, Any]:
        """The types of the columns, in the order of the schema."""
        return {
            _column(label): pl.List(pl.Float64 if label.kind is Kind.NUMBER else pl.Int32)
            for label in self.schema.labels
        }


def _column(label: Label) -> str:
    return f"label {label.name}"


class JournalPart(Struct, frozen=True):
    """Consecutive batches on disk: queries `first` to before `end`."""

    first: int
    end: int
    seconds: float  # after the start of the search when the last of them came
    path: Path
    _labels: _Labels

    def read(self) -> list[BatchResult]:
        """Return the batches, with codes of this process."""
        return _unpacked(pl.read_parquet(self.path, glob=False), self._labels)


class Journal:
    """The batches of one run."""

    def __init__(self, folder: Path) -> None:
        """Name the folder; `begin` makes it."""
        self.folder = folder
        self.asked_again: dict[str, int] = {}  # reason -> queries that had failed for it
        self.has_grown = False  # by hits that came since this process began
        self._key = b""  # the terms, as every checksum covers them
        self._labels = _Labels(NO_LABELS, Vocabulary())

    def begun(self) -> bool:
        """Say whether an interrupted run has left something."""
        return (self.folder / _CONDITIONS).is_file()

    def received(self) -> bool:
        """Say whether an answer with a hit is stored; a damaged file counts, for it may have one."""
        return any(map(_has_hits, self.folder.glob("*.parquet")))

    def copy(self, folder: Path) -> None:
        """Copy everything into another folder, whose `begin` forgets the batches that failed.

        The terms come last, so that half a copy has not begun.
        """
        folder.mkdir(parents=True, exist_ok=True)
        (folder / _DUE).touch()
        for path in sorted(self.folder.glob("*"), key=lambda path: path.name == _CONDITIONS):
            if path.name != _BEFORE:
                shutil.copyfile(path, folder / (_BEFORE if path.name == _AGAIN else path.name))

    def begin(
        self,
        resume_conditions: Mapping[str, Any],
        note: Callable[[str], None] = nothing,
        schema: LabelSchema = NO_LABELS,
        vocabulary: Vocabulary | None = None,
    ) -> list[JournalPart]:
        """Return what an earlier run on the same terms has stored, in query order and without overlaps.

        Parameters
        ----------
        resume_conditions
            What the result depends on, as JSON values; the keys are what people call them.
        note
            Called with a sentence for each file that is damaged; its queries are not among the parts.
        schema
            The labels of hits; where they stand in a hit is among the terms.
        vocabulary
            What codes of hits are of; grows by what is read.

        Raises
        ------
        InputError
            Naming what differs from the terms on which the stored batches were received.
        """
        self._labels = _Labels(schema, Vocabulary() if vocabulary is None else vocabulary)
        conditions = {_LAYOUT: _THIS_LAYOUT, **resume_conditions, **dict(map(_read_as, schema.labels))}
        shown = orjson.loads(orjson.dumps(conditions))
        self._key = orjson.dumps(shown, option=orjson.OPT_SORT_KEYS)
        stored = self._terms(note)
        if stored is not None:
            self._check_terms(stored, shown)
        parts, damaged = self._checked()
        if stored is None:
            if damaged and not parts:
                raise InputError(
                    f"--resume: {self.folder / _CONDITIONS} is damaged, and no file beside it was received with these "
                    "options; repeat the command it was begun with, or name another --out"
                )
            with explained(self.folder.parent):
                self.folder.mkdir(parents=True, exist_ok=True)
                whole = {"checksum": content_digest(self._key).hexdigest(), "terms": shown}
                write_whole(self.folder / _CONDITIONS, orjson.dumps(whole))
        for path in damaged:
            note(f"{path} is damaged, or was received with other options: its queries are asked again")
            with contextlib.suppress(OSError):
                path.rename(path.with_suffix(".damaged"))
        if (self.folder / _DUE).exists():
            with explained(self.folder.parent):
                self._forget_failed(parts)
            parts, _ = self._checked()
        self.asked_again = _counts(self.folder / _AGAIN)
        return parts

    def keep(self, batches: list[BatchResult]) -> None:
        """Store the next batches; their times count from the start of the search."""
        self._write(batches)
        self.has_grown = self.has_grown or any(batch.failure is None and any(batch.hits.counts) for batch in batches)

    def _write(self, batches: list[BatchResult]) -> None:
        content = _packed(batches, self._labels)
        first, end = batches[0].first, batches[-1].first + batches[-1].count
        with explained(self.folder.parent):
            write_whole(self.folder / self._name(first, end, content), content)

    def _forget_failed(self, parts: list[JournalPart]) -> None:
        """Forget the batches that failed, so that they are sent again; a kill in between loses no count."""
        due = self.folder / _DUE
        if not due.read_bytes():
            counts = _counts(self.folder / _BEFORE)
            for batch in (batch for part in parts for batch in part.read() if batch.failure is not None):
                counts[str(batch.failure)] = counts.get(str(batch.failure), 0) + batch.count
            write_whole(due, orjson.dumps(counts))
        for part in parts:
            batches = part.read()
            if any(batch.failure is not None for batch in batches):
                for came, run in groupby(batches, lambda batch: batch.failure is None):
                    if came:
                        self._write(list(run))
                part.path.unlink()
        due.replace(self.folder / _AGAIN)

    def _check_terms(self, stored: Mapping[str, Any], shown: Mapping[str, Any]) -> None:
        if stored.get(_LAYOUT) != shown[_LAYOUT]:
            raise InputError(
                f"--resume: {self.folder.parent} has answers stored by another version of benchbench; "
                "continue with that version, or name another --out"
            )
        for name in {**stored, **shown}:
            if stored.get(name) != shown.get(name):
                raise InputError(
                    f"--resume: {self.folder.parent} was begun with {name} {_said(stored.get(name))}, and this is "
                    f"{_said(shown.get(name))}; repeat the command it was begun with, or name another --out"
                )

    def _terms(self, note: Callable[[str], None]) -> dict[str, Any] | None:
        """Return the stored terms; None when they are missing or damaged."""
        path = self.folder / _CONDITIONS
        if not path.is_file():
            return None
        try:
            whole = orjson.loads(path.read_bytes())
            resume_conditions: dict[str, Any] = whole["terms"]
            key = orjson.dumps(resume_conditions, option=orjson.OPT_SORT_KEYS)
            if whole["checksum"] == content_digest(key).hexdigest():
                return resume_conditions
        except (OSError, ValueError, TypeError, KeyError):
            pass
        note(f"{path} is damaged; received answers are checked against this command's options instead")
        return None

    def _checked(self) -> tuple[list[JournalPart], list[Path]]:
        """Return the files whose checksum is right, and those where it is not."""
        parts: list[JournalPart] = []
        damaged: list[Path] = []
        for path in sorted(self.folder.glob("*.parquet")):
            content, span = b"", _NAME.fullmatch(path.name)
            with contextlib.suppress(OSError):
                content = path.read_bytes() if span else b""
            if span is None or path.name != self._name(int(span[1]), int(span[2]), content):
                damaged.append(path)
            elif not parts or int(span[1]) >= parts[-1].end:  # else another file has the same queries
                parts.append(JournalPart(int(span[1]), int(span[2]), _seconds(content), path, self._labels))
        return parts, damaged

    def _name(self, first: int, end: int, content: bytes) -> str:
        digest = content_digest(self._key + b"%d-%d" % (first, end))
        digest.update(content)
        return f"{first:012}-{end:012}-{digest.hexdigest()}.parquet"


def write_whole(path: Path, content: bytes) -> None:
    """Write a file that is complete or absent, even when the machine stops."""
    aside = path.with_name(path.name + ".part")
    with aside.open("wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
    aside.replace(path)


def _packed(batches: list[BatchResult], labels: _Labels) -> bytes:
    columns: dict[str, list[Any]] = {name: [getattr(batch.hits, name) for batch in batches] for name in _COLUMNS}
    columns |= {name: [getattr(batch, name) for batch in batches] for name in ("first", "count", "due", "failure")}
    columns["attempts"] = [[asdict(attempt) for attempt in batch.attempts] for batch in batches]
    columns["faults"] = [
        [{"name": name, "times": times} for name, times in batch.hits.faults.items()] for batch in batches
    ]
    for row, name in enumerate(labels.columns):
        columns[name] = [pl.Series(batch.hits.labels[row]) if batch.hits.labels else None for batch in batches]
    codes = label_codes.used([batch.hits for batch in batches], labels.schema)
    sets = label_codes.sets_of(codes, labels.vocabulary)
    for name, column in (("codes", codes), ("sizes", map(len, sets)), ("texts", chain.from_iterable(sets))):
        columns[name] = [list(column), *[None] * (len(batches) - 1)]
    types = _SCHEMA | labels.columns
    whole = io.BytesIO()
    pl.DataFrame(columns, schema_overrides=types).select(*types).write_parquet(whole, compression="lz4")
    return whole.getvalue()


def _unpacked(frame: pl.DataFrame, labels: _Labels) -> list[BatchResult]:
    names = list(labels.columns)
    columns = {name: frame.get_column(name) for name in ("counts", "text", "score", *names)}
    codes: dict[int, int] = {}
    batches = []
    for number, row in enumerate(frame.drop(*columns).iter_rows(named=True)):
        lists = {name: column[number] for name, column in columns.items()}
        arrays = {name: its.to_numpy().copy() for name, its in lists.items() if its is not None}
        if row["codes"]:
            texts = iter(row["texts"])
            sets = [list(islice(texts, size)) for size in row["sizes"]]
            codes = label_codes.table(row["codes"], sets, labels.vocabulary)
        hits = Hits(
            counts=arrays["counts"],
            ids=row["ids"],
            id=id_hashes(row["ids"]),
            text=arrays["text"],
            score=arrays["score"],
            labels=[arrays[name] for name in names if name in arrays],
            faults={fault["name"]: fault["times"] for fault in row["faults"]},
        )
        label_codes.translate(hits, labels.schema, codes)
        attempts = tuple(Attempt(**attempt) for attempt in row["attempts"])
        batches.append(BatchResult(row["first"], row["count"], row["due"], hits, attempts, row["failure"]))
    return batches


def _read_as(label: Label) -> tuple[str, Any]:
    """Return what a label is called among the conditions, and how it is read from hits."""
    return _column(label), {"kind": label.kind.value, "paths": label.hit, "ignore": label.ignore}


def _has_hits(path: Path) -> bool:
    try:
        stored = pl.read_parquet(path, columns=["failure", "counts"])
    except (OSError, pl.exceptions.PolarsError):
        return True
    return bool(stored.select((pl.col("failure").is_null() & (pl.col("counts").list.sum() > 0)).any()).item())


def _seconds(content: bytes) -> float:
    """Return when the last attempt of a part ended; 0 when there was none."""
    ends = pl.read_parquet(io.BytesIO(content), columns=["attempts"])["attempts"].explode().struct.field("end")
    return max(float(ends.max() or 0.0), 0.0)  # type: ignore[arg-type]


def _counts(path: Path) -> dict[str, int]:
    """Return the counts of a file; none where it is missing or damaged."""
    with contextlib.suppress(OSError, ValueError):
        counts = orjson.loads(path.read_bytes())
        if isinstance(counts, dict) and all(type(count) is int and count > 0 for count in counts.values()):
            return counts
    return {}


def _said(value: Any) -> str:
    return (
        "nothing" if value is None else orjson.dumps(value).decode() if isinstance(value, dict | list) else str(value)
    )
