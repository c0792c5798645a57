"""Client overhead: our client against a server that answers from memory, beside the bare parsing loop.

usage: python benchmarks/client.py [--requests 300] [--rounds 5] [--collection FILE --encoding NAME]

The answer has 32 queries x 20 hits, with texts and labels, or with ids, scores and labels only. The bare loop
is `orjson.loads` + xxh3 of every text over the same bytes on one core, with no network: what a client in
Python cannot do without, unless it need not hash. Our figure includes the network, the retries' bookkeeping,
label codes and columns. The server runs in a process of its own, and shares the machine's cores with us.
"""

import argparse
import asyncio
import contextlib
import multiprocessing
import socket
import threading
from multiprocessing.connection import Connection
from pathlib import Path

import orjson
from machine import describe, in_turn
from xxhash import xxh3_64_intdigest

from benchbench.client.profiles import PROFILES
from benchbench.client.retry import Retry
from benchbench.client.search import Search
from benchbench.client.transport import Transport
from benchbench.formats.card import locate
from benchbench.formats.collection import read_collection
from benchbench.formats.tiered import read_tiered
from benchbench.tables.queries import Queries

QUERIES, DEPTH = 32, 20


def _answer(connection: socket.socket, answer: bytes) -> None:
    """Answer every POST on a connection with the same bytes."""
    with contextlib.suppress(ConnectionError), connection, connection.makefile("rb") as requests:
        while requests.readline():
            length = 0
            while (line := requests.readline().strip().lower()) != b"":
                if line.startswith(b"content-length:"):
                    length = int(line.split(b":")[1])
            requests.read(length)
            connection.sendall(answer)


def _serve(body: bytes, port: Connection) -> None:
    head = f"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n".encode()
    with socket.create_server(("127.0.0.1", 0)) as server:
        port.send(server.getsockname()[1])
        while True:
            threading.Thread(target=_answer, args=(server.accept()[0], head + body), daemon=True).start()


def answers(collection: Path, encoding: str | None) -> dict[str, bytes]:
    """Return the two answers over real documents."""
    documents = read_collection(collection, encoding)
    hits = [
        {"id": documents.ids[i % len(documents)], "score": 99.5 - i % 20, "text": documents.texts[i % len(documents)]}
        | {"meta": documents.meta[i % len(documents)]}
        for i in range(0, 7 * QUERIES * DEPTH, 7)
    ]
    lists = [hits[q * DEPTH : (q + 1) * DEPTH] for q in range(QUERIES)]
    lean = [[{name: hit[name] for name in ("id", "score", "meta")} for hit in one] for one in lists]
    return {"with texts": orjson.dumps({"results": lists}), "without texts": orjson.dumps({"results": lean})}


def bare(body: bytes, requests: int) -> None:
    for _ in range(requests):
        for one in orjson.loads(body)["results"]:
            for hit in one:
                if "text" in hit:
                    xxh3_64_intdigest(hit["text"].encode())


def ours(url: str, queries: Queries, requests: int, concurrency: int) -> None:
    async def main() -> None:
        profile = PROFILES["benchbench"]
        async with Transport(url, profile.path, concurrency, 60, 256 << 20) as transport:
            done = 0
            while done < requests:
                search = Search(queries, profile, transport, Retry(0), QUERIES, DEPTH, concurrency)
                async for batch in search.batches():
                    assert batch.failure is None, batch.failure
                    done += 1
                    if done == requests:
                        return

    asyncio.run(main())


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--requests", type=int, default=300)
    arguments.add_argument("--rounds", type=int, default=5)
    arguments.add_argument("--concurrency", type=int, default=4)
    arguments.add_argument("--collection", type=Path)
    arguments.add_argument("--encoding")
    options = arguments.parse_args()
    data = locate("synthetic-cases")
    queries = read_tiered(data.queries)
    size = len(queries) // QUERIES * QUERIES  # whole batches only: the canned answer has 32 lists
    queries = read_tiered(data.queries) if size == len(queries) else _first(queries, size)
    assert data.collection is not None

    print(describe("aiohttp", "orjson", "xxhash"))
    print(f"{options.requests} requests, concurrency {options.concurrency}, median of {options.rounds} in turn\n")
    print("| answer | bytes | bare loop, requests/s | benchbench, requests/s | queries/s | share |")
    print("|---|---:|---:|---:|---:|---:|")
    for name, body in answers(options.collection or data.collection, options.encoding).items():
        here, there = multiprocessing.Pipe()
        server = multiprocessing.Process(target=_serve, args=(body, there), daemon=True)
        server.start()
        url = f"http://127.0.0.1:{here.recv()}"
        ours(url, queries, 20, options.concurrency)
        seconds = in_turn(
            options.rounds,
            bare=lambda body=body: bare(body, options.requests),  # type: ignore[misc]
            ours=lambda url=url: ours(url, queries, options.requests, options.concurrency),  # type: ignore[misc]
        )
        server.terminate()
        loop, client = (options.requests / seconds[side] for side in ("bare", "ours"))
        print(
            f"| {name} | {len(body):,} | {loop:,.0f} | {client:,.0f} | {client * QUERIES:,.0f} | {client / loop:.2f} |"
        )


def _first(queries: Queries, size: int) -> Queries:
    from dataclasses import replace

    return replace(queries, ids=queries.ids[:size], texts=queries.texts[:size])


if __name__ == "__main__":
    main()
