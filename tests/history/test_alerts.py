"""An alert begins once and ends once, each target is told once of both, and no check ends otherwise for a target.

Targets are read from texts without showing a secret, and a file gets whole lines or none.
"""

import asyncio
import errno
import fcntl
import multiprocessing
import os
import re
import subprocess
import sys
import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import alert_jobs
import orjson
import pytest
from alert_jobs import BEGAN, BODY, END
from hypothesis import given
from hypothesis import strategies as st
from webhooks import answer, hang, webhook

from benchbench.errors import InputError
from benchbench.history.alerts import targets as alert_targets
from benchbench.history.alerts.alert import Alert, AlertChange, message, payload, text
from benchbench.history.alerts.rows import alerts
from benchbench.history.alerts.targets import AlertFile, DeliveryError, read_targets
from benchbench.history.alerts.update import undelivered, update
from benchbench.history.store import Store, open_history


class Told:
    """A target that keeps what it was told, after it failed so many times."""

    def __init__(self, digest: str = "d", failures: int = 0) -> None:
        self.shown, self.digest, self.failures = f"target {digest}", digest, failures
        self.messages: list[list[str]] = []

    def send(self, changes: Sequence[AlertChange], seconds: float) -> None:
        if self.failures:
            self.failures -= 1
            raise DeliveryError("out of order")
        self.messages.append([one.moment for one in changes])


def rows(history: Store) -> list[tuple[str, str, str]]:
    with history.reading() as connection:
        return connection.rows("SELECT moment, state, said FROM delivery ORDER BY id")


def test_an_alert_begins_once_and_ends_once(history: Store):
    told = Told()
    moments = [[one.moment for one in update(history, [found], [told])] for found in (BODY, BODY, END, END, BODY)]
    assert moments == [["began"], [], ["ended"], [], []]
    assert told.messages == [["began"], ["ended"]]
    (alert,) = alerts(history, ["s1"])
    assert (alert.body, alert.end, alert.is_open) == (BODY, END, False)


def test_a_later_run_does_not_begin_a_second_alert_while_one_is_open(history: Store):
    update(history, [BODY])
    assert update(history, [replace(BODY, since_run=13)]) == []
    assert len(alerts(history, ["s1"])) == 1


def test_after_its_end_the_next_is_another_alert(history: Store):
    update(history, [BODY])
    update(history, [END])
    (change,) = update(history, [replace(BODY, since_run=20)])
    assert change.new
    assert [one.is_open for one in alerts(history, ["s1"])] == [False, True]
    assert [one.body.since_run for one in alerts(history, ["s1"], open_only=True)] == [20]


def test_measures_and_series_have_alerts_of_their_own(history: Store):
    others = [replace(BODY, measure="gold.P@5"), replace(BODY, series="s2")]
    assert len(update(history, [BODY, *others])) == 3
    (ended,) = update(history, [replace(END, measure="gold.P@5")])
    assert ended.alert.body.measure == "gold.P@5"
    assert len(alerts(history, ["s1", "s2"], open_only=True)) == 2


def test_what_is_not_open_cannot_end(history: Store):
    assert update(history, [END]) == []


def test_an_alert_that_began_and_ended_between_two_checks_is_told_in_this_order(history: Store):
    told = Told(failures=1)
    (began,) = update(history, [BODY], [told])
    assert began.deliveries[0].said == "out of order"
    ended, = (one for one in update(history, [END], [told]) if one.moment == "ended")  # fmt: skip
    assert ended.deliveries[0].sent
    assert told.messages == [["began", "ended"]]


def test_what_failed_is_said_kept_and_told_by_the_next_check(history: Store):
    told = Told(failures=2)
    (first,) = update(history, [BODY], [told])
    assert undelivered([first]) == ["target d was not told of alerts: out of order; the next check tells it"]
    assert rows(history) == [("began", "failed", "out of order")]
    (second,) = update(history, [], [told])
    assert not second.new
    (third,) = update(history, [], [told])
    assert third.deliveries[0].sent
    assert undelivered([third]) == []
    assert rows(history) == [("began", "sent", "")]
    assert update(history, [], [told], ["s1"]) == []


