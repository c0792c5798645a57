"""The tables of a load test: a row per step, of speed, backlog and quality."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import islice

from benchbench.loads.load_details import BOUNDED, LoadDetails, LoadOptions, StepDetails
from benchbench.loads.metrics import CHANGE
from benchbench.loads.rates_held import left_behind
from benchbench.measures.default_list import default_cutoffs
from benchbench.measures.latency import BEYOND, enough
from benchbench.measures.notation import measured, resolve
from benchbench.report.blocks import (
    PAGE,
    PAPER,
    SUMMARY,
    TERMINAL,
    WIDE,
    AnyCell,
    Block,
    Cell,
    Table,
    Text,
    Where,
)
from benchbench.report.render.lines import bar
from benchbench.results.figures import NOTHING, behind, count, ends, interval, rounded, share, signed, span_of, value
from benchbench.results.headline import best
from benchbench.tables.shared_messages import capital
from benchbench.tasks import count_sentences

FEW = "*"  # behind a percentile of few requests
MARKS = ("p50", "p90", "p95", "p99", "p99.9", "max")
_QUALITY = {"R": "R", "Success": "Success", "nDCG": "nDCG"}  # of the default measures
_SPREAD = ("mean", "p50", "p90", "p95", "p99")  # of which intervals are shown
_ASKED = ("p50", "p99")
_BESIDE = 3  # measures that have a column each
_BAR = 8
_KINDS = {"At once": r"concurrency ([\d,]+)", "Due/s": r"([\d,.]+) requests/s"}
_KEEPS = {"p50": 0, "p90": 5, "p95": 3, "p99": 0, "p99.9": 6, "max": 5}  # the highest is left out first
_Values = Mapping[str, float | None]


def tables(load: LoadDetails, options: LoadOptions) -> list[Block]:
    """Return the tables, and the sentences that belong to them; Markdown and LaTeX have one table."""
    is_followed = load.loop == "open" and any("backlog_growth" in step.values for step in load.steps)
    return [
        *([_speed(load, WIDE), _speed(load, PAGE)] if load.steps else []),
        Text([_times(load, options), *_caption(load)], where=TERMINAL),
        *_intervals(load),
        *([_backlog(load)] if is_followed else []),
        *([_amortised(load)] if len(options.batch_size) > 1 else []),
        *_asked(load, options),
        *_repeats(load),
        *_changes(load),
        _quality(load, PAGE | WIDE),
        _short(load),
    ]


def _times(load: LoadDetails, options: LoadOptions) -> str:
    """Return what a latency is of, and how long steps and warm-up were."""
    sizes = dict.fromkeys(start_of(step)[1] for step in load.steps)
    batches = "1 query" if list(sizes) == ["1"] else f"{' or '.join(sizes)} queries"
    times = f"Each step {options.duration:g} s after {options.warm_up:g} s of warm-up, which is not counted."
    if options.trace is not None:
        times = f"The trace at speed {options.speed:g}; its first {options.warm_up:g} s are not counted."
    repeated = f" Each step {options.repeat} times, all in turn." if options.repeat > 1 else ""
    since = "when it was due" if load.loop == "open" else "sending it"
    return f"Latency of a request of {batches} counts from {since}; no retries. {times}{repeated}"


def _speed(load: LoadDetails, where: Where) -> Table:
    """Return a row per step, and below it one per other kind of latency; a terminal has bars, a page its charts."""
    paces = [step.values.get("queries_per_second") for step in load.steps]
    most, lead = max(pace or 0.0 for pace in paces), best(paces, "higher")
    named, loads = _loads([start_of(step)[0] for step in load.steps])
    kinds = [dict(_kinds(step)) for step in load.steps]
    batches, bars, several = _several_batches(load), where == WIDE, max(map(len, kinds)) > 1
    rows: list[list[AnyCell]] = []
    for step, level, pace, latencies in zip(load.steps, loads, paces, kinds, strict=True):
        failed = _failures(step)
        speed = Cell(count(pace), strong=len(rows) in lead)
        start: list[AnyCell] = [level, *[start_of(step)[1]] * batches, speed]
        start += [bar((pace or 0.0) / most if most else None, _BAR)] * bars
        end: list[AnyCell] = [Cell(failed, tone="bad" if failed != "0" else ""), _share(step.values, "late"),
                              Cell(_flag(step))]  # fmt: skip
        for kind, marks in latencies.items():
            rows.append([*start, *[kind] * several, *marks, *end])
            start, end = [""] * len(start), [""] * len(end)
    columns = [
        (named, "l" if named == "Load" else "r", 0),
        *[("Batch", "r", 0)] * batches,
        ("Queries/s", "r", 0),
        *[(f"0 … {most:,.0f}", "l", 4)] * bars,
        *[("Latency", "l", 0)] * several,
        *((mark, "r", keep) for mark, keep in _KEEPS.items()),
        *[("Failed", "r", 0), ("Late", "r", 4), ("", "l", 1)],
    ]
    head, sides, keeps = zip(*columns, strict=True)
    caption = " ".join(_caption(load)) if where == PAGE else ""
    return Table(head, rows, "".join(sides), caption, where=where, keeps=keeps)


def _kinds(step: StepDetails) -> Iterator[tuple[str, list[str]]]:
    """Yield each kind of latency that a step has."""
    yield "from due", _marks(step.values, "")
    if step.values.get("rate") is not None:
        yield "from sent", _marks(step.values, "sent_")
    if (lost := step.number("failed_requests")) and step.values.get("answered_p50") is not None:
        yield "answered", _marks({**step.values, "requests": step.number("requests") - lost}, "answered_")


def _by_step(
    steps: Sequence[StepDetails], head: Sequence[str], cells: Callable[[StepDetails], Sequence[str]], where: Where,
    caption: str = "",
) -> Table:  # fmt: skip
    """Return a row of texts per step."""
    rows = [[*start_of(step), *cells(step)] for step in steps]
    return Table(["Load", "Batch", *head], rows, "l" + "r" * (len(head) + 1), caption, where=where)


def _several_batches(load: LoadDetails) -> bool:
    """Say that steps have batches of several sizes."""
    return len({start_of(step)[1] for step in load.steps}) > 1


def _loads(names: Sequence[str]) -> tuple[str, list[str]]:
    """Return the head of the column of loads, and what it has: numbers, where all loads are of one kind."""
    for head, pattern in _KINDS.items():
        if all(matches := [re.fullmatch(pattern, name) for name in names]):
            return head, [match[1] for match in matches if match]
    return "Load", list(names)


def _flag(step: StepDetails) -> str:
    """Return what makes the numbers of a step say less than they seem to."""
    if step.client_is_the_limit:
        return "! client"
    state = _state(step)
    return f"! {state} saturation" if state in ("at", "beyond") else ""


def _state(step: StepDetails) -> str | None:
    """Return the state of a step; earlier versions called some below that left what was due."""
    return "beyond" if step.saturation == "below" and left_behind(step) else step.saturation


def _caption(load: LoadDetails) -> list[str]:
    marked = any(FEW in text for step in load.steps for text in _marks(step.values, ""))
    return [f"{FEW} Fewer than {BEYOND} requests are above it: use a longer --duration."] if marked else []


def start_of(step: StepDetails) -> list[str]:
    """Return the first two cells of a row: the load, and the batch size that its name ends in."""
    load, _, batch = step.name.rpartition(", batch ")
    return [load, batch]


def _marks(values: _Values, prefix: str) -> list[str]:
    """Return the percentiles of one kind of latency, and the maximum."""
    return [_time(values, f"{prefix}{mark}") + _few(values, mark, prefix) for mark in MARKS]


def _few(values: _Values, mark: str, prefix: str = "") -> str:
    """Return the mark of a percentile that rests on few requests."""
    requests, percent = values.get("requests"), mark.removeprefix("p")
    if mark == percent or requests is None or values.get(f"{prefix}{mark}") is None:
        return ""
    return "" if enough(float(percent), requests) else FEW


def _time(values: _Values, name: str) -> str:
    """Return milliseconds."""
    return value(values.get(name), 1)


def _mean_of(step: StepDetails, over: str, task: str, measure: str) -> str:
    """Return the mean of a measure over the queries asked, or over those answered."""
    return measured(measure, step.values.get(f"{over}.{task}.{measure}"))


def _share(values: _Values, name: str) -> str:
    """Return a count of requests out of all, or 0."""
    return f"{count(values.get(name))} of {count(values.get('requests'))}" if values.get(name) else "0"


def _failures(step: StepDetails) -> str:
    """Return how many requests failed out of all, and how many were never sent."""
    parts = [(step.failed, ""), (step.unsent, " never sent")]
    requests = f"{step.number('requests'):,.0f}"
    return ", ".join(f"{number:,} of {requests}{how}" for number, how in parts if number) or "0"


def _measures_of(load: LoadDetails) -> dict[str, str]:
    """Return the measures that are shown, by what they are called: of the default ones some at the deepest cut-off."""
    known = load.names
    cutoffs = default_cutoffs(resolve(known), averaged=True)
    shown = {name: name for name in known}
    if cutoffs:
        shown = {f"{title}@{cutoffs[-1]}": f"{name}@{cutoffs[-1]}" for name, title in _QUALITY.items()}
    low = count_sentences.bounded(load.counts, known)
    return {f"{title}{BOUNDED if name in low else ''}": name for title, name in shown.items()}


def _intervals(load: LoadDetails) -> Iterator[Table]:
    """Yield one table of each way in which intervals were made."""

    def cells(step: StepDetails) -> list[str]:
        marks = [_ends(step, mark, 1) for mark in _SPREAD]
        return [_ends(step, "queries_per_second", 0), *marks, _ends(step, "error_rate", 4)]

    since = "due" if load.loop == "open" else "sending"
    for method in dict.fromkeys(step.interval_method for step in load.steps if step.interval_method):
        steps = [step for step in load.steps if step.interval_method == method]
        yield _by_step(steps, ["Queries/s", *_SPREAD, "Error rate"], cells, PAGE | WIDE, f"{method}, ms from {since}")


def _ends(step: StepDetails, name: str, digits: int) -> str:
    low, high = step.intervals.get(name, (None, None))
    return NOTHING if low == high else interval(low, high, digits)  # an interval of no width says nothing


def _asked(load: LoadDetails, options: LoadOptions) -> Iterator[Table]:
    """Yield which queries were asked, and the latency of those that were new to the service."""
    if any("queries_new" not in step.values for step in load.steps):
        return
    head = ["Load", "Batch", "Queries", "Different", "New", "Requests", "p50", "p99"]
    rows = []
    for step in load.steps:
        values = step.values
        counts = [count(values.get(name)) for name in ("queries", "queries_asked", "queries_new")]
        requests, new = step.number("requests"), step.number("new_requests")
        start = [*start_of(step), *counts]
        for kind, number in (("new", new), ("repeated", requests - new)):
            if number:
                marks = {**values, "requests": number}
                times = [_time(marks, f"{kind}_{mark}") + _few(marks, mark, f"{kind}_") for mark in _ASKED]
                rows.append([*start, f"{number:,.0f} {kind}", *times])
                start = [""] * len(start)
    caption = f"Queries in order {options.order}; new ones this load test had not sent before, ms from due"
    yield Table(head, rows, "l" + "r" * (len(head) - 1), caption, where=PAGE | WIDE)


def _repeats(load: LoadDetails) -> Iterator[Text]:
    """Yield which share of the queries of each step repeats one of the same step: 320 queries of a set of 300 do."""
    shares = []
    for step in load.steps:
        queries, different = step.values.get("queries"), step.values.get("queries_asked")
        name = step.name if _several_batches(load) else start_of(step)[0]
        if queries and different is not None:
            shares.append(f"{share(1 - different / queries)} at {name}")
    if shares:
        yield Text([f"Queries sent again within a step: {'; '.join(shares)}."], where=WIDE | PAGE | SUMMARY)


def _changes(load: LoadDetails) -> Iterator[Table | Text]:
    """Yield how far the answers of each step are from those of the reference pass, query by query."""
    name, compared = load.leading, [asked for step in load.steps if (asked := step.number("queries_compared"))]
    if load.reference is None or not name or not compared:
        return
    if not load.total("queries_changed"):
        numbers = span_of(compared, 0, value)
        text = f"No query has another value than in the reference pass ({numbers} compared in a step)."
        yield Text([text], where=TERMINAL | PAGE | SUMMARY)
        return
    rows: list[list[AnyCell]] = []
    for step in load.steps:
        start: list[AnyCell] = [*start_of(step)]
        counts = [count(step.values.get(f"queries_{what}")) for what in ("compared", "changed")]
        for task in load.tasks:
            change = step.values.get(f"{CHANGE}{task}.{name}")
            span = step.change_intervals.get(f"{task}.{name}")
            between = NOTHING if span is None else ends(span, 3, signed)
            rows.append([*start, capital(task), signed(change, 3), between, *counts])
            start, counts = ["", ""], ["", ""]
    yield Table(
        ["Load", "Batch", "Task", f"Δ {name}", "95 % interval", "Compared", "Changed"],
        rows,
        "lrlrrrr",
        "Difference from the reference pass: the same queries without load",
        where=TERMINAL | PAGE | SUMMARY,
        keeps=[0, 0 if _several_batches(load) else 3, 0, 0, 0, 1, 2],
    )


def _backlog(load: LoadDetails) -> Table:
    """Return what came, was answered and was left, of steps in an open loop."""

    def cells(step: StepDetails) -> list[str]:
        left = [count(step.values.get(f"backlog_{end}")) for end in ("start", "end")]
        due, answered = (rounded(step.values.get(f"{name}_per_second")) for name in ("offered", "requests"))
        growth = rounded(step.values.get("backlog_growth"))
        return [due, answered, _share(step.values, "late"), *left, growth, _state(step) or NOTHING]

    head = ["Due/s", "Answered/s", "Late", "Backlog at start", "at end", "Growth/s", "Saturation"]
    return _by_step(load.steps, head, cells, PAGE | WIDE)._replace(sides="l" + "r" * 7 + "l")


def _amortised(load: LoadDetails) -> Table:
    """Return the time of a request divided by its queries, which is not how long a query waited."""
    rows = [[*start_of(step), "amortised per query", *_marks(step.values, "amortised_query_")] for step in load.steps]
    head = ["Load", "Batch", "ms per request / queries in it", *MARKS]
    return Table(head, rows, "lrl" + "r" * len(MARKS), where=PAGE | WIDE)


def _quality(load: LoadDetails, where: Where) -> Table:
    shown = _measures_of(load)
    beside = len(shown) <= _BESIDE
    heads = list(shown) if beside else ["Metric", "Value"]
    rows: list[list[str | Cell]] = []
    for step in load.steps:
        whole = step.values.get("failed_requests") == 0
        named = (
            {"asked": "all (none failed)"} if whole else {"asked": "asked, failed as 0", "answered": "answered only"}
        )
        start = start_of(step)
        for over, title in named.items():
            for task in load.tasks:
                values = [(name, _mean(step, over, task, measure)) for name, measure in shown.items()]
                name = capital(task)
                for cells in [[each for _, each in values]] if beside else map(list, values):
                    rows.append([*start, title, name, *cells])
                    start, title, name = ["", ""], "", ""
    keeps = [0, 0 if _several_batches(load) else 9, 0 if load.total("failed_requests") else 8, 0]
    keeps += range(len(heads) - 1, -1, -1) if beside else [0, 0]
    return Table(
        ["Load", "Batch", "Quality over", "Task", *heads],
        rows,
        "lrll" + ("r" * len(heads) if beside else "lr"),
        where=where,
        keeps=keeps,
    )


def _mean(step: StepDetails, over: str, task: str, measure: str) -> Cell:
    """Return a value over queries, and its interval where there is one."""
    span = step.quality_intervals.get(f"{task}.{measure}") if over == "asked" else None
    return Cell(_mean_of(step, over, task, measure), "" if span is None else behind(span.low, span.high, 3))


def _short(load: LoadDetails) -> Table:
    """Return one table for documents, one row per step."""
    shown = dict(islice(_measures_of(load).items(), _BESIDE))

    def cells(step: StepDetails) -> list[str]:
        quality = [_mean_of(step, "asked", load.tasks[0], measure) for measure in shown.values()]
        speed = [count(step.values.get("queries_per_second")), _failures(step)]
        return [*speed, *_marks(step.values, ""), _time(step.values, "sent_p99"), *quality]

    return _by_step(load.steps, ["Queries/s", "Failed", *MARKS, "p99 sent", *shown], cells, PAPER | SUMMARY)
