"""What the numbers of records are called in the history: as gates name them, with their scopes in front."""

from collections.abc import Iterable

from benchbench.results.record import Number

_SLICE, _TASK = "slice", "task"


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
