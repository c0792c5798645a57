"""The members of many JSON objects as columns."""

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from operator import itemgetter
from typing import Any

from benchbench.tables.fields import first

_NOTHING = type(None)


class RecordColumns:
    """The members of hits as columns; fast where all hits have the same members."""

    def __init__(self, records: Sequence[dict[str, Any]], whole: Callable[[Any], Any] = lambda meta: meta) -> None:
        """Take the records, of which there is at least one; `whole` restores what stands for a `meta`."""
        self._records = records
        self._whole = whole
        self._columns = _columns(records)

    def column(self, names: tuple[str, ...]) -> Sequence[Any]:
        """Return the first member of each hit that has one of the names; None where there is none."""
        if self._columns is not None:
            present = [name for name in names if name in self._columns]
            if not present:
                return [None] * len(self._records)
            column = self._columns[present[0]]
            if len(present) == 1 or is_whole(column):
                return column
        return [first(record, names) for record in self._records]

    def label(self, names: tuple[str, ...]) -> Sequence[Any]:
        """Return one label of each hit, from its top level or from its `meta`."""
        if self._columns is not None and self._columns.keys().isdisjoint(names):
            return self._meta.column(names) if "meta" in self._columns else [None] * len(self._records)
        column = self.column(names)
        if is_whole(column):
            return column
        return [b if a is None else a for a, b in zip(column, self._meta.column(names), strict=True)]

    def only_in_meta(self, *names: str) -> bool:
        """Say whether no record has a member of one of these names itself, and all have a `meta`."""
        return self._columns is not None and self._columns.keys().isdisjoint(names) and "meta" in self._columns

    @cached_property
    def _meta(self) -> "RecordColumns":
        metas = map(self._whole, self.column(("meta",)))
        return RecordColumns([meta if type(meta) is dict else {} for meta in metas])


def is_whole(column: Sequence[Any]) -> bool:
    """Say whether nothing is None; a set of types is three times faster than `None in column`."""
    return _NOTHING not in set(map(type, column))


def is_nothing(column: Sequence[Any]) -> bool:
    """Say whether everything is None."""
    return column[0] is None and column.count(None) == len(column)


def _columns(records: Sequence[dict[str, Any]]) -> Mapping[str, Sequence[Any]] | None:
    """Return the columns of records that all have the same members, else None."""
    names = list(records[0])
    if set(map(len, records)) != {len(names)}:
        return None
    try:
        return {name: list(map(itemgetter(name), records)) for name in names}
    except KeyError:
        return None
