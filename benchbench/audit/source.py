"""What is audited: the queries of a data set, its documents one by one, and the queries of its other splits."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import polars as pl

from benchbench.errors import InputError
from benchbench.formats.collection import Document, documents
from benchbench.formats.datasets.data_set import DataSet, IdentityRule
from benchbench.formats.datasets.locate import located
from benchbench.formats.datasets.reading import read_queries
from benchbench.formats.query_table import data_table
from benchbench.kernels.arrays import U64
from benchbench.tables.queries import Queries
from benchbench.tasks.compiled import compiled
from benchbench.tasks.criteria import Criteria
from benchbench.tasks.defined import tasks_of


class Split(NamedTuple):
    """The queries of another split: their ids, and the hashes of their texts."""

    ids: Sequence[str]
    text: U64


Documents = Callable[[], Iterator[tuple[int, Document | None]]]  # with the number of the line or row; None: unreadable


@dataclass(frozen=True, kw_only=True)
class Audited:
    """A data set as an audit sees it.

    Attributes
    ----------
    name, source, make
        What it is called, where its queries lie, and what it is.
    queries
        With all judgments that there are, and the labels of the tasks.
    documents
        Reads the collection once, one document in memory at a time; None where there is no collection.
    collection
        What the collection is called.
    gold_by
        What makes a document a positive: its `text`, or its `id`.
    self_by
        What makes a hit the query itself where nobody says it.
    columns
        What is known of the queries, one row per query.
    splits
        Each other split that can be read.
    cluster
        The column that the data set names for its groups.
    notes
        Sentences on what was not read.
    """

    name: str
    source: str
    make: str
    queries: Queries
    documents: Documents | None
    collection: str = ""
    gold_by: str = "text"
    self_by: IdentityRule = "text"
    columns: pl.DataFrame = field(default_factory=pl.DataFrame)
    splits: Mapping[str, Split] = field(default_factory=dict)
    cluster: str | None = None
    notes: tuple[str, ...] = ()


def audited(data: DataSet, encoding: str | None = None) -> Audited:
    """Return what a data set has; lines that cannot be read are counted, and are findings.

    Raises
    ------
    InputError
        When it has no query that can be read.
    """
    schema = compiled(tasks_of(data)).schema
    queries = read_queries(data, encoding, True, 0, schema, "text")  # by id, judgments of the query itself are dropped
    part = data.collection
    splits, notes = _splits(data, encoding)
    return Audited(
        name=data.options.dataset or data.name,
        source=str(data.queries.path),
        make=data.make,
        queries=queries,
        documents=None if part is None else lambda: documents(part, encoding, skip_bad_lines=True),
        collection="" if part is None else str(part.path),
        gold_by=Criteria().of(data).gold_by or "text",
        self_by=data.self_by,
        columns=data_table(data, encoding).rows_of(queries.ids),
        splits=splits,
        cluster=data.cluster,
        notes=(*queries.notes, *notes),
    )


def _splits(data: DataSet, encoding: str | None) -> tuple[dict[str, Split], list[str]]:
    """Return the other splits by name, and sentences on those that cannot be read."""
    splits: dict[str, Split] = {}
    notes = []
    for name in data.splits:
        if name == data.split:
            continue
        try:
            queries = read_queries(located(replace(data.options, split=name)), encoding, True)
        except InputError as problem:
            notes.append(f"the split {name} was not compared: {problem}")
        else:
            splits[name] = Split(queries.ids, queries.text)
    return splits, notes
