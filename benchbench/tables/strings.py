"""Many strings in one piece of memory."""

from array import array
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from typing import overload

import numpy as np
import orjson

from benchbench.kernels.arrays import I64, Bytes
from benchbench.kernels.json_strings import write_strings

_ESCAPED, _AROUND = 6, 3  # bytes of JSON for a byte that is escaped, and for quotes and a comma


class Strings(Sequence[str]):
    """A list of strings that can only grow, as UTF-8 with their ends; slices are lists.

    A short string of its own costs some 60 bytes more than its characters, which for the ids, texts and openings of
    a million queries was a third of a gigabyte.
    """

    def __init__(self, strings: Iterable[str] = ()) -> None:
        """Start with some."""
        self._bytes = bytearray()
        self._ends = array("I", [0])  # of 64 bits once there are more than 4 GiB
        for string in strings:
            self.append(string)

    @classmethod
    def of(cls, text: Bytes, ends: I64) -> "Strings":
        """Return those that stand in a text one behind the other, as UTF-8."""
        made = cls()
        made._bytes += text.tobytes()
        made._ends = array("q", ends.astype(np.int64).tobytes())
        made._ends.insert(0, 0)
        return made

    def encoded(self, places: slice) -> tuple[bytearray, I64]:
        """Return consecutive ones as UTF-8, one behind the other, and where each ends there."""
        ends = np.array(self._ends[places.start : places.stop + 1], np.int64)
        return self._bytes[ends[0] : ends[-1]], ends[1:] - ends[0]

    def some(self, places: slice) -> "Strings":
        """Return consecutive ones."""
        made = Strings()
        made._bytes, ends = self.encoded(places)
        made._ends.frombytes(ends.astype(made._ends.typecode).tobytes())
        return made

    def json(self) -> bytes | None:
        """Return them as one JSON list; None where one has half a surrogate pair, which JSON in UTF-8 cannot have."""
        written = np.empty(_ESCAPED * len(self._bytes) + _AROUND * len(self) + 2, np.uint8)
        size = write_strings(np.frombuffer(self._bytes, np.uint8), np.array(self._ends[1:], np.int64), written)
        return written[: int(size)].tobytes() if size else None

    def append(self, string: str) -> None:
        """Add one."""
        self._bytes += string.encode(errors="surrogatepass")
        try:
            self._ends.append(len(self._bytes))
        except OverflowError:
            self._ends = array("q", self._ends)
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


class JsonStrings(Sequence[str]):
    """Strings that stand in a JSON list, which is read when the first of them is looked at: many never are."""

    def __init__(self, written: bytes, size: int) -> None:
        """Take the JSON of so many strings."""
        self._written, self._size = written, size

    @cached_property
    def _strings(self) -> list[str]:
        strings: list[str] = orjson.loads(self._written)
        return strings

    def __reduce__(self) -> tuple[type, tuple[bytes, int]]:
        """Leave a process as JSON."""
        return JsonStrings, (self._written, self._size)

    def __eq__(self, other: object) -> bool:
        """Compare as lists compare."""
        return isinstance(other, JsonStrings | list) and self._strings == list(other)

    def __iter__(self) -> Iterator[str]:
        """Iterate over them."""
        return iter(self._strings)

    def __len__(self) -> int:
        """Return how many there are."""
        return self._size

    @overload
    def __getitem__(self, place: int) -> str: ...
    @overload
    def __getitem__(self, place: slice) -> list[str]: ...
    def __getitem__(self, place: int | slice) -> str | list[str]:
        """Return one, or the list of several."""
        return self._strings[place]


_FEWEST = 1 << 10  # slots
_HALF, _LOW = 32, (1 << 32) - 1


class StringIndex:
    """Finds strings in a list of different ones that grows: 16 to 32 bytes each, where a dictionary takes 150.

    An open-addressing table. A slot has 0, or the place of a string from 1, and before it the upper half of its hash.
    """

    def __init__(self, strings: Strings) -> None:
        """Begin with an empty list."""
        self._strings = strings
        self._slots = array("Q", bytes(8 * _FEWEST))

    def find(self, string: str) -> int:
        """Return the place of a string, -1 where it is not in the list."""
        return (self._slots[self._slot(string)] & _LOW) - 1

    def append(self, string: str) -> None:
        """Add a string that is not in the list."""
        slot = self._slot(string)
        self._strings.append(string)
        self._slots[slot] = (hash(string) >> _HALF & _LOW) << _HALF | len(self._strings)
        if 2 * len(self._strings) > len(self._slots):
            self._grow()

    def _slot(self, string: str) -> int:
        """Return the slot that has a string, or may have it."""
        slots, half = self._slots, hash(string) >> _HALF & _LOW
        slot, last = half, len(slots) - 1
        while entry := slots[slot := slot & last]:
            if entry >> _HALF == half and self._strings[(entry & _LOW) - 1] == string:
                break
            slot += 1
        return slot

    def _grow(self) -> None:
        before, self._slots = self._slots, array("Q", bytes(16 * len(self._slots)))
        slots, last = self._slots, len(self._slots) - 1
        for entry in before:
            if entry:
                slot = entry >> _HALF & last
                while slots[slot]:
                    slot = slot + 1 & last
                slots[slot] = entry
