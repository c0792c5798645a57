"""The page of a load test: what the service holds, what happens as the rate rises, each step over time."""

import math
import re
from collections.abc import Callable, Sequence
from functools import partial

from benchbench.loads.clouds import clouds
from benchbench.loads.latency_heat import latency_heat
from benchbench.loads.load_details import Highest, LoadDetails, LoadOptions, StepDetails
from benchbench.loads.rates_held import Held, held
from benchbench.measures.notation import measured
from benchbench.report.blocks import Block, Facts, Table, Text
from benchbench.report.layouts.columns import Column, table_of
from benchbench.report.layouts.load import headline, highest
from benchbench.report.layouts.load_charts import four, over_time, rates_of
from benchbench.report.layouts.load_steps import alike
from benchbench.report.layouts.load_words import batches, done_of, lede, lost, rate_of, tiles, verdict
from benchbench.report.layouts.page_parts import band, given, head, passed_gates, reproduce, settings
from benchbench.report.layouts.page_scales import time_tick
from benchbench.report.page_blocks import Band, Folded, Masthead, PageBlock, Section, Tone
from benchbench.results.figures import count, share, time, value
from benchbench.results.record import Record
from benchbench.results.result import Result
from benchbench.tables.shared_messages import counted

_LOAD = {
    "rate": "requests per second",
    "concurrency": "requests in flight",
    "find_max": "highest rate at which",
    "trace": "trace",
    "speed": "of its speed",
    "arrivals": "arrivals",
    "batch_size": "queries a request",
    "duration": "each step, s",
    "warm_up": "warm-up before it, s",
    "repeat": "times each",
    "order": "order of queries",
    "max_in_flight": "in flight at most",
    "retries": "retries",
}
_SERVICE = {
    "protocol": "protocol",
    "url": "URL",
    "top_k": "hits asked for",
    "timeout": "time limit, s",
    "workers": "client processes",
}
_TIMES = ("p50", "p90", "p95", "p99", "max")
_FELT = 0.25  # of the smallest median latency: a delay of the client that shows in percentiles
_NO_TRACE = ("arrivals", "duration", "batch_size")  # which a trace has of its own
_OPEN_ONLY = ("arrivals", "max_in_flight")


def blocks(result: Result, shared: Sequence[Block]) -> list[Block | PageBlock]:
    """Return the page.

    Parameters
    ----------
    result
        Of a load test.
    shared
        What other formats have too: tables, and sentences on the steps and on what the numbers leave out.
    """
    tables = [block for block in shared if isinstance(block, Table)]
    facts = next(block for block in shared if isinstance(block, Facts))
    record = result.record
    load, options = result.details_as(LoadDetails).reported(), result.settings_as(LoadOptions)
    sizes = held(load, record.gates)
    made: list[Block | PageBlock | None] = [_masthead(record, load, options, sizes), *band(record), _interrupted(load)]
    if sizes:
        made += [
            lede(load, options, sizes),
            tiles(load, options, sizes),
            Text([highest(load.find_max.condition, found) for found in load.find_max.found]) if load.find_max else None,
            _client(load),
            *batches(load, sizes),
            *_rates(load, options, sizes),
            *_over_time(result, load, options, sizes),
        ]
    since = " from due and from send time, intervals, backlog" if load.loop == "open" else ", intervals"
    made += [
        Section("tables", "Tables", "Tables"),
        *([_steps_folded(load, sizes)] if sizes else []),
        _client_folded(load),
        Folded("All numbers", f"latency{since}, quality of each task", tables),
        Folded("Notes", counted(len(facts.rows), "note"), [facts]),
        *passed_gates(record),
        *reproduce(record, [("Load", _load_settings(record, load)), ("Service", settings(record, _SERVICE))]),
    ]
    return [block for block in made if block is not None]


