"""Throughput of a judge: a run of ours beside what a client in Python can do at best, and beside OpenAI's own.

usage: python benchmarks/judge.py [--requests 10000] [--concurrency 64] [--delay 0.02] [--rounds 5]

It prints Markdown. An endpoint in a process of its own answers every request with the same verdict after the delay;
its protocol is bare asyncio, and it looks at no request. Each client runs in a process of its own, several times in
turn. The ideal time is that of an endpoint and a client that take no time at all: requests / concurrency * delay.

`sockets` is asyncio with nothing above it, one write and one read per request: what the machine can do. `aiohttp` posts
a body that is made once, and parses what comes. `session` is our own client: it makes each body, keeps limits, reads
the answer, looks for secrets in it. `run` is a run of the judge: prompts are made, verdicts checked, counted and paid
for; `run, stored` stores each in a new cache, too. `openai` is the SDK at its best: asynchronous, one client for all,
over aiohttp where `httpx_aiohttp` is installed, no retries. All send bodies of the same size.
"""

import argparse
import asyncio
import importlib.util
import json
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack
from pathlib import Path
from urllib.parse import urlsplit

import aiohttp
import orjson
from machine import describe, installed

from benchbench.answers.judges.prompt import Item, prompt
from benchbench.answers.judges.rubric import rubric
from benchbench.chat.model import ChatModel
from benchbench.chat.prices import Price
from benchbench.judging.asking import judged
from benchbench.judging.judge_settings import JudgeSettings

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))
import chat_server

RUBRIC = rubric("relevance", "en")
VERDICT = orjson.dumps(chat_server.valid(RUBRIC.schema, 2, "The notice is in writing. " * 5)).decode()
DOCUMENT = "The tenant must give notice in writing. " * 30
CLIENTS = ("sockets", "aiohttp", "session", "run", "run, stored", "openai")
NAMES = {"openai": f"openai {installed('openai')}", "aiohttp": f"aiohttp {installed('aiohttp')}"}


def item(number: int) -> Item:
    fields = {"question": f"question {number // 10}?", "document": f"{DOCUMENT}{number}"}
    return Item(f"q{number // 10}\td{number}", fields)


ASKED = prompt(RUBRIC, item(0))
One = Callable[[], Awaitable[object]]


async def spread(one: One, requests: int, concurrency: int) -> None:
    """Make so many requests, by as many workers as may be under way."""
    left = iter(range(requests))

    async def work() -> None:
        for _ in left:
            await one()

    await asyncio.gather(*(work() for _ in range(concurrency)))


class Socket(asyncio.Protocol):
    """One connection, on which an answer is one block of bytes."""

    answer: "asyncio.Future[bytes]"
    transport: asyncio.Transport

    def connection_made(self, transport: asyncio.BaseTransport) -> None:  # noqa: D102  # as asyncio has it
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport

    def data_received(self, data: bytes) -> None:  # noqa: D102  # as asyncio has it
        self.answer.set_result(data)


async def sockets(stack: AsyncExitStack, url: str, body: bytes, concurrency: int) -> One:
    loop, address = asyncio.get_running_loop(), urlsplit(url)
    head = f"POST /v1/chat/completions HTTP/1.1\r\nHost: h\r\nContent-Length: {len(body)}\r\n\r\n".encode()
    free = []
    for _ in range(concurrency):
        transport, protocol = await loop.create_connection(Socket, address.hostname, address.port)
        stack.callback(transport.close)
        free.append(protocol)

    async def one() -> None:
        protocol = free.pop()
        protocol.answer = loop.create_future()
        protocol.transport.write(head + body)
        orjson.loads((await protocol.answer).partition(b"\r\n\r\n")[2])
        free.append(protocol)

    return one


async def bare(stack: AsyncExitStack, url: str, body: bytes, concurrency: int) -> One:
    connector = aiohttp.TCPConnector(limit=concurrency)
    headers = {"Content-Type": "application/json"}
    session = await stack.enter_async_context(aiohttp.ClientSession(connector=connector, headers=headers))

    async def one() -> None:
        async with session.post(f"{url}/chat/completions", data=body) as answer:
            orjson.loads(await answer.read())

    return one


async def ours(stack: AsyncExitStack, url: str, body: bytes, concurrency: int) -> One:
    session = await stack.enter_async_context(ChatModel("m", url, concurrency=concurrency).session())
    return lambda: session.ask(ASKED.system, ASKED.user, ASKED.schema, ASKED.name)


