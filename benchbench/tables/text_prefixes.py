"""How the texts begin that the hits of queries are compared with; looked up where a hit has a text, and not before."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain
from typing import NamedTuple, overload

import numpy as np

from benchbench.kernels.arrays import I64, Bytes
from benchbench.tables.strings import Strings


class Prefixes(NamedTuple):
    """Prefixes as a kernel takes them.

    Prefix `p` is `text[ends[p]:ends[p + 1]]`, UTF-8. Those of query `q` are, for each source `s`, from `offsets[s, q]`
    to before `offsets[s, q + 1]`.
    """

    text: Bytes
    ends: I64
    offsets: I64


class PrefixColumn(NamedTuple):
    """Prefixes of texts of one kind: those of query `q` are `prefixes[offsets[q]:offsets[q + 1]]`, or it has one."""

    prefixes: Sequence[str]
    offsets: I64 | None = None

    def of(self, first: int, last: int) -> slice:
        """Return where those of queries `first` to before `last` are."""
        return slice(first, last) if self.offsets is None else slice(int(self.offsets[first]), int(self.offsets[last]))

    def only(self, first: int, last: int) -> "PrefixColumn":
        """Return the same for some queries, which count from 0."""
        return PrefixColumn(Strings(self.prefixes[self.of(first, last)]), self.places(first, last))

    def places(self, first: int, last: int) -> I64:
        """Return the offsets of some queries, as if theirs were the only prefixes."""
        its = np.arange(first, last + 1) if self.offsets is None else self.offsets[first : last + 1]
        counted: I64 = its - its[0]
        return counted


@dataclass(frozen=True, slots=True)
class TextPrefixes(Sequence[tuple[str, ...]]):
    """The prefixes for some queries: a tuple for each."""

    sources: Sequence[PrefixColumn]
    rows: Sequence[int]  # numbers of the queries

    @staticmethod
    def of(lists: Sequence[tuple[str, ...]]) -> "TextPrefixes":
        """Return those that were given as tuples."""
        offsets = np.cumsum([0, *map(len, lists)], dtype=np.int64)
        return TextPrefixes([PrefixColumn(Strings(chain.from_iterable(lists)), offsets)], range(len(lists)))

    def alone(self) -> "TextPrefixes":
        """Return the same without what other queries are compared with, as another process may have it."""
        if not isinstance(self.rows, range) or self.rows.step != 1:
            return TextPrefixes.of(list(self))
        return TextPrefixes(
            [source.only(self.rows.start, self.rows.stop) for source in self.sources], range(len(self.rows))
        )

    def columns(self) -> Prefixes:
        """Return them as a kernel takes them."""
        if not isinstance(self.rows, range) or self.rows.step != 1:
            return self.alone().columns()
        first, last = self.rows.start, self.rows.stop
        text, ends, offsets = bytearray(), [np.zeros(1, np.int64)], []
        number = 0  # of prefixes
        for source in self.sources:
            strings = source.prefixes if isinstance(source.prefixes, Strings) else Strings(source.prefixes)
            piece, stops = strings.encoded(source.of(first, last))
            ends.append(stops + len(text))
            text += piece
            offsets.append(source.places(first, last) + number)
            number += len(stops)
        return Prefixes(np.frombuffer(text, np.uint8), np.concatenate(ends), np.array(offsets))

    def __len__(self) -> int:
        """Return the number of queries."""
        return len(self.rows)

    @overload
    def __getitem__(self, place: int) -> tuple[str, ...]: ...
    @overload
    def __getitem__(self, place: slice) -> list[tuple[str, ...]]: ...
    def __getitem__(self, place: int | slice) -> tuple[str, ...] | list[tuple[str, ...]]:
        """Return the prefixes for a query, or for several."""
        return list(map(self._of, self.rows[place])) if isinstance(place, slice) else self._of(self.rows[place])

    def _of(self, query: int) -> tuple[str, ...]:
        return tuple(chain.from_iterable(source.prefixes[source.of(query, query + 1)] for source in self.sources))