def _load_settings(record: Record, load: LoadDetails) -> list[tuple[str, str]]:
    """Return the settings of the load, numbers without what says nothing."""
    trace = given(record, "trace")
    left_out = {*(() if load.loop == "open" else _OPEN_ONLY), *(("speed",) if trace is None else _NO_TRACE)}
    shown = settings(record, {name: called for name, called in _LOAD.items() if name not in left_out})
    return [(called, re.sub(r"\b(\d+)\.0\b", r"\1", value)) for called, value in shown]


def _masthead(record: Record, load: LoadDetails, options: LoadOptions, sizes: Sequence[Held]) -> Masthead:
    lost_ones = lost(*load.steps, now=False)
    if any(step.unsent for step in load.steps):
        lost_ones[-1] += f": all {options.max_in_flight:,} places in flight were taken"
    states: list[tuple[str, Tone]] = [(f"✕ {clause}", "bad") for clause in lost_ones]
    if load.steps and not lost_ones:
        states.append(("✓ no request failed", "good"))
    times = f", {options.repeat} times" if options.repeat > 1 else ""
    size = f"{counted(len(load.steps), 'step')}, {options.duration:g} s each{times}" if options.trace is None else ""
    about = [f"service {load.name}" if load.name else "a service", f"data set {record.data.name or '?'}", size]
    is_answered = sizes and load.total("requests_per_second") and load.find_max is None and options.trace is None
    title = verdict(load, sizes) if is_answered else headline(load).sentences[0][1]
    if load.find_max is not None and load.find_max.found:
        best = max(load.find_max.found, key=lambda found: found.batch_size * (found.rate or 0.0))
        title = _found(load.name or "The service", load.find_max.condition, best)
    return head("load", record, about, title, states=states)


def _found(who: str, condition: str, best: Highest) -> str:
    """Return what a search for the highest rate found, without its reasons."""
    if best.rate is None:
        return f"{who} holds {condition} at no rate that was tried."
    rate = f"{best.rate:,.6g} requests/s of {best.batch_size} queries"
    return f"{who} holds {condition} up to {rate}.{' A longer step did not confirm it.' * (best.confirmed is False)}"


def _interrupted(load: LoadDetails) -> Band | None:
    if not load.interrupted:
        return None
    return Band("✂ Interrupted", [], "", [f"These are the {counted(len(load.steps), 'step')} that were finished."])


def _client(load: LoadDetails) -> Text | None:
    """Return where the client was the limit."""
    limits = [(step.name, step.client_is_the_limit) for step in load.steps if step.client_is_the_limit]
    if not limits:
        return None
    name, sentence = limits[0]
    more = f" So it was in {len(limits) - 1} more of {len(load.steps)} steps." if len(limits) > 1 else ""
    return Text([f"▲ {name}: {sentence}.{more}"])


def _rates(load: LoadDetails, options: LoadOptions, sizes: Sequence[Held]) -> list[PageBlock]:
    if options.trace is not None:
        return []
    rates = rates_of(load, sizes)
    same = alike(load)
    texts = [f"Quality is the same in all steps: {same}."] if same and len(load.tasks) > 1 else []
    if not load.total("failed_requests") and not load.total("late"):
        texts.append("No request failed." if rates.closed else "No request was late or failed.")
    if rates.shade:
        first = rates.shade[0]
        knee = f"; the knee is between {first.low:,.4g} and {first.high:,.4g}" if first.fades else ""
        texts.append("Shaded: rates that no batch size sustains." if rates.several else f"Shaded: not sustained{knee}.")
    if len(rates.x.ticks) < 2:
        return []
    name, heading = ("In flight", "By requests in flight") if rates.closed else ("Rates", "By rate")
    return [Section("rates", name, heading, " ".join(texts)), four(rates, options)]


