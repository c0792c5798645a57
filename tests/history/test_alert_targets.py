"""Targets are read from texts without showing a secret, and a file gets whole lines or none."""

import errno
import fcntl
import os
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import orjson
import pytest
from alert_jobs import BEGAN, BODY, END
from hypothesis import given
from hypothesis import strategies as st
from webhooks import answer, webhook

from benchbench.errors import InputError
from benchbench.history.alerts import targets as alert_targets
from benchbench.history.alerts.alert import Alert, AlertChange, payload, text
from benchbench.history.alerts.targets import AlertFile, DeliveryError, read_targets

ENDED = AlertChange(Alert(7, "2026-01-02T03:04:05.000Z", BODY, "2026-01-03T00:00:00.000Z", END), "ended", True)
SAID = (
    "nightly on cases: gold.nDCG@10 is worse since run 12, between commit 01234567 and abcdef12: 0.4100 "
    "became 0.3800, difference −0.0300 (−0.0400 to −0.0200), p = 1e−05 over the last 2 runs (tested at 0.0002)"
)


def message_of(problem: "pytest.ExceptionInfo[Exception]") -> str:
    return str(problem.value)


def test_each_kind_of_target_is_shown_without_a_secret(tmp_path: Path):
    environment = {"HOOK": "https://u:p@hooks.example.org/secret", "EMPTY": " "}
    texts = ["stderr", str(tmp_path / "a"), "https://u:p@hooks.example.org:8443/secret?k=v", "env:HOOK", "env:EMPTY"]
    targets = read_targets(texts, None, environment)
    assert [one.shown for one in targets] == [
        "stderr",
        str(tmp_path / "a"),
        "https://hooks.example.org:8443",
        "env:HOOK (https://hooks.example.org)",
        "env:EMPTY",
    ]
    assert len({one.digest for one in targets}) == 5
    assert not any("secret" in repr(vars(one)) for one in targets[2:] if hasattr(one, "__dict__"))


def test_the_same_target_has_the_same_digest_and_is_told_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)
    assert len(read_targets(["stderr", " stderr", "a", "./a", str(tmp_path / "a")])) == 2
    (one,) = read_targets(["env:HOOK"], None, {"HOOK": "https://example.org/old"})
    (other,) = read_targets(["env:HOOK"], None, {"HOOK": "https://example.org/new"})
    assert one.digest == other.digest, "what failed at the old address is told at the new one"


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ("", "--alert takes stderr, a file, http(s)://…, or env:NAME; write ./NAME for a file with a colon"),
        ("slack:channel-secret", "--alert takes stderr, a file, http(s)://…, or env:NAME; write ./NAME for a file"),
        ("ftp://u:secret@h/p", "--alert takes stderr, a file, http(s)://…, or env:NAME; write ./NAME for a file"),
        ("https:/secret", "--alert is not a URL such as https://hooks.example.org/…"),
        ("HTTPS://", "--alert is not a URL such as https://hooks.example.org/…"),
        ("env:NONE", "--alert env:NONE: the environment variable NONE is not set"),
        ("env:", "--alert env:: the environment variable  is not set"),
        ("env:BAD", "--alert env:BAD is not a URL such as https://hooks.example.org/…"),
        ("a\0b", "--alert a\\x00b: no file can have this name: ValueError"),
        ("a" * 300, f"--alert {'a' * 300}: no file can have this name: File name too long"),
        (".", "--alert . is a folder; name a file"),
        ("nowhere/alerts.jsonl", "--alert nowhere/alerts.jsonl: the folder nowhere does not exist"),
    ],
)
def test_what_is_no_target_is_refused_in_one_sentence_without_it(given: str, said: str):
    with pytest.raises(InputError) as problem:
        read_targets([given], None, {"BAD": "hooks.example.org/secret"})
    assert message_of(problem).startswith(said)
    assert "secret" not in message_of(problem)


@given(st.text(max_size=40))
def test_any_text_is_a_target_or_an_error_of_one_sentence(given: str):
    try:
        found = read_targets([given], None, {})
    except InputError as problem:
        assert "\n" not in str(problem)  # noqa: PT017 - most texts are names of files
    else:
        assert len(found) == 1


