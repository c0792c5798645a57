import json
import math
from pathlib import Path
from typing import Any

import data_sets
import naive_labels
import numpy as np
import orjson
import polars as pl
import pytest
from cases import tables
from hypothesis import given
from hypothesis import strategies as st

from benchbench.errors import InputError
from benchbench.formats import query_table
from benchbench.formats.collection_texts import SHOWN
from benchbench.formats.columns import are_names, choose_columns
from benchbench.formats.datasets.data_set import DataSet
from benchbench.formats.datasets.options import DataSetOptions
from benchbench.formats.query_fields import QUERY_TEXTS
from benchbench.formats.query_labels import BadLineError, LabelColumns
from benchbench.formats.query_table import data_groups, read_queries
from benchbench.formats.records import Part
from benchbench.formats.tiered import read_tiered
from benchbench.tables.labels import MISSING, Kind, Label, LabelSchema, Spans


def test_a_tiered_data_set_gives_labels_length_and_what_its_positives_are(tmp_path: Path):
    path = data_sets.write(tmp_path) / "tiered.jsonl"
    table, queries = read_queries(path), read_tiered(path)
    assert (table.ids, table.texts, table.digest) == (queries.ids, queries.texts, queries.digest)
    first = table.columns.row(0, named=True)
    assert first == {
        "accusation": ["盗窃"],
        "relevant_articles": ["264"],
        "imprisonment": 6,
        "death_penalty": False,
        "life_imprisonment": False,
        "positives": 4,
        "tier": 1,
        "length": len(queries.texts[0]),
    }
    assert table.columns.row(11, named=True)["tier"] is None


def test_beirs_queries_have_text_and_length(tmp_path: Path):
    path = data_sets.write_lines(
        tmp_path / "queries.jsonl", [{"_id": "1", "text": "what is", "metadata": {"court": "A"}}]
    )
    table = read_queries(path)
    assert (table.ids, table.texts) == (["1"], ["what is"])
    assert table.columns.rows(named=True) == [{"court": "A", "length": 7}]


def test_tables_and_parquet_give_the_same(tmp_path: Path):
    frame = pl.DataFrame({"query_id": [1, 2], "query": ["one", "three"], "year": [2001, None]})
    frame.write_csv(tmp_path / "q.csv")
    frame.write_csv(tmp_path / "q.tsv", separator="\t")
    frame.write_parquet(tmp_path / "q.parquet")
    for name in ("q.csv", "q.tsv", "q.parquet"):
        table = read_queries(tmp_path / name)
        assert (table.ids, table.texts) == (["1", "2"], ["one", "three"])
        assert table.columns["year"].to_list() == [2001, None]
        assert table.columns["length"].to_list() == [3, 5]


def test_columns_keep_their_kind_and_mixed_ones_are_texts(tmp_path: Path):
    rows = [
        {"id": "a", "n": 1, "x": 0.5, "flag": True, "tags": ["u", "v"], "mixed": 1, "long": "y" * 300},
        {"id": "b", "n": 2, "x": 1, "flag": False, "tags": "u", "mixed": "one", "nested": [[1]]},
        {"id": "c"},
    ]
    columns = read_queries(data_sets.write_lines(tmp_path / "q.jsonl", rows)).columns
    assert columns.to_dict(as_series=False) == {
        "n": [1, 2, None],
        "x": [0.5, 1.0, None],
        "flag": [True, False, None],
        "tags": [["u", "v"], ["u"], None],
        "mixed": ["1", "one", None],
    }


def test_texts_are_whole_until_all_of_them_are_much_and_then_as_long_as_reports_show_them(tmp_path: Path, monkeypatch):
    monkeypatch.setattr(query_table, "_WHOLE", 20_000)
    rows = [{"id": name, "text": "x" * 9000} for name in "abcd"]
    table = read_queries(data_sets.write_lines(tmp_path / "q.jsonl", rows))
    assert [len(text or "") for text in table.texts] == [9000, 9000, SHOWN, SHOWN]
    assert table.columns["length"].to_list() == [9000] * 4


