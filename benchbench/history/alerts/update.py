"""Alerts begin and end as a check found it, and each target is told once of each.

What is to be sent is kept before it is sent, and again what became of it. Of two checks at once, the one that keeps a
delivery first sends it. One that was stopped while it sent leaves the state `sending`; after a minute another check
takes that as failed.
"""

import threading
import time
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, NamedTuple

from benchbench.errors import BenchbenchError
from benchbench.history.alerts.alert import AlertBody, AlertChange, AlertEnd, Delivery, Moment
from benchbench.history.alerts.rows import alerts as alerts  # which users import from here
from benchbench.history.alerts.rows import alerts_where, begin, end, now, serialize
from benchbench.history.alerts.targets import DeliveryError, Target
from benchbench.history.database import StoreConnection, among

if TYPE_CHECKING:
    from benchbench.history.store import Store

SENDING, SENT, FAILED = "sending", "sent", "failed"
_STOPPED = timedelta(minutes=1)  # after which nobody is sending any more: several times what sending may take


class _Claim(NamedTuple):
    """Something that this process, and no other, is to say to a target."""

    target: Target
    delivery: int
    change: AlertChange


def update(
    history: "Store",
    found: Sequence[AlertBody | AlertEnd],
    targets: Sequence[Target] = (),
    checked: Collection[str] = (),
    seconds: float = 10.0,
) -> list[AlertChange]:
    """Begin and end alerts as a check found it, and tell each target once of each.

    A measure that already has an open alert gets no second one, and what is not open cannot end. Deliveries that failed
    at an earlier check are tried again.

    Parameters
    ----------
    history
        A store that may be written to.
    found
        What the check found.
    targets
        Who is told.
    checked
        Keys of the series that were checked: a target that was added since is told of their open alerts too.
    seconds
        That telling all targets may take together.

    Returns
    -------
    list of AlertChange
        What began and ended now, in the order of `found`, then what was only delivered now.

    Raises
    ------
    InputError
        The store cannot be written. What cannot be delivered raises nothing: it is in `AlertChange.deliveries`.
    """
    if not (found or targets):
        return []
    with history.transaction() as connection:
        serialize(connection)
        changed: dict[tuple[int, Moment], None] = {}
        for finding in found:
            moment: Moment = "began" if isinstance(finding, AlertBody) else "ended"
            number = begin(connection, finding) if isinstance(finding, AlertBody) else end(connection, finding)
            if number is not None:  # else it was done before
                changed[number, moment] = None
        series = {finding.series for finding in found} | set(checked)
        claims = [claim for target in targets for claim in _claimed(connection, target, series)]
    failures = _send_all(claims, seconds)
    told: dict[tuple[int, Moment], list[Delivery]] = defaultdict(list)
    for target, _, change in claims:
        failure = failures[target.digest]
        told[change.alert.id, change.moment].append(Delivery(target.shown, failure is None, failure or ""))
    with suppress(BenchbenchError):  # what cannot be kept is said again, by the first check after a minute
        _keep(history, claims, failures)
    every = {**changed, **dict.fromkeys(told)}
    with history.reading() as connection:
        numbers = {number for number, _ in every}
        known = {alert.id: alert for alert in alerts_where(connection, f"id IN {among(numbers)}", numbers)}
    return [
        AlertChange(known[number], moment, (number, moment) in changed, tuple(told[number, moment]))
        for number, moment in every
    ]


def undelivered(changes: Sequence[AlertChange]) -> list[str]:
    """Return a sentence for each target that could not be told, for standard error."""
    failed = {
        delivery.target: delivery.said for change in changes for delivery in change.deliveries if not delivery.sent
    }
    return [f"{target} was not told of alerts: {reason}; the next check tells it" for target, reason in failed.items()]


def _claimed(connection: StoreConnection, target: Target, series: Collection[str]) -> list[_Claim]:
    """Return what a target has not been told, in the order in which it happened, and keep that it is being sent.

    That is every open alert of these series, the end of each alert that it was to be told of, and what failed before.
    """
    told = "SELECT alert.id FROM alert JOIN delivery ON delivery.alert = alert.id AND target_digest = ?"
    ends = "SELECT 1 FROM delivery AS e WHERE e.alert = alert.id AND e.target_digest = ? AND e.moment = 'ended'"
    rows = [
        *connection.rows(f"SELECT id FROM alert WHERE ended IS NULL AND series IN {among(series)}", [*series]),
        *connection.rows(f"{told} WHERE state != ?", [target.digest, SENT]),
        *connection.rows(f"{told} WHERE ended IS NOT NULL AND NOT EXISTS ({ends})", [target.digest, target.digest]),
    ]
    numbers = {number for (number,) in rows}
    ours = f"SELECT alert, moment, id, state, at FROM delivery WHERE target_digest = ? AND alert IN {among(numbers)}"
    there = {(alert, moment): row for alert, moment, *row in connection.rows(ours, [target.digest, *numbers])}
    claims = []
    for alert in alerts_where(connection, f"id IN {among(numbers)}", numbers):
        moments: tuple[Moment, ...] = ("began",) if alert.is_open else ("began", "ended")
        for moment in moments:
            known = there.get((alert.id, moment))
            if known is None:
                row = {"alert": alert.id, "moment": moment, "target": target.shown, "target_digest": target.digest}
                number = connection.inserted("delivery", {**row, "state": SENDING, "at": now(), "said": ""})
            else:
                number, state, at = known
                if state == SENT or (state == SENDING and _is_recent(at)):
                    continue
                again = "UPDATE delivery SET state = ?, at = ?, target = ? WHERE id = ?"
                connection.run(again, [SENDING, now(), target.shown, number])
            claims.append(_Claim(target, number, AlertChange(alert, moment, new=known is None)))
    return claims


def _is_recent(at: str) -> bool:
    """Say whether a time is within a minute of now; a clock that was set back makes it no later than that."""
    return abs(datetime.now(UTC) - datetime.fromisoformat(at)) < _STOPPED


def _send_all(claims: Sequence[_Claim], seconds: float) -> Mapping[str, str | None]:
    """Tell all targets at once, and return why each was not told, by digest; nothing is waited for any longer."""
    by_target: dict[str, list[_Claim]] = defaultdict(list)
    for claim in claims:
        by_target[claim.target.digest].append(claim)
    failures: dict[str, str | None] = dict.fromkeys(by_target, f"not done within {seconds:g} s")
    threads = [
        threading.Thread(target=_send, args=(ours, seconds, failures), daemon=True) for ours in by_target.values()
    ]
    for thread in threads:
        thread.start()
    until = time.monotonic() + seconds + 2
    for thread in threads:
        thread.join(max(0.0, until - time.monotonic()))
    return dict(failures)  # a thread that still runs may write into the other


def _send(claims: Sequence[_Claim], seconds: float, failures: dict[str, str | None]) -> None:
    target, failure = claims[0].target, None
    try:
        target.send([claim.change for claim in claims], seconds)
    except DeliveryError as error:
        failure = str(error)
    except Exception as error:  # nothing that a target does may end a check
        failure = type(error).__name__
    failures[target.digest] = failure


def _keep(history: "Store", claims: Sequence[_Claim], failures: Mapping[str, str | None]) -> None:
    """Keep what became of it."""
    if not claims:
        return
    with history.transaction() as connection:
        for target, delivery, _ in claims:
            failure = failures[target.digest]
            connection.run(
                "UPDATE delivery SET state = ?, at = ?, said = ? WHERE id = ?",
                [SENT if failure is None else FAILED, now(), failure or "", delivery],
            )
