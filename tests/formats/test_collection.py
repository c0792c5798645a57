"""Collections of documents in BEIR's layout, in ours, and as files of cases."""

from pathlib import Path
from typing import Any

import orjson
import pytest

from benchbench.errors import InputError
from benchbench.formats.collection import read_collection


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "collection.jsonl"


def write(path: Path, *records: Any) -> Path:
    path.write_bytes(b"\n".join(map(orjson.dumps, records)))
    return path


def test_documents_keep_the_order_of_the_file(file: Path) -> None:
    collection = read_collection(write(file, {"_id": "b", "text": "乙"}, {"_id": "a", "text": "甲"}))
    assert (collection.ids, collection.texts, collection.meta) == (["b", "a"], ["乙", "甲"], [{}, {}])
    assert len(collection) == 2


def test_the_title_of_a_beir_document_precedes_its_text(file: Path) -> None:
    documents = [{"_id": "1", "title": title, "text": "text"} for title in ("Title", "")]
    documents.append({"_id": "2", "title": None, "text": "text"})
    documents[1]["_id"] = "3"
    assert read_collection(write(file, *documents)).texts == ["Title text", "text", "text"]


def test_labels_are_found_in_meta_or_at_the_top_level_and_kept_as_they_are(file: Path) -> None:
    sentence = {"imprisonment": 8, "death_penalty": False, "life_imprisonment": False}
    meta = {"accusation": ["盗窃"], "relevant_articles": [264], "term_of_imprisonment": sentence, "punish_of_money": 0}
    expected = {"accusation": ["盗窃"], "relevant_articles": [264], "imprisonment": sentence}
    top = {"accusation": ["盗窃"], "articles": [264], "imprisonment": sentence}
    collection = read_collection(write(file, {"id": 1, "fact": "甲", "meta": meta}, {"id": 2, "fact": "乙", **top}))
    assert collection.meta == [expected, expected]


def test_a_document_without_id_is_named_by_its_line(file: Path) -> None:
    file.write_bytes(b'\n{"fact": "a"}\n\n{"fact": "b", "id": null}\n')
    assert read_collection(file).ids == ["2", "4"]


def test_ids_that_are_numbers_are_strings(file: Path) -> None:
    assert read_collection(write(file, {"id": 0, "text": "a"}, {"doc_id": "x", "text": "b"})).ids == ["0", "x"]


def test_a_document_may_have_an_empty_text(file: Path) -> None:
    assert read_collection(write(file, {"_id": "1", "title": "Title", "text": ""})).texts == ["Title "]


def test_gb18030_is_read_when_named(file: Path) -> None:
    file.write_bytes('{"fact": "盗窃"}'.encode("gb18030"))
    assert read_collection(file, "gb18030").texts == ["盗窃"]


@pytest.mark.parametrize(
    ("record", "reason"),
    [
        (["text"], "not a JSON object"),
        (None, "not a JSON object"),
        ({"_id": "1"}, 'the document has no text (a member "text")'),
        ({"_id": "1", "text": 5}, 'the document has no text (a member "text")'),
        ({"_id": 1.5, "text": "a"}, "the id is neither a number nor a string"),
        ({"_id": "", "text": "a"}, "the id is neither a number nor a string"),
        ({"_id": "first", "text": "a"}, "id first was used in line 1 already"),
    ],
)
def test_a_bad_document_is_named_with_file_line_and_reason(file: Path, record: Any, reason: str) -> None:
    write(file, {"_id": "first", "text": "a"}, record)
    with pytest.raises(InputError) as caught:
        read_collection(file)
    assert str(caught.value) == f"{file}, line 2: {reason}"


def test_a_collection_without_documents_is_an_error(file: Path) -> None:
    file.write_bytes(b"\n")
    with pytest.raises(InputError, match="has no document"):
        read_collection(file)


def test_a_real_collection_is_read_whole(shared_data: Path) -> None:
    collection = read_collection(shared_data / "scifact" / "corpus.jsonl")
    assert len(collection) == 5183
    assert len(set(collection.ids)) == 5183


def test_names_files_and_categories_are_kept_where_there_are_any(file: Path) -> None:
    documents = [
        {"_id": "1", "title": "Title", "text": "a", "category": "A"},
        {"_id": "2", "text": "b", "sourcepage": "f.pdf#page=3", "sourcefile": "f.pdf", "meta": {"category": "B"}},
        {"_id": "3", "text": "c", "category": 7},
    ]
    collection = read_collection(write(file, *documents))
    assert collection.names == ["Title", "f.pdf#page=3", ""]
    assert collection.files == ["", "f.pdf", ""]
    assert collection.categories == ["A", "B", ""]
    plain = read_collection(write(file, {"text": "a"}))
    assert (plain.names, plain.files, plain.categories) == ([], [], [])
