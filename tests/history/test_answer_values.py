"""Answers in the history: two configurations beside one another, and one that became worse."""

from pathlib import Path
from typing import Any

import naive_nuggets
import orjson
import polars as pl
import pytest
from chat_server import ChatServer
from command_line import said

import benchbench as bb
from benchbench.history.check.check_run import check
from benchbench.history.store import open_history

TRUTH = "Part {n} applies; see rule {n}.2 and section 33 of the Limitation Act 1980. [Part {n}#page=Costs]"
WORSE = "Nobody knows, and the plaintiff should ask an attorney."


def rows(number: int = 24, wrong: int = 0, failed: int = 0, run: int = 0) -> list[dict[str, Any]]:
    """Return answers, of which some are wrong and some missing; each run has another one wrong."""
    made = []
    for n in range(number):
        truth = TRUTH.format(n=n % 40 + 1)
        row = {"question": f"What is {n}?", "truth": truth, "answer": truth, "latency": 1.0 + 0.01 * ((n + run) % 7)}
        row |= {"source_type": ("CPR", "PD", "Court Guide")[n % 3], "category": f"Category {n % 2}", "part": n // 4}
        if (n + run) % 12 == 0 or n < wrong:
            row["answer"] = WORSE
        if n >= number - failed:
            row |= {"answer": None, "error": "HTTP 500"}
        made.append(row)
    return made


def stored(path: Path, given: list[dict[str, Any]]) -> Path:
    path.write_bytes(b"".join(orjson.dumps(row, option=orjson.OPT_APPEND_NEWLINE) for row in given))
    return path


@pytest.fixture(autouse=True)
def places(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.chdir(tmp_path)


def changes(capsys: pytest.CaptureFixture[str], *arguments: object) -> dict[str, Any]:
    code, output, errors = said(capsys, "history", "diff", *arguments, "--format", "json")
    assert (code, errors) == (0, "")
    found: dict[str, Any] = orjson.loads(output)
    return found


def test_two_configurations_are_tested_on_pairs_of_questions_and_by_source_type(capsys):
    for name, given in (("first", rows()), ("second", rows(wrong=8, failed=2))):
        command = ("answers", "score", stored(Path(f"{name}.jsonl"), given), "--out", name)
        assert said(capsys, *command)[0] == 0
    found = changes(capsys, "first", "second", "-m", "precedent_matching", "--slice", "source_type")
    (one,) = found["changes"]
    truth = {row["question"]: row for row in rows()}
    table = {name: bb.load(name).table("per_answer") for name in ("first", "second")}
    there = table["second"]["precedent_matching"].is_not_null()
    means = [table[name]["precedent_matching"].filter(there).mean() for name in ("first", "second")]
    assert (one["tested"], one["queries"], one["verdict"]) == (True, 22, "worse")
    assert one["difference"] == pytest.approx(means[1] - means[0])
    assert {part["value"] for part in found["slices"]} == {"CPR", "PD", "Court Guide"}
    assert {moved["query"] for moved in found["moved"]} <= truth.keys()


def test_an_evaluation_with_record_and_no_folder_has_the_values_of_one_with_a_folder(capsys, tmp_path):
    path = stored(tmp_path / "answers.jsonl", rows(failed=2))
    for more in (("--out", "folder"), ()):
        assert said(capsys, "answers", "score", path, "--record", "--store", "h.db", "--cluster", "part", *more)[0] == 0
    with open_history("h.db") as history:
        one, other = (history.values(entry) for entry in history.entries())
        assert one.queries.equals(other.queries)
        assert one.values.equals(other.values)
        assert one.columns.equals(other.columns)
        assert set(one.columns.columns) == {"source_type", "category", "part"}
        numbers = history.numbers(history.entries()[:1]).filter(pl.col("slice").is_null())
    for measure, mean in numbers.select("measure", "value").iter_rows():
        if measure not in ("errors", "error_rate"):  # the others are means of what is kept, all of them
            assert one.values[measure].mean() == (None if mean is None else pytest.approx(mean))


@pytest.mark.slow  # a whole history
def test_a_configuration_that_became_worse_is_found_with_its_questions_and_slices(tmp_path):
    with open_history("h.db", create=True) as history:
        for run in range(12):
            outcome = bb.score_answers(rows(wrong=14 if run > 9 else 0, run=run))
            outcome.describe(name="assistant")
            history.add(outcome)
        wanted = ["precedent_matching", "statute_citation_accuracy_expected"]
        (series,) = check(history, measures=wanted).found.series
        (usual,) = check(history).found.series
    assert [(one.measure, one.verdict) for one in series.measures] == [(name, "worse") for name in wanted]
    assert series.measures[0].moved[0].id in {row["question"] for row in rows()[:14]}
    assert {one.slice.partition("=")[0] for one in series.measures[0].slices} == {"source_type", "category"}
    assert "case_law_citation_accuracy" not in [one.measure for one in usual.measures]


def test_the_trend_and_the_summary_are_broken_down_by_category(capsys, tmp_path):
    for name, given in (("first", rows()), ("second", rows(wrong=8))):
        outcome = bb.score_answers(given)
        outcome.describe(name="assistant")
        outcome.save(name)
    assert said(capsys, "history", "add", "first", "second", "--store", "h.db")[0] == 0
    for command in ("trend", "summary"):
        arguments = ("--store", "h.db", "--by", "category", "-m", "precedent_matching", "--format", "json")
        code, output, _ = said(capsys, "history", command, *arguments)
        assert code == 0
        assert b"Category 0" in output.encode()
        assert b"Category 1" in output.encode()


def test_a_question_that_is_asked_again_has_a_number_behind_it():
    given = [*rows(6), *rows(6, wrong=6)]
    with open_history("h.db", create=True) as history:
        values = history.values(history.add(bb.score_answers(given))[0])
    assert values.queries.to_list() == [*(f"What is {n}?" for n in range(6)), *(f"What is {n}? (2)" for n in range(6))]


def test_a_folder_from_before_has_numbers_and_no_values(tmp_path, capsys):
    bb.score_answers(rows()).save("old")
    Path("old/per_answer.parquet").unlink()
    record = orjson.loads(Path("old/record.json").read_bytes())
    record["tables"] = [one for one in record["tables"] if one["name"] != "per_answer"]
    Path("old/record.json").write_bytes(orjson.dumps(record))
    bb.score_answers(rows(wrong=8)).save("new")
    found = changes(capsys, "old", "new", "-m", "precedent_matching")
    assert not found["changes"][0]["tested"]
    assert any("has no values per query" in note for note in found["notes"])


def judged(call: int, request: Any) -> str:
    """Say 1 of every claim, but of those that nobody knows."""
    text = request["messages"][-1]["content"]
    member = next(
        name for name in request["response_format"]["json_schema"]["schema"]["required"] if name != "rationale"
    )
    return orjson.dumps({"rationale": "so", member: 0.0 if WORSE in text else 1.0}).decode()


def test_verdicts_are_values_per_question_under_the_name_of_their_mean(capsys, tmp_path):
    rubrics = ("--rubric", "answer_relevance")
    with ChatServer(judged) as server:
        for name, given in (("first", rows(48)), ("second", rows(48, wrong=40, failed=2))):
            for row in given:
                row["context"] = ["Part 1"]
            command = ("judge", "answers", stored(Path(f"{name}.jsonl"), given), *rubrics, "--cluster", "part")
            endpoint = ("--model", "judge-1", "--base-url", server.url, "--retry-for", "0", "--out", name)
            assert said(capsys, *command, *endpoint)[0] == 0
    with open_history("h.db", create=True) as history:
        for name in ("first", "second"):
            entry, _ = history.add(bb.load(name))
            values = history.values(entry)
            mean = history.numbers([entry], values.values.columns)
            assert mean["value"][0] == pytest.approx(values.values.to_series().mean())
            assert set(values.columns.columns) == {"source_type", "category", "part"}
            assert set(values.queries) <= {row["question"] for row in rows(48)}
    found = changes(capsys, "first", "second", "--allow-different", "-m", "answer_relevance", "--slice", "category")
    assert found["changes"][0]["tested"]
    assert found["changes"][0]["verdict"] == "worse"
    assert {part["value"] for part in found["slices"]} == {"Category 0", "Category 1"}


def test_nuggets_of_two_runs_are_tested_question_by_question(capsys):
    for name, shift in (("first", 0), ("second", 1)):
        path = stored(Path(f"{name}.jsonl"), naive_nuggets.invented_assignments("one", 30, shift=shift))
        assert said(capsys, "judge", "nuggets", path, "--out", name)[0] == 0
    (one,) = changes(capsys, "first", "second", "-m", "strict_vital_score", "--allow-different")["changes"]
    assert (one["tested"], one["queries"]) == (True, 30)


def test_an_evaluation_has_its_scores_per_question_and_its_categories(capsys):
    rows_of = [{"id": f"q{n}", **row} for n, row in enumerate(rows())]
    for name, wrong in (("first", 0), ("second", 8)):
        given = [{**row, "answer": WORSE} if n < wrong else row for n, row in enumerate(rows_of)]
        stored(Path(f"{name}.jsonl"), [{name: row[name] for name in ("id", "answer")} for row in given])
        truths = [{name: row[name] for name in ("id", "question", "truth", "source_type", "category")} for row in given]
        stored(Path("data.jsonl"), truths)
        Path(f"{name}.toml").write_text(
            f'name = "law"\ndata = "data.jsonl"\nanswers = "{name}.jsonl"\n\n'
            '[pillars]\ndomain = ["precedent_matching", "statute_citation_accuracy"]\n'
        )
        code, output, errors = said(capsys, "evaluate", f"{name}.toml", "--without-judge", "--out", name)
        assert code == 0, output + errors
    found = changes(capsys, "first", "second", "-m", "precedent_matching", "--slice", "category")
    assert [(one["tested"], one["verdict"]) for one in found["changes"]] == [(True, "worse")]
    assert {part["value"] for part in found["slices"]} == {"Category 0", "Category 1"}
