"""A run that is killed at any moment goes on where it was: what was stored is not paid for twice."""

import os
import signal
import sys
from concurrent.futures import Future
from pathlib import Path

import copied_processes
import orjson
import pytest
from cases import first_of
from chat_server import ChatServer, good, malformed, slow

from benchbench.answers.judges.rubric import rubric
from benchbench.chat.model import ChatModel
from benchbench.judging.answer_run import AnswersToJudge, judge_answers
from benchbench.judging.judge_settings import JudgeSettings

PLACES, ANSWERS = 6, 60

_RUN = """
import sys
from pathlib import Path
from benchbench.answers.judges.rubric import rubric
from benchbench.chat.model import ChatModel
from benchbench.judging.answer_run import AnswersToJudge, judge_answers
from benchbench.judging.judge_settings import JudgeSettings

answers, url, cache, places = sys.argv[1:]
model = ChatModel("judge", url, concurrency=int(places))
settings = JudgeSettings(rubric("answer_relevance"), model, cache=Path(cache))
outcome = judge_answers(AnswersToJudge(Path(answers)), settings)
sys.exit(0 if outcome.found.failed == 0 else 5)
"""


def started(answers: Path, server: ChatServer, cache: Path) -> copied_processes.Popen:
    """Begin to judge in a process of its own."""
    return copied_processes.Popen([sys.executable, "-c", _RUN, str(answers), server.url, str(cache), str(PLACES)])


@pytest.fixture
def answers(tmp_path):
    place = tmp_path / "answers.jsonl"
    rows = [{"question": f"Is {n} even?", "answer": f"It is {n}.", "truth": "Yes."} for n in range(ANSWERS)]
    place.write_bytes(b"".join(orjson.dumps(row, option=orjson.OPT_APPEND_NEWLINE) for row in rows))
    return place


def repaired(call, request):
    """Say nothing that fits until asked a second time."""
    again = "could not be read as a verdict" in request["messages"][-1]["content"]
    return slow(0.005, good(1) if again else malformed)(call, request)


def directly(call, request):
    return slow(0.005, good(1))(call, request)


@pytest.mark.parametrize(
    ("judge", "calls", "moment"),
    first_of(
        (directly, 1, 7),
        *((directly, 1, moment) for moment in range(1, ANSWERS, 6) if moment != 7),
        *((repaired, 2, moment) for moment in (20, 61)),
    ),
)
def test_after_a_kill_no_more_calls_are_made_than_are_missing_and_were_under_way(
    answers, tmp_path, judge, calls, moment
):
    """The run is killed from within the server, when call number `moment` comes; a verdict takes so many `calls`."""
    cache = tmp_path / "judge.sqlite"
    running: Future[int] = Future()

    def script(call, request):
        if call == moment:
            os.kill(running.result(), signal.SIGKILL)
        return judge(call, request)

    with ChatServer(script) as server:
        process = started(answers, server, cache)
        running.set_result(process.pid)
        assert process.wait(60) == -signal.SIGKILL
        before = server.calls
        settings = JudgeSettings(
            rubric("answer_relevance"), ChatModel("judge", server.url, concurrency=PLACES), cache=cache
        )
        outcome = judge_answers(AnswersToJudge(answers), settings)
        verdicts = ANSWERS + 50
        assert server.calls <= calls * verdicts + PLACES
        assert before <= moment + PLACES
        assert (outcome.found.failed, outcome.found.rubrics[0].judged) == (0, ANSWERS)
        assert outcome.found.cost.calls >= calls * verdicts - before
        assert outcome.found.cost.calls <= calls * verdicts - before + PLACES
        assert judge_answers(AnswersToJudge(answers), settings).found.cost.calls == 0


@pytest.mark.slow  # two processes
def test_two_processes_share_one_cache(answers, tmp_path):
    cache = tmp_path / "judge.sqlite"
    with ChatServer(slow(0.005, good(1))) as server:
        both = [started(answers, server, cache) for _ in range(2)]
        assert [one.wait(60) for one in both] == [0, 0]
        verdicts = ANSWERS + 50
        assert verdicts <= server.calls <= 2 * verdicts
        before = server.calls
        assert (started(answers, server, cache).wait(60), server.calls) == (0, before)
