"""What a comparison keeps in tables, and the same read back from them.

`per_query`
    One row per system and query, in the same order of queries: `run`, the name of the system, `query_id`, and one
    column per measure.
`latencies`
    `run`, `milliseconds` of each successful request, ascending; where it is known.
`slices`
    Which queries the slices have: `column`, `value` and `number`, the place of the query among those of `per_query`.
`queries`
    Those of which it is known what they got: `query_id`, `number`, `text`, `labels`, a line per column of the queries,
    and `slice.COLUMN` for each column that slices go by.
`hits`, `relevant`, `documents`
    What they got: `query_id`, `run`, `rank`, `id`, `score`, `grade`, `relevant` for the first measure, and `task.TASK`
    or, where relevance goes by labels, `label.TASK` for each task of a measure; what they should have got: `query_id`,
    `id`, `grade`; and the texts of both, by `id`.
`moved`
    Which of them moved, greatest move first: `baseline`, `system`, `query_id`.
"""

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from itertools import chain
from typing import Any, cast

import numpy as np
import polars as pl

from benchbench.comparison.evidence import Evidence, ShownDocument
from benchbench.errors import InputError
from benchbench.kernels.arrays import F64
from benchbench.results.result import Result
from benchbench.significance.result import Comparison
from benchbench.significance.slices import slices_of
from benchbench.tables.paired import Paired

_SLICE = "slice."
_TASK, _LABEL = "task.", "label."  # of hits: relevant for a task with judgments, and for one that goes by labels
_HITS = {
    "query_id": pl.String,
    "run": pl.String,
    "rank": pl.Int64,
    "id": pl.String,
    "score": pl.Float64,
    "grade": pl.Float64,
    "relevant": pl.Boolean,
}
_RELEVANT = {name: _HITS[name] for name in ("query_id", "id", "grade")}
_SLICES = {"column": pl.String, "value": pl.String, "number": pl.Int64}
_DOCUMENTS = {"id": pl.String, "text": pl.String}
_MOVED = dict.fromkeys(("baseline", "system", "query_id"), pl.String)

Moved = Mapping[tuple[str, str], Sequence[int]]  # of pairs: places of queries, greatest move first


def made(
    comparison: Comparison, latencies: Mapping[str, F64], evidence: Sequence[Evidence], moved: Moved
) -> dict[str, Callable[[], pl.DataFrame]]:
    """Return what makes each table."""
    ids = comparison.paired.queries
    tables: dict[str, Callable[[], pl.DataFrame]] = {"per_query": partial(_per_query, comparison.paired)}
    if latencies:
        tables["latencies"] = partial(_latencies, latencies)
    if comparison.slices:
        tables["slices"] = partial(_slices, comparison)
    if evidence:
        tables |= {
            "queries": partial(_queries, comparison, evidence),
            "hits": partial(_hits, ids, evidence),
            "relevant": partial(_relevant, ids, evidence),
            "documents": partial(_documents, evidence),
            "moved": partial(_moved, ids, evidence, moved),
        }
    return tables


def paired_of(result: Result, systems: Sequence[str], measures: Sequence[str]) -> Paired:
    """Return the values per query. No id becomes a Python object before it is asked for.

    Raises
    ------
    InputError
        When the table has not the same queries for every system.
    """
    table = result.table("per_query")
    queries = table.height // len(systems)
    parts = [table.slice(place * queries, queries) for place in range(len(systems))]
    ids = parts[0]["query_id"]
    alike = all(part["query_id"].equals(ids) for part in parts) and queries * len(systems) == table.height
    if not alike or table["run"].unique(maintain_order=True).to_list() != list(systems):
        raise InputError("the table per_query has not the same queries for every system")
    values = np.array([[part[measure].to_numpy() for part in parts] for measure in measures])
    return Paired(tuple(systems), tuple(measures), cast("Sequence[str]", ids), values)


def latencies_of(result: Result) -> dict[str, F64]:
    """Return the milliseconds of the requests of each system, ascending."""
    if "latencies" not in result.tables():
        return {}
    table = result.table("latencies")
    return {
        str(system): rows["milliseconds"].to_numpy() for (system,), rows in table.group_by("run", maintain_order=True)
    }


def slices_of_queries(result: Result) -> dict[str, dict[str, list[int]]]:
    """Return the places of the queries in each slice, by column and value."""
    if "slices" not in result.tables():
        return {}
    slices: dict[str, dict[str, list[int]]] = {}
    for (column, value), rows in result.table("slices").group_by("column", "value", maintain_order=True):
        slices.setdefault(str(column), {})[str(value)] = rows["number"].to_list()
    return slices


