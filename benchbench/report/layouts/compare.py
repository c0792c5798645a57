"""A comparison: means, differences, tests, slices, and the queries that moved most."""

import csv
import io
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import zip_longest
from string import ascii_lowercase
from typing import Any

from benchbench.comparison.compare_result import OF_TESTS, CompareDetails, Moved, MovedQuery
from benchbench.comparison.evidence import Document
from benchbench.report.blocks import (
    JUNIT,
    NARROW,
    PAPER,
    SUMMARY,
    TERMINAL,
    WIDE,
    AnyCell,
    Block,
    Cell,
    Facts,
    Gates,
    Notes,
    Table,
    Text,
)
from benchbench.report.layout import Layout, page_of
from benchbench.report.layouts.compare_words import TESTS, intervals_made, level, sentence
from benchbench.report.layouts.notes import note_rows
from benchbench.report.render.lines import cut, padded
from benchbench.results.checks import members
from benchbench.results.figures import count, interval, p_value, signed, value
from benchbench.results.record import plain
from benchbench.results.result import Result
from benchbench.significance.notes import asked_of
from benchbench.significance.result import Slice
from benchbench.tables.shared_messages import and_joined

_RANKS = 5  # hits shown per system
_SLICES = 5  # losses, and gains, shown per column
_NOTHING = Document("", None, False)
_PAIRS = 4  # of which the queries that moved are shown
_BETTER, _WORSE = "†", "‡"


def layout(result: Result, moved: int | None = None, width: int = 120) -> Layout:
    """Return what differs, how sure that is, and where it comes from.

    Parameters
    ----------
    result
        A comparison.
    moved
        How many of the queries that moved most are shown of each pair; all that the details have by default.
    width
        Columns that texts of queries and documents may take on a terminal.
    """
    details = result.details_as(CompareDetails)
    if moved is None:
        moved = int(result.record.settings["moved"].value)
    details = replace(
        details,
        moved=tuple(replace(one, queries=one.queries[:moved]) for one in details.moved),
        gates=[members(one) for one in result.record.gates],
    )
    from benchbench.report.layouts import compare_terminal, signatures

    title, means = heading(details), _means(details)
    blocks: list[Block] = [
        *compare_terminal.blocks(details),
        Gates(where=TERMINAL),
        means,
        _tests(details),
        _changes(details),
        *compare_terminal.unjudged(details),
        _paper(details),
        Text([sentence(details, one) for one in details.differences], where=WIDE | SUMMARY),
        Text(_asked(details), where=NARROW),
        *_slices(details),
        *(_moved(details, max(width, 40)) if moved else ()),
        Facts(
            [
                ("Tests", method(details)),
                ("Intervals", f"{level(details)}, {intervals_made(details)}"),
                *note_rows(one for one in result.record.notes if "of" not in one.scope or one.scope == OF_TESTS),
                signatures.row_of({one.name: one.signature for one in details.systems}),
            ],
            where=TERMINAL,
        ),
        Notes(details.notes, where=SUMMARY | JUNIT),
    ]
    return Layout(
        title,
        blocks,
        lambda: plain(details),
        lambda: _rows(details),
        lambda: _lines(details),
        notes=[one.text for one in result.record.notes if "of" not in one.scope],
        command="benchbench compare",
        drawn=page_of("compare_page", result, details, means),
    )


def _asked(details: CompareDetails) -> list[str]:
    """Return what is said of a margin and of a difference that were asked for."""
    said = [(one, asked_of(one, details.settings, details.tests)) for one in details.differences]
    return [f"{one.measure}, {one.system} - {one.baseline}: {sentence}" for one, sentence in said if sentence]


def _rows(details: CompareDetails) -> Iterable[dict[str, Any]]:
    """Return the differences, numbers spelled as frames spell them."""
    return csv.DictReader(io.StringIO(details.frame().write_csv()))


def _lines(details: CompareDetails) -> Iterator[dict[str, Any]]:
    """Yield each estimate, difference, slice and gate; `kind` says which it is."""
    parts = {
        "estimate": details.estimates,
        "difference": details.differences,
        "slice": details.slices,
        "gate": details.gates,
    }
    return ({"kind": kind, **plain(one)} for kind, found in parts.items() for one in found)


