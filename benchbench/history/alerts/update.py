"""Alerts: a measure became worse, and later it was not any more. Each is told once at its begin and once at its end.

`history check` finds out what is worse (`AlertBody`) and what is not any more (`AlertEnd`). `update` keeps that in the
store and delivers it. Of one measure of one series one alert is open at most, however many checks run at once.
"""

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING

from benchbench.history.alerts.alert import Alert, AlertBody, AlertChange, AlertEnd, Moment

if TYPE_CHECKING:
    from benchbench.history.alerts.targets import Target
    from benchbench.history.database import Connection
    from benchbench.history.store import Store


def update(
    history: "Store",
    found: Sequence[AlertBody | AlertEnd],
    targets: "Sequence[Target]" = (),
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
    from benchbench.history.alerts import rows
    from benchbench.history.alerts.deliver import claim, deliver

    if not (found or targets):
        return []
    with history.transaction() as connection:
        rows.serialize(connection)
        changed = [change for one in found if (change := _changed(connection, one)) is not None]
        claimed = claim(connection, targets, {one.series for one in found} | set(checked))
    told = deliver(history, claimed, seconds)
    new, every = set(changed), list(dict.fromkeys((*changed, *told)))
    with history.reading() as connection:
        known = {one.id: one for one in rows.alerts(connection, ids={number for number, _ in every})}
    return [
        AlertChange(known[number], moment, (number, moment) in new, tuple(told.get((number, moment), ())))
        for number, moment in every
    ]


def undelivered(changes: Sequence[AlertChange]) -> list[str]:
    """Return a sentence for each target that could not be told, for standard error."""
    failed = {one.target: one.said for change in changes for one in change.deliveries if not one.sent}
    return [f"{target} was not told of alerts: {said}; the next check tells it" for target, said in failed.items()]


def alerts(history: "Store", series: Collection[str], open_only: bool = False) -> list[Alert]:
    """Return the alerts of some series, by their keys, in the order in which they began."""
    from benchbench.history.alerts import rows

    with history.reading() as connection:
        return rows.alerts(connection, series=series, open_only=open_only)


def _changed(connection: "Connection", found: AlertBody | AlertEnd) -> tuple[int, Moment] | None:
    """Begin or end an alert; None where that was done before."""
    from benchbench.history.alerts import rows

    if isinstance(found, AlertBody):
        number = rows.begin(connection, found)
        return None if number is None else (number, "began")
    number = rows.end(connection, found)
    return None if number is None else (number, "ended")
