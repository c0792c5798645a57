"""The registry of answer metrics, and the types of metrics and their values.

Conventions
-----------
A metric is a function of an `Answer`. It is called only when there is a response: the score of a null answer is
`NULL` for every metric, and null answers are counted and left out of means.
A score of an accuracy goes from 0 to 1, higher is better.
Where nothing was expected (the truth cites no case, say) nothing was missed: an accuracy is 1.0, with
`expected=False`. Summaries give the mean over all answers, and the mean over those where something was expected.

To add a metric:

>>> @metric("exclamations", "Exclamation marks in the answer.")
... def exclamations(answer: Answer) -> float:
...     return float(answer.response.count("!"))
"""

import difflib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import KW_ONLY, dataclass, field
from typing import NamedTuple

from benchbench.errors import InputError, said_by
from benchbench.tables.questions import Answer

NULL = -1.0  # the score of a null answer, as the assistants' evaluation tools write it


class Mark(NamedTuple):
    """A place in the response, or in the truth for something that was missed."""

    start: int  # in characters
    end: int
    found: str  # "matched", "unexpected" or "wrong" in the response; "missed" in the truth
    said: str = ""  # what is wrong about it: "for disclosure", of a US term


@dataclass(frozen=True, slots=True)
class Value:
    """A score with its further numbers and its marks."""

    score: float
    expected: bool = True
    parts: Mapping[str, float] = field(default_factory=dict)  # further numbers, by full name
    marks: tuple[Mark, ...] = ()

    @property
    def state(self) -> str:
        """Return `wrong` for a score of 0, `right` for 1 or where all marks are right, else `partial`."""
        if self.score >= 1.0:
            return "right"
        if self.score <= 0.0:
            return "wrong"
        faultless = bool(self.marks) and all(mark.found in ("matched", "unexpected") for mark in self.marks)
        return "right" if faultless else "partial"


class MetricWords(NamedTuple):
    """How a page says what a metric measures and what it found; a metric needs none of them."""

    title: str = ""  # of its row
    short: str = ""  # where there is little room
    said: str = ""  # below the title
    untested: str = ""  # why nothing was expected: "no truth cites a case"
    missed: str = ""  # kinds of marks, as a list of answers is filtered by them: "statute missed"
    wrong: str = ""
    low: str = ""  # where no place is marked and the score is below 1
    figure: str = ""  # what stands behind the mean of one that has no row: "characters per answer"


_NO_WORDS = MetricWords()


@dataclass(frozen=True, slots=True)
class Metric:
    """A row of the registry."""

    name: str
    explanation: str
    function: Callable[[Answer], Value | float]
    _: KW_ONLY
    good: float | None = None  # a mean above is good, and so is 1 …
    acceptable: float | None = None  # … from here on it is acceptable, and below poor
    parts: tuple[str, ...] = ()  # names of the further numbers that it gives
    binary: bool = False  # scores are 0 or 1: the mean is a share, with Wilson's interval
    unit: str = ""  # of scores that are no shares: "s"
    needs_truth: bool = True
    words: MetricWords = _NO_WORDS

    def value(self, answer: Answer) -> Value:
        """Return the score of an answer, `NULL` of one that is null.

        Raises
        ------
        InputError
            When the function fails or returns something other than a number; it names the metric and the question.
        """
        if answer.response is None:
            return Value(NULL, parts=dict.fromkeys(self.parts, NULL))
        try:
            value = self.function(answer)
            value = value if isinstance(value, Value) else Value(float(value))
        except Exception as error:
            raise self._fails(answer, f"{type(error).__name__}: {said_by(error)}") from error
        numbers: tuple[object, ...] = (value.score, *value.parts.values())
        if not all(isinstance(number, int | float) for number in numbers):
            raise self._fails(answer, f"{numbers!r:.80} are not all numbers")
        return value

    @property
    def is_accuracy(self) -> bool:
        """Whether a score of 1 is right and one of 0 is wrong: bands or a title say so."""
        return self.good is not None or bool(self.words.title)

    def _fails(self, answer: Answer, reason: str) -> InputError:
        return InputError(f"the metric {self.name} fails on the question {answer.asked.question[:60]!r}: {reason}")

    def band(self, mean: float) -> str:
        """Return `good`, `acceptable` or `poor`; empty where there are no bands."""
        return band(mean, self.good, self.acceptable)


def band(mean: float, good: float | None, acceptable: float | None, highest: float = 1.0) -> str:
    """Return the band of a mean, whose ends are those of `Metric`; empty where there are none.

    Means go by their first 12 decimals: those of the same values, added in another order, differ in the 16th.
    """
    if good is None or acceptable is None:
        return ""
    mean = round(mean, 12)
    return "good" if mean > good or mean >= highest else "acceptable" if mean >= acceptable else "poor"


METRICS: dict[str, Metric] = {}


def metric(
    name: str,
    explanation: str,
    good: float | None = None,
    acceptable: float | None = None,
    parts: Iterable[str] = (),
    binary: bool = False,
    unit: str = "",
    needs_truth: bool = True,
    words: MetricWords = _NO_WORDS,
) -> Callable[[Callable[[Answer], Value | float]], Callable[[Answer], Value | float]]:
    """Register a function as a metric; a name that is there already is an InputError.

    Parameters are those of `Metric`. Without `needs_truth`, questions may have an empty truth.
    """
    if name in METRICS:
        raise InputError(f"an answer metric {name} exists already; give yours another name")

    def register(function: Callable[[Answer], Value | float]) -> Callable[[Answer], Value | float]:
        METRICS[name] = Metric(
            name,
            explanation,
            function,
            good=good,
            acceptable=acceptable,
            parts=tuple(parts),
            binary=binary,
            unit=unit,
            needs_truth=needs_truth,
            words=words,
        )
        return function

    return register


def metrics_named(names: Iterable[str]) -> list[Metric]:
    """Return the metrics of the registry with these names.

    Raises
    ------
    InputError
        Naming the nearest known ones.
    """
    metrics = []
    for name in names:
        if name not in METRICS:
            near = difflib.get_close_matches(name, METRICS, 3)
            meant = f"did you mean {' or '.join(near)}? " if near else ""
            raise InputError(f"there is no answer metric {name!r}; {meant}--list-metrics shows all")
        metrics.append(METRICS[name])
    return metrics
