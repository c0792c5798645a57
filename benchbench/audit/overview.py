"""What a data set is: its make, its parts and their sizes, its tasks, and how it is measured by default."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from benchbench.formats.datasets.data_set import DataSet
from benchbench.formats.datasets.digests import part_files
from benchbench.formats.datasets.reading import read_queries
from benchbench.formats.query_table import data_table
from benchbench.tables.fields import called
from benchbench.tables.queries import Queries
from benchbench.tasks.compiled import compiled
from benchbench.tasks.criteria import Criteria
from benchbench.tasks.defined import tasks_of
from benchbench.tasks.missing_documents import documents_of

_LICENCE = ("licence", "license")


@dataclass(frozen=True, slots=True, kw_only=True)
class Overview:
    """What `overview` finds out.

    Attributes
    ----------
    name, make, split, splits
        As of the data set; empty where there are no splits.
    files
        Where the parts are, by name.
    sizes
        Bytes of their files, by name; none of what a package has.
    queries, documents
        How many there are; documents are None where there is no collection.
    judgments
        How many there are; 0 where labels alone say what is relevant.
    grades
        How many judgments have each grade.
    relevant
        Relevant documents per query: `least`, `median`, `mean` and `most`.
    columns
        Columns of the queries, and how many different values each has.
    tasks
        As `--task` writes them, by name.
    defaults
        What a run takes where nobody says it: measures, self-retrieval, what recall divides by, hits asked for.
    cluster, licence
        What the data set says of itself; None where it says nothing.
    digest
        Of the queries and their judgments.
    skipped_lines
        How many lines or records could not be read, by part.
    notes
        Sentences on what does not fit.
    """

    name: str
    make: str
    split: str
    splits: tuple[str, ...]
    files: dict[str, str]
    sizes: dict[str, int]
    queries: int
    documents: int | None
    judgments: int
    grades: dict[str, int]
    relevant: dict[str, float]
    columns: dict[str, int]
    tasks: dict[str, str]
    defaults: dict[str, Any]
    cluster: str | None
    licence: str | None
    digest: str
    skipped_lines: dict[str, int]
    notes: tuple[str, ...] = ()


def overview(data: DataSet, encoding: str | None = None, skip_bad_lines: bool = False) -> Overview:
    """Read what a data set has, its documents one by one.

    Raises
    ------
    InputError
        With file, line and reason.
    """
    tasks = tasks_of(data)
    criteria = Criteria().of(data)
    queries = read_queries(data, encoding, skip_bad_lines, schema=compiled(tasks).schema)
    columns = data_table(data, encoding).columns
    there = {"queries": [data.queries]}
    if data.qrels:
        there["qrels"] = list(data.qrels)
    if data.collection is not None:
        there["collection"] = [data.collection]
    grades, counts = np.unique(queries.positives.grade, return_counts=True)
    documents = documents_of(data, queries, encoding, skip_bad_lines)
    return Overview(
        name=data.name,
        make=data.make,
        split=data.split,
        splits=data.splits,
        files={name: ", ".join(str(part.path) for part in found) for name, found in there.items()},
        sizes={
            name: sum(path.stat().st_size for path in files)
            for name, parts in there.items()
            if (files := [path for part in parts for path in part_files(part)])
        },
        queries=len(queries),
        documents=None if documents is None else documents.number,
        judgments=len(queries.positives.grade),
        grades={called(float(grade)): count for grade, count in zip(grades, counts.tolist(), strict=True)},
        relevant=_relevant(queries),
        columns={name: columns[name].n_unique() for name in columns.columns},
        tasks={task.name: str(task) for task in tasks},
        defaults={
            "measures": [str(measure) for measure in criteria.measures],
            "self": criteria.self_by,
            "gold": criteria.gold_by,
            "max_positives": criteria.max_positives,
            "top_k": criteria.top_k,
        },
        cluster=data.cluster,
        licence=next((str(told[key]) for told in (data.described, data.card) for key in _LICENCE if key in told), None),
        digest=queries.digest,
        skipped_lines={"queries": queries.skipped_lines, "collection": 0 if documents is None else documents.skipped},
        notes=(*queries.notes, *_dropped(queries), *(() if documents is None else documents.notes)),
    )


def _dropped(queries: Queries) -> tuple[str, ...]:
    """Return a sentence on judgments of the queries themselves, or on equal texts, which do not count."""
    count = queries.dropped_positives
    if not count:
        return ()
    are = (
        "judgment is of the query itself or repeats another, and does"
        if count == 1
        else ("judgments are of the query itself or repeat another, and do")
    )
    return (f"{count:,} {are} not count",)


def _relevant(queries: Queries) -> dict[str, float]:
    before = np.concatenate([np.zeros(1, np.int64), np.cumsum(queries.positives.grade > 0)])
    counts = before[queries.positives.offsets[1:]] - before[queries.positives.offsets[:-1]]
    if not counts.any():
        return {}
    values = {"least": counts.min(), "median": np.median(counts), "mean": counts.mean(), "most": counts.max()}
    return {name: float(value) for name, value in values.items()}
