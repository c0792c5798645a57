"""Listings and searches of an index, and the gate that a test or a validation of one always has."""

import time
from collections.abc import Awaitable, Callable, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from typing import TypedDict

from benchbench.client.document_pages import Index, Page, PageRequest
from benchbench.client.sync import run_sync
from benchbench.errors import InputError
from benchbench.index.remote_index import listed
from benchbench.results.environment import environment
from benchbench.results.record import Data, GateResult, Number, Record, Subject, record, settings_of
from benchbench.results.result import Result

Opened = AbstractAsyncContextManager[Index]

LIBRARIES = ("msgspec", "orjson")
PROBES_NUMBERS = ("without_hits", "without_hits_rate")
LEGAL_QUERIES = (  # must find something in the Civil Procedure Rules and the court guides
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
    """A page of an index, and the name of the index."""

    shown: str
    page: Page


class Probe(TypedDict):
    """A query of a test, how many hits it has, and the names of the best."""

    query: str
    total: int
    documents: list[str]


@dataclass(frozen=True, slots=True)
class ProbesDetails:
    """The members of its JSON."""

    index: str
    queries: list[Probe]


@dataclass(frozen=True, repr=False)
class Probes(Result):
    """The hits of the queries of a test."""

    kind = "index"

    index: str
    queries: list[Probe]
    top: int
    began: float  # seconds since 1970

    @property
    def nothing(self) -> list[str]:
        """Return the queries that find nothing."""
        return [row["query"] for row in self.queries if not row["total"]]

    def to_record(self) -> Record:
        """Return the record; its own gate fails when a query finds nothing."""
        queries, nothing = len(self.queries), self.nothing
        sentence = f"{len(nothing):,} of {queries:,} queries find nothing in {self.index}: {', '.join(nothing)}"
        return record(
            "index",
            self.began,
            name=self.index,
            subject=[Subject(name=self.index, source=self.index)],
            data=Data(make="queries", queries=queries),
            settings=settings_of({"index": self.index, "top_k": self.top}),
            environment=environment(LIBRARIES),
            numbers=[
                Number(name="without_hits", value=float(len(nothing)), n=queries, better="lower"),
                Number(name="without_hits_rate", value=len(nothing) / queries, n=queries, better="lower"),
            ],
            gates=[own_gate("without_hits", len(nothing), sentence)],
        )

    def details(self) -> ProbesDetails:
        """Return the members of its JSON."""
        return ProbesDetails(self.index, self.queries)


def documents(index: Opened, category: str | None = None, limit: int | None = None, text: bool = False) -> Looked:
    """Return the first documents of an index, or of a category; all without a limit.

    Raises
    ------
    InputError, UnreachableError
        As `index.remote_index.RemoteIndex.page` does.
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
    """Return the hits of each query."""
    began = time.time()

    async def probes() -> Probes:
        async with index as opened:
            pages = [(query, await opened.page(PageRequest(query, top=top))) for query in queries]
            rows: list[Probe] = [
                {"query": query, "total": page.total, "documents": [document.called for document in page.documents]}
                for query, page in pages
            ]
            return Probes(opened.shown, rows, top, began)

    return run_sync(probes())


def _looked(index: Opened, ask: Callable[[Index], Awaitable[Page]]) -> Looked:
    async def look() -> Looked:
        async with index as opened:
            return Looked(opened.shown, await ask(opened))

    return run_sync(look())


def own_gate(name: str, value: int, failed: str) -> GateResult:
    """Return the result of the gate that a command always has: the number must not be above 0."""
    condition = f"{name}>0"
    return GateResult(
        condition=condition,
        verdict="failed" if value else "passed",
        said=failed if value else f"{condition} passed with 0",
        name=name,
        value=float(value),
        bound=0.0,
    )
