"""Which measures a check judges: those that were asked for, else the few that lead; and on which scale."""

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np

from benchbench.errors import InputError
from benchbench.history.check.check_details import WindowDetails
from benchbench.history.check.run_values import NAME, NAMES, UNIT
from benchbench.history.entry import StoredNumber
from benchbench.history.measure_names import MOST_LEADING, leading_measures
from benchbench.kernels.arrays import F64
from benchbench.measures.gate_names import named
from benchbench.measures.notation import better as better_of
from benchbench.measures.notation import task_and_measures
from benchbench.results.gates import Condition
from benchbench.results.record import Better
from benchbench.significance.run_windows import WindowTest
from benchbench.tables.shared_messages import not_among

TAIL = "p99"  # judged beside the median
_FAILURES = ("errors", "error_rate", "failed_requests")  # counts of what seldom happens, and their share
_FARTHEST = 700.0  # logarithm: e^710 is larger than any float
_LEAST = 1e-3  # of what has a logarithm: milliseconds that a clock can tell
_OF_ROOT = 0.375  # twice the root of a count plus 3/8 has a variance of about 1 (Anscombe 1948)
_SUBJECTS = 3  # whose latency a check judges by itself: targets, or steps of a load test


class NotJudgedError(InputError):
    """A series has nothing that was asked for, or nothing that can be judged."""


class JudgedMeasure(NamedTuple):
    """A measure that can be judged.

    Attributes
    ----------
    name, unit
        As the history has them.
    better
        Which direction is an improvement.
    subject
        Of latency, which is judged by blocks of requests: whose.
    per
        What has a value of its own: a query, a block of requests, or only the whole run.
    """

    name: str
    unit: str
    better: Better
    subject: str | None = None
    per: Literal["query", "block", "run"] = "query"

    @property
    def is_speed(self) -> bool:
        """Whether it shares alpha with the measures of speed and of failures, and not with those of quality."""
        return self.per == "block" or (self.per == "run" and not _parts(self.name)[1])

    @property
    def is_time(self) -> bool:
        """Whether it depends on how requests are sent: a time, or a number per second."""
        return self.unit in ("ms", "s") or self.unit.endswith("/s")


def measures_of(
    there: Sequence[str], numbers: Mapping[str, StoredNumber], latencies: Mapping[str, str]
) -> dict[str, JudgedMeasure]:
    """Return what can be judged, by name: what has a value per query and a direction, latency, and other numbers.

    Parameters
    ----------
    there
        Measures with a value per query.
    numbers
        Of the record, over all, by name.
    latencies
        Subjects with latencies of requests, by the name of the measure.
    """
    judged = {}
    for name in dict.fromkeys([*(name for name in numbers if name in there), *there]):
        number = numbers.get(name)
        direction = (number and number.better) or better_of(_parts(name)[1])
        if direction is not None:
            judged[name] = JudgedMeasure(name, number.unit if number else "", direction)
    judged |= {name: JudgedMeasure(name, UNIT, "lower", subject, "block") for name, subject in latencies.items()}
    others = {
        name: JudgedMeasure(name, number.unit, number.better, per="run")
        for name, number in numbers.items()
        if number.better
    }
    return judged | {name: measure for name, measure in others.items() if name not in judged}


def chosen(
    wanted: Sequence[str], there: Mapping[str, JudgedMeasure], without_direction: Collection[str]
) -> list[JudgedMeasure]:
    """Return the measures to judge.

    Parameters
    ----------
    wanted
        Names as people write them (`nDCG@10` is that of the gold task where there is one); none: those that lead.
    there
        What can be judged.
    without_direction
        What has values per query, and no direction in which it becomes better.

    Raises
    ------
    NotJudgedError
        One is not there, or could be several; the message says which there are.
    """
    if not wanted:
        per_query = [measure.name for measure in there.values() if measure.per == "query"]
        leads = leading_ones(per_query) or per_query
        return [*(there[name] for name in leads[:MOST_LEADING]), *_latencies(there)]
    measures = {}
    for text in wanted:
        measure = there[_meant(text, there, without_direction)]
        measures[measure.name] = measure
    return list(measures.values())


def _meant(text: str, there: Mapping[str, JudgedMeasure], without_direction: Collection[str]) -> str:
    """Return the name of the measure that a text means."""
    if text in there:
        return text
    front, _, last = text.rpartition(".")
    name = f"{front}.{NAME}".lstrip(".") if last in NAMES else named(text)[0]
    if name in without_direction:
        raise NotJudgedError(f"{name} has no direction in which it becomes better, so that nothing can be worse")
    if last in NAMES and name not in there:
        of_steps = [name for name in there if name.endswith(f".{NAME}")] if not front else []
        if len(of_steps) == 1:
            return of_steps[0]
        if of_steps:
            raise NotJudgedError(f"{text} is measured several times; name one of {', '.join(of_steps)}")
        raise NotJudgedError(f"{not_among(text, 'measured', list(there))}; latency needs the time of each request")
    try:
        return Condition("", name, "<", 0.0, "").among(list(there), final=True)
    except InputError as problem:
        raise NotJudgedError(f"--measure {text}: {problem}") from None


