import math

import numpy as np
import polars as pl
import pytest

from benchbench.client.transport import Attempt
from benchbench.loads.driver import Request
from benchbench.loads.recorder import ReceivedAnswers, Recorder


@pytest.fixture
def answers():
    with ReceivedAnswers() as answers:
        yield answers


def answered(sent: float, size: int = 7) -> Attempt:
    return Attempt(sent, sent + 0.1, sent + 0.2, size, 200, None)


def test_a_row_is_a_request_with_times_from_the_end_of_the_warm_up(answers: ReceivedAnswers):
    recorder = Recorder(100.0, 2, answers)
    recorder.add(Request(1, 101.0, 101.25, 101.5), answered(102.0), b"{}")
    recorder.add(Request(0, 100.0, 100.0, 100.0), answered(100.0), b"{}")
    frame = recorder.rows.frame(np.array([0, 4]), 4, {})
    assert frame["number"].to_list() == [0, 1]
    assert frame.row(1, named=True) == {
        "number": 1,
        "counted": True,
        "first_query": 4,
        "queries": 4,
        "due": 1.0,
        "dispatched": 1.25,
        "placed": 1.5,
        "sent": 2.0,
        "first_byte": pytest.approx(2.1),
        "end": pytest.approx(2.2),
        "bytes": 7,
        "status": 200,
        "error": None,
    }


def test_the_warm_up_has_rows_that_do_not_count_and_no_answers(answers: ReceivedAnswers):
    recorder = Recorder(100.0, 1, answers)
    recorder.add(Request(0, 99.9, 99.9, 99.9), answered(99.9), b"warm")
    recorder.add(Request(1, 100.0, 100.0, 100.0), answered(100.0), b"counted")
    assert recorder.rows.frame(np.array([0]), 4, {})["counted"].to_list() == [False, True]
    assert [body for _, _, body in answers] == [b"counted"]


def test_failures_are_rows_and_their_bodies_are_not_kept(answers: ReceivedAnswers):
    recorder = Recorder(0.0, 1, answers)
    recorder.add(Request(0, 0.0, 0.0, 0.0), Attempt(0.0, math.nan, 9.0, 0, None, "incomplete answer"), b"")
    recorder.add(Request(1, 1.0, 1.0, math.nan), Attempt(math.nan, math.nan, 9.0, 0, None, "never sent"), b"")
    frame = recorder.rows.frame(np.array([0]), 4, {})
    assert frame["error"].to_list() == ["incomplete answer", "never sent"]
    assert frame.select("placed", "sent", "first_byte", "status").row(1) == (None,) * 4
    assert list(answers) == []


def test_an_answer_that_cannot_be_read_fails_each_request_that_got_it(answers: ReceivedAnswers):
    recorder = Recorder(0.0, 1, answers)
    for number, body in enumerate([b"bad", b"good", b"bad"]):
        recorder.add(Request(number, 1.0 * number, 1.0 * number, 1.0 * number), answered(1.0), body)
    frame = recorder.rows.frame(np.array([0]), 4, {0: "protocol error: it is bad"})
    assert frame.filter(pl.col("error").is_not_null())["number"].to_list() == [0, 2]


@pytest.mark.parametrize("memory", [1, 1 << 20])
def test_equal_answers_to_a_batch_are_kept_once_and_counted(memory: int):
    with ReceivedAnswers(memory) as answers:
        assert [answers.keep(*one) for one in [(0, b"xx"), (1, b"xx"), (0, b"xx"), (0, b"yyy"), (0, b"")]] == [
            0,
            1,
            0,
            2,
            3,
        ]
        assert answers.times == [2, 1, 1, 1]
        assert list(answers) == [(0, 0, b"xx"), (1, 1, b"xx"), (2, 0, b"yyy"), (3, 0, b"")]
        assert answers.keep(2, b"later") == 4
        assert list(answers)[-1] == (4, 2, b"later")


def test_no_answer_is_nothing():
    with ReceivedAnswers() as answers:
        assert list(answers) == []