def test_a_token_is_for_one_webhook(tmp_path: Path):
    environment = {"T": "to-ken", "LINES": "a\nb", "EMPTY": ""}
    hook = "https://example.org/"
    for texts in ([], ["stderr"], [hook, "https://example.net/"]):
        with pytest.raises(InputError, match="--alert-token-env is the token of one webhook, and --alert names"):
            read_targets(texts, "T", environment)
    for name in ("LINES", "EMPTY", "NONE"):
        with pytest.raises(InputError, match=f"--alert-token-env: .*{name}") as problem:
            read_targets([hook], name, environment)
        assert "a\nb" not in message_of(problem)


def test_a_token_is_sent():
    with webhook(answer()) as received:
        read_targets([received.url], "T", {"T": "to-ken"})[0].send([BEGAN], 10)
    assert "Authorization: Bearer to-ken" in received.heads[0]


def test_an_empty_variable_is_a_delivery_that_failed_and_not_bad_usage():
    (target,) = read_targets(["env:HOOK"], None, {"HOOK": ""})
    with pytest.raises(DeliveryError, match="the environment variable HOOK is empty"):
        target.send([BEGAN], 10)


def test_a_webhook_gets_what_since_when_how_sure_which_queries_and_slices():
    with webhook(answer()) as received:
        read_targets([received.url])[0].send([BEGAN, ENDED], 10)
    (body,) = received.bodies
    assert body.keys() == {"schema", "text", "alerts"}
    began, ended = body["alerts"]
    assert began == {
        "schema": 1,
        "event": "began",
        "at": "2026-01-02T03:04:05.000Z",
        "text": SAID,
        "alert": 7,
        "series": "s1",
        "kind": "run",
        "name": "nightly",
        "data": "cases",
        "measure": "gold.nDCG@10",
        "unit": "",
        "better": "higher",
        "since_run": 12,
        "since_id": "0192",
        "since_at": "2026-01-02T03:04:05.000Z",
        "since_commit": "abcdef1234567890",
        "before_run": 11,
        "before_commit": "0123456789abcdef",
        "reference": 0.41,
        "value": 0.38,
        "difference": -0.03,
        "low": -0.04,
        "high": -0.02,
        "p": 0.00001,
        "level": 0.0002,
        "runs": 2,
        "found_run": 13,
        "observed": "",
        "queries": [["q1", 0.8, 0.1], ["q2", 0.7, None]],
        "slices": [["language=de", 0.4, 0.2, 10]],
        "ended": None,
    }
    assert ended["event"] == "ended"
    assert ended["ended"] == {
        "run": 15,
        "commit": "fedcba9876543210",
        "why": "recovered",
        "at": "2026-01-03T00:00:00.000Z",
    }
    assert body["text"].splitlines() == [
        SAID,
        "  queries that moved most: q1 0.8000 to 0.1000, q2 0.7000 to –",
        "  slices that moved most: language=de 0.4000 to 0.2000 (n = 10)",
        "nightly on cases: gold.nDCG@10 is no longer worse with run 15 (commit fedcba98): the runs since are "
        "better than those that were worse; it was since run 12, between commit 01234567 and abcdef12",
    ]


def test_a_name_in_a_text_calls_nobody_is_no_link_and_breaks_no_line():
    body = replace(BODY, name="<!channel> @here <https://x|y>\n*b*", queries=[("\x1b[31m@all", 1.0, 0.0)])
    said = text([AlertChange(Alert(1, "", body), "began", True)])
    assert not {"<", ">", "\x1b"} & set(said)
    assert "@here" not in said
    assert "@all" not in said
    assert "nDCG@10" in said
    assert len(said.splitlines()) == 3


def test_a_text_about_many_alerts_stays_short():
    assert text([BEGAN] * 40).splitlines()[-1] == "… and 30 more"


def test_standard_error_gets_one_line_per_change(capsys: pytest.CaptureFixture[str]):
    read_targets(["stderr"])[0].send([BEGAN, ENDED], 10)
    lines = capsys.readouterr().err.splitlines()
    assert lines[0] == f"Alert began: {SAID}"
    assert lines[1].startswith("Alert ended: nightly on cases: gold.nDCG@10 is no longer worse with run 15")


def test_a_closed_standard_error_is_a_delivery_that_failed(monkeypatch: pytest.MonkeyPatch):
    with Path(os.devnull).open("w") as closed:
        pass
    monkeypatch.setattr(alert_targets.sys, "stderr", closed)
    with pytest.raises(DeliveryError, match="ValueError"):
        read_targets(["stderr"])[0].send([BEGAN], 10)


