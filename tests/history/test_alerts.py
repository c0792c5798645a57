"""An alert begins once and ends once, each target is told once of both, and no check ends otherwise for a target."""

import multiprocessing
import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import alert_jobs
import orjson
import pytest
from alert_jobs import BODY, END
from webhooks import answer, hang, webhook

from benchbench.history.alerts.alert import AlertChange
from benchbench.history.alerts.rows import alerts
from benchbench.history.alerts.targets import DeliveryError, read_targets
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
            f"{received.url} was not told of alerts: no whole answer within 0.2 s; the next check tells it"
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
