"""What is known of queries besides their judgments: texts, and columns that slices go by."""

import io
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl

from benchbench.errors import InputError, said_by
from benchbench.formats.collection_texts import SHOWN
from benchbench.formats.datasets.data_set import DataSet
from benchbench.formats.lines import json_lines, open_input
from benchbench.formats.records import Part, Records, records
from benchbench.tables.fields import TEXT, called, identity
from benchbench.tables.groups import NO_CLUSTER, Groups, groups_of
from benchbench.tables.hashing import content_digest

_IDS = ("_id", "query_id", "id", "qid")
_TEXTS = ("query", *TEXT)
_SEPARATORS = {".csv": ",", ".tsv": "\t"}
_LONGEST = 200  # characters: what is longer is a text and no category
_DEPTH = 4  # of objects in objects
_ID = "\0id"  # a column that no file has


@dataclass(frozen=True)
class QueryTable:
    """Beginnings of texts, and columns of numbers, truth values, texts or lists of texts; one row per query."""

    ids: list[str]
    texts: list[str | None]
    columns: pl.DataFrame
    digest: str  # of the file's bytes


def read_queries(
    given: Part | Path, encoding: str | None = None, skip_bad_lines: bool = False, keep: Collection[str | None] = ()
) -> QueryTable:
    """Read a file of queries: JSON lines (BEIR's, or tiered), CSV or TSV with a header, or Parquet.

    Parameters
    ----------
    given
        The id stands in `_id`, `query_id`, `id` or `qid`, the text in `query`, `text`, `fact`, … . Every other
        member is a column, those of objects within objects too; of a tiered data set `tier` is the best of the
        positives.
    encoding
        Of JSON lines, a Python codec name; None detects the UTF encodings.
    skip_bad_lines
        Leave out what is no query, instead of raising.
    keep
        Columns that are kept however long their texts are; others of long texts are left out.

    Raises
    ------
    InputError
        No id, an id used twice, what cannot be read; with file and line or row.
    """
    digest, path = content_digest(), Part.of(given).path
    rows, unit = _rows(Part.of(given), encoding, digest)
    lines: dict[str, int] = {}
    texts: list[str | None] = []
    lengths: list[int | None] = []
    known: list[dict[str, Any]] = []
    for number, row in rows:
        where = f"{path}, {unit} {number}"
        if not isinstance(row, dict):
            if skip_bad_lines:
                continue
            raise InputError(f"{where}: not a JSON object; queries stand in JSON lines, .csv, .tsv or .parquet")
        named = [name for name in _IDS if row.get(name) is not None]
        tiered = isinstance(row.get("query"), dict)
        query = identity(row[named[0]]) if named else str(number) if tiered else None
        if query is None and skip_bad_lines:
            continue
        if query is None:
            raise InputError(f"{where}: no query id (_id, query_id or id)")
        if query in lines:
            raise InputError(f"{where}: query {query} was in {unit} {lines[query]} already")
        lines[query] = number
        text = next((row[name] for name in _TEXTS if isinstance(row.get(name), str)), None)
        columns: dict[str, Any] = {}
        _flatten({name: value for name, value in row.items() if name not in (*_IDS, "positives")}, columns)
        if tiered:
            text = next((row["query"][name] for name in TEXT if isinstance(row["query"].get(name), str)), None)
            columns.update(_of_positives(row.get("positives")))
        lengths.append(None if text is None else len(text))
        texts.append(text and text[:SHOWN])
        known.append(columns)
    if not lines:
        raise InputError(f"{path} has no query")
    names = dict.fromkeys(name for columns in known for name in columns)
    series = [_column(name, [columns.get(name) for columns in known], name in keep) for name in names]
    if "length" not in names:
        series.append(_column("length", lengths))
    return QueryTable(list(lines), texts, pl.DataFrame([one for one in series if one is not None]), digest.hexdigest())


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
    columns = table.columns.with_columns(pl.Series(_ID, table.ids))
    if column not in table.columns.columns:
        there = ", ".join(table.columns.columns) or "none"
        raise InputError(f"--cluster {column}: the queries of {path} have no value of it; there are: {there}")
    rows = pl.DataFrame({_ID: list(ids)}).join(columns, on=_ID, how="left", maintain_order="left")
    return groups_of(rows.drop(_ID), column)


def _named(rows: Records, number: int, record: dict[str, Any] | None) -> dict[str, Any] | None:
    """Return a record with its id and text under the usual names, where the data set has others."""
    members = rows.part.members
    if record is None or not members:
        return record
    rest = {name: value for name, value in record.items() if not any(name in names for names in members.values())}
    return {**rest, "_id": rows.id_of(number, record), "query": rows.text_of(record)}


def _column(name: str, values: Sequence[Any], keep: bool = False) -> pl.Series | None:
    """Return values as a column of lists, truth values, numbers or else texts; None for what is no label."""
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
        elif isinstance(value, str | int | float) and name not in _TEXTS:
            columns.setdefault(name, value)


def _rows(part: Part, encoding: str | None, digest: Any) -> tuple[Any, str]:
    path, suffix = part.path, part.path.suffix.lower()
    if part.generated is not None or part.members or path.is_dir() or suffix in (".xml", ".sgml", ".trec"):
        rows = records(part, encoding, True, digest=digest)
        return ((number, _named(rows, number, record)) for number, record in rows), "record"
    if suffix not in (*_SEPARATORS, ".parquet"):
        return json_lines(path, encoding, True, digest), "line"  # a bad line is None
    with open_input(path) as file:
        content = io.BytesIO(file.read()) if path.is_fifo() else path
    try:
        if suffix == ".parquet":
            frame = pl.read_parquet(content, glob=False)
        else:
            frame = pl.read_csv(
                content,
                separator=_SEPARATORS[suffix],
                schema_overrides=dict.fromkeys((*_IDS, *_TEXTS), pl.String),  # 001 is an id, and no number
                infer_schema_length=None,
                glob=False,
            )
    except (OSError, pl.exceptions.PolarsError, pl.exceptions.PanicException) as error:
        raise InputError(f"{path} is no {suffix[1:]} file: {said_by(error)}") from None
    return enumerate(frame.iter_rows(named=True), 1), "row"