def test_bad_lines_are_left_out_where_the_run_left_them_out(tmp_path: Path):
    path = tmp_path / "q.jsonl"
    path.write_bytes(b'{"_id": "a"}\n{\n[]\n{"text": "no id"}\n{"_id": "b"}\n')
    assert read_queries(path, skip_bad_lines=True).ids == ["a", "b"]


@pytest.mark.parametrize("name", ["q.csv", "q.tsv"])
def test_ids_and_texts_of_tables_are_no_numbers(tmp_path: Path, name: str):
    path = tmp_path / name
    path.write_text("id,text,year\n001,007,2001\n1,8,2002\n".replace(",", "," if name == "q.csv" else "\t"))
    table = read_queries(path)
    assert (table.ids, table.texts) == (["001", "1"], ["007", "8"])
    assert table.columns["year"].to_list() == [2001, 2002]


def test_a_column_of_the_files_own_that_is_called_length_stays(tmp_path: Path):
    rows = [{"_id": "a", "text": "what", "length": "short"}, {"_id": "b", "text": "why"}]
    columns = read_queries(data_sets.write_lines(tmp_path / "q.jsonl", rows)).columns
    assert columns["length"].to_list() == ["short", None]


def test_members_of_lists_are_labels_as_single_values_are(tmp_path: Path):
    rows = [{"_id": "a", "tags": [None, True, 1.0, "x"]}, {"_id": "b", "tags": [None]}, {"_id": "c", "tags": False}]
    columns = read_queries(data_sets.write_lines(tmp_path / "q.jsonl", rows)).columns
    assert columns["tags"].to_list() == [["yes", "1", "x"], [], ["no"]]


def test_long_texts_tell_groups_apart(tmp_path: Path):
    path, rows = (
        tmp_path / "queries.jsonl",
        [{"_id": f"q{n}", "text": "?", "g": f"{'x' * 300}{n % 3}"} for n in range(7)],
    )
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
    groups = data_groups(DataSet("tiered", DataSetOptions(), Part(path)), [f"q{n}" for n in range(7)], "g")
    assert groups is not None
    assert (groups.number, groups.codes.tolist()) == (3, [0, 1, 2, 0, 1, 2, 0])


def test_a_column_without_a_value_groups_nothing(tmp_path: Path):
    path = tmp_path / "queries.jsonl"
    path.write_text('{"_id": "q", "text": "?", "g": null}\n', encoding="utf-8")
    with pytest.raises(InputError, match="have no value of it; there are: length"):
        data_groups(DataSet("tiered", DataSetOptions(), Part(path)), ["q"], "g")


@pytest.mark.parametrize("name", QUERY_TEXTS)
def test_every_name_under_which_a_query_is_asked_is_one_under_which_it_is_shown(tmp_path: Path, name: str):
    table = read_queries(data_sets.write_lines(tmp_path / "queries.jsonl", [{"_id": "1", name: "what is a llama?"}]))
    assert (table.texts, table.columns.columns) == (["what is a llama?"], ["length"])


# Labels and gold spans of queries become columns, or an error that says what is wrong

NAMES = ["a", "b", "meta"]


VALUES = st.recursive(
    st.sampled_from([None, True, False, 0, 1, 2.5, "x", "[x]", "1", "2.5", "", [1], ["x", True], [], [[]], [{}]]),
    lambda inner: st.dictionaries(st.sampled_from(NAMES), inner, max_size=3),
    max_leaves=6,
)


QUERIES = st.lists(st.dictionaries(st.sampled_from(NAMES), VALUES, max_size=3), max_size=5)


PATHS = st.lists(st.lists(st.sampled_from(NAMES), min_size=1, max_size=3).map(tuple), max_size=3, unique=True).map(
    tuple
)


SCHEMAS = st.lists(st.tuples(st.sampled_from(Kind), PATHS, st.sampled_from(["", "[]"])), max_size=4).map(
    lambda drawn: LabelSchema(
        tuple(Label(f"label {n}", kind, paths, (), ignore) for n, (kind, paths, ignore) in enumerate(drawn))
    )
)


