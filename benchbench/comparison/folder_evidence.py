"""What queries got of the services whose results folders are compared, and for which tasks that is relevant."""

from collections import defaultdict
from collections.abc import Mapping, Sequence

import polars as pl

from benchbench.comparison.conclusion import DEPTH
from benchbench.comparison.evidence import Document, Evidence, known_of_queries
from benchbench.comparison.runs import Sources
from benchbench.comparison.stored_results import StoredRun
from benchbench.formats.collection_texts import texts_of
from benchbench.formats.query_table import QueryTable
from benchbench.measures.notation import task_and_measures


def evidence_of_folders(
    results: Mapping[str, StoredRun],
    table: QueryTable | None,
    where: Sources,
    queries: Sequence[str],
    measures: Sequence[str],
    numbers: Sequence[int],
) -> tuple[Evidence, ...]:
    """Return what some queries got; a hit is called relevant when it is for the task of the first measure."""
    tasks = list(dict.fromkeys(task_and_measures(measure)[0] for measure in measures))
    wanted = [queries[number] for number in numbers]
    first = next(iter(results.values()))
    grades: dict[str, dict[str, float]] = {query: {} for query in wanted}
    judgments = first.judgments()
    for query, document, grade in judgments.filter(judgments["query"].is_in(wanted)).iter_rows():
        grades[query][document] = grade
    columns = pl.col("query_id", "rank", "id", "score", "positive"), pl.col(tasks).fill_null(False)
    rows = {name: stored.hits(wanted, DEPTH).select(columns).rows() for name, stored in results.items()}
    shown = {document or f"rank{rank}" for hits in rows.values() for _, rank, document, *_ in hits}
    shown.update(document for judged in grades.values() for document in judged)
    collection = where.collection or first.collection
    encoding = where.encoding if where.collection else first.options.encoding
    texts = texts_of(collection, shown, encoding) if collection else {}
    hits: dict[tuple[str, str], list[Document]] = defaultdict(list)  # by query and service
    relevant: dict[tuple[str, str], list[list[bool]]] = defaultdict(list)  # … of each hit, for each task
    for name, its in rows.items():
        for query, rank, given, score, positive, *of_tasks in its:
            document, grade = given or f"rank{rank}", grades[query].get(given or "") if positive else None
            hits[query, name].append(Document(document, grade, of_tasks[0], rank, score, texts.get(document)))
            relevant[query, name].append(of_tasks)
    return tuple(
        Evidence(
            number=number,
            text=text,
            hits={name: tuple(hits[query, name]) for name in results},
            relevant=tuple(
                Document(document, grade, True, text=texts.get(document))
                for document, grade in grades[query].items()
                if grade > 0
            ),
            labels=labels,
            tasks={
                task: {name: tuple(row[place] for row in relevant[query, name]) for name in results}
                for place, task in enumerate(tasks)
            },
            by_labels=frozenset(tasks) & frozenset(first.details.counts_by("unlabelled_hits", "task")),
        )
        for number, query, (text, labels) in zip(numbers, wanted, known_of_queries(table, wanted), strict=True)
    )
