"""One pass over a collection: of a document, its id, hashes and lengths are kept, and no text."""

from array import array
from collections import defaultdict
from collections.abc import Iterable
from functools import cached_property
from typing import Protocol

import numpy as np

from benchbench.audit.source import Audited
from benchbench.errors import InputError
from benchbench.formats.collection import Document
from benchbench.kernels.arrays import I64, U64, Bools
from benchbench.tables.hashing import NO_HASH, id_hash, text_hash
from benchbench.tables.strings import Strings

_NUMBERS = 1_000  # of lines that cannot be read; more are counted only


class Visitor(Protocol):
    """Sees each document once."""

    def add(self, document: Document, text: int) -> None:
        """Take a document, and the hash of its whole text."""


class TextVisitor:
    """Sees each document and each query by its text."""

    def add(self, document: Document, text: int) -> None:
        """Take a document."""
        self.take("document", document.id, document.whole)

    def take(self, noun: str, identifier: str, text: str) -> None:
        """Take a text of a document or a query."""
        raise NotImplementedError


class Places:
    """Where hashes stand in a column; `NO_HASH` stands nowhere."""

    def __init__(self, hashes: U64) -> None:
        """Sort them."""
        self._order: I64 = np.argsort(hashes, kind="stable")
        self._sorted: U64 = hashes[self._order]

    def first(self, wanted: U64) -> I64:
        """Return the first place of each hash, or -1."""
        if not len(self._sorted):
            return np.full(len(wanted), -1, np.int64)
        at = np.minimum(np.searchsorted(self._sorted, wanted), len(self._sorted) - 1)
        there = (self._sorted[at] == wanted) & (wanted != NO_HASH)
        return np.where(there, self._order[at], -1)

    def every(self, wanted: int) -> list[int]:
        """Return all places of a hash."""
        if wanted == NO_HASH:
            return []
        low, high = (np.searchsorted(self._sorted, np.uint64(wanted), side) for side in ("left", "right"))
        places: list[int] = self._order[low:high].tolist()
        return places

    def repeated(self) -> Bools:
        """Say of each row whether another has its hash."""
        same = (self._sorted[1:] == self._sorted[:-1]) & (self._sorted[1:] != NO_HASH)
        again = np.zeros(len(self._sorted), np.bool_)
        again[1:] |= same
        again[:-1] |= same
        rows = np.empty_like(again)
        rows[self._order] = again
        return rows


class DocumentTable:
    """What is kept of each document: its id, the hashes of id, text and text without its title, and the length."""

    def __init__(self) -> None:
        """Begin without any."""
        self.ids = Strings()
        self.unreadable = 0
        self.unreadable_numbers: list[int] = []
        self._hashes = array("Q")  # of id, whole text, text without title
        self._lengths = array("q")  # characters; 0 of a blank text

    def __len__(self) -> int:
        """Return how many there are."""
        return len(self.ids)

    def add(self, document: Document) -> int:
        """Add one; return the hash of its whole text."""
        body = _hash(document.text)
        whole = _hash(document.whole) if document.title else body
        self.ids.append(document.id)
        self._hashes.extend((id_hash(document.id), whole, body))
        text = document.whole
        self._lengths.append(0 if text.isspace() else len(text))
        return whole

    def skip(self, number: int) -> None:
        """Count what cannot be read."""
        self.unreadable += 1
        if len(self.unreadable_numbers) < _NUMBERS:
            self.unreadable_numbers.append(number)

    def close(self) -> None:
        """Make the columns; nothing is added any more."""
        hashes = np.frombuffer(self._hashes, np.uint64).reshape(-1, 3)
        self.id, self.text, self.body = (hashes[:, column].copy() for column in range(3))
        self.lengths: I64 = np.frombuffer(self._lengths, np.int64)
        del hashes
        self._hashes = array("Q")
        self.by_id, self.by_text = Places(self.id), Places(self.text)
        if np.array_equal(self.body, self.text):  # there are no titles
            self.body, self.by_body = self.text, self.by_text
        else:
            self.by_body = Places(self.body)

    @cached_property
    def copies(self) -> list[list[int]]:
        """The documents with each text that stands under several ids."""
        by_text: dict[int, list[int]] = defaultdict(list)
        for place in np.flatnonzero(self.by_text.repeated()).tolist():
            by_text[int(self.text[place])].append(place)
        groups = (places for _, places in sorted(by_text.items()))
        return [places for places in groups if len(set(self.id[places].tolist())) > 1]  # one id twice is another fault

    def named(self, places: Iterable[int]) -> list[str]:
        """Return the ids of some, in order."""
        return sorted(self.ids[place] for place in places)

    def with_text(self, wanted: int) -> list[int]:
        """Return the documents with a text, with or without their title."""
        places = self.by_text.every(wanted)
        return places if self.by_body is self.by_text else sorted({*places, *self.by_body.every(wanted)})

    def of_text(self, wanted: U64) -> I64:
        """Return a document with each text, or -1."""
        places = self.by_text.first(wanted)
        return np.where(places < 0, self.by_body.first(wanted), places)


def read_documents(data: Audited, visitors: Iterable[Visitor]) -> DocumentTable | None:
    """Show each document of a collection to all visitors, and queries to those of texts; None without a collection.

    Raises
    ------
    InputError
        When it cannot be read.
    """
    table, visitors = DocumentTable(), list(visitors)
    for visitor in visitors:
        if isinstance(visitor, TextVisitor):
            for identifier, text in zip(data.queries.ids, data.queries.texts, strict=True):
                visitor.take("query", identifier, text)
    if data.documents is None:
        return None
    for number, document in data.documents():
        if document is None:
            table.skip(number)
            continue
        digest = table.add(document)
        for visitor in visitors:
            visitor.add(document, digest)
    if not len(table):
        number = table.unreadable
        why = f"has no document that can be read, and {number:,} that cannot" if number else "has no document"
        raise InputError(f"{data.collection} {why}")
    table.close()
    return table


def document_texts(data: Audited) -> Strings:
    """Return the texts of a collection, in the order of its table."""
    return Strings(document.whole for _, document in data.documents() if document) if data.documents else Strings()


def _hash(text: str) -> int:
    """Return the hash of a text; a blank one has none, and neither has one with half a surrogate pair."""
    try:
        return text_hash(text) if text and not text.isspace() else NO_HASH
    except UnicodeEncodeError:
        return NO_HASH
