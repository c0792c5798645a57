"""LegalBench-RAG as a data set: chunks, questions with positives, and what is refused."""

import itertools
from pathlib import Path
from typing import Any

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchbench.errors import InputError
from benchbench.formats.collection import read_collection
from benchbench.formats.datasets.locate import locate
from benchbench.formats.tiered import read_tiered
from benchbench.prepare.chunks import Cut, write_chunks
from benchbench.tasks.criteria import Criteria
from benchbench.tasks.defined import tasks_of
from benchbench.tasks.judging import judging_of

TEXTS = {"nda/a b.txt": "Alpha beta.\n" + " " * 12 + "Gamma § delta", "nda/c_ d.txt": "Epsilon"}


def snippet(file: str, start: int, end: int) -> dict[str, Any]:
    text = TEXTS[file.replace(":", "_")]
    return {"file_path": file, "span": [start, end], "answer": text[start:end]}


def source(folder: Path, tests: list[dict[str, Any]]) -> tuple[Path, Path]:
    """Write corpus and benchmark."""
    for name, text in {**TEXTS, "nda/unused.txt": "Unused"}.items():
        path = folder / "corpus" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    benchmark = folder / "benchmark.json"
    benchmark.write_bytes(orjson.dumps({"tests": tests}))
    return folder / "corpus", benchmark


TESTS = [
    {"query": "Who?", "snippets": [snippet("nda/a b.txt", 6, 10), snippet("nda/a b.txt", 24, 31)]},
    {"query": "What?", "snippets": [snippet("nda/c: d.txt", 0, 7)]},
]


@given(st.integers(1, 40), st.integers(0, 39), st.integers(0, 200))
def test_chunks_cover_the_text_and_overlap_as_asked(chunk: int, overlap: int, length: int):
    overlap %= chunk
    places = list(Cut(chunk, overlap).places("a", length))
    assert (places[0].start, places[-1].end) == (0, length)
    for one, other in itertools.pairwise(places):
        assert (one.end - one.start, one.end - other.start) == (chunk, overlap)
        assert other.end > one.end


@pytest.mark.parametrize("overlap", [5, 6])
def test_an_overlap_of_a_whole_chunk_is_refused(overlap: int):
    with pytest.raises(InputError, match=f"--overlap {overlap} is not from 0 to below --chunk-size 5"):
        Cut(5, overlap)


def test_chunks_are_documents_and_those_with_an_answer_are_positives(tmp_path: Path):
    """A chunk of white space alone is left out; a path that no file can have is found by its name on disk."""
    card = write_chunks(*source(tmp_path, TESTS), tmp_path / "out", Cut(12))
    data = locate(str(tmp_path / "out"))
    assert data.collection is not None
    collection, queries = read_collection(data.collection), read_tiered(data.queries.path)
    assert dict(zip(collection.ids, collection.texts, strict=True)) == {
        "nda/a b.txt#0-12": "Alpha beta.\n",
        "nda/a b.txt#24-36": "Gamma § delt",
        "nda/a b.txt#36-37": "a",
        "nda/c: d.txt#0-7": "Epsilon",
    }
    assert (queries.ids, queries.texts) == (["1", "2"], ["Who?", "What?"])
    assert queries.positives.ids == ["nda/a b.txt#0-12", "nda/a b.txt#24-36", "nda/c: d.txt#0-7"]
    assert (queries.positives.offsets.tolist(), set(queries.positives.grade.tolist())) == ([0, 2, 3], {1.0})
    assert data.card == card
    assert card["options"] == {"chunk": 12, "overlap": 0}
    assert card["collection"]["documents"] == 4
    assert (card["queries"]["count"], card["queries"]["positives"]) == (2, 3)
    assert (card["source"]["texts"]["files"], card["source"]["texts"]["characters"]) == (2, 44)


def test_the_same_input_gives_the_same_bytes(tmp_path: Path):
    given = source(tmp_path, TESTS)
    for name in ("1", "2"):
        write_chunks(*given, tmp_path / name, Cut(12, 4))
    first, second = ({path.name: path.read_bytes() for path in (tmp_path / name).iterdir()} for name in ("1", "2"))
    assert first == second
    assert sorted(first) == ["collection.jsonl", "dataset.toml", "tiered.card.json", "tiered.jsonl"]


def test_tasks_compare_spans_and_contracts(tmp_path: Path):
    """The questions of one contract are its cluster; a chunk says its file and where it begins and ends there."""
    write_chunks(*source(tmp_path, TESTS), tmp_path / "out", Cut(12))
    data = locate(tmp_path / "out")
    assert [task.name for task in tasks_of(data)] == ["gold", "span", "contract"]
    assert data.cluster == "document"
    chunk, question = (
        orjson.loads((tmp_path / "out" / name).read_bytes().splitlines()[0])
        for name in ("collection.jsonl", "tiered.jsonl")
    )
    assert chunk["meta"] == {"file": "nda/a b.txt", "start": 0, "end": 12}
    assert question["query"]["meta"] == {
        "document": "nda/a b.txt",
        "contracts": ["nda/a b.txt"],
        "spans": [{"file": "nda/a b.txt", "start": 6, "end": 10}, {"file": "nda/a b.txt", "start": 24, "end": 31}],
    }
    judging = judging_of(Criteria(), data)
    assert judging.denominators.relevant[:, 1:].tolist() == [[2, 3], [1, 1]]


@pytest.mark.parametrize(
    ("snippets", "reason"),
    [
        ([{"answer": "x", "file_path": "nda/none.txt", "span": [0, 1]}], "1 files that .* 'nda/none.txt'"),
        ([{"answer": "x", "file_path": "../benchmark.json", "span": [0, 1]}], "is not the text at that place"),
        ([snippet("nda/a b.txt", 0, 5) | {"span": [1, 6]}], r"'nda/a b\.txt#1-6' is not the text at that place"),
        ([{"answer": "Alpha"}], "has snippets without file_path and span"),
        ([], "has snippets without file_path and span, or none"),
    ],
)
def test_what_does_not_fit_the_texts_is_refused_and_nothing_is_written(tmp_path: Path, snippets: Any, reason: str):
    given = source(tmp_path, [{"query": "Who?", "snippets": snippets}])
    with pytest.raises(InputError, match=reason):
        write_chunks(*given, tmp_path / "out", Cut())
    assert not (tmp_path / "out").exists()


def test_a_text_that_is_not_utf8_is_named(tmp_path: Path):
    corpus, benchmark = source(tmp_path, TESTS)
    (corpus / "nda" / "a b.txt").write_bytes(b"\xff")
    with pytest.raises(InputError, match=r"a b\.txt cannot be read: 'utf-8' codec"):
        write_chunks(corpus, benchmark, tmp_path / "out", Cut())
