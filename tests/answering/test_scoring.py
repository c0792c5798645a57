"""Stored answers scored by one process or by several: the same bits, and the line that is wrong."""

import random
from pathlib import Path

import orjson
import pytest
from answer_values import read_answers
from cases import first_of

from benchbench.answering.answers_details import AnswersDetails
from benchbench.answering.answers_folder import line
from benchbench.answering.answers_result import details
from benchbench.answering.scoring import SHORT, ScoringTask, chosen, score
from benchbench.answers.worst import Worst
from benchbench.errors import InputError
from benchbench.tables.questions import Question

METRICS = ("answer_length", "latency", "statute_citation_accuracy", "precedent_matching")


def stored(folder: Path, answers: int) -> Path:
    draw = random.Random(3)
    path = folder / "answers.jsonl"
    with path.open("wb") as file:
        for n in range(answers):
            row = {
                "question": f"Question {n}?",
                "truth": f"Part {draw.randrange(1, 4)} and rule 3.{draw.randrange(1, 4)} [Part 3].",
                "answer": None if n % 97 == 5 else f"Rule 3.{draw.randrange(1, 4)}{' [Part 3]' * (n % 2)}." * (n % 3),
                "latency": draw.expovariate(1.0),
                "source_type": draw.choice(["CPR", "Guide", ""]),
                "category": f"Category {n % 7}",
            }
            file.write(orjson.dumps(row) + b"\n" * (1 + n % 2))
    return path


def outcome(path: Path, task: ScoringTask, workers: int | None) -> tuple[AnswersDetails, bytes]:
    lines: list[bytes] = []
    return details(score(path, task, workers, lines.append)), b"".join(lines)


@pytest.mark.parametrize("several", first_of([2], [2, 3]), ids=len)
def test_any_number_of_workers_gives_the_same_bits(tmp_path: Path, several: list[int]):
    path = stored(tmp_path, SHORT + 777)
    task = ScoringTask(METRICS, line=line)
    summary, lines = outcome(path, task, 1)
    assert summary.answers == SHORT + 777
    assert [orjson.loads(one)["question"] for one in lines.splitlines()] == [
        one.asked.question for one in read_answers(path)
    ]
    for workers in several:
        assert outcome(path, task, workers) == (summary, lines)


@pytest.mark.slow  # thousands of answers, by one process and by three
def test_any_number_of_workers_keeps_the_same_answers_for_a_page(tmp_path: Path):
    path = stored(tmp_path, SHORT + 1500)
    kept = []
    for workers in (1, 2):
        worst = Worst(chosen(METRICS), 40)
        score(path, ScoringTask(METRICS, has_page=True), workers, worst=worst)
        kept.append(worst.rows())
    assert kept[0] == kept[1]
    means = [one.mean for one in kept[0]]
    assert len(means) == 40
    assert means == sorted(means, key=lambda mean: 2.0 if mean is None else mean)


@pytest.mark.slow  # thousands of answers
def test_truths_of_a_ground_truth_are_known_to_workers(tmp_path: Path):
    path = stored(tmp_path, SHORT)
    truths = {f"Question {n}?": Question(f"Question {n}?", "Rule 3.1.") for n in range(SHORT)}
    task = ScoringTask(("statute_citation_accuracy",), truths=truths)
    assert outcome(path, task, 2) == outcome(path, task, 1)


def test_without_lines_to_make_there_are_none(tmp_path: Path):
    assert outcome(stored(tmp_path, 10), ScoringTask(METRICS), None)[1] == b""


@pytest.mark.parametrize("workers", first_of(2, 1))
@pytest.mark.parametrize("bad", [b"{", b'{"question": "?", "truth": "t", "answer": 3}', b"[]"])
def test_the_first_wrong_line_is_named(tmp_path: Path, workers: int, bad: bytes):
    path = stored(tmp_path, SHORT)
    lines = path.read_bytes().split(b"\n")
    lines[4999:4999] = [bad]
    path.write_bytes(b"\n".join([*lines, bad]))
    with pytest.raises(InputError, match=r"answers\.jsonl, line 5000: "):
        score(path, ScoringTask(("answer_length",)), workers)


@pytest.mark.parametrize(("content", "reason"), [(b"", "is empty"), (b"\n \n", "has no answer in it")])
def test_a_file_without_answers_is_wrong(tmp_path: Path, content: bytes, reason: str):
    path = tmp_path / "answers.jsonl"
    path.write_bytes(content)
    with pytest.raises(InputError, match=reason):
        score(path, ScoringTask(METRICS))
