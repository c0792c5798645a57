"""`benchbench judge nuggets`."""

import csv
import io
import json
from pathlib import Path

import pytest
from chat_server import ChatServer, malformed, verdicts
from command_line import said, sentence
from naive_nuggets import invented_assignments, naive_means
from nugget_judges import answer_rows, assigning, by_number, nugget_rows, written

import benchbench as bb

MEASURES = ["strict_vital_score", "strict_all_score", "strict_weighted_score", "vital_score", "all_score",
            "weighted_score"]  # fmt: skip


@pytest.fixture
def assignments(tmp_path: Path) -> Path:
    return written(tmp_path / "both.jsonl", [*invented_assignments("a", 30), *invented_assignments("b", 30, shift=1)])


def test_assignments_are_scored_and_two_runs_compared(capsys, assignments: Path):
    code, output, errors = said(capsys, "judge", "nuggets", assignments)
    assert (code, errors) == (0, "")
    mean = naive_means(invented_assignments("a", 30))["strict_vital_score"]
    assert f"a: strict_vital_score {mean:.3f} (" in output
    assert "b − a" in output
    assert "60 answers of 2 runs;" in output


def test_json_has_the_scores_and_those_of_each_answer(capsys, assignments: Path):
    _, output, _ = said(capsys, "judge", "nuggets", assignments, "--format", "json", "--per-query")
    found = json.loads(output)
    means = naive_means(invented_assignments("a", 30))
    assert {name: one["value"] for name, one in found["runs"][0]["scores"].items()} == pytest.approx(means)
    assert len(found["per_query"]) == 60


def test_csv_has_a_row_per_run_and_measure(capsys, assignments: Path):
    _, output, _ = said(capsys, "judge", "nuggets", assignments, "--format", "csv")
    rows = list(csv.DictReader(io.StringIO(output)))
    assert [(one["run"], one["measure"]) for one in rows] == [(run, name) for run in "ab" for name in MEASURES]


def test_a_file_of_nuggets_before_the_assignments_says_what_there_is(capsys, tmp_path: Path):
    nuggets = written(tmp_path / "nuggets.jsonl", nugget_rows(2, 2))
    rows = [{"qid": "q0", "nuggets": [{"text": "fact 1 of 0", "assignment": "support"}]}]
    code, output, _ = said(capsys, "judge", "nuggets", nuggets, written(tmp_path / "run.jsonl", rows))
    assert code == 0
    assert "run: strict_vital_score 0.500" in output
    assert "1 answer of a run missing: scored 0." in output


def test_a_gate_that_holds_is_exit_code_1_and_a_misspelt_one_2(capsys, assignments: Path):
    assert said(capsys, "judge", "nuggets", assignments, "--fail-if", "strict_vital_score<0.9").code == 1
    code, _, errors = said(capsys, "judge", "nuggets", assignments, "--fail-if", "strict_vital<0.9")
    assert code == 2
    assert sentence(errors).startswith("--fail-if strict_vital<0.9: strict_vital is not measured; ")


def test_a_judge_writes_assignments_that_are_scored_the_same(capsys, tmp_path: Path, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "secret-key")
    nuggets = written(tmp_path / "nuggets.jsonl", nugget_rows())
    answers = written(tmp_path / "answers.jsonl", [*answer_rows("one"), *answer_rows("two", 3)])
    out = tmp_path / "out"
    with ChatServer(verdicts(assigning(by_number))) as server:
        asked = ("--model", "scripted", "--base-url", server.url, "--cache", tmp_path / "cache", "--price", "1,2")
        code, output, errors = said(capsys, "judge", "nuggets", nuggets, answers, *asked, "--out", out)
        assert (code, errors) == (0, f"Results in {out}\n")
        calls = server.calls
        assert said(capsys, "judge", "nuggets", nuggets, answers, *asked, "--out", tmp_path / "again").code == 0
        assert server.calls == calls, "what is stored is not asked again"
    assert "Assigned by scripted, nugget assignment" in output
    assert "is not calibrated" in output
    record = bb.load(out).record
    _, scored, _ = said(capsys, "judge", "nuggets", out / "assignments.jsonl", "--format", "json")
    first, again = json.loads((out / "summary.json").read_bytes()), json.loads(scored)
    assert [one["scores"] for one in again["runs"]] == [one["scores"] for one in first["runs"]]
    assert {one.name for one in record.tables} == {"attacks", "lowest_scores", "per_query", "verdicts"}
    assert "secret-key" not in "".join(one.read_text("utf-8") for one in out.iterdir() if one.suffix != ".parquet")


def test_a_dry_run_asks_nothing(capsys, tmp_path: Path):
    nuggets = written(tmp_path / "nuggets.jsonl", nugget_rows())
    answers = written(tmp_path / "answers.jsonl", answer_rows())
    with ChatServer(malformed) as server:
        asked = ("--model", "scripted", "--base-url", server.url, "--no-cache", "--dry-run", "--repeat", "1")
        code, output, _ = said(capsys, "judge", "nuggets", nuggets, answers, *asked)
        assert server.calls == 0
    assert code == 0
    assert "scripted would be asked 12 times for 12 verdicts." in output


def test_verdicts_that_fail_are_exit_code_4(capsys, tmp_path: Path):
    nuggets = written(tmp_path / "nuggets.jsonl", nugget_rows(1))
    answers = written(tmp_path / "answers.jsonl", answer_rows(queries=1))
    with ChatServer(malformed) as server:
        asked = ("--model", "scripted", "--base-url", server.url, "--no-cache", "--out", tmp_path / "out")
        code, _, errors = said(capsys, "judge", "nuggets", nuggets, answers, *asked)
    assert code == 4
    assert "3 of 3 verdicts failed" in errors


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (("nuggets.jsonl", "--model", "m"), "a judge needs two files or more: the nuggets, and the answers that"),
        (("nuggets.jsonl", "--dry-run"), "--dry-run says what a judge would be asked; name one with --model"),
        (("nuggets.jsonl",), "no nugget has an assignment: these are nuggets alone; add the file of assignments"),
        (("none.jsonl",), "none.jsonl does not exist"),
    ],
)
def test_what_cannot_be_done_is_said_in_a_sentence(capsys, tmp_path: Path, monkeypatch, arguments, problem: str):
    monkeypatch.chdir(tmp_path)
    written(tmp_path / "nuggets.jsonl", nugget_rows(1))
    code, _, errors = said(capsys, "judge", "nuggets", *arguments)
    assert code == 2
    assert sentence(errors).startswith(problem)
