"""A comparison: means, differences, tests, slices, and the queries that moved most."""

import csv
import io
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import zip_longest
from string import ascii_lowercase
from typing import Any

from benchbench.comparison.compare_result import OF_TESTS, CompareDetails, Moved, MovedQuery
from benchbench.comparison.evidence import ShownDocument
from benchbench.comparison.headline import against, headline
from benchbench.comparison.leaders import headline_of_pairs, leaderboard
from benchbench.report.blocks import NARROW, PAPER, SUMMARY, TERMINAL, WIDE, AnyCell, Block, Cell, Facts, Table, Text
from benchbench.report.layout import Layout
from benchbench.report.layouts.compare_tables import changes, differences, means, power, tests, unjudged
from benchbench.report.layouts.compare_words import TESTS, intervals_made, level, p_shown, sentence, without_gold
from benchbench.report.layouts.leaderboard import (
    ALL_PAIRS,
    asked_pairs,
    difference_cell,
    of_pairs,
    pair_tables,
    systems_table,
)
from benchbench.report.render.lines import cut, padded, span
from benchbench.report.standard import standard
from benchbench.results.checks import members
from benchbench.results.figures import count, ends, p_value, signed, value
from benchbench.results.headline import BETTER, OPEN, WORSE
from benchbench.results.record import Note, plain
from benchbench.results.result import Result
from benchbench.significance.letters import MANY
from benchbench.significance.notes import asked_of
from benchbench.significance.result import PairedDifference, SliceDifference
from benchbench.tables.shared_messages import and_joined

_RANKS = 5  # hits shown per system
_SLICES = 5  # losses, and gains, shown per column
_NOTHING = ShownDocument("", None, False)
_PAIRS = 4  # of which the queries that moved are shown
_NAMED = 3  # queries of a pair that are named
_SCALE = 24  # columns of the intervals
_BETTER, _WORSE = "†", "‡"
_LEGEND = f"{BETTER} better {WORSE} worse {OPEN} no measurable difference."
_CHANGED = "Queries won, tied and lost; that changed at all, and from and to 0 (found, lost):"


def layout(result: Result, moved: int | None = None, width: int = 120, pairs: str | None = None) -> Layout:
    """Return what differs, how sure that is, and where it comes from.

    Parameters
    ----------
    result
        A comparison.
    moved
        How many of the queries that moved most are shown of each pair; all that the details have by default.
    width
        Columns that texts of queries and documents may take on a terminal.
    pairs
        The system whose pairs a terminal shows, or `all`. By default of few systems all; of many the pair of the first
        two, below a table of all systems.

    Raises
    ------
    InputError
        There is no system of that name.
    """
    whole = result.details_as(CompareDetails)
    if moved is None:
        moved = int(result.record.settings["moved"].value)
    whole = replace(
        whole,
        moved=tuple(replace(pair, queries=pair.queries[:moved]) for pair in whole.moved),
        gates=[members(gate) for gate in result.record.gates],
    )
    details = without_gold(whole)
    many = len(details.names) >= MANY
    shown = of_pairs(details, _shown_pairs(details, pairs))
    tables: list[Block] = [
        *_first_tables(details, pairs),
        *([] if pairs else [_drawn(shown)]),
        Text([] if many else [f"{_LEGEND} --wide adds intervals and the hits of queries that moved."], where=NARROW),
        Text([] if many else [_LEGEND], where=WIDE),
        Facts(list(_moved(shown)), where=TERMINAL),
        means(details),
        differences(shown, tests, power),
        differences(shown, changes, caption=_CHANGED),
        *(table._replace(where=WIDE | SUMMARY) if many else table for table in unjudged(shown)),
        _paper(details),
        Text([sentence(details, difference) for difference in shown.differences], where=WIDE | SUMMARY),
        Text(_asked(shown), where=NARROW),
        *_slices(shown),
        *(_hits(shown, max(width, 40)) if moved else ()),
    ]
    return standard(
        result,
        f"{and_joined(details.names)}: {details.queries:,} queries",
        headline(details) if pairs in (None, ALL_PAIRS) else headline_of_pairs(details, pairs),
        tables,
        facts=[("Tests", _method(details)), ("Intervals", f"{level(details)}, {intervals_made(details)}")],
        signed=None if many else {system.name: system.signature for system in details.systems},
        noted=[
            Note(text=note.text, shown=note.shown)
            for note in result.record.notes
            if "of" not in note.scope or note.scope == OF_TESTS
        ],
        page="compare_page",
        members=lambda: plain(whole),
        rows=lambda: _rows(whole),
        lines=lambda: _lines(whole),
        notes=[note.text for note in result.record.notes if "of" not in note.scope],
        command="benchbench compare",
    )


