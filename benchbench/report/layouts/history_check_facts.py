"""What a check of a history says of series and measures."""

from collections.abc import Iterator, Sequence

from benchbench.history.check import details
from benchbench.history.check.details import CheckDetails, MeasureDetails, SeriesDetails
from benchbench.history.check.words import called, difference, reference, sure, tested, value, what_counts
from benchbench.report.blocks import EVERYWHERE, AnyCell, Block, Cell, Table
from benchbench.results.figures import signed

_LEVELS = "▁▂▃▄▅▆▇█"
_LAST = 16  # runs of a sparkline: a terminal of 80 columns has room for it
_ON_SCREEN = 5  # queries, and slices, that a terminal shows
_TONES = {details.WORSE: "bad", details.FAILED: "bad", details.BETTER: "good", details.NOT_WORSE: "good"}


def verdicts(series: SeriesDetails, several: bool) -> Table:
    """Return a row per measure, with its last runs as a line of blocks."""
    rows: list[list[AnyCell]] = []
    for one in series.measures:
        rows.append(
            [
                one.measure,
                Cell(one.verdict, strong=one.verdict in _TONES, tone=_TONES.get(one.verdict, "")),
                value(one.reference, one),
                value(one.value, one),
                difference(one),
                sparkline(one),
            ]
        )
    head = ("Measure", "Verdict", "Reference", "Now", "Difference", "Runs")
    caption = f"{called(series)}, run {series.judged.number}" if several else f"Run {series.judged.number}"
    return Table(head, rows, "llrrrl", caption=caption, where=EVERYWHERE, keeps=(0, 0, 1, 0, 0, 2))


def sparkline(found: MeasureDetails) -> str:
    """Return the means of the last runs as blocks of eight heights; a run without one is a dot."""
    shown = found.means[-_LAST:]
    known = [one for one in shown if one is not None]
    if not known:
        return ""
    low, high = min(known), max(known)
    step = (high - low) / (len(_LEVELS) - 1) or 1.0
    return "".join("·" if one is None else _LEVELS[round((one - low) / step)] for one in shown)


def moved(series: SeriesDetails, several: bool, most: int = _ON_SCREEN) -> Iterator[Block]:
    """Yield the queries and the slices that moved most, of each measure that changed."""
    of = f" of {called(series)}" if several else ""
    for one in series.measures:
        fell = (one.verdict == details.WORSE) == (one.better == "higher")
        way = "changed" if one.verdict == details.OPEN else "fell" if fell else "rose"
        if one.moved:
            queries: list[Sequence[AnyCell]] = [
                [each.id, value(each.before, one), value(each.after, one), signed(each.after - each.before)]
                for each in one.moved[:most]
            ]
            said = f"Queries whose {one.measure} {way} most{of}"
            yield Table(("Query", "Reference", "Now", "Change"), queries, "lrrr", caption=said, where=EVERYWHERE)
        if one.slices:
            slices: list[Sequence[AnyCell]] = [
                [
                    each.slice,
                    f"{each.n:,}",
                    value(each.before, one),
                    value(each.after, one),
                    signed(each.after - each.before),
                ]
                for each in one.slices[:most]
            ]
            said = f"Slices whose {one.measure} {way} most{of}; not tested"
            head = ("Slice", "Queries", "Reference", "Now", "Change")
            yield Table(head, slices, "lrrrr", caption=said, where=EVERYWHERE)


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
