"""Clients of a search service: ours, the usual loop, and the least work that any client in Python must do."""

import asyncio
import http.client
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from hashlib import md5
from importlib import import_module
from typing import Any, NamedTuple
from urllib.parse import urlsplit

import orjson
from xxhash import xxh3_64_intdigest

from benchbench.client.descriptions import profile
from benchbench.client.messages import PATH
from benchbench.client.search import Search, SearchPlan
from benchbench.client.service import Service
from benchbench.profile.machine import installed
from benchbench.tables.queries import Queries

_JSON = {"Content-Type": "application/json"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Work:
    """Queries to be asked in batches, and where; `body` is what every batch is answered with."""

    url: str
    body: bytes
    queries: Queries
    batch_size: int
    hits: int
    concurrency: int

    def requests(self) -> Iterator[dict[str, Any]]:
        """Yield the message of each batch."""
        texts = self.queries.texts
        for first in range(0, len(texts), self.batch_size):
            yield {"queries": texts[first : first + self.batch_size], "top_k": self.hits}


class Client(NamedTuple):
    """One way to do the work; `ask` returns the number of hits that it has seen."""

    name: str
    version: str | None
    ask: Callable[[Work], int]


def ours() -> Client:
    """Return this engine's client, with all the work of a run: retries, checks, hashes, label codes, columns."""
    return Client("benchbench", installed("benchbench"), lambda work: asyncio.run(_searched(work)))


def peers() -> list[Client]:
    """Return the usual loop, with `requests` where it is installed, and the ceiling of one core."""
    version = installed("requests")
    usual = Client("requests + json + md5", version, _requests)
    standard = Client("http.client + json + md5", None, _standard)
    return [usual if version else standard, Client("no network: orjson + xxh3", installed("orjson"), _parsed)]


async def _searched(work: Work) -> int:
    service = Service(work.url, profile("benchbench"), connections=work.concurrency)
    async with service.transport() as transport:
        plan = SearchPlan(
            profile=service.profile,
            retry=service.retry(),
            top_k=work.hits,
            concurrency=work.concurrency,
            batch_size=work.batch_size,
        )
        search = Search(work.queries, plan, transport)
        seen = 0
        async for batch in search.batches():
            if batch.failure is not None:
                raise OSError(batch.failure)
            seen += len(batch.hits.id)
        return seen


def _requests(work: Work) -> int:
    """Ask one batch after the other, over a connection that is kept."""
    with import_module("requests").Session() as session:
        return sum(digested(session.post(work.url + PATH, json=message).json()) for message in work.requests())


def _standard(work: Work) -> int:
    """Do the same with the standard library."""
    address = urlsplit(work.url)
    assert address.hostname is not None
    connection = http.client.HTTPConnection(address.hostname, address.port)
    seen = 0
    for message in work.requests():
        connection.request("POST", PATH, json.dumps(message).encode(), _JSON)
        seen += digested(json.loads(connection.getresponse().read()))
    connection.close()
    return seen


def digested(answer: Any) -> int:
    """Hash every text with MD5; return the number of hits."""
    for hits in answer["results"]:
        for hit in hits:
            if "text" in hit:
                md5(hit["text"].encode(), usedforsecurity=False).digest()
    return sum(map(len, answer["results"]))


def _parsed(work: Work) -> int:
    """Send no request: parse the answer as often, and hash every text with xxh3, on one core."""
    return sum(parsed_and_hashed(work.body) for _ in work.requests())


def parsed_and_hashed(body: bytes) -> int:
    """Parse an answer and hash every text; return the number of hits."""
    results = orjson.loads(body)["results"]
    for hits in results:
        for hit in hits:
            if "text" in hit:
                xxh3_64_intdigest(hit["text"].encode())
    return sum(map(len, results))
