"""One reader of records for JSON lines, JSON, tables, Parquet and TREC files; each bad thing is one sentence."""

import codecs
import gzip
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import data_sets
import orjson
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchbench.errors import InputError
from benchbench.formats.collection import LONGEST, MOST, document_ids, each_document, read_collection
from benchbench.formats.collection_texts import SHOWN, texts_of
from benchbench.formats.query_table import read_query_table
from benchbench.formats.records import Part, record_id, records
from benchbench.tables.hashing import content_digest

ROWS = [{"id": "001", "text": 'the "first"'}, {"id": "2", "text": "盗窃 é"}]


def write(folder: Path, name: str, content: str | bytes) -> Path:
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def read(path: Path, **options: Any) -> list[Any]:
    return [record for _, record in records(path, **options)]


def lines(rows: list[dict[str, Any]]) -> str:
    return "".join(f"{json.dumps(row, ensure_ascii=False)}\n" for row in rows)


TSV = "".join(f"{row['id']}\t{row['text']}\n" for row in ROWS)


CSV = '001,"the ""first"""\n2,盗窃 é\n'


TREC = "".join(f"<DOC>\n<DOCNO> {row['id']} </DOCNO>\n<TEXT>\n{row['text']}\n</TEXT>\n</DOC>\n" for row in ROWS)


SAME = {
    "a.jsonl": lines(ROWS),
    "array.json": json.dumps(ROWS),
    "indented.json": json.dumps(ROWS, indent=1),
    "object.json": json.dumps({row["id"]: row["text"] for row in ROWS}),
    "objects.json": json.dumps({row["id"]: {"text": row["text"]} for row in ROWS}, indent=1),
    "lines.json": lines(ROWS),
    "a.tsv": TSV,
    "named.tsv": f"id\ttext\n{TSV}",
    "a.csv": CSV,
    "named.csv": f"id,text\n{CSV}",
    "lines": lines(ROWS),
    "tabs": TSV,
}


@pytest.mark.parametrize("name", SAME)
@pytest.mark.parametrize("shape", ["plain", "mark", "crlf", "open end", "blank lines", "gzip"])
def test_the_same_records_come_out_of_every_kind_of_file(tmp_path: Path, name: str, shape: str):
    content = SAME[name].encode()
    match shape:
        case "mark":
            content = codecs.BOM_UTF8 + content
        case "crlf":
            content = content.replace(b"\n", b"\r\n")
        case "open end":
            content = content.rstrip(b"\n")
        case "blank lines":
            content = b"\n" + content.replace(b"\n", b"\n\n")
        case "gzip":
            content, name = gzip.compress(content), f"{name}.gz"
    assert read(write(tmp_path, name, content)) == ROWS


@pytest.mark.parametrize("name", [name for name in SAME if name not in {"array.json", "object.json", "tabs"}])
@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-32", "gb18030"])
def test_other_encodings_are_detected_or_named(tmp_path: Path, name: str, encoding: str):
    if encoding == "gb18030" and name in {"indented.json", "objects.json"}:
        return  # JSON of a whole file is of a UTF encoding
    path = write(tmp_path, name, SAME[name].encode(encoding))
    assert read(path, encoding="gb18030" if encoding == "gb18030" else None) == ROWS


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "gb18030"])
def test_trec_documents_have_id_title_and_text(tmp_path: Path, encoding: str):
    path = write(tmp_path, "docs", TREC.encode(encoding))
    assert read(path, encoding=encoding) == [{"title": "", **row} for row in ROWS]


def test_trec_documents_of_a_folder_are_read_in_the_order_of_the_names_of_files(tmp_path: Path):
    write(tmp_path, "readme", "These are documents.\n")
    write(tmp_path, "b", TREC)
    write(tmp_path, "a.gz", gzip.compress(b"<doc><docno>x</docno><HEADLINE>A &amp; <b>B</b></HEADLINE><p>c</p></doc>"))
    rows = records(tmp_path)
    assert [(record["id"], rows.where(n)) for n, record in rows] == [
        ("x", f"{tmp_path / 'a.gz'}, element 1"),
        ("001", f"{tmp_path / 'b'}, element 1"),
        ("2", f"{tmp_path / 'b'}, element 2"),
    ]
    assert read(tmp_path)[0] == {"id": "x", "title": "A &  B", "text": "c"}
    assert read(tmp_path, only=("id",)) == [{"id": "x"}, {"id": "001"}, {"id": "2"}]


