"""The page of a check: the verdict, run means with the reference, and the queries and slices that moved."""

from collections.abc import Iterator
from typing import Any

from benchbench.history.check import check_details
from benchbench.history.check.check_details import CheckDetails, MeasureVerdict, SeriesDetails
from benchbench.history.check.words import MARKS, called, cause_of, headline, sure, value
from benchbench.report.blocks import Block, Facts
from benchbench.report.card_blocks import CardBlock
from benchbench.report.layouts.history_check import facts, moved, verdicts
from benchbench.report.layouts.page_parts import band, head, reproduce, settings
from benchbench.report.layouts.page_scales import value_axis
from benchbench.report.page_blocks import (
    Axis,
    Dot,
    Folded,
    Masthead,
    PageBlock,
    Path,
    Plot,
    PlotMark,
    Rule,
    Section,
    Shade,
    Track,
    Tracks,
)
from benchbench.results.figures import moment
from benchbench.results.record import Record
from benchbench.results.result import Result
from benchbench.tables.shared_messages import counted

_SETTINGS = {
    "alpha": "alpha",
    "planned_runs": "planned runs",
    "margin": "margin",
    "cluster": "groups",
    "alert": "alerts",
}
_ROWS = 20  # queries and slices of a table
_TICKS = 8  # of runs
_HEIGHT = 240  # pixels
_ROOM = 0.25  # of the runs: what the value of the latest and the texts of the reference take beside them
_NEAR = 0.08  # of the height: what a text takes
_DOTS = 80  # runs of a chart whose dots have their full size


def blocks(result: Result) -> list[Block | PageBlock | CardBlock]:
    """Return the page."""
    check, record = result.details_as(CheckDetails), result.record
    several = len(check.series) > 1
    lines: list[dict[str, Any]] = []
    data: dict[str, Any] | None = {"sets": [_runs(series) for series in check.series], "lines": lines}
    made: list[Block | PageBlock | CardBlock] = [_verdict(check, record), *band(record)]
    for place, series in enumerate(check.series):
        name = called(series) if several else "Runs"
        made.append(Section(f"runs{place}", name, name if several else "The runs and their reference", _over(series)))
        drawn = [its for its in series.measures if any(mean is not None for mean in its.means)]
        tracks = [_track(series, measure, len(lines) + at) for at, measure in enumerate(drawn)]
        lines += [_line(series, measure, place) for measure in drawn]
        made += [Tracks(tracks, 2 if len(tracks) > 1 else 1, data=data)] if tracks else []
        data = None  # of the whole page, in its first charts
        made.append(verdicts(series, several, is_page=True))
    changed = [block for series in check.series for block in moved(series, several, _ROWS)]
    if changed:
        made += [Section("moved", "Moved", "What moved most", "Means of the reference and of the runs that decided.")]
        made += changed
    made.append(Section("rests", "Based on", "Based on"))
    made += [Facts(list(facts(series, check))) for series in check.series]
    sentences = [("", sentence) for sentence in (*check.alerts, *check.notes)]
    made += [Folded("Alerts and notes", counted(len(sentences), "sentence"), [Facts(sentences)])] if sentences else []
    made += [
        *reproduce(record, [("Settings", settings(record, _SETTINGS)), ("Store", [("history", check.store)])]),
    ]
    return made


def _verdict(check: CheckDetails, record: Record) -> Masthead:
    sentences, advice = headline(check)
    (mark, first), *more = sentences
    only = check.series[0]
    runs = f"{len(check.series)} series" if len(check.series) > 1 else f"run {only.judged.number}"
    made = head(
        "history check",
        record,
        [runs, *([] if len(check.series) > 1 else [called(only)])],
        f"{mark} {first}",
        notes=[*(f"{mark} {sentence}" for mark, sentence in more), *advice],
    )
    is_said = {gate.verdict for gate in record.gates} == {"not judged"}  # the verdict says that no gate was judged
    return made._replace(facts=made.facts[:-1]) if is_said else made


def _over(series: SeriesDetails) -> str:
    lines = ("its mean, between its lowest and its highest run (dashed)", "the medians before and since its change")
    drawn = {lines[measure.reference_changes] for measure in series.measures}
    marks = f"Shaded: the reference; line: {' or '.join(sorted(drawn))}."
    red = " Red: runs since something is worse." if any(measure.is_worse for measure in series.measures) else ""
    read = "Point, touch or use the arrow keys to read a run."
    return f"There is no reference yet. {read}" if series.reference is None else f"{marks}{red} {read}"