def twin(label: Label, query: dict[str, Any]) -> Any:
    value = naive_labels.value_of(query, label.query)
    if label.kind is Kind.NUMBER:
        return naive_labels.number_of(value)
    return naive_labels.flag_of(value) if label.kind is Kind.FLAG else naive_labels.set_of(value, label.ignore)


@given(SCHEMAS, QUERIES)
def test_columns_are_those_of_the_naive_twin(schema: LabelSchema, queries: list[dict[str, Any]]) -> None:
    columns, kept = LabelColumns(schema), []
    for query in queries:
        wanted = {label.name: twin(label, query) for label in schema.labels}
        if naive_labels.MALFORMED in wanted.values():
            with pytest.raises(BadLineError, match="the query's label label "):
                columns.read(query)
        else:
            columns.add(columns.read(query))
            kept.append(wanted)
    codes, numbers, sets = columns.codes(), columns.numbers(), columns.vocabulary.sets()
    assert codes.shape == (len(schema.coded), len(kept))
    assert numbers.shape == (len(schema.numeric), len(kept))
    assert codes.flags.c_contiguous
    assert numbers.flags.c_contiguous
    for q, wanted in enumerate(kept):
        for row, label in enumerate(schema.coded):
            found = None if codes[row, q] == MISSING else sets[codes[row, q]]
            assert found == wanted[label.name]
        for row, label in enumerate(schema.numeric):
            assert (None if math.isnan(numbers[row, q]) else numbers[row, q]) == wanted[label.name]


FILE = Label("file", Kind.SET, (), (("file",),))


SPANS = LabelSchema(
    (FILE,), (Spans("gold", (("gold",), ("meta", "gold")), "file"), Spans("other", (("other",),), "file"))
)


@given(st.lists(st.dictionaries(st.sampled_from(["gold", "other"]), st.lists(st.integers(0, 9), max_size=3))))
def test_spans_of_each_query_and_label_are_found_by_their_offsets(drawn: list[dict[str, list[int]]]) -> None:
    columns = LabelColumns(SPANS)
    for query in drawn:
        records = {
            name: [{"file": f"{n}.txt", "start": n, "end": n + 3} for n in numbers] for name, numbers in query.items()
        }
        columns.add(columns.read(records))
    spans, sets = columns.spans(), columns.vocabulary.sets()
    assert (spans.offsets.dtype, spans.file.dtype, spans.start.dtype) == (np.int64, np.int32, np.float64)
    assert spans.offsets.shape == (2, len(drawn) + 1)
    for row, name in enumerate(("gold", "other")):
        for q, query in enumerate(drawn):
            part = slice(*spans.offsets[row, q : q + 2].tolist())
            found = zip([sets[code] for code in spans.file[part]], spans.start[part], spans.end[part], strict=True)
            assert list(found) == [({f"{n}.txt"}, n, n + 3) for n in query.get(name, [])]


@pytest.mark.parametrize("empty", [{}, {"gold": None}, {"gold": []}, {"meta": "text"}])
def test_a_query_may_be_without_spans(empty: Any) -> None:
    assert LabelColumns(SPANS).read(empty).spans == [[], []]


def test_a_span_may_be_empty_and_its_file_a_number() -> None:
    assert LabelColumns(SPANS).read({"meta": {"gold": [{"file": 7, "span": ["3", 3]}]}}).spans[0] == [("7", 3.0, 3.0)]


@pytest.mark.parametrize(("value", "reason"), tables(__file__, "query_labels").items())
def test_a_malformed_span_is_an_error_that_says_which_and_why(value: str, reason: str) -> None:
    with pytest.raises(BadLineError) as caught:
        LabelColumns(SPANS).read({"gold": orjson.loads(value)})
    assert str(caught.value) == f"the query's label gold (gold){reason}"


def test_a_wrong_value_is_shown_in_one_short_line() -> None:
    schema = LabelSchema((Label("price", Kind.NUMBER, (("price",),), ()),))
    with pytest.raises(BadLineError) as caught:
        LabelColumns(schema).read({"price": "cheap\n\x1b[31m" + "!" * 200})
    assert len(str(caught.value)) < 150
    assert str(caught.value).isprintable()


