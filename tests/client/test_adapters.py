"""The adapter of docs/examples against a real PostgreSQL."""

import asyncio
import contextlib
import json
import os
import runpy
import shutil
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.request import Request, urlopen

import data_sets
import numpy as np
import polars as pl
import postgresql
import pytest
import services
from aiohttp import web
from aiohttp.test_utils import TestClient, TestServer
from command_line import said
from legal_labels import SCHEMA
from numpy.typing import NDArray

from benchbench.client.decode import decode
from benchbench.client.descriptions import profile
from benchbench.client.service import Service
from benchbench.formats.collection import read_collection
from benchbench.tables.collection import Collection
from benchbench.tables.hashing import text_hash
from benchbench.tables.hits import Hits
from benchbench.tables.labels import Vocabulary

EXAMPLES = Path(__file__).resolve().parents[2] / "docs" / "examples"


DOCUMENTS = [
    {"_id": "c1", "text": "He stole a bicycle from the yard.", "meta": {"accusation": ["theft"]}},
    {"_id": "c2", "text": 'She forged a signature; "it\\\'s mine", she said.', "meta": {"accusation": ["forgery"]}},
    {"_id": "c3", "text": "Two bicycles were stolen,\tthen sold.\nBoth were found.", "meta": {}},
]


@pytest.fixture
def database(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Run a server that every client in this process finds."""
    pytest.importorskip("psycopg", reason="needs psycopg, the database's client for Python")
    with postgresql.server() as server:
        for name, value in server.environment.items():
            monkeypatch.setenv(name, value)
        yield


@pytest.mark.slow  # a database
def test_postgresql_is_measured_through_the_adapter_of_the_page(database: None, tmp_path: Path):
    collection = tmp_path / "collection.jsonl"
    collection.write_text("".join(json.dumps(document) + "\n" for document in DOCUMENTS))
    loaded = ["psql", "-q", "-v", "ON_ERROR_STOP=1", "-v", f"collection={collection}"]
    subprocess.run([*loaded, "-f", str(EXAMPLES / "postgres_schema.sql")], check=True, capture_output=True)
    example = runpy.run_path(str(EXAMPLES / "postgres_service.py"))

    async def ask() -> bytes:
        runner = web.AppRunner(example["application"](connections=2))
        await runner.setup()
        try:
            await web.TCPSite(runner, "127.0.0.1", 0).start()
            service = Service(f"http://127.0.0.1:{runner.addresses[0][1]}", profile("benchbench"))
            async with service.transport() as transport:
                queries = ["stolen bicycle & 'yard'", "nothing of the kind", "the signature was forged"]
                attempt, body = await transport.post(service.profile.payload(queries, 5))
        finally:
            await runner.cleanup()
        assert attempt.error is None, attempt.error
        return body

    labels = Vocabulary()
    hits: Hits = decode(asyncio.run(ask()), [("He", "She", "Two")] * 3, labels, SCHEMA)
    assert (hits.counts.tolist(), hits.ids) == ([2, 0, 1], ["c1", "c3", "c2"])
    assert hits.text.tolist() == [text_hash(DOCUMENTS[number]["text"]) for number in (0, 2, 1)]
    assert labels.sets() == [frozenset({"theft"}), frozenset({"forgery"})]
    assert hits.score[0] > hits.score[1]
    assert hits.faults == {}


@pytest.mark.parametrize("name", ["postgres_service", "chroma_service"])
def test_the_services_of_the_pages_do_not_answer_under_the_name_of_a_web_page(name: str):
    pytest.importorskip("psycopg", reason="needs psycopg, the database's client for Python")
    application = web.Application(middlewares=[runpy.run_path(str(EXAMPLES / f"{name}.py"))["asked_by_own_name"]])

    async def answer(request: web.Request) -> web.Response:
        return web.Response()

    application.router.add_get("/", answer)

    async def statuses() -> list[int]:
        async with TestClient(TestServer(application)) as client:
            return [(await client.get("/", headers={"Host": host})).status for host in ("evil.example", "localhost:1")]

    assert asyncio.run(statuses()) == [421, 200]


# The adapter of docs/examples with vectors, against a real Chroma server

ROOT = Path(__file__).resolve().parents[2]


CHROMA_EXAMPLES = ROOT / "docs" / "examples"


DATA = ROOT / "datasets" / "synthetic-cases"


@pytest.fixture(scope="module")
def chroma(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Run a server with a folder of its own, and yield its URL."""
    command = shutil.which("chroma", path=Path(sys.executable).parent)
    if command is None:
        pytest.skip("needs Chroma, the vector database: pip install chromadb")
    folder = tmp_path_factory.mktemp("chroma")
    output = folder / "output"
    # `chroma run` does not tell a port it chose itself. This one stays bound here, so that nobody else is given it.
    with socket.socket() as kept, output.open("w") as written:
        kept.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        kept.bind((services.HOST, 0))
        port = kept.getsockname()[1]
        server = subprocess.Popen(
            [command, "run", "--path", folder / "database", "--host", services.HOST, "--port", str(port)],
            env={**os.environ, "ANONYMIZED_TELEMETRY": "False"},
            stdout=written,
            stderr=written,
        )
        url = f"http://{services.HOST}:{port}"
        try:
            for _ in range(1200):
                with contextlib.suppress(OSError), urlopen(f"{url}/api/v2/heartbeat", timeout=60):
                    break
                with contextlib.suppress(subprocess.TimeoutExpired):
                    server.wait(0.05)
                    pytest.fail(f"chroma has ended: {output.read_text()}")
            else:
                pytest.fail(f"chroma does not answer: {output.read_text()}")
            yield url
        finally:
            server.terminate()
            server.wait()


@contextlib.contextmanager
def serving(application: web.Application) -> Iterator[str]:
    """Serve an application in a thread while the block lasts, and yield its URL."""
    loop, runner = asyncio.new_event_loop(), web.AppRunner(application, access_log=None)

    async def start() -> str:
        await runner.setup()
        await web.TCPSite(runner, services.HOST, 0).start()
        return f"http://{services.HOST}:{runner.addresses[0][1]}"

    try:
        url = loop.run_until_complete(start())
        thread = threading.Thread(target=loop.run_forever)
        thread.start()
        try:
            yield url
        finally:
            loop.call_soon_threadsafe(loop.stop)
            thread.join()
    finally:
        loop.run_until_complete(runner.cleanup())
        loop.run_until_complete(loop.shutdown_default_executor())
        loop.close()


def exhaustive(collection: Collection, embed: Callable[[list[str]], NDArray[np.float32]]) -> services.Answer:
    """Answer with the largest cosines of all."""
    vectors = embed(collection.texts)

    async def answer(service: services.Service, request: web.Request, message: Any) -> web.Response:
        cosines = embed(message["queries"]) @ vectors.T
        results = [
            [
                {
                    "id": collection.ids[d],
                    "score": float(row[d]),
                    "meta": collection.meta[d],
                    "text": collection.texts[d],
                }
                for d in np.argsort(-row, kind="stable")[: message["top_k"]].tolist()
            ]
            for row in cosines
        ]
        return web.json_response({"results": results})

    return answer


def index(collection: Path, chroma: str, name: str) -> "subprocess.CompletedProcess[str]":
    command = [sys.executable, CHROMA_EXAMPLES / "chroma_index.py", collection, "--chroma", chroma, "--name", name]
    return subprocess.run(command, check=False, capture_output=True, text=True)


def test_chroma_through_the_adapter_of_the_page_is_measured_as_an_exhaustive_search(
    chroma: str, tmp_path: Path, capsys
):
    indexed = index(DATA / "collection.jsonl", chroma, "whole")
    assert (indexed.returncode, indexed.stdout) == (0, "whole: 1,900 documents\n"), indexed.stderr
    example = runpy.run_path(str(CHROMA_EXAMPLES / "chroma_service.py"))

    def measured(url: str, name: str) -> tuple[dict[str, float], pl.DataFrame]:
        folder = tmp_path / name
        done = said(capsys, "run", "--dataset", DATA, "--url", url, "--quiet", "--format", "json", "--out", folder)
        assert (done.code, done.errors) == (0, "")
        queries = pl.read_parquet(folder / "per_query.parquet")
        assert queries["failure"].null_count() == len(queries) == 200
        assert set(queries["hits"]) == {20}
        assert set(queries["duplicates"]) == {0}
        tasks = json.loads(done.output)["measures"]
        means = {f"{task}.{name}": one["value"] for task, named in tasks.items() for name, one in named.items()}
        return means, pl.read_parquet(folder / "hits.parquet", columns=["query_id", "place", "id", "score"])

    with serving(example["application"](chroma, "whole")) as url:
        means, hits = measured(url, "chroma")
    with services.running(exhaustive(read_collection(DATA / "collection.jsonl"), example["embed"])) as service:
        exact_means, exact_hits = measured(service.url, "exhaustive")

    # Chroma's index is approximate, and built by several threads: it misses few hits, not always the same ones.
    found = hits.join(exact_hits, on=["query_id", "id"])
    assert len(found) >= 0.98 * len(hits)
    assert found["score"].to_list() == pytest.approx(found["score_right"].to_list(), abs=1e-5)
    beside = hits.join(exact_hits, on=["query_id", "place"])
    assert len(beside) == len(hits)
    assert ((beside["score"] - beside["score_right"]).abs() < 1e-5).mean() >= 0.95
    assert means == pytest.approx(exact_means, abs=0.01)
    assert means["accusation.P@3"] > 0.3


def test_documents_of_another_collection_under_the_same_name_are_told(chroma: str, tmp_path: Path):
    first = data_sets.write_lines(tmp_path / "first.jsonl", data_sets.cases()[:20])
    other = data_sets.write_lines(tmp_path / "other.jsonl", data_sets.cases()[20:])
    for _ in range(2):
        assert index(first, chroma, "both").stdout == "both: 20 documents\n"
    told = index(other, chroma, "both")
    assert (told.returncode, told.stdout) == (1, "")
    assert told.stderr == "both: 8 documents sent, and 28 are there: take another --name\n"


def test_what_chroma_refuses_fails_with_its_status_and_reason(chroma: str, tmp_path: Path, capsys):
    data = data_sets.write(tmp_path / "data")
    assert index(data / "collection.jsonl", chroma, "gone").returncode == 0
    example = runpy.run_path(str(CHROMA_EXAMPLES / "chroma_service.py"))
    with serving(example["application"](chroma, "gone")) as url:
        with urlopen(Request(f"{chroma}{example['COLLECTIONS']}/gone", method="DELETE")):
            pass
        done = said(capsys, "run", "--dataset", data, "--url", url, "--quiet", "--out", tmp_path / "results")
    assert done.code == 4
    (failure,) = set(pl.read_parquet(tmp_path / "results" / "per_query.parquet")["failure"])
    assert failure.startswith("HTTP 404: ")
    assert "does not exist" in failure
