"""Runs and qrels from text: what is read, and what is refused with file, line and reason."""

import contextlib
import gzip
import sys
from collections.abc import Callable
from operator import attrgetter
from pathlib import Path
from typing import Any

import naive_subtopics as naive
import numpy as np
import polars as pl
import pytest
from cases import some_of
from hypothesis import given
from hypothesis import strategies as st
from judged_files import FILES, Row, equal, flat, in_pieces, same, written
from judged_files import GRADES as EVERY_GRADE
from judged_files import HITS as EVERY_HIT

import benchbench as bb
from benchbench.errors import InputError
from benchbench.formats import json_rows, trec_reading
from benchbench.formats.qrels_runs import Qrels, Run, scan_qrels, scan_run
from benchbench.formats.swapped_files import read_judgments, read_qrels
from benchbench.tables.qrels_runs import Rankings
from benchbench.tables.rows import Rows

RUN = "a Q0 x 1 2.5 tag\na Q0 y 2 1.5 tag\nb Q0 x 1 7 tag\n"


HITS = {"a": {"x": 2.5, "y": 1.5}, "b": {"x": 7.0}}


QRELS = "a 0 x 1\na 0 y 0\nb 0 x 2\n"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "lines.txt"


@pytest.mark.parametrize(
    "text",
    [
        RUN,
        RUN.rstrip("\n"),
        RUN.replace("\n", "\r\n"),
        RUN.replace(" ", "\t"),
        RUN.replace(" ", "  \t"),
        "# a comment\n" + RUN + "#the end",
        RUN.replace("\n", "\n\n  \n"),
        RUN.replace(" tag", ""),
        RUN.replace("tag", "tag and more behind it"),
        RUN.replace("a Q0", " a Q0"),
        "a Q0 y 1 1.5 t\na Q0 x 2 2.5 t\nb Q0 x 9 7 t\n",  # the rank is ignored, and the score decides
        "a Q0 x 1 2.5 t\nb Q0 x 1 7 t\na Q0 y 2 1.5 t\n",  # not grouped by query
    ],
)
def test_a_run_is_read_with_any_white_space_comments_and_order(file: Path, text: str):
    file.write_bytes(text.encode())
    assert same(Run.from_file(file), Run.from_dict(HITS))
    assert same(Run.from_file(str(file)), Run.from_dict(HITS))


def test_qrels_are_read_and_a_hash_sign_within_an_id_is_no_comment(file: Path):
    file.write_text(QRELS.replace("x", "x#1"))
    ours = Qrels.from_file(file)
    assert same(ours, Qrels.from_dict({"a": {"x#1": 1, "y": 0}, "b": {"x#1": 2}}))
    assert ours.ids == ["a", "b"]


ids = st.text("ab#é法", min_size=1, max_size=3).filter(lambda text: not text.startswith("#"))


def test_a_line_of_megabytes_is_named_as_any_bad_line(file: Path):
    file.write_text(f"# first\n{RUN}{'a' * 5_000_000}\n")
    with pytest.raises(InputError, match="line 5: 1 fields instead of 6"):
        Run.from_file(file)


@given(st.binary(max_size=200) | st.text('aQ0 19.e-\n\r\t#\0{}":', max_size=80).map(str.encode))
def test_no_bytes_crash_a_reader(tmp_path_factory: pytest.TempPathFactory, data: bytes):
    path = tmp_path_factory.getbasetemp() / "bytes.run"
    path.write_bytes(data)
    for read in (Run.from_file, Qrels.from_file):
        with contextlib.suppress(InputError):
            read(path)


# Memory that is used again

OWN = {"text", "offsets", "tied", "fingerprint", "duplicates", "rising", "close"}  # no part of what is parsed into


