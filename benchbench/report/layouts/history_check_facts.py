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
        Column("Measure", lambda one: one.measure),
        Column(
            "Verdict", lambda one: Cell(one.verdict, strong=one.verdict in _TONES, tone=_TONES.get(one.verdict, ""))
        ),
        Column("Reference", lambda one: value(one.reference, one), "r", 1),
        Column("Now", lambda one: value(one.value, one), "r"),
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
    for one in series.measures:
        fell = (one.verdict == details.WORSE) == (one.better == "higher")
        way = "changed" if one.verdict == details.OPEN else "fell" if fell else "rose"
        said = f"whose {one.measure} {way} most{of}"
        columns = [
            Column("Reference", _shown(one, "before"), "r"),
            Column("Now", _shown(one, "after"), "r"),
            Column("Change", lambda each: signed(each.after - each.before), "r"),
        ]
        queries = [Column("Query", lambda each: each.id), *columns]
        slices = [
            Column("Slice", lambda each: each.slice),
            Column("Queries", lambda each: f"{each.n:,}", "r"),
            *columns,
        ]
        if one.moved:
            yield table_of(queries, one.moved[:most], caption=f"Queries {said}", where=EVERYWHERE)
        if one.slices:
            yield table_of(slices, one.slices[:most], caption=f"Slices {said}; not tested", where=EVERYWHERE)


def facts(series: SeriesDetails, found: CheckDetails) -> Iterator[tuple[str, str]]:
    """Yield what the verdicts of a series rest on."""
    if len(found.series) > 1:
        yield "Series", called(series)
    label = "How sure"
    for one in series.measures:
        if said := sure(one):
            yield label, said if len(series.measures) == 1 else f"{one.measure}: {said}"
            label = ""
    if said := what_counts(series, found):
        yield "Level", said
    yield "Reference", reference(series)
    yield "Tested", tested(series, found)
    for place, said in enumerate(series.left_out):
        yield "" if place else "Left out", said
    for one in series.measures:
        if one.missing:
            what = "blocks of requests" if one.ratio else "queries"
            yield "Missing", f"{one.measure}: {one.missing:,} {what} of the reference have no value in the latest run"
    if found.default_measures:
        names = ", ".join(one.measure for one in series.measures)
        yield "Measures", f"{names}, which lead{'s' * (len(series.measures) == 1)}; -m names others"
