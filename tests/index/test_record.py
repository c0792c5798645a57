"""The records of what was seen in an index, and that they are read back as they were."""

from contextlib import nullcontext
from pathlib import Path
from typing import Any

import indexes
import pytest
from results.round_trip import round_trip

from benchbench.formats.collection import read_collection
from benchbench.index.look import PROBES_NUMBERS, Probes, probe
from benchbench.index.validate import VALIDATION_NUMBERS, Validation, validate
from benchbench.serve.document_pages import CollectionIndex
from benchbench.tables.documents import Document
from benchbench.tables.questions import Question

HELD = [Document("a", "Part 36"), Document("b", "Part 31")]


def validation(*truths: str) -> Validation:
    asked = [Question(f"question {n}", truth) for n, truth in enumerate(truths)]
    return validate(asked, HELD, index="held", ground_truth="folder/truth.jsonl")


def tried(tmp_path: Path, *queries: str) -> Probes:
    path = tmp_path / "collection.jsonl"
    path.write_bytes(indexes.lines())
    return probe(nullcontext(CollectionIndex(read_collection(path), "held")), queries)


def test_a_validation_is_drawn_alike_before_and_after_it_lay_in_a_folder(tmp_path: Path):
    round_trip(validation("[Part 36]", "[CPR Part 36]", "[<b>Law]", "none", "[Part 31#page=2]"), tmp_path / "some")
    round_trip(validation("[Part 36]"), tmp_path / "all")


def test_a_test_is_drawn_alike_before_and_after_it_lay_in_a_folder(tmp_path: Path):
    round_trip(tried(tmp_path, "disclosure", "<b>zoning"), tmp_path / "some")


@pytest.mark.parametrize(
    ("truths", "verdict", "said"),
    [
        (("[Part 36]",), "passed", "missing>0 passed with 0"),
        (("[Part 36]", "[Zoning]", "none"), "failed", "1 of 2 cited documents are not in held"),
    ],
)
def test_a_missing_document_fails_the_gate_that_a_validation_has(truths: Any, verdict: str, said: str):
    record = validation(*truths).record
    assert [(gate.verdict, gate.said) for gate in record.gates] == [(verdict, said)]


def test_numbers_of_a_validation_are_those_that_gates_may_name():
    record = validation("[Part 36]", "[Zoning]", "none").record
    assert {one.name: one.value for one in record.numbers} == {
        "cited": 2,
        "missing": 1,
        "missing_rate": 0.5,
        "citing_none": 1,
    }
    assert tuple(one.name for one in record.numbers) == VALIDATION_NUMBERS
    assert (record.data.name, record.data.queries, record.data.documents) == ("truth.jsonl", 3, 2)
    assert [note.text for note in record.notes] == ["Truths that cite no document: 1 (questions 3)"]


def test_the_same_ground_truth_has_the_same_digest_whatever_its_order():
    one, other, less = (
        validation(*truths).record.data.digest for truths in (("[Part 36]", "x"), ("[Part 36]", "x"), ("[Part 36]",))
    )
    assert one == other != less


def test_a_query_without_hits_fails_the_gate_that_a_test_has(tmp_path: Path):
    record = tried(tmp_path, "disclosure", "zoning").record
    assert [(gate.verdict, gate.said) for gate in record.gates] == [
        ("failed", "1 of 2 queries find nothing in held: zoning")
    ]
    assert tuple(one.name for one in record.numbers) == PROBES_NUMBERS
