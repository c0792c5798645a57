"""A check of the latest run: what is worse first, what to do second, then what each verdict rests on."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from benchbench.history.check import check_details
from benchbench.history.check.check_details import CheckDetails, MeasureVerdict, QueryMove, SeriesDetails, SliceMove
from benchbench.history.check.check_record import condition
from benchbench.history.check.words import called, difference, headline, reference, sure, tested, value, what_counts
from benchbench.report.blocks import (
    EVERYWHERE,
    JUNIT,
    PAGE,
    PAPER,
    PEOPLE,
    SUMMARY,
    AnyCell,
    Block,
    Cell,
    Facts,
    Gates,
    Heading,
    Notes,
    Table,
    Verdict,
)
from benchbench.report.layout import Layout, page_of
from benchbench.report.layouts.columns import Column, table_of
from benchbench.report.render.lines import sparkline
from benchbench.results.figures import NOTHING, signed
from benchbench.results.result import Result

_LAST = 16  # runs of a sparkline: a terminal of 80 columns has room for it
_ON_SCREEN = 5  # queries, and slices, that a terminal shows
_TONES = {
    check_details.WORSE: "bad",
    check_details.FAILED: "bad",
    check_details.BETTER: "good",
    check_details.NOT_WORSE: "good",
}


def layout(result: Result) -> Layout:
    """Return the verdicts, the queries and slices that moved, and what the verdicts rest on."""
    check, record = result.details_as(CheckDetails), result.record
    own = {condition(measure) for series in check.series for measure in series.measures}
    others = any(gate.condition not in own for gate in record.gates)
    several = len(check.series) > 1
    title = f"History of {', '.join(called(series) for series in check.series)}" if len(check.series) < 4 else "History"
    blocks: list[Block] = [
        Verdict(*headline(check), own=frozenset(own)),
        Heading(title, where=PAGE),
        *(verdicts(series, several) for series in check.series),
        *(block for series in check.series for block in moved(series, several)),
        *(Facts(list(facts(series, check)), where=PEOPLE | SUMMARY) for series in check.series),
        *([Facts(_said("Alert", check.alerts) + _said("Note", check.notes))] if check.alerts or check.notes else []),
        *([Gates()] if others else []),
        Notes([*check.alerts, *notes(check)], where=PAPER | JUNIT),
    ]
    return Layout(
        title,
        blocks,
        result.json_members,
        lambda: _rows(check),
        notes=[*check.alerts, *notes(check)],
        command="benchbench history check",
        drawn=page_of("history_check_page", result),
    )


def notes(check: CheckDetails) -> list[str]:
    """Return what stands below tables where no facts do."""
    several = len(check.series) > 1
    sentences = []
    for series in check.series:
        front = f"{called(series)}: " if several else ""
        sentences += [f"{front}{_with_p(measure)}" for measure in series.measures]
        sentences += [f"{front}Level: {level}." for level in [what_counts(series, check)] if level]
        sentences += [f"{front}Reference: {reference(series)}.", f"{front}Budget: {tested(series, check)}."]
        sentences += [f"{front}{reason}." for reason in series.left_out]
    return sentences + check.notes


def _with_p(measure: MeasureVerdict) -> str:
    return f"{measure.sentence.removesuffix('.')} ({how_sure})." if (how_sure := sure(measure)) else measure.sentence


def _said(label: str, sentences: Sequence[str]) -> list[tuple[str, str]]:
    return [("" if place else label, sentence) for place, sentence in enumerate(sentences)]


def _rows(check: CheckDetails) -> Iterator[dict[str, Any]]:
    """Yield the rows of CSV: a row per measure."""
    of_test = ("difference", "low", "high", "p_queries", "p_runs")
    for series in check.series:
        for measure in series.measures:
            yield {
                "series": called(series),
                "run": series.judged.number,
                **{name: getattr(measure, name) for name in ("measure", "verdict", "reference", "value")},
                **{name: getattr(measure.decided, name, None) for name in of_test},
                "window": measure.decided and measure.decided.runs,
                **{name: getattr(measure, name) for name in ("level", "tested", "planned")},
                "since": measure.since and measure.since.number,
                "commit": measure.since and measure.since.commit,
                "before_commit": measure.before and measure.before.commit,
            }


def verdicts(series: SeriesDetails, several: bool, is_page: bool = False) -> Table:
    """Return a row per measure, with its last runs as a line of blocks where no chart has them."""
    columns = [
        Column("Measure", lambda measure: measure.measure),
        Column("Verdict", _verdict),
        Column("Reference", _reference, "r", 1, True),
        Column("Now", lambda measure: value(measure.value, measure), "r"),
        Column("Difference", _difference, "r", optional=True),
        Column(f"Last {min(_LAST, len(series.runs))} runs", _bars, keep=2) if series.runs and not is_page else None,
    ]
    caption = f"{called(series)}, run {series.judged.number}" if several else f"Run {series.judged.number}"
    return table_of(columns, series.measures, caption=caption, where=EVERYWHERE)


def _bars(measure: MeasureVerdict) -> str:
    """Return the means of the last runs as bars; a run without one is a dot."""
    shown = measure.means[-_LAST:]
    return sparkline(shown, _LAST, [place for place, mean in enumerate(shown) if mean is None])


def _difference(measure: MeasureVerdict) -> AnyCell:
    """Return the difference, in grey where it was not tested; none from a reference that contains a change."""
    text = NOTHING if measure.reference_changes else difference(measure)
    return Cell(text, "(not tested)", tone="muted") if measure.decided is None and text != NOTHING else text


def _reference(measure: MeasureVerdict) -> str:
    return "contains a change" if measure.reference_changes else value(measure.reference, measure)


def _verdict(measure: MeasureVerdict) -> Cell:
    tone = _TONES.get(measure.verdict, "")
    return Cell("not judged" if measure.reference_changes else measure.verdict, strong=bool(tone), tone=tone)


def _shown(measure: MeasureVerdict, member: str) -> Callable[[QueryMove | SliceMove], str]:
    return lambda moved: value(getattr(moved, member), measure)


def moved(series: SeriesDetails, several: bool, most: int = _ON_SCREEN) -> Iterator[Block]:
    """Yield the queries and the slices that moved most, of each measure that changed."""
    where = f" of {called(series)}" if several else ""
    for measure in series.measures:
        fell = (measure.verdict == check_details.WORSE) == (measure.better == "higher")
        way = "changed" if measure.verdict == check_details.OPEN else "fell" if fell else "rose"
        caption = f"whose {measure.measure} {way} most{where}"
        columns = [
            Column("Reference", _shown(measure, "before"), "r"),
            Column("Now", _shown(measure, "after"), "r"),
            Column("Change", lambda its: signed(its.after - its.before), "r"),
        ]
        queries = [Column("Query", lambda its: its.id), *columns]
        slices = [Column("Slice", lambda its: its.slice), Column("Queries", lambda its: f"{its.n:,}", "r"), *columns]
        if measure.moved:
            yield table_of(queries, measure.moved[:most], caption=f"Queries {caption}", where=EVERYWHERE)
        if measure.slices:
            yield table_of(slices, measure.slices[:most], caption=f"Slices {caption}; not tested", where=EVERYWHERE)


def facts(series: SeriesDetails, check: CheckDetails) -> Iterator[tuple[str, str]]:
    """Yield what the verdicts of a series rest on."""
    if len(check.series) > 1:
        yield "Series", called(series)
    label = "How sure"
    for measure in series.measures:
        if text := sure(measure):
            yield label, text if len(series.measures) == 1 else f"{measure.measure}: {text}"
            label = ""
    if text := what_counts(series, check):
        yield "Level", text
    yield "Reference", reference(series)
    yield "Budget", tested(series, check)
    for place, text in enumerate(series.left_out):
        yield "" if place else "Left out", text
    for measure in series.measures:
        if measure.missing:
            what = "blocks of requests" if measure.ratio else "queries"
            missing = f"{measure.missing:,} {what} of the reference have no value in the latest run"
            yield "Missing", f"{measure.measure}: {missing}"
    if check.default_measures:
        names = ", ".join(measure.measure for measure in series.measures)
        yield "Measures", f"{names} (default; -m chooses others)"