AD_HOC = """<top>
<num> Number: 301
<title> International Organized Crime

<desc> Description:
Identify <i>organizations</i> that
participate &amp; act.

<narr> Narrative:
A relevant document …
</top>
<top><num>Number: 302</num><title>Poliomyelitis</title></top>
"""


COVID = """<?xml version="1.0"?>
<!DOCTYPE topics [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;"><!ENTITY file SYSTEM "file:///etc/passwd">]>
<topics task="COVIDSEARCH">
  <topic number="1"><query>origin &b; &file;</query><question>what is &lt;it&gt;</question></topic>
  <topic number='2'><query/><question>second</question></topic>
  <topic number="3">free text</topic>
</topics>"""


def test_topics_of_sgml_have_what_their_tags_say(tmp_path: Path):
    assert read(write(tmp_path, "topics.301", AD_HOC)) == [
        {
            "id": "301",
            "title": "International Organized Crime",
            "desc": "Identify organizations that participate & act.",
            "narr": "A relevant document …",
        },
        {"id": "302", "title": "Poliomyelitis"},
    ]


def test_topics_of_xml_are_read_and_no_entity_is_expanded(tmp_path: Path):
    assert read(write(tmp_path, "topics.xml", COVID)) == [
        {"id": "1", "query": "origin &b; &file;", "question": "what is <it>"},
        {"id": "2", "question": "second"},
        {"id": "3", "text": "free text"},
    ]


def test_xml_is_read_in_the_encoding_that_it_declares(tmp_path: Path):
    text = '<?xml version="1.0" encoding="ISO-8859-1"?><topics><topic number="1"><title>é</title></topic></topics>'
    assert read(write(tmp_path, "t.xml", text.encode("latin-1"))) == [{"id": "1", "title": "é"}]


def test_parquet_is_read_by_shards_and_by_the_columns_that_are_needed(tmp_path: Path):
    folder = tmp_path / "corpus"
    folder.mkdir()
    for shard in range(3):
        frame = pl.DataFrame({"_id": [shard, shard + 10], "text": ["a", "b"], "vector": [[1.0], [2.0]]})
        frame.write_parquet(folder / f"train-{shard}.parquet")
    assert [row["_id"] for row in read(folder)] == [0, 10, 1, 11, 2, 12]
    assert read(folder, only=("id", "text"))[0] == {"_id": 0, "text": "a"}
    assert list(document_ids(folder)) == ["0", "10", "1", "11", "2", "12"]
    assert read_collection(folder).meta[0] == {"vector": [1.0]}
    assert read(folder / "train-2.parquet", only=("id",)) == [{"_id": 2}, {"_id": 12}]


def test_ms_marcos_documents_have_four_columns_and_others_have_to_be_named(tmp_path: Path):
    path = write(tmp_path, "docs.tsv", 'D1\thttp://a\tTitle\t"body\nD2\thttp://b\t\tb\n')
    assert [(one.id, one.text, one.titled()) for one in each_document(path)] == [
        ("D1", '"body', 'Title "body'),
        ("D2", "b", "b"),
    ]
    with pytest.raises(
        InputError, match=r"line 1: 5 columns, and this line does not name columns; name them in the first"
    ):
        read(write(tmp_path, "five.tsv", "a\tb\tc\td\te\n"))


def test_members_name_id_and_text_wherever_they_stand(tmp_path: Path):
    path = write(tmp_path, "a.jsonl", '{"key": {"n": 7}, "head": "H", "one": "x", "two": "y", "kind": "k"}\n')
    part = Part(path, {"id": ("key.n",), "text": ("one", "two"), "title": ("head",)})
    (one,) = each_document(part)
    assert (one.id, one.text, one.titled()) == ("7", "x y", "H x y")
    assert list(document_ids(part)) == ["7"]
    assert texts_of(part, ["7"]) == {"7": "H x y"}
    table = Part(write(tmp_path, "b.tsv", "key\tone\n01\tx\n"), {"id": ("key",), "text": ("one",)})
    assert (read_collection(table).ids, read_collection(table).meta) == (["01"], [{}])


def test_generated_records_are_made_anew_for_each_reading(tmp_path: Path):
    def made() -> Iterator[dict[str, Any]]:
        yield from ROWS

    part = Part(Path("package:x"), generated=made)
    assert read(part) == read(part) == ROWS
    digests = [content_digest() for _ in range(2)]
    for digest in digests:
        read(part, digest=digest)
    assert digests[0].hexdigest() == digests[1].hexdigest() != content_digest().hexdigest()
    with pytest.raises(InputError, match="package:x, record 2: id 1 was used in record 1 already"):
        read_collection(Part(Path("package:x"), generated=lambda: [{"id": 1, "text": "a"}] * 2))


