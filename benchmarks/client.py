"""Client throughput: our client beside a sequential loop and beside what no client in Python can do without.

usage: python benchmarks/client.py [--requests 200] [--rounds 5] [--collection FILE --encoding NAME]

nginx with one worker (where it is on PATH; otherwise the canned service of `benchbench profile client`, and the
table says so) gives every request the same answer: 32 queries x 20 hits, with texts and labels, or ids and scores.
Each client has one process. aiohttp alone shows what the network costs, with the same requests in flight as ours:
bodies read and dropped, then parsed, then every text hashed. The service shares the machine's cores with us.
"""

import argparse
import asyncio
import sys
from collections.abc import Callable
from pathlib import Path

import aiohttp
import nginx
import orjson

from benchbench.client.messages import PATH
from benchbench.formats.collection import read_collection
from benchbench.formats.datasets.locate import locate
from benchbench.formats.tiered import read_tiered
from benchbench.profile import canned
from benchbench.profile.client import Workload, measure
from benchbench.profile.clients import Client, Work, ours, parsed_and_hashed, peers
from benchbench.profile.machine import installed
from benchbench.report.draw import draw


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
            await asyncio.gather(*(ask() for _ in range(work.concurrency)))
        return seen

    return Client(name, installed("aiohttp"), lambda work: asyncio.run(main(work)))


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--requests", type=int, default=200)
    arguments.add_argument("--rounds", type=int, default=5)
    arguments.add_argument("--concurrency", type=int, default=4)
    arguments.add_argument("--collection", type=Path)
    arguments.add_argument("--encoding")
    options = arguments.parse_args()
    data = locate("synthetic-cases")
    collection = options.collection or data.collection
    clients = [
        ours(),
        *peers(),
        bare("aiohttp: read and dropped", lambda body: None),
        bare("aiohttp + orjson", lambda body: sum(map(len, orjson.loads(body)["results"]))),
        bare("aiohttp + orjson + xxh3", parsed_and_hashed),
    ]
    version = nginx.version()
    if version is None:
        print("nginx is not on PATH: a small server of our own answers", file=sys.stderr)
    served = (f"nginx {version}, one worker", nginx.serving) if version else ("a canned service", canned.serving)
    profile = measure(
        Workload(options.requests * 32, 32, 20, options.concurrency),
        read_tiered(data.queries.path),
        read_collection(collection, options.encoding),
        clients,
        options.rounds,
        served=served,
    )
    print(draw(profile, "markdown"), end="")


if __name__ == "__main__":
    main()
