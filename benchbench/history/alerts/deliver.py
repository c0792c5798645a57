"""Telling targets of alerts, each once: what is to be sent is kept before it is sent, and again what became of it.

Of two checks at once, the one that keeps a delivery first sends it. One that was stopped while it sent leaves the state
`sending`; after a minute another check takes that as failed.
"""

import threading
import time
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from benchbench.errors import BenchbenchError
from benchbench.history.alerts.alert import AlertChange, Delivery, Moment
from benchbench.history.alerts.rows import alerts, now
from benchbench.history.alerts.targets import DeliveryError, Target
from benchbench.history.database import Connection, among

if TYPE_CHECKING:
    from benchbench.history.store import Store

SENDING, SENT, FAILED = "sending", "sent", "failed"
_STOPPED = timedelta(minutes=1)  # after which nobody is sending any more: several times what sending may take
_MOMENTS: tuple[Moment, ...] = ("began", "ended")

Told = dict[tuple[int, Moment], list[Delivery]]


@dataclass(frozen=True, slots=True)
class Claim:
    """Something that this process, and no other, is to say to a target."""

    target: Target
    delivery: int
    change: AlertChange


def claim(connection: Connection, targets: Sequence[Target], series: Collection[str]) -> list[Claim]:
    """Return what each target has not been told, in the order in which it happened, and keep that it is being sent.

    That is every open alert of these series, the end of each alert that it was to be told of, and what failed before.
    """
    return [one for target in targets for one in _claimed(connection, target, series)]


def deliver(history: "Store", claims: Sequence[Claim], seconds: float) -> Told:
    """Tell all targets at once, and keep what became of it; nothing is raised, and nothing waited for any longer."""
    by_target: dict[str, list[Claim]] = defaultdict(list)
    for one in claims:
        by_target[one.target.digest].append(one)
    results: dict[str, Future[None]] = {digest: Future() for digest in by_target}
    for digest, ours in by_target.items():
        threading.Thread(target=_send, args=(ours, seconds, results[digest]), daemon=True).start()
    until = time.monotonic() + seconds + 2
    failures = {digest: _failure(result, until - time.monotonic(), seconds) for digest, result in results.items()}
    told: Told = defaultdict(list)
    for one in claims:
        failure = failures[one.target.digest]
        told[one.change.alert.id, one.change.moment].append(Delivery(one.target.shown, failure is None, failure or ""))
    _keep(history, claims, failures)
    return dict(told)


def _claimed(connection: Connection, target: Target, series: Collection[str]) -> list[Claim]:
    numbers = _to_tell(connection, target.digest, series)
    ours = f"SELECT alert, moment, id, state, at FROM delivery WHERE target_digest = ? AND alert IN {among(numbers)}"
    there = {(alert, moment): row for alert, moment, *row in connection.rows(ours, [target.digest, *numbers])}
    claims = []
    for alert in alerts(connection, ids=numbers):
        for moment in _MOMENTS if not alert.is_open else _MOMENTS[:1]:
            row = there.get((alert.id, moment))
            number = _insert(connection, target, alert.id, moment) if row is None else _retake(connection, target, *row)
            if number is not None:
                claims.append(Claim(target, number, AlertChange(alert, moment, new=row is None)))
    return claims


def _to_tell(connection: Connection, digest: str, series: Collection[str]) -> set[int]:
    """Return the alerts of which a target may not have been told all."""
    told = "SELECT alert.id FROM alert JOIN delivery ON delivery.alert = alert.id AND target_digest = ?"
    end = "SELECT 1 FROM delivery AS e WHERE e.alert = alert.id AND e.target_digest = ? AND e.moment = ?"
    found = [
        *connection.rows(f"SELECT id FROM alert WHERE ended IS NULL AND series IN {among(series)}", [*series]),
        *connection.rows(f"{told} WHERE state != ?", [digest, SENT]),
        *connection.rows(f"{told} WHERE ended IS NOT NULL AND NOT EXISTS ({end})", [digest, digest, _MOMENTS[1]]),
    ]
    return {number for (number,) in found}


def _insert(connection: Connection, target: Target, alert: int, moment: Moment) -> int:
    row = {"alert": alert, "moment": moment, "target": target.shown, "target_digest": target.digest}
    row |= {"state": SENDING, "at": now(), "said": ""}
    return connection.inserted("delivery", row)


def _retake(connection: Connection, target: Target, number: int, state: str, at: str) -> int | None:
    """Return the id of a delivery that failed, or whose process was stopped."""
    if state == SENT or (state == SENDING and _recent(at)):
        return None
    again = "UPDATE delivery SET state = ?, at = ?, target = ? WHERE id = ?"
    connection.run(again, [SENDING, now(), target.shown, number])
    return number


def _recent(at: str) -> bool:
    """Say whether a time is within a minute of now; a clock that was set back makes it no later than that."""
    return abs(datetime.now(UTC) - datetime.fromisoformat(at)) < _STOPPED


def _send(claims: Sequence[Claim], seconds: float, done: "Future[None]") -> None:
    try:
        claims[0].target.send([one.change for one in claims], seconds)
    except Exception as error:
        done.set_exception(error)
    else:
        done.set_result(None)


def _failure(result: "Future[None]", wait: float, seconds: float) -> str | None:
    try:
        result.result(max(0.0, wait))
    except TimeoutError:
        return f"not done within {seconds:g} s"
    except DeliveryError as error:
        return str(error)
    except Exception as error:  # nothing that a target does may end a check
        return type(error).__name__
    return None


def _keep(history: "Store", claims: Sequence[Claim], failures: Mapping[str, str | None]) -> None:
    """Keep what became of it; where that cannot be kept, the next check but one minute says it again."""
    if not claims:
        return
    try:
        with history.transaction() as connection:
            for one in claims:
                failure = failures[one.target.digest]
                connection.run(
                    "UPDATE delivery SET state = ?, at = ?, said = ? WHERE id = ?",
                    [SENT if failure is None else FAILED, now(), failure or "", one.delivery],
                )
    except BenchbenchError:
        return