def _means(details: CompareDetails) -> Table:
    rows = []
    for one in details.estimates:
        ranks = f"{one.rank_low}" if one.rank_low == one.rank_high else f"{one.rank_low} to {one.rank_high}"
        rows.append([one.measure, one.system, value(one.mean), interval(one.low, one.high), f"{one.rank}", ranks])
    head = ["Measure", "System", "Mean", f"{level(details)} interval", "Rank", "May be"]
    return Table(head, _named_once(rows), "ll" + "r" * (len(head) - 2), where=WIDE)


def _tests(details: CompareDetails) -> Table:
    rows = []
    for one in details.differences:
        ps = [*(p_value(p) for p in one.p.values()), p_value(one.corrected[details.settings.test])]
        pair = f"{one.system} - {one.baseline}"
        rows.append([one.measure, pair, *ps, signed(one.effect), value(one.detectable)])
    tests = [f"p {test}" for test in details.differences[0].p]
    head = ["Measure", "Difference", *tests, "corrected", "Effect d_z", "Detectable"]
    return Table(head, _named_once(rows), "ll" + "r" * (len(head) - 2), where=WIDE)


def _changes(details: CompareDetails) -> Table:
    """Return how many queries changed and flipped, and what is said of a margin and of a difference asked for."""
    settings = details.settings
    head = ["Measure", "Difference", "Wins", "Ties", "Losses", "Changed", "Found", "Lost"]
    head += [] if settings.need is None else [f"Need for {settings.need:g}"]
    if settings.margin is not None:
        head += [f"{100 * (1 - 2 * settings.alpha):g} % interval", "p equivalent", "p not inferior", "Margin"]
    rows = []
    for one in details.differences:
        numbers = (one.wins, one.ties, one.losses, one.changed, one.found, one.lost)
        counts = [count(each) for each in numbers]
        row = [one.measure, f"{one.system} - {one.baseline}", *counts]
        row += [] if settings.need is None else [count(one.need)]
        if one.margin is not None:
            ends = interval(one.margin.low, one.margin.high, shown=signed)
            row += [ends, p_value(one.margin.equivalent), p_value(one.margin.not_inferior), one.margin.verdict]
        rows.append(row)
    said = "Queries won, tied and lost; that changed at all, and from and to 0 (found, lost):"
    sides = "ll" + "r" * 6 + "r" * (settings.need is not None) + "rrrl" * (settings.margin is not None)
    return Table(head, _named_once(rows), sides, said, where=WIDE)


def _named_once(rows: Sequence[list[str]]) -> list[list[str]]:
    """Return rows whose first cell is empty where it is the same as above."""
    above = [None, *(row[0] for row in rows)]
    return [["" if row[0] == name else row[0], *row[1:]] for name, row in zip(above, rows, strict=False)]


