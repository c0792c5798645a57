"""What is known of queries besides their judgments: texts, and columns that slices go by."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

import polars as pl

from benchbench.errors import InputError, visible
from benchbench.formats.collection_texts import SHOWN
from benchbench.formats.datasets.data_set import DataSet
from benchbench.formats.query_fields import QUERY_IDS, QUERY_TEXTS
from benchbench.formats.records import Part, Records, joined_text, record_id, records, value_of
from benchbench.tables.fields import called
from benchbench.tables.groups import Groups, groups_of
from benchbench.tables.hashing import content_digest
from benchbench.tables.settings import NO_CLUSTER

_OF_TOPICS = ("title", "question", "desc", "narr")  # behind the others, the shortest first
_LONG_OF_TOPICS = ("narr", "narrative", "desc", "description")
_NO_OBJECT = "not a JSON object; queries stand in JSON lines, .csv, .tsv or .parquet, or are topics of TREC"
_WHOLE = 1 << 24  # characters of all texts together up to which they are kept whole
_LONGEST = 200  # characters: what is longer is a text and no category
_DEPTH = 4  # of objects in objects
_ID = "\0id"  # a column that no file has


@dataclass(frozen=True)
class QueryTable:
    """Texts, and columns of numbers, truth values, texts or lists of texts; one row per query.

    Of long texts that do not all fit, there are beginnings.
    """

    ids: list[str]
    texts: list[str | None]
    columns: pl.DataFrame
    digest: str  # of the file's bytes

    def rows_of(self, ids: Iterable[str]) -> pl.DataFrame:
        """Return the columns with a row for each of some queries, in their order; nulls for one that is not there."""
        known = pl.DataFrame([pl.Series(_ID, self.ids, pl.String), *self.columns])
        rows = pl.DataFrame({_ID: pl.Series(list(ids), dtype=pl.String)})
        return rows.join(known, on=_ID, how="left", maintain_order="left").drop(_ID)


def read_queries(
    part: Part | Path, encoding: str | None = None, skip_bad_lines: bool = False, keep: Collection[str | None] = ()
) -> QueryTable:
    """Read queries: JSON lines (BEIR's, or tiered), CSV or TSV with names of columns or without, Parquet, TREC topics.

    Parameters
    ----------
    part
        Where they are, as `formats.records` reads them. The id stands in `_id`, `query_id`, `id` or `qid`, the text in
        `query`, `text`, `fact`, …, of topics in `query` or `title`. Every other member is a column, those of objects
        within objects too; of a tiered data set `tier` is the best of the positives.
    encoding
        Of what is text, a Python codec name; None detects the UTF encodings.
    skip_bad_lines
        Leave out what is no query, instead of raising.
    keep
        Columns that are kept however long their texts are; others of long texts are left out.

    Raises
    ------
    InputError
        No id, an id used twice, what cannot be read; with file and line or row.
    """
    digest = content_digest()
    part = Part.of(part)
    ids: list[str] = []
    texts: list[str | None] = []
    lengths: list[int | None] = []
    left = _WHOLE
    known: list[dict[str, Any]] = []
    written = False
    for one in each_query(part, encoding, skip_bad_lines, digest):
        ids.append(one.id)
        lengths.append(None if one.text is None else len(one.text))
        texts.append(one.text and one.text[: max(SHOWN, left)])
        left -= len(texts[-1] or "")
        known.append({**one.labels, **one.positives})
        written = one.written
    if not ids:
        raise InputError(f"{part.path} has no query")
    names = dict.fromkeys(name for columns in known for name in columns)
    series = [_column(name, [columns.get(name) for columns in known], name in keep, written) for name in names]
    if "length" not in names:
        series.append(_column("length", lengths))
    return QueryTable(ids, texts, pl.DataFrame([one for one in series if one is not None]), digest.hexdigest())


class Query(NamedTuple):
    """One query: its whole text, its labels by name, and what is known of its positives where they stand with it."""

    id: str
    text: str | None
    labels: dict[str, Any]
    positives: dict[str, Any]
    written: bool  # in a table of texts, where numbers are texts as well


def each_query(
    part: Part | Path, encoding: str | None = None, skip_bad_lines: bool = False, digest: Any = None
) -> Iterator[Query]:
    """Yield queries, one in memory at a time; parameters and errors are those of `read_queries`.

    `digest` is updated with the bytes of the file.
    """
    part = Part.of(part)
    rows = records(part, encoding, True, digest=digest)  # a bad one is None
    numbers: dict[str, int] = {}
    for number, row in rows:
        if row is None:
            if skip_bad_lines:
                continue
            raise _refusal(part, encoding, rows, number)
        if rows.kind in ("tsv", "csv"):
            row = {name: value or None for name, value in row.items()}
        named = [name for name in part.members.get("id", QUERY_IDS) if value_of(row, name) is not None]
        tiered = isinstance(row.get("query"), dict)
        query = record_id(value_of(row, named[0])) if named else str(number) if tiered else None
        if query is None and skip_bad_lines:
            continue
        if query is None:
            raise InputError(f"{rows.where(number)}: no query id (_id, query_id or id)")
        if query in numbers:
            earlier = rows.where(numbers[query], number)
            raise InputError(f"{rows.where(number)}: query {visible(query, 200)} was in {earlier} already")
        numbers[query] = number
        text = _text(part, rows.kind, row)
        labels: dict[str, Any] = {}
        unread = (
            *QUERY_IDS,
            *part.members.get("id", ()),
            "positives",
            *(_LONG_OF_TOPICS if rows.kind == "trec" else ()),
        )
        _flatten({name: value for name, value in row.items() if name not in unread}, labels)
        if tiered:
            text = next((row["query"][name] for name in QUERY_TEXTS if isinstance(row["query"].get(name), str)), None)
        positives = _of_positives(row.get("positives")) if tiered else {}
        yield Query(query, text, labels, positives, rows.kind in ("tsv", "csv"))


def data_groups(
    data: DataSet, ids: Sequence[str], cluster: str | None, encoding: str | None = None, skip_bad_lines: bool = False
) -> Groups | None:
    """Return which queries of a data set belong together; None where nothing says so.

    Parameters
    ----------
    data
        The data set; its own cluster counts where none is asked for.
    ids
        Of the queries, in their order; one that the file does not have is a group of its own.
    cluster
        The column that has equal values for queries of one group, as `tables.groups.groups_of` reads it; `none` for
        none.
    encoding, skip_bad_lines
        As `read_queries` has them.
    """
    column, path = cluster or data.cluster, data.queries.path
    if column in (None, NO_CLUSTER):
        return None
    table = read_queries(data.queries, encoding, skip_bad_lines, (column,))
    if column not in table.columns.columns:
        there = ", ".join(table.columns.columns) or "none"
        raise InputError(f"--cluster {column}: the queries of {path} have no value of it; there are: {there}")
    return groups_of(table.rows_of(ids), column)


def _refusal(part: Part, encoding: str | None, rows: Records, number: int) -> InputError:
    """Return what is wrong with the first record that cannot be read."""
    if rows.kind not in ("jsonl", "json"):
        try:
            list(islice(records(part, encoding), number))
        except InputError as problem:
            return problem
    return InputError(f"{rows.where(number)}: {_NO_OBJECT}")


def _text(part: Part, kind: str, row: dict[str, Any]) -> str | None:
    """Return the text of a query: what the part says it is, else the first member that is one."""
    names = part.members.get("text")
    if names is not None:
        return joined_text(row, names)
    usual: tuple[str, ...] = QUERY_TEXTS
    if kind == "trec":
        usual = (*(name for name in QUERY_TEXTS if name not in _OF_TOPICS), *_OF_TOPICS)
    return next((row[name] for name in usual if isinstance(row.get(name), str)), None)


def _read(values: Sequence[str | None]) -> Sequence[Any]:
    """Return the values of a written table as numbers or truth values, where all of them are."""
    texts = pl.Series(values, dtype=pl.String)
    for kind in (pl.Int64, pl.Float64):
        numbers = texts.cast(kind, strict=False)
        if numbers.null_count() == texts.null_count():
            return numbers.to_list()
    is_true = {"true": True, "false": False}
    if all(value is None or value.lower() in is_true for value in values):
        return [None if value is None else is_true[value.lower()] for value in values]
    return values


def _column(name: str, values: Sequence[Any], keep: bool = False, written: bool = False) -> pl.Series | None:
    """Return values as a column of lists, truth values, numbers or else texts; None for what is no label.

    `written`: they are texts of a table, and may be meant as numbers.
    """
    given = [value for value in values if value is not None]
    if written and given:
        values = _read(values)
        given = [value for value in values if value is not None]
    if not given:
        return None
    if any(isinstance(value, list) for value in given):
        lists = [value if isinstance(value, list) or value is None else [value] for value in values]
        members = [value and [called(one) for one in value if one is not None] for value in lists]
        return pl.Series(name, members, pl.List(pl.String))
    if all(isinstance(value, bool) for value in given):
        return pl.Series(name, values, pl.Boolean)
    if all(isinstance(value, int | float) and not isinstance(value, bool) for value in given):
        kind = pl.Float64 if any(isinstance(value, float) for value in given) else None
        return pl.Series(name, values, kind, strict=False)
    texts = [None if value is None else called(value) for value in values]
    if not keep and max(len(text) for text in texts if text is not None) > _LONGEST:
        return None
    return pl.Series(name, texts, pl.String)


def _of_positives(positives: Any) -> dict[str, Any]:
    """Return number and best tier of a tiered line's positives."""
    rows = [one for one in positives if isinstance(one, dict)] if isinstance(positives, list) else []
    tiers = [one["tier"] for one in rows if isinstance(one.get("tier"), int)]
    return {"positives": len(rows), "tier": min(tiers, default=None)}


def _flatten(record: dict[str, Any], columns: dict[str, Any], depth: int = 0) -> None:
    """Collect single values and lists of them, those of inner objects under their own names."""
    for name, value in record.items():
        if isinstance(value, dict) and depth < _DEPTH:
            _flatten(value, columns, depth + 1)
        elif isinstance(value, list):
            if value and not any(isinstance(one, dict | list) for one in value):
                columns.setdefault(name, value)
        elif isinstance(value, str | int | float) and name not in QUERY_TEXTS:
            columns.setdefault(name, value)
