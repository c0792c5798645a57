"""`history check --alert`: no target changes the verdict, the exit code or the time, and none gets a secret out."""

from pathlib import Path

import orjson
import pytest
from alert_jobs import series_of
from command_line import said
from webhooks import answer, hang, webhook

import benchbench as bb
from benchbench.client import webhook as module


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """Return a store whose latest run is worse than the ten before."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("BENCHBENCH_HISTORY", "history.db")
    with bb.History("history.db") as history:
        series_of(history, [1] * 10 + [2])
    return "history.db"


def test_a_webhook_that_hangs_changes_neither_verdict_nor_exit_code_and_is_told_by_the_next_check(
    store: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
):
    post = module.Webhook.post
    monkeypatch.setattr(module.Webhook, "post", lambda self, body, seconds: post(self, body, 0.2))
    with webhook(hang, answer()) as received:
        hook = f"{received.url}/services/s3cr3t-part"
        for expected in (
            f"{received.url} was not told of alerts: no whole answer within 0.2 s; the next check tells it",
            "Error: gate failed: RR is worse since run 11",
        ):
            code, output, errors = said(capsys, "history", "check", "--alert", hook, "--format", "json", "-q")
            assert code == 1
            assert errors.startswith(expected)
            (series,) = orjson.loads(output)["series"]
            assert series["measures"][0]["verdict"] == "worse"
    first, second = received.bodies
    assert first == second
    assert [query for query, *_ in first["alerts"][0]["queries"]]
    assert "s3cr3t-part" not in output + errors
    assert b"s3cr3t-part" not in Path("history.db").read_bytes()


def test_it_is_told_once_when_it_begins_and_once_when_it_ends(store: str, capsys: pytest.CaptureFixture[str]):
    line = ("history", "check", "--alert", "alerts.jsonl", "-q")
    assert [said(capsys, *line).code for _ in range(2)] == [1, 1]
    assert said(capsys, "history", "accept", "11", "--reason", "meant").code == 0
    assert said(capsys, *line).code == 0
    told = [orjson.loads(one) for one in Path("alerts.jsonl").read_bytes().splitlines()]
    assert [one["event"] for one in told] == ["began", "ended"]
    assert told[1]["ended"]["why"] == "accepted"


def test_a_bad_target_is_refused_before_anything_is_checked(store: str, capsys: pytest.CaptureFixture[str]):
    before = Path("history.db").read_bytes()
    code, _, errors = said(capsys, "history", "check", "--alert", "env:NOT_SET")
    assert (code, errors.strip()) == (2, "Error: --alert env:NOT_SET: the environment variable NOT_SET is not set")
    assert Path("history.db").read_bytes() == before
