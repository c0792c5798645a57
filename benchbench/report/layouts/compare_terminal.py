"""A comparison on a terminal: the verdict of each pair, measures against systems, and the queries that moved."""

import math
from collections.abc import Iterator, Sequence

from benchbench.comparison.compare_result import CompareDetails, Speed
from benchbench.comparison.headline import headline
from benchbench.measures.latency import BEYOND, enough
from benchbench.report.blocks import NARROW, SUMMARY, TERMINAL, WIDE, AnyCell, Block, Cell, Facts, Table, Text, Verdict
from benchbench.report.layouts.compare_words import level
from benchbench.report.render.lines import span
from benchbench.results.figures import interval, p_value, signed, value
from benchbench.results.headline import BETTER, OPEN, WORSE, best
from benchbench.results.record import Better
from benchbench.significance.result import Difference

_SCALE = 24  # columns of the intervals
_MOVED = 3  # queries of a pair that are named
_MARKS = {1: BETTER, -1: WORSE, 0: OPEN}
_FEW = [f"* rests on fewer than {BEYOND} requests above it."]
_UNJUDGED = (
    "Unjudged hits count as not relevant. The mean if those of the baseline were relevant, or those of the system:"
)
_UNJUDGED_HEAD = ("Measure", "Difference", "Mean", "Worst", "Best", "Judged", "Baseline", "System")
_LEGEND = f"{BETTER} better {WORSE} worse {OPEN} no difference shown."


def blocks(details: CompareDetails) -> list[Block]:
    """Return what a terminal shows before it goes into details."""
    return [
        Verdict(*headline(details)),
        *(_against_baseline(details) if _has_baseline(details) else _all_pairs(details)),
        _wide(details),
        Text([f"{_LEGEND} --wide adds intervals and the hits of queries that moved."], where=NARROW),
        Text([_LEGEND], where=WIDE),
        Facts(list(_moved(details)), where=TERMINAL),
    ]


def _has_baseline(details: CompareDetails) -> bool:
    return len({baseline for baseline, _ in details.pairs}) == 1


def _against_baseline(details: CompareDetails) -> Iterator[Block]:
    """Yield the means of the baseline and the differences from it, and how fast the systems were."""
    (baseline, _), *_ = details.pairs
    systems = [baseline, *(system for _, system in details.pairs)]
    rows: list[list[AnyCell]] = []
    for measure, found in details.by_measure.items():
        of = {one.system: one for one in found}
        mean = value(details.estimate(measure, baseline).mean)
        rows.append([measure, mean, *(_tested(details, of[system]) for system in systems[1:])])
    speed, marked = _speeds(details, systems)
    head = ["Measure", baseline, *systems[1:]]
    yield Table(head, [*rows, *speed], "l" + "r" * len(systems), where=NARROW, asides="p-values")
    yield Text(_FEW if marked else [], where=NARROW)


def _all_pairs(details: CompareDetails) -> Iterator[Block]:
    """Yield the means of all systems, and the difference of each pair."""
    names = details.names
    means: list[list[AnyCell]] = []
    for measure in details.measures:
        found = [details.estimate(measure, name) for name in names]
        first = [one.rank == 1 and len({other.mean for other in found}) > 1 for one in found]
        means.append([measure, *(Cell(value(one.mean), strong=leads) for one, leads in zip(found, first, strict=True))])
    speed, marked = _speeds(details, names)
    yield Table(["Measure", *names], [*means, *speed], "l" + "r" * len(names), where=NARROW)
    yield Text(_FEW if marked else [], where=NARROW)
    rows: list[list[AnyCell]] = [
        [measure, *(_tested(details, one) for one in found)] for measure, found in details.by_measure.items()
    ]
    head = ["Measure", *(f"{system} - {baseline}" for baseline, system in details.pairs)]
    yield Table(head, rows, "l" + "r" * len(details.pairs), where=NARROW, asides="p-values")


def _difference(one: Difference) -> Cell:
    mark = _MARKS[one.direction]
    return Cell(f"{mark} {signed(one.mean)}", tone="" if one.direction else "muted")


