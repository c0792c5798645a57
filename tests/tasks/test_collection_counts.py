"""Relevant documents are counted in a collection as a naive twin counts them, and as the shipped card has them."""

import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import orjson
import pytest
from drawn_records import DOCUMENTS, QUERIES, TASKS
from hypothesis import given
from hypothesis import strategies as st
from naive import id_of, text_of
from naive_rules import is_relevant

from benchbench.errors import InputError
from benchbench.formats.collection import read_collection
from benchbench.formats.datasets.locate import locate
from benchbench.formats.datasets.options import DEFAULT
from benchbench.formats.tiered import read_tiered
from benchbench.tables.queries import Queries
from benchbench.tasks.collection_counts import CollectionCounts, relevant_in_collection
from benchbench.tasks.compiled import compiled
from benchbench.tasks.defined import legal_cases
from benchbench.tasks.reading import parse_tasks
from benchbench.tasks.task import Task

Record = dict[str, Any]


def read(folder: Path, queries: list[Record], tasks: tuple[Task, ...]) -> Queries:
    path = folder / "tiered.jsonl"
    lines = ({"query_id": f"q{n}", "query": query} for n, query in enumerate(queries, 1))
    path.write_bytes(b"\n".join(map(orjson.dumps, lines)))
    return read_tiered(path, schema=compiled(tasks).schema)


def counted(
    folder: Path, queries: list[Record], documents: list[Any], tasks: tuple[Task, ...] = TASKS, **options: Any
) -> CollectionCounts:
    path = folder / "collection.jsonl"
    path.write_bytes(b"\n".join(map(orjson.dumps, documents)))
    return relevant_in_collection(path, read(folder, queries, tasks), compiled(tasks), **{"self_by": "text", **options})


def naive_counts(queries: list[Record], documents: list[Record], self_by: str) -> list[list[int]]:
    def is_own(number: int, query: Record, line: int, document: Record) -> bool:
        text = text_of(document) if isinstance(document.get("text", ""), str) else None
        by_id = self_by == "id" or text is None
        return text == text_of(query) or (by_id and (id_of(document) or str(line)) == f"q{number}")

    def hit(document: Record) -> Record:
        meta = document.get("meta")
        return {**document, "meta": {**document, **(meta if isinstance(meta, dict) else {})}}

    return [
        [
            0
            if task.judged
            else sum(
                is_relevant(task, query, hit(document)) is True and not is_own(number, query, line, document)
                for line, document in enumerate(documents, 1)
            )
            for task in TASKS
        ]
        for number, query in enumerate(queries, 1)
    ]


