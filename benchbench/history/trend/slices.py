"""Slices of a trend made of values per query, where the records have none of a column."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from benchbench.errors import InputError
from benchbench.history.entry import Entry
from benchbench.history.numbers import StoredNumber

if TYPE_CHECKING:
    from benchbench.history.store import Store
    from benchbench.history.values import Values


def slices_of_values(
    history: "Store", chosen: Sequence[Entry], by: str, numbers: Sequence[StoredNumber], measures: Sequence[str]
) -> tuple[list[StoredNumber], int]:
    """Return the means of measures per slice of the queries as numbers, and how many runs lack them.

    A query without a value is in no mean; one without a label is in no slice.
    """
    from benchbench.history.slice_means import parts_of

    whole: dict[str, StoredNumber] = {}
    for number in numbers:
        if number.slice is None:
            whole.setdefault(number.measure, number)
    means, lacking = list[StoredNumber](), 0
    for entry in chosen:
        values = _values(history, entry)
        if values is None or by not in values.columns.columns:
            lacking += 1
            continue
        there = [name for name in measures if name in values.values.columns]
        means += [
            whole[name]._replace(
                run=entry.number, slice=f"{by}={part.value}", value=part.means[name], low=None, high=None, stderr=None,
                n=part.queries,
            )
            for part in parts_of(values, there, by)
            for name in there
        ]  # fmt: skip
    return means, lacking


def columns_of(history: "Store", chosen: Sequence[Entry]) -> list[str]:
    """Return the columns that a breakdown can go by: of the slices of records, and of the queries of the last run."""
    slices = (slice_ for _, slice_ in history.rows(chosen, members=("run", "slice")) if slice_ is not None)
    found = dict.fromkeys(slice_.partition("=")[0] for slice_ in slices)
    last = next((values for entry in reversed(chosen) if (values := _values(history, entry)) is not None), None)
    return list(found | dict.fromkeys([] if last is None else last.columns.columns))


def _values(history: "Store", entry: Entry) -> "Values | None":
    """Return the values per query of a run; None where it has none, or their file is gone."""
    try:
        return history.values(entry) if entry.values else None
    except InputError:
        return None
