"""Contexts from our own BM25, from a run file and from a search service."""

from pathlib import Path
from typing import Any

import orjson
import pytest
import services

from benchbench.errors import InputError, UnreachableError
from benchbench.evaluation.pillars import evaluate_pillars
from benchbench.tables.collection import Collection

DOCUMENTS = {
    "36": "Part 36 is a code about offers to settle.",
    "31": "Part 31 is about disclosure of documents.",
    "3": "Part 3 is about budgets and costs management.",
}
ROWS = [
    {"id": "a", "question": "What are offers to settle?", "answer": "See Part 36.", "relevant": ["36"]},
    {"id": "b", "question": "What is disclosure?", "answer": "See Part 31 and Part 36.", "relevant": ["31", "3"]},
]


@pytest.fixture
def collection(tmp_path: Path) -> Path:
    path = tmp_path / "laws.jsonl"
    path.write_bytes(b"".join(orjson.dumps({"_id": key, "text": text}) + b"\n" for key, text in DOCUMENTS.items()))
    return path


def found(**contexts: Any) -> Any:
    table = evaluate_pillars({"contexts": contexts}, rows=ROWS, max_error_rate=0.9).table("questions").sort("number")
    return {row["id"]: row for row in table.to_dicts()}


def ids(row: dict[str, Any]) -> list[str]:
    return [one["id"] for one in row["contexts"]]


def test_our_own_bm25_finds_contexts_with_ids_and_texts(collection: Path):
    rows = found(collection=str(collection), top_k=1)
    assert [ids(row) for row in rows.values()] == [["36"], ["31"]]
    assert rows["a"]["contexts"][0]["text"] == DOCUMENTS["36"]
    assert (rows["a"]["R@5"], rows["b"]["R@5"]) == (1.0, 0.5)
    assert (rows["a"]["citation_accuracy"], rows["b"]["citation_accuracy"]) == (1.0, 0.5)


def test_a_run_file_ranks_by_its_scores_and_a_question_without_hits_found_nothing(collection: Path, tmp_path: Path):
    (tmp_path / "run.trec").write_text("b Q0 3 1 0.5 x\nb Q0 31 2 0.9 x\nb Q0 36 3 0.1 x\n")
    rows = found(collection=str(collection), run=str(tmp_path / "run.trec"), top_k=2)
    assert [ids(row) for row in rows.values()] == [[], ["31", "3"]]
    assert (rows["a"]["RR"], rows["b"]["RR"], rows["b"]["R@5"]) == (0.0, 1.0, 1.0)


def test_a_run_of_other_documents_or_questions_is_refused(collection: Path, tmp_path: Path):
    (tmp_path / "run.trec").write_text("b Q0 99 1 0.5 x\n")
    with pytest.raises(InputError, match=r"1 hits of .* are not documents of"):
        found(collection=str(collection), run=str(tmp_path / "run.trec"))
    (tmp_path / "run.trec").write_text("q Q0 36 1 0.5 x\n")
    with pytest.raises(InputError, match="its query ids must be the ids of the questions"):
        found(collection=str(collection), run=str(tmp_path / "run.trec"))


def test_a_search_service_is_asked_for_each_question():
    data = Collection(list(DOCUMENTS), list(DOCUMENTS.values()), [{} for _ in DOCUMENTS])
    with services.running(services.searching(data)) as service:
        rows = found(service=service.url, top_k=1)
        asked = sorted(message["queries"][0] for message in service.messages)
    assert asked == sorted(row["question"] for row in ROWS)
    assert [ids(row) for row in rows.values()] == [["36"], ["31"]]


def test_a_failed_search_is_a_failure_and_not_0():
    hits = {"results": [[{"id": "36", "score": 1.0, "text": DOCUMENTS["36"]}]]}
    fine = services.raw(orjson.dumps(hits), Content_Type="application/json")
    with services.running(fine, services.html) as service:
        config = {"contexts": {"service": service.url}}
        outcome = evaluate_pillars(config, rows=ROWS, concurrency=1, max_error_rate=0.9)
    scores = {one.name: one for one in outcome.details().scores}
    assert (scores["R@5"].mean.value, scores["R@5"].mean.n, scores["R@5"].failed) == (1.0, 1, 1)
    assert (scores["citation_accuracy"].mean.n, scores["citation_accuracy"].failed) == (1, 1)
    (reason,) = outcome.details().failures
    assert reason.startswith("no contexts: ")


def test_a_service_that_is_not_there_is_unreachable():
    with pytest.raises(UnreachableError):
        found(service="http://127.0.0.1:9")


def test_hits_without_texts_are_no_contexts():
    hits = {"results": [[{"id": "36", "score": 1.0}]]}
    with services.running(services.raw(orjson.dumps(hits), Content_Type="application/json")) as service:
        outcome = evaluate_pillars({"contexts": {"service": service.url}}, rows=ROWS, max_error_rate=0.9)
    assert outcome.record.gates[0].verdict == "broken"
    (reason,) = outcome.details().failures
    assert reason == "no contexts: the service returns hits without texts"


def test_a_file_of_judgments_says_what_is_relevant_people_before_judges(collection: Path, tmp_path: Path):
    lines = ["a 0 36 1", "a gpt-4o/relevance.en@1 36 0", "a gpt-4o/relevance.en@1 3 0", "b gpt-4o/relevance.en@1 31 3"]
    (tmp_path / "labels.trec").write_text("\n".join(lines) + "\n")
    config = {"contexts": {"collection": str(collection), "top_k": 1}, "qrels": str(tmp_path / "labels.trec")}
    outcome = evaluate_pillars(config, rows=[{**row, "relevant": None} for row in ROWS])
    table = outcome.table("questions").sort("number")
    assert (table["R@5"].to_list(), table["P@5"].to_list()) == ([1.0, 1.0], [0.2, 0.2])
    assert table["relevant"].to_list() == [["36"], ["31"]]
    assert "2 of 3 labels of relevance are by gpt-4o/relevance.en@1, not by people" in outcome.details().notes
    (tmp_path / "labels.trec").write_text("q 0 36 1\n")
    with pytest.raises(InputError, match="has no label of any question"):
        evaluate_pillars(config, rows=ROWS)