@pytest.mark.parametrize("pack", [bytes, gzip.compress], ids=["mapped", "streamed"])
def test_no_column_of_a_part_is_kept_unnoticed_and_none_is_overwritten(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, pack: Callable[[bytes], bytes]
):
    monkeypatch.setattr(trec_reading, "PART", 6)
    run, qrels = tmp_path / "run", tmp_path / "qrels"
    run.write_bytes(pack(RUN.encode()))
    qrels.write_bytes(pack(QRELS.encode()))
    tables = [
        (scan_qrels(qrels), Rows, OWN),
        (scan_run(run).parts, Rows, OWN | {"subtopic"}),
        (scan_run(run).shards, Rankings, OWN),
    ]
    for parts, table, own in tables:
        for column in table.__struct_fields__:
            first, second = parts()
            wanted = getattr(first.kept(), column)
            told = pytest.warns(ResourceWarning, match=r"^borrowed memory was kept; ")
            with contextlib.nullcontext() if column in own else told:
                kept = first.use(attrgetter(column))
            second.kept()
            assert np.array_equal(kept, wanted)


@pytest.mark.parametrize("score", ["1e400", "-1e309", "9" * 400, "1.8e308"])
def test_a_finite_score_that_overflows_is_an_error_with_its_line(tmp_path: Path, score: str) -> None:
    (tmp_path / "r").write_text(f"q Q0 a 1 inf x\nq Q0 b 2 {score} x\n")
    (tmp_path / "r.tsv").write_text(f"query_id\tdoc_id\tscore\nq\ta\tinf\nq\tb\t{score}\n")
    for name, line in (("r", 2), ("r.tsv", 3)):
        with pytest.raises(InputError, match=f"line {line}: the score .* is too large for a 64-bit float"):
            Run.from_file(tmp_path / name)


def test_infinite_scores_that_are_written_so_stay_allowed(tmp_path: Path) -> None:
    (tmp_path / "r").write_text("q Q0 a 1 inf x\nq Q0 b 2 -Infinity x\nq Q0 c 3 1.7976931348623157e308 x\n")
    assert len(Run.from_file(tmp_path / "r")) == 1


# JSON and JSON lines: what is read, and the line of what is not

ROW = b'{"query_id": "a", "doc_id": "x", "score": 2.5}\n'


@pytest.fixture
def lines(tmp_path: Path) -> Path:
    return tmp_path / "run.jsonl"


def test_rows_and_objects_may_stand_in_one_file_and_blank_lines_among_them(lines: Path):
    lines.write_bytes(b"\n" + ROW + b'  \n{"a": {"y": 1}, "b": {"x": -7, "y": 0.5}, "c": {}}\r\n\n')
    assert same(bb.Run.from_file(lines), bb.Run.from_dict({"a": {"x": 2.5, "y": 1}, "b": {"x": -7, "y": 0.5}}))


def test_keys_may_have_other_names_and_order_on_each_line_and_others_are_ignored(lines: Path):
    lines.write_bytes(
        b'{"score": 1, "qid": "a", "docno": "x", "rank": {"n": 1}}\n'
        b'{"Query-ID": "a", "corpus_id": "y", "similarity": 3, "text": null}\n'
        b'{"text": [], "docid": 7, "query": 12, "score": true}\n'
    )
    assert same(bb.Run.from_file(lines), bb.Run.from_dict({"a": {"x": 1.0, "y": 3.0}, "12": {"7": 1.0}}))


def test_ids_may_hold_what_text_can(lines: Path):
    lines.write_bytes(rb'{"a b\n": {"\u0000": 1, "\ud83d\ude00 ": 2, "\"": 3}}')
    assert same(bb.Run.from_file(lines), bb.Run.from_dict({"a b\n": {"\0": 1, "😀 ": 2, '"': 3}}))


