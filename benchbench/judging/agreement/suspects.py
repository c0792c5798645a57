"""What may bias a judge's grades: the length of a text, its position, and whether it is of the judge's own model."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from benchbench.errors import InputError, visible
from benchbench.formats.collection import each_document
from benchbench.formats.records import Part, Records, record_id, records
from benchbench.judging.agreement.grades import Grades
from benchbench.judging.names import same_model
from benchbench.judging.relevance.pool import hashes_of
from benchbench.kernels.arrays import F64, I64, U64, Bools
from benchbench.significance.judge_bias import Probe, corrected, paired_probe, probe, untested
from benchbench.tables.fields import first
from benchbench.tables.qrels_runs import QrelsTable, RankedRun

LENGTH, POSITION, AGAIN, MODEL = "length", "position", "position_again", "model"
NAMES = (LENGTH, POSITION, AGAIN, MODEL)
_QUERY_IDS = ("query_id", "query-id", "qid", "question_id")
_DOCUMENT_IDS = ("doc_id", "document_id", "docid", "docno", "corpus-id", "corpus_id", "answer_id")
_BATCH = 10_000

_Row = TypeVar("_Row")


@dataclass(frozen=True, slots=True)
class Lengths:
    """Characters of the texts of documents, which are known by the hashes of their ids."""

    document: U64  # rising
    length: F64

    def of(self, documents: U64) -> F64:
        """Return the lengths of some documents; NaN for one without a text."""
        if not self.document.size:
            return np.full(documents.size, np.nan)
        place = np.minimum(np.searchsorted(self.document, documents), self.document.size - 1)
        return np.where(self.document[place] == documents, self.length[place], np.nan)


@dataclass(frozen=True, slots=True)
class PairColumns:
    """Columns of some pairs.

    Attributes
    ----------
    query, document
        (pairs,): hashes of the ids.
    numbers
        By name, of `length`, `position` and `position_again`, (pairs,): NaN where a pair has none.
    model
        (pairs,): the place in `models` of whose answer it is, -1 where that is not known; None without such a column.
    models
        Names.
    """

    query: U64
    document: U64
    numbers: dict[str, F64]
    model: I64 | None
    models: tuple[str, ...]


def read_lengths(part: Part | Path, documents: U64, encoding: str | None = None) -> Lengths:
    """Return the lengths of some documents of a collection, which is read once, one text in memory at a time.

    Parameters
    ----------
    part
        A collection of any size.
    documents
        Hashes of the ids of those that are wanted.
    encoding
        A Python codec name; None detects the UTF encodings.

    Raises
    ------
    InputError
        It cannot be read.
    """
    wanted = np.unique(documents)
    length = np.full(wanted.size, np.nan)
    read = each_document(part, encoding, skip_bad_lines=True, only=("id", "title", "text"))
    lengths = ((entry.id, len(entry.titled())) for entry in read if entry.id is not None and entry.text is not None)
    for batch in _batches(lengths):
        hashes = hashes_of([identity for identity, _ in batch])
        place = np.minimum(np.searchsorted(wanted, hashes), max(wanted.size - 1, 0))
        hit = wanted[place] == hashes
        length[place[hit]] = np.array([length_of_text for _, length_of_text in batch], np.float64)[hit]
    has_length = ~np.isnan(length)
    return Lengths(wanted[has_length], length[has_length])


def read_pair_columns(path: Path, encoding: str | None = None) -> PairColumns:
    """Read a table of pairs: JSON lines, CSV, TSV with names of columns, or Parquet.

    A row has `query_id` and `doc_id` and at least one of `length`, `position`, `position_again` and `model`.

    Raises
    ------
    InputError
        With file and row: no id, a number that is none, a position below 1; none of the columns.
    """
    part = Part(path, {"query": _QUERY_IDS, "document": _DOCUMENT_IDS, **{name: (name,) for name in NAMES}})
    rows = records(part, encoding, only=("query", "document", *NAMES))
    query, document = [], []
    numbers: dict[str, list[float]] = {LENGTH: [], POSITION: [], AGAIN: []}
    models: dict[str, int] = {}
    model: list[int] = []
    for batch in _batches(_rows(rows)):
        query.append(hashes_of([row[0] for row in batch]))
        document.append(hashes_of([row[1] for row in batch]))
        for name, values in numbers.items():
            values += [row[2][name] for row in batch]
        model += [-1 if row[3] is None else models.setdefault(row[3], len(models)) for row in batch]
    columns = {name: np.array(values) for name, values in numbers.items()}
    given_columns = {name: column for name, column in columns.items() if not np.isnan(column).all()}
    if not given_columns and not models:
        raise InputError(f"{path} has none of the columns {', '.join(NAMES)}, which the bias tests need")
    return PairColumns(
        np.concatenate(query),
        np.concatenate(document),
        given_columns,
        np.array(model, np.int64) if models else None,
        tuple(models),
    )


def _rows(rows: Records) -> Iterator[tuple[str, str, dict[str, float], str | None]]:
    """Yield query, document, numbers and model of each row."""
    for number, record in rows:
        ids = [first(record, names) for names in (_QUERY_IDS, _DOCUMENT_IDS)]
        query, document = (None if identity is None else record_id(identity) for identity in ids)
        if query is None or document is None:
            raise InputError(f"{rows.where(number)}: a pair needs a query_id and a doc_id")
        numbers = {name: _number(rows, number, name, record.get(name)) for name in (LENGTH, POSITION, AGAIN)}
        for name in (POSITION, AGAIN):
            if numbers[name] < 1:
                raise InputError(f"{rows.where(number)}: {name} counts from 1, and is {numbers[name]:g}")
        model = record.get(MODEL)
        yield query, document, numbers, None if model in (None, "") else str(model)


def _batches(rows: Iterator[_Row]) -> Iterator[list[_Row]]:
    while batch := list(islice(rows, _BATCH)):
        yield batch


def _number(rows: Records, number: int, name: str, value: Any) -> float:
    if value is None or value == "":
        return math.nan
    try:
        parsed = math.nan if isinstance(value, bool) else float(value)
    except (TypeError, ValueError, OverflowError):
        parsed = math.nan
    if not math.isfinite(parsed):
        raise InputError(f"{rows.where(number)}: {name} {visible(repr(value), 60)} is not a number")
    return parsed


_ODD = np.uint64(0x9E3779B97F4A7C15)


@dataclass(frozen=True)
class Rated:
    """Grades of people and judges.

    Attributes
    ----------
    key
        (pairs,): what each pair is known by, rising.
    query
        (pairs,): its query, from 0, in the order in which the first rater has them.
    grades
        (raters, pairs): NaN where a rater has given none. People come first.
    queries
        How many there are.
    own
        Of each rater, (its pairs,): the places of its pairs, in its own order.
    """

    key: U64
    query: I64
    grades: F64
    queries: int
    own: tuple[I64, ...]

    @cached_property
    def given(self) -> Bools:
        """(raters, pairs): whether there is a grade."""
        is_given: Bools = ~np.isnan(self.grades)
        return is_given

    def both(self, judge: int) -> Bools:
        """Return which pairs have grades by people and by a judge, whose place is from 1."""
        is_in_both: Bools = self.given[0] & self.given[judge]
        return is_in_both

    def at(self, queries: U64, documents: U64) -> I64:
        """Return the places of pairs by the hashes of their ids; -1 for one that nobody graded."""
        key = keys(queries, documents)
        place = np.minimum(np.searchsorted(self.key, key), max(self.key.size - 1, 0))
        places: I64 = np.where(self.key[place] == key, place, -1)
        return places


def keys(queries: U64, documents: U64) -> U64:
    """Return the keys of pairs: that any two of a million pairs share a key has probability 3e-8."""
    hashed: U64 = documents ^ (queries * _ODD)
    return hashed


def rated(raters: Sequence[QrelsTable]) -> Rated:
    """Return the pairs that at least one of the raters has graded."""
    known, order = np.unique(np.concatenate([labels.query for labels in raters]), return_index=True)
    number = np.empty(known.size, np.int64)
    number[np.argsort(order)] = np.arange(known.size)
    owner = np.concatenate([np.repeat(labels.query, np.diff(labels.offsets)) for labels in raters])
    document = np.concatenate([labels.document for labels in raters])
    key, rows, places = np.unique(keys(owner, document), return_index=True, return_inverse=True)
    own_places = np.split(places, np.cumsum([labels.document.size for labels in raters])[:-1])
    grades = np.full((len(raters), key.size), np.nan)
    for row, at, labels in zip(grades, own_places, raters, strict=True):
        row[at] = labels.grade
    return Rated(key, number[np.searchsorted(known, owner[rows])], grades, int(known.size), tuple(own_places))


OWN_DEPTH = 10  # first hits of a run that are its own choice


@dataclass(frozen=True, kw_only=True)
class Suspects:
    """What a judge's grades may go by, besides the pairs themselves.

    Attributes
    ----------
    lengths
        Of the texts of documents.
    columns
        `length`, `position`, `position_again` and `model` of pairs.
    again
        The same judge's grades of the same pairs, asked in another order.
    order
        The run in whose order the judge was shown the documents.
    own
        What the column `model` calls the judge's own model; by default the judge's.
    own_run
        The run that the judge's own model has ranked: its first hits are its own choice. The column goes before it.
    """

    lengths: Lengths | None = None
    columns: PairColumns | None = None
    again: QrelsTable | None = None
    order: RankedRun | None = None
    own: str = ""
    own_run: RankedRun | None = None


def probes_of(
    suspects: Suspects, people: QrelsTable, judge_grades: Grades, tables: Rated, place: int, level: float, seed: int
) -> tuple[list[Probe], list[str]]:
    """Return the probes that the data allow, and which models are the judge's own.

    Parameters
    ----------
    suspects
        What to look at.
    people, judge_grades, tables, place
        People's labels, the judge, the grades of all, and the judge's place in them.
    level, seed
        As `significance.judge_bias.probe` has them.
    """
    values, own = _values(suspects, people, judge_grades, tables, place)
    both = tables.both(place)
    human, judge, query = tables.grades[0][both], tables.grades[place][both], tables.query[both]
    probes = [probe(name, human, judge, value[both], query, level, seed) for name, value in values.items()]
    if suspects.again is not None:
        probes = [kept for kept in probes if kept.name != "position"]
        probes.append(_asked_again(tables, place, suspects, level, seed))
    columns = suspects.columns
    if columns is not None and columns.model is not None and not own:
        probes.append(untested("self_preference", "no row is of the judge's own model; --own names it"))
    return corrected(probes), own


def _values(
    suspects: Suspects, people: QrelsTable, judge: Grades, tables: Rated, place: int
) -> tuple[dict[str, F64], list[str]]:
    """Return the suspected value of each pair, by the names of the probes."""
    columns = suspects.columns
    values: dict[str, F64] = {}
    own: list[str] = []
    if suspects.lengths is not None:
        length = np.full(tables.key.size, np.nan)
        for rater, qrels in ((0, people), (place, judge.qrels)):
            length[tables.own[rater]] = suspects.lengths.of(qrels.document)
        values["length"] = _logarithms(length)
    if suspects.order is not None:
        values["position"] = _logarithms(_ranks(tables, suspects.order))
    if suspects.own_run is not None:
        rank = _ranks(tables, suspects.own_run)
        values["self_preference"] = (rank <= OWN_DEPTH).astype(np.float64)
        own = [suspects.own_run.name]
    if columns is not None:
        at = tables.at(columns.query, columns.document)
        is_known = at >= 0
        for name, probed in ((LENGTH, "length"), (POSITION, "position")):
            if name in columns.numbers:
                values[probed] = _logarithms(_column(tables, at, is_known, columns.numbers[name]))
        if columns.model is not None:
            called = suspects.own or judge.model
            named = [name for name in columns.models if called and same_model(name, called)]
            if named:
                own = named
                places = [columns.models.index(name) for name in named]
                is_own: F64 = np.where(columns.model < 0, np.nan, np.isin(columns.model, places)).astype(np.float64)
                values["self_preference"] = _column(tables, at, is_known, is_own)
    return values, own


def _column(tables: Rated, at: I64, is_known: Bools, values: F64) -> F64:
    column = np.full(tables.key.size, np.nan)
    column[at[is_known]] = values[is_known]
    return column


def _logarithms(values: F64) -> F64:
    """Return logarithms to base 2, so that an effect is that of doubling; values below 1 count as 1."""
    logarithms: F64 = np.log2(np.maximum(values, 1.0))
    return logarithms


def _ranks(tables: Rated, order: RankedRun) -> F64:
    hits = order.rankings
    sizes = np.diff(hits.offsets)
    owner = np.repeat(hits.query, sizes)
    rank = (np.arange(hits.document.size) - np.repeat(hits.offsets[:-1], sizes) + 1).astype(np.float64)
    at = tables.at(owner, hits.document)
    return _column(tables, at, at >= 0, rank)


def _asked_again(tables: Rated, place: int, suspects: Suspects, level: float, seed: int) -> Probe:
    """Compare a judge with its own grades of the same pairs in another order."""
    assert suspects.again is not None
    again, columns = suspects.again, suspects.columns
    second = np.full(tables.key.size, np.nan)
    at = tables.at(np.repeat(again.query, np.diff(again.offsets)), again.document)
    second[at[at >= 0]] = again.grade[at >= 0]
    step = np.ones(tables.key.size)
    if columns is not None and {POSITION, AGAIN} <= columns.numbers.keys():
        place_of = tables.at(columns.query, columns.document)
        is_known = place_of >= 0
        moved = np.log2(columns.numbers[AGAIN] / columns.numbers[POSITION])
        step = _column(tables, place_of, is_known, moved)
    return paired_probe("position", tables.grades[place], second, step, tables.query, level, seed)
