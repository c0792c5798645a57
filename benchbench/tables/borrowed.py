"""Tables in memory that is used again: a function is given one, and it is gone when the function returns.

What reads a table returns it `Borrowed`: to look at it is `use`, to have it is `kept`. There is no other way to it, so
that it never stands where a table is wanted that stays as it is.
"""

import warnings
from collections.abc import Callable
from contextlib import suppress
from sys import getrefcount
from typing import Any, Generic, Protocol, Self, TypeVar

_Result = TypeVar("_Result")


class _Copyable(Protocol):
    def copied(self) -> Self: ...


_Table = TypeVar("_Table", bound=_Copyable)
_Other = TypeVar("_Other", bound=_Copyable)
_Memory = TypeVar("_Memory", bound=tuple[Any, ...])


class Borrowed(Generic[_Table]):
    """A table that is there while a function uses it.

    It is made when it is used, by any thread and any number of times; uses at the same time do not share memory.

    Parameters
    ----------
    lend
        Makes the table, and returns what a function returns that is given it.
    """

    def __init__(self, lend: Callable[[Callable[[_Table], Any]], Any]) -> None:
        self._lend = lend

    @classmethod
    def of(cls, make: Callable[[], _Table]) -> "Borrowed[_Table]":
        """Lend what `make` returns, in memory that is not used again."""
        return cls(lambda function: function(make()))

    def use(self, function: Callable[[_Table], _Result]) -> _Result:
        """Return what a function returns that is given the table, and keeps nothing of it: neither array nor view.

        Warns
        -----
        ResourceWarning
            Something was kept of memory that is used again. It stays as it is: that memory is not used again.
        """
        result: _Result = self._lend(function)
        return result

    def then(self, function: Callable[[_Table], _Other]) -> "Borrowed[_Other]":
        """Return the table that a function makes of this one, which may be views of it or made in its place."""
        return Borrowed(lambda use: self._lend(lambda table: use(function(table))))

    def kept(self) -> _Table:
        """Return the table in memory of its own."""
        return self.use(lambda table: table.copied())


class ArrayPool(Generic[_Memory]):
    """Arrays that are lent, given back and lent again; as many as there are uses at a time.

    `make` returns a tuple of new arrays with room for so many rows.
    """

    def __init__(self, make: Callable[[int], _Memory]) -> None:
        self._make = make
        self._free: list[tuple[int, _Memory]] = []

    def lent(self, rows: Callable[[], int], fill: Callable[[_Memory], _Table]) -> Borrowed[_Table]:
        """Return the table that `fill` makes of arrays with room for `rows()` rows."""

        def lend(use: Callable[[_Table], _Result]) -> _Result:
            room, memory = self._take(rows())
            before = _references(memory)
            result = use(fill(memory))
            if _references(memory) == before:
                self._free.append((room, memory))
            else:
                warnings.warn("borrowed memory was kept; what may be kept is what `kept` returns", ResourceWarning, 3)
            return result

        return Borrowed(lend)

    def _take(self, rows: int) -> tuple[int, _Memory]:
        with suppress(IndexError):  # other threads may have taken all
            room, memory = self._free.pop()
            if room >= rows:
                return room, memory
        room = rows + rows // 4
        return room, self._make(room)


def _references(memory: tuple[Any, ...]) -> int:
    """Return how often arrays are held; a view, or a view of a view, holds the array that has the memory."""
    return getrefcount(memory) + sum(map(getrefcount, memory))
