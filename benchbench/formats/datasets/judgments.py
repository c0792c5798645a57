"""The judgments of a data set, from one file or several, of any format in which qrels come."""

import math
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby, islice
from operator import itemgetter
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from msgspec.structs import replace

from benchbench.errors import InputError, visible
from benchbench.formats.columns import choose_columns
from benchbench.formats.parts import file_parts, kind_of
from benchbench.formats.records import Part, record_id, records, value_of
from benchbench.formats.source import Source
from benchbench.kernels.arrays import F64, I64
from benchbench.kernels.spans import copy_spans
from benchbench.tables.hashing import NO_HASH, content_digest, encoded_id_hash, id_hash
from benchbench.tables.judges import added, told_apart
from benchbench.tables.queries import Positives
from benchbench.tables.rows import Rows
from benchbench.tables.strings import Strings
from benchbench.tables.threads import in_order

_USUAL = {"query": "query_id", "document": "doc_id", "grade": "relevance"}  # as `choose_columns` calls them first
_BATCH = 100_000  # rows that are objects of Python at once
_SPREAD = np.uint64(0x9E3779B97F4A7C15)  # odd: different numbers stay different

_Judgment = tuple[str, str, float, str]  # query, document, grade, subtopic


class Chosen(NamedTuple):
    """The judgments of some queries: those that count, the relevant ones beyond the most, and how many were dropped."""

    kept: Positives
    left_out: Positives | None
    dropped: int