def test_one_target_that_fails_costs_the_others_nothing(history: Store):
    good, bad = Told("good"), Told("bad", failures=1)
    (change,) = update(history, [BODY], [bad, good])
    assert [(one.target, one.sent) for one in change.deliveries] == [("target bad", False), ("target good", True)]
    update(history, [], [bad, good])
    assert good.messages == bad.messages == [["began"]]


def test_a_target_that_was_not_there_when_it_began_is_told_of_an_open_alert_of_the_series_that_are_checked(
    history: Store,
):
    update(history, [BODY, replace(BODY, series="s2")])
    told = Told()
    assert [one.alert.body.series for one in update(history, [], [told], ["s1"])] == ["s1"]
    assert update(history, [], [told], ["s1"]) == []


def test_a_target_is_not_told_of_what_ended_before_it_was_there(history: Store):
    update(history, [BODY])
    update(history, [END])
    assert update(history, [], [Told()], ["s1"]) == []


def test_any_error_of_a_target_is_a_failed_delivery(history: Store):
    class Broken(Told):
        def send(self, changes: Sequence[AlertChange], seconds: float) -> None:
            raise RuntimeError("https://secret.example.org/token")

    (change,) = update(history, [BODY], [Broken()])
    assert change.deliveries[0].said == "RuntimeError"


def test_a_target_that_stands_still_is_not_waited_for(history: Store):
    over = threading.Event()

    class Still(Told):
        def send(self, changes: Sequence[AlertChange], seconds: float) -> None:
            over.wait(30)

    quick = Told("quick")
    (change,) = update(history, [BODY], [Still("still"), quick], seconds=-1.9)  # and two seconds to come to an end
    over.set()
    assert [one.sent for one in change.deliveries] == [False, True]


def test_a_webhook_that_hangs_ends_the_check_in_time_and_gets_it_at_the_next(history: Store):
    with webhook(hang, answer()) as received:
        targets = read_targets([f"{received.url}/secret-path/t0k3n"])
        (change,) = update(history, [BODY], targets, seconds=0.2)
        assert undelivered([change]) == [
            f"{received.url} was not told of alerts: no complete answer within 0.2 s; the next check tells it"
        ]
        update(history, [], targets)
    assert received.bodies[0] == received.bodies[1]
    assert rows(history) == [("began", "sent", "")]


def test_a_check_that_was_stopped_while_it_sent_is_made_up_for_after_a_minute(history: Store):
    update(history, [BODY], [Told(failures=1)])
    for ago, expected in ((timedelta(seconds=20), []), (timedelta(minutes=2), [["began"]]), (timedelta(hours=-9), [])):
        at = (datetime.now(UTC) - ago).isoformat()
        with history.transaction() as connection:
            connection.run("UPDATE delivery SET state = 'sending', at = ?", [at])
        told = Told()
        update(history, [], [told])
        assert told.messages == (expected or ([["began"]] if ago < timedelta(0) else []))


def test_without_anything_to_say_a_store_is_not_written(tmp_path: Path):
    with open_history(tmp_path / "history.db", create=True) as opened:
        opened.close()
    (tmp_path / "history.db").chmod(0o444)
    with open_history(tmp_path / "history.db", write=False) as history:
        assert update(history, []) == []


@pytest.mark.slow  # three processes
def test_checks_at_once_begin_one_alert_and_end_it_once_and_one_of_them_tells(tmp_path: Path):
    place, file = tmp_path / "history.db", tmp_path / "alerts.jsonl"
    with open_history(place, create=True):
        pass
    spawn = multiprocessing.get_context("spawn")
    barrier = spawn.Barrier(3)
    processes = [spawn.Process(target=alert_jobs.check, args=(place, file, barrier)) for _ in range(3)]
    for one in processes:
        one.start()
    for one in processes:
        one.join()
    assert [one.exitcode for one in processes] == [0, 0, 0]
    assert [orjson.loads(line)["event"] for line in file.read_bytes().splitlines()] == ["began", "ended"]
    with open_history(place) as history:
        assert [one.is_open for one in alerts(history, ["s1"])] == [False]