def test_a_file_gets_a_line_per_change_behind_what_it_has(tmp_path: Path):
    path = tmp_path / "alerts.jsonl"
    path.write_bytes(b'{"event":"of another"}\n{"half')
    AlertFile(path).send([BEGAN, ENDED], 10)
    lines = path.read_bytes().splitlines()
    assert lines[:2] == [b'{"event":"of another"}', b'{"half']
    assert [orjson.loads(line)["event"] for line in lines[2:]] == ["began", "ended"]


@pytest.mark.slow  # processes
def test_parallel_writers_mix_no_lines(tmp_path: Path):
    targets = [AlertFile(tmp_path / "alerts.jsonl") for _ in range(8)]
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda target: [target.send([BEGAN] * 20, 30) for _ in range(5)], targets))
    lines = (tmp_path / "alerts.jsonl").read_bytes().splitlines()
    assert len(lines) == 8 * 5 * 20
    assert all(orjson.loads(line)["alert"] == 7 for line in lines)


def test_a_file_that_another_process_keeps_locked_is_not_waited_for(tmp_path: Path):
    path = tmp_path / "alerts.jsonl"
    with path.open("wb") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        with pytest.raises(DeliveryError, match="another process kept the file locked for 0 s"):
            AlertFile(path).send([BEGAN], 0.0)
    AlertFile(path).send([BEGAN], 0.0)


def test_a_pipe_that_nobody_reads_is_not_waited_for(tmp_path: Path):
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(DeliveryError, match="it is a pipe, which keeps nothing"):
        AlertFile(tmp_path / "pipe").send([BEGAN], 10)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_a_full_disk_is_a_delivery_that_failed():
    with pytest.raises(DeliveryError, match="No space left on device; free some space"):
        AlertFile(Path("/dev/full")).send([BEGAN], 10)


def test_a_disk_that_becomes_full_in_the_middle_leaves_the_file_as_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    path, write = tmp_path / "alerts.jsonl", os.write
    AlertFile(path).send([BEGAN], 10)
    before = path.read_bytes()

    def some(file: int, data: memoryview) -> int:
        if len(data) < 1000:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return write(file, data[:100])

    monkeypatch.setattr(alert_targets.os, "write", some)
    with pytest.raises(DeliveryError, match="No space left on device; free some space"):
        AlertFile(path).send([BEGAN] * 4, 10)
    assert path.read_bytes() == before


@pytest.mark.slow  # a process
def test_a_file_that_may_not_grow_stays_as_it_was(tmp_path: Path):
    """The limit on the size of files is a process's own, so that this one has it to itself."""
    path = tmp_path / "alerts.jsonl"
    AlertFile(path).send([BEGAN], 10)
    before = path.read_bytes()
    code = f"""
import resource, signal, sys
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, ({len(before) + 300}, resource.RLIM_INFINITY))
from pathlib import Path
from alert_jobs import BEGAN
from benchbench.history.alerts.targets import AlertFile, DeliveryError
try:
    AlertFile(Path({str(path)!r})).send([BEGAN], 10)
except DeliveryError as error:
    sys.exit(str(error))
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False, env=_paths())
    assert done.stderr.strip() == "File too large"
    assert path.read_bytes() == before


def _paths() -> dict[str, str]:
    """Return an environment that finds the tests, and writes no compiled modules: such a file would be cut off too."""
    path = os.pathsep.join([str(Path(__file__).parents[1]), *sys.path])
    return {**os.environ, "PYTHONPATH": path, "PYTHONDONTWRITEBYTECODE": "1"}


def test_a_folder_that_may_not_be_written_is_a_delivery_that_failed(tmp_path: Path):
    if os.geteuid() == 0:
        pytest.skip("root may write anywhere")
    tmp_path.chmod(0o555)
    with pytest.raises(DeliveryError, match="Permission denied"):
        AlertFile(tmp_path / "alerts.jsonl").send([BEGAN], 10)


def test_the_page_shows_what_a_webhook_gets():
    page = (Path(__file__).parents[2] / "docs" / "alerts.md").read_text(encoding="utf-8")
    shown = orjson.loads(page.partition("```json\n")[2].partition("```")[0])
    assert shown == orjson.loads(orjson.dumps(payload([BEGAN])))
    described = set(re.findall(r"`(\w+)`", "".join(re.findall(r"^\|(.*?)\|", page, flags=re.MULTILINE))))
    assert described >= set(shown["alerts"][0])