class Judgments:
    """Judgments in the order of their files, as columns.

    Attributes
    ----------
    name
        Of the files.
    numbers
        The queries and their numbers, in order of first appearance.
    digest
        Of the judgments in their order, whatever their format.
    judges
        How many judgments are no person's, by the name of the judge.
    """

    def __init__(self, parts: Sequence[Part], encoding: str | None = None) -> None:
        """Read them; InputError with file, line and reason, and for files without any.

        `encoding` is that of files whose members are named; others are UTF.
        """
        self.name = ", ".join(str(part.path) for part in parts)
        self.numbers: dict[str, int] = {}
        tables = [table for part in parts for table in _tables(part, encoding)]
        if not tables:
            raise InputError(f"{self.name} has no judgment")
        self.judges = added([judges for _, judges in tables])
        rows = Rows.concatenated([table for table, _ in tables])
        spans = zip(rows.query_start.tolist(), rows.query_stop.tolist(), strict=True)
        self._text = copy_spans(rows.text, rows.start, rows.stop).tobytes()
        try:
            self._text.decode()
            queries = [bytes(rows.text[start:stop]).decode() for start, stop in spans]
        except UnicodeDecodeError:
            why = "has ids that are not UTF-8; convert the file to UTF-8"
            raise InputError(f"{self.name} {why}") from None
        owners = np.array([self.numbers.setdefault(query, len(self.numbers)) for query in queries], np.int64)
        owner = np.repeat(owners, np.diff(rows.groups))
        self._stops = np.cumsum((rows.stop - rows.start).astype(np.int64))
        self._document, self._grade, self._subtopic = rows.document, rows.value, rows.subtopic
        self._query = rows.query[np.unique(owners, return_index=True)[1]]  # the hash of each query
        self._order: I64 = np.argsort(owner, kind="stable")
        self._starts: I64 = np.append(0, np.cumsum(np.bincount(owner)))
        digest = content_digest("\n".join(self.numbers).encode(errors="surrogatepass"))
        for column in (self._text, self._stops, owner, self._grade):
            digest.update(memoryview(column))  # type: ignore[arg-type]
        self.digest = digest.hexdigest()

    def __len__(self) -> int:
        """Return the number of judgments."""
        return len(self._grade)

    def documents(self) -> Iterator[str]:
        """Yield the documents, as often as they are judged."""
        return map(self._name_of, range(len(self)))

    def of(self, numbers: I64, without_own: bool = False, most: int = 0) -> Chosen:
        """Return the judgments of some queries, in their order; of several subtopics, the highest grade.

        Parameters
        ----------
        numbers
            The queries, each once.
        without_own
            Drop judgments of documents that have the id of their query.
        most
            Relevant documents per query that count; 0: all.

        Raises
        ------
        InputError
            A document judged twice with different grades.
        """
        begin, counts = self._starts[numbers], np.diff(self._starts)[numbers]
        owner = np.repeat(np.arange(len(numbers)), counts)
        before = np.cumsum(counts) - counts
        rows = self._order[np.repeat(begin - before, counts) + np.arange(len(owner))]
        rows, owner, grade = self._distinct(rows, owner, numbers)
        dropped = 0
        if without_own:
            own = self._document[rows] == self._query[numbers][owner]
            dropped = int(own.sum())
            rows, owner, grade = rows[~own], owner[~own], grade[~own]
        if not most:
            return Chosen(self._positives(rows, owner, grade, len(numbers)), None, dropped)
        relevant = np.append(0, np.cumsum(grade > 0))
        rank = relevant[1:] - relevant[np.searchsorted(owner, owner)]
        counts_ = (grade <= 0) | (rank <= most)
        parts = [
            self._positives(rows[which], owner[which], grade[which], len(numbers)) for which in (counts_, ~counts_)
        ]
        return Chosen(parts[0], parts[1] if parts[1].ids else None, dropped)

    def _distinct(self, rows: I64, owner: I64, numbers: I64) -> tuple[I64, I64, F64]:
        """Return rows, their queries and grades, each document once."""
        grade = self._grade[rows]
        key = self._document[rows] ^ (owner.astype(np.uint64) * _SPREAD)
        order = np.argsort(key, kind="stable")
        again = np.flatnonzero(key[order][1:] == key[order][:-1]) + 1
        if not again.size:
            return rows, owner, grade
        kept = np.ones(len(rows), np.bool_)
        known: dict[tuple[int, str], tuple[int, int]] = {}  # place and subtopic of the first
        for place in np.unique(np.concatenate([order[again - 1], order[again]])).tolist():
            row = rows[place]
            document, subtopic = self._name_of(row), int(self._subtopic[row])
            first, its = known.setdefault((int(owner[place]), document), (place, subtopic))
            if first == place:
                continue
            if its == subtopic and self._grade[rows[first]] != self._grade[row]:
                query = list(self.numbers)[int(numbers[owner[place]])]
                raise InputError(
                    f"{self.name} judges document {visible(document)} of query {visible(query)} twice, with different "
                    "grades; keep one"
                )
            kept[place] = False
            grade[first] = max(grade[first], grade[place])
        return rows[kept], owner[kept], grade[kept]

    def _positives(self, rows: I64, owner: I64, grade: F64, queries: int) -> Positives:
        stops = self._stops[rows]
        starts = np.where(rows > 0, self._stops[rows - 1], 0)
        text = copy_spans(np.frombuffer(self._text, np.uint8), starts.astype(np.uint64), stops.astype(np.uint64))
        return Positives(
            offsets=np.append(0, np.cumsum(np.bincount(owner, minlength=queries))).astype(np.int64),
            ids=Strings.of(text, np.cumsum(stops - starts)),
            id=np.fromiter(self._hashes(starts, stops), np.uint64, len(rows)),
            text=np.full(len(rows), NO_HASH, np.uint64),
            text_prefixes=(),
            grade=grade,
        )

    def _hashes(self, starts: I64, stops: I64) -> Iterator[int]:
        text = self._text
        for first in range(0, len(starts), _BATCH):
            batch = slice(first, first + _BATCH)
            for start, stop in zip(starts[batch].tolist(), stops[batch].tolist(), strict=True):
                yield encoded_id_hash(text[start:stop])

    def _name_of(self, row: int) -> str:
        start = self._stops[row - 1] if row else 0
        return self._text[start : self._stops[row]].decode()


