"""A run of one service: one row per task and measure, one column per cut-off where that is a table, and notes."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING

from benchbench.measures.default_list import default_cutoffs, leading
from benchbench.measures.notation import Measure, is_total, measured, resolve
from benchbench.report.blocks import PAGE, PAPER, SUMMARY, WIDE, AnyCell, Block, Cell, Facts, Notes, Table
from benchbench.report.layout import Layout
from benchbench.report.layouts import run_terminal
from benchbench.report.layouts.run_terminal import mark
from benchbench.results.figures import behind, estimate, percent, share, total
from benchbench.results.measured import json_members
from benchbench.results.record import Note
from benchbench.results.result import Result
from benchbench.runs.details import Asked, RepeatDetails, RunDetails, Value
from benchbench.tables.shared_messages import and_joined

if TYPE_CHECKING:
    from benchbench.report.page_blocks import PageBlock

COMMAND = "benchbench run"
_TITLES = {  # what people call the default measures, in the order of the report
    "P": "Precision",
    "R": "Recall",
    "Success": "HitRate",
    "F1": "Macro-F1",
    "microF1": "Micro-F1",
    "nDCG": "nDCG",
    "RR": "MRR",
}
_CELL, _WIDTH = 20, 70  # characters of a value with its interval, and of all that stands behind the task
_WHOLE_LIST = "all"  # the column of measures without a cut-off
_REASONS = 5  # why queries failed, most frequent first


def layout(result: Result) -> Layout:
    """Return the table of measures, and counts, latency and throughput."""
    run = result.details_as(RunDetails)
    asked = result.settings_as(Asked)
    table = measure_table(run.names)
    body: list[list[AnyCell]] = [
        [task, title, *("" if one is None else _percentage(run, *one) for one in values)]
        for task, title, values in rows(run, table)
    ]
    data = result.record.data.name
    title = f"{run.name} on {data}: {run.counts['queries']:,} queries"
    facts, signature = _facts(run, asked, result.record.notes), ("Signature", run.signature)
    blocks: list[Block] = [
        *run_terminal.blocks(result.record, run, asked.batch_size, _wide(run, table), _terminal(run, asked)),
        Table(
            ["Task", "Metric", *table.heads],
            body,
            "ll" + "r" * len(table.heads),
            grouped=True,
            where=PAGE | PAPER | SUMMARY,
        ),
        Facts([*facts, signature], "Counts, latency, signature", where=PAGE | SUMMARY),
        Notes(run.warnings),
    ]
    return Layout(
        title,
        blocks,
        lambda: json_members(result),
        lambda: map(asdict, run.estimates),
        notes=run.warnings,
        command=COMMAND,
        page="report.html",
        drawn=lambda: _page(result, blocks),
    )


def _page(result: Result, blocks: Sequence[Block]) -> "Sequence[Block | PageBlock]":
    """Return the blocks of the page; it takes the time of reading tables and texts."""
    from benchbench.report.layouts import run_page

    table = next(one for one in blocks if isinstance(one, Table) and "html" in one.where)
    facts = next(one for one in blocks if isinstance(one, Facts) and "html" in one.where)
    return run_page.blocks(result, table, facts)


@dataclass(frozen=True, slots=True)
class MeasureTable:
    """The heads of columns of values, and rows: a title, and the measure of each column, None where there is none."""

    heads: tuple[str, ...]
    rows: tuple[tuple[str, tuple[str | None, ...]], ...]


def measure_table(names: Sequence[str]) -> MeasureTable:
    """Return the table of some measures.

    The default measures have a column per cut-off. So have others where a row would not be too long, and several
    cells of some row are filled; where not, each measure has a row of its own.
    """
    measures = resolve(names)
    if cutoffs := default_cutoffs(measures):
        rows = tuple((title, tuple(f"{name}@{k}" for k in cutoffs)) for name, title in _TITLES.items())
        return MeasureTable(tuple(f"@{k}" for k in cutoffs), rows)
    cells = {(str(replace(one, cutoff=None)), _head(one)): str(one) for one in measures}
    heads = tuple(dict.fromkeys(_head(one) for one in sorted(measures, key=_place)))
    titles = dict.fromkeys(title for title, _ in cells)
    fits = _CELL * len(heads) + max(map(len, titles), default=0) <= _WIDTH
    if not fits or (len(heads) > 1 and len(titles) == len(measures)):
        return MeasureTable(("Value",), tuple((name, (name,)) for name in names))
    return MeasureTable(heads, tuple((title, tuple(cells.get((title, head)) for head in heads)) for title in titles))


def _head(one: Measure) -> str:
    return _WHOLE_LIST if one.cutoff is None else f"@{one.cutoff}"


def _place(one: Measure) -> tuple[bool, bool, float]:
    """Return what sorts ranks before levels of recall, and both before none."""
    return one.cutoff is None, isinstance(one.cutoff, float), one.cutoff or 0.0


def percentage(name: str, value: float | None) -> str:
    """Return the value of a measure: a share in percent, a total as it is."""
    return total(value) if is_total(name) else percent(value, 2)


def totals_said(names: Sequence[str]) -> str:
    """Return a sentence on those that are no percentages, or nothing."""
    totals = [name for name in names if is_total(name)]
    return f"{and_joined(totals)} {'is a total' if len(totals) == 1 else 'are totals'}." if totals else ""


def unit(run: RunDetails) -> str:
    """Return the unit of the table, and how its intervals were made."""
    totals = totals_said(run.names)
    return f"{_percent(run)} {totals}".rstrip()


def _percent(run: RunDetails) -> str:
    if all(one.low is None for one in run.estimates):
        return "Percent."
    methods = dict.fromkeys(one.interval for one in run.estimates if one.interval)
    if not methods:  # of version 0.1
        return "Percent, with 95 % bootstrap intervals over queries."
    *others, last = sorted(methods, key=lambda method: method.startswith("Wilson"))
    if not others:
        return f"Percent, with 95 % intervals: {last}."
    where = "all are 0 or all are 1" if run.cluster else "all values are 0 or 1"
    return f"Percent, with 95 % intervals: {', '.join(others)}; {last} where {where}."


def rows(run: RunDetails, table: MeasureTable) -> list[tuple[str, str, list[tuple[str, Value] | None]]]:
    """Return task, title, and of each column of a table the measure and its value, None where there is none."""
    return [
        (task_title(task), title, [None if name not in measures else (name, measures[name]) for name in names])
        for task, measures in run.measures.items()
        for title, names in table.rows
        if not measures.keys().isdisjoint(names)
    ]


def task_title(task: str) -> str:
    """Return the name of a task as a table has it."""
    return task[:1].upper() + task[1:]


def shown(name: str, one: Value) -> tuple[str, str]:
    """Return the value of a measure, a share as a percentage, and its interval where there is one."""
    return percentage(name, one.value), behind(one.low, one.high, 1, percent)


def _facts(run: RunDetails, asked: Asked, notes: Sequence[Note]) -> list[tuple[str, str]]:
    counts, latency, client = run.counts, run.latency, run.client
    said, removed = {*run.warnings, run.bottleneck}, _removed(counts)
    times = ", ".join(f"{name} {time:,.1f}" for name, time in {**latency.percentiles, "max": latency.max}.items())
    facts = [
        ("Queries", f"{counts['scored']:,} scored, {counts['failed']:,} failed (a failed query counts as 0)"),
        ("Hits", f"{counts['hits']:,} received{f'; removed before ranking: {removed}' if removed else ''}"),
        *(("", said) for said in _own_first(counts)),
        *(("", note.text) for note in notes if note.text not in said),
        *(("Note", warning) for warning in run.warnings),
        (
            "Latency",
            f"{times} ms per {run_terminal.unit(run, asked.batch_size)} ({run_terminal.requests(run)})",
        ),
        (
            "Throughput",
            f"{latency.queries_per_second:,.0f} queries/s at concurrency {asked.concurrency}, "
            f"{latency.bytes / 1e6:,.1f} MB in {latency.seconds:.2f} s",
        ),
    ]
    if "cpu" in client:
        late = f"late by {client['lag_p99_ms']:.1f} (p99), at most {client['lag_max_ms']:.1f} ms"
        facts.append(("Client", f"event loop {late}; {share(client['cpu'])} of a core"))
    if run.repeats is not None:
        facts += repeated(run.repeats)
    if run.bottleneck is not None:
        facts.append(("", run.bottleneck))
    reasons = list(run.failures.items())[:_REASONS]
    return [*facts, *(("Failed", f"{times:,} queries: {reason}") for reason, times in reasons)]


def _wide(run: RunDetails, table: MeasureTable) -> Table:
    """Return the table of a wide terminal, and how its intervals were made."""
    body: list[list[AnyCell]] = [
        [task, title, *("" if one is None else _fraction(run, *one) for one in values)]
        for task, title, values in rows(run, table)
    ]
    how = unit(run).removeprefix("Percent").removeprefix(", with ").removeprefix(".").strip()
    return Table(["Task", "Metric", *table.heads], body, "ll" + "r" * len(table.heads), how, grouped=True, where=WIDE)


def _fraction(run: RunDetails, name: str, one: Value) -> Cell:
    return Cell(f"{measured(name, one.value)}{mark(run, name)}", behind(one.low, one.high, 3))


def _percentage(run: RunDetails, name: str, one: Value) -> Cell:
    value, between = shown(name, one)
    return Cell(f"{value}{mark(run, name)}", between)


def _terminal(run: RunDetails, asked: Asked) -> list[tuple[str, str]]:
    """Return what a terminal says of throughput, of hits that were removed, of the client and of repeats."""
    counts, latency, client = run.counts, run.latency, run.client
    removed = _removed(counts)
    facts = [
        (
            "Throughput",
            f"{latency.queries_per_second:,.0f} queries/s at concurrency {asked.concurrency}, "
            f"{latency.bytes / 1e6:,.1f} MB in {latency.seconds:.2f} s",
        ),
        *([("Removed", f"of {counts['hits']:,} hits {removed}")] if removed else []),
        *(("" if removed else "Removed", said) for said in _own_first(counts)),
    ]
    if "cpu" in client:
        late = f"late by {client['lag_p99_ms']:.1f} (p99), at most {client['lag_max_ms']:.1f} ms"
        facts.append(("Client", f"event loop {late}; {share(client['cpu'])} of a core"))
    return facts if run.repeats is None else facts + repeated(run.repeats, measured)


def _removed(counts: Mapping[str, int]) -> str:
    """Return which hits were removed before ranking; empty where none was."""
    named = {
        "self_hits": ("self-retrieval", "self-retrievals"),
        "copies": ("copy of the query's text", "copies of the query's text"),
        "duplicates": ("repeated id", "repeated ids"),
    }
    return ", ".join(f"{counts[name]:,} {words[counts[name] != 1]}" for name, words in named.items() if counts[name])


def _own_first(counts: Mapping[str, int]) -> list[str]:
    """Return how many queries found their own text first, where any did."""
    first = counts["own_text_first"]
    return [f"the query's own text stood first for {first:,} of {counts['queries']:,} queries"] if first else []


def repeated(found: RepeatDetails, shown: Callable[[str, float | None], str] = percentage) -> list[tuple[str, str]]:
    """Return how much the service differs from itself; `shown` returns the value of a measure."""
    alike = [f"{one.measure} {estimate(one.mean, one.low, one.high)}" for one in found.agreement]
    facts = [("Repeats", f"{found.passes:,} passes over the queries; later ones beside the first: {', '.join(alike)}")]
    for task, measures in found.measures.items():
        name = leading(list(measures))
        values, spread = (shown(name, one) for one in measures[name]), shown(name, found.spread(task, name))
        facts.append(("", f"{task} {name} of each pass {', '.join(values)}; spread {spread}"))
    if sum(found.failed):
        facts.append(
            (
                "",
                f"failed queries of each pass {', '.join(map(str, found.failed))}; they are not compared, and "
                "count as 0 in the means of their pass",
            )
        )
    if found.without_id:
        facts.append(("", f"{found.without_id:,} hits have no id; their queries are not compared"))
    return facts
