"""Nuggets, assignments and answers as the tools of the TREC RAG track write them."""

from pathlib import Path
from typing import Any

import orjson
import pytest

from benchbench.errors import InputError
from benchbench.formats.nuggets import (
    Assigned,
    assigned_line,
    has_assignments,
    read_assigned,
    read_nuggets,
    read_run_answers,
)
from benchbench.tables.nuggets import Nugget

FACT = {"text": "made in 1991", "importance": "vital", "assignment": "support"}


def lines(path: Path, *rows: Any) -> Path:
    path.write_bytes(b"\n".join(map(orjson.dumps, rows)))
    return path


def test_nuggets_are_read_by_question_and_words_in_any_case(tmp_path: Path):
    path = lines(
        tmp_path / "n.jsonl", {"qid": 7, "query": "which?", "nuggets": [{"text": "a", "importance": "Vital "}]}
    )
    assert read_nuggets(path) == {"7": ("which?", [Nugget("a", "vital")])}


def test_assignments_of_answers_and_of_retrieved_documents_are_read(tmp_path: Path):
    answer = {"qid": "1", "query": "q", "answer_text": "t", "run_id": "r", "nuggets": [FACT]}
    document = {"qid": "1", "text": "q", "candidate_text": "t", "docid": "d1", "nuggets": [FACT]}
    found = list(read_assigned(lines(tmp_path / "called.jsonl", answer, document)))
    assert found == [
        Assigned("r", "1", "", "q", "t", [Nugget(**FACT)]),
        Assigned("called", "1", "d1", "q", "t", [Nugget(**FACT)]),
    ]


def test_answers_of_2024_and_of_2025_are_read(tmp_path: Path):
    old = {"run_id": "r", "topic_id": 3, "topic": "q", "answer": [{"text": "One.", "citations": [0]}, {"text": "Two."}]}
    new = {"metadata": {"run_id": "r", "narrative_id": "9", "narrative": "q"}, "answer": [{"text": "One."}]}
    plain = {"qid": "4", "answer": None}
    found = list(read_run_answers(lines(tmp_path / "f.jsonl", old, new, plain)))
    assert found == [("r", "3", "q", "One. Two."), ("r", "9", "q", "One."), ("f", "4", "", "")]


def test_a_line_is_read_as_it_was_written():
    one = Assigned("r", "1", "", "q", "two words", [Nugget(**FACT)], "gpt", "nugget_assignment.en@1")
    line = assigned_line(one)
    assert line["response_length"] == 2
    assert list(read_assigned([line])) == [one]


def test_a_file_of_nuggets_is_told_from_one_of_assignments(tmp_path: Path):
    none = {"qid": "1", "nuggets": []}
    bare = {"qid": "2", "nuggets": [{"text": "a", "importance": "okay"}]}
    assert not has_assignments(lines(tmp_path / "n.jsonl", none, bare))
    assert has_assignments(lines(tmp_path / "a.jsonl", none, {"qid": "2", "nuggets": [FACT]}))


def test_a_line_without_an_answer_and_an_answer_that_is_no_text_are_refused():
    with pytest.raises(InputError, match="line 1: there is no answer; a line has answer, a text or a list of objects"):
        list(read_run_answers([{"qid": "1", "nuggets": [FACT]}]))
    with pytest.raises(InputError, match="line 1: answer is a text, or a list of objects with a text each"):
        list(read_run_answers([{"qid": "1", "answer": [{"citations": [1]}]}]))
