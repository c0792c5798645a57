"""Many strings in one piece of memory."""

from array import array
from collections.abc import Iterable, Iterator, Sequence
from typing import overload

import numpy as np

from benchbench.kernels.arrays import I64, Bytes


class Strings(Sequence[str]):
    """A list of strings that can only grow, as UTF-8 with their ends; slices are lists.

    A short string of its own costs some 60 bytes more than its characters, which for the ids, texts and openings of
    a million queries was a third of a gigabyte.
    """

    def __init__(self, strings: Iterable[str] = ()) -> None:
        """Start with some."""
        self._bytes = bytearray()
        self._ends = array("q", [0])
        for string in strings:
            self.append(string)

    @classmethod
    def of(cls, text: Bytes, ends: I64) -> "Strings":
        """Return those that stand in a text one behind the other, as UTF-8."""
        made = cls()
        made._bytes += text.tobytes()
        made._ends.frombytes(ends.astype(np.int64).tobytes())
        return made

    def encoded(self, places: slice) -> tuple[bytearray, I64]:
        """Return consecutive ones as UTF-8, one behind the other, and where each ends there."""
        ends = np.array(self._ends[places.start : places.stop + 1], np.int64)
        return self._bytes[ends[0] : ends[-1]], ends[1:] - ends[0]

    def append(self, string: str) -> None:
        """Add one."""
        self._bytes += string.encode(errors="surrogatepass")
        self._ends.append(len(self._bytes))

    def __eq__(self, other: object) -> bool:
        """Compare as lists compare."""
        return isinstance(other, Strings | list) and list(self) == list(other)

    def __iter__(self) -> Iterator[str]:
        """Iterate over them."""
        return (self[place] for place in range(len(self)))

    def __len__(self) -> int:
        """Return how many there are."""
        return len(self._ends) - 1

    @overload
    def __getitem__(self, place: int) -> str: ...
    @overload
    def __getitem__(self, place: slice) -> list[str]: ...
    def __getitem__(self, place: int | slice) -> str | list[str]:
        """Return one, or the list of several."""
        text, ends = self._bytes, self._ends
        if isinstance(place, int) and place >= 0:  # at once, for each hit of a service is one
            return text[ends[place] : ends[place + 1]].decode("utf-8", "surrogatepass")
        places = range(len(self))[place]
        if isinstance(places, range):
            return [text[ends[number] : ends[number + 1]].decode(errors="surrogatepass") for number in places]
        return text[ends[places] : ends[places + 1]].decode(errors="surrogatepass")