def test_threads_at_once_begin_one_alert_whichever_run_each_takes_for_the_first(history: Store):
    bodies = [replace(BODY, since_run=number) for number in range(12, 20)]
    told = Told()
    with ThreadPoolExecutor(8) as pool:
        changes = list(pool.map(lambda body: update(history, [body], [told], ["s1"]), bodies))
    assert sum(one.new for several in changes for one in several) == 1
    assert sum(map(len, told.messages)) == 1
    assert len(alerts(history, ["s1"])) == 1


def test_no_secret_is_in_the_store(history: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("HOOK", "http://127.0.0.1:9/env-secret-part")
    monkeypatch.setenv("TOKEN", "bearer-secret")
    update(history, [BODY], read_targets(["http://user:pass-secret@127.0.0.1:9/url-secret?key=query-secret"]), ["s1"])
    update(history, [BODY], read_targets(["env:HOOK"], "TOKEN"), ["s1"])
    history.close()
    content = b"".join(path.read_bytes() for path in tmp_path.rglob("*") if path.is_file())
    assert b"http://127.0.0.1:9" in content
    assert b"secret" not in content


def test_of_checks_at_once_one_begins_the_alert_in_either_database(address: str):
    """Each has a connection of its own, and finds another run to be the first that is worse."""
    with open_history(address, create=True):
        pass
    told, began, ended = Told(), [], []

    def check(number: int) -> None:
        with open_history(address) as history:
            began.extend(update(history, [replace(BODY, since_run=12 + number)], [told], ["s1"]))

    def end(number: int) -> None:
        with open_history(address) as history:
            ended.extend(update(history, [replace(END, run=20 + number)], [told], ["s1"]))

    for job in (check, end):
        with ThreadPoolExecutor(4) as pool:
            list(pool.map(job, range(4)))
    assert (sum(one.new for one in began), sum(one.new for one in ended)) == (1, 1)
    assert told.messages == [["began"], ["ended"]]


ENDED = AlertChange(Alert(7, "2026-01-02T03:04:05.000Z", BODY, "2026-01-03T00:00:00.000Z", END), "ended", True)
SAID = (
    "nightly on cases: gold.nDCG@10 is worse since run 12, between commit 01234567 and abcdef12: 0.410 "
    "became 0.380, difference −0.030 (−0.040 to −0.020), p = 0.00001 over the last 2 runs (tested at 0.0002)"
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


def test_a_webhook_is_told_where_an_event_loop_runs_already(history: Store):
    async def in_a_notebook(url: str) -> list[AlertChange]:
        return update(history, [BODY], read_targets([url]))

    with webhook(answer()) as received:
        (change,) = asyncio.run(in_a_notebook(received.url))
    assert change.deliveries[0].sent


def test_a_webhook_gets_what_since_when_how_sure_which_queries_and_slices():
    with webhook(answer()) as received:
        read_targets([received.url])[0].send([BEGAN, ENDED], 10)
    (body,) = received.bodies
    assert body.keys() == {"schema", "text", "alerts"}
    began, ended = body["alerts"]
    assert began == orjson.loads(orjson.dumps(message(BEGAN)))  # as docs/alerts.md shows it
    assert ended["event"] == "ended"
    assert ended["ended"] == {
        "run": 15,
        "commit": "fedcba9876543210",
        "why": "recovered",
        "at": "2026-01-03T00:00:00.000Z",
    }
    assert body["text"].splitlines() == [
        SAID,
        "  queries that moved most: q1 0.800 to 0.100, q2 0.700 to –",
        "  slices that moved most: language=de 0.400 to 0.200 (n = 10)",
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
