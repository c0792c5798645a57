"""What checks keep in the tables of the store: alerts, and changes that were meant.

Each accepted change begins a new reference, and with it a new budget of alpha.
"""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import orjson

from benchbench.history.alerts.alert import Alert, AlertBody, AlertEnd
from benchbench.history.database import Row, StoreConnection, among
from benchbench.results.record import converted, plain

if TYPE_CHECKING:
    from benchbench.history.entry import Series
    from benchbench.history.store import Store

_COLUMNS = "id, began_at, ended, ended_at, ended_why, body"
_ENDED_COMMIT = "ended_commit"  # beside the members of the body


def now() -> str:
    """Return the time, UTC, as ISO 8601."""
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def serialize(connection: StoreConnection) -> None:
    """Let no other check begin or end alerts before this transaction ends; SQLite has one writer anyway."""
    if connection.is_postgresql:
        connection.run("LOCK TABLE alert, delivery IN SHARE ROW EXCLUSIVE MODE")


def begin(connection: StoreConnection, body: AlertBody) -> int | None:
    """Keep a new alert and return its id; None where one is open, or began with that run before."""
    same = "SELECT id FROM alert WHERE series = ? AND measure = ? AND (ended IS NULL OR began = ?)"
    if connection.row(same, [body.series, body.measure, body.since_run]) is not None:
        return None
    row = {"series": body.series, "measure": body.measure, "began": body.since_run, "began_at": now()}
    row["body"] = _json(plain(body))
    return connection.inserted("alert", row)


def end(connection: StoreConnection, ending: AlertEnd) -> int | None:
    """End the open alert and return its id; None where there is none."""
    same = "SELECT id, body FROM alert WHERE series = ? AND measure = ? AND ended IS NULL"
    row = connection.row(same, [ending.series, ending.measure])
    if row is None:
        return None
    number, body = row
    with_commit = _json({**orjson.loads(body), _ENDED_COMMIT: ending.commit})
    connection.run(
        "UPDATE alert SET ended = ?, ended_at = ?, ended_why = ?, body = ? WHERE id = ?",
        [ending.run, now(), ending.why, with_commit, number],
    )
    return int(number)


def alerts_where(connection: StoreConnection, condition: str, values: Collection[Any]) -> list[Alert]:
    """Return the alerts that a condition holds for, in the order in which they began."""
    sql = f"SELECT {_COLUMNS} FROM alert WHERE {condition} ORDER BY id"
    return [_alert(row) for row in connection.rows(sql, [*values])]


def alerts(history: "Store", series: Collection[str], open_only: bool = False) -> list[Alert]:
    """Return the alerts of some series, by their keys, in the order in which they began."""
    with history.reading() as connection:
        return alerts_where(connection, f"series IN {among(series)}{' AND ended IS NULL' if open_only else ''}", series)


def _alert(row: Row) -> Alert:
    number, began_at, ended, ended_at, ended_why, stored = row
    members = orjson.loads(stored)
    commit = members.pop(_ENDED_COMMIT, "")
    body = converted(members, AlertBody, f"alert {number} of the store")
    end = None if ended is None else AlertEnd(body.series, body.measure, ended, commit, ended_why)
    return Alert(number, began_at, body, ended_at, end)


def _json(value: Any) -> str:
    return orjson.dumps(value).decode()


@dataclass(frozen=True, slots=True)
class Accepted:
    """A change that was meant.

    Attributes
    ----------
    id
        0 stands for the beginning of a series, which nobody has to accept.
    series
        Key of the runs.
    run
        Number of the first run of the new reference.
    at, by, reason
        When (UTC), by whom, and why.
    """

    id: int
    series: str
    run: int
    at: str = ""
    by: str = ""
    reason: str = ""


def accepted(history: "Store", series: Collection[str] | None = None) -> list[Accepted]:
    """Return the accepted changes, of some series or of all, the latest last."""
    where = "" if series is None else f"WHERE series IN {among(series)}"
    sql = f'SELECT id, series, run, at, "by", reason FROM accepted {where} ORDER BY id'
    with history.reading() as connection:
        return [Accepted(*row) for row in connection.rows(sql, [*(series or ())])]


def latest(history: "Store", series: "Series") -> Accepted:
    """Return what the reference of a series begins with: its latest accepted change, else its first run."""
    changes = accepted(history, [series.key])
    return changes[-1] if changes else Accepted(0, series.key, 0)