def test_a_query_is_cut_at_no_chunk(lines: Path, monkeypatch: pytest.MonkeyPatch):
    lines.write_bytes(b"".join(b'{"qid": "%d", "docno": "%d", "score": %d}\n' % (i // 7, i, i) for i in range(50)))
    monkeypatch.setattr(json_rows, "CHUNK", 5)
    parts = list(json_rows.json_line_rows(json_rows.Source(lines), True))
    assert [part.use(lambda rows: rows.value.size) for part in parts] == [7, 7, 7, 7, 7, 7, 7, 1]


# Judgments and runs in each other's place are told apart, whatever the format

GRADES: list[Row] = [("q1", "d1", 1), ("q1", "d2", 0), ("q2", "d3", 2)]


SWAPPED_FILES_HITS: list[Row] = [("q1", "d1", 0.93), ("q1", "d2", 0.5), ("q2", "d3", 7.25)]


COUNTED: list[Row] = [("q1", "d1", 3), ("q1", "d2", 2), ("q2", "d3", 1)]  # scores that could be grades


PAIRS = [(name, name) for name in FILES] + [
    ("lines.trec", "object.json"),
    ("beir.tsv", "lines.trec.gz"),
    ("columns.parquet", "rows.jsonl"),
    ("commas.csv", "columns.parquet"),
]


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    for name in ("qrels", "runs"):
        (tmp_path / name).mkdir()
    return tmp_path / "qrels", tmp_path / "runs"


@pytest.mark.parametrize(("first", "second"), some_of(PAIRS, 5))
def test_swapped_files_are_told_to_be_swapped_and_right_ones_are_read(
    files: tuple[Path, Path], first: str, second: str
):
    qrels, run = written(files[0], first, GRADES, False), written(files[1], second, SWAPPED_FILES_HITS, True)
    with pytest.raises(InputError) as refused:
        read_qrels(run, [qrels])
    assert str(refused.value) == f"{run} looks like a run and {qrels} like judgments: swap them, judgments come first"
    assert read_qrels(qrels, [run]).ids == ["q1", "q2"]


def test_judgments_may_be_any_of_several_runs(files: tuple[Path, Path]):
    qrels, run = written(files[0], "beir.tsv", GRADES, False), written(files[1], "beir.tsv", SWAPPED_FILES_HITS, True)
    with pytest.raises(InputError, match=r"swap them, judgments come first$"):
        read_qrels(run, [run, qrels])


@pytest.mark.parametrize("name", ["object.json", "beir.tsv", "columns.parquet"])
def test_grades_that_are_fractions_are_no_reason_beside_a_run_of_fractions(files: tuple[Path, Path], name: str):
    shares = [(query, document, value / 4 + 0.1) for query, document, value in GRADES]
    qrels, run = written(files[0], name, shares, False), written(files[1], name, SWAPPED_FILES_HITS, True)
    assert read_qrels(qrels, [run]).ids == ["q1", "q2"]


def test_a_column_of_grades_by_its_name_is_no_column_of_scores(files: tuple[Path, Path]):
    shares = [(query, document, value / 4 + 0.1) for query, document, value in GRADES]
    qrels, run = written(files[0], "columns.parquet", shares, False), written(files[1], "object.json", COUNTED, True)
    assert read_qrels(qrels, [run]).ids == ["q1", "q2"]


def test_a_run_for_judgments_without_judgments_beside_it_is_refused_as_what_it_is(files: tuple[Path, Path]):
    run, qrels = (
        written(files[1], "lines.trec", SWAPPED_FILES_HITS, True),
        written(files[0], "lines.trec", GRADES, False),
    )
    with pytest.raises(
        InputError, match=r"line 1: 6 fields instead of 4 .*; this is a line of a run, not of judgments$"
    ):
        read_qrels(run, [run, files[0] / "absent"])
    with pytest.raises(
        InputError, match=r"line 1: 4 fields instead of 6 .*; this is a line of judgments, not of a run$"
    ):
        bb.Run.from_file(qrels)
    columns = written(files[0], "columns.parquet", GRADES, False)
    with pytest.raises(InputError, match=r"no column score; .*; these are judgments, not a run$"):
        bb.Run.from_file(columns)


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("q1\td1\t1\nq1\td2\t0\nq2\td3\t2\n", "test.tsv"),
        ("q1\td1\t1\r\nq1\td2\t0\r\nq2\td3\t2", "qrels"),
        ("q1,d1,1\nq1,d2,0\n\nq2,d3,2\n", "test.csv"),
        ("q1,d1,1.0\nq1,d2,0\nq2,d3,2e0\n", "test.txt"),
    ],
)
def test_beir_judgments_may_lack_their_header(tmp_path: Path, text: str, name: str):
    (tmp_path / name).write_text(text, newline="")
    wanted = bb.Qrels.from_dict({"q1": {"d1": 1, "d2": 0}, "q2": {"d3": 2}})
    assert bb.Qrels.from_file(tmp_path / name).digest == wanted.digest


def test_a_bad_line_of_judgments_without_a_header_is_named(tmp_path: Path):
    path = tmp_path / "test.tsv"
    path.write_text("q1\td1\t1\nq1\td2\thigh\n")
    with pytest.raises(InputError, match=r"test\.tsv, line 2: the grade 'high' is not a number$"):
        bb.Qrels.from_file(path)
    path.write_text("q1\td1\t1\nq1\td2\t1\t7\n")
    with pytest.raises(InputError, match=r"test\.tsv, line 2: 4 fields instead of 3$"):
        bb.Qrels.from_file(path)


def test_a_run_of_three_columns_has_to_name_them_because_the_third_may_be_a_rank(tmp_path: Path):
    (tmp_path / "run.tsv").write_text("q1\td1\t1\nq1\td2\t2\n")
    with pytest.raises(
        InputError,
        match=r"line 1: 3 fields instead of 6 .*; .* begins with a line that names them, query_id, doc_id, score",
    ):
        bb.Run.from_file(tmp_path / "run.tsv")


@pytest.mark.parametrize("name", some_of(FILES, 5))
def test_two_runs_are_no_judgments(files: tuple[Path, Path], name: str):
    """Scores tell, where the format does not."""
    one, other = written(files[0], name, SWAPPED_FILES_HITS, True), written(files[1], name, SWAPPED_FILES_HITS, True)
    assert read_judgments(one, [other]) is None


def test_of_several_files_the_first_is_a_run_where_its_format_says_so(files: tuple[Path, Path]):
    one, other = (
        written(files[0], "lines.trec", SWAPPED_FILES_HITS, True),
        written(files[1], "lines.trec", SWAPPED_FILES_HITS, True),
    )
    assert read_judgments(one, [other, other]) is None
    table = written(files[0], "beir.tsv", SWAPPED_FILES_HITS, True)
    assert read_judgments(table, [other, other]).ids == ["q1", "q2"]


@pytest.mark.parametrize("name", some_of(FILES, 5))
def test_judgments_are_read_beside_one_run_or_several(files: tuple[Path, Path], name: str):
    qrels, run = written(files[0], name, GRADES, False), written(files[1], name, SWAPPED_FILES_HITS, True)
    assert read_judgments(qrels, [run]).ids == read_judgments(qrels, [run, run]).ids == ["q1", "q2"]


def test_a_broken_first_file_is_said_to_be_broken(tmp_path: Path):
    broken, run = tmp_path / "broken.txt", written(tmp_path, "lines.trec", SWAPPED_FILES_HITS, True)
    broken.write_text("one two\n")
    with pytest.raises(InputError, match="broken"):
        read_judgments(broken, [run])


# Qrels that name subtopics: the same from every format, and what is not one of them

DIVERSE = ["alpha_nDCG@5", "ERR_IA@5", "StRecall@5"]


Judgments = dict[str, dict[tuple[str, str], float]]  # query -> (document, subtopic) -> grade


def diverse_lines(given: Judgments) -> bytes:
    return "".join(f"{q} {s} {d} {grade:g}\n" for q, found in given.items() for (d, s), grade in found.items()).encode()


def diverse_frame(given: Judgments, name: str = "subtopic") -> pl.DataFrame:
    kinds = {"query_id": pl.String, "doc_id": pl.String, "relevance": pl.Float64, name: pl.String}
    rows = [(query, d, grade, s) for query, found in given.items() for (d, s), grade in found.items()]
    return pl.DataFrame(rows, kinds, orient="row")


FORMATS = ("d.trec", "d.csv", "d.jsonl", "d.parquet", "frame", "numbers")


def diverse_qrels(folder: Path, given: Judgments, name: str) -> bb.Qrels:
    """Return the judgments as a format that can hold subtopics gives them."""
    frame = diverse_frame(given)
    if name == "frame":
        return bb.Qrels.from_frame(frame)
    if name == "numbers":
        return bb.Qrels.from_frame(frame.with_columns(pl.col("subtopic").cast(pl.Int64)))
    if name == "d.trec":
        (folder / name).write_bytes(diverse_lines(given))
    elif name == "d.csv":
        diverse_frame(given, "iteration").write_csv(folder / name)
    elif name == "d.jsonl":
        frame.write_ndjson(folder / name)
    else:
        frame.write_parquet(folder / name)
    return bb.Qrels.from_file(folder / name)


two = st.text("ab", min_size=1, max_size=2)


graded = st.sampled_from([-1.0, 0.0, 1.0, 2.0])


diverse = st.dictionaries(two, st.dictionaries(st.tuples(two, st.sampled_from("123")), graded, min_size=1), min_size=1)


@given(diverse, st.lists(two, unique=True, min_size=1), st.integers(1, 4), st.sampled_from(FORMATS))
def test_measures_of_subtopics_are_those_of_naive_twins_from_every_format(
    tmp_path_factory: pytest.TempPathFactory, given: Judgments, ranking: list[str], size: int, name: str
):
    if len({subtopic for found in given.values() for _, subtopic in found}) < 2:
        return
    run = bb.Run.from_dict({query: {d: -float(i) for i, d in enumerate(ranking)} for query in given})
    rows = [[(d, s, grade) for (d, s), grade in found.items()] for found in given.values()]
    twins = [
        [
            naive.alpha_ndcg(ranking, one, 5, 1, 0.5),
            naive.err_ia(ranking, one, 5, 1),
            naive.strecall(ranking, one, 5, 1),
        ]
        for one in rows
    ]
    with pytest.MonkeyPatch.context() as patch:
        in_pieces(patch, size)
        read = [diverse_qrels(tmp_path_factory.getbasetemp(), given, one) for one in (name, "frame")]
    scores, framed = (bb.evaluate(qrels, run, [*DIVERSE, "nDCG@5"]) for qrels in read)
    assert scores.ids == list(given)
    assert [list(row) for row in zip(*(scores.values[one] for one in DIVERSE), strict=True)] == [
        pytest.approx(twin, abs=1e-12) for twin in twins
    ]
    assert equal(scores, framed)


def test_a_document_judged_for_several_subtopics_counts_with_its_highest_grade_elsewhere(tmp_path: Path):
    given: Judgments = {"a": {("x", "1"): 0, ("x", "2"): 2, ("y", "1"): 1, ("y", "2"): 0}, "b": {("x", "1"): 1}}
    plain = bb.Qrels.from_dict({"a": {"x": 2, "y": 1}, "b": {"x": 1}})
    for qrels in (diverse_qrels(tmp_path, given, name) for name in FORMATS):
        one, other = (
            bb.evaluate(each, bb.Run.from_dict(EVERY_HIT | {"a": {"y": 2, "x": 1}}), ["nDCG@10", "AP", "P@2"])
            for each in (qrels, plain)
        )
        assert {name: column.tolist() for name, column in one.values.items()} == {
            name: column.tolist() for name, column in other.values.items()
        }


@pytest.mark.parametrize("size", [1, 1000])
def test_two_grades_for_one_subtopic_are_an_error_wherever_other_subtopics_stand(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, size: int
):
    in_pieces(monkeypatch, size)
    for text in ("a 0 x 1\na 0 x 2\n", "a 1 x 1\na 1 x 2\nb 2 x 1\n", "a 1 x 1\nb 2 x 1\na 1 x 2\n"):
        (tmp_path / "qrels").write_text(text)
        with pytest.raises(InputError, match="judges document x of query a twice, with different grades"):
            bb.Qrels.from_file(tmp_path / "qrels")


def test_a_measure_of_subtopics_is_refused_where_there_are_none(tmp_path: Path):
    path = written(tmp_path, "lines.trec", flat(EVERY_GRADE), False)
    for qrels in (bb.Qrels.from_file(path), bb.Qrels.from_dict(EVERY_GRADE)):
        with pytest.raises(InputError, match="the qrels have no subtopics"):
            bb.evaluate(qrels, bb.Run.from_dict(EVERY_HIT), ["nDCG@5", "StRecall@5"])


# Qrels of ir_datasets, from a registry in memory


@pytest.fixture
def registered(monkeypatch: pytest.MonkeyPatch) -> Callable[[str, Any], None]:
    """Return what adds a data set of given qrels to the registry, in memory."""
    ir_datasets = pytest.importorskip("ir_datasets")
    monkeypatch.setattr(ir_datasets.registry, "_registered", dict(ir_datasets.registry._registered))

    def add(name: str, rows: Any) -> None:
        class Judged(ir_datasets.formats.BaseQrels):  # type: ignore[misc]
            def qrels_iter(self) -> Any:
                yield from rows() if callable(rows) else rows

        ir_datasets.registry.register(name, ir_datasets.Dataset(Judged()))

    return add


def test_qrels_of_a_data_set_of_ir_datasets_are_those_of_its_rows(registered: Callable[[str, Any], None]):
    trec_rows = pytest.importorskip("ir_datasets").formats.TrecQrel
    registered("tiny", [trec_rows(query, document, grade, "Q0") for query, document, grade in flat(EVERY_GRADE)])
    assert same(bb.Qrels.from_ir_datasets("tiny"), bb.Qrels.from_dict(EVERY_GRADE))
    assert same(bb.Qrels.from_file("ir_datasets:tiny"), bb.Qrels.from_dict(EVERY_GRADE))


def test_subtopics_of_ir_datasets_are_subtopics_and_its_iterations_are_not(registered: Callable[[str, Any], None]):
    formats = pytest.importorskip("ir_datasets").formats
    registered("subtopics", [formats.TrecSubQrel("a", "x", 1, "1"), formats.TrecSubQrel("a", "x", 2, "2")])
    registered("rounds", [formats.TrecQrel("a", "x", 1, "0.5"), formats.TrecQrel("a", "y", 2, "1")])
    run = bb.Run.from_dict({"a": {"x": 1.0}})
    assert bb.evaluate(bb.Qrels.from_ir_datasets("subtopics"), run, ["StRecall@5"]).mean() == {"StRecall@5": 1.0}
    assert bb.Qrels.from_ir_datasets("rounds").subtopics is None


def test_a_data_set_that_is_absent_or_has_no_qrels_is_refused(registered: Callable[[str, Any], None]):
    def unreachable() -> Any:
        raise ConnectionError("the network is down")

    registered("empty", [])
    registered("others", [("a", "x")])
    registered("far", unreachable)
    for name, reason in (
        ("no/such/data set", "names no data set that has qrels"),
        ("antique", "names no data set that has qrels"),
        ("others", "names no data set that has qrels"),
        ("empty", "has no judgment"),
        ("far", "cannot be read: the network is down"),
    ):
        with pytest.raises(InputError, match=f"^ir_datasets:{name} {reason}"):
            bb.Qrels.from_file(f"ir_datasets:{name}")


def test_ir_datasets_names_its_extra_where_it_is_absent(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(sys.modules, "ir_datasets", None)
    with pytest.raises(InputError, match=r"pip install '\.\[ir_datasets\]' in the checkout of benchbench$"):
        bb.Qrels.from_file("ir_datasets:antique")