def _over_time(result: Result, load: LoadDetails, options: LoadOptions, sizes: Sequence[Held]) -> list[PageBlock]:
    requests, heat = clouds(result, len(load.steps)), latency_heat(result, len(load.steps))
    if requests is None and not any(step.over_time for step in load.steps):
        return []
    limit = next((size.limit for size in sizes if size.limit is not None), None)
    texts = ["Percentiles of stretches of time, p99 above p50."] if requests is None else []
    texts += [f"Dashed: {'the limit' if len(sizes) > 1 else time_tick(limit)}."] if limit is not None else []
    texts += ["Rising: requests queue; the number above a chart says how fast."] if load.loop == "open" else []
    heading = Section("time", "Over time", "Each step over time", " ".join(texts))
    return [heading, *over_time(load, options, sizes, requests, heat)]


def _steps_folded(load: LoadDetails, sizes: Sequence[Held]) -> Folded:
    name, is_open = load.leading, load.loop == "open"
    shown = [
        (size, step)
        for size in sizes
        for step in load.steps
        if any(step is each for each in (*size.steps, *size.again))
    ]
    reasons = [(step.name, "; ".join(why)) for size, step in shown if is_open and (why := size.why(step))]

    def sustained(row: tuple[Held, StepDetails]) -> str:
        size, step = row
        return "run again" if any(step is each for each in size.again) else "✕" if size.why(step) else "✓"

    def number(head: str, of: Callable[[StepDetails], str]) -> Column:
        return Column(head, lambda row: of(row[1]), "r")

    def counts(head: str, member: str) -> Column | None:
        return number(head, lambda step: count(step.values.get(member))) if load.total(member) else None

    def time_of(head: str, mark: str) -> Column:
        return number(head, lambda step: value(step.values.get(mark), 1))

    columns = [
        number("Offered/s" if is_open else "In flight", rate_of),
        counts("Batch", "batch_size") if len(sizes) > 1 else None,
        number("Answered/s", done_of),
        number("Queries/s", lambda step: count(step.values.get("queries_per_second"))),
        *(time_of(mark, mark) for mark in _TIMES),
        time_of("p99 from sending", "sent_p99") if is_open else None,
        counts("Failed or not sent", "failed_requests"),
        counts("Late", "late") if is_open else None,
        counts("Requests", "requests"),
        *(number(task, partial(_quality_cell, load, task, name)) for task in load.tasks),
        Column("Sustained", sustained) if is_open else None,
    ]
    text = f"latency in ms from the due time; {name} over all queries asked" if is_open else f"latency in ms; {name}"
    refused = [Table(["Step", "Why it is not sustained"], reasons, "ll")] if reasons else []
    return Folded("Every step", text, [table_of(columns, shown)._replace(grouped=False), *refused])


def _quality_cell(load: LoadDetails, task: str, name: str, step: StepDetails) -> str:
    mean = step.values.get(f"asked.{task}.{name}")
    part = f" of {step.number('queries_asked'):,.0f} queries" if load.is_part(step) and mean is not None else ""
    return f"{measured(name, mean)}{part}"


def _client_folded(load: LoadDetails) -> Folded:
    limits = [step for step in load.steps if step.client_is_the_limit]
    cpu, lag = (max((step.number(name) for step in load.steps), default=0.0) for name in ("client_cpu", "lag_p99"))
    most = f"at most {share(cpu)} of a core, event loop {time(lag)} late (p99)"
    if lag > _FELT * min((p50 for step in load.steps if (p50 := step.number("p50"))), default=math.inf):
        most += ", which the highest latencies may include"
    text = f"in {len(limits)} of {counted(len(load.steps), 'step')}; {most}" if limits else f"no: {most}"
    is_open = load.loop == "open"
    columns = [
        Column("Step", lambda step: step.name),
        Column("Event loop late, p99 ms", lambda step: value(step.values.get("lag_p99"), 1), "r"),
        Column("CPU, % of a core", lambda step: value(100 * step.number("client_cpu"), 1), "r"),
        Column("Client delays", lambda step: count(step.values.get("late_by_client")), "r") if is_open else None,
        Column("The limit", lambda step: step.client_is_the_limit or "") if limits else None,
    ]
    return Folded("Was the client the limit?", text, [table_of(columns, load.steps)])
