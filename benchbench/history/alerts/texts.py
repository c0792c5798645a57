"""What alerts say to people: one sentence, and a few lines for a chat."""

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from benchbench.errors import visible
from benchbench.results.record import plain

if TYPE_CHECKING:
    from benchbench.history.alerts.update import AlertBody, AlertChange, AlertEnd

SCHEMA = 1  # of what targets get
_ALERTS = 10  # in one text
_MOVED = 3  # queries and slices of one alert in a text
_NAME = 120  # characters of a name
_WHY = {
    "recovered": "the runs since are better than those that were worse",
    "accepted": "the change was accepted",
    "better": "the measure is better than the reference",
}
_MENTION = re.compile(r"@(?=[^\W\d])")  # @channel, but not nDCG@10


def began_sentence(body: "AlertBody") -> str:
    """Return what became worse, since when, and how sure that is; of a condition what was observed."""
    if body.observed:
        return visible(f"{_subject(body)} holds since {_since(body)}: {body.observed}")
    sure = "" if body.p is None else f", p = {body.p:.2g} over {_runs(body)} (tested at {body.level:.2g})"
    ends = "" if body.low is None or body.high is None else f" [{signed(body.low)}, {signed(body.high)}]"
    return visible(
        f"{_subject(body)} is worse since {_since(body)}: {_value(body.reference, body.unit)} became "
        f"{_value(body.value, body.unit)}, difference {signed(body.difference)}{ends}{sure}"
    )


def ended_sentence(body: "AlertBody", end: "AlertEnd") -> str:
    """Return that an alert is over, with which run, and why."""
    at = f" (commit {end.commit[:12]})" if end.commit else ""
    if body.observed:
        return visible(f"{_subject(body)} no longer holds with run {end.run}{at}; it did since {_since(body)}")
    return visible(
        f"{_subject(body)} is no longer worse with run {end.run}{at}: {_WHY[end.why]}; it was since {_since(body)}"
    )


def text(changes: "Sequence[AlertChange]") -> str:
    """Return the lines that a chat shows; no name in them calls anybody, or is a link."""
    lines: list[str] = []
    for change in changes[:_ALERTS]:
        lines.append(change.sentence)
        if change.moment == "began":
            lines += _moved(change.alert.body)
    if len(changes) > _ALERTS:
        lines.append(f"… and {len(changes) - _ALERTS} more")
    return _MENTION.sub("@\u200b", "\n".join(lines)).replace("<", "‹").replace(">", "›")


def message(change: "AlertChange") -> dict[str, Any]:
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


def payload(changes: "Sequence[AlertChange]") -> dict[str, Any]:
    """Return the body that a webhook gets."""
    return {"schema": SCHEMA, "text": text(changes), "alerts": [message(one) for one in changes]}


def signed(value: float) -> str:
    """Return a difference with its sign."""
    return f"{value:+.3g}"


def _moved(body: "AlertBody") -> list[str]:
    queries = [f"{_name(query)} {_short(before)} to {_short(after)}" for query, before, after in body.queries[:_MOVED]]
    slices = [
        f"{_name(one)} {_short(before)} to {_short(after)} (n = {n})" for one, before, after, n in body.slices[:_MOVED]
    ]
    lines = [f"  queries that moved most: {', '.join(queries)}"] if queries else []
    return lines + ([f"  slices that moved most: {', '.join(slices)}"] if slices else [])


def _runs(body: "AlertBody") -> str:
    return f"the last {body.runs} runs" if body.runs > 1 else "the last run"


def _subject(body: "AlertBody") -> str:
    on = f" on {_name(body.data)}" if body.data else ""
    return f"{_name(body.name or body.kind)}{on}: {_name(body.measure)}"


def _since(body: "AlertBody") -> str:
    if body.since_commit and body.before_commit and body.since_commit != body.before_commit:
        return f"run {body.since_run}, between commit {body.before_commit[:12]} and commit {body.since_commit[:12]}"
    return f"run {body.since_run}" + (f" (commit {body.since_commit[:12]})" if body.since_commit else "")


def _value(value: float, unit: str) -> str:
    return f"{value:.4g} {unit}".rstrip()


def _short(value: float | None) -> str:
    return "no value" if value is None else f"{value:.3g}"


def _name(text: str) -> str:
    return visible(text, _NAME)
