"""Tables, Parquet, Arrow and frames: what is read, and the row of what is not."""

import datetime
import decimal
import gzip
import math
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from cases import check_rows
from hypothesis import given
from hypothesis import strategies as st
from judged_files import FILES, arrow, arrow_stream, flat, parquet, refusal, same

import benchbench as bb
from benchbench.errors import InputError
from benchbench.formats import frames

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
    assert refusal(tmp_path / name) == " has no hit, so every score would be 0 by definition"
    assert refusal(tmp_path / name, run=False) == " has no judgment, so every score would be 0 by definition"


def test_the_line_is_right_in_any_chunk(table: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(frames, "CHUNK", 3)
    table.write_bytes(COMMAS + b"".join(b"%d,x%d,1\n" % (i // 4, i) for i in range(40)) + b"z,x,\n")
    assert refusal(table) == ", line 42: no score"


# Parquet and Arrow


@pytest.mark.parametrize("name", ["x.parquet", "x.arrow", "x.arrows", "x", "y"])
def test_a_file_of_columns_without_rows_is_refused(tmp_path: Path, name: str):
    write = {"x.parquet": parquet, "x": parquet, "x.arrows": arrow_stream}.get(name, arrow)
    (tmp_path / name).write_bytes(write([], True))
    assert refusal(tmp_path / name) == " has no hit, so every score would be 0 by definition"


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
    assert said(pl.DataFrame(columns()).clear()) == "run has no hit, so every score would be 0 by definition"


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