async def sdk(stack: AsyncExitStack, url: str, body: bytes, concurrency: int) -> One:
    import openai

    made = openai.DefaultAioHttpClient if importlib.util.find_spec("httpx_aiohttp") else openai.DefaultAsyncHttpxClient
    client = openai.AsyncOpenAI(base_url=url, api_key="none", max_retries=0, http_client=made())
    await stack.enter_async_context(client)
    request = orjson.loads(body)
    return lambda: client.chat.completions.create(**request)


def run(url: str, requests: int, concurrency: int, cache: Path | None) -> None:
    model = ChatModel("m", url, concurrency=concurrency)
    settings = JudgeSettings(RUBRIC, model, Price(1, 1, "", "invented"), repeat=1, cache=cache)
    spent, _ = judged(settings, map(item, range(requests)))
    assert (spent.verdicts, spent.failed) == (requests, 0)


def measured(client: str, url: str, requests: int, concurrency: int) -> dict[str, float]:
    """Return seconds, seconds of CPU, and the most memory of this process."""
    body = ChatModel("m", url).dialect().body(ASKED.system, ASKED.user, ASKED.schema, ASKED.name)

    async def asked() -> tuple[float, float]:
        made = {"sockets": sockets, "aiohttp": bare, "session": ours, "openai": sdk}[client]
        async with AsyncExitStack() as stack:
            one = await made(stack, url, body, concurrency)
            started, worked = time.perf_counter(), time.process_time()
            await spread(one, requests, concurrency)
            return time.perf_counter() - started, time.process_time() - worked

    with tempfile.TemporaryDirectory() as folder:
        if client.startswith("run"):
            started, worked = time.perf_counter(), time.process_time()
            run(url, requests, concurrency, Path(folder) / "cache.sqlite" if "stored" in client else None)
            seconds, cpu = time.perf_counter() - started, time.process_time() - worked
        else:
            seconds, cpu = asyncio.run(asked())
    return {"seconds": seconds, "cpu": cpu, "peak": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024}


def child(client: str, url: str, requests: int, concurrency: int) -> dict[str, float]:
    line = [sys.executable, __file__, "--client", client, "--url", url]
    line += ["--requests", str(requests), "--concurrency", str(concurrency)]
    found: dict[str, float] = json.loads(subprocess.run(line, check=True, capture_output=True, text=True).stdout)
    return found


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--requests", type=int, default=10_000)
    parser.add_argument("--concurrency", type=int, default=64)
    parser.add_argument("--delay", type=float, default=0.02, help="Seconds that the endpoint takes.")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--client", choices=CLIENTS, help="Measure one client at --url, and print JSON.")
    parser.add_argument("--url")
    given = parser.parse_args()
    if given.client:
        print(json.dumps(measured(given.client, given.url, given.requests, given.concurrency)))
        return
    clients = [client for client in CLIENTS if client != "openai" or importlib.util.find_spec("openai")]
    ideal = given.requests / given.concurrency * given.delay
    with chat_server.process("says", "--text", VERDICT, "--delay", str(given.delay), "--bare") as server:
        rounds = [
            {client: child(client, server.url, given.requests, given.concurrency) for client in clients}
            for _ in range(given.rounds)
        ]
        few = {client: child(client, server.url, given.requests // 5, given.concurrency) for client in clients}
    print(f"{describe()}\n")
    print(
        f"{given.requests:,} verdicts, {given.concurrency} under way at once, an endpoint of {1e3 * given.delay:g} ms; "
        f"ideal: {ideal:.2f} s. Medians of {given.rounds} rounds.\n"
    )
    print(f"| client | s | of the ideal time | CPU per verdict | memory, {given.requests // 5:,} and all |")
    print("|---|---|---|---|---|")
    for client in clients:
        seconds, cpu, peak = (
            statistics.median(one[client][name] for one in rounds) for name in ("seconds", "cpu", "peak")
        )
        print(
            f"| {NAMES.get(client, client)} | {seconds:.2f} | {seconds / ideal:.2f} | "
            f"{1e6 * cpu / given.requests:.0f} µs | {few[client]['peak']:.0f} and {peak:.0f} MiB |"
        )


if __name__ == "__main__":
    main()
