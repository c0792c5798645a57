"""The runs of a store, one row each; runs beside one another, with a column per measure; and how both show times."""

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

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
from benchbench.report.layout import Layout, page_of
from benchbench.report.layouts.columns import Column, table_of
from benchbench.results.figures import NOTHING, signed, value
from benchbench.results.headline import OF_DIRECTION
from benchbench.results.record import plain
from benchbench.tables.shared_messages import counted

if TYPE_CHECKING:
    from benchbench.history.listing import ListedRun, Listing
    from benchbench.history.summary import RunsSummary, SummaryMeasure, SummaryRow, SummaryValue

_OTHER = "* measured by other rules, or on other data, than the run before of that name: do not compare their numbers."
_GIT = ("commit", "branch", "dirty")  # tags that have a column
_BEST = (
    "best value among comparable runs. In parentheses: change since the previous run of the same name, ▲ ▼ where their "
    "intervals do not overlap."
)
_FIRST = 3  # measures that matter more than the commit
_GROUPS = "Only runs of one group may be compared: the others have other rules, other data, or are of another kind."


def listing_layout(listing: "Listing") -> Layout:
    """Return a row per run, the latest last."""
    columns = [
        Column("Run", lambda run: f"#{run.number}", "r"),
        Column("Started (UTC)", lambda run: when(run.started)),
        Column("Name", lambda run: run.name),
        Column("Kind", lambda run: run.kind if run.status == "complete" else f"{run.kind}, {run.status}", keep=3),
        Column("Data", lambda run: run.data, keep=4, optional=True),
        Column("First measures", lambda run: ", ".join(f"{name} {value(mean)}" for name, mean in run.measures.items())),
        Column("Commit", lambda run: commit(run.tags, run.commit), keep=1, optional=True),
        Column("Tags", lambda run: said(run.tags), keep=5, optional=True),
        Column("Rules", lambda run: f"{run.rules} *" if run.other_rules else run.rules, keep=2),
    ]
    tables: list[Block] = [table_of(columns, listing.rows)] if listing.rows else []
    tables += [Text([_OTHER], where=EVERYWHERE)] if any(row.other_rules for row in listing.rows) else []
    return _layout(f"{listing.store}: {counted(listing.runs, 'run')}", tables, listing, map(_listed, listing.rows))


def summary_layout(summary: "RunsSummary") -> Layout:
    """Return a row per run, or per slice and run, for a terminal, which may have no bold, and for papers."""
    tables: list[Block] = []
    if summary.rows:
        tables += [_table(summary, "* ", TERMINAL), Text([f"* {_BEST}"], where=TERMINAL)]
        days = {row.started[:10] for row in summary.rows}
        began = f" All began on {days.pop()} (UTC)." if len(days) == 1 else ""
        tables += [_table(summary, "", PAPER), Text([f"Bold: {_BEST}{began}"], where=PAPER)]
    tables += [Text([_GROUPS], where=EVERYWHERE)] if summary.groups > 1 else []
    drawn = _layout(summary_title(summary), tables, summary, (_summed(row, summary.by) for row in summary.rows))
    of_paper = [block for block in drawn.of("markdown") if not isinstance(block, Notes)]
    return drawn._replace(drawn=page_of("history_summary_page", summary, of_paper))


def _layout(
    title: str, tables: Sequence[Block], listed: "Listing | RunsSummary", rows: Iterable[Mapping[str, Any]]
) -> Layout:
    notes = [("" if place else "Note", note) for place, note in enumerate(listed.notes)]
    return Layout(
        title,
        [Text([title], where=PEOPLE), *tables, Facts(notes, where=PEOPLE), Notes(listed.notes, where=PAPER)],
        lambda: {name: member for name, member in plain(listed).items() if name != "runs"},
        lambda: list(rows),
        lambda: map(plain, listed.rows),
        listed.notes,
    )


