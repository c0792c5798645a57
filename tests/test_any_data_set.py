"""A data set of any make is measured, loaded and served alike."""

from collections.abc import Iterator
from pathlib import Path

import one_data_set
import orjson
import polars as pl
import pytest
import services
from cases import first_of
from command_line import Said, said
from one_data_set import DOCUMENTS, GRADES, QUERIES, WRITTEN

import benchbench as bb
from benchbench.formats.collection import read_collection
from benchbench.tables.collection import Collection

MAKES = (*WRITTEN, "ir_datasets")
QUIET = ("--quiet", "--batch-size", 4)


@pytest.fixture(params=MAKES)
def named(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return the options that name the data set in each make."""
    if request.param != "ir_datasets":
        return one_data_set.named(request.param, tmp_path / "data")
    ir_datasets = pytest.importorskip("ir_datasets")
    monkeypatch.setattr(ir_datasets.registry, "_registered", dict(ir_datasets.registry._registered))
    one_data_set.register()
    return ["--dataset=ir_datasets:trees"]


@pytest.fixture(scope="module")
def collection(tmp_path_factory: pytest.TempPathFactory) -> Collection:
    folder = tmp_path_factory.mktemp("documents")
    one_data_set.beir(folder)
    return read_collection(folder / "corpus.jsonl")


@pytest.fixture
def service(collection: Collection) -> Iterator[services.Service]:
    with services.running(services.searching(collection)) as found:
        yield found


@pytest.fixture(scope="module")
def expected(collection: Collection, tmp_path_factory: pytest.TempPathFactory) -> pl.DataFrame:
    """Return the values of the BEIR folder."""
    folder = tmp_path_factory.mktemp("expected")
    one_data_set.beir(folder / "data")
    with services.running(services.searching(collection)) as found:
        bb.run(bb.Settings(bb.locate(folder / "data"), url=found.url)).save(folder / "out")
    return one_data_set.values(folder / "out")


def done(found: Said, code: int = 0) -> str:
    assert found.code == code, found.errors
    return found.output


def test_each_make_gives_the_values_of_the_others(
    capsys: pytest.CaptureFixture[str],
    named: list[str],
    service: services.Service,
    expected: pl.DataFrame,
    tmp_path: Path,
) -> None:
    out = tmp_path / "out"
    done(said(capsys, "run", *named, "--url", service.url, "--out", out, *QUIET))
    assert one_data_set.values(out).equals(expected)
    assert "nDCG@10" in done(said(capsys, "show", out, "--worst", 3))
    record = bb.load(out).record
    assert record.data.queries == len(QUERIES)
    assert "|measures:nDCG@10,R@100,AP@100,RR@10|" in record.signature
    assert "|recall:full|positives:all|top_k:120|" in record.signature
    (default,) = (note.text for note in record.notes if " data" in note.text)
    assert ": by default nDCG@10, R@100, AP@100, RR@10; 120 hits per query are requested; recall divides by" in default


@pytest.mark.slow  # the retriever is a process of its own
@pytest.mark.parametrize("named", WRITTEN, indirect=True)
def test_each_make_is_served_by_itself(
    capsys: pytest.CaptureFixture[str], named: list[str], expected: pl.DataFrame, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    done(said(capsys, "run", *named, "--out", out, *QUIET))
    assert one_data_set.values(out).equals(expected)


@pytest.mark.parametrize("named", first_of(*MAKES, first=2), indirect=True)
def test_each_make_is_loaded_with_the_quality_of_a_run(
    capsys: pytest.CaptureFixture[str],
    named: list[str],
    service: services.Service,
    expected: pl.DataFrame,
    tmp_path: Path,
) -> None:
    words = ("--url", service.url, "--duration", "10ms", "--warm-up", "0s", "--batch-size", 4, "--concurrency", 2)
    found = orjson.loads(done(said(capsys, "load", *named, *words, "--out", tmp_path / "out", "--format", "json")))
    (step,) = found["steps"]
    assert step["counts"]["positive_hits"] > 0
    if step["values"]["queries_asked"] == len(QUERIES):
        mean = expected["gold.nDCG@10"].mean()
        assert step["values"]["asked.gold.nDCG@10"] == pytest.approx(mean, abs=1e-12)


@pytest.mark.parametrize("named", first_of(*MAKES), indirect=True)
def test_two_results_of_each_make_are_compared_with_the_texts_behind_them(
    capsys: pytest.CaptureFixture[str], named: list[str], collection: Collection, tmp_path: Path
) -> None:
    backwards = services.changed(
        services.searching(collection), lambda answer: {"results": [hits[::-1] for hits in answer["results"]]}
    )
    for name, answer in (("a", services.searching(collection)), ("b", backwards)):
        with services.running(answer) as found:
            done(said(capsys, "run", *named, "--url", found.url, "--out", tmp_path / name, *QUIET))
    words = ("compare", tmp_path / "a", tmp_path / "b", "--format", "json", "--moved", len(QUERIES))
    compared = orjson.loads(done(said(capsys, *words)))
    moved = compared["moved"][0]["queries"]
    for one in moved:
        assert one["text"] == QUERIES[one["query"]]
        positives = {document for document, grade in GRADES[one["query"]].items() if grade}
        assert {document["id"] for document in one["relevant"]} == positives
        for hits in one["hits"].values():
            assert [hit["text"].strip() for hit in hits] == [DOCUMENTS[hit["id"]] for hit in hits]
            assert {hit["id"] for hit in hits if hit["relevant"]} <= positives
