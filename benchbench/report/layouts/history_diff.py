"""Two stored runs side by side: each measure of both, and the queries that moved."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import Any

from benchbench.history.diff.details import DiffDetails, MeasureChange, QueryChange, Side, SliceChange
from benchbench.history.diff.headline import headline
from benchbench.report.blocks import (
    EVERYWHERE,
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
    Text,
    Verdict,
)
from benchbench.report.layout import Layout
from benchbench.report.layouts.history_list import when
from benchbench.results.figures import NOTHING, ends, p_value, signed, value
from benchbench.results.headline import BETTER, OPEN, WORSE
from benchbench.results.measured import json_members
from benchbench.results.result import Result

_MARKS = {"better": BETTER, "worse": WORSE, "": OPEN}
_TONES = {"better": "good", "worse": "bad", "": "muted"}
_LEGEND = f"{BETTER} better {WORSE} worse {OPEN} not shown. Changed: queries with another value. Without p: not tested."
_SLICES = "Differences by slices of the queries, p corrected over the slices of a measure"


def layout(result: Result) -> Layout:
    """Return the verdict, the measures of both runs, slices, and the queries that moved."""
    found = result.details_as(DiffDetails)
    title = f"{found.second.label} against {found.first.label}"
    tested = any(one.tested for one in found.changes)
    blocks: list[Block] = [
        Verdict(*headline(found)),
        Heading(title, headline(found).found[0][1], where=PAGE),
        Facts([_said(found.first), _said(found.second)], where=EVERYWHERE),
        _measures(found),
        *([Text([_LEGEND], where=PEOPLE)] if tested else []),
        *_slices(found.slices, found),
        *_queries(found),
        Facts([("Note" if place == 0 else "", one) for place, one in enumerate(found.notes)], where=PEOPLE | SUMMARY),
        Notes(found.notes, where=PAPER),
        Gates(),
    ]
    return Layout(
        title,
        blocks,
        lambda: json_members(result),
        lambda: list(_rows(found)),
        notes=found.notes,
        command="benchbench history diff",
    )


def _said(side: Side) -> tuple[str, str]:
    commit = f"commit {side.commit[:10]}" if side.commit else ""
    branch = f"of {side.branch}" if side.commit and side.branch else ""
    others = [f"{name} {value}" for name, value in side.tags.items() if name not in ("commit", "branch")]
    said = [side.name, side.kind, when(side.started), f"{commit} {branch}".strip(), *others]
    return side.label, ", ".join(one for one in said if one)


def _measures(found: DiffDetails) -> Table:
    level = f"{100 * (1 - found.alpha):g} % interval"
    head = ("Measure", found.first.label, found.second.label, "Difference", level, "p", "Changed")
    return Table(
        head, [_measure(one) for one in found.changes], "lrrrrrr", where=EVERYWHERE, keeps=[0, 0, 0, 0, 2, 0, 1]
    )


def _measure(one: MeasureChange) -> list[AnyCell]:
    named = f"{one.measure}, {one.unit}" if one.unit else one.measure
    values: list[AnyCell] = [named, value(one.first), value(one.second)]
    if not one.tested:
        return [*values, Cell(signed(one.difference), tone="muted"), NOTHING, NOTHING, NOTHING]
    difference = Cell(f"{_MARKS[one.verdict]} {signed(one.difference)}", tone=_TONES[one.verdict])
    p = p_value(one.p)
    return [*values, difference, ends(one, shown=signed), p, f"{one.changed:,} of {one.queries:,}"]


def _slices(slices: Sequence[SliceChange], found: DiffDetails) -> Iterator[Block]:
    if not slices:
        return
    rows: list[list[AnyCell]] = [
        [
            one.measure,
            f"{one.column}={one.value}",
            f"{one.queries:,}",
            value(one.first),
            value(one.second),
            Cell(f"{_MARKS[one.verdict]} {signed(one.difference)}", tone=_TONES[one.verdict]),
            ends(one, shown=signed),
            p_value(one.p),
        ]
        for one in slices
    ]
    head = ("Measure", "Slice", "Queries", found.first.label, found.second.label, "Difference", "Interval", "p")
    yield Table(head, rows, "llrrrrrr", caption=_SLICES, grouped=True, where=EVERYWHERE, keeps=[0, 0, 1, 0, 0, 0, 2, 0])


def _queries(found: DiffDetails) -> Iterator[Block]:
    """Yield the queries that changed where those were asked for, else those that moved most."""
    if found.changed:
        shown, caption = found.changed_queries, f"Queries whose {found.changed} changed, greatest loss first"
        if not shown:
            yield Text([f"No query has another {found.changed}."], where=EVERYWHERE)
    else:
        shown, caption = found.moved, f"Queries that moved most, by {found.moved_by}"
    if shown:
        head = ("Query", found.first.label, found.second.label, "Difference")
        yield Table(head, [_query(one) for one in shown], "lrrr", caption=caption, where=EVERYWHERE)


def _query(one: QueryChange) -> list[AnyCell]:
    return [one.query, value(one.first), value(one.second), signed(one.difference)]


def _rows(found: DiffDetails) -> Iterator[dict[str, Any]]:
    """Yield a row per measure, per slice, and per query that changed."""
    nothing = {"slice": None, "query": None}
    for one in found.changes:
        yield {"measure": one.measure, **nothing, **_values(one)}
    for part in found.slices:
        yield {"measure": part.measure, **nothing, "slice": f"{part.column}={part.value}", **_values(part)}
    for query in found.changed_queries:
        yield {"measure": found.changed, **nothing, "query": query.query, **_values(query)}


def _values(one: MeasureChange | SliceChange | QueryChange) -> dict[str, Any]:
    left_out = ("measure", "column", "value", "query", "interval")
    return {name: value for name, value in asdict(one).items() if name not in left_out}
