"""Changes that were meant: one that was accepted, one that was taken back, and all of them."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from benchbench.errors import visible
from benchbench.history.alerts.rows import Accepted
from benchbench.history.check.accepting import Change
from benchbench.history.check.words import called
from benchbench.history.entry import Series
from benchbench.report.blocks import EVERYWHERE, Facts, Text, Verdict
from benchbench.report.layout import Layout
from benchbench.report.layouts.columns import Column, table_of
from benchbench.results.headline import GOOD, OPEN
from benchbench.tables.shared_messages import counted


def accepted(change: Change) -> Layout:
    """Return that a change was accepted, which alerts ended, and from when on runs are judged again."""
    meant = change.accepted
    sentence = f"Accepted with run {meant.run} of {called(change.series)}: {meant.reason}."
    ended = [
        visible(f"{each.alert.body.measure}, since run {each.alert.body.since_run}")
        for each in change.ended
        if each.moment == "ended"
    ]
    facts = [("Alerts", f"ended: {', '.join(ended)}")] if ended else []
    told = [
        f"{delivery.target} {'was told' if delivery.sent else f'could not be told: {delivery.said}'}"
        for alert in change.ended
        for delivery in alert.deliveries
    ]
    facts += [("" if place else "Told", text) for place, text in enumerate(dict.fromkeys(told))]
    return _layout([(GOOD, sentence)], [_until(change)], facts, change)


def undone(change: Change) -> Layout:
    """Return that a change was taken back."""
    meant = change.accepted
    sentence = f"Taken back: the change of run {meant.run} of {called(change.series)}, {meant.reason}."
    again = "The reference before it counts again, and alerts that it ended are open again."
    return _layout([(OPEN, sentence)], [again, *([_until(change)] if change.left else [])], [], change)


def listing(changes: Sequence[Accepted], series: Mapping[str, Series]) -> Layout:
    """Return all accepted changes; the last of a series is the one that counts."""
    counts = {change.series: change.id for change in changes}
    columns = [
        Column("Series", lambda change: called(series[change.series])),
        Column("From run", lambda change: f"{change.run}", "r"),
        Column("Accepted", lambda change: change.at[:16].replace("T", " "), keep=2),
        Column("By", lambda change: change.by, keep=1),
        Column("Reason", lambda change: change.reason),
        Column("", lambda change: "counts" if counts[change.series] == change.id else "replaced", keep=3),
    ]
    sentence = f"{counted(len(changes), 'accepted change')}." if changes else "No change was accepted."
    table = [table_of(columns, changes, where=EVERYWHERE)] if changes else []

    def members() -> Iterator[dict[str, Any]]:
        return ({**asdict(change), "name": series[change.series].name} for change in changes)

    return Layout(sentence, [Verdict([("", sentence)]), *table], lambda: {"accepted": list(members())}, members)


def _layout(
    told: Sequence[tuple[str, str]], advice: Sequence[str], facts: Sequence[tuple[str, str]], change: Change
) -> Layout:
    members = {
        **asdict(change.accepted),
        "name": change.series.name,
        "runs": change.have,
        "of_runs": change.needed,
        "ended": [alert.alert.body.measure for alert in change.ended if alert.moment == "ended"],
    }
    lines = [sentence for _, sentence in told] + list(advice)
    return Layout(
        lines[0],
        [Verdict(told, advice), *([Facts(facts)] if facts else []), Text(lines, where=EVERYWHERE - {"text", "html"})],
        lambda: members,
        lambda: [members],
    )


def _until(change: Change) -> str:
    """Return from when on runs are judged."""
    are = "is" if change.have == 1 else "are"
    have = f"{change.have} of {change.needed} runs of the new reference {are} there"
    if not change.left:
        return f"{have}: the next run is judged against it."
    return f"{have}: runs are judged again after {counted(change.left, 'more run')}; until then it is too little data."
