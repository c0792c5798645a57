"""The folder of an evaluation of answers: it appears complete or not at all."""

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any, BinaryIO

import orjson

from benchbench.answering.answers_result import AnswersOutcome
from benchbench.answering.per_answer import NAME as PER_ANSWER
from benchbench.answering.per_answer import PerAnswer
from benchbench.answers.metrics import Metric, Value
from benchbench.results.folder import Timed
from benchbench.scores.scores_folder import ReceivingFolder
from benchbench.tables.questions import Answer

_ANSWERS = "eval_results.jsonl"


class AnswersFolder(ReceivingFolder):
    """The folder of an evaluation of answers. Answers cost money, so each is written as soon as it has come."""

    kind = "evaluation"
    files = (_ANSWERS,)

    def __init__(self, place: Path | Timed, metrics: Sequence[Metric]) -> None:
        """Name the folder; nothing is written before `__enter__`."""
        super().__init__(place)
        self._metrics = metrics
        self._places: dict[int, tuple[int, int]] = {}  # of the lines, by the number of the question
        self._written = 0  # bytes

    def _prepare(self) -> None:
        super()._prepare()
        self.table = PerAnswer(self.partial / PER_ANSWER)

    def append(self, number: int, answer: Answer, values: Sequence[Value]) -> None:
        """Store an answer with its scores; answers may come in any order."""
        size = self.write(line(answer, self._metrics, values))
        self._places[number] = (self._written - size, size)
        self._usable += answer.failure is None

    def write(self, lines: bytes) -> int:
        """Store lines, in the order of their questions; return how many bytes they have."""
        self._append(_ANSWERS, lines)
        self._written += len(lines)
        return len(lines)

    def _conclude(self, outcome: AnswersOutcome) -> None:
        if list(self._places) != sorted(self._places):
            self._sort(self._open[_ANSWERS])
        if self.table:
            self.table.write(outcome.untested)

    def _sort(self, answers: BinaryIO) -> None:
        sorted_file = self.partial / f"{_ANSWERS}.part"
        with sorted_file.open("wb") as file:
            for _, (offset, size) in sorted(self._places.items()):
                answers.seek(offset)
                file.write(answers.read(size))
        sorted_file.replace(self.partial / _ANSWERS)


def line(answer: Answer, metrics: Sequence[Metric], values: Sequence[Value]) -> bytes:
    """Return an answer with its scores and marks as a line of `eval_results.jsonl`.

    `expected` are the metrics that expected something of it. `answer_marks` and `truth_marks` are places
    `[start, end, found]` in characters, by metric.
    """
    row: dict[str, Any] = {
        "question": answer.asked.question,
        "truth": answer.truth,
        "answer": answer.response,
        "context": answer.context,
        "latency": -1 if answer.latency is None else answer.latency,
        "error": answer.failure,
        "source_type": answer.asked.source_type,
        "category": answer.asked.category,
    }
    row["expected"] = [
        metric.name
        for metric, value in zip(metrics, values, strict=True)
        if value.expected and answer.response is not None
    ]
    for metric, value in zip(metrics, values, strict=True):
        row |= {metric.name: None if math.isnan(value.score) else value.score, **value.parts}
    for name, missed in (("answer_marks", False), ("truth_marks", True)):
        row[name] = {
            metric.name: [
                (mark.start, mark.end, mark.found) for mark in value.marks if (mark.found == "missed") == missed
            ]
            for metric, value in zip(metrics, values, strict=True)
            if value.marks
        }
    return orjson.dumps(row, option=orjson.OPT_APPEND_NEWLINE)
