"""Alerts: a measure became worse, and later it was not any more. Each is told once at its begin and once at its end.

`history check` finds out what is worse (`AlertBody`) and what is not any more (`AlertEnd`). `update` keeps that in the
store and delivers it. Of one measure of one series one alert is open at most, however many checks run at once.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from benchbench.history.alerts.texts import began_sentence, ended_sentence

if TYPE_CHECKING:
    from benchbench.history.alerts.targets import Target
    from benchbench.history.database import Connection
    from benchbench.history.store import History

Moment = Literal["began", "ended"]
EndedWhy = Literal["recovered", "accepted", "better"]


@dataclass(frozen=True, slots=True)
class AlertBody:
    """A measure of a series is worse than the reference: what, since when, how sure, which queries and slices.

    Or a condition of `--fail-if` holds, which is a fact and no finding of a test.

    Attributes
    ----------
    series, kind, name, data
        Of the runs: key, kind of result, name, data set.
    measure
        As the history names it, such as `gold.nDCG@10`; or the condition, such as `Δ nDCG@10<0`.
    since_run, since_id, since_at, since_commit
        Number, record id, start (UTC) and commit of the first run that is worse; the commit is empty where it is not
        known.
    before_run, before_commit
        Number and commit of the last run that was not worse: the change lies between the two commits.
    reference, value
        Mean of the reference, and of the runs that were found worse; of a condition the bound, and what was observed.
    difference, low, high
        Value less reference, and the ends of its interval; in the unit of the measure.
    p, level
        p-value of the test that decided, and what it was compared with; None of a condition.
    runs
        How many runs that test took together.
    queries
        Those that moved most, the worst first: id, value in the reference, value in these runs.
    slices
        Those that moved most: `column=value`, value in the reference, value in these runs, number of queries.
    unit, better
        Of the measure: `ms`, …; `higher` or `lower`.
    found_run
        Number of the run at whose check it was found: those from `since_run` to it are the runs that alarmed.
    observed
        Of a condition, what was observed and what was required; empty where a test found it.
    """

    series: str
    kind: str
    name: str
    data: str
    measure: str
    since_run: int
    since_id: str
    since_at: str
    since_commit: str
    before_run: int | None
    before_commit: str
    reference: float
    value: float
    difference: float
    low: float | None
    high: float | None
    p: float | None
    level: float | None
    runs: int
    queries: list[tuple[str, float | None, float | None]]
    slices: list[tuple[str, float | None, float | None, int]]
    unit: str = ""
    better: str | None = "higher"
    found_run: int = 0
    observed: str = ""

    @property
    def sentence(self) -> str:
        """Return what happened in one sentence, for people."""
        return began_sentence(self)


@dataclass(frozen=True, slots=True)
class AlertEnd:
    """An open alert is over.

    Attributes
    ----------
    series, measure
        What the alert was about.
    run, commit
        The latest run, with which it ended.
    why
        `recovered`: runs since are shown to be better than those that alarmed; `accepted`: someone accepted the change
        as the new reference; `better`: the measure is better than the reference.
    """

    series: str
    measure: str
    run: int
    commit: str
    why: EndedWhy


@dataclass(frozen=True, slots=True)
class Alert:
    """An alert as the store has it; while it is open, `end` and `ended_at` are None. Times are UTC, ISO 8601."""

    id: int
    began_at: str
    body: AlertBody
    ended_at: str | None = None
    end: AlertEnd | None = None

    @property
    def is_open(self) -> bool:
        """Say whether it has not ended."""
        return self.end is None

    def sentence(self, moment: Moment) -> str:
        """Return what happened at that moment, for people."""
        return self.body.sentence if moment == "began" or self.end is None else ended_sentence(self.body, self.end)


@dataclass(frozen=True, slots=True)
class Delivery:
    """What became of telling one target; `said` is why it failed, without any secret."""

    target: str
    sent: bool
    said: str = ""


@dataclass(frozen=True, slots=True)
class AlertChange:
    """An alert that began or ended, and whom it was told to.

    Attributes
    ----------
    new
        It began or ended with this check; otherwise only its delivery was made up for.
    """

    alert: Alert
    moment: Moment
    new: bool
    deliveries: tuple[Delivery, ...] = ()

    @property
    def sentence(self) -> str:
        """Return what happened, for people."""
        return self.alert.sentence(self.moment)


def update(
    history: "History",
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


def alerts(history: "History", series: Collection[str], open_only: bool = False) -> list[Alert]:
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
