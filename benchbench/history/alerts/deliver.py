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
from typing import TYPE_CHECKING, Any

from sqlalchemy import Connection, bindparam, insert, select, update

from benchbench.errors import BenchbenchError
from benchbench.history import schema
from benchbench.history.alerts.rows import alerts, now
from benchbench.history.alerts.targets import DeliveryError, Target
from benchbench.history.alerts.update import AlertChange, Delivery, Moment

if TYPE_CHECKING:
    from benchbench.history.store import History

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


def deliver(history: "History", claims: Sequence[Claim], seconds: float) -> Told:
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
    ours = (schema.delivery.c.target_digest == target.digest) & schema.delivery.c.alert.in_(numbers)
    there = {(row.alert, row.moment): row for row in connection.execute(select(schema.delivery).where(ours))}
    claims = []
    for alert in alerts(connection, ids=numbers):
        for moment in _MOMENTS if not alert.is_open else _MOMENTS[:1]:
            row = there.get((alert.id, moment))
            number = _insert(connection, target, alert.id, moment) if row is None else _retake(connection, target, row)
            if number is not None:
                claims.append(Claim(target, number, AlertChange(alert, moment, new=row is None)))
    return claims


def _to_tell(connection: Connection, digest: str, series: Collection[str]) -> set[int]:
    """Return the alerts of which a target may not have been told all."""
    alert, delivery, end = schema.alert, schema.delivery, schema.delivery.alias()
    told = (delivery.c.alert == alert.c.id) & (delivery.c.target_digest == digest)
    ended = (end.c.alert == alert.c.id) & (end.c.target_digest == digest) & (end.c.moment == _MOMENTS[1])
    kinds = (
        select(alert.c.id).where(alert.c.series.in_(list(series)) & alert.c.ended.is_(None)),
        select(alert.c.id).where(told & (delivery.c.state != SENT)),
        select(alert.c.id).where(told & alert.c.ended.is_not(None) & ~select(end.c.id).where(ended).exists()),
    )
    return {number for one in kinds for number in connection.execute(one).scalars()}


def _insert(connection: Connection, target: Target, alert: int, moment: Moment) -> int:
    row = {"alert": alert, "moment": moment, "target": target.shown, "target_digest": target.digest}
    made = insert(schema.delivery).values(**row, state=SENDING, at=now(), said="").returning(schema.delivery.c.id)
    return int(connection.execute(made).scalar_one())


def _retake(connection: Connection, target: Target, row: Any) -> int | None:
    """Return the id of a delivery that failed, or whose process was stopped."""
    if row.state == SENT or (row.state == SENDING and _recent(row.at)):
        return None
    again = {"state": SENDING, "at": now(), "target": target.shown}
    connection.execute(update(schema.delivery).where(schema.delivery.c.id == row.id).values(**again))
    return int(row.id)


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


def _keep(history: "History", claims: Sequence[Claim], failures: Mapping[str, str | None]) -> None:
    """Keep what became of it; where that cannot be kept, the next check but one minute says it again."""
    if not claims:
        return
    rows = [
        {
            "row": one.delivery,
            "state": SENT if (failure := failures[one.target.digest]) is None else FAILED,
            "at": now(),
            "said": failure or "",
        }
        for one in claims
    ]
    change = update(schema.delivery).where(schema.delivery.c.id == bindparam("row"))
    values: dict[str, Any] = {name: bindparam(name) for name in ("state", "at", "said")}
    try:
        with history.transaction() as connection:
            connection.execute(change.values(values), rows)
    except BenchbenchError:
        return