def _shown_pairs(details: CompareDetails, asked: str | None) -> Sequence[tuple[str, str]]:
    """Return the pairs that a terminal has differences and evidence of."""
    if asked is not None:
        return asked_pairs(details, asked)
    if len(details.names) < MANY:
        return details.pairs
    best, second, *_ = leaderboard(details)
    baseline = details.settings.baseline
    return [(baseline, second if best == baseline else best)] if baseline else [(best, second)]


def _first_tables(details: CompareDetails, asked: str | None) -> Iterator[Block]:
    """Yield what a terminal has below the verdict: pairs, all systems of many, or few systems side by side."""
    if asked is not None:
        yield from pair_tables(details, asked)
    elif len(details.names) >= MANY:
        yield from systems_table(details)
    elif against(details.differences) is None:
        yield from _all_pairs(details)
    else:
        yield from _against_baseline(details)


def _asked(details: CompareDetails) -> list[str]:
    """Return the sentences on a margin, and on a difference, that were asked for."""
    asked = [(difference, asked_of(difference, details.settings, details.tests)) for difference in details.differences]
    return [
        f"{difference.measure}, {difference.system} - {difference.baseline}: {sentence}"
        for difference, sentence in asked
        if sentence
    ]


def _rows(details: CompareDetails) -> Iterable[dict[str, Any]]:
    """Return the differences, with numbers written as a frame's CSV has them."""
    return csv.DictReader(io.StringIO(details.frame().write_csv()))


def _lines(details: CompareDetails) -> Iterator[dict[str, Any]]:
    """Yield each estimate, difference, slice and gate; `kind` says which it is."""
    parts = {
        "estimate": details.estimates,
        "difference": details.differences,
        "slice": details.slices,
        "gate": details.gates,
    }
    return ({"kind": kind, **plain(member)} for kind, of_kind in parts.items() for member in of_kind)


def _method(details: CompareDetails) -> str:
    """Return how the verdicts were reached, in a line."""
    settings = details.settings
    test = TESTS[settings.test]
    if details.groups is not None:
        test += f" over {details.groups:,} groups of {settings.cluster}"
    resamples = f"{settings.resamples:,} resamples"
    if (details.resamples or 0) > settings.resamples:
        resamples = f"{details.resamples:,} resamples of the test, which the correction needs, and {resamples} else"
    return f"{test}, {details.family}; alpha {settings.alpha:g}, {resamples}, seed {settings.seed}"


def _against_baseline(details: CompareDetails) -> Iterator[Block]:
    """Yield the means of the baseline and the differences from it, and how fast the systems were."""
    baseline = details.pairs[0][0]
    systems = [baseline, *(system for _, system in details.pairs)]
    rows: list[list[AnyCell]] = []
    for measure, of_measure in details.by_measure.items():
        by_system = {difference.system: difference for difference in of_measure}
        mean = value(details.estimate(measure, baseline).mean)
        rows.append([measure, mean, *(_tested(details, by_system[system]) for system in systems[1:])])
    yield from _with_speeds(details, systems, rows)


def _all_pairs(details: CompareDetails) -> Iterator[Block]:
    """Yield the means of all systems, and the difference of each pair."""
    names = details.names
    rows: list[list[AnyCell]] = []
    for measure in details.measures:
        estimates = [details.estimate(measure, name) for name in names]
        differ = len({estimate.mean for estimate in estimates}) > 1
        rows.append(
            [measure, *(Cell(value(estimate.mean), strong=differ and estimate.rank == 1) for estimate in estimates)]
        )
    yield from _with_speeds(details, names, rows)
    rows = [
        [measure, *(_tested(details, difference) for difference in of_pairs)]
        for measure, of_pairs in details.by_measure.items()
    ]
    head = ["Measure", *(f"{system} - {baseline}" for baseline, system in details.pairs)]
    yield Table(head, rows, "l" + "r" * len(details.pairs), where=NARROW, asides="p-values")


