"""A load test: one row per step, one column per number."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from itertools import islice
from typing import TYPE_CHECKING

from benchbench.loads.blocks import BEYOND, enough
from benchbench.loads.details import Highest, LoadDetails, LoadOptions, StepDetails
from benchbench.measures.default_list import deepest_cutoff, default_cutoffs
from benchbench.measures.notation import resolve
from benchbench.report.blocks import (
    PAGE,
    PAPER,
    PEOPLE,
    SUMMARY,
    TERMINAL,
    Block,
    Cell,
    Heading,
    Layout,
    Notes,
    Table,
    Text,
)
from benchbench.report.layouts.run import task_title, totals_said, value_shown
from benchbench.results.record import Note
from benchbench.results.result import Result, json_members
from benchbench.tasks.count_sentences import counted

if TYPE_CHECKING:
    from benchbench.report.page_blocks import PageBlock

_SPREAD = ("mean", "p50", "p90", "p95", "p99")  # of which intervals are shown
_ASKED = ("p50", "p99")
_FEW = "*"  # behind a percentile of few requests
_MARKS = ("p50", "p90", "p95", "p99", "p99.9", "max")
_QUALITY = {"R": "R", "Success": "HitRate", "nDCG": "nDCG"}  # of the default measures
_BESIDE = 3  # measures that have a column each
_REASONS = 5  # of failed requests that are shown per step
_CLOSED = (
    "A closed loop asks a slow service less often, so these latencies leave out the waits of those who would have "
    "come meanwhile; --rate measures them."
)
_Values = Mapping[str, float | None]


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
        Heading(title, f"{times} Each request is sent once: no retries."),
        _speed(found),
        *_intervals(found),
        *([_backlog(found)] if _has_backlog(found) else []),
        *([_amortised(found)] if len(options.batch_size) > 1 else []),
        *_asked(found, options),
        _quality(found),
        _short(found),
        Text([*notes, *_remarks(found, gates=True), signature], where=TERMINAL),
        Text([*notes, *_remarks(found, gates=False), signature], where=PAGE | SUMMARY),
        Notes(notes),
    ]
    return Layout(
        title,
        blocks,
        lambda: json_members(result),
        lambda: ({"name": step.name, **step.values} for step in steps),
        lines=lambda: map(asdict, steps),
        notes=notes,
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
    late = [] if _has_backlog(found) else ["late"]  # which stands beside the backlog where there is one
    head = ["Load", "Batch", "Queries/s", "Failed", *(name.capitalize() for name in late), "Latency, ms", *_MARKS]
    rows = []
    for step in found.steps:
        values = step.values
        counts = [_whole(values, "queries_per_second"), *(_share(values, name) for name in ("failed_requests", *late))]
        rows.append([*_start(step), *counts, "from due", *_milliseconds(values, "")])
        empty = [""] * (2 + len(counts))
        if values.get("rate") is not None:
            rows.append([*empty, "from sent", *_milliseconds(values, "sent_")])
        if (failed := values.get("failed_requests")) and values.get("answered_p50") is not None:
            answered = {**values, "requests": (values.get("requests") or 0.0) - failed}
            rows.append([*empty, "answered", *_milliseconds(answered, "answered_")])
    marked = any(_FEW in cell for row in rows for cell in row)
    caption = f"{_FEW} rests on fewer than {BEYOND} requests above it" if marked else ""
    return Table(head, rows, "l" + "r" * (3 + len(late)) + "l" + "r" * len(_MARKS), caption, where=PEOPLE)


def _has_backlog(found: LoadDetails) -> bool:
    return found.loop == "open" and any("backlog_growth" in step.values for step in found.steps)


def _intervals(found: LoadDetails) -> Iterator[Table]:
    """Yield one table of each way in which intervals were made."""
    head = ["Load", "Batch", "Queries/s", *_SPREAD, "Error rate"]
    for method in dict.fromkeys(step.interval_method for step in found.steps if step.interval_method):
        rows = []
        for step in found.steps:
            if step.interval_method == method:
                cells = [_ends(step, mark, ".1f") for mark in _SPREAD]
                rows.append([*_start(step), _ends(step, "queries_per_second", ".0f"), *cells,
                             _ends(step, "error_rate", ".4f")])  # fmt: skip
        yield Table(head, rows, "l" + "r" * (len(head) - 1), f"{method}, ms from due", where=PEOPLE)


def _ends(step: StepDetails, name: str, form: str) -> str:
    low, high = step.intervals.get(name, (None, None))
    return "-" if low is None or high is None else f"[{low:,{form}}, {high:,{form}}]"


def _asked(found: LoadDetails, options: LoadOptions) -> Iterator[Table]:
    """Yield which queries were asked, and the latency of those that were new to the service."""
    if any("queries_new" not in step.values for step in found.steps):
        return
    head = ["Load", "Batch", "Queries", "Different", "New", "Requests", "p50", "p99"]
    rows = []
    for step in found.steps:
        values = step.values
        counts = [_whole(values, name) for name in ("queries", "queries_asked", "queries_new")]
        requests, new = values.get("requests") or 0.0, values.get("new_requests") or 0.0
        start = [*_start(step), *counts]
        for kind, number in (("new", new), ("repeated", requests - new)):
            if number:
                marks = {**values, "requests": number}
                times = [_time(marks, f"{kind}_{mark}") + _few(marks, mark, f"{kind}_") for mark in _ASKED]
                rows.append([*start, f"{number:,.0f} {kind}", *times])
                start = [""] * len(start)
    said = f"Queries in order {options.order}; new ones this load test had not sent before, ms from due"
    yield Table(head, rows, "l" + "r" * (len(head) - 1), said, where=PEOPLE)


def _backlog(found: LoadDetails) -> Table:
    """Return what came, was answered and was left, of steps in an open loop."""
    head = ["Load", "Batch", "Due/s", "Answered/s", "Late", "Backlog at start", "at end", "Growth/s", "Saturation"]
    rows = []
    for step in found.steps:
        values = step.values
        ends = [_whole(values, f"backlog_{end}") for end in ("start", "end")]
        due, answered = (_pace(values, f"{name}_per_second") for name in ("offered", "requests"))
        late, growth = _share(values, "late"), _pace(values, "backlog_growth")
        rows.append([*_start(step), due, answered, late, *ends, growth, step.saturation or "-"])
    return Table(head, rows, "l" + "r" * 7 + "l", where=PEOPLE)


def _amortised(found: LoadDetails) -> Table:
    """Return the time of a request divided by its queries, which is not how long a query waited."""
    head = ["Load", "Batch", "ms per request / queries in it", *_MARKS]
    rows = [
        [*_start(step), "amortised per query", *_milliseconds(step.values, "amortised_query_")] for step in found.steps
    ]
    return Table(head, rows, "lrl" + "r" * len(_MARKS), where=PEOPLE)


def _names(found: LoadDetails) -> list[str]:
    """Return the names of the measures of any task, in the order of the report."""
    fronts = [f"asked.{task}." for task in found.tasks]
    values = list(found.steps[0].values) if found.steps else []
    return list(
        dict.fromkeys(name.removeprefix(front) for front in fronts for name in values if name.startswith(front))
    )


def _shown(found: LoadDetails) -> dict[str, str]:
    """Return the measures that are shown, by what they are called: of the default ones some at the deepest cut-off."""
    names = _names(found)
    cutoffs = default_cutoffs(resolve(names), averaged=True)
    if not cutoffs:
        return {name: name for name in names}
    return {f"{title}@{cutoffs[-1]}": f"{name}@{cutoffs[-1]}" for name, title in _QUALITY.items()}


def _quality(found: LoadDetails) -> Table:
    shown = _shown(found)
    beside = len(shown) <= _BESIDE
    heads = list(shown) if beside else ["Metric", "Value"]
    rows: list[list[str | Cell]] = []
    for step in found.steps:
        whole = step.values.get("failed_requests") == 0
        named = (
            {"asked": "all (none failed)"} if whole else {"asked": "asked, failed as 0", "answered": "answered only"}
        )
        start = _start(step)
        for over, title in named.items():
            for task in found.tasks:
                values = [(name, _mean(step, over, task, measure)) for name, measure in shown.items()]
                name = task_title(task)
                for cells in [[value for _, value in values]] if beside else map(list, values):
                    rows.append([*start, title, name, *cells])
                    start, title, name = ["", ""], "", ""
    return Table(
        ["Load", "Batch", "Quality over", "Task", *heads],
        rows,
        "lrll" + ("r" * len(heads) if beside else "lr"),
        totals_said(list(shown.values())),
        where=PEOPLE,
    )


def _mean(step: StepDetails, over: str, task: str, measure: str) -> Cell:
    """Return a value over queries, and its interval where there is one."""
    ends, aside = step.quality_intervals.get(f"{task}.{measure}") if over == "asked" else None, ""
    if ends is not None and ends.low is not None and ends.high is not None:
        aside = f"[{100 * ends.low:.1f}, {100 * ends.high:.1f}]"
    return Cell(_value(step, over, task, measure), aside)


def _short(found: LoadDetails) -> Table:
    """Return one table for documents, one row per step."""
    task, shown = found.tasks[0], dict(islice(_shown(found).items(), _BESIDE))
    head = ["Load", "Batch", "Queries/s", "Failed", *_MARKS, "p99 sent", *shown]
    rows = []
    for step in found.steps:
        values = step.values
        counts = [_whole(values, "queries_per_second"), _share(values, "failed_requests")]
        times = [*_milliseconds(values, ""), _time(values, "sent_p99")]
        quality = [_value(step, "asked", task, measure) for measure in shown.values()]
        rows.append([*_start(step), *counts, *times, *quality])
    return Table(head, rows, "l" + "r" * (len(head) - 1), where=PAPER | SUMMARY)


def _remarks(found: LoadDetails, gates: bool) -> Iterator[str]:
    """Yield sentences on the steps, with or without those of gates."""
    deepest = deepest_cutoff(resolve(_names(found))) or 0
    yield from counted(found.counts, deepest, {}, found.queries_without_label, {})
    for step in found.steps:
        said = [f"{times:,} requests failed: {reason}" for reason, times in islice(step.failures.items(), _REASONS)]
        said += counted(step.counts, deepest, step.unlabelled_hits, {}, step.hit_faults)
        said += [sentence for sentence in (step.client_is_the_limit, step.coordinated_omission) if sentence]
        asked = step.values.get("queries_asked")
        if asked is not None and asked < found.queries:
            said.append(f"quality is over {asked:,.0f} of the {found.queries:,} queries; the others were not sent")
        if found.find_max is not None:
            said.append("breaks the condition: " + ", and ".join(step.broke) if step.broke else "holds the condition")
        said += [f"gate failed: {sentence}" for sentence in step.failed_gates if gates]
        yield from (f"{step.name}: {sentence}" for sentence in said)
    if found.find_max is not None:
        yield from (_highest(found.find_max.condition, one) for one in found.find_max.found)
    if found.loop == "closed":
        yield _CLOSED
    if found.interrupted:
        yield "Interrupted: these are the steps that were finished."


def _highest(condition: str, one: Highest) -> str:
    limit = "the client or its machine was the limit"
    refused = "" if one.refused is None else f"; {one.refused:,.6g} requests/s do not: {', and '.join(one.reasons)}"
    if one.rate is None:
        client = f"; {limit}, and the service may hold it" if one.limited_by_client else ""
        return f"No rate that was tried holds {condition} with batches of {one.batch_size}{refused}{client}."
    client = f"; above it {limit}, and the service may hold more" if one.limited_by_client else ""
    found = f"{one.rate:,.6g} requests/s of {one.batch_size} queries, to 5 %"
    return f"Highest rate that holds {condition}: {found}{refused}{client}."


def _start(step: StepDetails) -> list[str]:
    """Return the first two cells of a row: the load, and the batch size that its name ends in."""
    load, _, batch = step.name.rpartition(", batch ")
    return [load, batch]


def _milliseconds(values: _Values, prefix: str) -> list[str]:
    return [_time(values, f"{prefix}{mark}") + _few(values, mark, prefix) for mark in _MARKS]


def _few(values: _Values, mark: str, prefix: str = "") -> str:
    """Return the mark of a percentile that rests on few requests."""
    requests, percent = values.get("requests"), mark.removeprefix("p")
    if mark == percent or requests is None or values.get(f"{prefix}{mark}") is None:
        return ""
    return "" if enough(float(percent), requests) else _FEW


def _time(values: _Values, name: str) -> str:
    return "-" if (value := values.get(name)) is None else f"{value:,.1f}"


def _value(step: StepDetails, over: str, task: str, measure: str) -> str:
    value = step.values.get(f"{over}.{task}.{measure}")
    return "-" if value is None else value_shown(measure, value)


def _whole(values: _Values, name: str) -> str:
    return "-" if (value := values.get(name)) is None else f"{value:,.0f}"


def _pace(values: _Values, name: str) -> str:
    return "-" if (value := values.get(name)) is None else f"{value:,.4g}"


def _share(values: _Values, name: str) -> str:
    """Return a count of requests out of all, or 0."""
    return f"{_whole(values, name)} of {_whole(values, 'requests')}" if values.get(name) else "0"
