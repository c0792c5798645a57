"""The runs of a store; and how the history shows times and numbers."""

from collections.abc import Mapping
from typing import Any

from benchbench.history.listing import Listing, Row
from benchbench.report.blocks import EVERYWHERE, PAPER, PEOPLE, Block, Facts, Notes, Table, Text
from benchbench.report.layout import Layout
from benchbench.report.layouts.columns import Column, table_of
from benchbench.results.figures import value
from benchbench.results.record import plain
from benchbench.tables.shared_messages import counted

_OTHER = "* measured by other rules, or on other data, than the run before of that name: do not compare their numbers."
_GIT = ("commit", "branch", "dirty")  # tags that have a column


def layout(found: Listing) -> Layout:
    """Return a row per run, the latest last."""
    title = f"{found.store}: {counted(found.runs, 'run')}"
    is_other = any(row.other_rules for row in found.rows)
    blocks: list[Block] = [
        Text([title], where=PEOPLE),
        *([_table(found)] if found.rows else []),
        *([Text([_OTHER], where=EVERYWHERE)] if is_other else []),
        Facts([("Note" if place == 0 else "", one) for place, one in enumerate(found.notes)], where=PEOPLE),
        Notes(found.notes, where=PAPER),
    ]
    return Layout(
        title,
        blocks,
        lambda: _members(found),
        lambda: [_flat(row) for row in found.rows],
        lambda: map(plain, found.rows),
        found.notes,
    )


def _table(found: Listing) -> Table:
    """Return the table of the runs."""
    columns = [
        Column("Run", lambda run: f"#{run.number}", "r"),
        Column("Started (UTC)", lambda run: when(run.started)),
        Column("Name", lambda run: run.name),
        Column("Kind", lambda run: run.kind if run.status == "complete" else f"{run.kind}, {run.status}", keep=3),
        Column("Data", lambda run: run.data, keep=4),
        Column("First measures", lambda run: ", ".join(f"{name} {value(mean)}" for name, mean in run.measures.items())),
        Column("Commit", lambda run: commit(run.tags, run.commit), keep=1),
        Column("Tags", lambda run: said(run.tags), keep=5),
        Column("Rules", lambda run: f"{run.rules} *" if run.other_rules else run.rules, keep=2),
    ]
    return table_of(columns, found.rows, where=EVERYWHERE)


def _flat(one: Row) -> dict[str, Any]:
    whole = plain(one)
    measures, tags = whole.pop("measures"), whole.pop("tags")
    return {**whole, "tags": said(tags, ()), **measures}


def _members(found: Listing) -> dict[str, Any]:
    return {name: one for name, one in plain(found).items() if name != "runs"}


def when(time: str) -> str:
    """Return a time of ISO 8601 to the minute."""
    return time[:16].replace("T", " ")


def commit(tags: Mapping[str, str], identity: str) -> str:
    """Return the first digits of a commit, with + where the tree had changes."""
    return f"{identity[:8]}{'+' if tags.get('dirty') == 'yes' else ''}" if identity else ""


def said(tags: Mapping[str, str], left_out: tuple[str, ...] = _GIT) -> str:
    """Return tags as `name=value`, without those that have a place of their own."""
    return " ".join(f"{name}={value}" for name, value in tags.items() if name not in left_out)