def _tested(details: CompareDetails, one: Difference) -> Cell:
    """Return a difference with its corrected p-value beside it, which a narrow terminal leaves out."""
    p = p_value(one.corrected[details.settings.test])
    return _difference(one)._replace(aside=f"p{p.replace(' ', '')}" if p.startswith("<") else f"p {p}")


def _speeds(details: CompareDetails, systems: Sequence[str]) -> tuple[list[list[AnyCell]], bool]:
    """Return rows of throughput and latency where all systems have them, and whether a percentile is marked."""
    of = {one.name: one.speed for one in details.systems}
    speeds = [speed for name in systems if (speed := of.get(name)) is not None]
    if len(speeds) < len(systems):
        return [], False
    few = [not enough(99.0, math.ceil(details.queries / max(1, one.batch_size))) for one in speeds]
    rows = [
        _fast("queries/s", [one.queries_per_second for one in speeds], "higher", 0, [False] * len(speeds)),
        _fast("p99, ms", [_p99(one) for one in speeds], "lower", 1, few),
    ]
    return rows, any(few)


def _p99(one: Speed) -> float | None:
    return one.latency_ms.get("p99")


def _fast(name: str, values: Sequence[float | None], better: Better, digits: int, few: Sequence[bool]) -> list[AnyCell]:
    lead = best(values, better)
    shown = [value(one, digits) + "*" * mark for one, mark in zip(values, few, strict=True)]
    return [name, *(Cell(text, strong=place in lead) for place, text in enumerate(shown))]


def _wide(details: CompareDetails) -> Table:
    """Return a row per measure and pair, with its interval drawn; all of a measure have one scale."""
    single = _has_baseline(details)
    rows: list[list[AnyCell]] = []
    for measure, found in details.by_measure.items():
        ends = [end for one in found for end in (one.low, one.high, one.mean, 0.0) if end is not None]
        scale = (min(ends), max(ends))
        for place, one in enumerate(found):
            means = [value(details.estimate(measure, name).mean) for name in (one.baseline, one.system)]
            drawn = (
                "" if one.low is None or one.high is None else span((one.low, one.high), one.mean, 0.0, scale, _SCALE)
            )
            between = interval(one.low, one.high, shown=signed)
            pair = one.system if single else f"{one.system} - {one.baseline}"
            p = p_value(one.corrected[details.settings.test])
            rows.append(["" if place else measure, pair, *means, _difference(one), between, p, drawn])
    baseline = details.pairs[0][0] if single else "Baseline"
    head = ["Measure", "System", baseline, "Its mean", "Difference", f"{level(details)} interval", "p", "One scale"]
    return Table(head, rows, "llrrrrrl", where=WIDE, keeps=[0, 0, 1, 1, 0, 0, 0, 2])


def _moved(details: CompareDetails) -> Iterator[tuple[str, str]]:
    """Yield the queries that moved most, of each pair."""
    label = "Moved most"
    for pair in details.moved:
        if pair.queries:
            said = "  ".join(f"{one.query} {signed(one.difference)}" for one in pair.queries[:_MOVED])
            yield label, f"{said}  ({pair.system} - {pair.baseline}, {details.moved_by})"
            label = ""


def unjudged(details: CompareDetails) -> Iterator[Table]:
    """Yield what the differences would be if hits that nobody judged were relevant, where there are such hits."""
    found = details.unjudged
    rows: list[list[str]] = []
    above = ""
    for one in found.cases:
        shares = [found.share(one.judged, name) for name in (one.baseline, one.system)]
        shown = [value(share) for share in shares]
        ends = [signed(each) for each in (one.mean, one.worst, one.best)]
        named, above = "" if one.measure == above else one.measure, one.measure
        rows.append([named, f"{one.system} - {one.baseline}", *ends, one.judged, *shown])
    if rows:
        keeps = [0, 0, 1, 0, 0, 0, 2, 2]
        yield Table(_UNJUDGED_HEAD, rows, "llrrrlrr", caption=_UNJUDGED, where=TERMINAL | SUMMARY, keeps=keeps)
