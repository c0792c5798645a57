"""`benchbench score`."""

import csv
import gzip
import io
import json
import sys
from pathlib import Path

import copied_processes
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


@pytest.mark.parametrize("form", ["json", "csv"])
def test_runs_of_one_name_have_values_of_their_own(capsys, files, tmp_path: Path, form: str):
    (tmp_path / "other").mkdir()
    other = tmp_path / "other" / "my.run"
    other.write_text("b Q0 x 1 3 tag\n")
    _, output, _ = said(
        capsys, "score", *files, other, files[1], "-m", "RR", "--per-query", "--format", form, "--out", tmp_path / "out"
    )
    expected = [{"a": 0.5, "b": 0.0}, {"a": 0.0, "b": 1.0}, {"a": 0.5, "b": 0.0}]
    if form == "json":
        value = json.loads(output)
        found = [{query: one["RR"] for query, one in run["per_query"].items()} for run in value["runs"]]
        scopes = [one["scope"]["run"] for one in value["record"]["numbers"] if one["name"] == "RR"]
        assert scopes == ["my", "my (2)", "my (3)"]
    else:
        rows = [(row["query"], float(row["value"])) for row in csv.DictReader(io.StringIO(output)) if row["query"]]
        found = [dict(rows[at : at + 2]) for at in (0, 2, 4)]
    assert found == expected
    assert said(capsys, "show", tmp_path / "out").code == 0


def test_the_record_has_the_options_that_say_how_runs_are_read(capsys, files):
    _, output, _ = said(capsys, "score", *files, "-m", "P@2", "--rel", 2, "--format", "json")
    settings = json.loads(output)["record"]["settings"]
    assert settings["rel"] == {"value": 2.0, "source": "command line"}
    assert settings["strict"] == {"value": False, "source": "default"}
    assert settings["measure"]["value"] == ["P(rel=2)@2"]


def test_rel_is_the_lowest_relevant_grade_of_measures_that_name_none(capsys, files):
    _, output, _ = said(capsys, "score", *files, "--rel", "2", "-m", "RR", "-m", "P(rel=3)@5", "--format", "jsonl")
    assert [json.loads(line)["measure"] for line in output.splitlines()] == ["RR(rel=2)", "P(rel=3)@5"]


@pytest.mark.parametrize(
    ("arguments", "reason"), [(["-m", "nDCK@10"], "nDCG"), (["-m", "P@0"], "P@"), (["-m", "nDCG(p=1)@5"], "gains")]
)
def test_a_bad_measure_is_one_sentence(capsys, files, arguments, reason):
    code, output, errors = said(capsys, "score", *files, *arguments)
    assert (code, output) == (2, "")
    assert reason in sentence(errors)


def test_judgments_of_which_none_is_relevant_end_with_exit_code_2(capsys, tmp_path: Path):
    for name, text in (("q", "q 0 a 0\n"), ("r", "q Q0 a 1 1 x\n"), ("s", "q Q0 a 1 2 x\n")):
        (tmp_path / name).write_text(text)
    for command, runs in (("score", "r"), ("compare", "rs")):
        code, _, errors = said(capsys, command, tmp_path / "q", *(tmp_path / run for run in runs))
        assert (code, "no document is judged relevant" in sentence(errors)) == (2, True)


def test_a_missing_file_and_strangers_are_one_sentence(capsys, files, tmp_path):
    code, _, errors = said(capsys, "score", tmp_path / "none", files[1])
    assert (code, "does not exist" in sentence(errors)) == (2, True)
    (tmp_path / "other").write_text("z Q0 x 1 1 t\n")
    code, _, errors = said(capsys, "score", files[0], tmp_path / "other")
    assert (code, "no query that is judged" in sentence(errors)) == (2, True)


def test_runs_of_any_format_are_scored_beside_each_other(capsys, files, tmp_path):
    qrels, run = files
    (tmp_path / "rows.jsonl").write_text(
        '{"qid": "a", "docno": "y", "score": 3}\n{"qid": "a", "docno": "x", "score": 2.5}\n'
    )
    (tmp_path / "object.json").write_text('{"a": {"x": 2.5, "y": 3}}')
    (tmp_path / "beir.tsv").write_text("query-id\tcorpus-id\tscore\na\tx\t2.5\na\ty\t3\n")
    (tmp_path / "packed.gz").write_bytes(gzip.compress(run.read_bytes()))
    (tmp_path / "qrels.tsv").write_text("query-id\tcorpus-id\tscore\na\tx\t1\na\ty\t0\nb\tx\t2\n")
    runs = [run, *(tmp_path / name for name in ("rows.jsonl", "object.json", "beir.tsv", "packed.gz"))]
    for judgments in (qrels, tmp_path / "qrels.tsv"):
        code, output, _ = said(capsys, "score", judgments, *runs, "--format", "json", "--per-query")
        scored = json.loads(output)["runs"]
        assert code == 0
        assert [one["name"] for one in scored] == [path.name.partition(".")[0] for path in runs]
        assert all(one | {"name": ""} == scored[0] | {"name": ""} for one in scored)


