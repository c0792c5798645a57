"""Qrels and runs from files, frames, arrays and dictionaries."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from benchbench.errors import InputError, said_by
from benchbench.formats.parts import Parts, file_parts, kind_of
from benchbench.formats.shards import Shards, parts_of
from benchbench.formats.source import Source, stem
from benchbench.kernels.arrays import I64, Bytes
from benchbench.kernels.lookup import are_different
from benchbench.kernels.spans import copy_spans
from benchbench.tables.borrowed import Borrowed
from benchbench.tables.names import IR_DATASETS
from benchbench.tables.qrels_runs import (
    QrelsTable,
    RankedRun,
    Rankings,
    RunTable,
    joined,
    joined_ends,
    judgments,
    rankings,
    texts_between,
)
from benchbench.tables.rows import Rows
from benchbench.tables.threads import in_order


class Qrels(QrelsTable):
    """Judgments, and the ways they come in. Documents that nobody judged are not in them."""

    @classmethod
    def from_file(cls, path: Path | str) -> "Qrels":
        """Read qrels: TREC text, JSON, JSON lines, Parquet, Arrow, a table with a header, or a folder of Parquet.

        Parameters
        ----------
        path
            `-` is standard input, names ending in `.gz` and `.zst` are unpacked, `ir_datasets:ID` is a data set's
            qrels. The name, or else the first bytes, say the format.

        Raises
        ------
        InputError
            With the file, the line and what is wrong.
        """
        _check_path(path, "Qrels")
        if str(path).startswith(IR_DATASETS):
            return cls.from_ir_datasets(str(path).removeprefix(IR_DATASETS))
        if Path(path).is_dir():
            shards = Shards(Path(path), False)
            return cls._of(shards.parts, shards.name, shards.kind == "trec")
        source = Source(path)
        kind = kind_of(source, False)
        return cls._of(file_parts(source, False, kind), source.name, kind == "trec")

    @classmethod
    def from_dict(cls, grades: Mapping[str, Mapping[str, float]]) -> "Qrels":
        """Return the judgments of `{query id: {document id: grade}}`."""
        return cls._of(_dict_parts(grades, "qrels"), "qrels")

    @classmethod
    def from_frame(cls, frame: Any) -> "Qrels":
        """Return the judgments of a polars, pandas or Arrow frame with columns query_id, doc_id, relevance."""
        return cls._of(_frame_parts(frame, False, "qrels"), "qrels")

    @classmethod
    def from_arrays(cls, query_ids: Any, doc_ids: Any, grades: Any) -> "Qrels":
        """Return the judgments of three arrays of one length, one entry per judgment."""
        return cls._of(_array_parts(query_ids, doc_ids, grades, False, "qrels"), "qrels")

    @classmethod
    def from_ir_datasets(cls, identity: str) -> "Qrels":
        """Return the qrels of a data set of the package ir_datasets, which may download it."""
        from benchbench.formats.datasets.package import imported

        package = imported()
        import polars as pl

        name = IR_DATASETS + identity
        try:
            rows = list(package.load(identity).qrels_iter())
            columns = {key: [getattr(row, key) for row in rows] for key in ("query_id", "doc_id", "relevance")}
        except (KeyError, AttributeError):
            raise InputError(f"{name} names no data set that has qrels") from None
        except (OSError, RuntimeError) as error:  # of the download
            raise InputError(f"{name} cannot be read: {said_by(error)}") from None
        if rows and hasattr(rows[0], "subtopic_id"):
            columns["subtopic"] = [row.subtopic_id for row in rows]
        return cls._of(_frame_parts(pl.DataFrame(columns, strict=False), False, name), name)

    @classmethod
    def _of(cls, parts: Parts, name: str, of_trec: bool = False) -> "Qrels":
        read = (partial(judgments, part, name, of_trec) for part in parts())
        tables = [table for table in in_order(read) if table.document.size]
        if not tables:
            raise InputError(f"{name} has no judgment, so every score would be 0")
        table = tables[0] if len(tables) == 1 else joined(tables)
        if table is None:
            table = judgments(Borrowed.of(partial(_concatenated, parts)), name, of_trec)
        return cls(**{field: getattr(table, field) for field in table.__dataclass_fields__})


@dataclass(frozen=True, repr=False)
class Run(RankedRun):
    """A run in memory, 8 bytes per hit and the ids of its queries, and the ways it comes in.

    `ties` orders equal scores: `trec` by document id, descending, as trec_eval; `input` as the hits came;
    `expected` stands for the mean over all orders. A repeated document is dropped and counted, or with `strict`
    an error. Scores are what ranks; a rank column is ignored. `precision` is `double`, or `single`, which rounds scores
    to 32 bits before they rank, as trec_eval 9 and pytrec_eval do.
    """

    id_text: Bytes  # the ids of the queries of `rankings`, one behind the other
    id_ends: I64

    @property
    def ids(self) -> list[str]:
        """Return the ids of the queries with hits."""
        return texts_between(self.id_text, self.id_ends)

    @classmethod
    def from_file(cls, path: Path | str, ties: str = "trec", strict: bool = False, precision: str = "double") -> "Run":
        """Read a run: TREC text, JSON, JSON lines, Parquet, Arrow, or a table with a header; as `Qrels.from_file`."""
        return cls._of(scan_run(path, ties, strict, precision))

    @classmethod
    def from_dict(
        cls,
        hits: Mapping[str, Mapping[str, float]],
        name: str = "run",
        ties: str = "trec",
        strict: bool = False,
        precision: str = "double",
    ) -> "Run":
        """Return the run of `{query id: {document id: score}}`."""
        return cls._of(RunFile(name, ties, strict, name, _dict_parts(hits, name), precision))

    @classmethod
    def from_frame(
        cls, frame: Any, name: str = "run", ties: str = "trec", strict: bool = False, precision: str = "double"
    ) -> "Run":
        """Return the run of a polars, pandas or Arrow frame with columns query_id, doc_id, score."""
        return cls._of(RunFile(name, ties, strict, name, _frame_parts(frame, True, name), precision))

    @classmethod
    def from_arrays(
        cls,
        query_ids: Any,
        doc_ids: Any,
        scores: Any,
        name: str = "run",
        ties: str = "trec",
        strict: bool = False,
        precision: str = "double",
    ) -> "Run":
        """Return the run of three arrays of one length, one entry per hit."""
        return cls._of(
            RunFile(name, ties, strict, name, _array_parts(query_ids, doc_ids, scores, True, name), precision)
        )

    @classmethod
    def _of(cls, run: "RunFile") -> "Run":
        parts = list(in_order(partial(run.read, part) for part in run.parts()))
        table = Rankings.concatenated([part for part, _, _ in parts]) if parts else None
        if table is None or not table.document.size:
            raise InputError(f"{run.source} has no hit, so every score would be 0")
        if not are_different(table.query):
            parts = [run.read(run.whole())]
            table = parts[0][0]
        ends = joined_ends([ends for _, _, ends in parts], [text.size for _, text, _ in parts])
        return cls(
            run.name, run.ties, table, np.concatenate([text for _, text, _ in parts]), ends, precision=run.precision
        )


@dataclass(frozen=True)
class RunFile:
    """A run that is read while it is scored: memory is bounded by the parts, not by the file."""

    name: str
    ties: str
    strict: bool
    source: str  # what errors name
    parts: Parts
    precision: str = "double"
    shards_of: "Shards | None" = None  # a folder of them, which may be larger than memory

    def __post_init__(self) -> None:
        if self.precision not in ("double", "single"):
            raise InputError(f"precision is double or single, not {self.precision!r}")
        if self.ties not in ("trec", "input", "expected"):
            raise InputError(f"ties is trec, input or expected, not {self.ties!r}")

    def shards(self) -> Iterator[Borrowed[Rankings]]:
        """Yield the hits of some queries at a time, read and ranked when they are used."""
        return (self._ranked(part) for part in self.parts())

    def gathered(self) -> RankedRun:
        """Read it whole, its lines in any order."""
        return RankedRun(self.name, self.ties, self._ranked(self.whole()).kept(), precision=self.precision)

    def whole(self) -> Borrowed[Rows]:
        """Return all rows, those of a query next to each other; InputError for a folder, which may be larger."""
        if self.shards_of is not None:
            raise self.shards_of.refusal()
        return Borrowed.of(lambda: _concatenated(self.parts).gathered())

    def read(self, part: Borrowed[Rows]) -> tuple[Rankings, Bytes, I64]:
        """Return a part, ranked; with the ids of the queries one behind the other, and their ends."""

        def ranked(rows: Rows) -> tuple[Rankings, Bytes, I64]:
            ids = copy_spans(rows.text, rows.query_start, rows.query_stop)
            ends = np.cumsum(rows.query_stop - rows.query_start).astype(np.int64)
            return self._ranked(Borrowed.of(lambda: rows)).kept(), ids, ends

        return part.use(ranked)

    def _ranked(self, rows: Borrowed[Rows]) -> Borrowed[Rankings]:
        return rankings(rows, self.ties, self.strict, self.source, self.precision)


def in_memory(run: RunTable) -> Run:
    """Return a run whose hits are in memory; one that stays in its file is read.

    Raises
    ------
    InputError
        For what is no run, and for faults of its file.
    """
    if isinstance(run, Run):
        return run
    if not isinstance(run, RunFile):
        raise InputError(f"a run is made by Run.from_file, from_dict or from_frame, and is not of type {_kind(run)}")
    return Run._of(run)


def as_qrels(given: Any) -> Any:
    """Return the judgments of a dictionary or a frame; anything else as it is."""
    if isinstance(given, Mapping):
        return Qrels.from_dict(given)
    return Qrels.from_frame(given) if _is_frame(given) else given


def as_run(given: Any, name: str = "run") -> Any:
    """Return the run of a dictionary or a frame; anything else as it is."""
    if isinstance(given, Mapping):
        return Run.from_dict(given, name)
    return Run.from_frame(given, name) if _is_frame(given) else given


def _is_frame(given: object) -> bool:
    """Say whether a value is a table of pandas, of polars, lazy or not, or of any library with Arrow's interface."""
    return any(hasattr(given, name) for name in ("iloc", "collect_schema", "__arrow_c_stream__", "__arrow_c_array__"))