def _paper(details: CompareDetails) -> Table:
    """Return systems down, measures across; the best value bold, differences marked, and the caption."""
    settings, names = details.settings, details.names
    letters = {} if settings.baseline is not None else _letters(names)
    rows: list[list[AnyCell]] = []
    for system in names:
        row: list[AnyCell] = [f"{letters[system]} {system}" if letters else system]
        for measure in details.measures:
            one = details.estimate(measure, system)
            marks = _marks(details, measure, system, letters)
            row.append(Cell(value(one.mean), strong=one.rank == 1, marks=marks))
        rows.append(row)
    said = (
        "Raised letters: significantly better than the system of that letter"
        if settings.baseline is None
        else f"{_BETTER} significantly better, {_WORSE} significantly worse than {settings.baseline}"
    )
    caption = (
        f"Means over {details.queries:,} queries. {said} ({TESTS[settings.test]}, {details.family}; "
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
    for one in details.by_measure[measure]:
        if not one.direction:
            continue
        if not letters and one.system == system:
            marks += _BETTER if one.direction > 0 else _WORSE
        elif letters and system in (one.baseline, one.system):
            other, gain = (one.baseline, one.direction) if system == one.system else (one.system, -one.direction)
            marks += letters[other] if gain > 0 else ""
    return marks.rstrip(",")


def _slices(details: CompareDetails) -> Iterator[Block]:
    """Yield one table per pair and column: where most was lost, and where most was gained."""
    measure = details.moved_by
    for baseline, system in details.pairs:
        for column in details.settings.slices:
            key = (measure, baseline, system, column)
            rows = [one for one in details.slices if (one.measure, one.baseline, one.system, one.column) == key]
            if not rows:
                yield Text([f"{system} - {baseline} by {column}: no value has enough queries."], where=TERMINAL)
                continue
            kept = rows if len(rows) <= 2 * _SLICES else [*rows[:_SLICES], *rows[-_SLICES:]]
            cut_to = "" if len(kept) == len(rows) else f", the ends of {len(rows):,} values"
            said = f"{system} - {baseline} in {measure} by {column}, greatest loss first{cut_to} (* significant):"
            between = f"{level(details)} interval"
            head = [column, "Queries", baseline, system, "Difference", between, "p", "corrected"]
            keeps = [0, 0, 2, 2, 0, 1, 3, 0]
            yield Table(head, [_slice(one) for one in kept], "lrrrrrrr", said, where=TERMINAL, keeps=keeps)


def _slice(one: Slice) -> list[str]:
    means = [
        value(one.baseline_mean),
        value(one.system_mean),
        signed(one.mean),
        interval(one.low, one.high, shown=signed),
    ]
    p = p_value(one.corrected)
    return [cut(one.value, 30), f"{one.queries:,}", *means, p_value(one.p), f"{p} *" if one.significant else p]


def _moved(details: CompareDetails, width: int) -> Iterator[Text]:
    """Yield the queries that moved most, the hits of both systems side by side."""
    for pair in details.moved[:_PAIRS]:
        between = f"from {pair.baseline} to {pair.system} in {details.moved_by}"
        if not pair.queries:
            yield Text([f"No query moved {between}."], where=WIDE)
            continue
        yield Text([f"Queries that moved most {between} (+ is relevant):"], where=WIDE)
        for one in pair.queries:
            yield Text(list(_query(one, pair, width)), where=WIDE)
    if len(details.moved) > _PAIRS:
        said = f"… and {len(details.moved) - _PAIRS:,} more pairs: --html shows them all."
        yield Text([said], where=WIDE)


def _query(one: MovedQuery, pair: Moved, width: int) -> Iterator[str]:
    yield f"  {one.query}: {value(one.baseline)} -> {value(one.system)} ({signed(one.difference)})"
    if one.text:
        yield f"    asked     {cut(one.text, width - 14)}"
    if one.relevant:
        yield f"    relevant  {cut(', '.join(document.id for document in one.relevant), width - 14)}"
    left, right = (one.hits.get(name) for name in (pair.baseline, pair.system))
    if left is None or right is None:
        return
    column = (width - 10) // 2
    yield f"        {padded(cut(pair.baseline, column), column)}  {cut(pair.system, column)}"
    for rank, both in enumerate(zip_longest(*(hits[:_RANKS] or (_NOTHING,) for hits in (left, right))), 1):
        cells = ["" if hit is None else cut(_hit(hit), column) for hit in both]
        yield f"    {rank:>2}  {padded(cells[0], column)}  {cells[1]}".rstrip()


def _hit(hit: Document) -> str:
    if hit == _NOTHING:
        return "nothing"
    return f"{'+' if hit.relevant else '·'} {hit.id}" + (f"  {hit.text}" if hit.text else "")


def heading(details: CompareDetails) -> str:
    """Return what was compared."""
    return f"{and_joined(details.names)}: {details.queries:,} queries"


def method(details: CompareDetails) -> str:
    """Return how the verdicts were reached, in a line."""
    settings = details.settings
    of = "" if details.groups is None else f" over {details.groups:,} groups of {settings.cluster}"
    resamples = f"{settings.resamples:,} resamples"
    if (details.resamples or 0) > settings.resamples:
        resamples = f"{details.resamples:,} resamples of the test, which the correction needs, and {resamples} else"
    return f"{TESTS[settings.test]}{of}, {details.family}; alpha {settings.alpha:g}, {resamples}, seed {settings.seed}"
