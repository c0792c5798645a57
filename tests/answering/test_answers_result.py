"""The record of an evaluation of answers: numbers, slices, what failed, and folders of version 0.1."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec
import orjson
import pytest
from results.round_trip import round_trip, validated

from benchbench.answering.answers_details import AnswersDetails
from benchbench.answering.answers_folder import AnswersFolder
from benchbench.answering.answers_result import AnswersOutcome, of_old_folder
from benchbench.answering.asking import answered
from benchbench.answering.stored import score_answers
from benchbench.answers.metrics import METRICS, metric
from benchbench.chat.assistant import Reply
from benchbench.errors import InputError
from benchbench.report.draw import draw
from benchbench.results.reading import Loaded, read_result
from benchbench.results.record import Record
from benchbench.tables.questions import Question

ROWS = [
    {"question": "one?", "truth": "[Part 36]", "answer": "So it says. [Part 36]", "latency": 0.5, "source_type": "CPR"},
    {"question": "two?", "truth": "CPR 1.1", "answer": None, "error": "HTTP 500", "source_type": "CPR"},
    {"question": "three?", "truth": "CPR 2.3", "answer": "Nothing.", "latency": 1.5, "source_type": "PD"},
    {"question": "four?", "truth": "[Part 31]", "answer": "[Part 31]", "latency": 1.0, "category": "<b>costs</b>"},
]
NAMES = ("any_citation", "latency", "precedent_matching")


def outcome(*fail_if: str, rows: Any = ROWS, names: tuple[str, ...] = NAMES) -> AnswersOutcome:
    return score_answers(rows, names, fail_if=fail_if)


def number(record: Record, name: str, **scope: str) -> Any:
    (found,) = [one for one in record.numbers if (one.name, one.scope) == (name, scope)]
    return found


def test_a_result_is_drawn_alike_before_and_after_it_lay_in_a_folder(tmp_path: Path):
    loaded = round_trip(outcome("any_citation<0.9", "errors>50%"), tmp_path / "out")
    assert [gate.verdict for gate in loaded.record.gates] == ["failed", "passed"]
    round_trip(outcome(rows=ROWS[:1]), tmp_path / "one")


def test_numbers_are_means_with_their_intervals_and_units():
    record = outcome().record
    share, latency = number(record, "any_citation"), number(record, "latency")
    assert (share.value, share.n, share.unit, share.better) == (2 / 3, 3, "", "higher")
    assert share.low < share.value < share.high
    assert (share.interval, latency.interval) == ("95 %, Wilson", "95 %, Student's t")
    assert (latency.value, latency.unit, latency.better) == (1.0, "s", "lower")
    assert number(record, "precedent_exact").better is None
    assert (number(record, "errors").value, number(record, "error_rate").value) == (1, 0.25)


def test_the_file_of_the_ground_truths_is_the_data_and_rows_in_memory_are_none(tmp_path: Path):
    file = tmp_path / "truths.jsonl"
    file.write_bytes(b"".join(orjson.dumps(row) + b"\n" for row in ROWS))
    answers = [{"question": row["question"], "answer": row["answer"]} for row in ROWS]
    sources = [score_answers(answers, "any_citation", truths=one).record.data.source for one in (file, str(file), ROWS)]
    assert sources == [str(file), str(file), None]


def test_source_types_and_categories_are_slices():
    record = outcome().record
    assert number(record, "latency", slice="source_type=CPR").n == 1
    assert number(record, "latency", slice="category=<b>costs</b>").value == 1.0
    assert {one.scope["slice"]: one.count for one in record.counts if one.scope} == {
        "source_type=CPR": 2,
        "source_type=PD": 1,
        "category=<b>costs</b>": 1,
    }


def test_a_metric_of_ones_own_has_no_direction_unless_it_has_bands():
    try:
        metric("marks", "One.")(lambda answer: 1.0)
        metric("banded", "One.", good=0.9, acceptable=0.5)(lambda answer: 1.0)
        record = outcome(names=("marks", "banded")).record
    finally:
        METRICS.pop("marks", None)
        METRICS.pop("banded", None)
    assert (number(record, "marks").better, number(record, "banded").better) == (None, "higher")


def test_what_the_means_leave_out_is_failures_and_notes():
    truths = [{"question": row["question"], "truth": row["truth"]} for row in [*ROWS, {"question": "x", "truth": "t"}]]
    record = score_answers(ROWS, NAMES, truths=truths).record
    assert [(one.reason, one.count) for one in record.failures] == [("HTTP 500", 1)]
    assert [note.text for note in record.notes] == [
        "1 answer is null and left out of the means.",
        "1 question has no answer at all and is left out of the means.",
    ]
    assert record.data.queries == 5


def asked(folder: AnswersFolder, complete: bool) -> AnswersOutcome:
    """Return an outcome of which one answer is in a folder."""
    found = outcome()
    folder.append(0, answered(Question("one?", "t"), Reply("text", None, 0.5, 1, None)), [])
    options = {"url": "http://host/ask", "metrics": [*NAMES]}
    return replace(found, subject="http://host/ask", complete=complete, options=options)


def test_a_folder_has_the_record_once_it_is_whole_and_while_it_is_interrupted(tmp_path: Path):
    with AnswersFolder(tmp_path / "out", []) as folder:
        folder.finish(asked(folder, complete=True))
    whole = read_result(tmp_path / "out")
    assert (whole.record.status, whole.record.name) == ("complete", "http://host/ask")
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == [
        "config.json",
        "eval_results.jsonl",
        "per_answer.parquet",
        "record.json",
        "summary.json",
        "worst_answers.parquet",
    ]
    with AnswersFolder(tmp_path / "stopped", []) as folder:
        folder.finish(asked(folder, complete=False))
    stopped = orjson.loads((tmp_path / "stopped.partial" / "record.json").read_bytes())
    assert (stopped["status"], msgspec.convert(stopped, Record).status) == ("interrupted", "interrupted")


def old(found: AnswersOutcome) -> Loaded:
    """Return a result as version 0.1 wrote it: without a record."""
    summary = orjson.loads(orjson.dumps(found.json_members()))
    config = {"options": {"answers": "answers.jsonl", "metrics": list(NAMES)}, "versions": {"benchbench": "0.1.0"}}
    return Loaded(Path("old"), of_old_folder(msgspec.convert(summary, AnswersDetails), config, 1e9).record, summary, ())


@pytest.mark.parametrize("form", ["text", "markdown", "latex", "csv", "jsonl", "summary", "junit"])
def test_a_folder_of_version_0_1_is_drawn_as_it_was(form: str, tmp_path: Path):
    path = tmp_path / "answers.jsonl"
    path.write_bytes(b"".join(orjson.dumps(row) + b"\n" for row in ROWS))
    found = score_answers(path, NAMES, fail_if=["any_citation<0.9", "latency>9s"])
    assert draw(old(found), form) == draw(found, form)


def test_the_record_of_a_folder_of_version_0_1_keeps_to_the_schema():
    found = outcome("any_citation<0.9")
    record = old(found).record
    validated(record)
    assert record.started == "2001-09-09T01:46:40.000Z"
    assert record.environment.versions == {"benchbench": "0.1.0"}
    assert [(gate.condition, gate.verdict) for gate in record.gates] == [("any_citation<0.9", "failed")]
    assert record.numbers == found.record.numbers


def test_the_oldest_summaries_lack_members():
    summary = {"answers": 2, "metrics": {"latency": {"mean": 0.5}}}
    record = of_old_folder(msgspec.convert(summary, AnswersDetails), {}, 1e9).record
    assert (number(record, "latency").value, number(record, "errors").value) == (0.5, 0)
    assert "latency" in draw(Loaded(Path("old"), record, summary, ()), "text")


def test_a_summary_that_is_damaged_is_said():
    with pytest.raises(InputError, match=r"out/summary\.json is damaged: .*metrics"):
        draw(Loaded(Path("out"), outcome().record, {"metrics": 3}, ()), "text")
