"""What a check of a history says of series and measures."""

from collections.abc import Callable, Iterator

from benchbench.history.check import details
from benchbench.history.check.details import CheckDetails, MeasureDetails, MovedQuery, MovedSlice, SeriesDetails
from benchbench.history.check.words import called, difference, reference, sure, tested, value, what_counts
from benchbench.report.blocks import EVERYWHERE, Block, Cell, Table
from benchbench.report.layouts.columns import Column, table_of
from benchbench.report.render.lines import sparkline
from benchbench.results.figures import signed

_LAST = 16  # runs of a sparkline: a terminal of 80 columns has room for it
_ON_SCREEN = 5  # queries, and slices, that a terminal shows
_TONES = {details.WORSE: "bad", details.FAILED: "bad", details.BETTER: "good", details.NOT_WORSE: "good"}


def verdicts(series: SeriesDetails, several: bool) -> Table:
    """Return a row per measure, with its last runs as a line of blocks."""
    columns = [
        Column("Measure", lambda measure: measure.measure),
        Column("Verdict", _verdict),
        Column("Reference", lambda measure: value(measure.reference, measure), "r", 1),
        Column("Now", lambda measure: value(measure.value, measure), "r"),
        Column("Difference", difference, "r"),
        Column("Runs", _bars, keep=2),
    ]
    caption = f"{called(series)}, run {series.judged.number}" if several else f"Run {series.judged.number}"
    return table_of(columns, series.measures, caption=caption, where=EVERYWHERE)


def _bars(found: MeasureDetails) -> str:
    """Return the means of the last runs as bars; a run without one is a dot."""
    shown = found.means[-_LAST:]
    return sparkline(shown, _LAST, [place for place, mean in enumerate(shown) if mean is None])


def _verdict(found: MeasureDetails) -> Cell:
    tone = _TONES.get(found.verdict, "")
    return Cell(found.verdict, strong=bool(tone), tone=tone)


def _shown(found: MeasureDetails, member: str) -> Callable[[MovedQuery | MovedSlice], str]:
    return lambda moved: value(getattr(moved, member), found)


def moved(series: SeriesDetails, several: bool, most: int = _ON_SCREEN) -> Iterator[Block]:
    """Yield the queries and the slices that moved most, of each measure that changed."""
    of = f" of {called(series)}" if several else ""
    for measure in series.measures:
        fell = (measure.verdict == details.WORSE) == (measure.better == "higher")
        way = "changed" if measure.verdict == details.OPEN else "fell" if fell else "rose"
        said = f"whose {measure.measure} {way} most{of}"
        columns = [
            Column("Reference", _shown(measure, "before"), "r"),
            Column("Now", _shown(measure, "after"), "r"),
            Column("Change", lambda its: signed(its.after - its.before), "r"),
        ]
        queries = [Column("Query", lambda its: its.id), *columns]
        slices = [
            Column("Slice", lambda its: its.slice),
            Column("Queries", lambda its: f"{its.n:,}", "r"),
            *columns,
        ]
        if measure.moved:
            yield table_of(queries, measure.moved[:most], caption=f"Queries {said}", where=EVERYWHERE)
        if measure.slices:
            yield table_of(slices, measure.slices[:most], caption=f"Slices {said}; not tested", where=EVERYWHERE)


def facts(series: SeriesDetails, found: CheckDetails) -> Iterator[tuple[str, str]]:
    """Yield what the verdicts of a series rest on."""
    if len(found.series) > 1:
        yield "Series", called(series)
    label = "How sure"
    for measure in series.measures:
        if said := sure(measure):
            yield label, said if len(series.measures) == 1 else f"{measure.measure}: {said}"
            label = ""
    if said := what_counts(series, found):
        yield "Level", said
    yield "Reference", reference(series)
    yield "Tested", tested(series, found)
    for place, said in enumerate(series.left_out):
        yield "" if place else "Left out", said
    for measure in series.measures:
        if measure.missing:
            what = "blocks of requests" if measure.ratio else "queries"
            missing = f"{measure.missing:,} {what} of the reference have no value in the latest run"
            yield "Missing", f"{measure.measure}: {missing}"
    if found.default_measures:
        names = ", ".join(measure.measure for measure in series.measures)
        yield "Measures", f"{names}, which lead{'s' * (len(series.measures) == 1)}; -m names others"
