"""The embedded service in this process, for tests to which a process of its own says nothing."""

import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence

import pytest
import services
from aiohttp import web

from benchbench import experiment, load_test
from benchbench.cli import data_sets, serve
from benchbench.formats.collection import read_collection
from benchbench.formats.datasets.locate import located, served_part
from benchbench.retrieval.bm25_options import BM25Options
from benchbench.serve import app
from benchbench.serve.child import Started

HOST = "127.0.0.1"


def in_this_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let runs and load tests serve collections in the event loop of their client; equal texts have one index."""
    monkeypatch.setattr(app, "BM25", services.index_of)
    for module in (experiment, load_test):
        monkeypatch.setattr(module, "child_service", _service)


@contextlib.asynccontextmanager
async def _service(
    collection: Sequence[str], encoding: str | None, options: BM25Options
) -> AsyncIterator[Callable[[], Awaitable[Started]]]:
    """Stand in for `benchbench.serve.child.child_service`."""

    async def ready() -> Started:
        service = _of(tuple(collection), encoding, options)
        runner = web.AppRunner(service.application(HOST), access_log=None)
        await runner.setup()
        stack.push_async_callback(runner.cleanup)
        await web.TCPSite(runner, HOST, 0).start()
        return Started(f"http://{HOST}:{runner.addresses[0][1]}", service.about)

    async with contextlib.AsyncExitStack() as stack:
        yield ready


def _of(collection: tuple[str, ...], encoding: str | None, options: BM25Options) -> app.SearchService:
    given = serve.command.make_context("serve", list(collection)).params
    source = given["source"]
    part = located(data_sets.named(given)).served() if source is None else served_part(str(source))
    return app.SearchService(read_collection(part, encoding), options)
