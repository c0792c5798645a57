"""Judged documents that a collection does not have, and collections that are too large to look at before a run."""

import re
from dataclasses import replace
from pathlib import Path

import makes
import pytest
from cases import first_of
from makes import MAKES, SMALL, Invented

from benchbench.errors import InputError
from benchbench.formats.collection import read_collection
from benchbench.formats.datasets.data_set import DataSet
from benchbench.formats.datasets.locate import locate
from benchbench.formats.datasets.reading import read_queries
from benchbench.formats.records import Part
from benchbench.tasks import missing_documents as module
from benchbench.tasks.missing_documents import documents_of, missing_documents


def data_set(folder: Path, documents: dict[str, str]) -> DataSet:
    return locate(**MAKES["beir"](folder, Invented(SMALL.queries, SMALL.judgments, documents)))


def test_nothing_is_said_of_a_collection_that_has_all(tmp_path: Path) -> None:
    data = data_set(tmp_path, SMALL.documents)
    assert missing_documents(data, read_queries(data)) == ()


def test_those_that_it_does_not_have_are_counted_with_examples(tmp_path: Path) -> None:
    data = data_set(tmp_path, {"d1": "a text", "more": "another"})
    queries = read_queries(data)
    said = ("3 judged documents are not in corpus.jsonl, such as d2, 17, d3: no service can return them",)
    found = documents_of(data, queries)
    assert (missing_documents(data, queries), found) == (said, (2, 0, said))


def test_one_that_has_none_is_of_other_data(tmp_path: Path) -> None:
    data = data_set(tmp_path, {"x": "a text"})
    with pytest.raises(InputError, match=r"corpus.jsonl has none of the 4 documents that were judged"):
        missing_documents(data, read_queries(data))


def test_without_a_collection_or_judgments_there_is_nothing_to_say(tmp_path: Path) -> None:
    data = data_set(tmp_path, SMALL.documents)
    queries = read_queries(data)
    assert missing_documents(replace(data, collection=None), queries) == ()
    assert documents_of(replace(data, collection=None), queries) is None
    assert missing_documents(data, read_queries(replace(data, qrels=()))) == ()


def test_a_large_one_is_not_looked_through_before_a_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    data = data_set(tmp_path, {"d1": "a text", "d2": "another"})
    queries = read_queries(data)
    monkeypatch.setattr(module, "_MOST", 10)
    (said,) = missing_documents(data, queries)
    assert said.startswith("whether corpus.jsonl has every judged document was not looked at, for it is large")
    found = documents_of(data, queries)
    assert found is not None
    assert found.notes[0].startswith("2 judged documents are not in corpus.jsonl")


def test_one_of_a_package_is_looked_through_up_to_a_number(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = makes.texts({"d1": "a", "d2": "b", "d3": "c"}, "id")
    queries = read_queries(data_set(tmp_path, SMALL.documents))
    data = replace(data_set(tmp_path, {}), collection=Part(Path("package:set"), generated=lambda: iter(rows)))
    assert missing_documents(data, queries)[0].startswith("1 judged document is not in package:set, such as 17")
    monkeypatch.setattr(module, "_MOST_DOCUMENTS", 2)
    assert "was not looked at" in missing_documents(data, queries)[0]


def test_what_is_no_record_is_counted_where_that_is_asked_for(tmp_path: Path) -> None:
    data = data_set(tmp_path, SMALL.documents)
    with (tmp_path / "corpus.jsonl").open("a") as file:
        file.write("nothing\n")
    queries = read_queries(data)
    with pytest.raises(InputError, match=r"corpus.jsonl, line 5: not JSON"):
        documents_of(data, queries)
    assert documents_of(data, queries, skip_bad_lines=True) == (4, 1, ())
    assert missing_documents(data, queries, skip_bad_lines=True) == ()


@pytest.mark.parametrize("make", first_of(*MAKES, first=5))
def test_a_collection_of_which_over_half_has_no_text_is_refused(tmp_path: Path, make: str) -> None:
    texts = {"d1": "a text", "d2": "another", "d3": "", "d4": " \n"}
    for empty in (2, 3):
        (folder := tmp_path / str(empty)).mkdir()
        documents = texts | ({"d5": ""} if empty == 3 else {})
        data = locate(**MAKES[make](folder, Invented(SMALL.queries, SMALL.judgments, documents)))
        queries = read_queries(data)
        assert data.collection is not None
        if empty == 2:
            found = documents_of(data, queries)
            assert found is not None
            assert found.number == len(read_collection(data.collection)) == 4
            continue
        said = f"3 of 5 documents of {data.collection.path} have no text, so no search can find them; are the texts in"
        with pytest.raises(InputError, match=re.escape(said)):
            documents_of(data, queries)
        with pytest.raises(InputError, match=re.escape(said)):
            read_collection(data.collection)
        assert len(read_collection(data.collection, texts=False)) == 5
