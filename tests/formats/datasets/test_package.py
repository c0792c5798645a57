"""Data sets of the package ir_datasets, registered in memory with its own classes: nothing is downloaded."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import makes
import orjson
import pytest
from command_line import said, sentence
from makes import SMALL

from benchbench.errors import InputError
from benchbench.formats.collection import documents
from benchbench.formats.datasets.locate import locate
from benchbench.formats.datasets.reading import read_queries

ir_datasets = pytest.importorskip("ir_datasets")
formats = ir_datasets.formats

Register = Callable[..., str]


@pytest.fixture
def register(monkeypatch: pytest.MonkeyPatch) -> Register:
    """Return what adds a data set to the registry, and returns its name."""
    monkeypatch.setattr(ir_datasets.registry, "_registered", dict(ir_datasets.registry._registered))

    def add(name: str, **parts: list[Any]) -> str:
        made = [_handler(part, rows) for part, rows in parts.items()]
        ir_datasets.registry.register(name, ir_datasets.Dataset(*made))
        return f"ir_datasets:{name}"

    return add


def _handler(part: str, rows: list[Any] | Exception) -> Any:
    bases = {"docs": formats.BaseDocs, "queries": formats.BaseQueries, "qrels": formats.BaseQrels}

    def iterate(self: Any) -> Iterator[Any]:
        if isinstance(rows, Exception):
            raise rows
        yield from rows

    return type(part, (bases[part],), {f"{part}_iter": iterate})()


def small() -> dict[str, list[Any]]:
    return {
        "docs": [formats.GenericDoc(*one) for one in SMALL.documents.items()],
        "queries": [formats.GenericQuery(*one) for one in SMALL.queries.items()],
        "qrels": [formats.TrecQrel(*one, "0") for one in SMALL.judgments],
    }


def test_graded_judgments_and_queries_are_those_of_the_rows(register: Register) -> None:
    data = locate(register("tiny", **small()))
    queries = read_queries(data)
    assert makes.columns(queries) == makes.read(SMALL)
    assert (data.make, data.name, data.self_by) == ("ir_datasets", "ir_datasets:tiny", "text")
    found = {one.id: one.text for _, one in documents(data.served()) if one is not None}
    assert found == SMALL.documents


def test_a_name_of_beir_has_ids_that_queries_and_documents_share(register: Register) -> None:
    assert locate(register("beir/tiny", **small())).self_by == "id"


def test_documents_of_several_text_fields_have_their_title_and_text(register: Register) -> None:
    rows = [
        formats.TitleUrlTextDoc("d1", "a title", "https://example.org", "a text"),
        formats.TrecParsedDoc("d2", "head", "body", b"<DOC>"),
    ]
    parts = small() | {"docs": rows}
    first, second = (one for _, one in documents(locate(register("fields", **parts)).served()) if one is not None)
    assert first[:3] == ("d1", "a title", "a text")
    assert second.text.split() == ["head", "body"]


def test_a_field_of_topics_is_asked_where_it_is_named(register: Register) -> None:
    parts = small() | {"queries": [formats.TrecQuery("q1", "a title", "what it is about", "at length")]}
    name = register("topics", **parts)
    assert list(read_queries(locate(name)).texts) == ["a title"]
    assert list(read_queries(locate(name, topic_field="description")).texts) == ["what it is about"]
    assert list(read_queries(locate(name, topic_field="narrative")).texts) == ["at length"]


def test_what_it_lacks_may_come_from_files(register: Register, tmp_path: Path) -> None:
    parts = small()
    only = register("documents", docs=parts["docs"])
    with pytest.raises(InputError, match="has no queries; give --queries FILE, or name another"):
        locate(only)
    given = makes.MAKES["trec, TSV"](tmp_path, SMALL)
    data = locate(only, queries=given["queries"], qrels=given["qrels"])
    assert makes.columns(read_queries(data)) == makes.read(SMALL)
    with pytest.raises(InputError, match="has no collection to serve: give --collection FILE, or --url"):
        locate(register("queries", queries=parts["queries"], qrels=parts["qrels"])).served()


def test_it_is_described_and_converted_as_any_other(
    register: Register, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    name = register("tiny", **small())
    (found,) = orjson.loads(said(capsys, "datasets", name, "--format", "json").output)
    assert (found["queries"], found["documents"], found["sizes"]) == (3, 4, {})
    assert found["grades"] == {"-1": 1, "0": 1, "1": 2, "2": 1, "3": 1}
    assert said(capsys, "prepare", "beir", name, "--out", tmp_path / "beir", "--quiet").code == 0
    assert makes.columns(read_queries(locate(tmp_path / "beir"))) == makes.read(SMALL)


@pytest.mark.parametrize("part", ["queries", "qrels", "docs"])
@pytest.mark.parametrize(
    "error", [ConnectionError("the network is down"), RuntimeError("no licence"), ValueError("no such field")]
)
def test_what_cannot_be_had_is_a_sentence(
    register: Register, capsys: pytest.CaptureFixture[str], part: str, error: Exception
) -> None:
    name = register("far", **(small() | {part: error}))  # type: ignore[arg-type]
    ended = said(capsys, "datasets", name)
    assert ended.code == 2
    assert sentence(ended.errors) == f"ir_datasets:far cannot be read: {error}"
