from pathlib import Path
from typing import Any

import data_sets
import numpy as np
import pytest

from benchbench.answering.scoring import SHORT
from benchbench.answering.stored import score_answers
from benchbench.answers.metrics import METRICS, metric
from benchbench.errors import InputError
from benchbench.tables.questions import Question

ROWS = [
    {"question": "one?", "truth": "CPR 31.6", "answer": "See CPR 31.6.", "latency": 0.5},
    {"question": "two?", "truth": "CPR 1.1", "answer": None, "error": "HTTP 500"},
    {"question": "three?", "truth": "CPR 2.3", "answer": "Nothing.", "latency": 1.5},
]


def test_rows_in_memory_come_to_what_a_file_of_them_does(tmp_path: Path):
    file = data_sets.write_lines(tmp_path / "answers.jsonl", ROWS)
    stored, held = score_answers(str(file)), score_answers(iter(ROWS))
    assert held.found.metrics == stored.found.metrics
    assert held.found.failures == stored.found.failures == {"HTTP 500": 1}
    assert (stored.subject, held.subject) == ("answers.jsonl", "answers")


def test_truths_are_rows_or_questions_or_a_file(tmp_path: Path):
    answers = [{name: row[name] for name in ("question", "answer")} for row in ROWS[::2]]
    truths = [{name: row[name] for name in ("question", "truth")} for row in ROWS]
    file = data_sets.write_lines(tmp_path / "truth.jsonl", truths)
    for given in (truths, [Question(**row) for row in truths], file, str(file)):
        outcome = score_answers(answers, "citations_matched", truths=given)
        assert outcome.found.unanswered == 1
        assert outcome.found.answers == 2


def test_gates_are_read_before_any_answer_is(tmp_path: Path):
    with pytest.raises(InputError, match="--fail-if"):
        score_answers(tmp_path / "none.jsonl", "latency", fail_if="citations_matched<0.5")
    slow, failed = score_answers(ROWS, "latency", fail_if=["latency>0.9s", "errors>50%"]).gates
    assert slow.failure == "latency is 1 s, required at most 0.9 s"
    assert failed.failure is None


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        ([], "answers has no answer in it"),
        ([{"question": "a"}], "answers, line 1: `truth` is missing"),
        ([*ROWS, {"question": object()}], "answers, line 4: not a JSON value"),
        ([3], "answers, line 1: not a JSON object"),
    ],
)
def test_rows_that_are_no_answers_are_refused_with_their_number(rows: list[Any], said: str):
    with pytest.raises(InputError, match=said):
        score_answers(rows)


def test_numbers_of_numpy_are_numbers():
    (line,) = score_answers([{**ROWS[0], "latency": np.float64(0.5)}], "latency").found.metrics.values()
    assert line.mean == 0.5


def test_a_metric_that_only_this_process_knows_is_computed_for_many_answers_too():
    try:
        metric("known_here", "One.")(lambda answer: 1.0)
        outcome = score_answers(({**ROWS[0], "question": f"{n}?"} for n in range(SHORT)), "known_here", workers=2)
    finally:
        METRICS.pop("known_here", None)
    (line,) = outcome.found.metrics.values()
    assert line.mean == 1.0
    assert outcome.found.answers == SHORT
