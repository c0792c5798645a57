"""Client throughput: our client beside a sequential loop and beside what no client in Python can do without.

usage: python benchmarks/client.py [--requests 200] [--rounds 5] [--collection FILE --encoding NAME]

It prints Markdown: the clients, the stages of ours ("Where a microsecond goes" in docs/protocol.md), and what comes of
both: how many times as long as ours each client takes at its best, by the clock and in CPU of its process (the least of
the rounds, which other work on the machine changes least), the CPU of a batch to judged values, and how late the event
loop runs.

nginx with one worker (where it is on PATH; otherwise the canned service of `benchbench profile client`, and the
table says so) gives every request the same answer: 32 queries x 20 hits, with texts and labels, with ids and scores, or
with hashes and labels, as our own protocol asks for. The service shares the machine's cores with us.

What counts: each client has one process, and keeps its connections. Ours does all that it does in a run, the labels of
the data set's tasks included. The sequential loop and the loop without a network are as people write them. Both stand
there at their best, too: `requests` that does not look at the environment for each request, and a collector of cycles
that is as rare as in ours, which halves what objects cost. aiohttp alone shows what the network costs, at its best: as
many requests in flight as ours, a read buffer of 1 MB, the rare collector; bodies read and dropped, then parsed, then
every text hashed. Peers that parse hash texts and look at no label. No client judges; the last table has that. As all
answers are alike, they are in the processor's cache for every client.
"""

import argparse
import asyncio
import json
import math
import statistics
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import aiohttp
import nginx
import orjson

from benchbench.client.descriptions import profile
from benchbench.client.garbage import rare_collections
from benchbench.client.health import Health
from benchbench.client.messages import PATH
from benchbench.client.search import Search, SearchPlan
from benchbench.client.service import Service
from benchbench.formats.collection import read_collection
from benchbench.formats.datasets.locate import locate
from benchbench.profile import canned
from benchbench.profile.canned_answers import answers
from benchbench.profile.client import ClientProfile, ClientWorkload, measure, repeated_judging
from benchbench.profile.clients import Client, Work, digested, ours, parsed_and_hashed, peers
from benchbench.profile.machine import installed
from benchbench.profile.stages import JUDGE, PARSED, SUM, TRANSPORT
from benchbench.report.draw import draw
from benchbench.runs.run_settings import CHUNK
from benchbench.tables.collection import Collection
from benchbench.tables.hits import Hits
from benchbench.tasks.criteria import Criteria
from benchbench.tasks.judging import Judging, judging_of

BATCH, HITS = 32, 20
LONG = 831_000  # bytes of an answer with which the event loop is watched …
LOOKS = 1_000  # … until it was looked at so often; and requests of one pass, of which the start is a small part


def bare(name: str, read: Callable[[bytes], int | None]) -> Client:
    """Return aiohttp by itself; `read` returns the hits of a body, None where it does not look."""

    async def main(work: Work) -> int:
        messages, seen = work.requests(), 0

        async def ask() -> None:
            nonlocal seen
            for message in messages:
                async with session.post(work.url + PATH, data=orjson.dumps(message), headers=headers) as response:
                    found = read(await response.read())
                seen += len(message["queries"]) * work.hits if found is None else found

        headers = {"Content-Type": "application/json"}
        async with aiohttp.ClientSession(read_bufsize=1 << 20) as session:
            with rare_collections():
                await asyncio.gather(*(ask() for _ in range(work.concurrency)))
        return seen

    return Client(name, installed("aiohttp"), lambda work: asyncio.run(main(work)))


def at_their_best() -> list[Client]:
    """Return the sequential loop and the loop without a network with the settings that suit them best."""

    def parsed(work: Work) -> int:
        with rare_collections():
            return sum(parsed_and_hashed(work.body) for _ in work.requests())

    def asked(work: Work) -> int:
        import requests

        with rare_collections(), requests.Session() as session:
            session.trust_env = False
            return sum(
                digested(json.loads(session.post(work.url + PATH, json=message).content)) for message in work.requests()
            )

    version = installed("requests")
    return [
        *([Client("requests + json + md5, at its best", version, asked)] if version else []),
        Client("no network: orjson + xxh3, at its best", installed("orjson"), parsed),
    ]


async def judged(work: Work, judging: Judging | None, health: Health) -> None:
    """Ask for everything once, and judge chunks of batches in a thread, as a run does; None judges nothing."""

    def judge(judging: Judging, first: int, parts: Sequence[Hits]) -> None:
        judging.judge(first, Hits.joined(parts))

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
        async with health.watching():
            first, parts = 0, list[Hits]()
            async for batch in search.batches():
                if batch.failure is not None:
                    raise OSError(batch.failure)
                parts.append(batch.hits)
                done = batch.first + batch.count
                if judging is not None and (done - first >= CHUNK or done == len(work.queries)):
                    await asyncio.to_thread(judge, judging, first, parts)
                    first, parts = done, []


def cpu_per_hit(work: Work, judging: Judging, rounds: int) -> float:
    """Return the µs of this process's CPU per hit, from requests to judged values; a median."""
    seconds = []
    for _ in range(rounds + 1):
        began = time.process_time()
        asyncio.run(judged(work, judging, Health()))
        seconds.append(time.process_time() - began)
    return 1e6 * statistics.median(seconds[1:]) / (len(work.queries) * work.hits)


