"""`benchbench score`."""

import csv
import io
import json
from pathlib import Path

import pytest
from command_line import said, sentence

QRELS = "a 0 x 1\na 0 y 0\nb 0 x 2\n"
RUN = "a Q0 y 1 3 tag\na Q0 x 2 2.5 tag\n"


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    qrels, run = tmp_path / "qrels.trec", tmp_path / "my.run"
    qrels.write_text(QRELS)
    run.write_text(RUN)
    return qrels, run


def test_text_has_four_decimals_counts_and_the_signature(capsys, files):
    code, output, errors = said(capsys, "score", *files, "-m", "RR", "-m", "P@2")
    assert (code, errors) == (0, "")
    assert [line.split() for line in output.splitlines()[:4]] == [
        ["Measure", "my.run"],
        ["-------", "------"],
        ["RR", "0.2500"],
        ["P@2", "0.2500"],
    ]
    assert "2 queries judged, 1 of them returned, 1 missing" in output
    assert "signature measures:RR,P@2|ties:trec" in output


def test_json_is_the_contract_and_whole(capsys, files):
    code, output, _ = said(capsys, "score", *files, files[1], "-m", "nDCG@10", "--format", "json", "--per-query")
    value = json.loads(output)
    assert code == 0
    assert value["queries"] == {"judged": 2, "returned": 1, "missing": 1, "unjudged": 0, "without_positives": 0}
    assert [run["name"] for run in value["runs"]] == ["my.run", "my.run"]
    assert value["runs"][0]["per_query"]["a"] == {"nDCG@10": 0.6309297535714575}
    assert value["runs"][0]["measures"] == {"nDCG@10": 0.6309297535714575 / 2}
    assert value["signature"] == value["runs"][0]["signature"]


def test_csv_and_json_lines_have_a_row_a_value(capsys, files):
    _, output, _ = said(capsys, "score", *files, "-m", "RR", "--format", "csv", "--per-query")
    assert list(csv.reader(io.StringIO(output)))[1:] == [
        ["my.run", "a", "RR", "0.5"],
        ["my.run", "b", "RR", "0.0"],
        ["my.run", "", "RR", "0.25"],
    ]
    _, output, _ = said(capsys, "score", *files, "-m", "RR", "--format", "jsonl")
    assert json.loads(output) == {"run": "my.run", "query": None, "measure": "RR", "value": 0.25}


def test_markdown_and_latex_are_tables(capsys, files):
    _, output, _ = said(capsys, "score", *files, "-m", "P(rel=2)@5", "--format", "markdown")
    assert output.splitlines() == ["| Measure | my.run |", "| --- | ---: |", "| P(rel=2)@5 | 0.0000 |"]
    _, output, _ = said(capsys, "score", *files, "-m", "num_q", "--format", "latex")
    assert r"NumQ & 2.0000 \\" in output


def test_rel_is_the_lowest_relevant_grade_of_measures_that_name_none(capsys, files):
    _, output, _ = said(capsys, "score", *files, "--rel", "2", "-m", "RR", "-m", "P(rel=3)@5", "--format", "jsonl")
    assert [json.loads(line)["measure"] for line in output.splitlines()] == ["RR(rel=2)", "P(rel=3)@5"]


def test_the_measures_are_listed_with_definition_and_source(capsys):
    code, output, _ = said(capsys, "score", "--list-measures")
    assert code == 0
    assert "nDCG(gains='linear')[@k]\n" in output
    assert "Järvelin" in output


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [(["-m", "nDCK@10"], "nDCG"), (["-m", "P@0"], "P@"), (["-m", "nDCG(p=1)@5"], "gains")],
)
def test_a_bad_measure_is_one_sentence(capsys, files, arguments, reason):
    code, output, errors = said(capsys, "score", *files, *arguments)
    assert (code, output) == (2, "")
    assert reason in sentence(errors)


def test_a_missing_file_and_strangers_are_one_sentence(capsys, files, tmp_path):
    code, _, errors = said(capsys, "score", tmp_path / "none", files[1])
    assert (code, "does not exist" in sentence(errors)) == (2, True)
    (tmp_path / "other").write_text("z Q0 x 1 1 t\n")
    code, _, errors = said(capsys, "score", files[0], tmp_path / "other")
    assert (code, "no query that is judged" in sentence(errors)) == (2, True)
