"""An alert: what it says to people, what has become of it, and where it was told."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from benchbench.errors import visible
from benchbench.results.figures import behind, quantity, quantity_change, rounded, value
from benchbench.results.record import plain

Moment = Literal["began", "ended"]
EndedWhy = Literal["recovered", "accepted", "better"]

SCHEMA = 1  # of what targets get
_ALERTS = 10  # in one text
_MOVED = 3  # queries and slices of one alert in a text
_NAME = 120  # characters of a name
COMMIT = 8  # of a commit
_WHY = {
    "recovered": "the runs since are better than those that were worse",
    "accepted": "the change was accepted",
    "better": "the measure is better than the reference",
}
_MENTION = re.compile(r"@(?=[^\W\d])")  # @channel, but not nDCG@10


@dataclass(frozen=True, slots=True, kw_only=True)
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
    low: float | None = None
    high: float | None = None
    p: float | None = None
    level: float | None = None
    runs: int = 1
    queries: list[tuple[str, float | None, float | None]] = field(default_factory=list)
    slices: list[tuple[str, float | None, float | None, int]] = field(default_factory=list)
    unit: str = ""
    better: str | None = "higher"
    found_run: int = 0
    observed: str = ""

    @property
    def sentence(self) -> str:
        """Return what became worse, since when, and how sure that is; of a condition what was observed."""
        if self.observed:
            return visible(f"{_subject(self)} holds since {_since(self)}: {self.observed}")
        sure = f", p = {rounded(self.p, 2)} over {_runs(self)} (tested at {rounded(self.level, 2)})"
        ends = behind(self.low, self.high, shown=lambda number, _: quantity_change(number, self.unit))
        change = f"{quantity_change(self.difference, self.unit)} {ends}".rstrip()
        return visible(
            f"{_subject(self)} is worse since {_since(self)}: {quantity(self.reference, self.unit)} became "
            f"{quantity(self.value, self.unit)}, difference {change}{sure if self.p is not None else ''}"
        )


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
        body, end = self.body, self.end
        if moment == "began" or end is None:
            return body.sentence
        at = f" (commit {end.commit[:COMMIT]})" if end.commit else ""
        if body.observed:
            return visible(f"{_subject(body)} no longer holds with run {end.run}{at}; it did since {_since(body)}")
        return visible(
            f"{_subject(body)} is no longer worse with run {end.run}{at}: {_WHY[end.why]}; it was since {_since(body)}"
        )


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


def text(changes: Sequence[AlertChange]) -> str:
    """Return the lines that a chat shows; no name in them calls anybody, or is a link."""
    lines: list[str] = []
    for change in changes[:_ALERTS]:
        lines.append(change.sentence)
        if change.moment == "began":
            lines += _moved(change.alert.body)
    if len(changes) > _ALERTS:
        lines.append(f"… and {len(changes) - _ALERTS} more")
    return _MENTION.sub("@\u200b", "\n".join(lines)).replace("<", "‹").replace(">", "›")


def message(change: AlertChange) -> dict[str, Any]:
    """Return one change as JSON values: a line of a file, or a member of `alerts` of a webhook's body."""
    alert, end = change.alert, change.alert.end
    return {
        "schema": SCHEMA,
        "event": change.moment,
        "at": alert.began_at if change.moment == "began" else alert.ended_at,
        "text": change.sentence,
        "alert": alert.id,
        **plain(alert.body),
        "ended": None if end is None else {"run": end.run, "commit": end.commit, "why": end.why, "at": alert.ended_at},
    }


def payload(changes: Sequence[AlertChange]) -> dict[str, Any]:
    """Return the body that a webhook gets."""
    return {"schema": SCHEMA, "text": text(changes), "alerts": [message(change) for change in changes]}


def _moved(body: AlertBody) -> list[str]:
    queries = [f"{_name(query)} {value(before)} to {value(after)}" for query, before, after in body.queries[:_MOVED]]
    slices = [
        f"{_name(part)} {value(before)} to {value(after)} (n = {n})" for part, before, after, n in body.slices[:_MOVED]
    ]
    lines = [f"  queries that moved most: {', '.join(queries)}"] if queries else []
    return lines + ([f"  slices that moved most: {', '.join(slices)}"] if slices else [])


def _runs(body: AlertBody) -> str:
    return f"the last {body.runs} runs" if body.runs > 1 else "the last run"


def _subject(body: AlertBody) -> str:
    on = f" on {_name(body.data)}" if body.data else ""
    return f"{_name(body.name or body.kind)}{on}: {_name(body.measure)}"


def _since(body: AlertBody) -> str:
    return since_run(body.since_run, body.since_commit, body.before_commit)


def since_run(number: int, commit: str, before: str) -> str:
    """Return since which run something is so, and between which commits, where they are known."""
    new, old = visible(commit[:COMMIT]), visible(before[:COMMIT])
    if new and old and new != old:
        return f"run {number}, between commit {old} and {new}"
    return f"run {number} (commit {new})" if new else f"run {number}"


def _name(text: str) -> str:
    return visible(text, _NAME)
