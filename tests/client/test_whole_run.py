"""Whole runs over services of another make: the numbers are those of the same index behind our own shape."""

import contextlib
import json
import os
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import command_line
import data_sets
import pytest
import services
from aiohttp import web
from cases import first_of
from command_line import said, sentence

from benchbench.serve.bm25 import BM25
from benchbench.tables.collection import Collection

SECRET = "s3cr3t-value"
Respond = Callable[[str, bytes], Any]


@contextlib.contextmanager
def answering(respond: Respond) -> Iterator[str]:
    """Run a service that answers a path and a body with JSON."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            body = json.dumps(respond(self.path, self.rfile.read(int(self.headers["Content-Length"])))).encode()
            self.send_response(200)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *arguments: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        server.daemon_threads = True
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()
            thread.join()


def hits(collection: Collection) -> Callable[[str, int], list[tuple[str, float, dict[str, Any]]]]:
    index = BM25(collection)

    def found(query: str, top_k: int) -> list[tuple[str, float, dict[str, Any]]]:
        numbers, scores = (column.tolist() for column in index.search(query, top_k))
        sources = [{"text": collection.texts[d], **collection.meta[d]} for d in numbers]
        return list(zip((collection.ids[d] for d in numbers), scores, sources, strict=True))

    return found


def elasticsearch(collection: Collection) -> Respond:
    found = hits(collection)

    def respond(path: str, body: bytes) -> Any:
        assert path == "/cases/_msearch"
        lines = [json.loads(line) for line in body.decode().removesuffix("\n").split("\n")]
        assert lines[::2] == [{}] * (len(lines) // 2)
        return {
            "responses": [
                {
                    "hits": {
                        "hits": [
                            {"_index": "cases", "_id": name, "_score": score, "_source": source}
                            for name, score, source in found(line["query"]["match"]["text"], line["size"])
                        ]
                    }
                }
                for line in lines[1::2]
            ]
        }

    return respond


def azure(collection: Collection) -> Respond:
    found = hits(collection)

    def respond(path: str, body: bytes) -> Any:
        assert path == "/indexes/cases/docs/search?api-version=2024-07-01"
        asked = json.loads(body)
        return {
            "value": [
                {"@search.score": score, "id": name, **source}
                for name, score, source in found(asked["search"], asked["top"])
            ]
        }

    return respond


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return data_sets.write(tmp_path_factory.mktemp("data"))


@pytest.mark.parametrize(
    ("protocol", "make", "more"),
    first_of(("elasticsearch", elasticsearch, ("--batch-size", 5)), ("azure-ai-search", azure, ())),
)
def test_another_protocol_changes_no_number(
    protocol: str, make: Callable[[Collection], Respond], more: tuple[object, ...], data: Path, tmp_path: Path, capsys
):
    collection = data_sets.collection(data)
    common = ("run", "--dataset", data, "--quiet", "--format", "json")
    with services.running(services.searching(collection)) as target:
        usual = said(capsys, *common, "--url", target.url, "--out", tmp_path / "usual")
    with answering(make(collection)) as url:
        other = said(
            capsys,
            *(*common, "--url", url, "--out", tmp_path / "other", *more),
            *("--protocol", protocol, "--protocol-option", "index=cases"),
        )
    assert (usual.code, other.code, other.errors) == (0, 0, "")
    options = json.loads((tmp_path / "other" / "config.json").read_text())["options"]
    assert options["batch_size"] == (5 if more else 1)
    assert json.loads(other.output)["measures"] == json.loads(usual.output)["measures"]
    assert (tmp_path / "other" / "run.trec").read_text() == (tmp_path / "usual" / "run.trec").read_text()


def test_a_batch_for_a_service_of_one_query_ends_the_run_before_it_asks(data: Path, tmp_path: Path, capsys):
    azure_options = ("--protocol", "azure-ai-search", "--protocol-option", "index=cases", "--batch-size", 2)
    done = said(
        capsys, "run", "--dataset", data, "--url", "http://127.0.0.1:9", *azure_options, "--out", tmp_path / "r"
    )
    assert done.code == 2
    assert "use --batch-size 1" in sentence(done.errors)
    assert not (tmp_path / "r").exists()


@pytest.mark.slow  # a process
def test_secrets_are_in_no_file_and_no_stream_of_a_run(data: Path, tmp_path: Path):
    async def repeat(service: services.Service, request: web.Request, message: Any) -> web.Response:
        said = f"{request.headers['Authorization']} {request.headers['api-key']} {request.query_string}"
        return web.Response(status=403, text=f"not with {said}")

    environment = {**os.environ, "TOKEN": f"{SECRET}-1", "API_KEY": f"{SECRET}-2"}
    with services.running(services.searching(data_sets.collection(data)), repeat) as target:
        url = target.url + f"/?key={SECRET}-3"
        run = command_line.process(
            *("run", "--verbose", "--dataset", data, "--url", url, "--batch-size", 4, "--concurrency", 1),
            *("--token-env", "TOKEN", "--header", "api-key: ${API_KEY}", "--header", f"X-Typed: {SECRET}-4"),
            *("--out", tmp_path / "results", "--name", "mine"),
            env=environment,
        )
        output, errors = run.communicate(timeout=120)
    assert run.returncode == 4, errors
    assert target.headers[0]["Authorization"] == f"Bearer {SECRET}-1"
    assert (target.headers[0]["api-key"], target.headers[0]["X-Typed"]) == (f"{SECRET}-2", f"{SECRET}-4")
    written = {path.name: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    assert b"[hidden]" in written["summary.json"]
    assert [name for name, content in written.items() if SECRET.encode() in content] == []
    assert SECRET not in output + errors
