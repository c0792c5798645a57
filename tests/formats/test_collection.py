"""Collections of documents in BEIR's layout, in ours, and as files of cases."""

from pathlib import Path
from typing import Any

import orjson
import pytest

from benchbench.formats.collection import LONGEST, MOST, read_collection


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


LABELS = {"brand": "Acme", "categories": ["tools", "garden"], "price": 12.5, "sold": False, "place": {"shelf": 7}}


@pytest.mark.parametrize(
    ("record", "meta"),
    [
        ({"meta": LABELS}, LABELS),
        ({"metadata": LABELS}, LABELS),
        (LABELS, LABELS),
        ({"meta": {"brand": "Other", **LABELS}, "brand": "Acme"}, LABELS),  # what stands beside the text counts
        ({"meta": LABELS, "brand": None}, LABELS),  # null says nothing
        ({"meta": {**LABELS, "colour": None}}, LABELS),
        ({"title": "Title", "fact": "another text", "doc_id": 8, **LABELS}, LABELS),
        ({"meta": "shop"}, {"meta": "shop"}),  # which is no object, and so a label
    ],
)
def test_meta_is_what_the_file_says_of_a_document_besides_id_title_and_text(file: Path, record: Any, meta: Any) -> None:
    assert read_collection(write(file, {"id": 1, "text": "a", **record})).meta == [meta]


def test_members_of_both_places_come_together_those_of_meta_first(file: Path) -> None:
    record = {"price": 2, "text": "a", "meta": {"brand": "Acme"}, "metadata": {"shelf": 7}}
    (meta,) = read_collection(write(file, record)).meta
    assert list(meta.items()) == [("brand", "Acme"), ("price", 2), ("metadata", {"shelf": 7})]


def test_texts_and_embeddings_are_left_out_of_meta_and_counted(file: Path) -> None:
    vector = [0.123456789 + n for n in range(128)]
    deep: Any = []
    for _ in range(500):
        deep = [deep]
    documents = [
        {"text": "a", "embedding": vector, "meta": {"abstract": "long " * 200, "brand": "Acme"}},
        {"text": "b", "embedding": vector, "meta": {"abstract": "short", "brand": "Acme"}},
    ]
    file.write_bytes(b"\n".join(map(orjson.dumps, documents)) + f'\n{{"text": "c", "deep": {deep!s}}}'.encode())
    collection = read_collection(file)
    assert collection.meta == [{"brand": "Acme"}, {"abstract": "short", "brand": "Acme"}, {}]
    assert collection.left_out == {"embedding": 2, "abstract": 1, "deep": 1}


@pytest.mark.parametrize(("length", "kept"), [(LONGEST, True), (LONGEST + 1, False)])
def test_a_member_has_at_most_so_many_bytes_of_json(file: Path, length: int, kept: bool) -> None:
    text = "x" * (length - len('"name":""'))
    collection = read_collection(write(file, {"text": "a", "name": text}))
    assert collection.meta == [{"name": text} if kept else {}]
    assert collection.left_out == ({} if kept else {"name": 1})


def test_a_document_with_many_members_keeps_the_first_that_have_room(file: Path) -> None:
    members = {f"m{n}": "x" * 900 for n in range(6)}
    collection = read_collection(write(file, {"text": "a", **members, "last": 1}))
    assert list(collection.meta[0]) == ["m0", "m1", "m2", "m3", "last"]
    assert collection.left_out == {"m4": 1, "m5": 1}
    assert len(orjson.dumps(collection.meta[0])) <= MOST + len("{}") + len(collection.meta[0])


def test_a_document_without_id_is_named_by_its_line_and_numbers_are_strings(file: Path) -> None:
    file.write_bytes(
        b'\n{"fact": "a"}\n\n{"fact": "b", "id": null}\n{"id": 0, "text": "a"}\n{"doc_id": "x", "text": "b"}'
    )
    assert read_collection(file).ids == ["2", "4", "0", "x"]


def test_a_document_may_have_an_empty_text_and_another_encoding(file: Path) -> None:
    file.write_bytes('{"fact": "盗窃"}\n{"_id": "a", "title": "Title", "text": ""}'.encode("gb18030"))
    assert read_collection(file, "gb18030").texts == ["盗窃", "Title "]


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


@pytest.mark.parametrize(
    ("inner", "text"),
    [
        ("an oak has acorns", "an oak has acorns"),
        ("an <b>oak</b> has", "an  oak  has"),
        ("<TITLE>Oaks</TITLE> before <DATE>1994</DATE>", "before  1994"),
        ("loose <TEXT>an oak</TEXT> words", "an oak"),
        ("<BODY>an oak</BODY>", "an oak"),
    ],
)
def test_trec_text_without_its_element_is_what_is_in_no_other_named_field(tmp_path: Path, inner: str, text: str):
    path = tmp_path / "d.trec"
    path.write_text(f"<DOC>\n<DOCNO>1</DOCNO>\n{inner}\n</DOC>\n")
    assert read_collection(path).texts[0].removeprefix("Oaks").strip() == text