@pytest.mark.parametrize(
    ("value", "text"),
    [(17, "17"), (17.0, "17"), ("017", "017"), (1.5, None), (True, None), ("", None), (1e300, None), ([1], None)],
)
def test_ids_are_text_or_whole_numbers(value: Any, text: str | None):
    assert record_id(value) == text


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.jsonl", '{"id": 1}\n{\n{"id": 3}\n'),
        ("a.tsv", "id\ttext\n1\ta\n2\tb\tc\n3\td\n"),
        ("a.csv", 'id,text\n1,a\n2,"b"c\n3,d\n'),
        ("a.tsv", b"id\ttext\n1\ta\n2\t\xff\n3\td\n"),
        ("a.csv", b"id,text\n1,a\n2,\xff\n3,d\n"),
        ("a.trec", "<DOC><DOCNO>1</DOCNO></DOC>\n<DOC></DOC>\n<DOC><DOCNO>3</DOCNO></DOC>"),
        ("a.trec", b"<DOC><DOCNO>1</DOCNO></DOC>\n<DOC>\n<DOCNO>2</DOCNO>\xff\n</DOC>\n<DOC><DOCNO>3</DOCNO></DOC>"),
    ],
)
def test_bad_records_are_none_where_they_are_skipped(tmp_path: Path, name: str, content: Any):
    found = list(records(write(tmp_path, name, content), skip_bad_lines=True))
    assert [n for n, _ in found] == [1, 2, 3]
    assert [record and str(record["id"]) for _, record in found] == ["1", None, "3"]


def test_a_folder_without_shards_and_an_unknown_format_are_refused(tmp_path: Path):
    write(tmp_path, "readme.txt", "nothing")
    with pytest.raises(InputError, match="has no shards: no file in it is Parquet, JSON lines or TREC documents"):
        read(tmp_path)
    with pytest.raises(InputError, match="has no shards: no file in it is parquet"):
        read(Part(tmp_path, format="parquet"))
    with pytest.raises(InputError, match="the format 'xls' is none of jsonl, json, tsv"):
        read(Part(tmp_path / "readme.txt", format="xls"))


def test_documents_that_are_none_are_left_out_and_counted(tmp_path: Path):
    path = write(tmp_path, "a.jsonl", '{"id": 1, "text": "a"}\n{\n{"id": 2}\n{"id": 1, "text": "b"}\n')
    collection = read_collection(path, skip_bad_lines=True)
    assert (collection.ids, collection.texts, collection.skipped) == (["1"], ["a"], 3)


def test_without_texts_a_collection_keeps_ids_and_names(tmp_path: Path):
    path = write(tmp_path, "a.jsonl", '{"id": 1, "title": "T", "text": "a", "b": 2}\n')
    collection = read_collection(path, texts=False)
    assert (collection.ids, collection.texts, collection.meta, collection.names) == (["1"], [""], [{}], ["T"])


@pytest.mark.parametrize(
    ("name", "content"), [("t.xml", COVID), ("topics", AD_HOC), ("a.tsv", TSV), ("q", lines(ROWS))]
)
def test_queries_to_compare_by_come_from_every_kind(tmp_path: Path, name: str, content: str):
    path = write(tmp_path, name, content)
    table = read_query_table(path)
    assert table.ids == [record["id"] for record in read(path)]
    assert all(table.texts)


def test_queries_that_cannot_be_read_say_why(tmp_path: Path):
    path = write(tmp_path, "t.xml", "<top><num>1<title>a</top>\n<top><title>b</top>\n")
    with pytest.raises(InputError, match="line 2: <top>: the topic has no number"):
        read_query_table(path)
    assert read_query_table(path, skip_bad_lines=True).ids == ["1"]


words = st.text(st.characters(exclude_categories=["Cs", "Cc"], exclude_characters="\u2028\u2029\x85"), max_size=12)


@given(rows=st.lists(st.tuples(st.integers(0, 99).map(str), words), min_size=1), end=st.sampled_from(["\n", "\r\n"]))
def test_rows_without_names_are_what_splitting_them_gives(tmp_path_factory, rows: list[tuple[str, str]], end: str):
    path = write(tmp_path_factory.mktemp("t"), "a.tsv", end.join(f"{number}\t{text}" for number, text in rows))
    assert read(path) == [{"id": number, "text": text} for number, text in rows]