def _tested(details: CompareDetails, difference: PairedDifference) -> Cell:
    """Return a difference with its corrected p-value beside it, which a narrow terminal leaves out."""
    p = p_shown(details, difference)
    return difference_cell(difference)._replace(aside=f"p{p.replace(' ', '')}" if p[0] in "<≤" else f"p {p}")


def _with_speeds(details: CompareDetails, systems: Sequence[str], rows: Sequence[Sequence[AnyCell]]) -> Iterator[Block]:
    """Yield a table of systems, and below it their throughput and latency where all may be compared; none is marked."""
    speeds, percentile = [details.speed_of.get(name) for name in systems], details.percentile
    known = [speed for speed in speeds if speed is not None]
    if len(known) == len(speeds):
        rows = [*rows, ["queries/s", *(count(speed.queries_per_second) for speed in known)]]
        if percentile:
            rows.append([f"{percentile}, ms", *(value(speed.latency_ms[percentile], 1) for speed in known)])
    yield Table(["Measure", *systems], rows, "l" + "r" * len(systems), where=NARROW, asides="p-values")


def _drawn(details: CompareDetails) -> Table:
    """Return a row per measure and pair, with its interval drawn; all of a measure have one scale."""
    baseline = against(details.differences)
    rows: list[list[AnyCell]] = []
    for measure, of_measure in details.by_measure.items():
        numbers = [
            number
            for difference in of_measure
            for number in (difference.low, difference.high, difference.mean, 0.0)
            if number is not None
        ]
        scale = (min(numbers), max(numbers))
        for place, difference in enumerate(of_measure):
            both = [value(details.estimate(measure, name).mean) for name in (difference.baseline, difference.system)]
            is_open = difference.low is None or difference.high is None
            drawn = (
                ""
                if is_open
                else span((difference.low or 0.0, difference.high or 0.0), difference.mean, 0.0, scale, _SCALE)
            )
            pair = difference.system if baseline else f"{difference.system} - {difference.baseline}"
            between, p = ends(difference, shown=signed), p_shown(details, difference)
            rows.append(["" if place else measure, pair, *both, difference_cell(difference), between, p, drawn])
    interval = f"{level(details)} interval"
    head = ["Measure", "System", baseline or "Baseline", "Its mean", "Difference", interval, "p", "One scale"]
    return Table(head, rows, "llrrrrrl", where=WIDE, keeps=[0, 0, 1, 1, 0, 0, 0, 2])


def _paper(details: CompareDetails) -> Table:
    """Return systems down, measures across; the best value bold, differences marked, and the caption."""
    settings, names = details.settings, details.names
    letters = {} if settings.baseline is not None else _letters(names)
    rows: list[list[AnyCell]] = []
    for system in names:
        row: list[AnyCell] = [f"{letters[system]} {system}" if letters else system]
        for measure in details.measures:
            estimate = details.estimate(measure, system)
            marks = _marks(details, measure, system, letters)
            row.append(Cell(value(estimate.mean), strong=estimate.rank == 1, marks=marks))
        rows.append(row)
    legend = (
        "Raised letters: significantly better than the system of that letter"
        if settings.baseline is None
        else f"{_BETTER} significantly better, {_WORSE} significantly worse than {settings.baseline}"
    )
    caption = (
        f"Means over {details.queries:,} queries. {legend} ({TESTS[settings.test]}, {details.family}; "
        f"alpha {settings.alpha:g})."
    )
    sides = "l" + "r" * len(details.measures)
    return Table(["System", *details.measures], rows, sides, caption, floats=True, where=PAPER | SUMMARY)


def _letters(systems: Sequence[str]) -> dict[str, str]:
    """Return one letter per system; numbers when letters do not suffice."""
    if len(systems) <= len(ascii_lowercase):
        return dict(zip(systems, ascii_lowercase, strict=False))
    return {system: f"{number}," for number, system in enumerate(systems, 1)}


