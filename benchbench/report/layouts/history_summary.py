"""Runs beside one another: a row per run, a column per measure, the best bold, and what changed."""

from collections.abc import Iterator
from typing import Any

from benchbench.history.summary import Summary, SummaryRow, Value
from benchbench.report.blocks import (
    EVERYWHERE,
    PAPER,
    PEOPLE,
    TERMINAL,
    AnyCell,
    Block,
    Cell,
    Facts,
    Notes,
    Table,
    Text,
    Where,
)
from benchbench.report.layout import Layout
from benchbench.report.layouts.history_list import commit, said, when
from benchbench.results.figures import signed, value
from benchbench.results.record import plain
from benchbench.tables.shared_messages import counted

_BEST = "the best of runs that may be compared. In parentheses: the change since the run before of that name."
_FIRST = 3  # measures that matter more than the commit
_GROUPS = "Only runs of one group may be compared: the others have other rules, other data, or are of another kind."


def layout(found: Summary) -> Layout:
    """Return a row per run, or per slice and run."""
    title = f"{counted(found.runs, 'run')}{f' by {found.by}' if found.by else ''}"
    blocks: list[Block] = [
        Text([title], where=PEOPLE),
        *_tables(found),
        *([Text([_GROUPS], where=EVERYWHERE)] if found.groups > 1 else []),
        Facts([("Note" if place == 0 else "", one) for place, one in enumerate(found.notes)], where=PEOPLE),
        Notes(found.notes, where=PAPER),
    ]
    return Layout(
        title,
        blocks,
        lambda: {name: one for name, one in plain(found).items() if name != "runs"},
        lambda: list(_rows(found)),
        lambda: map(plain, found.rows),
        found.notes,
    )


def _tables(found: Summary) -> Iterator[Block]:
    """Yield the table for a terminal, which may have no bold, and for papers."""
    if found.rows:
        yield _table(found, "* ", TERMINAL)
        yield Text([f"* {_BEST}"], where=TERMINAL)
        yield _table(found, "", PAPER)
        yield Text([f"Bold: {_BEST}"], where=PAPER)


def _table(found: Summary, mark: str, where: Where) -> Table:
    """Return the table; the mark is that of the best values, beside which they are bold."""
    front = [(found.by, "l", 0), ("Queries", "r", 5)] if found.by else []
    front += [("Run", "l", 0), ("Name", "l", 0), ("Started (UTC)", "l", 8), ("Commit", "l", 4), ("Tags", "l", 9)]
    front += [("Group", "l", 1)] if found.groups > 1 else []
    head = [name or "" for name, _, _ in front]
    head += [f"{one.name}, {one.unit}" if one.unit else one.name for one in found.measures]
    sides = "".join(side for _, side, _ in front) + "r" * len(found.measures)
    keeps = [keep for _, _, keep in front] + [_keep(place) for place in range(len(found.measures))]
    rows = [_row(row, found, mark) for row in found.rows]
    return Table(head, rows, sides, grouped=found.by is not None, where=where, keeps=keeps)


def _keep(place: int) -> int:
    """Return how early a narrow terminal leaves a measure out: the last first, and three after the commit."""
    return 0 if place == 0 else place + 1 if place < _FIRST else place + 2


def _row(row: SummaryRow, found: Summary, mark: str) -> list[AnyCell]:
    cells: list[AnyCell] = []
    if found.by:
        cells += [row.slice or "", "" if row.queries is None else f"{row.queries:,}"]
    cells += [row.label, row.name, when(row.started), commit(row.tags, row.commit), said(row.tags)]
    cells += [_letter(row.group)] if found.groups > 1 else []
    return [*cells, *(_cell(row.values.get(one.name), mark) for one in found.measures)]


def _cell(one: Value | None, mark: str) -> AnyCell:
    if one is None:
        return "–"
    text = f"{mark}{value(one.value)}" if one.best else value(one.value)
    return Cell(text, "" if one.change is None else f"({signed(one.change)})", strong=one.best)


def _letter(group: int) -> str:
    """Return A, B, …, Z, AA, … for 0, 1, …"""
    letters = ""
    while group >= 0:
        group, place = divmod(group, 26)
        letters, group = chr(ord("A") + place) + letters, group - 1
    return letters


def _rows(found: Summary) -> Iterator[dict[str, Any]]:
    for row in found.rows:
        whole = plain(row)
        values, tags = whole.pop("values"), whole.pop("tags")
        if not found.by:
            del whole["slice"], whole["queries"]
        yield {**whole, "tags": said(tags, ()), **{name: one["value"] for name, one in values.items()}}
