"""Tables in memory that is used again: a function is given one, and nothing of it is left when the function returns.

What reads a table returns a `Borrowed` one. To look at it is `use`, to keep it is `kept`; there is no other way to it,
so that a borrowed table never stands where one that can be kept is wanted.
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
        Makes the table, and returns what a function returns of it.
    """

    def __init__(self, lend: Callable[[Callable[[_Table], Any]], Any]) -> None:
        self._lend = lend

    @classmethod
    def of(cls, make: Callable[[], _Table]) -> "Borrowed[_Table]":
        """Lend what `make` returns."""
        return cls(lambda function: function(make()))

    def use(self, function: Callable[[_Table], _Result]) -> _Result:
        """Return what the function returns of the table, which may be no part of it: neither array nor view."""
        result: _Result = self._lend(function)
        return result

    def then(self, function: Callable[[_Table], _Other]) -> "Borrowed[_Other]":
        """Return what the function makes of the table, as borrowed as that: it may be made in place, and be views."""
        return Borrowed(lambda use: self._lend(lambda table: use(function(table))))

    def kept(self) -> _Table:
        """Return the table in memory of its own."""
        return self.use(lambda table: table.copied())


class Scratch(Generic[_Memory]):
    """Arrays that are lent, given back and lent again; as many as there are borrowers at a time.

    `make` returns a tuple of new arrays with room for so many rows.
    """

    def __init__(self, make: Callable[[int], _Memory]) -> None:
        self._make = make
        self._free: list[tuple[int, _Memory]] = []

    def lent(self, rows: Callable[[], int], fill: Callable[[_Memory], _Table]) -> Borrowed[_Table]:
        """Return a table that is made of views of the arrays, which have room for `rows()` rows.

        Arrays of which the user of the table has kept something are not lent again, so that it stays as it is.

        Warns
        -----
        ResourceWarning
            When the table is used, and something of it is kept.
        """

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
        with suppress(IndexError):  # another thread may have taken the last
            room, memory = self._free.pop()
            if room >= rows:
                return room, memory
        room = rows + rows // 4
        return room, self._make(room)


def _references(memory: tuple[Any, ...]) -> int:
    """Count who holds arrays; a view, and a view of a view, holds the array that has the memory."""
    return getrefcount(memory) + sum(map(getrefcount, memory))
