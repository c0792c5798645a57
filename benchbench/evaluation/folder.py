"""The folder of an evaluation: it appears complete or not at all. What an assistant answers is written as it comes.

`eval_results.jsonl` has the members that `answers score` and `judge answers` read.
"""

import contextlib
import math
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, BinaryIO

import orjson

from benchbench.evaluation.evaluation_result import EvaluationOutcome
from benchbench.evaluation.scores import per_question
from benchbench.formats.evaluation_rows import Row
from benchbench.results.folder import PartialFolder, Timed, explained, write_result

_ANSWERS = "eval_results.jsonl"


class EvaluationFolder(PartialFolder):
    """The folder of an evaluation; `eval_results.jsonl` has the answers, and in the end their scores."""

    kind = "evaluation"
    advice = "its answers can be evaluated with --answers; remove it, or name another --out"

    def __init__(self, place: Path | Timed) -> None:
        """Name the folder; nothing is written before `__enter__`."""
        super().__init__(place)
        self._answers = 0  # that have not failed

    def _prepare(self) -> None:
        self._file: BinaryIO = (self.partial / _ANSWERS).open("wb")

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close the file of answers, and do what `PartialFolder` does."""
        with contextlib.suppress(OSError):  # `append` has reported a full disk
            self._file.close()
        super().__exit__(kind, error, trace)

    def _is_worth_keeping(self) -> bool:
        return bool(self._answers)

    def kept(self) -> str:
        """Return where the answers are that had come, as part of a sentence."""
        those = (
            "the answer that had come is" if self._answers == 1 else f"the {self._answers:,} answers that had come are"
        )
        return f"{those} in {self.partial / _ANSWERS}, which --answers takes"

    def append(self, row: Row) -> None:
        """Store what was answered to a question."""
        with explained(self.partial):
            self._file.write(orjson.dumps(_answer(row), option=orjson.OPT_APPEND_NEWLINE))
            self._file.flush()
        self._answers += row.failure is None

    def finish(self, outcome: EvaluationOutcome, pages: Mapping[str, str]) -> None:
        """Write the answers with their scores, and the other files, and give the folder its name."""
        with explained(self.partial):
            self._file.close()
            whole = self.partial / f"{_ANSWERS}.part"
            with whole.open("wb") as file:
                for line in _lines(outcome):
                    file.write(orjson.dumps(line, option=orjson.OPT_APPEND_NEWLINE))
            whole.replace(self.partial / _ANSWERS)
            write_result(self.partial, outcome, pages)
            self._finish()


def _answer(row: Row) -> dict[str, Any]:
    contexts = None if row.contexts is None else [{"id": one.id, "text": one.text} for one in row.contexts]
    return {
        "id": row.id,
        "question": row.question,
        "answer": row.answer,
        "error": row.failure,
        "context": contexts,
        "latency": row.latency,
    }


def _lines(outcome: EvaluationOutcome) -> list[dict[str, Any]]:
    """Return each question with its answer and its scores, in the order of the data; null where there is no score."""
    cells, each = outcome.cells, per_question(outcome.cells)
    lines = []
    for number, row in enumerate(cells.rows):
        scores = {
            "overall": each.overall[number],
            **{pillar: values[number] for pillar, values in each.pillars.items()},
            **{one.name: cells.values[place, number] for place, one in enumerate(cells.plan.scores)},
        }
        groups = {"truth": row.truth, "source_type": row.source_type, "category": row.category}
        known = {name: None if math.isnan(value) else float(value) for name, value in scores.items()}
        lines.append({**_answer(row), **groups, **known})
    return lines