def evidence_of(result: Result) -> tuple[Evidence, ...]:
    """Return what queries got, of those of which it is known."""
    if "queries" not in result.tables():
        return ()
    queries = result.table("queries")
    if "labels" not in queries.columns:
        queries = queries.with_columns(labels=pl.lit(None, pl.String))
    texts = dict(result.table("documents").iter_rows())
    hits: dict[str, dict[str, tuple[ShownDocument, ...]]] = defaultdict(dict)
    tasks: dict[str, dict[str, dict[str, tuple[bool, ...]]]] = defaultdict(lambda: defaultdict(dict))
    table = result.table("hits")
    named = {name.partition(".")[2]: name for name in table.columns if name.startswith((_TASK, _LABEL))}
    for (query, system), rows in table.group_by("query_id", "run", maintain_order=True):
        hits[str(query)][str(system)] = tuple(
            ShownDocument(document, grade, relevant, rank, score, texts.get(document))
            for rank, document, score, grade, relevant in rows.select(list(_HITS)[2:]).iter_rows()
        )
        for task, name in named.items():
            tasks[str(query)][task][str(system)] = tuple(rows[name])
    judged: dict[str, list[ShownDocument]] = defaultdict(list)
    for query, document, grade in result.table("relevant").select(list(_RELEVANT)).iter_rows():
        judged[query].append(ShownDocument(document, grade, True, text=texts.get(document)))
    return tuple(
        Evidence(
            number=number,
            text=text,
            hits=hits.get(query, {}),
            relevant=tuple(judged.get(query, ())),
            labels=labels,
            tasks=tasks.get(query, {}),
            by_labels=frozenset(task for task, name in named.items() if name.startswith(_LABEL)),
        )
        for query, number, text, labels in queries.select("query_id", "number", "text", "labels").iter_rows()
    )


def _per_query(paired: Paired) -> pl.DataFrame:
    ids = pl.Series("query_id", paired.queries, pl.String)
    return pl.concat(
        [
            pl.DataFrame([ids, *(pl.Series(name, paired.of(name, system)) for name in paired.measures)]).select(
                pl.lit(system).alias("run"), pl.all()
            )
            for system in paired.systems
        ]
    )


def _latencies(latencies: Mapping[str, F64]) -> pl.DataFrame:
    return pl.concat(
        [
            pl.DataFrame({"milliseconds": values}).select(pl.lit(system).alias("run"), pl.all())
            for system, values in latencies.items()
        ]
    )


def _queries(comparison: Comparison, evidence: Sequence[Evidence]) -> pl.DataFrame:
    paired = comparison.paired
    numbers = [query.number for query in evidence]
    columns = [name for name in dict.fromkeys(comparison.settings.slices) if name in paired.table.columns]
    return pl.DataFrame(
        [
            pl.Series("query_id", [paired.queries[number] for number in numbers], pl.String),
            pl.Series("number", numbers, pl.Int64),
            pl.Series("text", [query.text for query in evidence], pl.String),
            pl.Series("labels", [query.labels for query in evidence], pl.String),
            *(paired.table[name][numbers].alias(f"{_SLICE}{name}") for name in columns),
        ]
    )


def _slices(comparison: Comparison) -> pl.DataFrame:
    """Return what is in the slices that are shown; those of few queries are not."""
    shown = dict.fromkeys((part.column, part.value) for part in comparison.slices)
    rows = [
        (column, part.value, number)
        for column in dict.fromkeys(column for column, _ in shown)
        for part in slices_of(comparison.paired.table, column)
        if (column, part.value) in shown
        for number in part.queries.tolist()
    ]
    return _frame(rows, _SLICES)


def _hits(ids: Sequence[str], evidence: Sequence[Evidence]) -> pl.DataFrame:
    tasks = list(dict.fromkeys(task for query in evidence for task in query.tasks))
    by_labels = frozenset[str]().union(*(query.by_labels for query in evidence))
    rows = [
        (ids[query.number], system, hit.rank, hit.id, hit.score, hit.grade, hit.relevant, *for_tasks)
        for query in evidence
        for system, hits in query.hits.items()
        for hit, *for_tasks in zip(hits, *(query.tasks[task][system] for task in tasks), strict=True)
    ]
    columns = {f"{_LABEL if task in by_labels else _TASK}{task}": pl.Boolean for task in tasks}
    return _frame(rows, _HITS | columns)


def _relevant(ids: Sequence[str], evidence: Sequence[Evidence]) -> pl.DataFrame:
    rows = [(ids[query.number], document.id, document.grade) for query in evidence for document in query.relevant]
    return _frame(rows, _RELEVANT)


def _documents(evidence: Sequence[Evidence]) -> pl.DataFrame:
    texts: dict[str, str | None] = {}
    for query in evidence:
        for document in chain(query.relevant, *query.hits.values()):
            if texts.get(document.id) is None:
                texts[document.id] = document.text
    return _frame(list(texts.items()), _DOCUMENTS)


def _moved(ids: Sequence[str], evidence: Sequence[Evidence], moved: Moved) -> pl.DataFrame:
    return _frame([(*pair, ids[evidence[place].number]) for pair, places in moved.items() for place in places], _MOVED)


def _frame(rows: Sequence[tuple[Any, ...]], schema: Mapping[str, Any]) -> pl.DataFrame:
    return pl.DataFrame(rows, schema=dict(schema), orient="row")
