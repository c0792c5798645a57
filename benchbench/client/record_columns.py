"""The members of many JSON objects as columns."""

from collections.abc import Mapping, Sequence
from operator import itemgetter
from typing import Any

from benchbench.tables.fields import first
from benchbench.tables.labels import Path, is_passed

_NOTHING = type(None)


class RecordColumns:
    """The members of hits as columns; fast where all hits have the same members."""

    def __init__(self, records: Sequence[dict[str, Any]]) -> None:
        """Take the records, of which there is at least one."""
        self._records = records
        self._columns = _columns(records)
        self._sparse: dict[str, Sequence[Any]] = {}  # members that not all records have
        self._inner: dict[str, RecordColumns] = {}

    def column(self, names: tuple[str, ...]) -> Sequence[Any]:
        """Return the first member of each hit that has one of the names; None where there is none."""
        if self._columns is not None:
            present = [name for name in names if name in self._columns]
            if not present:
                return [None] * len(self._records)
            column = self._columns[present[0]]
            if len(present) == 1 or _is_whole(column):
                return column
        return [first(record, names) for record in self._records]

    def at(self, paths: tuple[Path, ...]) -> Sequence[Any]:
        """Return what `tables.labels.value_at` finds in each hit."""
        values: Sequence[Any] | None = None
        for path in paths:
            column = self._at(path)
            if column is None or (is_passed(path, paths) and (column := _without_objects(column)) is None):
                continue
            if values is None:
                values = column
            elif _is_whole(values):
                break
            else:
                values = [b if a is None else a for a, b in zip(values, column, strict=True)]
        return [None] * len(self._records) if values is None else values

    def _at(self, path: Path) -> Sequence[Any] | None:
        """Return the values at a path, None where no record has any."""
        name = path[0]
        if self._columns is not None and name not in self._columns:
            return None
        if len(path) > 1:
            return self._inside(name)._at(path[1:])
        return self._member(name)

    def _member(self, name: str) -> Sequence[Any]:
        if self._columns is not None:
            return self._columns[name]
        if name not in self._sparse:
            self._sparse[name] = [record.get(name) for record in self._records]
        return self._sparse[name]

    def _inside(self, name: str) -> "RecordColumns":
        """Return the columns of the objects that a member holds, of none for another value."""
        if name not in self._inner:
            values = self._member(name)
            if set(map(type, values)) != {dict}:
                values = [value if type(value) is dict else {} for value in values]
            self._inner[name] = RecordColumns(values)
        return self._inner[name]


def _without_objects(column: Sequence[Any]) -> Sequence[Any] | None:
    """Return a column in which objects count as missing, None where it has nothing else."""
    types = set(map(type, column))
    if types == {dict}:
        return None
    return [None if type(value) is dict else value for value in column] if dict in types else column


def _is_whole(column: Sequence[Any]) -> bool:
    """Say whether nothing is None; a set of types is three times faster than `None in column`."""
    return _NOTHING not in set(map(type, column))


def _columns(records: Sequence[dict[str, Any]]) -> Mapping[str, Sequence[Any]] | None:
    """Return the columns of records that all have the same members, else None."""
    names = list(records[0])
    if set(map(len, records)) != {len(names)}:
        return None
    try:
        return {name: list(map(itemgetter(name), records)) for name in names}
    except KeyError:
        return None