def _kind(value: object) -> str:
    return type(value).__name__


def scan_run(path: Path | str, ties: str = "trec", strict: bool = False, precision: str = "double") -> RunFile:
    """Return a run that is read each time it is scored; takes what `Run.from_file` takes, and finds the same faults."""
    _check_path(path, "Run")
    if Path(path).is_dir():
        shards = Shards(Path(path), True)
        return RunFile(shards.title, ties, strict, shards.name, shards.parts, precision, shards)
    source = Source(path)
    return RunFile(stem(path), ties, strict, source.name, file_parts(source, True), precision)


def scan_qrels(path: Path | str) -> Parts:
    """Return what reads the rows of qrels each time it is called; takes what `Qrels.from_file` takes of files."""
    return parts_of(path, False)


def _check_path(path: object, name: str) -> None:
    """Refuse what is no path, and say what takes it."""
    if not isinstance(path, str | PathLike):
        given = type(path).__name__
        takes = f"{name}.from_dict" if isinstance(path, Mapping) else f"{name}.from_frame and {name}.from_arrays"
        raise InputError(f"{name}.from_file takes the path of a file, and nothing of type {given}; there is {takes}")


def _dict_parts(records: Mapping[str, Mapping[str, float]], name: str) -> Parts:
    return lambda: iter([Borrowed.of(partial(Rows.from_dict, records, name))])


def _frame_parts(frame: Any, run: bool, name: str) -> Parts:
    from benchbench.formats.frames import as_frame, frame_rows

    return partial(frame_rows, [as_frame(frame, run, name)], run, name)


def _array_parts(query_ids: Any, doc_ids: Any, values: Any, run: bool, name: str) -> Parts:
    from benchbench.formats.frames import frame_rows, of_arrays

    return partial(frame_rows, [of_arrays((query_ids, doc_ids, values), name)], run, name)


def _concatenated(parts: Parts) -> Rows:
    """Return the rows of all parts."""
    return Rows.concatenated(list(in_order(part.kept for part in parts())))