def _marks(details: CompareDetails, measure: str, system: str, letters: Mapping[str, str]) -> str:
    marks = ""
    for difference in details.by_measure[measure]:
        if not difference.direction:
            continue
        if not letters and difference.system == system:
            marks += _BETTER if difference.direction > 0 else _WORSE
        elif letters and system in (difference.baseline, difference.system):
            other, gain = (
                (difference.baseline, difference.direction)
                if system == difference.system
                else (difference.system, -difference.direction)
            )
            marks += letters[other] if gain > 0 else ""
    return marks.rstrip(",")


def _slices(details: CompareDetails) -> Iterator[Block]:
    """Yield one table per pair and column: where most was lost, and where most was gained."""
    measure = details.moved_by
    for baseline, system in details.pairs:
        for column in details.settings.slices:
            key = (measure, baseline, system, column)
            rows = [part for part in details.slices if (part.measure, part.baseline, part.system, part.column) == key]
            if not rows:
                yield Text([f"{system} - {baseline} by {column}: no value has enough queries."], where=TERMINAL)
                continue
            kept = rows if len(rows) <= 2 * _SLICES else [*rows[:_SLICES], *rows[-_SLICES:]]
            cut_to = "" if len(kept) == len(rows) else f", the ends of {len(rows):,} values"
            caption = f"{system} - {baseline} in {measure} by {column}, greatest loss first{cut_to} (* significant):"
            between = f"{level(details)} interval"
            head = [column, "Queries", baseline, system, "Difference", between, "p", "corrected"]
            keeps = [0, 0, 2, 2, 0, 1, 3, 0]
            yield Table(head, [_slice(part) for part in kept], "lrrrrrrr", caption, where=TERMINAL, keeps=keeps)


def _slice(part: SliceDifference) -> list[str]:
    numbers = [value(part.baseline_mean), value(part.system_mean), signed(part.mean), ends(part, shown=signed)]
    corrected = p_value(part.corrected) + " *" * part.significant
    return [cut(part.value, 30), f"{part.queries:,}", *numbers, p_value(part.p), corrected]


def _moved(details: CompareDetails) -> Iterator[tuple[str, str]]:
    """Yield the queries that moved most, of each pair."""
    label = "Moved most"
    for pair in details.moved:
        if pair.queries:
            moves = "  ".join(f"{query.query} {signed(query.difference)}" for query in pair.queries[:_NAMED])
            yield label, f"{moves}  ({pair.system} - {pair.baseline}, {details.moved_by})"
            label = ""


def _hits(details: CompareDetails, width: int) -> Iterator[Text]:
    """Yield the queries that moved most, the hits of both systems side by side."""
    for pair in details.moved[:_PAIRS]:
        between = f"from {pair.baseline} to {pair.system} in {details.moved_by}"
        if not pair.queries:
            yield Text([f"No query moved {between}."], where=WIDE)
            continue
        yield Text([f"Queries that moved most {between} (+ is relevant):"], where=WIDE)
        for query in pair.queries:
            yield Text(list(_query(query, pair, width)), where=WIDE)
    if len(details.moved) > _PAIRS:
        left_out = f"… and {len(details.moved) - _PAIRS:,} more pairs: --html shows them all."
        yield Text([left_out], where=WIDE)


def _query(query: MovedQuery, pair: Moved, width: int) -> Iterator[str]:
    yield f"  {query.query}: {value(query.baseline)} -> {value(query.system)} ({signed(query.difference)})"
    if query.text:
        yield f"    asked     {cut(query.text, width - 14)}"
    if query.relevant:
        yield f"    relevant  {cut(', '.join(document.id for document in query.relevant), width - 14)}"
    left, right = (query.hits.get(name) for name in (pair.baseline, pair.system))
    if left is None or right is None:
        return
    column = (width - 10) // 2
    yield f"        {padded(cut(pair.baseline, column), column)}  {cut(pair.system, column)}"
    for rank, both in enumerate(zip_longest(*(hits[:_RANKS] or (_NOTHING,) for hits in (left, right))), 1):
        cells = ["" if hit is None else cut(_hit(hit), column) for hit in both]
        yield f"    {rank:>2}  {padded(cells[0], column)}  {cells[1]}".rstrip()


def _hit(hit: ShownDocument) -> str:
    if hit == _NOTHING:
        return "nothing"
    return f"{'+' if hit.relevant else '·'} {hit.id}" + (f"  {hit.text}" if hit.text else "")
