"""Tables, Parquet, Arrow and frames: what is read, and the row of what is not."""

import datetime
import decimal
import gzip
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
from cases import check_rows, tables
from hypothesis import given
from hypothesis import strategies as st
from judged_files import FILES, arrow, arrow_stream, flat, parquet, refusal, same

import benchbench as bb
from benchbench.errors import BadLineError, InputError
from benchbench.formats import frames, query_table
from benchbench.formats.collection_texts import SHOWN
from benchbench.formats.columns import are_names, choose_columns
from benchbench.formats.datasets.data_set import DataSet
from benchbench.formats.datasets.data_set_options import DataSetOptions
from benchbench.formats.query_labels import LabelColumns
from benchbench.formats.query_table import data_groups, read_query_table
from benchbench.formats.records import Part
from benchbench.formats.tiered import read_tiered
from benchbench.tables.fields import QUERY_TEXTS
from benchbench.tables.labels import MISSING, Kind, Label, LabelSchema, Spans

TABLES = tables(__file__)

COMMAS, TABS = b"query_id,doc_id,score\n", b"query-id\tcorpus-id\tscore\n"


ROWS = flat({"a": {"x": 2.5, "y": 1.5}, "b": {"x": 7.0}})


@pytest.fixture
def table(tmp_path: Path) -> Path:
    return tmp_path / "run.csv"


def columns(**other: Any) -> dict[str, Any]:
    return {"query_id": ["a", "a"], "doc_id": ["x", "y"], "score": [2.0, 1.0]} | other


def said(given: Any, run: bool = True) -> str:
    """Return the one sentence in which a frame is refused."""
    with pytest.raises(InputError) as caught:
        bb.Run.from_frame(given) if run else bb.Qrels.from_frame(given)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def test_whole_numbers_that_became_floats_beside_a_missing_one_are_ids(tmp_path: Path):
    path = tmp_path / "x.parquet"
    pl.DataFrame({"query_id": [7.0, 7.0], "doc_id": [10001.0, 3e9], "score": [2.0, 1.0]}).write_parquet(path)
    assert bb.Run.from_file(path).digest == bb.Run.from_dict({"7": {"10001": 2.0, "3000000000": 1.0}}).digest
    for missing in (None, math.nan):
        assert said(pl.DataFrame(columns(doc_id=[1.0, missing]))) == "run, row 2: no document id"


# Tables


def test_fields_may_be_quoted_and_then_hold_separators_and_line_ends(table: Path):
    table.write_bytes(COMMAS + b'"a","x,1","2.5"\r\n"a","say ""y""",1.5\nb,"x\ny", 7 \n')
    hits = {"a": {"x,1": 2.5, 'say "y"': 1.5}, "b": {"x\ny": 7.0}}
    assert same(bb.Run.from_file(table), bb.Run.from_dict(hits))


def test_tabs_part_fields_that_are_quoted_if_the_header_is(table: Path):
    table.write_bytes(b'"query_id"\t"docno"\t"score"\n"a"\t"x"\t2\n')
    assert same(bb.Run.from_file(table), bb.Run.from_dict({"a": {"x": 2.0}}))
    table.write_bytes(TABS + b'"a"\t"x\t2\n')
    assert same(bb.Run.from_file(table), bb.Run.from_dict({'"a"': {'"x': 2.0}}))


def test_blank_lines_of_a_table_are_skipped_and_counted(table: Path):
    table.write_bytes(COMMAS + b"\n\r\na,x,2\n\n\nb,x,1\n\n")
    assert same(bb.Run.from_file(table), bb.Run.from_dict({"a": {"x": 2.0}, "b": {"x": 1.0}}))
    table.write_bytes(COMMAS + b"\n\na,x,2\n\n\nb,x,one\n")
    assert refusal(table) == ", line 7: the score 'one' is not a number"


def test_words_for_missing_values_are_ids_as_any_other(table: Path):
    table.write_bytes(COMMAS + b"NA,null,1\nNaN,None,2\n#,-,3\n")
    hits = {"NA": {"null": 1.0}, "NaN": {"None": 2.0}, "#": {"-": 3.0}}
    assert same(bb.Run.from_file(table), bb.Run.from_dict(hits))


def test_names_of_columns_may_be_empty_or_given_twice(table: Path):
    table.write_bytes(b",qid,docno,text,text,score,score\n0,a,x,t,t,2,9\n")
    assert same(bb.Run.from_file(table), bb.Run.from_dict({"a": {"x": 2.0}}))


