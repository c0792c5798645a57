"""What queries got: their texts, the documents that each system returned, and those that were relevant."""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Document:
    """A document of a query: retrieved, or judged relevant."""

    id: str
    grade: float | None  # None: never judged
    relevant: bool
    rank: int | None = None  # from 1; None where it was not retrieved
    score: float | None = None
    text: str | None = None  # None where no collection is at hand


@dataclass(frozen=True, slots=True)
class Evidence:
    """One query: what was asked, what each system returned, and what was relevant."""

    number: int  # of the query in `comparison.paired`
    text: str | None
    hits: Mapping[str, tuple[Document, ...]]  # by system, by rank
    relevant: tuple[Document, ...]  # best grade first
