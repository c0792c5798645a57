"""`benchbench audit`, and the page about it."""

import json
import re
import shlex
from pathlib import Path

import data_sets
import documented
import pytest
import services
from command_line import said, sentence

from benchbench.audit.audit_run import CHECKS
from benchbench.audit.service_checks import SERVICE_CHECKS

FILE = documented.ROOT / "docs" / "audit.md"
PAGE = FILE.read_text(encoding="utf-8")


@pytest.fixture
def example(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Write the files of the page, and go to the folder above them."""
    assert list(documented.files(FILE)) == ["my/tiered.jsonl", "my/collection.jsonl"]
    documented.write(FILE, tmp_path)
    monkeypatch.chdir(tmp_path)
    return tmp_path / "my"


def test_the_example_of_the_page_prints_what_it_shows(
    capsys: pytest.CaptureFixture[str], example: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("COLUMNS", "80")
    (shown,) = re.findall(r"```\n(▼ Repairing my changes .*?)\n```", PAGE, flags=re.DOTALL)
    code, output, errors = said(capsys, "audit", "my")
    assert output.startswith(shown)
    assert (code, errors) == (0, "")


def test_the_page_has_a_row_for_each_check():
    rows = re.findall(r"^\| ((?:`\w+`(?:, )?)+) \|", PAGE, flags=re.MULTILINE)
    assert tuple(re.findall(r"`(\w+)`", " ".join(rows))) == tuple(check.name for check in (*CHECKS, *SERVICE_CHECKS))


def test_gates_are_checked_and_a_check_that_was_not_done_fails_them(
    capsys: pytest.CaptureFixture[str], example: Path, tmp_path: Path
):
    gates = ("errors>0", "possible_nDCG@10<0.6", "repeated_ids>0", "shared_between_splits>0", "findings>0")
    options = [part for gate in gates for part in ("--fail-if", gate)]
    code, output, errors = said(capsys, "audit", "my", *options, "--junit", "gates.xml", "--html", "page.html")
    assert code == 1
    assert "possible_nDCG@10 is 0.5, required at least 0.6" in errors
    assert "shared_between_splits has no value" in errors
    assert "● repeated_ids 0 (limit 0)" in output
    assert 'failures="4"' in Path("gates.xml").read_text()
    assert "names a document that does not exist" in Path("page.html").read_text()


def test_a_service_that_answers_nothing_to_read_ends_with_4_behind_the_report(
    capsys: pytest.CaptureFixture[str], example: Path
):
    with services.running(services.raw("<html>")) as service:
        code, output, errors = said(capsys, "audit", "my", "--url", service.url)
    assert code == 4
    assert "▼ Failed queries: what that costs was not measured." in output
    assert "that were asked failed: 6 queries: " in " ".join(output.split())
    assert sentence(errors).endswith("answered nothing that can be read: failed_queries says why")


def test_a_name_of_a_number_that_there_is_not_is_refused_before_anything_is_read(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
):
    code, _, errors = said(capsys, "audit", tmp_path / "nothing", "--fail-if", "unknown_hits>0")
    assert code == 2
    assert "unknown_hits is not measured" in sentence(errors)
    code, _, errors = said(capsys, "audit", tmp_path / "nothing")
    assert code == 2
    assert "does not exist" in sentence(errors)


def test_json_has_everything_and_a_folder_is_shown_again(capsys: pytest.CaptureFixture[str], example: Path):
    code, output, _ = said(capsys, "audit", "my", "--format", "json", "--out", "saved", "--name", "mine")
    found = json.loads(output)
    assert code == 0
    assert found["findings"][0]["queries"] == {"ids": ["q2"], "left_out": 0}
    assert found["record"]["kind"] == "audit"
    assert found["record"]["name"] == "mine"
    settings = found["record"]["settings"]
    assert settings["near"] == {"value": 0.8, "source": "default"}
    assert said(capsys, "show", "saved").output == said(capsys, "audit", "my", "--name", "mine").output
    assert said(capsys, "show", "saved", "--fail-if", "dangling_judgments>0").code == 1


def test_a_service_is_audited_with_the_options_of_a_run(capsys: pytest.CaptureFixture[str], tmp_path: Path):
    folder = data_sets.write(tmp_path / "data")
    with services.running(services.searching(data_sets.collection(folder))) as service:
        command = ["audit", folder, "--url", service.url, "--limit", 5, "--top-k", 7, "--header", "X-Key: s3cr3t-one"]
        code, output, _ = said(capsys, *command, "--format", "json", "--fail-if", "unknown_hits>0")
        asked = service.messages
        assert service.headers[0]["X-Key"] == "s3cr3t-one"
    assert code == 0
    assert "s3cr3t-one" not in output
    assert {len(one["queries"]) for one in asked} == {5}
    assert {one["top_k"] for one in asked} == {7}
    assert len(asked) == 3
    assert json.loads(output)["service"] == f"{service.url}/batch_search"


def test_a_service_that_is_not_there_is_exit_code_3(capsys: pytest.CaptureFixture[str], tmp_path: Path):
    folder = data_sets.write(tmp_path / "data")
    with services.refusing() as url:
        assert said(capsys, "audit", folder, "--url", url, "--retries", 0).code == 3


def test_the_commands_of_the_page_are_those_of_the_command_line():
    commands = re.findall(r"^benchbench (.*?)(?: {2,}#.*)?$", PAGE, flags=re.MULTILINE)
    assert {shlex.split(one)[0] for one in commands} == {"audit"}