@given(st.floats(allow_nan=False), st.sampled_from([repr, "{:.17e}".format, "{:+}".format, " {!r} ".format]))
def test_scores_of_a_table_are_rounded_as_python_does(
    tmp_path_factory: pytest.TempPathFactory, score: float, written: Any
):
    path = tmp_path_factory.getbasetemp() / "numbers.csv"
    path.write_text(f"qid,docno,score\na,x,{written(score)}\n")
    parts = frames.file_rows(frames.Source(path), "table", True)
    assert [part.use(lambda rows: rows.value.tolist()) for part in parts] == [[score]]


@pytest.mark.parametrize("name", ["x.csv", "x.tsv", "x.csv.gz"])
@pytest.mark.parametrize("end", [b"", b"\n", b"\r\n", b"\n\n\r\n"])
def test_a_header_alone_is_refused(tmp_path: Path, name: str, end: bytes):
    header = (COMMAS if ".csv" in name else TABS).rstrip(b"\n") + end
    (tmp_path / name).write_bytes(gzip.compress(header) if name.endswith("gz") else header)
    assert refusal(tmp_path / name) == " has no hit, so every score would be 0"
    assert refusal(tmp_path / name, run=False) == " has no judgment, so every score would be 0"


def test_the_line_is_right_in_any_chunk(table: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(frames, "CHUNK", 3)
    table.write_bytes(COMMAS + b"".join(b"%d,x%d,1\n" % (i // 4, i) for i in range(40)) + b"z,x,\n")
    assert refusal(table) == ", line 42: no score"


# Parquet and Arrow


@pytest.mark.parametrize("name", ["x.parquet", "x.arrow", "x.arrows", "x", "y"])
def test_a_file_of_columns_without_rows_is_refused(tmp_path: Path, name: str):
    write = {"x.parquet": parquet, "x": parquet, "x.arrows": arrow_stream}.get(name, arrow)
    (tmp_path / name).write_bytes(write([], True))
    assert refusal(tmp_path / name) == " has no hit, so every score would be 0"


@pytest.mark.parametrize("name", ["x.parquet", "x.arrow", "x.arrows"])
@pytest.mark.parametrize("part", [0.01, 0.3, 0.5, 0.9])
def test_a_file_of_columns_that_is_cut_is_refused(tmp_path: Path, name: str, part: float):
    rows = [(f"q{i // 7}", f"d{i}", float(i)) for i in range(300)]
    data = {"x.parquet": parquet, "x.arrow": arrow, "x.arrows": arrow_stream}[name](rows, True)
    (tmp_path / name).write_bytes(data[: int(len(data) * part)])
    assert refusal(tmp_path / name)


@pytest.mark.parametrize("name", ["x.parquet", "x.arrow", "x.ipc"])
@pytest.mark.parametrize("data", [b"a Q0 x 1 2 t\n" * 99, b"\0" * 999, b"\xff" * 999, b"PAR1", b"ARROW1\0\0"])
def test_what_is_no_file_of_columns_is_refused(tmp_path: Path, name: str, data: bytes):
    (tmp_path / name).write_bytes(data)
    assert refusal(tmp_path / name)


def test_columns_that_are_absent_or_of_no_use_are_named(tmp_path: Path):
    path = tmp_path / "x.parquet"
    pl.DataFrame(columns()).drop("doc_id").write_parquet(path)
    assert refusal(path).startswith(": no column doc_id; there are query_id, score; call it doc_id, docid, ")
    pl.DataFrame(columns(score=[None, 1.0])).write_parquet(path)
    assert refusal(path) == ", row 1: no score"
    pl.DataFrame(columns(doc_id=[1.5, 2.5])).write_parquet(path)
    assert (
        refusal(path) == " has document ids of type Float64; ids are text or whole numbers: turn the column into text"
    )


def test_a_name_with_the_signs_of_a_pattern_is_that_of_one_file(tmp_path: Path):
    for name in ("run[1].parquet", "run*.arrow", "run?.csv"):
        write = {"parquet": parquet, "arrow": arrow, "csv": FILES["commas.csv"]}[name.split(".")[1]]
        (tmp_path / name).write_bytes(write(ROWS, True))
        (tmp_path / name.replace("[1]", "1").replace("*", "2").replace("?", "3")).write_bytes(write(ROWS[:1], True))
        assert len(bb.Run.from_file(tmp_path / name)) == 2


@pytest.mark.parametrize("name", ["columns.parquet", "columns.arrow", "commas.csv"])
def test_a_scan_that_is_left_early_leaves_nothing_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str):
    monkeypatch.setattr(frames, "CHUNK", 10)
    (tmp_path / name).write_bytes(FILES[name]([(f"q{i}", "x", 1.0) for i in range(1000)], True))
    shards = bb.scan_run(tmp_path / name).shards()
    assert next(shards).use(lambda part: part.query.size) > 0
    shards.close()


# Frames and arrays

IDS = "ids are text or whole numbers: turn the column into text"


WRITE = "ids are text or whole numbers: write it as text"


ARRAYS = "needs three arrays (query ids, document ids, numbers) of one dimension and one length"


def test_a_bad_row_of_a_frame_is_named_with_its_reason():
    def check(other: dict[str, Any], reason: str, make: str) -> None:
        given = columns(**other)
        assert (
            said(pl.DataFrame(given) if make == "polars" else pytest.importorskip("pandas").DataFrame(given)) == reason
        )

    check_rows(
        check,
        (
            (*row, make)
            for row in [
                ({"query_id": ["a", None]}, "run, row 2: no query id"),
                ({"query_id": [None, "a"]}, "run, row 1: no query id"),
                ({"query_id": [None, None]}, "run, row 1: no query id"),
                ({"query_id": ["", "a"]}, "run, row 1: no query id"),
                ({"doc_id": ["x", None]}, "run, row 2: no document id"),
                ({"doc_id": ["x", ""]}, "run, row 2: no document id"),
                ({"score": [1.0, math.nan]}, "run, row 2: the score 'nan' is not a number"),
                ({"score": ["1.5", "high"]}, "run, row 2: the score 'high' is not a number"),
                ({"score": [None, None]}, "run, row 1: no score"),
                ({"query_id": [1.0, 2.5]}, f"run has query ids of type Float64; {IDS}"),
                ({"query_id": [True, False]}, f"run has query ids of type Boolean; {IDS}"),
            ]
            for make in ["polars", "pandas"]
        ),
    )


@pytest.mark.parametrize(
    ("other", "reason"),
    [
        ({"doc_id": [datetime.date(2020, 1, 1)] * 2}, "run has document ids of type Date"),
        ({"doc_id": [["x"], ["y"]]}, "run has document ids of type List(String)"),
        ({"doc_id": [{"x": 1}, {"x": 2}]}, "run has document ids of type Struct"),
        ({"doc_id": [b"\xff", b"x"]}, "run has document ids that are not UTF-8"),
        ({"score": [datetime.datetime(2020, 1, 1)] * 2}, "run has scores of type Datetime"),
        ({"score": [datetime.timedelta(1)] * 2}, "run has scores of type Duration"),
        ({"score": [[1.0], [2.0]]}, "run has scores of type List(Float64) instead of numbers"),
        ({"score": [b"1", b"2"]}, "run has scores of type Binary"),
        ({"score": [object(), object()]}, "run has scores of type Object"),
    ],
)
def test_a_column_of_another_kind_is_no_number_and_no_id(other: dict[str, Any], reason: str):
    assert said(pl.DataFrame(columns(**other))).startswith(reason)


@pytest.mark.parametrize(
    ("scores", "wanted"),
    [
        ([math.inf, -math.inf], [math.inf, -math.inf]),
        (["inf", " 1.5 "], [math.inf, 1.5]),
        ([decimal.Decimal("1.5"), decimal.Decimal("1.25")], [1.5, 1.25]),
        (np.array([1.5, 1.25], np.float32), [1.5, 1.25]),
        (np.array([1.5, 1.25], np.float16), [1.5, 1.25]),
        (np.array([3, 2], np.uint8), [3.0, 2.0]),
        (pl.Series(["2", "1"], dtype=pl.Categorical), [2.0, 1.0]),
    ],
)
def test_numbers_of_any_kind_are_scores(scores: Any, wanted: list[float]):
    expected = bb.Run.from_dict({"a": dict(zip("xy", wanted, strict=True))}, ties="expected")
    assert same(bb.Run.from_frame(pl.DataFrame(columns(score=scores)), ties="expected"), expected)


def test_what_is_no_frame_is_refused():
    for what, kind in (
        (None, "NoneType"),
        ([], "list"),
        (columns(), "dict"),
        ("run.csv", "str"),
    ):
        assert said(what) == (
            f"run cannot be read as a frame of polars, pandas or Arrow: it is of type {kind}; "
            "from_dict takes dictionaries, from_file paths"
        )
    assert said(pl.DataFrame()) == "run: no column query_id; there are none"
    assert said(pl.LazyFrame({"qid": ["a"]})).startswith("run: no column doc_id; there are qid; call it doc_id, ")
    assert "/absent.parquet" in said(pl.scan_parquet("/absent.parquet"))
    assert said(pl.DataFrame(columns()).clear()) == "run has no hit, so every score would be 0"


def test_a_grade_of_a_frame_may_not_be_infinite():
    given = pl.DataFrame(columns(score=[1.0, math.inf]))
    assert said(given, run=False) == "qrels has an infinite grade, of document y"


def test_frames_of_pandas_are_read_whatever_holds_their_texts():
    pandas = pytest.importorskip("pandas")
    hits = bb.Run.from_dict({"a": {"x": 2.0, "y": 1.0}})
    assert same(bb.Run.from_frame(pandas.DataFrame(columns(query_id=pandas.array(["a", "a"], dtype="string")))), hits)
    assert same(bb.Run.from_frame(pandas.DataFrame(columns(score=pandas.array([2, 1], dtype="Int64")))), hits)
    given = pandas.DataFrame(columns())
    given["again"] = "z"
    given.columns = [*columns(), "query_id"]
    assert same(bb.Run.from_frame(given), hits)
    missing = pandas.DataFrame(columns(query_id=pandas.array(["a", None], dtype="string")))
    assert said(missing) == "run, row 2: no query id"
    assert said(given.set_index("doc_id")).startswith("run: no column doc_id; there are query_id, score, query_id;")
    given.columns = [0, 1, 2, 3]
    assert said(given).startswith("run: no column query_id; there are 0, 1, 2, 3; call it query_id, qid, ")
    mixed = pandas.DataFrame(columns(doc_id=["x", 1.5]))
    assert said(mixed) == f"run: the document id 1.5 is of type float; {WRITE}"


def test_tables_of_arrow_are_read_whatever_holds_their_texts():
    pyarrow = pytest.importorskip("pyarrow")
    given, hits = pyarrow.table(columns()), bb.Run.from_dict({"a": {"x": 2.0, "y": 1.0}})
    for texts in (
        ["a", "a"],
        pyarrow.array(["a", "a"]).dictionary_encode(),
        pyarrow.array(["a", "a"], pyarrow.large_string()),
    ):
        assert same(bb.Run.from_frame(given.set_column(0, "qid", [texts])), hits)
    assert said(given.set_column(0, "qid", [[1, None]])) == "run, row 2: no query id"
    assert "cannot be read as a frame" in said(given["score"])


def test_what_is_no_array_of_ids_or_numbers_is_refused():
    def check(arrays: tuple[Any, Any, Any], reason: str) -> None:
        with pytest.raises(InputError) as caught:
            bb.Run.from_arrays(*arrays)
        assert str(caught.value).removeprefix("run").lstrip(" ").startswith(reason)
        assert "\n" not in str(caught.value)

    check_rows(
        check,
        [
            (
                (["a", "b"], ["x", "y"], [1.0]),
                f"{ARRAYS}: they are of shapes (2,), (2,), (1,)",
            ),
            (
                ([["a"]], [["x"]], [[1.0]]),
                f"{ARRAYS}: they are of shapes (1, 1), ",
            ),
            (("a", "x", 1.0), f"{ARRAYS}: they are of shapes (), (), ()"),
            ((None, None, None), ARRAYS),
            (({"a"}, {"x"}, {1}), ARRAYS),
            (([["a"], ["b", "c"]], ["x", "y"], [1, 2]), ARRAYS),
            (
                (np.array(["a", 1.5], object), ["x", "y"], [1, 2]),
                f": the query id 1.5 is of type float; {WRITE}",
            ),
            (([], [], []), "has no hit"),
            (([None], ["x"], [1]), ", row 1: no query id"),
            ((["a"], [""], [1]), ", row 1: no document id"),
            ((["a"], ["x"], [None]), ", row 1: no score"),
            ((["a", "a"], ["x", "y"], [1, math.nan]), ", row 2: the score 'nan' is not a number"),
            ((["a"], ["x"], ["0x10"]), ", row 1: the score '0x10' is not a number"),
            (([1.5], ["x"], [1]), f"has query ids of type Float64; {IDS}"),
            ((["a"], ["x"], [1j]), "has scores of type Object instead of numbers"),
            ((["a"], ["x"], np.array(["2020-01-01"], "M8[D]")), "has scores of type Date instead of numbers"),
        ],
    )


def test_grades_in_arrays_are_called_so():
    with pytest.raises(InputError, match=r"^qrels, row 1: the grade 'high' is not a number$"):
        bb.Qrels.from_arrays(["a"], ["x"], ["high"])


# Query table


def test_a_tiered_data_set_gives_labels_length_and_what_its_positives_are(tmp_path: Path):
    path = data_sets.write(tmp_path) / "tiered.jsonl"
    table, queries = read_query_table(path), read_tiered(path)
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
    table = read_query_table(path)
    assert (table.ids, table.texts) == (["1"], ["what is"])
    assert table.columns.rows(named=True) == [{"court": "A", "length": 7}]


def test_tables_and_parquet_give_the_same(tmp_path: Path):
    frame = pl.DataFrame({"query_id": [1, 2], "query": ["one", "three"], "year": [2001, None]})
    frame.write_csv(tmp_path / "q.csv")
    frame.write_csv(tmp_path / "q.tsv", separator="\t")
    frame.write_parquet(tmp_path / "q.parquet")
    for name in ("q.csv", "q.tsv", "q.parquet"):
        table = read_query_table(tmp_path / name)
        assert (table.ids, table.texts) == (["1", "2"], ["one", "three"])
        assert table.columns["year"].to_list() == [2001, None]
        assert table.columns["length"].to_list() == [3, 5]


def test_columns_keep_their_kind_and_mixed_ones_are_texts(tmp_path: Path):
    rows = [
        {"id": "a", "n": 1, "x": 0.5, "flag": True, "tags": ["u", "v"], "mixed": 1, "long": "y" * 300},
        {"id": "b", "n": 2, "x": 1, "flag": False, "tags": "u", "mixed": "one", "nested": [[1]]},
        {"id": "c"},
    ]
    columns = read_query_table(data_sets.write_lines(tmp_path / "q.jsonl", rows)).columns
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
    table = read_query_table(data_sets.write_lines(tmp_path / "q.jsonl", rows))
    assert [len(text or "") for text in table.texts] == [9000, 9000, SHOWN, SHOWN]
    assert table.columns["length"].to_list() == [9000] * 4


def test_bad_lines_are_left_out_where_the_run_left_them_out(tmp_path: Path):
    path = tmp_path / "q.jsonl"
    path.write_bytes(b'{"_id": "a"}\n{\n[]\n{"text": "no id"}\n{"_id": "b"}\n{"id": "a"}\n')
    assert read_query_table(path, skip_bad_lines=True).ids == ["a", "b"]


@pytest.mark.parametrize("name", ["q.csv", "q.tsv"])
def test_ids_and_texts_of_tables_are_no_numbers(tmp_path: Path, name: str):
    path = tmp_path / name
    path.write_text("id,text,year\n001,007,2001\n1,8,2002\n".replace(",", "," if name == "q.csv" else "\t"))
    table = read_query_table(path)
    assert (table.ids, table.texts) == (["001", "1"], ["007", "8"])
    assert table.columns["year"].to_list() == [2001, 2002]


def test_a_column_of_the_files_own_that_is_called_length_stays(tmp_path: Path):
    rows = [{"_id": "a", "text": "what", "length": "short"}, {"_id": "b", "text": "why"}]
    columns = read_query_table(data_sets.write_lines(tmp_path / "q.jsonl", rows)).columns
    assert columns["length"].to_list() == ["short", None]


def test_members_of_lists_are_labels_as_single_values_are(tmp_path: Path):
    rows = [{"_id": "a", "tags": [None, True, 1.0, "x"]}, {"_id": "b", "tags": [None]}, {"_id": "c", "tags": False}]
    columns = read_query_table(data_sets.write_lines(tmp_path / "q.jsonl", rows)).columns
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
    table = read_query_table(
        data_sets.write_lines(tmp_path / "queries.jsonl", [{"_id": "1", name: "what is a llama?"}])
    )
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


@pytest.mark.parametrize(("names", "run"), TABLES["usual_names"])
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
