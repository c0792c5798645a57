"""To accept a change: a new reference, a new budget of alpha, the end of alerts on it; and to take that back."""

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from benchbench.errors import InputError, visible
from benchbench.history.alerts.alert import AlertChange, AlertEnd
from benchbench.history.alerts.rows import Accepted, accepted, alerts
from benchbench.history.alerts.update import update
from benchbench.history.check import reference as references
from benchbench.history.check.words import called
from benchbench.history.entry import COMPLETE
from benchbench.history.wanted import ALL, Wanted
from benchbench.results.record import utc
from benchbench.significance.run_gate import REFERENCE

if TYPE_CHECKING:
    from benchbench.history.alerts.targets import Target
    from benchbench.history.entry import Series
    from benchbench.history.store import Store

_LONGEST = 1_000  # characters of a reason


@dataclass(frozen=True, slots=True)
class Change:
    """A change that was accepted, or taken back.

    Attributes
    ----------
    series
        Whose reference it is.
    accepted
        The change.
    have, needed
        How many runs there are for the new reference, and how many make one.
    ended
        Alerts that ended with it.
    """

    series: "Series"
    accepted: Accepted
    have: int
    ended: Sequence[AlertChange] = ()
    needed: int = REFERENCE

    @property
    def left(self) -> int:
        """How many more runs the reference needs."""
        return max(self.needed - self.have, 0)


def accept(
    history: "Store",
    run: str | None,
    reason: str,
    by: str = "",
    wanted: Wanted | None = None,
    targets: "Sequence[Target]" = (),
) -> Change:
    """Accept a change: the reference is made of the ten runs from one on.

    Parameters
    ----------
    history
        A store that may be written to.
    run
        The first run after the change, as `History.one` takes it. None: that with which the oldest open alert of the
        series began, or where none is open the latest.
    reason, by
        Why, and who says so.
    wanted
        Which series, where no run is named: that of the newest such run.
    targets
        Who is told that alerts ended.

    Raises
    ------
    InputError
        There is no such run, or no reason.
    """
    text = " ".join(reason.split())
    if not text or len(text) > _LONGEST:
        raise InputError(f"--reason is a text of 1 to {_LONGEST:,} characters that says what the change is")
    series = series_of(history, run, wanted)
    opened = alerts(history, [series.key], open_only=True)
    if run is not None:
        first = history.one(run).number
    else:
        first = min((alert.body.since_run for alert in opened), default=series.entries[-1].number)
    row: dict[str, Any] = {"series": series.key, "run": first, "at": utc(time.time())}
    row |= {"by": visible(by, 200), "reason": visible(text)}
    with history.transaction() as connection:
        kept = Accepted(connection.inserted("accepted", row), **row)
    last = series.entries[-1]
    ends = [AlertEnd(series.key, alert.body.measure, last.number, last.commit, "accepted") for alert in opened]
    ended = update(history, ends, targets) if ends else []
    return Change(series, kept, _have(series, first), ended)


def undo(history: "Store", run: str | None = None, wanted: Wanted | None = None) -> Change:
    """Take the latest accepted change of a series back: the reference before it counts again, and so do its alerts.

    Raises
    ------
    InputError
        The series has none.
    """
    series = series_of(history, run, wanted)
    changes = accepted(history, [series.key])
    if not changes:
        raise InputError(f"no change of {called(series)} was accepted, so that there is none to take back")
    last = changes[-1]
    references.forget(history, last)
    by_it, values = "series = ? AND ended_why = 'accepted' AND ended_at >= ?", [series.key, last.at]
    told = f"moment = 'ended' AND alert IN (SELECT id FROM alert WHERE {by_it})"
    with history.transaction() as connection:
        connection.run("DELETE FROM accepted WHERE id = ?", [last.id])
        connection.run(f"DELETE FROM delivery WHERE {told}", values)
        connection.run(f"UPDATE alert SET ended = NULL, ended_at = NULL, ended_why = NULL WHERE {by_it}", values)
    before = changes[-2].run if len(changes) > 1 else 0
    return Change(series, last, _have(series, before))


def series_of(history: "Store", run: str | None, wanted: Wanted | None) -> "Series":
    """Return the series of a run, or that of the newest run that is wanted, with all of its runs."""
    if run is not None:
        entry = history.one(run)
    else:
        series = history.series(wanted or ALL)
        if not series:
            raise InputError(f"{history.place.shown} has no such run; `benchbench history list` shows what it has")
        entry = series[0].entries[-1]
    same = history.series(Wanted(name=entry.name, kind=entry.kind))
    return next(series for series in same if series.key == entry.series)


def _have(series: "Series", first: int) -> int:
    """Return how many runs there are for a reference that begins with one."""
    known = [entry for entry in series.entries if entry.number >= first and entry.status == COMPLETE and entry.values]
    return min(len(known), REFERENCE)
