"""What is known of queries besides their judgments: texts, and columns that slices go by."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl

from benchbench.errors import InputError
from benchbench.formats.collection_texts import SHOWN
from benchbench.formats.datasets.data_set import TIERED, DataSet
from benchbench.formats.query_records import each_query
from benchbench.formats.records import Part
from benchbench.results.settings import NO_CLUSTER
from benchbench.tables.fields import called
from benchbench.tables.groups import Groups, groups_of
from benchbench.tables.hashing import content_digest

_WHOLE = 1 << 24  # characters of all texts together up to which they are kept whole
_LONGEST = 200  # characters: what is longer is a text and no category
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


def read_query_table(
    part: Part | Path,
    encoding: str | None = None,
    skip_bad_lines: bool = False,
    keep: Collection[str | None] = (),
    tiered: bool = True,
) -> QueryTable:
    """Read queries: JSON lines (BEIR's, or tiered), CSV or TSV with names of columns or without, Parquet, TREC topics.

    Parameters
    ----------
    part
        Where they are, as `formats.query_records` reads them. Every member besides id and text is a column, those of
        objects within objects too; of a tiered data set `tier` is the best of the positives.
    encoding
        Of what is text, a Python codec name; None detects the UTF encodings.
    skip_bad_lines
        Leave out what is no query, and an id that was used already, instead of raising.
    keep
        Columns that are kept however long their texts are; others of long texts are left out.
    tiered
        As `formats.query_records.each_query` has it.

    Raises
    ------
    InputError
        No id, an id used twice, what cannot be read; with file and line or row.
    """
    digest = content_digest()
    part = Part.of(part)
    texts: dict[str, str | None] = {}
    lengths: list[int | None] = []
    left = _WHOLE
    known: list[dict[str, Any]] = []
    is_written = False
    for identity, query in each_query(part, encoding, skip_bad_lines, digest, tiered):
        text = query.shown
        lengths.append(None if text is None else len(text))
        texts[identity] = text and text[: max(SHOWN, left)]
        left -= len(texts[identity] or "")
        known.append({**query.labels, **query.positives})
        is_written = query.is_written
    if not texts:
        raise InputError(f"{part.path} has no query")
    names = dict.fromkeys(name for columns in known for name in columns)
    series = [_column(name, [columns.get(name) for columns in known], name in keep, is_written) for name in names]
    if "length" not in names:
        series.append(_column("length", lengths))
    frame = pl.DataFrame([column for column in series if column is not None])
    return QueryTable(list(texts), list(texts.values()), frame, digest.hexdigest())


def data_table(data: DataSet, encoding: str | None = None, keep: Collection[str | None] = ()) -> QueryTable:
    """Return what is known of the queries of a data set; a record that is no query is passed over.

    Parameters are those of `read_query_table`; InputError where there is no query.
    """
    return read_query_table(data.queries, encoding, True, keep, data.make == TIERED)


def data_groups(data: DataSet, ids: Sequence[str], cluster: str | None, encoding: str | None = None) -> Groups | None:
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
    encoding
        As `read_query_table` has it.
    """
    column, path = cluster or data.cluster, data.queries.path
    if column in (None, NO_CLUSTER):
        return None
    table = data_table(data, encoding, (column,))
    if column not in table.columns.columns:
        there = ", ".join(table.columns.columns) or "none"
        raise InputError(f"--cluster {column}: the queries of {path} have no value of it; there are: {there}")
    return groups_of(table.rows_of(ids), column)


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
        members = [value and [called(member) for member in value if member is not None] for value in lists]
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
