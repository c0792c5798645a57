"""The layout that kinds of results share: of a record alone, or with the verdict, tables and facts of a kind.

The order is the same everywhere: the verdict, tables, gates, and then facts: what the kind adds, failures, notes and
the signature. A kind without a layout of its own, also one of a newer benchbench, has a table of all its numbers.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from benchbench.report.blocks import (
    EVERYWHERE,
    PAGE,
    PEOPLE,
    SUMMARY,
    TERMINAL,
    AnyCell,
    Block,
    Cell,
    Facts,
    Gates,
    Heading,
    Notes,
    Table,
    Verdict,
)
from benchbench.report.layout import Layout, page_of
from benchbench.report.layouts import signatures
from benchbench.report.layouts.notes import note_rows, scoped_notes
from benchbench.results.figures import DIGITS, NOTHING, behind, count, value
from benchbench.results.headline import GOOD, OPEN, WORSE, Headline
from benchbench.results.record import Failure, Note, Number, Record, plain
from benchbench.results.result import Result
from benchbench.tables.shared_messages import counted

_WIDE = 8  # names that have a column each; of more, each has a row
_REASONS = 5  # why something failed in a scope, most frequent first
_MARKS = {"complete": GOOD, "interrupted": OPEN, "failed": WORSE}
_TONES = {"good": "good", "poor": "bad"}  # of bands, on a terminal


def layout(result: Result) -> Layout:
    """Return the report of a record of any kind: a table for each set of keys in the scopes of its numbers."""
    record = result.record
    title = f"{record.kind} {record.name}".rstrip()
    counts = [f"{item.name.replace('_', ' ')} {count(item.count)}" for item in record.counts if not item.scope]
    over = "" if record.data.queries is None else f", {counted(record.data.queries, 'query')}"
    verdict = Headline([(_MARKS[record.status], f"{title}: {record.status}{over}.")])
    return standard(
        result, title, verdict, number_tables(record.numbers), facts=[("Counted", ", ".join(counts))] if counts else []
    )


def standard(
    result: Result,
    title: str,
    verdict: Headline,
    tables: Sequence[Block],
    lead: str = "",
    facts: Sequence[tuple[str, str]] = (),
    signed: Mapping[str, str] | None = None,
    failed: str = "",
    noted: Sequence[Note] | None = None,
    failures: Sequence[Failure] | None = None,
    page: str = "",
    own: frozenset[str] = frozenset(),
    **members: Any,
) -> Layout:
    """Return the report of a result.

    Parameters
    ----------
    result
        What was measured.
    title
        What was measured, in a line: the heading of the page.
    verdict
        What it comes to: the first lines of a terminal.
    tables
        What people look at, and texts that belong to it.
    lead
        What all numbers have in common; it stands below the heading.
    facts
        What else there is to say, a label and a sentence each.
    signed
        Signatures by the names of what was measured; that of the record by default.
    failed
        What the failures of the record count: query, request.
    noted, failures
        The notes and failures that are shown; all of the record by default.
    page
        The module of `layouts` that draws the page of the blocks that a page has; `plain_page` by default.
    own
        Conditions of gates that the verdict speaks of.
    members
        Other members of the layout (`report.layout.Layout`).
    """
    record = result.record
    notes = scoped_notes(record.notes if noted is None else noted)
    signed = {"": record.signature} if signed is None else signed
    reasons = list(_failed(record.failures if failures is None else failures, failed))
    below = [*reasons, *facts, *note_rows(notes)]
    below += [signatures.row_of(signed)] if any(signed.values()) else []
    blocks: list[Block] = [
        Verdict(*verdict, where=TERMINAL, own=own),
        Heading(title, lead, where=PAGE),
        *tables,
        Gates(where=PEOPLE),
        Facts(below, where=PEOPLE | SUMMARY),
        Notes([*(f"{label}: {text}" for label, text in reasons), *(note.text for note in notes)]),
    ]
    usual: dict[str, Any] = {
        "members": result.json_members,
        "rows": lambda: number_rows(record),
        "notes": [note.text for note in notes if note.shown != "verbose"],
        "command": f"benchbench {record.kind}",
    }
    report = Layout(title, blocks, **usual | members)
    if report.drawn is not None:
        return report
    shown = report.of("html")
    plain_page = page_of("plain_page", result, title, verdict, report.command, shown)
    return report._replace(drawn=page_of(page, result, shown) if page else plain_page)


def number_rows(record: Record) -> Iterator[dict[str, Any]]:
    """Yield the numbers of a record as CSV and JSON lines have them: the scope, and what a number has."""
    for number in record.numbers:
        own_members = {name: held for name, held in plain(number).items() if name != "scope"}
        yield {f"scope.{key}" if key in own_members else key: held for key, held in number.scope.items()} | own_members


def number_tables(numbers: Sequence[Number]) -> list[Block]:
    """Return a table for each set of keys in the scopes of numbers, in their order."""
    shapes: dict[tuple[str, ...], list[Number]] = defaultdict(list)
    for number in numbers:
        shapes[tuple(number.scope)].append(number)
    return [_table(keys, held) for keys, held in shapes.items()]


def _table(keys: tuple[str, ...], numbers: Sequence[Number]) -> Table:
    """Return a row per scope where the numbers fit beside one another, else a row per number."""
    columns = {number.name: _head(number) for number in numbers}
    rows: dict[tuple[str, ...], dict[str, Number]] = defaultdict(dict)
    for number in numbers:
        rows[tuple(number.scope.values())][number.name] = number
    heads = [key.replace("_", " ").capitalize() for key in keys]
    if len(columns) <= _WIDE and len(rows) > 1:
        body = [[*scope, *(_cell(held.get(name)) for name in columns)] for scope, held in rows.items()]
        sides, keeps = "l" * len(keys) + "r" * len(columns), [0] * (len(keys) + 1) + list(range(1, len(columns)))
        return Table([*heads, *columns.values()], body, sides, grouped=len(keys) > 1, where=EVERYWHERE, keeps=keeps)
    body = [
        [*scope, number.title or name, _cell(number), number.unit, "" if number.n is None else count(number.n)]
        for scope, held in rows.items()
        for name, number in held.items()
    ]
    sides, keeps = "l" * (len(keys) + 1) + "rlr", [0] * (len(keys) + 2) + [1, 2]
    return Table(
        [*heads, "Measure", "Value", "Unit", "n"], body, sides, grouped=len(keys) > 1, where=EVERYWHERE, keeps=keeps
    )


def _head(number: Number) -> str:
    """Return the head of a column of numbers: what people call it, and its unit."""
    return f"{number.title or number.name}, {number.unit}" if number.unit else number.title or number.name


def _cell(number: Number | None) -> AnyCell:
    if number is None:
        return ""
    if number.value is None:
        return Cell(NOTHING, f"({number.failed})" if number.failed else "")
    digits = (
        0 if number.value == int(number.value) and abs(number.value) > 1 else DIGITS if abs(number.value) < 10 else 1
    )
    return Cell(
        value(number.value, digits),
        behind(number.low, number.high, digits or 1),
        tone=_TONES.get(number.band or "", ""),
    )


def _failed(failures: Sequence[Failure], noun: str) -> Iterator[tuple[str, str]]:
    """Yield why something failed, and how often, for the most frequent reasons of each scope."""
    listed = Counter[str]()
    for failure in failures:
        scope = f"{', '.join(failure.scope.values())}: " if failure.scope else ""
        listed[scope] += 1
        if listed[scope] > _REASONS:
            continue
        times = f" ({failure.count:,} times)" if failure.count > 1 else ""
        text = f"{counted(failure.count, noun)}: {failure.reason}" if noun else f"{failure.reason}{times}"
        yield "Failed", scope + text
