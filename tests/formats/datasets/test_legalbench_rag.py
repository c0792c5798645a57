"""LegalBench-RAG as a data set: questions with spans, and chunks of the texts that they point into."""

from pathlib import Path

import orjson
import pytest

from benchbench.errors import InputError
from benchbench.formats.collection import documents
from benchbench.formats.datasets.legalbench_rag import Cut
from benchbench.formats.datasets.locate import locate
from benchbench.formats.datasets.reading import read_queries
from benchbench.tables.passages import Place
from benchbench.tasks.compiled import compiled
from benchbench.tasks.defined import tasks_of

TEXT = "The carrier pays. " * 50


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "corpus" / "leases").mkdir(parents=True)
    (tmp_path / "corpus" / "leases" / "a_b.txt").write_text(TEXT)
    (tmp_path / "corpus" / "unused.txt").write_text("no question is on this")
    (tmp_path / "benchmarks").mkdir()
    tests = [
        {"query": "Who pays?", "snippets": [{"file_path": "leases/a?b.txt", "span": [4, 16], "answer": TEXT[4:16]}]},
        {"query": "When?", "snippets": [{"file_path": "leases/a?b.txt", "span": [600, 610], "answer": TEXT[600:610]}]},
    ]
    (tmp_path / "benchmarks" / "leases.json").write_bytes(orjson.dumps({"tests": tests}))
    return tmp_path


def test_questions_have_their_spans_and_contracts(folder: Path) -> None:
    data = locate(folder)
    queries = read_queries(data, schema=compiled(tasks_of(data)).schema)
    assert (data.make, data.split, data.cluster) == ("legalbench-rag", "leases", "document")
    assert list(zip(queries.ids, queries.texts, strict=True)) == [("1", "Who pays?"), ("2", "When?")]
    assert queries.spans.offsets.tolist() == [[0, 1, 2]]
    assert (queries.spans.start.tolist(), queries.spans.end.tolist()) == ([4, 600], [16, 610])
    assert queries.positives.offsets.tolist() == [0, 0, 0]


def test_only_texts_that_questions_point_into_are_served_and_chunks_cover_them(folder: Path) -> None:
    found = [one for _, one in documents(locate(folder).served()) if one is not None]
    places = [Place.parse(one.id) for one in found]
    assert [(place.start, place.end) for place in places if place] == [(0, 500), (500, len(TEXT))]
    assert "".join(one.text for one in found) == TEXT
    assert {place.file for place in places if place} == {"leases/a?b.txt"}


def test_a_description_beside_adds_to_its_tasks_or_replaces_them(folder: Path) -> None:
    (folder / "dataset.toml").write_text("licence = 'CC-BY-4.0'\n")
    assert [task.name for task in tasks_of(locate(folder))] == ["span", "contract"]
    (folder / "dataset.toml").write_text(
        "[tasks.file]\nrule = 'equal'\nquery_label = 'meta.contracts'\nhit_label = 'meta.file'\n"
    )
    assert [task.name for task in tasks_of(locate(folder))] == ["file"]


def test_of_several_benchmarks_one_is_to_be_named(folder: Path) -> None:
    (folder / "benchmarks" / "other.json").write_bytes((folder / "benchmarks" / "leases.json").read_bytes())
    with pytest.raises(InputError, match="has the splits leases, other, and no test: say which with --split"):
        locate(folder)
    assert locate(folder, split="other").split == "other"


def test_a_text_that_is_not_there_is_named_when_it_is_served(folder: Path) -> None:
    (folder / "corpus" / "leases" / "a_b.txt").unlink()
    assert len(read_queries(locate(folder))) == 2
    with pytest.raises(InputError, match=r"1 files that .* names are not below .*, such as 'leases/a\?b.txt'"):
        list(documents(locate(folder).served()))


def test_a_benchmark_without_places_is_refused(folder: Path) -> None:
    (folder / "benchmarks" / "leases.json").write_bytes(
        orjson.dumps({"tests": [{"query": "Who?", "snippets": [{"answer": "The carrier"}]}]})
    )
    with pytest.raises(InputError, match="has snippets without file_path and span"):
        read_queries(locate(folder))


def test_the_real_benchmark_has_its_questions_and_each_span_lies_in_its_chunks(shared_data: Path) -> None:
    data = locate(shared_data / "legalbench-rag")
    queries = read_queries(data, schema=compiled(tasks_of(data)).schema)
    tests = orjson.loads((data.queries.path).read_bytes())["tests"]
    assert len(queries) == len({test["query"] for test in tests}) == 977
    ends: dict[str, int] = {}
    for _, one in documents(data.served()):
        place = Place.parse(one.id) if one is not None else None
        assert place is not None
        assert place.start >= ends.get(place.file, 0)
        ends[place.file] = place.end
    assert all(snippet["span"][1] <= ends[snippet["file_path"]] for test in tests for snippet in test["snippets"])


@pytest.mark.parametrize(("chunk", "overlap"), [(0, 0), (10, 10), (10, -1)])
def test_chunks_that_would_never_end_are_refused(chunk: int, overlap: int) -> None:
    with pytest.raises(InputError):
        Cut(chunk, overlap)