@pytest.mark.slow  # real data
@pytest.mark.parametrize("name", ["cacm", "scifact"])
def test_real_collections_have_the_same_ids_however_they_are_read(shared_data: Path, tmp_path: Path, name: str):
    path = shared_data / name / "corpus.jsonl"
    collection = read_collection(path)
    frame = pl.DataFrame({"_id": collection.ids[:], "text": collection.texts[:]})
    frame.write_parquet(tmp_path / "a.parquet", row_group_size=500)
    frame.write_csv(tmp_path / "a.csv")
    for other in (path, tmp_path / "a.parquet", tmp_path / "a.csv"):
        assert list(document_ids(other)) == collection.ids
    assert read_collection(tmp_path / "a.parquet").texts == collection.texts
    assert read_collection(tmp_path / "a.csv").texts == collection.texts


# Collections of documents in BEIR's layout, in ours, and as files of cases


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "collection.jsonl"


def collection_write(path: Path, *records: Any) -> Path:
    path.write_bytes(b"\n".join(map(orjson.dumps, records)))
    return path


def test_documents_keep_the_order_of_the_file(file: Path) -> None:
    collection = read_collection(collection_write(file, {"_id": "b", "text": "乙"}, {"_id": "a", "text": "甲"}))
    assert (collection.ids, collection.texts, collection.meta) == (["b", "a"], ["乙", "甲"], [{}, {}])
    assert len(collection) == 2


def test_the_title_of_a_beir_document_precedes_its_text(file: Path) -> None:
    documents = [{"_id": "1", "title": title, "text": "text"} for title in ("Title", "")]
    documents.append({"_id": "2", "title": None, "text": "text"})
    documents[1]["_id"] = "3"
    assert read_collection(collection_write(file, *documents)).texts == ["Title text", "text", "text"]


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
    assert read_collection(collection_write(file, {"id": 1, "text": "a", **record})).meta == [meta]


def test_members_of_both_places_come_together_those_of_meta_first(file: Path) -> None:
    record = {"price": 2, "text": "a", "meta": {"brand": "Acme"}, "metadata": {"shelf": 7}}
    (meta,) = read_collection(collection_write(file, record)).meta
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
    collection = read_collection(collection_write(file, {"text": "a", "name": text}))
    assert collection.meta == [{"name": text} if kept else {}]
    assert collection.left_out == ({} if kept else {"name": 1})


def test_a_document_with_many_members_keeps_the_first_that_have_room(file: Path) -> None:
    members = {f"m{n}": "x" * 900 for n in range(6)}
    collection = read_collection(collection_write(file, {"text": "a", **members, "last": 1}))
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
    collection = read_collection(collection_write(file, *documents))
    assert collection.names == ["Title", "f.pdf#page=3", ""]
    assert collection.files == ["", "f.pdf", ""]
    assert collection.categories == ["A", "B", ""]
    plain = read_collection(collection_write(file, {"text": "a"}))
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


# Collection texts


def test_only_the_documents_that_are_asked_for_are_kept_titles_first(tmp_path: Path):
    rows = [{"_id": "a", "title": "On", "text": "rent"}, {"_id": "b", "fact": "theft"}, {"text": "third line"}]
    path = data_sets.write_lines(tmp_path / "c.jsonl", rows)
    assert texts_of(path, ["a", "b", "3", "unknown"]) == {"a": "On rent", "b": "theft", "3": "third line"}
    assert texts_of(path, []) == {}


def test_a_long_text_is_cut(tmp_path: Path):
    path = data_sets.write_lines(tmp_path / "c.jsonl", [{"_id": "a", "text": "x" * 5000}])
    assert texts_of(path, ["a"])["a"] == "x" * SHOWN + "…"


def test_the_collection_is_read_no_further_than_needed(tmp_path: Path):
    path = data_sets.write_lines(tmp_path / "c.jsonl", [{"_id": "a", "text": "here"}])
    path.write_bytes(path.read_bytes() + b"[]\n")
    assert texts_of(path, ["a"]) == {"a": "here"}


def test_bad_lines_are_passed_over(tmp_path: Path):
    path = tmp_path / "c.jsonl"
    path.write_bytes(b'[]\n{\n{"_id": "a", "text": "here"}\nnull\n')
    assert texts_of(path, ["a", "b"]) == {"a": "here"}


def test_what_is_no_collection_is_refused(tmp_path: Path):
    path = tmp_path / "a.run"
    path.write_text("q1 Q0 d1 1 0.5 tag\n")
    with pytest.raises(InputError, match=r"a\.run is not a collection: none of its lines is a JSON object"):
        texts_of(path, ["a"])
    with pytest.raises(InputError, match="does not exist"):
        texts_of(tmp_path / "nothing", ["a"])
