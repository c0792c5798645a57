"""A load test: one row per step, one column per number."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from itertools import islice
from typing import TYPE_CHECKING

from benchbench.loads.details import LoadDetails, LoadOptions, StepDetails
from benchbench.loads.headline import highest
from benchbench.loads.load_record import rests_on_few
from benchbench.loads.metrics import CHANGE
from benchbench.measures.default_list import deepest_cutoff, leading
from benchbench.measures.latency import BEYOND
from benchbench.measures.notation import measured, resolve
from benchbench.report.blocks import (
    NARROW,
    PAGE,
    PAPER,
    SUMMARY,
    TERMINAL,
    WIDE,
    AnyCell,
    Block,
    Cell,
    Detail,
    Facts,
    Gates,
    Notes,
    Table,
    Text,
    Where,
)
from benchbench.report.layout import Layout
from benchbench.report.layouts import load_terminal as shared
from benchbench.report.layouts import signatures
from benchbench.report.layouts.run import percentage, task_title, totals_said
from benchbench.results.figures import NOTHING, Shown, behind, ends, interval, percent, share, signed, value
from benchbench.results.measured import json_members
from benchbench.results.record import Note
from benchbench.results.result import Result
from benchbench.tasks.count_sentences import counted

if TYPE_CHECKING:
    from benchbench.report.page_blocks import PageBlock

_SPREAD = ("mean", "p50", "p90", "p95", "p99")  # of which intervals are shown
_ASKED = ("p50", "p99")
_BESIDE = 3  # measures that have a column each
_REASONS = 5  # of failed requests that are shown per step
_CLOSED = (
    "A closed loop asks a slow service less often, so these latencies leave out the waits of those who would have "
    "come meanwhile; --rate measures them."
)


def layout(result: Result) -> Layout:
    """Return tables of speed and quality, and notes; Markdown and LaTeX have one table."""
    found, options = result.details_as(LoadDetails), result.settings_as(LoadOptions)
    arrivals = "a trace" if options.trace is not None else f"{options.arrivals} arrivals"
    loop = f"open loop, {arrivals}" if found.loop == "open" else "closed loop"
    title = f"Load on {found.url}: {found.queries:,} queries, {loop}"
    times = f"Each step {options.duration:g} s after {options.warm_up:g} s of warm-up, which is not counted."
    if options.trace is not None:
        times = f"The trace at speed {options.speed:g}; its first {options.warm_up:g} s are not counted."
    if options.repeat > 1:
        times += f" Each step {options.repeat} times, all in turn."
    notes, steps = [_said(one) for one in result.record.notes], found.steps
    signature = f"Signature: {found.signature}"
    blocks: list[Block] = [
        *shared.blocks(found, times),
        _speed(found),
        *_intervals(found),
        *([_backlog(found)] if shared.has_backlog(found) else []),
        *([_amortised(found)] if len(options.batch_size) > 1 else []),
        *_asked(found, options),
        *_repeats(found),
        *_changes(found),
        _quality(found, PAGE, False),
        _quality(found, WIDE, True) if shared.alike(found) else _quality(found, TERMINAL, True),
        _short(found),
        Gates(where=TERMINAL),
        Text([*_terse(result.record.notes, found), *_remarks(found, terse=True)], where=NARROW),
        Text([*_terse(result.record.notes, found), *_remarks(found)], where=WIDE),
        Facts([*_details(result.record.notes, found), signatures.row(found.signature)], where=TERMINAL),
        Text([*notes, *_remarks(found), *_searched(found), signature], where=PAGE | SUMMARY),
        Notes(notes),
    ]
    return Layout(
        title,
        blocks,
        lambda: json_members(result),
        lambda: ({"name": step.name, **step.values} for step in steps),
        lines=lambda: map(asdict, steps),
        notes=[_said(one) for one in result.record.notes if one.shown != "verbose"],
        command="benchbench load",
        page="report.html",
        drawn=lambda: _page(result, blocks),
    )


def _page(result: Result, blocks: Sequence[Block]) -> "Sequence[Block | PageBlock]":
    """Return the blocks of the page; it takes the time of reading the requests."""
    from benchbench.report.layouts import load_page

    shown = [one for one in blocks if one.where >= PAGE]
    lines = [line for one in shown if isinstance(one, Text) for line in one.lines]
    notes = [line for line in lines if not line.startswith("Signature: ")]
    return load_page.blocks(result, [one for one in shown if isinstance(one, Table)], notes)


def _said(note: Note) -> str:
    return f"{note.scope['step']}: {note.text}" if "step" in note.scope else note.text


def _speed(found: LoadDetails) -> Table:
    late = [] if shared.has_backlog(found) else ["late"]  # which stands beside the backlog where there is one
    head = [
        "Load",
        "Batch",
        "Queries/s",
        "Failed",
        *(name.capitalize() for name in late),
        "Latency, ms",
        *shared.MARKS,
    ]
    rows = []
    for step in found.steps:
        values = step.values
        counts = [
            shared.whole(values, "queries_per_second"),
            *(shared.share(values, name) for name in ("failed_requests", *late)),
        ]
        rows.append([*shared.start_of(step), *counts, "from due", *shared.marks(values, "")])
        empty = [""] * (2 + len(counts))
        if values.get("rate") is not None:
            rows.append([*empty, "from sent", *shared.marks(values, "sent_")])
        if (failed := values.get("failed_requests")) and values.get("answered_p50") is not None:
            answered = {**values, "requests": (values.get("requests") or 0.0) - failed}
            rows.append([*empty, "answered", *shared.marks(answered, "answered_")])
    marked = any(shared.FEW in cell for row in rows for cell in row)
    caption = f"{shared.FEW} rests on fewer than {BEYOND} requests above it" if marked else ""
    return Table(head, rows, "l" + "r" * (3 + len(late)) + "l" + "r" * len(shared.MARKS), caption, where=PAGE)


def _intervals(found: LoadDetails) -> Iterator[Table]:
    """Yield one table of each way in which intervals were made."""
    head = ["Load", "Batch", "Queries/s", *_SPREAD, "Error rate"]
    for method in dict.fromkeys(step.interval_method for step in found.steps if step.interval_method):
        rows = []
        for step in found.steps:
            if step.interval_method == method:
                cells = [_ends(step, mark, 1) for mark in _SPREAD]
                rows.append([*shared.start_of(step), _ends(step, "queries_per_second", 0), *cells,
                             _ends(step, "error_rate", 4)])  # fmt: skip
        yield Table(head, rows, "l" + "r" * (len(head) - 1), f"{method}, ms from due", where=PAGE | WIDE)


def _ends(step: StepDetails, name: str, digits: int) -> str:
    low, high = step.intervals.get(name, (None, None))
    return interval(low, high, digits)


def _asked(found: LoadDetails, options: LoadOptions) -> Iterator[Table]:
    """Yield which queries were asked, and the latency of those that were new to the service."""
    if any("queries_new" not in step.values for step in found.steps):
        return
    head = ["Load", "Batch", "Queries", "Different", "New", "Requests", "p50", "p99"]
    rows = []
    for step in found.steps:
        values = step.values
        counts = [shared.whole(values, name) for name in ("queries", "queries_asked", "queries_new")]
        requests, new = values.get("requests") or 0.0, values.get("new_requests") or 0.0
        start = [*shared.start_of(step), *counts]
        for kind, number in (("new", new), ("repeated", requests - new)):
            if number:
                marks = {**values, "requests": number}
                times = [shared.time(marks, f"{kind}_{mark}") + shared.few(marks, mark, f"{kind}_") for mark in _ASKED]
                rows.append([*start, f"{number:,.0f} {kind}", *times])
                start = [""] * len(start)
    said = f"Queries in order {options.order}; new ones this load test had not sent before, ms from due"
    yield Table(head, rows, "l" + "r" * (len(head) - 1), said, where=PAGE | WIDE)


def _repeats(found: LoadDetails) -> Iterator[Text]:
    """Yield which share of the queries of each step repeats one of the same step: 320 queries of a set of 300 do."""
    shares = []
    for step in found.steps:
        queries, different = step.values.get("queries"), step.values.get("queries_asked")
        load = step.name if shared.several_batches(found) else shared.start_of(step)[0]
        if queries and different is not None:
            shares.append(f"{share(1 - different / queries)} at {load}")
    if shares:
        yield Text([f"Queries sent again within a step: {'; '.join(shares)}."], where=TERMINAL | PAGE | SUMMARY)


def _changes(found: LoadDetails) -> Iterator[Table | Text]:
    """Yield how far the answers of each step are from those of the reference pass, query by query."""
    name = leading(found.names) if found.steps else ""
    compared = [step.values.get("queries_compared") or 0.0 for step in found.steps]
    if found.reference is None or not name or not any(compared):
        return
    if not any(step.values.get("queries_changed") for step in found.steps):
        numbers = " to ".join(f"{one:,.0f}" for one in dict.fromkeys((min(compared), max(compared))))
        said = f"No query has another value than in the reference pass ({numbers} compared in a step)."
        yield Text([said], where=TERMINAL | PAGE | SUMMARY)
        return
    rows: list[list[AnyCell]] = []
    for step in found.steps:
        start: list[AnyCell] = [*shared.start_of(step)]
        counts = [shared.whole(step.values, f"queries_{what}") for what in ("compared", "changed")]
        for task in found.tasks:
            change = step.values.get(f"{CHANGE}{task}.{name}")
            found_ends = step.change_intervals.get(f"{task}.{name}")
            between = NOTHING if found_ends is None else ends(found_ends, 3, signed)
            rows.append([*start, task_title(task), signed(change, 3), between, *counts])
            start, counts = ["", ""], ["", ""]
    yield Table(
        ["Load", "Batch", "Task", f"Δ {name}", "95 % interval", "Compared", "Changed"],
        rows,
        "lrlrrrr",
        "Difference from the reference pass: the same queries without load",
        where=TERMINAL | PAGE | SUMMARY,
        keeps=[0, 0 if shared.several_batches(found) else 3, 0, 0, 0, 1, 2],
    )


def _backlog(found: LoadDetails) -> Table:
    """Return what came, was answered and was left, of steps in an open loop."""
    head = ["Load", "Batch", "Due/s", "Answered/s", "Late", "Backlog at start", "at end", "Growth/s", "Saturation"]
    rows = []
    for step in found.steps:
        values = step.values
        ends = [shared.whole(values, f"backlog_{end}") for end in ("start", "end")]
        due, answered = (shared.pace(values, f"{name}_per_second") for name in ("offered", "requests"))
        late, growth = shared.share(values, "late"), shared.pace(values, "backlog_growth")
        rows.append([*shared.start_of(step), due, answered, late, *ends, growth, step.saturation or NOTHING])
    return Table(head, rows, "l" + "r" * 7 + "l", where=PAGE | WIDE)


def _amortised(found: LoadDetails) -> Table:
    """Return the time of a request divided by its queries, which is not how long a query waited."""
    head = ["Load", "Batch", "ms per request / queries in it", *shared.MARKS]
    rows = [
        [*shared.start_of(step), "amortised per query", *shared.marks(step.values, "amortised_query_")]
        for step in found.steps
    ]
    return Table(head, rows, "lrl" + "r" * len(shared.MARKS), where=PAGE | WIDE)


def _quality(found: LoadDetails, where: Where, fractions: bool) -> Table:
    shown = shared.measures_of(found)
    beside = len(shown) <= _BESIDE
    heads = list(shown) if beside else ["Metric", "Value"]
    rows: list[list[str | Cell]] = []
    for step in found.steps:
        whole = step.values.get("failed_requests") == 0
        named = (
            {"asked": "all (none failed)"} if whole else {"asked": "asked, failed as 0", "answered": "answered only"}
        )
        start = shared.start_of(step)
        for over, title in named.items():
            for task in found.tasks:
                values = [(name, _mean(step, over, task, measure, fractions)) for name, measure in shown.items()]
                name = task_title(task)
                for cells in [[each for _, each in values]] if beside else map(list, values):
                    rows.append([*start, title, name, *cells])
                    start, title, name = ["", ""], "", ""
    failed = any(step.values.get("failed_requests") for step in found.steps)
    keeps = [0, 0 if shared.several_batches(found) else 9, 0 if failed else 8, 0]
    keeps += range(len(heads) - 1, -1, -1) if beside else [0, 0]
    return Table(
        ["Load", "Batch", "Quality over", "Task", *heads],
        rows,
        "lrll" + ("r" * len(heads) if beside else "lr"),
        totals_said(list(shown.values())),
        where=where,
        keeps=keeps,
    )


def _mean(step: StepDetails, over: str, task: str, measure: str, fractions: bool) -> Cell:
    """Return a value over queries, and its interval where there is one."""
    one = step.quality_intervals.get(f"{task}.{measure}") if over == "asked" else None
    form: tuple[int, Shown] = (3, value) if fractions else (1, percent)
    aside = "" if one is None else behind(one.low, one.high, *form)
    return Cell(shared.mean_of(step, over, task, measure, measured if fractions else percentage), aside)


def _short(found: LoadDetails) -> Table:
    """Return one table for documents, one row per step."""
    task, shown = found.tasks[0], dict(islice(shared.measures_of(found).items(), _BESIDE))
    head = ["Load", "Batch", "Queries/s", "Failed", *shared.MARKS, "p99 sent", *shown]
    rows = []
    for step in found.steps:
        values = step.values
        counts = [shared.whole(values, "queries_per_second"), shared.share(values, "failed_requests")]
        times = [*shared.marks(values, ""), shared.time(values, "sent_p99")]
        quality = [shared.mean_of(step, "asked", task, measure) for measure in shown.values()]
        rows.append([*shared.start_of(step), *counts, *times, *quality])
    return Table(head, rows, "l" + "r" * (len(head) - 1), where=PAPER | SUMMARY)


def _terse(notes: Sequence[Note], found: LoadDetails) -> list[str]:
    """Return the notes that a terminal always shows."""
    details = {one.said for one in _details(notes, found)}
    return [said for one in notes if (said := _said(one)) not in details]


def _details(notes: Sequence[Note], found: LoadDetails) -> list[Detail]:
    """Return the others: defaults, and what the table has a mark for."""
    marked = {rests_on_few(step) for step in found.steps}
    return [Detail("Note", _said(one)) for one in notes if one.shown == "verbose" or one.text in marked]


def _remarks(found: LoadDetails, terse: bool = False) -> Iterator[str]:
    """Yield sentences on the steps; terse ones leave out what the verdict and the table say."""
    deepest = deepest_cutoff(resolve(found.names)) or 0
    yield from counted(found.counts, deepest, {}, found.queries_without_label, {})
    for step in found.steps:
        said = [
            f"{times:,} {'request' if times == 1 else 'requests'} failed: {reason}"
            for reason, times in islice(step.failures.items(), _REASONS)
        ]
        said += counted(step.counts, deepest, step.unlabelled_hits, {}, step.hit_faults)
        if not terse:
            said += [sentence for sentence in (step.client_is_the_limit, step.coordinated_omission) if sentence]
        asked = step.values.get("queries_asked")
        if asked is not None and asked < found.queries:
            said.append(f"quality is over {asked:,.0f} of the {found.queries:,} queries; the others were not sent")
        if found.find_max is not None:
            said.append("breaks the condition: " + ", and ".join(step.broke) if step.broke else "holds the condition")
        yield from (f"{step.name}: {sentence}" for sentence in said)
    if found.loop == "closed":
        yield _CLOSED
    if found.interrupted:
        yield "Interrupted: these are the steps that were finished."


def _searched(found: LoadDetails) -> list[str]:
    """Return what a search for the highest rate found, where there was one."""
    return [] if found.find_max is None else [highest(found.find_max.condition, one) for one in found.find_max.found]