# The names under which tables of judgments and hits have their columns


@pytest.mark.parametrize(
    ("names", "run"),
    [
        (["query_id", "doc_id", "score"], True),
        (["query_id", "doc_id", "relevance"], False),
        (["query-id", "corpus-id", "score"], True),  # BEIR
        (["query-id", "corpus-id", "score"], False),
        (["qid", "docno", "score"], True),  # PyTerrier
        (["qid", "docno", "label"], False),
        (["q_id", "doc_id", "score"], True),  # ranx
        (["query", "docid", "rel"], False),  # trectools
        (["queryId", "documentId", "similarity"], True),
        (["Query ID", "Passage ID", "Grade"], False),
        (["topic", "document", "judgment"], False),
    ],
)
def test_the_usual_names_are_known_in_any_order_and_among_others(names: list[str], run: bool):
    assert choose_columns(names, run, "x") == names
    assert choose_columns(["text", *reversed(names), "rank"], run, "x") == names
    assert are_names(names)


def test_of_several_names_the_more_exact_is_taken_and_of_equal_ones_the_first():
    assert choose_columns(["query", "qid", "query_id", "doc", "docno", "score"], True, "x") == [
        "query_id",
        "docno",
        "score",
    ]
    assert choose_columns(["score", "qid", "docno", "relevance"], False, "x") == ["qid", "docno", "relevance"]
    assert choose_columns(["qid", "QID", "docno", "Score", "score"], True, "x") == ["qid", "docno", "Score"]


@pytest.mark.parametrize("name", ["subtopic", "subtopic_id", "iteration", "iter"])
def test_a_column_of_subtopics_is_one_of_qrels_alone(name: str):
    assert choose_columns(["qid", name, "docno", "rel"], False, "x") == ["qid", "docno", "rel", name]
    assert choose_columns(["qid", name, "docno", "score"], True, "x") == ["qid", "docno", "score"]


QUERY_NAMES = "query_id, qid, query, q_id, topic_id or topic"


DOCUMENTS = "doc_id, docid, docno, document_id, corpus_id, doc, document, pid or passage_id"


GRADES = "relevance, rel, grade, label, judgment or score"


@pytest.mark.parametrize(
    ("names", "run", "sentence"),
    [
        (["id", "docno", "score"], True, f"f: no column query_id; there are id, docno, score; call it {QUERY_NAMES}"),
        (["qid", "text", "score"], True, f"f: no column doc_id; there are qid, text, score; call it {DOCUMENTS}"),
        (
            ["qid", "docno", "rel"],
            True,
            "f: no column score; there are qid, docno, rel; these are judgments, not a run",
        ),
        (["qid", "docno", "rank"], False, f"f: no column relevance; there are qid, docno, rank; call it {GRADES}"),
        ([], True, "f: no column query_id; there are none"),
        (["", "a\0b"], True, f"f: no column query_id; there are '', 'a\\x00b'; call it {QUERY_NAMES}"),
    ],
)
def test_a_missing_column_is_named_beside_those_that_are_there_and_the_names_it_may_have(
    names: list[str], run: bool, sentence: str
):
    with pytest.raises(InputError) as caught:
        choose_columns(names, run, "f")
    assert str(caught.value) == sentence


def test_a_table_of_thousands_of_columns_is_refused_in_a_short_sentence():
    with pytest.raises(InputError, match=r"column_1, .*, …; call it ") as caught:
        choose_columns([f"column_{i}" for i in range(5000)] + ["x" * 10**6], True, "f")
    assert len(str(caught.value)) < 400
    with pytest.raises(InputError) as caught:
        choose_columns(["x" * 10**6], True, "f")
    assert len(str(caught.value)) < 150


@pytest.mark.parametrize("fields", [["q1", "0", "d1", "1"], ["query", "0", "x", "1"], ["a", "b", "doc_id"], []])
def test_a_line_of_values_is_no_header(fields: list[str]):
    assert not are_names(fields)
