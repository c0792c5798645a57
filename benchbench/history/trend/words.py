"""How a trend says runs, values, changes, drift, and what they come to."""

import math
from collections.abc import Sequence
from itertools import pairwise
from typing import Literal

from benchbench.history.changed import changes_said
from benchbench.history.trend.trend_details import (
    AlertDetails,
    DriftDetails,
    LineDetails,
    TrendDetails,
    TrendRunDetails,
)
from benchbench.results.figures import DIGITS, day, p_said, quantity, rounded, signed
from benchbench.results.headline import BETTER, GOOD, OPEN, WORSE
from benchbench.tables.shared_messages import counted, few

_COMMIT = 7  # digits of a commit
_NAMED = 3  # measures in the verdict
TONES: dict[str, Literal["good", "bad"]] = {"▲": "good", "▼": "bad"}  # of marks
_RECENT = 5  # runs: a step before them is found as a change, where the runs are enough for one
FEW = 8  # runs: of fewer, the verdict says that they are few


def commit_of(run: TrendRunDetails) -> str:
    """Return the first digits of its commit; empty where that is not known."""
    return run.commit[:_COMMIT]


def told_apart(first: float, second: float, unit: str = "") -> tuple[str, str]:
    """Return two values with as many digits as tell them apart."""
    texts = quantity(first, unit), quantity(second, unit)
    digits = DIGITS
    while texts[0] == texts[1] and digits < 17:
        digits += 1
        texts = f"{rounded(first, digits)} {unit}".rstrip(), f"{rounded(second, digits)} {unit}".rstrip()
    return texts


def slope_shown(value: float, unit: str = "", digits: int = 0) -> str:
    """Return a slope per run with two digits of it, or with so many decimals."""
    return f"{signed(value, digits or slope_digits(value))} {unit}".rstrip()


def slope_digits(slope: float) -> int:
    """Return how many decimals two digits of a slope take, at least those of a measure."""
    return DIGITS if slope == 0.0 else max(DIGITS, 1 - math.floor(math.log10(abs(slope))))


def slope_ends(drift: DriftDetails) -> str:
    """Return the interval of a slope, in the decimals of the slope."""
    digits = slope_digits(drift.per_run)
    return f"{slope_shown(drift.low, '', digits)} to {slope_shown(drift.high, '', digits)}"


def tone_of(change: float, better: str) -> str:
    """Return the mark of a change: ▲ better, ▼ worse, ○ where neither direction is an improvement."""
    if not better or change == 0:
        return OPEN
    return BETTER if (change > 0) == (better == "higher") else WORSE


def days_of(trend: TrendDetails) -> str:
    """Return from when to when its runs were; empty without runs."""
    began = sorted(run.started for run in trend.runs)
    return " to ".join(dict.fromkeys(day(time) for time in (*began[:1], *began[-1:])))


def order_of(trend: TrendDetails) -> str:
    """Return in which order its runs stand."""
    return f"in the order of {'recording' if trend.order == 'recording' else 'their times'}"


def said_of_point(measure: str, before: float, after: float, unit: str) -> str:
    """Return what a measure did at a change."""
    old, new = told_apart(before, after, unit)
    return f"{measure} {'rose' if after > before else 'fell'} from {old} to {new}"


def said_of_cycle(measure: str, period: float, amplitude: float, unit: str) -> str:
    """Return how a measure goes up and down."""
    return f"{measure} goes up and down by {quantity(amplitude, unit)} every {period:.3g} runs"


def where_of(before: TrendRunDetails, after: TrendRunDetails, first: TrendRunDetails, last: TrendRunDetails) -> str:
    """Return between which commits and runs a change lies.

    Parameters
    ----------
    before, after
        The last run before it and the first after it.
    first, last
        The first runs after it that the values leave open.
    """
    old, new = commit_of(before), commit_of(after)
    is_one_day = day(before.started) == day(after.started)
    ends = [
        f"run {before.number}{'' if is_one_day else f', {day(before.started)}'}",
        f"run {after.number}, {day(after.started)}",
    ]
    if old and new and old != new:
        text = f"between commit {old} ({ends[0]}) and {new} ({ends[1]})"
    else:
        began = "" if is_one_day else f" ({day(before.started)})"
        text = f"between run {before.number}{began} and run {after.number} ({day(after.started)}"
        same = f", both of commit {old}" if old and old == new else ""
        known = f", commit {new}" if new and not same else ""
        behind = f"; the commit of run {before.number} is not known" if known else ""
        if old and not new:
            behind = f"; run {before.number} is of commit {old}, that of run {after.number} is not known"
        text += f"{known}){same}{behind}"
    if first.number != last.number:
        text += f"; it may have begun at any run from {first.number} to {last.number}"
    return text


