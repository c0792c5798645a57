"""The page of a check: the verdict, run means with the reference, and the queries and slices that moved."""

from benchbench.history.check import check_details
from benchbench.history.check.check_details import CheckDetails, MeasureVerdict, SeriesDetails
from benchbench.history.check.words import called, headline, sure, value
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
    Panel,
    Panels,
    Path,
    Plot,
    PlotMark,
    Rule,
    Section,
    Shade,
    Tone,
)
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
_DOTS = 80  # runs of a chart whose dots have their full size


def blocks(result: Result) -> list[Block | PageBlock | CardBlock]:
    """Return the page."""
    check, record = result.details_as(CheckDetails), result.record
    several = len(check.series) > 1
    made: list[Block | PageBlock | CardBlock] = [_verdict(check, record), *band(record)]
    for place, series in enumerate(check.series):
        name = called(series) if several else "Runs"
        made.append(Section(f"runs{place}", name, name if several else "The runs and their reference", _over(series)))
        charts = [
            _chart(series, measure) for measure in series.measures if any(mean is not None for mean in measure.means)
        ]
        made += [Panels(charts, 2 if len(charts) > 1 else 1)] if charts else []
        made.append(verdicts(series, several))
    changed = [block for series in check.series for block in moved(series, several, _ROWS)]
    if changed:
        made += [Section("moved", "Moved", "What moved most", "Means of the reference and of the runs that decided.")]
        made += changed
    made.append(Section("rests", "Rests on", "What the verdicts rest on"))
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
    return head(
        "history check",
        record,
        [runs, *([] if len(check.series) > 1 else [called(only)])],
        f"{mark} {first}",
        [" ".join(f"{mark} {sentence}" for mark, sentence in more)] if more else [],
        advice,
    )


def _over(series: SeriesDetails) -> str:
    if series.reference is None:
        return "There is no reference yet."
    return (
        "Dot: the mean of a run. Shaded: the ten runs of the reference; dashed: its mean, between the lowest and the "
        "highest of its runs. Red: runs since something is worse."
    )


def _chart(series: SeriesDetails, measure: MeasureVerdict) -> Panel:
    """Return the means of the runs, with the reference and the runs that are worse."""
    known = [mean for mean in measure.means if mean is not None]
    ends = [*known, *(end for end in (measure.low_run, measure.high_run, measure.reference) if end is not None)]
    y = value_axis(ends, unit=measure.unit)
    count = len(measure.means)
    step = max(1, -(-count // _TICKS))
    x = Axis(
        -0.5, max(count - 0.5, 0.5), [(at, f"{series.runs[at].number}") for at in range(0, count, step)], name="run"
    )
    marks: list[PlotMark] = []
    if series.reference is not None:
        marks.append(Shade(-0.5, len(series.reference.runs) - 0.5))
    if measure.reference is not None:
        marks += [Rule(end) for end in (measure.low_run, measure.high_run) if end is not None]
        marks.append(Rule(measure.reference))
    points = [(float(at), mean) for at, mean in enumerate(measure.means) if mean is not None]
    since = None if measure.since is None or measure.verdict != check_details.WORSE else measure.since.number
    marks.append(Path(points, thin=True))
    marks += [
        Dot(
            at,
            mean,
            tone="bad" if since is not None and series.runs[int(at)].number >= since else "",
            small=count > _DOTS,
            hint=_told(series, measure, int(at), mean),
        )
        for at, mean in points
    ]
    words = f"{measure.measure} of {counted(len(points), 'run')}: {measure.sentence}"
    tone: Tone = "bad" if measure.is_worse else "good" if measure.verdict == check_details.BETTER else ""
    text = f"{measure.verdict}: reference {value(measure.reference, measure)}, now {value(measure.value, measure)}"
    return Panel(
        measure.measure, text, [Plot(words, x, y, marks, 220)], note=sure(measure), tone=tone, name=measure.measure
    )


def _told(series: SeriesDetails, measure: MeasureVerdict, at: int, mean: float) -> str:
    run = series.runs[at]
    commit = f", commit {run.commit[:8]}" if run.commit else ""
    started = f", {run.started[:16].replace('T', ' ')}" if run.started else ""
    return f"run {run.number}: {value(mean, measure)}{commit}{started}"
