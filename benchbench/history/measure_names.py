"""What measures are called in the history, as gates name them, and which are shown: those named, or the first.

Lists, summaries and comparisons of two runs begin with the first measures. Trends draw, and checks judge, what leads in
each part of a result.
"""

import json
import re
from collections.abc import Collection, Iterable, Mapping, Sequence

from benchbench.errors import InputError
from benchbench.history.entry import StoredNumber
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
MOST_LEADING = 6  # measures of a result that lead
_OF_PART = 3  # of a part whose measures are none of rankings, and none of which stands for all
_FOR_ALL = ("overall", "p50", "queries_per_second")  # of numbers that are no measures of rankings


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
    measures = {
        measure_of(number)
        for number in numbers
        if slice_of(number) is None and named_in(number) == column and (not subject or subject in subjects_of(number))
    }
    return measures.pop() if len(measures) == 1 else f"{subject}.{column}".lstrip(".")


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
    measures: dict[str, None] = {}
    for text in wanted:
        if text == ALL:
            measures |= dict.fromkeys(names)
            continue
        measures[_named(text, names)] = None
    return list(measures)


def _named(text: str, names: Collection[str]) -> str:
    """Return the name that a text means: as gates do, or the end of one name only."""
    if not names:
        raise InputError(f"{text} is not stored: the runs have no numbers")
    kind, name = kind_and_name(text)
    ending = [known for known in names if known.endswith(f".{name}") and kind_and_name(known)[0] == kind]
    try:
        return Condition(kind, name, "<", 0.0, "").among(names, final=True)
    except InputError:
        if len(ending) == 1:
            return ending[0]
        if ending:
            raise InputError(f"{text} is stored several times; name one of {', '.join(ending)}") from None
        raise InputError(not_among(text, "stored", names)) from None


def leading(numbers: Iterable[StoredNumber], most: int) -> list[str]:
    """Return the measures that stand for the others where none is named.

    Parameters
    ----------
    numbers
        Of a run, in the order of its record.
    most
        How many at most.

    Returns
    -------
    list of str
        Of the gold task, where there is one, and of none; none of a difference; those with a better
        side where there are such; those with a value first, and of these the usual ones.
    """
    whole = [number for number in numbers if number.slice is None and not _OF_PAIR.search(number.measure)]
    sided = [number for number in whole if number.better is not None] or whole
    tasks = {number.measure: json.loads(number.scope).get(_TASK) for number in sided}
    has_gold = GOLD in tasks.values()
    measures = [measure for measure, task in tasks.items() if not has_gold or task in (GOLD, None)]
    known = {number.measure for number in sided if number.value is not None}
    return sorted(measures, key=lambda measure: (measure not in known, _place(measure)))[:most]


def _place(measure: str) -> int:
    """Return how early a measure comes; those that are not usual keep their order."""
    return next(
        (place for place, usual in enumerate(_USUAL) if measure == usual or measure.endswith(f".{usual}")), len(_USUAL)
    )


def leading_measures(named_parts: Iterable[tuple[str, str, str]]) -> list[str]:
    """Return what leads in each part of a result: a target, a task, a step.

    Parameters
    ----------
    named_parts
        Of each measure its name, the part that it is of, and its name without that; in the order of the result.

    Returns
    -------
    list of str
        Of each part nDCG at the deepest rank, or the first measure of rankings; where there is none, the number that
        stands for all, else the first three. As many as there are: callers cut at `MOST_LEADING`, and say so.
    """
    parts: dict[str, dict[str, str]] = {}
    for name, part, its_name in named_parts:
        parts.setdefault(part, {}).setdefault(its_name, name)
    return list(dict.fromkeys(names[measure] for names in parts.values() for measure in _of_part(list(names))))


def _of_part(names: Sequence[str]) -> Sequence[str]:
    from benchbench.measures import default_list  # late: a list of runs needs no catalog of measures
    from benchbench.measures.notation import task_and_measures

    ranked = [name for name in names if task_and_measures(name)[1] and not task_and_measures(name)[0]]
    if ranked:
        return [default_list.leading(ranked)]
    for_all = [name for name in _FOR_ALL if name in names]
    return for_all[:1] or names[:_OF_PART]


def leading_of_run(numbers: Sequence[StoredNumber]) -> list[str]:
    """Return what leads in each scope, of numbers over all; those with no direction where a scope has no others."""
    directed = {number.scope for number in numbers if number.better is not None}
    return leading_measures(
        (number.measure, number.scope, bare(number.measure, scope_of(number.scope)))
        for number in numbers
        if number.better is not None or number.scope not in directed
    )


def scope_of(text: str) -> dict[str, str]:
    """Return the scope of a number of the store, without its slice."""
    return {str(name): str(value) for name, value in json.loads(text).items() if name != _SLICE}


def bare(measure: str, scope: Mapping[str, str]) -> str:
    """Return a measure without its scope: subjects stand in front, then the task."""
    front = [value for name, value in scope.items() if name != _TASK]
    front += [scope[_TASK]] if _TASK in scope else []
    return measure.removeprefix("".join(f"{value}." for value in front))
