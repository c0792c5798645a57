"""`benchbench history trend`, as a person calls it."""

import json
from pathlib import Path

import histories
import pytest
from command_line import said, sentence
from stored_trends import Night, add, nights

from benchbench.history.store import open_history


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return one with thirty nights, which fall at the twenty-first, and one run of another name; tests read it."""
    path = tmp_path_factory.mktemp("trend") / "history.db"
    with open_history(histories.empty(path)) as history:
        add(history, [Night(0, [0.1, 0.2], name="other", at=-3)])
        add(history, nights(30, step=20))
    return path


def test_the_verdict_is_printed_and_nothing_fails(capsys: pytest.CaptureFixture[str], store: Path):
    code, output, errors = said(capsys, "history", "trend", "--store", store)
    assert (code, errors) == (0, "")
    assert output.startswith("▼ gold.nDCG@10 fell from 0.452 to 0.351 at run 22 (commit a1d77fa → a1d96e9).")
    assert "gold.nDCG@10 fell from 0.4" in output
    assert "Not shown, of other names or kinds: other (run)" in output


def test_json_is_the_whole_result_and_says_how_it_was_asked_for(capsys: pytest.CaptureFixture[str], store: Path):
    code, output, _ = said(
        *(capsys, "history", "trend", "--store", store, "--name", "nightly", "--last", 5, "--order", "time"),
        *("-m", "nDCG@10,p50", "--by", "court", "--format", "json"),
    )
    assert code == 0
    made = json.loads(output)
    assert [run["number"] for run in made["runs"]] == [27, 28, 29, 30, 31]
    assert [line["measure"] for line in made["lines"]] == ["gold.nDCG@10", "p50"]
    assert len(made["slices"]) == 3
    settings = {name: one["value"] for name, one in made["record"]["settings"].items()}
    assert settings["last"] == 5
    assert settings["by"] == "court"
    assert settings["order"] == "time"
    assert made["record"]["settings"]["last"]["source"] == "command line"


@pytest.mark.parametrize(
    ("gate", "code"),
    [
        ("nDCG@10<0.9", 1),
        ("nDCG@10<0.1", 0),
        ("low gold.nDCG@10<0.1", 0),
        ("change nDCG@10<-0.5", 0),
        ("drift gold.nDCG@10<1", 1),
        ("p50>1s", 0),
        ("Δ nDCG@10<0", 2),
        ("drift.nDCG@10<0", 2),
        ("p50>1", 2),
    ],
)
def test_gates_go_by_latest_value_change_and_drift(
    capsys: pytest.CaptureFixture[str], store: Path, tmp_path: Path, gate: str, code: int
):
    junit = tmp_path / "gates.xml"
    found, _, errors = said(
        *(capsys, "history", "trend", "--store", store, "--name", "nightly", "--fail-if", gate, "--junit", junit)
    )
    assert found == code
    if code == 2:
        assert sentence(errors)
    else:
        assert f'failures="{code}"' in junit.read_text()


def test_the_page_and_the_section_are_written(capsys: pytest.CaptureFixture[str], store: Path, tmp_path: Path):
    page, section, folder = tmp_path / "trend.html", tmp_path / "summary.md", tmp_path / "kept"
    code, _, _ = said(
        capsys, "history", "trend", "--store", store, "--html", page, "--summary", section, "--out", folder
    )
    assert code == 0
    assert page.read_text(encoding="utf-8").startswith("<!doctype html>")
    assert section.read_text(encoding="utf-8").startswith("## nightly on cases: 30 runs")
    assert {one.name for one in folder.iterdir()} >= {"record.json", "summary.json", "report.html"}
    assert said(capsys, "show", folder).output.startswith("▼ gold.nDCG@10 fell from 0.452 to 0.351 at run 22")


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (["--name", "nobody"], "as asked for; `benchbench history list` shows what there is"),
        (["-m", "nDCG@20"], "nDCG@20 is not stored; did you mean nDCG@10?"),
        (["--by", "judge"], "--by judge: no run has this column; there are court"),
        (["--last", "0"], "--last"),
        (["--since", "yesterday"], "--since yesterday is not a date or time"),
    ],
)
def test_what_is_not_there_is_said_in_one_sentence(
    capsys: pytest.CaptureFixture[str], store: Path, arguments: list[str], why: str
):
    code, output, errors = said(capsys, "history", "trend", "--store", store, *arguments)
    assert (code, output) == (2, "")
    assert why in sentence(errors)


def test_no_store_is_made_by_looking(capsys: pytest.CaptureFixture[str], tmp_path: Path):
    code, _, errors = said(capsys, "history", "trend", "--store", tmp_path / "none.db")
    assert code == 2
    assert "none.db" in sentence(errors)
    assert list(tmp_path.iterdir()) == []


def test_a_password_of_the_store_stands_nowhere(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch):
    address = "postgresql://me:geheim%21@127.0.0.1:1/runs"
    monkeypatch.setenv("BENCHBENCH_HISTORY", address)
    for arguments in ([], ["--store", address]):
        code, output, errors = said(capsys, "history", "trend", *arguments)
        assert code == 2
        assert "geheim" not in output + errors
