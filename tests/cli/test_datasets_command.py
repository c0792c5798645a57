"""`benchbench datasets`: what a path is, as text and as JSON."""

from pathlib import Path

import data_sets
import makes
import orjson
import pytest
from command_line import said, sentence
from makes import MAKES, SMALL

from benchbench.formats.datasets.locate import shipped_names
from benchbench.formats.datasets.makes import MAKES as NAMES

LABELS = "licence = 'CC0'\ncluster = 'law'\n[tasks.law]\nrule = 'equal'\nlabel = 'law'\n"


def test_without_a_path_it_lists_what_travels_with_it_and_what_it_knows(capsys: pytest.CaptureFixture[str]) -> None:
    code, output, errors = said(capsys, "datasets")
    assert (code, errors) == (0, "")
    first, *others = output.splitlines()
    assert first == f"Shipped: {', '.join(shipped_names())}"
    assert [line.split()[0] for line in others] == list(NAMES)
    found = orjson.loads(said(capsys, "datasets", "--format", "json").output)
    assert (found["shipped"], list(found["makes"])) == (shipped_names(), list(NAMES))


def test_each_row_says_one_thing_of_a_data_set(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    folder = MAKES["beir"](tmp_path, SMALL)["name"]
    rows = [{**one, "law": one["_id"]} for one in makes.texts(SMALL.queries)]
    makes.json_lines(folder / "queries.jsonl", rows)
    (folder / "dataset.toml").write_text(LABELS)
    code, output, errors = said(capsys, "datasets", folder)
    assert (code, errors) == (0, "")
    verdict, _, *lines = output.splitlines()
    assert verdict == f"{folder}: 3 queries, 6 judgments, 4 documents."
    rows = dict(line.split(maxsplit=1) for line in lines)
    assert len(rows.pop("Digest")) == 32
    size = {name: (folder / name).stat().st_size for name in ("queries.jsonl", "corpus.jsonl", "qrels/test.tsv")}
    assert rows == {
        "Make": "beir, split test",
        "Queries": f"3 of {folder}/queries.jsonl ({size['queries.jsonl']:,} bytes)",
        "Judgments": f"6 of {folder}/qrels/test.tsv ({size['qrels/test.tsv']:,} bytes): 1 of grade -1, 1 of grade 0, "
        "2 of grade 1, 1 of grade 2, 1 of grade 3",
        "Relevant": "least 1, median 1, mean 1.33, most 2 per query",
        "Documents": f"4 of {folder}/corpus.jsonl ({size['corpus.jsonl']:,} bytes)",
        "Columns": "of the queries, with the number of values: law (4), length (4)",
        "Task": "law=equal(law)",
        "Measures": "nDCG@10, R@100, AP@100, RR@10",
        "Defaults": "--self id --gold id --top-k 120 --max-positives 0",
        "Cluster": "law",
        "Licence": "CC0",
        "Note": f"1 query of queries.jsonl has no judgment in {folder}/qrels/test.tsv and was skipped",
    }


def test_several_paths_are_described_one_after_the_other(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    tiered = data_sets.write(tmp_path / "tiered")
    folder = MAKES["parquet, as MTEB"](tmp_path / "mteb", SMALL)["name"]
    output = said(capsys, "datasets", tiered, folder).output
    assert [line for line in output.splitlines() if line.startswith((str(tmp_path), "Make"))] == [
        f"{tiered}/tiered.jsonl: 12 queries, 44 judgments, 28 documents.",
        "Make        tiered",
        f"{folder}: 3 queries, 6 judgments, 4 documents.",
        "Make        parquet, split test of test, train",
    ]
    assert output.count("\n\n") == 3
    first, second = orjson.loads(said(capsys, "datasets", tiered, folder, "--format", "json").output)
    assert (first["make"], first["queries"], first["documents"]) == ("tiered", data_sets.QUERIES, 28)
    assert (second["splits"], second["grades"]["3"], second["skipped_lines"]) == (
        ["test", "train"],
        1,
        {"queries": 0, "collection": 0},
    )


def test_options_name_a_data_set_as_they_do_for_a_run(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    given = MAKES["trec, SGML"](tmp_path, SMALL)
    arguments = [f"--{name}={path}" for name, path in given.items()]
    (found,) = orjson.loads(said(capsys, "datasets", *arguments, "--format", "json").output)
    assert (found["make"], found["queries"], found["judgments"], found["documents"]) == ("trec", 3, 6, 4)
    both = said(capsys, "datasets", tmp_path, "--dataset", tmp_path)
    assert (both.code, sentence(both.errors)) == (2, "PATH and --dataset both name a data set; give one")


def test_what_a_file_says_does_not_command_the_terminal(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    folder = MAKES["beir"](tmp_path / "a\x1b[31mred", SMALL)["name"]
    (folder / "dataset.toml").write_text('licence = "CC0\\u001b[2J"\n')
    makes.json_lines(folder / "queries.jsonl", [{**one, "a\x1bb": 1} for one in makes.texts(SMALL.queries)])
    output = said(capsys, "datasets", folder).output
    assert "\x1b" not in output
    assert "CC0\\x1b[2J" in output


def test_a_data_set_of_two_data_sets_that_is_wrong_is_said_after_the_first(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    folder = MAKES["beir"](tmp_path, SMALL)["name"]
    code, output, errors = said(capsys, "datasets", folder, tmp_path / "gone")
    assert code == 2
    assert output.startswith(f"{folder}: 3 queries, ")
    assert "does not exist" in sentence(errors)


def test_of_many_grades_their_range_is_shown(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    given = MAKES["trec, TSV"](tmp_path, SMALL)
    given["qrels"].write_text("".join(f"q1 0 d{n} {n / 4}\n" for n in range(50)))
    output = said(capsys, "datasets", *(f"--{name}={path}" for name, path in given.items())).output
    assert "bytes): 50 grades from 0 to 12.25\n" in output
    assert "Relevant    least 49, median 49, mean 49, most 49 per query\n" in output


def test_judgments_of_a_query_itself_are_said_to_be_left_out(capsys, tmp_path: Path):
    (tmp_path / "qrels").mkdir()
    (tmp_path / "queries.jsonl").write_text('{"_id": "1", "text": "oak"}\n')
    (tmp_path / "corpus.jsonl").write_text('{"_id": "1", "text": "an oak"}\n{"_id": "2", "text": "oaks"}\n')
    (tmp_path / "qrels" / "test.tsv").write_text("1\t1\t1\n1\t2\t1\n")
    found = said(capsys, "datasets", tmp_path)
    assert (found.code, found.errors) == (0, "")
    assert "1 judgment is of the query itself or repeats another, and does not count" in found.output
