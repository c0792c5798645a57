"""The folder of an evaluation of answers: it appears complete or not at all."""

import contextlib
import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType, TracebackType
from typing import Any, BinaryIO

import orjson

from benchbench.answering.answers_result import AnswersOutcome
from benchbench.answering.per_answer import NAME as PER_ANSWER
from benchbench.answering.per_answer import PerAnswer
from benchbench.answers.metrics import Metric, Value
from benchbench.results.folder import PartialFolder, Timed, explained, write_result
from benchbench.tables.questions import Answer

_NO_PAGES: Mapping[str, str] = MappingProxyType({})


class AnswersFolder(PartialFolder):
    """The folder of an evaluation of answers. Answers cost money, so each is written as soon as it has come."""

    kind = "evaluation"

    def __init__(self, place: Path | Timed, metrics: Sequence[Metric]) -> None:
        """Name the folder; nothing is written before `__enter__`."""
        super().__init__(place)
        self._metrics = metrics
        self._answers = 0  # that have not failed
        self._places: dict[int, tuple[int, int]] = {}  # of the lines, by the number of the question
        self._end = 0

    def _prepare(self) -> None:
        self._file: BinaryIO = (self.partial / "eval_results.jsonl").open("w+b")
        self.table = PerAnswer(self.partial / PER_ANSWER)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close the file of answers, and do what `PartialFolder` does."""
        with contextlib.suppress(OSError):  # `write` has reported a full disk
            self._file.close()
        super().__exit__(kind, error, trace)

    def _is_worth_keeping(self) -> bool:
        return bool(self._answers)

    def kept(self) -> str:
        """Return where the answers are that had come, as part of a sentence."""
        many = self._answers
        answers = "the answer that had come is" if many == 1 else f"the {many:,} answers that had come are"
        return f"{answers} in {self.partial}"

    def append(self, number: int, answer: Answer, values: Sequence[Value]) -> None:
        """Store an answer with its scores; answers may come in any order."""
        size = self.write(line(answer, self._metrics, values))
        self._places[number] = (self._end - size, size)
        self._answers += answer.failure is None

    def write(self, lines: bytes) -> int:
        """Store lines, in the order of their questions; return how many bytes they have."""
        with explained(self.partial):
            self._file.write(lines)
            self._file.flush()
        self._end += len(lines)
        return len(lines)

    def finish(self, outcome: AnswersOutcome, pages: Mapping[str, str] = _NO_PAGES) -> None:
        """Sort the answers by question, write the other files, and give a complete folder its name.

        Parameters
        ----------
        outcome
            What was measured.
        pages
            Further files for people, by their names.
        """
        with explained(self.partial):
            if list(self._places) != sorted(self._places):
                self._sort()
            if self.table:
                self.table.write(outcome.untested)
            write_result(self.partial, outcome, pages)
            if outcome.complete:
                self._file.close()
                self._finish()

    def _sort(self) -> None:
        sorted_file = self.partial / "eval_results.jsonl.part"
        with sorted_file.open("wb") as file:
            for _, (offset, size) in sorted(self._places.items()):
                self._file.seek(offset)
                file.write(self._file.read(size))
        self._file.close()
        sorted_file.replace(self.partial / "eval_results.jsonl")


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
        metric.name for metric, one in zip(metrics, values, strict=True) if one.expected and answer.response is not None
    ]
    for metric, one in zip(metrics, values, strict=True):
        row |= {metric.name: None if math.isnan(one.score) else one.score, **one.parts}
    for name, missed in (("answer_marks", False), ("truth_marks", True)):
        row[name] = {
            metric.name: [
                (mark.start, mark.end, mark.found) for mark in one.marks if (mark.found == "missed") == missed
            ]
            for metric, one in zip(metrics, values, strict=True)
            if one.marks
        }
    return orjson.dumps(row, option=orjson.OPT_APPEND_NEWLINE)
