"""What an index holds, and what it finds."""

import time
from collections.abc import Awaitable, Callable, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypedDict

from benchbench.client.document_pages import Index, Page, PageRequest
from benchbench.client.index import listed
from benchbench.client.sync import run_sync
from benchbench.errors import InputError
from benchbench.results.result import Result

if TYPE_CHECKING:
    from benchbench.results.record import Record

Opened = AbstractAsyncContextManager[Index]

LEGAL_QUERIES = (  # what a search over the Civil Procedure Rules and the court guides must find something for
    "Part 36 offers",
    "summary judgment",
    "default judgment",
    "disclosure Commercial Court",
    "costs budgeting",
    "trial bundle",
    "witness statements",
    "permission to appeal",
    "small claims track",
    "bundling documents Patents Court",
)


@dataclass(frozen=True, slots=True)
class Looked:
    """A page of an index, and where it is from."""

    shown: str
    page: Page


class Probe(TypedDict):
    """A query of a test, how many hits it has, and the names of the best."""

    query: str
    total: int
    documents: list[str]


@dataclass(frozen=True, slots=True)
class ProbesDetails:
    """What JSON has beside the record."""

    index: str
    queries: list[Probe]


@dataclass(frozen=True, repr=False)
class Probes(Result):
    """What the queries of a test found."""

    kind = "index"

    index: str
    queries: list[Probe]
    top: int
    began: float  # seconds since 1970

    @property
    def nothing(self) -> list[str]:
        """Return the queries that find nothing."""
        return [one["query"] for one in self.queries if not one["total"]]

    def to_record(self) -> "Record":
        """Return the record; a gate of its own fails where a query finds nothing."""
        from benchbench.index.record import probes_record

        return probes_record(self)

    def details(self) -> ProbesDetails:
        """Return what JSON has beside the record."""
        return ProbesDetails(self.index, self.queries)


def documents(index: Opened, category: str | None = None, limit: int | None = None, text: bool = False) -> Looked:
    """Return the first documents of an index, all without a limit; of a category, where one is named.

    Raises
    ------
    InputError, UnreachableError
        As `client.index.RemoteIndex.page` does.
    """
    return _looked(index, lambda opened: listed(opened, PageRequest(None, category, text=text), limit))


def categories(index: Opened) -> Looked:
    """Return how many documents each category has."""
    return _looked(index, lambda opened: opened.page(PageRequest(top=0, text=False, categories=True)))


def search(index: Opened, query: str, category: str | None = None, top: int = 5) -> Looked:
    """Return the best documents of a query."""
    if not query.strip():
        raise InputError("the query is empty; `benchbench index list` shows all documents")
    return _looked(index, lambda opened: listed(opened, PageRequest(query, category), top))


def probe(index: Opened, queries: Sequence[str] = LEGAL_QUERIES, top: int = 3) -> Probes:
    """Return what each query finds."""
    began = time.time()

    async def probes() -> Probes:
        async with index as opened:
            pages = [(one, await opened.page(PageRequest(one, top=top))) for one in queries]
            found: list[Probe] = [
                {"query": query, "total": page.total, "documents": [one.called for one in page.documents]}
                for query, page in pages
            ]
            return Probes(opened.shown, found, top, began)

    return run_sync(probes())


def _looked(index: Opened, ask: Callable[[Index], Awaitable[Page]]) -> Looked:
    async def look() -> Looked:
        async with index as opened:
            return Looked(opened.shown, await ask(opened))

    return run_sync(look())