STANDARD_INPUT = {"run": "standard input", "query": None, "measure": "RR", "value": 0.25}


def test_a_dash_is_standard_input(capsys, files):
    """Packed or not, as `cat run.gz | benchbench score qrels -` has it."""
    qrels, run = files
    for data in (run.read_bytes(), gzip.compress(run.read_bytes())):
        code, output, errors = said(capsys, "score", qrels, "-", "-m", "RR", "--format", "jsonl", given=data)
        assert (code, json.loads(output), errors) == (0, STANDARD_INPUT, "")


@pytest.mark.slow  # a process
def test_a_dash_is_the_standard_input_of_a_process(files):
    qrels, run = files
    command = [sys.executable, "-m", "benchbench", "score", str(qrels), "-", "-m", "RR", "--format", "jsonl"]
    done = copied_processes.run(command, input=gzip.compress(run.read_bytes()))
    assert (done.returncode, json.loads(done.stdout), done.stderr) == (0, STANDARD_INPUT, b"")


def test_qrels_may_come_from_standard_input_and_the_run_not_as_well(capsys, files):
    def score(*paths: object) -> tuple[int, str, str]:
        return said(capsys, "score", *paths, "-m", "RR", "--format", "jsonl", given=QRELS.encode())

    code, output, _ = score("-", files[1])
    assert (code, json.loads(output)["value"]) == (0, 0.25)
    code, output, errors = score("-", "-")
    assert (code, output) == (2, "")
    assert sentence(errors).startswith("standard input is empty")


def test_a_broken_run_leaves_one_sentence_and_no_numbers(capsys, files, tmp_path):
    for name, data, reason in (
        ("cut.gz", gzip.compress(RUN.encode() * 999)[:-9], "is not a whole gzip file"),
        ("cut.parquet", b"PAR1" + b"\0" * 99, "is no parquet file"),
        ("bad.jsonl", b'{"a": {"x": 1}}\n{"a": {"x": "1"}}\n', 'line 2: the score "1" is not a number'),
        ("bad.csv", b"qid,text,score\n", "no column doc_id; there are qid, text, score"),
    ):
        (tmp_path / name).write_bytes(data)
        code, output, errors = said(capsys, "score", files[0], files[1], tmp_path / name)
        assert (code, output) == (2, "")
        assert sentence(errors).startswith(str(tmp_path / name))
        assert reason in errors


def test_expected_ties_are_the_mean_over_both_orders(capsys, files, tmp_path):
    names = ["RR", "P@1", "P@2", "nDCG@10", "AP", "R@1", "Success@1"]
    wanted = [part for name in names for part in ("-m", name)]
    tied, orders = tmp_path / "tied.run", [tmp_path / "xy.run", tmp_path / "yx.run"]
    tied.write_text("a Q0 y 1 3 t\na Q0 x 2 3 t\nb Q0 x 1 1 t\n")
    orders[0].write_text("a Q0 x 1 3 t\na Q0 y 2 2 t\nb Q0 x 1 1 t\n")
    orders[1].write_text("a Q0 y 1 3 t\na Q0 x 2 2 t\nb Q0 x 1 1 t\n")
    code, output, _ = said(capsys, "score", files[0], tied, *wanted, "--ties", "expected", "--format", "json")
    _, twins, _ = said(capsys, "score", files[0], *orders, *wanted, "--format", "json")
    one, other = (run["measures"] for run in json.loads(twins)["runs"])
    assert code == 0
    assert json.loads(output)["runs"][0]["measures"] == pytest.approx(
        {name: (one[name] + other[name]) / 2 for name in names}, abs=1e-12
    )
    assert "|ties:expected|" in json.loads(output)["signature"]


@pytest.mark.parametrize("name", ["IPrec@0.5", "StRecall@5"])
def test_a_measure_without_an_expected_value_is_one_sentence(capsys, files, name):
    files[0].write_text("a 1 x 1\na 2 y 1\n")
    code, output, errors = said(capsys, "score", *files, "-m", name, "--ties", "expected")
    assert (code, output) == (2, "")
    assert sentence(errors) == f"{name} has no expected value over ties here; score it with ties trec or input"


