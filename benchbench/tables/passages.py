"""Passages per query: the gold ones that answer it, or those that a system retrieved, best first."""

import re
from dataclasses import KW_ONLY, dataclass, field
from typing import NamedTuple

_PLACE = re.compile(r"(.+)#(\d{1,15})-(\d{1,15})", re.DOTALL)


class Place(NamedTuple):
    """A part of a file: characters `start` up to and without `end`; as a text, `file#start-end`."""

    file: str
    start: int
    end: int

    def __str__(self) -> str:
        return f"{self.file}#{self.start}-{self.end}"

    @classmethod
    def parse(cls, text: str) -> "Place | None":
        """Return the place that a text names; None for any other text."""
        match = _PLACE.fullmatch(text)
        return cls(match[1], int(match[2]), int(match[3])) if match else None


class Passage(NamedTuple):
    """A text, and where it stands if that is known."""

    text: str
    place: Place | None = None


@dataclass(frozen=True, slots=True)
class Passages:
    """The passages of each query, in the order of a file."""

    name: str  # of the file, as errors and notes call it
    by_query: dict[str, list[Passage]]
    _: KW_ONLY
    repeated: int = 0  # entries whose query an earlier entry had
    digest: str = field(default="", compare=False)  # of the file's bytes
    skipped_lines: int = 0  # of the data set of a run, which was told to skip bad ones
    clusters: dict[str, str] = field(default_factory=dict)  # which queries belong together, where that was asked for

    @property
    def are_placed(self) -> bool:
        """Whether there are passages and each says where it is."""
        places = [passage.place for passages in self.by_query.values() for passage in passages]
        return bool(places) and None not in places
