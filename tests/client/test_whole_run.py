"""Whole runs over services of another make: the numbers are those of the same index behind our own shape."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import data_sets
import pytest
import services
from aiohttp import web
from cases import first_of
from command_line import said, sentence

from benchbench.serve.bm25 import BM25
from benchbench.tables.collection import Collection


def answering(respond: Callable[[str, Any], Any]) -> services.Answer:
    """Answer a path and a message with JSON."""

    async def answer(service: services.Service, request: web.Request, message: Any) -> web.Response:
        return web.json_response(respond(request.path_qs, message))

    return answer


def hits(collection: Collection) -> Callable[[str, int], list[tuple[str, float, dict[str, Any]]]]:
    index = BM25(collection)

    def found(query: str, top_k: int) -> list[tuple[str, float, dict[str, Any]]]:
        numbers, scores = (column.tolist() for column in index.search(query, top_k))
        sources = [{"text": collection.texts[d], **collection.meta[d]} for d in numbers]
        return list(zip((collection.ids[d] for d in numbers), scores, sources, strict=True))

    return found


def elasticsearch(collection: Collection) -> services.Answer:
    found = hits(collection)

    def listed(line: dict[str, Any]) -> list[dict[str, Any]]:
        return [
            {"_index": "cases", "_id": name, "_score": score, "_source": source}
            for name, score, source in found(line["query"]["match"]["text"], line["size"])
        ]

    def respond(path: str, lines: list[Any]) -> Any:
        assert path == "/cases/_msearch"
        assert lines[::2] == [{}] * (len(lines) // 2)
        return {"responses": [{"hits": {"hits": listed(line)}} for line in lines[1::2]]}

    return answering(respond)


def azure(collection: Collection) -> services.Answer:
    found = hits(collection)

    def respond(path: str, asked: Any) -> Any:
        assert path == "/indexes/cases/docs/search?api-version=2024-07-01"
        listed = found(asked["search"], asked["top"])
        return {"value": [{"@search.score": score, "id": name, **source} for name, score, source in listed]}

    return answering(respond)


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return data_sets.write(tmp_path_factory.mktemp("data"))


@pytest.mark.parametrize(
    ("protocol", "make", "more"),
    first_of(("elasticsearch", elasticsearch, ("--batch-size", 5)), ("azure-ai-search", azure, ())),
)
def test_another_protocol_changes_no_number(
    protocol: str, make: Callable[[Collection], services.Answer], more: tuple[object, ...], data: Path, tmp_path, capsys
):
    collection = data_sets.collection(data)
    common = ("run", "--dataset", data, "--quiet", "--format", "json")
    with services.running(services.searching(collection)) as target:
        usual = said(capsys, *common, "--url", target.url, "--out", tmp_path / "usual")
    with services.running(make(collection)) as target:
        other = said(
            capsys,
            *(*common, "--url", target.url, "--out", tmp_path / "other", *more),
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
