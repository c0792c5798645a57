"""The answers with the lowest scores, as many as a page shows: memory does not grow with the answers."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from benchbench.answers.faults import Excerpt, Fault, excerpt, faults, overlaid
from benchbench.answers.metrics import Mark, Metric, Value
from benchbench.scores.lowest import Lowest
from benchbench.tables.questions import Answer

MOST = 1000  # answers that are kept
_CHARACTERS = 4000  # of a text; a longer one is shortened to its beginning and what stands around its marks
_BEGINNING, _AROUND = 1000, 250
_ASKED = 2000  # of a question or a reason
_PERFECT = 2.0  # sorts an answer of which nothing was expected behind one without a fault


class Score(NamedTuple):
    """What an answer got from a metric that expected something of it."""

    metric: str
    score: float
    state: str


class Shown(NamedTuple):
    """An answer beside its truth, with what is at fault; `mean` is over the metrics that expected something."""

    number: int  # of the line or question, from 1
    question: str
    answer: str | None
    truth: str
    failure: str | None
    source_type: str
    category: str
    mean: float | None
    scores: list[Score]
    faults: list[Fault]
    answer_marks: list[Mark]
    truth_marks: list[Mark]
    answer_left_out: int  # characters
    truth_left_out: int


class Worst:
    """The answers with the lowest means, ties in order of their numbers; failures come last.

    The result depends neither on the order of the answers nor on how they are shared among processes.
    """

    def __init__(self, metrics: Sequence[Metric], most: int = MOST) -> None:
        """Start with no answers."""
        self._metrics = [metric for metric in metrics if metric.is_accuracy]
        self._places = [place for place, metric in enumerate(metrics) if metric.is_accuracy]
        self._lowest = Lowest[Shown](most)

    def add(self, number: int, answer: Answer, values: Sequence[Value]) -> Shown | None:
        """Consider an answer, and return it where it is kept; `values` are in the order of the metrics."""
        own = [values[place] for place in self._places]
        tested = [value.score for value in own if value.expected] if answer.response is not None else []
        mean = sum(tested) / len(tested) if tested else None
        place = _key(answer.failure, mean, number)
        if not self._lowest.takes(*place):
            return None
        kept = _shown(number, answer, self._metrics, own, mean)
        self._lowest.add(kept, *place)
        return kept

    def merge(self, others: Iterable[Shown]) -> None:
        """Consider the answers that another has kept."""
        for shown in others:
            self._lowest.add(shown, *_key(shown.failure, shown.mean, shown.number))

    def rows(self) -> list[Shown]:
        """Return the answers, worst first."""
        return self._lowest.rows()


def _key(failure: str | None, mean: float | None, number: int) -> tuple[bool, float, int]:
    """Return what is greater the earlier an answer stands."""
    return failure is None, -(_PERFECT if mean is None else mean), -number


def _shown(
    number: int, answer: Answer, metrics: Sequence[Metric], values: Sequence[Value], mean: float | None
) -> Shown:
    given = answer.response is not None
    marks = [mark for value in values for mark in value.marks]
    response = _excerpt(answer.response or "", [mark for mark in marks if mark.found != "missed"])
    truth = _excerpt(answer.truth, [mark for mark in marks if mark.found == "missed"])
    return Shown(
        number,
        answer.asked.question[:_ASKED],
        response.text if given else None,
        truth.text,
        None if answer.failure is None else answer.failure[:_ASKED],
        answer.asked.source_type,
        answer.asked.category,
        mean,
        [
            Score(metric.name, value.score, value.state)
            for metric, value in zip(metrics, values, strict=True)
            if given and value.expected
        ],
        faults(answer, metrics, values) if given else [],
        response.marks,
        truth.marks,
        response.left_out,
        truth.left_out,
    )


def _excerpt(text: str, marks: Sequence[Mark]) -> Excerpt:
    return excerpt(text, overlaid(marks, len(text)), _CHARACTERS, _BEGINNING, _AROUND)