def lag(work: Work, judging: Judging | None) -> float:
    """Return how many ms late the event loop was in the worst hundredth of the looks at it."""
    health = Health()
    while health.figures()["looks"] < LOOKS:
        asyncio.run(judged(work, judging, health))
    return health.figures()["lag_p99_ms"]


def lengthened(documents: Collection, size: int, without_texts: int) -> Collection:
    """Return documents with texts so long that an answer of some size has about `LONG` bytes."""
    times = max(1.0, (LONG - without_texts) / (size - without_texts))
    texts = [(text * math.ceil(times))[: int(times * len(text))] for text in documents.texts]
    return Collection(documents.ids, texts, documents.meta)


class MeasuredCpu:
    """The CPU of a client's process in each round; rounds with fewer requests, which come first, are not counted."""

    def __init__(self, client: Client) -> None:
        self.client = client._replace(ask=self._ask)
        self._client, self._rounds = client, dict[bytes, list[tuple[int, float]]]()

    def _ask(self, work: Work) -> int:
        began = time.process_time()
        hits = self._client.ask(work)
        self._rounds.setdefault(work.body, []).append((len(work.queries), time.process_time() - began))
        return hits

    def least(self, body: bytes) -> float:
        """Return the seconds of the round that took least, of all that were answered with a body."""
        rounds = self._rounds[body]
        most = max(queries for queries, _ in rounds)
        return min(seconds for queries, seconds in rounds if queries == most)


def ratio(profile: ClientProfile, answer: str, client: str, cpu: float) -> str:
    """Return how many times as long as ours another client took."""
    (row,) = (row for row in profile.rows if (row.answer, row.client) == (answer, client))
    return "-" if row.ratio is None else f"{row.ratio:.2f} times as long, {cpu:.2f} times the CPU"


def decoding(profile: ClientProfile, answer: str) -> str:
    """Return how long an answer takes from its body to columns, and how many times as long as `orjson.loads`."""
    times = {row.stage: row.us_per_answer for row in profile.stages if row.answer == answer}
    took = times[SUM] - times[TRANSPORT] - times[JUDGE]
    return f"{took:,.0f} µs, {took / times[PARSED]:.2f} times as long"


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--requests", type=int, default=200)
    arguments.add_argument("--rounds", type=int, default=5)
    arguments.add_argument("--concurrency", type=int, default=4)
    arguments.add_argument("--collection", type=Path)
    arguments.add_argument("--encoding")
    options = arguments.parse_args()
    data = locate("synthetic-cases")
    documents = read_collection(options.collection or data.collection, options.encoding)
    judging = judging_of(Criteria(), data)
    best = [
        *at_their_best(),
        bare("aiohttp: read and dropped", lambda body: None),
        bare("aiohttp + orjson", lambda body: sum(map(len, orjson.loads(body)["results"]))),
        bare("aiohttp + orjson + xxh3", parsed_and_hashed),
    ]
    us, *others = map(MeasuredCpu, (ours(), *best))
    clients = [us.client, *peers(), *(other.client for other in others)]
    version = nginx.version()
    if version is None:
        print("nginx is not on PATH: a small server of our own answers", file=sys.stderr)
    served = (f"nginx {version}, one worker", nginx.serving) if version else ("a canned service", canned.serving)
    workload = ClientWorkload(options.requests * BATCH, BATCH, HITS, options.concurrency)
    profile = measure(workload, judging, documents, clients, options.rounds, served=served)
    print(draw(profile, "markdown"))
    found = profile.measured
    bodies = answers(documents, BATCH, HITS)
    texts, _, hashes = bodies
    rows = [
        *(
            (
                f"{answer}, {other.client.name}",
                ratio(found, answer, other.client.name, other.least(body) / us.least(body)),
            )
            for answer, body in bodies.items()
            for other in others
        ),
        *((f"{answer}, body to columns, beside `orjson.loads` alone", decoding(found, answer)) for answer in bodies),
    ]

    def asked(url: str, body: bytes, times: int) -> tuple[Work, Judging]:
        many = repeated_judging(judging, times * BATCH)
        return Work(
            url=url, body=body, queries=many.queries, batch_size=BATCH, hits=HITS, concurrency=options.concurrency
        ), many

    for answer, body in bodies.items():
        with served[1](body) as url:
            spent = cpu_per_hit(*asked(url, body, options.requests), options.rounds)
        rows.append((f"{answer}, CPU from the request to judged values", f"{spent:.2f} µs per hit"))
    body = answers(lengthened(documents, len(bodies[texts]), len(bodies[hashes])), BATCH, HITS)[texts]
    with served[1](body) as url:
        work, many = asked(url, body, LOOKS)
        late = {"event loop lag p99": lag(work, None), "the same while chunks are judged in a thread": lag(work, many)}
    rows += [(f"{texts} of {len(body) / 1e3:,.0f} kB, {what}", f"{ms:.1f} ms") for what, ms in late.items()]
    print("| what | figure |\n| --- | ---: |")
    for row in rows:
        print(f"| {' | '.join(row)} |")


if __name__ == "__main__":
    main()
