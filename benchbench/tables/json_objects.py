"""Many objects of JSON in one piece of memory."""

from array import array
from collections.abc import Iterable, Sequence
from typing import Any, overload

import orjson


class JsonObjects(Sequence[dict[str, Any]]):
    """A list of objects that can only grow, as JSON with its ends; one is parsed when it is asked for.

    An object of a few members costs some 500 bytes as a dictionary, and a tenth of that as JSON.
    """

    def __init__(self, objects: Iterable[dict[str, Any]] = ()) -> None:
        """Start with some."""
        self._bytes = bytearray()
        self._ends = array("q", [0])
        for record in objects:
            self.append(record)

    def append(self, record: dict[str, Any]) -> None:
        """Add one that orjson can write."""
        self._bytes += orjson.dumps(record)
        self._ends.append(len(self._bytes))

    def json(self, place: int) -> bytes:
        """Return the JSON of one."""
        return bytes(self._bytes[self._ends[place] : self._ends[place + 1]])

    def __eq__(self, other: object) -> bool:
        """Compare as lists compare."""
        return isinstance(other, JsonObjects | list) and list(self) == list(other)

    def __len__(self) -> int:
        """Return how many there are."""
        return len(self._ends) - 1

    @overload
    def __getitem__(self, place: int) -> dict[str, Any]: ...
    @overload
    def __getitem__(self, place: slice) -> list[dict[str, Any]]: ...
    def __getitem__(self, place: int | slice) -> dict[str, Any] | list[dict[str, Any]]:
        """Return one, or the list of several."""
        places = range(len(self))[place]
        if isinstance(places, range):
            return [orjson.loads(self.json(number)) for number in places]
        whole: dict[str, Any] = orjson.loads(self.json(places))
        return whole
