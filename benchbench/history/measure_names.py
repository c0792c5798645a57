"""What measures are called in the history, as gates name them, and which are shown: those named, or the first."""

import json
import re
from collections.abc import Collection, Iterable, Sequence

from benchbench.errors import InputError
from benchbench.results.gates import GOLD, Condition, kind_and_name
from benchbench.results.record import Number
from benchbench.tables.shared_messages import not_among

_SLICE, _TASK = "slice", "task"
ALL = "all"
_OF_PAIR = re.compile(r"(?:^|\.)(?:Δ|p|p_\w+|changed|found|lost|need|design_effect|worst|best|spread) ")  # differences
_USUAL = (  # shown before others
    *("nDCG@10", "R@10", "RR@10", "P@10", "Success@10", "F1@10", "nDCG", "AP", "RR"),
    *("p50", "p99", "queries_per_second"),
)
LEADING = ("measure", "scope", "slice", "better")


def measure_of(number: Number) -> str:
    """Return the measure of a number: `gold.nDCG@10`, `old.gold.nDCG@10` of the target `old`; without its slice."""
    return ".".join([*subjects_of(number), named_in(number)])


def subjects_of(number: Number) -> list[str]:
    """Return the values of its scope besides task and slice, in their order: target, step, run, …"""
    return [value for name, value in number.scope.items() if name not in (_SLICE, _TASK)]


def named_in(number: Number) -> str:
    """Return the name with the task in front, as columns of tables have it."""
    return f"{number.scope[_TASK]}.{number.name}" if _TASK in number.scope else number.name


def slice_of(number: Number) -> str | None:
    """Return the slice that it is of, `column=value`; None for a number over all."""
    return number.scope.get(_SLICE)


def column_measure(numbers: Iterable[Number], subject: str, column: str) -> str:
    """Return the measure that a column of values per query has the values of.

    Parameters
    ----------
    numbers
        Of the record.
    subject
        The target or run whose values they are; empty where there is one only.
    column
        Its name.

    Returns
    -------
    str
        That of the one number that it may be; where there is none, or several, subject and column.
    """
    found = {
        measure_of(one)
        for one in numbers
        if slice_of(one) is None and named_in(one) == column and (not subject or subject in subjects_of(one))
    }
    return found.pop() if len(found) == 1 else f"{subject}.{column}".lstrip(".")


def named(wanted: Sequence[str], names: Collection[str]) -> list[str]:
    """Return the measures that texts name, each once, in their order.

    Parameters
    ----------
    wanted
        As gates name them: `gold.nDCG@10`, or `nDCG@10` of the gold task or the only one that ends so; `all`
        for all.
    names
        Those that there are, in the order of the records.

    Raises
    ------
    InputError
        With what there is, for one that is none of them or could be several.
    """
    found: dict[str, None] = {}
    for text in wanted:
        if text == ALL:
            found |= dict.fromkeys(names)
            continue
        found[_named(text, names)] = None
    return list(found)


def _named(text: str, names: Collection[str]) -> str:
    """Return the name that a text means: as gates do, or the end of one name only."""
    if not names:
        raise InputError(f"{text} is not stored: the runs have no numbers")
    kind, name = kind_and_name(text)
    ending = [one for one in names if one.endswith(f".{name}") and kind_and_name(one)[0] == kind]
    try:
        return Condition(kind, name, "<", 0.0, "").among(names, final=True)
    except InputError:
        if len(ending) == 1:
            return ending[0]
        if ending:
            raise InputError(f"{text} is stored several times; name one of {', '.join(ending)}") from None
        raise InputError(not_among(text, "stored", names)) from None


def leading(rows: Iterable[tuple[str, str, str | None, str | None]], most: int) -> list[str]:
    """Return the measures that stand for the others where none is named.

    Parameters
    ----------
    rows
        Numbers of a run, in the order of its record: `LEADING`.
    most
        How many at most.

    Returns
    -------
    list of str
        Of the gold task, where there is one, and of none; none of a difference; those with a better
        side where there are such; the usual ones first.
    """
    whole = [
        (measure, scope, better)
        for measure, scope, part, better in rows
        if part is None and not _OF_PAIR.search(measure)
    ]
    sided = [one for one in whole if one[2] is not None] or whole
    tasks = {measure: json.loads(scope).get("task") for measure, scope, _ in sided}
    has_gold = GOLD in tasks.values()
    found = [measure for measure, task in tasks.items() if not has_gold or task in (GOLD, None)]
    return sorted(found, key=_place)[:most]


def _place(measure: str) -> int:
    """Return how early a measure comes; those that are not usual keep their order."""
    return next(
        (place for place, one in enumerate(_USUAL) if measure == one or measure.endswith(f".{one}")), len(_USUAL)
    )