@given(
    st.lists(QUERIES, min_size=1, max_size=5),
    st.lists(DOCUMENTS, min_size=1, max_size=12),
    st.sampled_from(["text", "id"]),
)
def test_counts_are_those_of_the_naive_twin(queries: list[Record], documents: list[Record], self_by: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        found = counted(Path(folder), queries, documents, self_by=self_by)
    assert found.counts.tolist() == naive_counts(queries, documents, self_by)
    assert (found.documents, found.skipped_lines) == (len(documents), 0)


def test_counts_of_the_shipped_set_are_those_of_its_card() -> None:
    data = locate(DEFAULT)
    tasks = compiled(legal_cases())
    queries = read_tiered(data.queries.path, schema=tasks.schema)
    found = relevant_in_collection(data.served(), queries, tasks, "text")
    assert found.documents == data.card["collection"]["documents"]
    assert not found.counts[:, 0].any()
    for t, name in enumerate(tasks.names[1:], 1):
        assert found.counts[:, t].tolist() == [data.card["relevant"][name][query] for query in queries.ids]


def test_documents_that_are_the_query_do_not_count_and_copies_of_others_do(tmp_path: Path) -> None:
    tasks = parse_tasks(["equal=equal(kind)"])
    documents = [
        {"id": "q1", "text": "another", "kind": "a"},
        {"id": "x", "text": " one\r\n", "kind": "a"},
        {"id": "y", "text": "two", "kind": "a"},
        {"id": "z", "text": "two", "kind": "a"},
        {"id": "q1", "kind": "a"},
    ]
    query = {"text": "one", "kind": "a"}
    assert counted(tmp_path, [query], documents, tasks).counts.tolist() == [[3]]
    assert counted(tmp_path, [query], documents, tasks, self_by="id").counts.tolist() == [[2]]


def test_a_document_without_an_id_has_the_number_of_its_line(tmp_path: Path) -> None:
    tasks = parse_tasks(["equal=equal(kind)"])
    path = tmp_path / "tiered.jsonl"
    path.write_bytes(b'{"query_id": 2, "query": {"text": "one", "kind": "a"}}')
    queries = read_tiered(path, schema=compiled(tasks).schema)
    (tmp_path / "c.jsonl").write_bytes(b'{"text": "x", "kind": "a"}\n' * 3)
    for self_by, count in (("text", 3), ("id", 2)):
        found = relevant_in_collection(tmp_path / "c.jsonl", queries, compiled(tasks), self_by)
        assert found.counts.tolist() == [[count]]


def test_more_documents_than_are_encoded_at_once(tmp_path: Path) -> None:
    tasks = parse_tasks(["equal=equal(kind)", "near=within(n, absolute=1)"])
    documents = [{"text": f"text {n}", "kind": n % 3, "n": n} for n in range(9_000)]
    found = counted(tmp_path, [{"text": "q", "kind": 1, "n": 4_096}], documents, tasks)
    assert found.counts.tolist() == [[3_000, 3]]


@pytest.mark.parametrize("where", ["meta", "metadata", ""])
def test_a_label_counts_wherever_serve_finds_what_it_sends_in_meta(tmp_path: Path, where: str) -> None:
    labels = [{"brand": "A"}, {"brand": "A"}, {"brand": "B"}, {"brand": None}]
    documents = [{"text": f"text {n}", **({where: one} if where else one)} for n, one in enumerate(labels)]
    tasks = parse_tasks(["brand=equal(meta.brand)"])
    found = counted(tmp_path, [{"text": "q", "meta": {"brand": "A"}}], documents, tasks)
    assert found.counts.tolist() == [[2]]
    served = read_collection(tmp_path / "collection.jsonl").meta
    assert [meta.get("brand") for meta in served] == ["A", "A", "B", None]


def test_a_line_that_is_no_document_is_an_error_or_counted(tmp_path: Path) -> None:
    documents = [{"text": "x", "kind": "a"}, [], 3, {"text": "y", "kind": "a"}]
    query = {"text": "one", "kind": "a"}
    with pytest.raises(InputError, match=r"collection\.jsonl, line 2: not a JSON object"):
        counted(tmp_path, [query], documents)
    found = counted(tmp_path, [query], documents, parse_tasks(["equal=equal(kind)"]), skip_bad_lines=True)
    assert (found.counts.tolist(), found.documents, found.skipped_lines) == ([[2]], 2, 2)


def test_the_encoding_of_a_collection_is_named_or_detected(tmp_path: Path) -> None:
    tasks = parse_tasks(["equal=equal(kind)"])
    queries = read(tmp_path, [{"text": "one", "kind": "盗窃"}], tasks)
    line = '{"text": "二", "kind": "盗窃"}\n'
    for named, encoding in ((None, "utf-16"), ("gb18030", "gb18030")):
        path = tmp_path / encoding
        path.write_bytes(line.encode(encoding))
        found = relevant_in_collection(path, queries, compiled(tasks), "text", named)
        assert found.counts.tolist() == [[1]]


def test_counts_are_whole_numbers_a_task_and_query(tmp_path: Path) -> None:
    found = counted(tmp_path, [{"text": "a"}, {"text": "b"}], [{"text": "c"}])
    assert found.counts.shape == (2, len(TASKS))
    assert found.counts.dtype == np.int64
    assert not found.counts.any()


@pytest.mark.parametrize("others", [[], [{"text": "y", "dead": True}]])
def test_a_malformed_flag_is_a_missing_one_whatever_other_documents_have(tmp_path: Path, others: list[Record]) -> None:
    tasks = parse_tasks(["term=within(price, absolute=1, unless=['dead', 'alive'])"])
    malformed = {"text": "x", "dead": {}, "alive": True}
    found = counted(tmp_path, [{"text": "q", "alive": True}], [malformed, *others], tasks)
    assert found.counts.tolist() == [[1]]
