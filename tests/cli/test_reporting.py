"""What every command does with its result: files for CI and for people, a folder, and where each option came from."""

import json
import sys
from pathlib import Path
from typing import Any

import pytest
from command_line import said, sentence
from results.round_trip import validated

from benchbench.profile import tools
from benchbench.results.reading import read_record
from benchbench.tables.names import PROJECT_FILE

QRELS = "q1 0 d1 1\nq1 0 d2 0\nq2 0 d3 2\n"
RUN = "q1 Q0 d1 1 3 mine\nq1 Q0 d2 2 2 mine\nq2 Q0 d9 1 1 mine\nq2 Q0 d3 2 0.5 mine\n"


@pytest.fixture
def score(tmp_path: Path, monkeypatch) -> list[object]:
    """Return a command that measures something in a moment, in a folder of its own."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv(PROJECT_FILE, raising=False)
    Path("qrels").write_text(QRELS)
    Path("run").write_text(RUN)
    return ["score", "qrels", "run"]


def stored(out: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return record and config of a folder; the record keeps to its schema."""
    folder = Path(out)
    return validated(read_record(folder / "record.json")), json.loads((folder / "config.json").read_bytes())


def test_a_folder_is_called_and_lies_as_it_was_said(capsys, score):
    code, output, errors = said(capsys, *score, "--name", "ours, 判例", "--out", "a/out")
    assert (code, errors) == (0, "Results in a/out\n")
    record, _ = stored("a/out")
    assert (record["name"], record["kind"]) == ("ours, 判例", "score")
    assert said(capsys, "show", "a/out").output == output
    assert said(capsys, *score, "--quiet", "--out", "b").errors == ""


def test_without_a_folder_nothing_is_written(capsys, score, tmp_path: Path):
    assert said(capsys, *score).code == 0
    assert {path.name for path in tmp_path.iterdir()} == {"qrels", "run"}


def test_config_and_record_say_where_every_option_came_from(capsys, score, tmp_path: Path):
    Path("benchbench.toml").write_text('[score]\nties = "input"\nover = "returned"\n')
    said(capsys, *score, "--over", "judged", "-m", "AP,RR", "--out", "out")
    record, config = stored("out")
    assert {name: (one["value"], one["source"]) for name, one in record["settings"].items()} == {
        "measure": (["AP", "RR"], "command line"),
        "ties": ("input", str(tmp_path / "benchbench.toml")),
        "over": ("judged", "command line"),
        "score_precision": ("double", "default"),
        "no_positives": ("zero", "default"),
        "rel": (None, "default"),
        "strict": (False, "default"),
        "fail_if": ([], "default"),
    }
    assert config["options"] == {name: one["value"] for name, one in record["settings"].items()}
    assert config["sources"] == {name: one["source"] for name, one in record["settings"].items()}
    assert {"options", "sources", "data_digest", "versions", "host", "command"} == config.keys()


