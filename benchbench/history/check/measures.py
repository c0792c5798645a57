"""Which measures a check judges: those that were asked for, else the few that lead."""

from collections.abc import Collection, Mapping, Sequence
from typing import Literal, NamedTuple

from benchbench.errors import InputError
from benchbench.history.check.run_values import NAME, NAMES, UNIT
from benchbench.history.entry import StoredNumber
from benchbench.history.measure_names import MOST_LEADING, leading_measures
from benchbench.measures.gates import named
from benchbench.measures.notation import better as better_of
from benchbench.measures.notation import task_and_measures
from benchbench.results.gates import Condition
from benchbench.results.record import Better
from benchbench.tables.shared_messages import not_among

TAIL = "p99"  # judged beside the median
_SUBJECTS = 3  # whose latency a check judges by itself: targets, or steps of a load test


class NotJudgedError(InputError):
    """A series has nothing that was asked for, or nothing that can be judged."""


class Judged(NamedTuple):
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


def measures_of(
    there: Sequence[str], numbers: Mapping[str, StoredNumber], latencies: Mapping[str, str]
) -> dict[str, Judged]:
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
    found = {}
    for name in dict.fromkeys([*(one for one in numbers if one in there), *there]):
        number = numbers.get(name)
        direction = (number and number.better) or better_of(_parts(name)[1])
        if direction is not None:
            found[name] = Judged(name, number.unit if number else "", direction)
    found |= {name: Judged(name, UNIT, "lower", subject, "block") for name, subject in latencies.items()}
    others = {name: Judged(name, of.unit, of.better, per="run") for name, of in numbers.items() if of.better}
    return found | {name: one for name, one in others.items() if name not in found}


def chosen(wanted: Sequence[str], there: Mapping[str, Judged], without_direction: Collection[str]) -> list[Judged]:
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
        per_query = [one.name for one in there.values() if one.per == "query"]
        leads = leading_ones(per_query) or per_query
        return [*(there[name] for name in leads[:MOST_LEADING]), *_latencies(there)]
    found = {}
    for text in wanted:
        one = there[_meant(text, there, without_direction)]
        found[one.name] = one
    return list(found.values())


def _meant(text: str, there: Mapping[str, Judged], without_direction: Collection[str]) -> str:
    """Return the name of the measure that a text means."""
    if text in there:
        return text
    front, _, last = text.rpartition(".")
    name = f"{front}.{NAME}".lstrip(".") if last in NAMES else named(text)[0]
    if name in without_direction:
        raise NotJudgedError(f"{name} has no direction in which it becomes better, so that nothing can be worse")
    if last in NAMES and name not in there:
        of_steps = [one for one in there if one.endswith(f".{NAME}")] if not front else []
        if len(of_steps) == 1:
            return of_steps[0]
        if of_steps:
            raise NotJudgedError(f"{text} is measured several times; name one of {', '.join(of_steps)}")
        raise NotJudgedError(f"{not_among(text, 'measured', list(there))}; latency needs the time of each request")
    try:
        return Condition("", name, "<", 0.0, "").among(list(there), final=True)
    except InputError as problem:
        raise NotJudgedError(f"--measure {text}: {problem}") from None


def _latencies(there: Mapping[str, Judged]) -> list[Judged]:
    """Return median and tail of the latencies that requests have, of the first subjects."""
    medians = [one for one in there.values() if one.per == "block"][:_SUBJECTS]
    names = [name for one in medians for name in (one.name, f"{one.name.removesuffix(NAME)}{TAIL}")]
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
        front, found = task_and_measures(rest)
        if found and not front:
            return ".".join(words[:first]), rest
    return "", ""
