"""Alerts in the tables of the store."""

from collections.abc import Collection
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import orjson
from sqlalchemy import Connection, insert, select, text, update

from benchbench.history.schema import alert as table
from benchbench.results.record import converted, plain

if TYPE_CHECKING:
    from benchbench.history.alerts.update import Alert, AlertBody, AlertEnd

_ENDED_COMMIT = "ended_commit"  # beside the members of the body


def now() -> str:
    """Return the time, UTC, as ISO 8601."""
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def serialize(connection: Connection) -> None:
    """Let no other check begin or end alerts before this transaction ends; SQLite has one writer anyway."""
    if connection.dialect.name == "postgresql":
        connection.execute(text("LOCK TABLE alert, delivery IN SHARE ROW EXCLUSIVE MODE"))


def begin(connection: Connection, body: "AlertBody") -> int | None:
    """Keep a new alert and return its id; None where one is open, or began with that run before."""
    same = (table.c.series == body.series) & (table.c.measure == body.measure)
    there = select(table.c.id).where(same & (table.c.ended.is_(None) | (table.c.began == body.since_run)))
    if connection.execute(there).first() is not None:
        return None
    row = {"series": body.series, "measure": body.measure, "began": body.since_run, "began_at": now()}
    made = insert(table).values(**row, body=_json(plain(body))).returning(table.c.id)
    return int(connection.execute(made).scalar_one())


def end(connection: Connection, found: "AlertEnd") -> int | None:
    """End the open alert and return its id; None where there is none."""
    same = (table.c.series == found.series) & (table.c.measure == found.measure) & table.c.ended.is_(None)
    row = connection.execute(select(table.c.id, table.c.body).where(same)).first()
    if row is None:
        return None
    values = {"ended": found.run, "ended_at": now(), "ended_why": found.why}
    body = _json({**orjson.loads(row.body), _ENDED_COMMIT: found.commit})
    connection.execute(update(table).where(table.c.id == row.id).values(**values, body=body))
    return int(row.id)


def alerts(
    connection: Connection,
    ids: Collection[int] | None = None,
    series: Collection[str] | None = None,
    open_only: bool = False,
) -> "list[Alert]":
    """Return alerts by their ids or series, in the order in which they began."""
    wanted = select(table).order_by(table.c.id)
    if ids is not None:
        wanted = wanted.where(table.c.id.in_(list(ids)))
    if series is not None:
        wanted = wanted.where(table.c.series.in_(list(series)))
    if open_only:
        wanted = wanted.where(table.c.ended.is_(None))
    return [_alert(row) for row in connection.execute(wanted)]


def _alert(row: Any) -> "Alert":
    from benchbench.history.alerts.update import Alert, AlertBody, AlertEnd

    members = orjson.loads(row.body)
    commit = members.pop(_ENDED_COMMIT, "")
    body = converted(members, AlertBody, f"alert {row.id} of the store")
    end = None if row.ended is None else AlertEnd(body.series, body.measure, row.ended, commit, row.ended_why)
    return Alert(row.id, row.began_at, body, row.ended_at, end)


def _json(value: Any) -> str:
    return orjson.dumps(value).decode()