def _track(series: SeriesDetails, measure: MeasureVerdict, number: int) -> Track:
    """Return the means of the runs, with the reference, its limits, and the runs that are worse."""
    known = [mean for mean in measure.means if mean is not None]
    limits = [end for end in (measure.low_run, measure.high_run, measure.reference) if end is not None]
    y = value_axis([*known, *limits], unit=measure.unit)
    count = len(measure.means)
    step = max(1, -(-count // _TICKS))
    ticks = [(float(at), f"#{series.runs[at].number}") for at in range(0, count, step)]
    x = Axis(-0.5, max((1 + _ROOM) * count, 0.5), ticks)
    points = [(float(at), mean) for at, mean in enumerate(measure.means) if mean is not None]
    since = None if measure.since is None or measure.verdict != check_details.WORSE else measure.since.number
    marks: list[PlotMark] = [] if series.reference is None else [Shade(-0.5, len(series.reference.runs) - 0.5)]
    marks += [*_limits(series, measure, x, y), Path(points, thin=True)]
    marks += [
        Dot(
            at,
            mean,
            value(mean, measure) if at == points[-1][0] else "",
            tone="bad" if since is not None and series.runs[int(at)].number >= since else "",
            small=count > _DOTS,
        )
        for at, mean in points
    ]
    words = f"{measure.measure} of {counted(len(points), 'run')}: {measure.sentence}"
    verdict = "" if measure.verdict == check_details.TOO_LITTLE else f"{MARKS[measure.verdict]} {measure.verdict}, "
    now = f"{verdict}now {value(measure.value, measure)}"
    text = ". ".join(filter(None, [now, sure(measure)]))
    return Track(measure.measure, text, Plot(words, x, y, marks, _HEIGHT, read=True), number, 0, name=measure.measure)


def _limits(series: SeriesDetails, measure: MeasureVerdict, x: Axis, y: Axis) -> Iterator[PlotMark]:
    """Yield the mean of the reference between its lowest and its highest run, each with its text where that fits.

    Of a reference that contains a change it yields the medians before and since.
    """
    if measure.reference_changes and measure.step is not None:
        step, place = measure.step, series.runs.index(measure.step.after) - 0.5
        yield Path([(x.low, step.first), (place, step.first)], level=True)
        yield Path([(place, step.second), (len(series.runs) - 0.5, step.second)], level=True)
        return
    low, mean, high = measure.low_run, measure.reference, measure.high_run
    if mean is None or low is None or high is None:
        return
    yield Path([(x.low, mean), (x.high, mean)], level=True)
    if min(high - mean, mean - low) < _NEAR * (y.high - y.low):
        ends = "in each run" if low == high else f"({value(low, measure)} to {value(high, measure)})"
        texts = ["", "", f"reference {value(mean, measure)} {ends}"]
    else:
        texts = [f"{word} {value(at, measure)}" for word, at in (("lowest", low), ("mean", mean), ("highest", high))]
    yield from (Rule(at, text, last=True) for at, text in zip((low, mean, high), texts, strict=True))


def _runs(series: SeriesDetails) -> dict[str, Any]:
    """Return what a script reads of the runs of a series."""
    inside = 0 if series.reference is None else len(series.reference.runs)
    told: dict[str, list[list[str]]] = {str(at): [["Reference", "one of its ten runs"]] for at in range(inside)}
    return {
        "runs": [[run.number, moment(run.started), run.commit[:8], "", 0, "complete"] for run in series.runs],
        "rules": [],
        "told": told,
    }


def _line(series: SeriesDetails, measure: MeasureVerdict, place: int) -> dict[str, Any]:
    """Return what a script reads of a measure: its means, and what is said of the run since which it changed."""
    numbers = [run.number for run in series.runs]
    at = numbers.index(measure.since.number) if measure.since and measure.since.number in numbers else None
    said = " ".join(filter(None, [measure.sentence, cause_of(measure)]))
    return {
        "name": measure.measure,
        "unit": measure.unit,
        "v": [None if mean is None else float(f"{mean:.6g}") for mean in measure.means],
        "said": {} if at is None else {str(at): said},
        "set": place,
    }