@pytest.mark.slow  # a profile measures in processes
def test_a_profile_keeps_a_folder_with_its_options_and_their_sources(capsys, score, monkeypatch):
    values = json.dumps({"means": dict.fromkeys(tools.MEASURES, 0.5), "seconds": [0.25]})
    command = (sys.executable, "-c", f"print({values!r})")
    monkeypatch.setattr(
        tools,
        "ours",
        lambda: tools.Tool(
            name="benchbench", package="x", version="1", command=command, means=tools.printed, again=command
        ),
    )
    monkeypatch.setattr(tools, "peers", lambda names: [])
    code, output, _ = said(
        capsys, "profile", "metrics", "--limit", 20, "--repeat", 1, "--name", "small", "--out", "out",
        "--fail-if", "peak_mb>100000", "--junit", "gates.xml",
    )  # fmt: skip
    assert code == 0
    record, _ = stored("out")
    assert record["name"] == "small"
    assert {name: one["source"] for name, one in record["settings"].items()} == {
        "limit": "command line",
        "repeat": "command line",
        "depth": "default",
        "judged": "default",
        "seed": "default",
        "peers": "default",
        "timeout": "default",
        "fail_if": "command line",
    }
    assert said(capsys, "show", "out").output == output


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        (("--junit", "x"), "--junit writes one test case per gate; name a gate with --fail-if"),
        (("--summary", "x", "--html", "x"), "--summary and --html are both x; name two files"),
        (("--summary", "x", "--html", "./link/../x"), "--summary and --html are both x; name two files"),
        (("--junit", "x", "--summary", "x", "--fail-if", "AP<1"), "--junit and --summary are both x; name two files"),
        (("--html", "run"), "--html run is also given as a file to read or write; name another file"),
        (("--html", "hard"), "--html hard is also given as a file to read or write; name another file"),
        (("--html", "x", "--out", "x"), "--html x is also given as a file to read or write; name another file"),
        (("--html", "none/x"), "--html none/x: there is no folder none"),
        (("--summary", "folder"), "--summary folder is a folder; name a file"),
        (("--out", "folder"), "--out folder exists already; name another folder"),
        (("--out", "run"), "--out run exists already; name another folder"),
        (("--out", "run/x"), "cannot write run/x.partial: Not a directory; name another place with --out"),
        (("--fail-if", "nDCG@3<1", "--html", "x"), "--fail-if nDCG@3<1: nDCG@3 is not measured; -m nDCG@3 adds it"),
        (
            ("--fail-if", "words<1", "--html", "x"),
            "--fail-if words<1: words is not measured; measured are nDCG@10, AP, ",
        ),
        (("--fail-if", "p99>3ms", "--html", "x"), "--fail-if p99>3ms: p99 is not measured; measured are nDCG@10, AP, "),
    ],
)
def test_what_cannot_be_written_is_one_sentence_and_nothing_is_written(
    capsys, score, tmp_path: Path, options: tuple[str, ...], reason: str
):
    Path("folder").mkdir()
    Path("link").symlink_to("folder")
    Path("hard").hardlink_to("run")
    before = sorted(tmp_path.rglob("*"))
    code, output, errors = said(capsys, *score, *options)
    assert (code, output) == (2, "")
    assert sentence(errors).startswith(reason)
    assert sorted(tmp_path.rglob("*")) == before
    assert Path("run").read_text() == RUN


def test_a_gate_that_fails_ends_with_1_after_everything_is_written(capsys, score):
    options = ["--fail-if", "AP<0.9", "--fail-if", "AP<0.5", "--junit", "x.xml", "--html", "x.html", "--out", "out"]
    code, output, errors = said(capsys, *score, *options, "--format", "csv")
    assert code == 1
    assert output.startswith("run,query,measure,value\n")
    assert errors == "Results in out\nError: gate failed: AP is 0.75, required at least 0.9\n"
    assert [one["verdict"] for one in stored("out")[0]["gates"]] == ["failed", "passed"]
    page = Path("x.html").read_text("utf-8")
    assert "AP&lt;0.9" in page
    assert "1 of 2 gates failed" in page
    assert 'failures="1"' in Path("x.xml").read_text("utf-8")


def test_a_summary_is_appended_and_a_page_replaced(capsys, score):
    Path("step.md").write_text("before\n")
    Path("page.html").write_text("before")
    for _ in range(2):
        assert said(capsys, *score, "--summary", "step.md", "--html", "page.html").code == 0
    assert Path("step.md").read_text("utf-8").startswith("before\n## run: 2 judged queries\n")
    assert Path("step.md").read_text("utf-8").count("## run: ") == 2
    assert Path("page.html").read_text("utf-8").startswith("<!doctype html>")


def test_one_device_takes_several_files(capsys, score):
    options = ["--summary", "/dev/null", "--html", "/dev/null", "--junit", "/dev/null", "--fail-if", "AP<0"]
    assert said(capsys, *score, *options).code == 0


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
@pytest.mark.parametrize("option", ["--html", "--summary"])
def test_a_full_disk_is_one_sentence_and_the_folder_stays(capsys, score, option: str):
    code, _, errors = said(capsys, *score, "--out", "out", option, "/dev/full")
    assert code == 2
    assert sentence(errors).startswith(f"{option} /dev/full cannot be written: ")
    assert stored("out")


def test_the_command_line_of_the_record_has_no_secret(capsys, score, monkeypatch):
    words = ["score", "qrels", "run", "--out", "out", "--name", "http://me:secret@host/x?key=secret"]
    monkeypatch.setattr(sys, "argv", ["benchbench", *words])
    assert said(capsys, *words).code == 0
    assert "secret" not in json.dumps(stored("out")[1]["command"])


def test_a_name_that_is_no_unicode_is_kept_with_question_marks(capsys, score):
    Path("run").rename("run-\udcff")
    code, output, _ = said(capsys, *score[:2], "run-\udcff", "--name", "\udcff", "--out", "out", "--format", "json")
    assert (code, json.loads(output)["record"]["name"]) == (0, "?")
    assert said(capsys, "show", "out").code == 0
