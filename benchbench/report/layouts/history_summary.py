"""Runs beside one another: a row per run, a column per measure, the best bold, and what changed."""

from collections.abc import Iterator
from typing import Any

from benchbench.history.summary import Measure, Summary, Value
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
from benchbench.report.layouts.columns import Column, table_of
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
    """Return the table; the mark is that of the best values, beside which they are bold.

    A narrow terminal leaves the last measures out first, and all but three before the commit.
    """
    by, is_grouped = found.by, found.groups > 1
    columns = [
        Column(by, lambda row: row.slice or "") if by else None,
        Column("Queries", lambda row: "" if row.queries is None else f"{row.queries:,}", "r", 5) if by else None,
        Column("Run", lambda row: row.label),
        Column("Name", lambda row: row.name),
        Column("Started (UTC)", lambda row: when(row.started), keep=8),
        Column("Commit", lambda row: commit(row.tags, row.commit), keep=4),
        Column("Tags", lambda row: said(row.tags), keep=9),
        Column("Group", lambda row: _letter(row.group), keep=1) if is_grouped else None,
        *(_measured(measure, place, mark) for place, measure in enumerate(found.measures)),
    ]
    return table_of(columns, found.rows, grouped=by is not None, where=where)


def _measured(measure: Measure, place: int, mark: str) -> Column:
    head = f"{measure.name}, {measure.unit}" if measure.unit else measure.name
    keep = 0 if place == 0 else place + 1 if place < _FIRST else place + 2
    return Column(head, lambda row: _cell(row.values.get(measure.name), mark), "r", keep)


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