def said_of_drift(measure: str, drift: DriftDetails, unit: str, begun: TrendRunDetails, alpha: float) -> str:
    """Return the slope of a measure, and how sure that is."""
    sure = f"{100 * (1 - alpha):g} % interval {slope_ends(drift)}, {p_said(drift.p)}"
    since = f"over the {counted(drift.over, 'run')} since run {begun.number}"
    if drift.shown:
        return f"{measure} drifts by {slope_shown(drift.per_run, unit)} per run {since} ({sure})"
    return f"{measure}: no measurable drift {since}, {slope_shown(drift.per_run, unit)} per run ({sure})"


def said_of_alert(alert: AlertDetails) -> str:
    """Return since when an alert is open, or from when to when it was."""
    if alert.is_open:
        return f"open since run {alert.began}"
    until = f"run {alert.ended}" if alert.ended is not None else day(alert.ended_at)
    return f"run {alert.began} to {until}"


def verdict(trend: TrendDetails) -> tuple[list[tuple[str, str]], list[str]]:
    """Return what a trend comes to, each sentence with its mark, and what to do about it."""
    sentences: list[tuple[str, str]] = []
    advice = []
    current = [alert for alert in trend.alerts if alert.is_open and alert.series == 0]
    if current:
        names = few([f"{alert.measure} since run {alert.began}" for alert in current], _NAMED)
        are = "alert is" if len(current) == 1 else "alerts are"
        sentences.append((WORSE, f"{len(current):,} {are} open: {names}."))
        advice.append("`benchbench history check` says which queries moved, and ends an alert when it has recovered.")
    first = [[point for point in line.points if trend.runs[point.after].series == 0] for line in trend.lines]
    changed = sorted((points[-1] for points in first if points), key=lambda point: (point.mark != WORSE, -point.after))
    steps = [(point.mark, f"{point.said} at {_causes(trend, point.before, point.after)}.") for point in changed]
    sentences += _first(steps, "changed", "changed")
    drifts = [line.drift for line in trend.lines if line.drift is not None and line.drift.shown]
    slopes = [(drift.mark, f"{drift.said.partition(' (')[0]}.") for drift in drifts]
    sentences += _first(slopes, "drifts", "drift")
    if not sentences:
        sentences.append(_quiet(trend))
    turning = [(OPEN, f"{cycle.said}.") for line in trend.lines for cycle in line.cycles[:1]]
    sentences += _first(turning, "goes up and down", "go up and down")
    return sentences, advice


def _causes(trend: TrendDetails, before: int, after: int) -> str:
    """Return the run at a place, with what it has otherwise than the run before."""
    run, old, new = trend.runs[after], commit_of(trend.runs[before]), commit_of(trend.runs[after])
    commits = f"commit {old} → {new}" if old and new and old != new else f"commit {new}" if new and not old else ""
    causes = ", ".join(filter(None, [commits, changes_said(run.changed, run.more_changed)]))
    return f"run {run.number}{f' ({causes})' if causes else ''}"


def _first(sentences: Sequence[tuple[str, str]], one: str, several: str) -> list[tuple[str, str]]:
    """Return the first sentences, and what further measures do: one, or several."""
    more = len(sentences) - _NAMED
    further = f"{counted(more, 'further measure')} {one if more == 1 else several}; see below."
    return [*sentences[:_NAMED], *([(OPEN, further)] if more > 0 else [])]


def _quiet(trend: TrendDetails) -> tuple[str, str]:
    measured = [line for line in trend.lines if line.value is not None]
    if not measured:
        which = "these measures" if trend.lines else "any measure"
        return OPEN, f"No run of {trend.name} has a value of {which}."
    now = "; ".join(f"{line.measure} is {quantity(line.value, line.unit)}" for line in measured[:_NAMED])
    runs = sum(run.series == 0 and run.counts for run in trend.runs)
    steps = [(line, step) for line in measured if not line.unit and (step := _recent_step(trend, line)) is not None]
    if steps:
        line, (before, after) = steps[0]
        text = said_of_point(line.measure, line.values[before] or 0.0, line.values[after] or 0.0, "")
        later = sum(run.series == 0 and run.counts for run in trend.runs[after:])
        since = "1 run is" if later == 1 else f"{later} runs are"
        few = f"the intervals do not overlap, but {since} too few to call it a change"
        return OPEN, f"{text} at {_causes(trend, before, after)}: {few}."
    if runs < FEW:
        few = "1 comparable run is" if runs == 1 else f"{runs} comparable runs are"
        return OPEN, f"{now}. {few} too few to show a change or a drift."
    return GOOD, f"No measurable change or drift over {counted(runs, 'run')}: {now}."


def _recent_step(trend: TrendDetails, line: LineDetails) -> tuple[int, int] | None:
    """Return the places of the last two neighbours whose intervals do not overlap, too late to be found as a change."""
    places = [at for at, run in enumerate(trend.runs) if run.series == 0 and run.counts and line.values[at] is not None]
    pairs = [pair for pair in pairwise(places[-_RECENT:]) if line.is_apart(*pair)]
    return pairs[-1] if pairs else None
