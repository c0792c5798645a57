"""Judgments and runs in each other's place are told apart, whatever the format."""

from pathlib import Path

import pytest
from cases import some_of
from judged_files import FILES, Row, written

import benchbench as bb
from benchbench.errors import InputError
from benchbench.formats.swapped_files import read_judgments, read_qrels

GRADES: list[Row] = [("q1", "d1", 1), ("q1", "d2", 0), ("q2", "d3", 2)]
HITS: list[Row] = [("q1", "d1", 0.93), ("q1", "d2", 0.5), ("q2", "d3", 7.25)]
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
    qrels, run = written(files[0], first, GRADES, False), written(files[1], second, HITS, True)
    with pytest.raises(InputError) as refused:
        read_qrels(run, [qrels])
    assert str(refused.value) == f"{run} looks like a run and {qrels} like judgments: swap them, judgments come first"
    assert read_qrels(qrels, [run]).ids == ["q1", "q2"]


def test_judgments_may_be_any_of_several_runs(files: tuple[Path, Path]):
    qrels, run = written(files[0], "beir.tsv", GRADES, False), written(files[1], "beir.tsv", HITS, True)
    with pytest.raises(InputError, match=r"swap them, judgments come first$"):
        read_qrels(run, [run, qrels])


@pytest.mark.parametrize("name", ["object.json", "beir.tsv", "columns.parquet"])
def test_grades_that_are_fractions_are_no_reason_beside_a_run_of_fractions(files: tuple[Path, Path], name: str):
    shares = [(query, document, value / 4 + 0.1) for query, document, value in GRADES]
    qrels, run = written(files[0], name, shares, False), written(files[1], name, HITS, True)
    assert read_qrels(qrels, [run]).ids == ["q1", "q2"]


def test_a_column_of_grades_by_its_name_is_no_column_of_scores(files: tuple[Path, Path]):
    shares = [(query, document, value / 4 + 0.1) for query, document, value in GRADES]
    qrels, run = written(files[0], "columns.parquet", shares, False), written(files[1], "object.json", COUNTED, True)
    assert read_qrels(qrels, [run]).ids == ["q1", "q2"]


def test_a_run_for_judgments_without_judgments_beside_it_is_refused_as_what_it_is(files: tuple[Path, Path]):
    run, qrels = written(files[1], "lines.trec", HITS, True), written(files[0], "lines.trec", GRADES, False)
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
    one, other = written(files[0], name, HITS, True), written(files[1], name, HITS, True)
    assert read_judgments(one, [other]) is None


def test_of_several_files_the_first_is_a_run_where_its_format_says_so(files: tuple[Path, Path]):
    one, other = written(files[0], "lines.trec", HITS, True), written(files[1], "lines.trec", HITS, True)
    assert read_judgments(one, [other, other]) is None
    table = written(files[0], "beir.tsv", HITS, True)
    assert read_judgments(table, [other, other]).ids == ["q1", "q2"]


@pytest.mark.parametrize("name", some_of(FILES, 5))
def test_judgments_are_read_beside_one_run_or_several(files: tuple[Path, Path], name: str):
    qrels, run = written(files[0], name, GRADES, False), written(files[1], name, HITS, True)
    assert read_judgments(qrels, [run]).ids == read_judgments(qrels, [run, run]).ids == ["q1", "q2"]


def test_a_broken_first_file_is_said_to_be_broken(tmp_path: Path):
    broken, run = tmp_path / "broken.txt", written(tmp_path, "lines.trec", HITS, True)
    broken.write_text("one two\n")
    with pytest.raises(InputError, match="broken"):
        read_judgments(broken, [run])
