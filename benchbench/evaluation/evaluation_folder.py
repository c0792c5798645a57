"""The folder of an evaluation: it appears complete or not at all. What an assistant answers is written as it comes.

`eval_results.jsonl` has the members that `answers score` and `judge answers` read.
"""

import math
from typing import Any

import orjson

from benchbench.evaluation.evaluation_result import EvaluationOutcome
from benchbench.evaluation.scores import per_question
from benchbench.formats.evaluation_rows import Row
from benchbench.scores.scores_folder import ReceivingFolder

_ANSWERS = "eval_results.jsonl"


class EvaluationFolder(ReceivingFolder):
    """The folder of an evaluation; `eval_results.jsonl` has the answers, and in the end their scores."""

    kind = "evaluation"
    advice = "its answers can be evaluated with --answers; remove it, or name another --out"
    files = (_ANSWERS,)

    def _place_of_lines(self) -> str:
        return f"{self.partial / _ANSWERS}, which --answers takes"

    def append(self, row: Row) -> None:
        """Store what was answered to a question."""
        self._append_row(_ANSWERS, _answer(row))
        self._usable += row.failure is None

    def _conclude(self, outcome: EvaluationOutcome) -> None:
        whole = self.partial / f"{_ANSWERS}.part"
        with whole.open("wb") as file:
            for line in _lines(outcome):
                file.write(orjson.dumps(line, option=orjson.OPT_APPEND_NEWLINE))
        whole.replace(self.partial / _ANSWERS)


def _answer(row: Row) -> dict[str, Any]:
    contexts = None if row.contexts is None else [{"id": context.id, "text": context.text} for context in row.contexts]
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
            **{score.name: cells.values[place, number] for place, score in enumerate(cells.plan.scores)},
        }
        groups = {"truth": row.truth, "source_type": row.source_type, "category": row.category}
        known = {name: None if math.isnan(value) else float(value) for name, value in scores.items()}
        lines.append({**_answer(row), **groups, **known})
    return lines