def _latencies(there: Mapping[str, JudgedMeasure]) -> list[JudgedMeasure]:
    """Return median and tail of the latencies that requests have, of the first subjects."""
    medians = [measure for measure in there.values() if measure.per == "block"][:_SUBJECTS]
    names = [name for median in medians for name in (median.name, f"{median.name.removesuffix(NAME)}{TAIL}")]
    return [there[name] for name in names if name in there]


def leading_ones(names: Sequence[str]) -> list[str]:
    """Return the measures that lead, in each target and task."""
    return leading_measures((name, *_front(name)) for name in names)


def _front(name: str) -> tuple[str, str]:
    front, measure = _parts(name)
    return front, measure or name


def _parts(name: str) -> tuple[str, str]:
    """Return what stands in front of a measure, such as target and task, and the measure; empty where it is none."""
    words = name.split(".")
    for first in range(len(words)):
        rest = ".".join(words[first:])
        front, measures = task_and_measures(rest)
        if measures and not front:
            return ".".join(words[:first]), rest
    return "", ""


Kind = Literal["linear", "logarithm", "root"]


@dataclass(frozen=True)
class Scale:
    """How values of a measure become such that more is better, and differences such as people read them.

    Attributes
    ----------
    sign
        -1 where less is better.
    kind
        Times and rates differ by factors, so that their logarithms are compared, and counts of failures by their roots.
    number
        What a share of failures is of.
    base
        The reference on this scale: a difference of roots is one of counts only from there.
    """

    sign: float
    kind: Kind
    number: float = 1.0
    base: float = 0.0

    @classmethod
    def of(cls, measure: JudgedMeasure, number: float = 1.0) -> "Scale":
        """Return the scale of a measure; `number` is what a share of failures is of."""
        sign, last = 1.0 if measure.better == "higher" else -1.0, measure.name.rpartition(".")[2]
        if measure.per == "run" and last in _FAILURES:
            return cls(sign, "root", number if last == "error_rate" else 1.0)
        return cls(sign, "logarithm" if measure.per == "block" or (measure.per == "run" and measure.unit) else "linear")

    @property
    def is_ratio(self) -> bool:
        """Whether a difference is a share of the reference."""
        return self.kind == "logarithm"

    @property
    def least_spread(self) -> float:
        """Return the standard deviation that values have by chance at least."""
        return 1.0 if self.kind == "root" else 0.0

    def scaled(self, values: F64) -> F64:
        """Return values of the measure on this scale."""
        if self.kind == "logarithm":
            logarithms: F64 = np.log(np.maximum(values, _LEAST))
            return logarithms
        if self.kind == "root":
            roots: F64 = 2.0 * np.sqrt(values * self.number + _OF_ROOT)
            return roots
        return values

    def shown(self, value: float) -> float:
        """Return a value on this scale in the unit of the measure."""
        if self.kind == "logarithm":
            return math.exp(value)
        if self.kind == "root":
            square = (max(value, 0.0) / 2.0) ** 2  # an interval may end below 0, and a root does not
            return (max(round(square - _OF_ROOT, 9), 0.0) + 0.0) / self.number  # whole again, and never -0
        return value

    def margin(self, given: float | None) -> float | None:
        """Return a margin on this scale; of a ratio it is given as a share."""
        if given is None or self.kind == "linear":
            return given
        if self.kind == "logarithm":
            return math.log1p(given)
        return float(self.scaled(np.array([self.shown(self.base) + given]))[0]) - self.base

    def window(self, test: WindowTest) -> WindowDetails:
        """Return a test in the unit of the measure; of a ratio, in shares of the reference."""
        ends = [self._difference(end) for end in sorted((self.sign * test.low, self.sign * test.high))]
        low, high = ends if all(map(math.isfinite, ends)) else (None, None)
        return WindowDetails(
            runs=test.runs,
            difference=self._difference(self.sign * test.difference),
            low=low,
            high=high,
            p_queries=test.p_queries,
            p_runs=test.p_runs,
            rejects=test.rejects,
        )

    def _difference(self, value: float) -> float:
        """Return a difference on this scale in the unit of the measure; infinite where that is too large a factor."""
        if math.isinf(value):
            return value
        if self.kind == "logarithm":
            return math.expm1(value) if value < _FARTHEST else math.inf
        if self.kind == "root":
            return self.shown(self.base + value) - self.shown(self.base)
        return value + 0.0
