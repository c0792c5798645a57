"""Charts of how good systems are: by rank cut-off, and how single queries moved."""

from collections.abc import Iterable, Sequence

import numpy as np

from benchbench.report import drawing
from benchbench.report.figures import Axis, Cell, Figure, Series, View, listed, number, signed
from benchbench.significance.outcome import Outcome
from benchbench.significance.result import Comparison, Difference

_MOST = 120  # histograms


def cutoffs(outcome: Outcome) -> Figure | None:
    """Return means by rank cut-off, for measures that were taken at several."""
    comparison = outcome.comparison
    families = drawing.cutoffs(comparison.paired.measures)
    if not families:
        return None
    views = [_cutoffs(comparison, family, members) for family, members in families.items()]
    of = {measure: i for i, members in enumerate(families.values()) for _, measure in members}
    chosen = {str(m): of.get(measure, 0) for m, measure in enumerate(comparison.paired.measures)}
    axes = Axis("rank cut-off", "ticks"), Axis("mean")
    return Figure("cutoffs", "Score by rank cut-off", ("measure",), views, chosen, *axes, nearest=True)


def _cutoffs(comparison: Comparison, family: str, members: Sequence[tuple[int, str]]) -> View:
    systems = comparison.paired.systems
    apart = min(0.03, 0.5 / len(systems))
    series, rows = [], []
    for s, system in enumerate(systems):
        found = [comparison.estimate(measure, system) for _, measure in members]
        at = [i + apart * (s - (len(systems) - 1) / 2) for i in range(len(found))]
        ends = [(x, y, "") for x, one in zip(at, found, strict=True) for y in (one.low, one.high)]
        told = [
            (x, one.mean, f"{one.measure} {number(one.mean)} [{number(one.low)}, {number(one.high)}]")
            for x, one in zip(at, found, strict=True)
        ]
        series += [Series(system, s, "whisker", ends), Series(system, s, "line", told)]
        rows += [
            [Cell(system), *(Cell(f"{number(e.mean)} [{number(e.low)}, {number(e.high)}]", e.mean) for e in found)]
        ]
    ticks = [f"{cutoff:,}" for cutoff, _ in members]
    sentence = _leaders(comparison, members)
    title = f"Mean {family} at {listed(ticks)}, with intervals"
    return View(title, sentence, ("System", *(measure for _, measure in members)), rows, series, ticks)


def _leaders(comparison: Comparison, members: Sequence[tuple[int, str]]) -> str:
    leads: dict[str, list[str]] = {}
    for cutoff, measure in members:
        best = max((comparison.estimate(measure, name) for name in comparison.paired.systems), key=lambda e: e.mean)
        leads.setdefault(best.system, []).append(f"{cutoff:,}")
    cutoff, measure = members[-1]
    order = sorted((comparison.estimate(measure, name) for name in comparison.paired.systems), key=lambda e: -e.mean)
    if len(leads) == 1:
        said = f"{order[0].system} leads at every cut-off"
    else:
        said = "; ".join(f"{name} leads at {listed(at)}" for name, at in leads.items())
    against = listed([f"{number(one.mean)} ({one.system})" for one in order[1:3]])
    return f"{said}; at {cutoff:,} it is {number(order[0].mean)} ({order[0].system}) against {against}."


def differences(outcome: Outcome) -> Figure:
    """Return how far single queries moved, as a histogram over all of them."""
    comparison = outcome.comparison
    views = [_differences(comparison, one) for one in comparison.differences[:_MOST]]
    chosen = {place: min(i, _MOST) for i, place in enumerate(places_of(comparison).values())}
    towering = _towering(views)
    if len(chosen) > _MOST:
        views.append(left_out("histogram", _MOST, len(chosen), "--format csv has the numbers of all"))
    axes = Axis("difference of a query", "ticks"), Axis("queries", zero=True)
    return Figure(
        "differences",
        "Differences of single queries",
        ("measure", "pair"),
        views,
        chosen,
        *axes,
        True,
        towering,
    )


def _towering(views: Sequence[View]) -> tuple[str, ...]:
    """Return the equal ones as hidden where they would flatten the rest; their number is in the sentence."""
    for view in views:
        lost, equal, won = (max(count for _, count, _ in one.points) for one in view.series)
        if 0 < 3 * max(lost, won) < equal:
            return ("equal",)
    return ()


def _differences(comparison: Comparison, one: Difference) -> View:
    paired = comparison.paired
    measure = paired.measures.index(one.measure)
    moves = paired.difference(measure, paired.systems.index(one.baseline), paired.systems.index(one.system))
    width, lost, equal, won = drawing.bins(moves, comparison.settings.tie + paired.rounding[measure])
    side = len(lost)
    names = (f"{one.baseline} better", "equal", f"{one.system} better")
    spans = [(i * width, (i + 1) * width) for i in range(side)]
    counted = [(-b, -a, n, 0) for (a, b), n in reversed(list(zip(spans, lost, strict=True)))]
    counted += [(0.0, 0.0, equal, 1), *((a, b, n, 2) for (a, b), n in zip(spans, won, strict=True))]
    texts = ["equal" if kind == 1 else f"{_short(a)} to {_short(b)}" for a, b, _, kind in counted]
    series = [
        Series(
            name,
            kind - 3,
            "bar",
            [(i, n, f"{texts[i]}: {n:,} queries") for i, (_, _, n, k) in enumerate(counted) if k == kind],
        )
        for kind, name in enumerate(names)
    ]
    ticks = ["0" if k == 1 else _short(a if k == 0 else b) for a, b, _, k in counted]
    rows = [
        [Cell(text, a), Cell(names[kind]), Cell(f"{n:,}", n)]
        for text, (a, _, n, kind) in zip(texts, counted, strict=True)
        if n
    ]
    low, high = (float(q) for q in np.quantile(moves, (0.25, 0.75)))
    sentence = (
        f"Of {len(moves):,} queries, {one.system} is better on {one.wins:,}, {one.baseline} on {one.losses:,}, and "
        f"{one.ties:,} are equal; the middle half of the differences lies between {signed(low)} and {signed(high)}."
    )
    title = f"{one.measure} of {one.system} minus that of {one.baseline}, over all {len(moves):,} queries"
    return View(title, sentence, ("Difference", "Who is better", "Queries"), rows, series, ticks)


def pairs_of(differences: Iterable[Difference]) -> list[tuple[str, str]]:
    """Return the pairs (baseline, system) that were compared, each once."""
    return list(dict.fromkeys((one.baseline, one.system) for one in differences))


def places_of(comparison: Comparison) -> dict[tuple[str, str, str], str]:
    """Return what stands in `Figure.chosen` for each difference: the places of its measure and pair."""
    measures = {measure: m for m, measure in enumerate(comparison.paired.measures)}
    pairs = {pair: i for i, pair in enumerate(pairs_of(comparison.differences))}
    return {
        (one.measure, one.baseline, one.system): f"{measures[one.measure]}.{pairs[one.baseline, one.system]}"
        for one in comparison.differences
    }


def left_out(what: str, kept: int, of: int, elsewhere: str) -> View:
    """Return the view of what a page has no room for."""
    said = (
        f"The page has no {what} of this measure and pair: it has those of the first {kept:,} of {of:,}; {elsewhere}."
    )
    return View("Left out", said, ticks=("",))


def _short(value: float) -> str:
    return f"{value:.4g}".replace("-", "−")
