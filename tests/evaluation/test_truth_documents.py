"""Relevant documents that truths name in brackets: where contexts have names, and nowhere else."""

from pathlib import Path

import polars as pl
import pytest
from command_line import said

from benchbench.evaluation.relevance import names_in, with_named_documents
from benchbench.formats.evaluation_rows import Context, Row


@pytest.mark.parametrize(
    ("truth", "names"),
    [
        ("It is so. [Costs special cases]", ["costs special cases"]),
        ("It is so [A  b][C]. ", ["a b", "c"]),
        ("It is so. [A] [a]", ["a"]),
        ("Neutral citation [2016] UKSC 42 says so.", []),
        ("[Costs] are due.", []),
        ("", []),
        ("[" * 5000, []),
    ],
)
def test_names_stand_in_brackets_at_the_end(truth: str, names: list[str]):
    assert names_in(truth) == names


def test_documents_that_truths_name_are_relevant_by_their_names():
    costs, time = Context("1", "…", "General Costs"), Context("2", "…", "Time")
    rows = [
        Row("q1", "?", truth="So. [general  costs]", contexts=(time, costs)),
        Row("q2", "?", truth="So. [Nobody has it]", contexts=(time,)),
        Row("q3", "?", truth="So. [Time]", contexts=(time,), relevant={"2": 1.0}),
        Row("q4", "?", truth="So.", contexts=(time,)),
    ]
    found, notes = with_named_documents(rows, frozenset({"general costs", "time"}))
    assert [one.relevant for one in found] == [{"general costs": 1.0}, None, {"2": 1.0}, None]
    assert [found[0].key(one) for one in (time, costs)] == ["time", "general costs"]
    assert [found[2].key(one) for one in (time, costs)] == ["2", "1"]
    assert notes == [
        "Relevant documents are those that the truths name in brackets, of 1 question",
        "1 question names a document that the collection does not have: no score of retrieval",
    ]
    unknown, _ = with_named_documents(rows, frozenset())
    assert unknown[1].relevant == {"nobody has it": 1.0}  # it may be there, and was not retrieved


def test_names_that_no_context_has_change_nothing():
    rows = [Row("q1", "?", truth="So. [Costs]", contexts=(Context("1", "…", "Time"), Context("2", "…")))]
    assert with_named_documents(rows, frozenset()) == (rows, [])


@pytest.mark.slow  # real data
def test_three_pillars_of_a_uk_ground_truth_in_one_command(shared_data: Path, tmp_path: Path, capsys):
    data = shared_data / "uk-cpr"
    config = tmp_path / "uk.toml"
    config.write_text(
        f'data = "{data / "ground_truth.jsonl"}"\nanswers = "answers.jsonl"\n'
        f'[contexts]\ncollection = "{data / "corpus.jsonl"}"\n'
    )
    truths = (data / "ground_truth.jsonl").read_bytes()
    (tmp_path / "answers.jsonl").write_bytes(truths.replace(b'"truth"', b'"answer"'))
    code, output, errors = said(
        capsys, "evaluate", config, "--without-judge", "--model", "m", "--out", tmp_path / "out"
    )
    assert code == 0
    assert "Note: --model m is not asked: nothing of this evaluation is judged" in errors
    assert "retrieval 0.358" in output
    assert pl.read_parquet(tmp_path / "out" / "questions.parquet")["retrieval"].null_count() == 2