def _tables(part: Part, encoding: str | None) -> Iterator[tuple[Rows, dict[str, int]]]:
    """Yield the judgments of each file, and how many of them judges have made."""
    if part.generated is not None or part.members:
        rows = _rows(part, encoding)
        batches = iter(lambda: list(islice(rows, _BATCH)), [])
        yield from _table(list(map(_as_columns, batches)), part.path)
        return
    files = [part.path]
    if part.path.is_dir():
        files = sorted(part.path.rglob("*.parquet"))
        if not files:
            raise InputError(f"{part.path} is a folder without Parquet: name a file of judgments")
    for file in files:
        source = Source(file)
        kind = kind_of(source, False)
        pieces = list(in_order(piece.kept for piece in file_parts(source, False, kind)()))
        yield from _table(pieces, file, kind == "trec")


def _table(pieces: Sequence[Rows], path: Path, of_trec: bool = False) -> Iterator[tuple[Rows, dict[str, int]]]:
    """Yield the judgments of a file, if there are any; InputError for what cannot be judged by."""
    if not pieces:
        return
    rows = Rows.concatenated(pieces)
    rows, judges = told_apart(rows) if of_trec else (rows, {})
    if np.isinf(rows.value).any():
        row = int(np.isinf(rows.value).argmax())
        raise InputError(f"{path} has an infinite grade, of document {visible(rows.document_id(row))}")
    yield rows if rows.subtopic.size else replace(rows, subtopic=np.zeros(rows.value.size, np.uint64)), judges


def _rows(part: Part, encoding: str | None) -> Iterator[_Judgment]:
    rows = records(part, encoding)
    columns: dict[tuple[str, ...], list[str]] = {}  # by the members of a record
    for number, row in rows:
        keys = tuple(row)
        if keys not in columns:
            columns[keys] = _columns(keys, part.members, rows.where(number))
        query, document, grade, *subtopic = (value_of(row, name) for name in columns[keys])
        ids = record_id(query), record_id(document)
        if None in ids:
            what, given = ("query", query) if ids[0] is None else ("document", document)
            raise InputError(f"{rows.where(number)}: {_no_id(what, given)}")
        try:
            value = float(grade)
        except (TypeError, ValueError):
            value = math.nan
        if math.isnan(value):
            raise InputError(f"{rows.where(number)}: the grade {visible(repr(grade), 40)} is not a number")
        yield str(ids[0]), str(ids[1]), value, str(subtopic[0]) if subtopic else ""


def _columns(present: Sequence[str], members: Mapping[str, tuple[str, ...]], where: str) -> list[str]:
    """Return the members of a record that hold query, document and grade, and a subtopic where it has one."""
    names = dict(zip(present, present, strict=True))
    for key, usual in _USUAL.items():
        if key in members:
            member = next((name for name in members[key] if {name, name.partition(".")[0]} & {*present}), None)
            if member is None:
                there = ", ".join(visible(name, 40) for name in present[:20])
                raise InputError(f"{where}: no {key} ({' or '.join(members[key])}); there are {there or 'none'}")
            names[usual] = member
    return [names[name] for name in choose_columns(list(names), False, where)]


def _no_id(what: str, given: Any) -> str:
    if given is None or given == "":
        return f"no {what} id"
    return f"the {what} id {visible(repr(given), 40)} is neither a text nor a whole number"


def _as_columns(rows: Sequence[_Judgment]) -> Rows:
    queries = [(query, len(list(group))) for query, group in groupby(map(itemgetter(0), rows))]
    documents, grades = [row[1] for row in rows], np.array([row[2] for row in rows])
    made = Rows.of([query for query, _ in queries], [size for _, size in queries], documents, grades)
    subtopics = np.fromiter((id_hash(row[3]) for row in rows), np.uint64, len(rows))
    return replace(made, subtopic=subtopics)
