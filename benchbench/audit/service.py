"""A service is asked: a sample of the queries twice, and documents of the collection by their own texts."""

import heapq
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain

import numpy as np

from benchbench.audit.audit_settings import AuditSettings
from benchbench.audit.source import Audited
from benchbench.client.garbage import rare_collections
from benchbench.client.search import BatchClient, BatchRequest, SearchPlan
from benchbench.client.service import Service
from benchbench.client.sync import all_of
from benchbench.formats.collection import Document
from benchbench.kernels.arrays import I64
from benchbench.tables.hashing import NO_HASH
from benchbench.tables.hits import Hits
from benchbench.tables.labels import NO_LABELS, Vocabulary
from benchbench.tables.qrels_runs import Rankings
from benchbench.tables.text_prefixes import TextPrefixes

_LONGEST = 2_000  # characters of a document that is asked for
_ANY = ("",)  # how texts begin that are hashed whole: in any way


class KnownItems:
    """Keeps so many documents to ask for: those whose texts have the smallest hashes, whatever their order."""

    def __init__(self, limit: int) -> None:
        """Begin without any."""
        self._limit = limit
        self._heap: list[tuple[int, str, str]] = []  # of hash, negated; id; text

    def add(self, document: Document, text: int) -> None:
        """Take a document."""
        full = len(self._heap) == self._limit
        if text == NO_HASH or (full and text >= -self._heap[0][0]) or -text in {kept for kept, _, _ in self._heap}:
            return
        entry = (-text, document.id, document.whole[:_LONGEST])
        if full:
            heapq.heapreplace(self._heap, entry)
        else:
            heapq.heappush(self._heap, entry)

    def items(self) -> list[tuple[str, int, str]]:
        """Return ids, hashes and beginnings of the texts, by id."""
        return sorted((identifier, -negated, text) for negated, identifier, text in self._heap)


@dataclass
class Answers:
    """What a service answered to some queries, in their order."""

    hits: Hits
    failed: list[str | None] = field(default_factory=list)  # of each query why it has no answer

    @property
    def offsets(self) -> I64:
        """Where the hits of each query begin, and where those of the last one end."""
        return self.hits.offsets

    def rankings(self) -> Rankings:
        """Return the hits, a group per query."""
        nothing = np.empty(0, np.uint64)
        return Rankings(nothing, self.offsets, self.hits.id, np.empty(0, np.bool_), nothing, 0)

    def lists(self) -> Iterator[tuple[int, slice]]:
        """Yield the number of each query that was answered, and where its hits are."""
        ends = self.offsets.tolist()
        for number, why in enumerate(self.failed):
            if why is None:
                yield number, slice(ends[number], ends[number + 1])


@dataclass(frozen=True, kw_only=True)
class ServiceAnswers:
    """What was asked, and what came."""

    shown: str  # URL without a secret
    queries: list[str]  # ids
    first: Answers
    again: Answers
    items: list[tuple[str, int, str]]
    known: Answers

    @property
    def asked(self) -> tuple[tuple[bool, list[str], Answers], ...]:
        """Whether queries were asked, their ids and the answers: to the queries, and to documents by their texts."""
        return (True, self.queries, self.first), (False, [identifier for identifier, _, _ in self.items], self.known)


async def ask(data: Audited, items: KnownItems, service: Service, settings: AuditSettings) -> ServiceAnswers:
    """Ask a sample of queries twice, and documents by their own texts.

    Raises
    ------
    UnreachableError
        When nothing answers.
    """
    chosen = sorted(range(len(data.queries)), key=lambda q: (int(data.queries.text[q]), data.queries.ids[q]))
    chosen = sorted(chosen[: settings.limit], key=lambda q: data.queries.ids[q])
    size = settings.batch_of(service)
    texts, documents = [data.queries.texts[q] for q in chosen], items.items()
    async with service.transport() as transport:
        plan = SearchPlan(
            profile=service.profile, retry=service.retry(), top_k=settings.top_k, concurrency=settings.concurrency
        )
        client = BatchClient(plan, transport, Vocabulary(), NO_LABELS)
        with rare_collections():
            first = await _answers(client, texts, size)
            again = await _answers(client, texts, size)
            known = await _answers(client, [text for _, _, text in documents], size)
        ids = [data.queries.ids[q] for q in chosen]
        return ServiceAnswers(
            shown=transport.shown, queries=ids, first=first, again=again, items=documents, known=known
        )


async def _answers(client: BatchClient, texts: Sequence[str], size: int) -> Answers:
    batches = [(first, list(texts[first : first + size])) for first in range(0, len(texts), size)]
    results = await all_of(
        client.send(BatchRequest(first, batch, TextPrefixes.of([_ANY] * len(batch)))) for first, batch in batches
    )
    return Answers(
        Hits.joined([result.hits for result in results]),
        list(chain.from_iterable([result.failure] * result.count for result in results)),
    )