def test_subtopics_are_the_second_column_of_qrels(capsys, files):
    files[0].write_text("a 1 x 1\na 2 y 1\na 3 z 1\n")
    code, output, _ = said(capsys, "score", *files, "-m", "StRecall@1", "-m", "StRecall@5", "--format", "json")
    assert code == 0
    assert json.loads(output)["runs"][0]["measures"] == {"StRecall@1": 1 / 3, "StRecall@5": 2 / 3}
    files[0].write_text(QRELS)
    code, output, errors = said(capsys, "score", *files, "-m", "StRecall@5")
    assert (code, output) == (2, "")
    assert "the qrels have no subtopics" in sentence(errors)


UNMATCHED = (
    "none of the 2 hits is judged for its query, so that no document counts; do both use the same document ids? "
    "E.g. query a got 'X-1', and 'x' is judged"
)


@pytest.mark.parametrize("form", ["text", "json", "jsonl", "csv", "markdown", "latex"])
def test_document_ids_that_match_nothing_are_said_in_every_output(capsys, files, tmp_path: Path, form: str):
    other = tmp_path / "other.run"
    other.write_text("a Q0 X-1 1 3 tag\na Q0 X-2 2 2.5 tag\n")
    code, output, errors = said(capsys, "score", *files, other, "-m", "RR", "--format", form)
    assert code == 0
    shown = {"text": UNMATCHED, "json": json.dumps(UNMATCHED, ensure_ascii=False), "markdown": UNMATCHED}
    assert shown.get(form, "") in output
    assert errors == (f"Note: other: {UNMATCHED}\n" if form in ("csv", "jsonl") else "")
    assert f"% other: {UNMATCHED}" in output or form != "latex"


def test_a_judged_hit_of_grade_0_is_a_match(capsys, files, tmp_path: Path):
    other = tmp_path / "other.run"
    other.write_text("a Q0 y 1 3 tag\nb Q0 X-2 2 2.5 tag\n")
    _, output, _ = said(capsys, "score", files[0], other, "-m", "RR", "--format", "json")
    assert json.loads(output)["runs"][0]["notes"] == []


def test_judgments_and_run_in_each_others_place_end_with_2_and_are_told_to_be_swapped(capsys, files):
    code, output, errors = said(capsys, "score", files[1], files[0])
    assert (code, output) == (2, "")
    assert (
        sentence(errors)
        == f"{files[1]} looks like a run and {files[0]} like judgments: swap them, judgments come first"
    )


def test_ranks_in_the_column_of_scores_are_noted_in_text_and_json(capsys, files, tmp_path):
    lines = (f"a Q0 d{rank} {9.5 - rank} {rank} tag\n" for rank in range(1, 5))
    (tmp_path / "swapped.run").write_text("".join(lines))
    (tmp_path / "qrels").write_text("a 0 d1 1\n")
    _, output, _ = said(capsys, "score", tmp_path / "qrels", tmp_path / "swapped.run")
    assert "\nNote        the scores of each query rise by 1 from hit to hit, as ranks do, " in output
    code, output, _ = said(capsys, "score", tmp_path / "qrels", tmp_path / "swapped.run", "--format", "json")
    (run,) = json.loads(output)["runs"]
    assert (code, run["measures"]["RR"]) == (0, 0.25)
    assert run["notes"][0].endswith("(columns 4 and 5 of TREC text), change them back")


def test_hits_that_nobody_judged_are_said_unless_all_were(capsys, tmp_path: Path):
    (tmp_path / "qrels").write_text("a 0 x 1\na 0 y 0\n")
    (tmp_path / "part.run").write_text("a Q0 x 1 3 t\na Q0 z 2 2 t\n")
    (tmp_path / "whole.run").write_text("a Q0 x 1 3 t\na Q0 y 2 2 t\n")
    _, output, _ = said(capsys, "score", tmp_path / "qrels", tmp_path / "part.run", tmp_path / "whole.run", "-m", "P@2")
    assert output.count("Judged@2") == 1
    assert "Note        part: Judged@2 0.500: hits that nobody judged count as not relevant\n" in output
    gate = ("-m", "P@2", "--fail-if", "Judged@2<0.8")
    assert said(capsys, "score", tmp_path / "qrels", tmp_path / "part.run", *gate).code == 1
    assert said(capsys, "score", tmp_path / "qrels", tmp_path / "whole.run", *gate).code == 0
