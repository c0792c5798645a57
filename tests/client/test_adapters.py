"""The adapter of docs/examples against a real PostgreSQL."""

import asyncio
import json
import runpy
import subprocess
from collections.abc import Iterator
from pathlib import Path

import postgresql
import pytest
from aiohttp import web
from aiohttp.test_utils import TestClient, TestServer
from legal_labels import SCHEMA

from benchbench.client.decode import decode
from benchbench.client.profiles import PROFILES
from benchbench.client.service import Service
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
            service = Service(f"http://127.0.0.1:{runner.addresses[0][1]}", PROFILES["benchbench"])
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
