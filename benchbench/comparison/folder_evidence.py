"""What queries got of the services whose results folders are compared, and for which tasks that is relevant."""

from collections.abc import Iterator, Mapping, Sequence

from benchbench.comparison.conclusion import DEPTH
from benchbench.comparison.evidence import Document, Evidence, labelled
from benchbench.comparison.runs import Sources
from benchbench.comparison.stored_results import StoredRun
from benchbench.formats.collection_texts import texts_of
from benchbench.formats.query_table import QueryTable
from benchbench.measures.notation import task_and_measures

_Hits = Mapping[str, list[tuple[Document, Mapping[str, bool]]]]  # of a service by query, each with its tasks


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
    by_labels = frozenset(tasks) & frozenset(first.details.unlabelled_hits)
    grades: dict[str, dict[str, float]] = {query: {} for query in wanted}
    judgments = first.judgments()
    for query, document, grade in judgments.filter(judgments["query"].is_in(wanted)).iter_rows():
        grades[query][document] = grade
    hits: dict[str, _Hits] = {name: dict(_hits(one, wanted, tasks, grades)) for name, one in results.items()}
    documents = {hit.id for found in hits.values() for one in found.values() for hit, _ in one}
    documents |= {document for judged in grades.values() for document in judged}
    collection = where.collection or first.collection
    encoding = where.encoding if where.collection else first.options.encoding
    texts = texts_of(collection, documents, encoding) if collection else {}
    places = {} if table is None else {query: place for place, query in enumerate(table.ids)}
    evidence = []
    for number, query in zip(numbers, wanted, strict=True):
        found = {name: one.get(query, []) for name, one in hits.items()}
        place = places.get(query)
        evidence.append(
            Evidence(
                number,
                None if table is None or place is None else table.texts[place],
                {name: tuple(_with_text(hit, texts) for hit, _ in one) for name, one in found.items()},
                tuple(
                    Document(document, grade, True, text=texts.get(document))
                    for document, grade in grades[query].items()
                    if grade > 0
                ),
                None if table is None or place is None else labelled(table.columns, place),
                {task: {name: tuple(of[task] for _, of in one) for name, one in found.items()} for task in tasks},
                by_labels,
            )
        )
    return tuple(evidence)


def _with_text(hit: Document, texts: Mapping[str, str]) -> Document:
    return Document(hit.id, hit.grade, hit.relevant, hit.rank, hit.score, texts.get(hit.id))


def _hits(
    one: StoredRun, queries: Sequence[str], tasks: Sequence[str], grades: Mapping[str, Mapping[str, float]]
) -> Iterator[tuple[str, list[tuple[Document, Mapping[str, bool]]]]]:
    rows = one.hits(queries, DEPTH).select("query_id", "rank", "id", "score", "positive", *tasks)
    for (query,), group in rows.group_by("query_id", maintain_order=True):
        judged = grades[str(query)]
        found = []
        for _, rank, name, score, positive, *of_tasks in group.iter_rows():
            grade = judged.get(name or "") if positive else None
            relevant: Mapping[str, bool] = dict(zip(tasks, map(bool, of_tasks), strict=True))
            found.append((Document(name or f"rank{rank}", grade, relevant[tasks[0]], rank, score), relevant))
        yield str(query), found
