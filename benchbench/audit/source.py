"""What is audited: the queries of a data set, its documents one by one, and the queries of its other splits."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, NamedTuple

import polars as pl

from benchbench.errors import InputError
from benchbench.formats.card import DataSet
from benchbench.formats.lines import json_lines
from benchbench.formats.query_table import read_queries
from benchbench.formats.tiered import read_tiered
from benchbench.tables.fields import ID, TEXT, first, identity
from benchbench.tables.queries import Queries
from benchbench.tasks.compiled import compiled
from benchbench.tasks.defined import tasks_of

_ID = "\0id"  # a column that no file has


class Document(NamedTuple):
    """A document as it is read; its text is empty where it has none."""

    id: str
    title: str
    text: str
    record: dict[str, Any]

    @property
    def whole(self) -> str:
        """The text that is searched: the title, where there is one, and the text."""
        return f"{self.title} {self.text}" if self.title else self.text


Documents = Callable[[], Iterator[tuple[int, Document | None]]]  # with the number of the line or row; None: unreadable


@dataclass(frozen=True)
class Audited:
    """A data set as an audit sees it.

    Attributes
    ----------
    name, source, make
        What it is called, where it lies, and what it is.
    queries
        With all judgments that there are, and the labels of the tasks.
    documents
        Reads the collection once, one document in memory at a time; None where there is no collection.
    collection
        What the collection is called.
    gold_by
        What makes a document a positive: its `text`, or its `id`.
    columns
        What is known of the queries, one row per query.
    splits
        Of each other split its queries: texts by id.
    cluster
        The column that the data set names for its groups.
    """

    name: str
    source: str
    make: str
    queries: Queries
    documents: Documents | None
    collection: str = ""
    gold_by: Literal["text", "id"] = "text"
    columns: pl.DataFrame = field(default_factory=pl.DataFrame)
    splits: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    cluster: str | None = None


def audited(data: DataSet, name: str, encoding: str | None = None) -> Audited:
    """Return what a data set has; lines that cannot be read are counted, and are findings.

    Raises
    ------
    InputError
        When it has no query that can be read.
    """
    tasks = tasks_of(data)
    by = next((str(task["by"]) for task in tasks if task.judged), "text")
    queries = read_tiered(data.queries, encoding, True, 0, compiled(tasks).schema)
    collection = data.collection
    return Audited(
        name,
        str(data.queries),
        "tiered",
        queries,
        None if collection is None else lambda: documents_of(collection, encoding),
        "" if collection is None else str(collection),
        "id" if by == "id" else "text",
        columns_of(data.queries, queries, encoding),
        cluster=data.cluster,
    )


def columns_of(path: Path, queries: Queries, encoding: str | None) -> pl.DataFrame:
    """Return the columns of a file of queries, a row for each of those that are audited."""
    table = read_queries(path, encoding, skip_bad_lines=True)
    columns = table.columns.with_columns(pl.Series(_ID, table.ids, pl.String))
    rows = pl.DataFrame({_ID: pl.Series(list(queries.ids), dtype=pl.String)})
    return rows.join(columns, on=_ID, how="left", maintain_order="left").drop(_ID)


def documents_of(path: Path, encoding: str | None = None) -> Iterator[tuple[int, Document | None]]:
    """Yield the documents of a collection, one in memory at a time.

    Raises
    ------
    InputError
        When the file cannot be read, or has no document.
    """
    any_document = False
    for number, record in json_lines(path, encoding, skip_bad_lines=True):
        document = document_of(number, record)
        any_document = any_document or document is not None
        yield number, document
    if not any_document:
        raise InputError(f"{path} is no collection: none of its lines is a document")


def document_of(number: int, record: Any) -> Document | None:
    """Return a document; None for what is none. Without an id, the number of its line names it."""
    if not isinstance(record, dict):
        return None
    given, text, title = first(record, ID), first(record, TEXT), record.get("title")
    identifier = str(number) if given is None else identity(given)
    if identifier is None or not isinstance(text, str | None):
        return None
    return Document(identifier, title if isinstance(title, str) else "", text or "", record)