def _listed(row: "ListedRun") -> dict[str, Any]:
    """Return a row of CSV."""
    whole = plain(row)
    measures, tags = whole.pop("measures"), whole.pop("tags")
    return {**whole, "tags": said(tags, ()), **measures}


def _summed(row: "SummaryRow", by: str | None) -> dict[str, Any]:
    """Return a row of CSV."""
    whole = plain(row)
    values, tags = whole.pop("values"), whole.pop("tags")
    if not by:
        del whole["slice"], whole["queries"]
    return {**whole, "tags": said(tags, ()), **{name: number["value"] for name, number in values.items()}}


def _table(summary: "RunsSummary", mark: str, where: Where) -> Table:
    """Return the table; the mark is that of the best values, beside which they are bold.

    A narrow terminal leaves the last measures out first, and all but three before the commit.
    """
    by, is_grouped = summary.by, summary.groups > 1
    days = dict.fromkeys(row.started[:10] for row in summary.rows)  # a page has no room for times, nor for the same day
    started = Column("Started", lambda row: row.started[:10]) if len(days) > 1 else None
    columns = [
        Column(by, lambda row: row.slice or "") if by else None,
        Column("Queries", lambda row: "" if row.queries is None else f"{row.queries:,}", "r", 5) if by else None,
        Column("Run", lambda row: row.label),
        Column("Name", lambda row: row.name) if len({row.name for row in summary.rows}) > 1 else None,
        Column("Group", lambda row: _letter(row.group), keep=1) if is_grouped else None,
        *(_measured(measure, place, mark) for place, measure in enumerate(summary.measures)),
        Column("Commit", lambda row: commit(row.tags, row.commit), keep=4, optional=True),
        Column("Tags", lambda row: said(row.tags), keep=9, optional=True),
        Column("Started (UTC)", lambda row: when(row.started), keep=8) if where == TERMINAL else started,
    ]
    return table_of(columns, summary.rows, grouped=by is not None, where=where)


def summary_title(summary: "RunsSummary") -> str:
    """Return how many runs there are, of whom, and by what they are broken down."""
    names = list(dict.fromkeys(row.name for row in summary.rows))
    of = f" of {names[0]}" if len(names) == 1 and names[0] else ""
    return f"{counted(summary.runs, 'run')}{of}{f' by {summary.by}' if summary.by else ''}"


def _measured(measure: "SummaryMeasure", place: int, mark: str) -> Column:
    head = f"{measure.name}, {measure.unit}" if measure.unit else measure.name
    keep = 0 if place == 0 else place + 1 if place < _FIRST else place + 2
    return Column(head, lambda row: _cell(row.values.get(measure.name), measure, mark), "r", keep)


def _cell(number: "SummaryValue | None", measure: "SummaryMeasure", mark: str) -> AnyCell:
    if number is None:
        return NOTHING
    apart = ""
    if number.apart and measure.better is not None and number.change is not None:
        apart = f"{OF_DIRECTION[1 if (number.change > 0) == (measure.better == 'higher') else -1]} "
    text = f"{mark}{value(number.value)}" if number.best else value(number.value)
    return Cell(text, "" if number.change is None else f"({apart}{signed(number.change)})", strong=number.best)


def _letter(group: int) -> str:
    """Return A, B, …, Z, AA, … for 0, 1, …"""
    letters = ""
    while group >= 0:
        group, place = divmod(group, 26)
        letters, group = chr(ord("A") + place) + letters, group - 1
    return letters


def when(time: str) -> str:
    """Return a time of ISO 8601 to the minute."""
    return time[:16].replace("T", " ")


def commit(tags: Mapping[str, str], identity: str) -> str:
    """Return the first digits of a commit, with + where the tree had changes."""
    return f"{identity[:8]}{'+' if tags.get('dirty') == 'yes' else ''}" if identity else ""


def said(tags: Mapping[str, str], left_out: tuple[str, ...] = _GIT) -> str:
    """Return tags as `name=value`, without those that have a place of their own."""
    return " ".join(f"{name}={value}" for name, value in tags.items() if name not in left_out)
