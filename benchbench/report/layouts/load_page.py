"""The page of a load test: what the service holds, what happens as the rate rises, each step over time."""

import re
from collections.abc import Sequence

from benchbench.loads.clouds import clouds
from benchbench.loads.latency_heat import latency_heat
from benchbench.loads.load_details import LoadDetails, LoadOptions, StepDetails
from benchbench.loads.rates_held import Held, held
from benchbench.measures.notation import measured
from benchbench.report.blocks import Block, Facts, Table, Text
from benchbench.report.layouts.columns import Column, table_of
from benchbench.report.layouts.load import headline
from benchbench.report.layouts.load_charts import four, over_time, rates_of
from benchbench.report.layouts.load_words import batches, done_of, lede, rate_of, tiles
from benchbench.report.layouts.page_parts import band, head, passed_gates, reproduce, settings
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
_TIMES = ("p50", "p90", "p95", "p99", "p99.9", "max", "sent_p99")
_CHARTS = "Latency and quality are what those who ask feel; the other two, what the service gets done."
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
    load, options = result.details_as(LoadDetails), result.settings_as(LoadOptions)
    sizes = held(load, record.gates)
    made: list[Block | PageBlock | None] = [_masthead(record, load, options), *band(record), _interrupted(load)]
    if sizes:
        made += [
            lede(load, options, sizes),
            tiles(load, options, sizes),
            _client(load),
            *batches(load, sizes),
            *_rates(load, options, sizes),
            *_over_time(result, load, options, sizes),
        ]
    made += [
        Section("tables", "Tables", "Tables"),
        *([_steps_folded(load, sizes)] if sizes else []),
        _client_folded(load),
        Folded("All numbers", "latency from due and from send time, intervals, backlog, quality of each task", tables),
        Folded("Notes", counted(len(facts.rows), "sentence"), [facts]),
        *passed_gates(record),
        *reproduce(record, [("Load", _load_settings(record, load)), ("Service", settings(record, _SERVICE))]),
    ]
    return [block for block in made if block is not None]


def _load_settings(record: Record, load: LoadDetails) -> list[tuple[str, str]]:
    """Return the settings of the load, numbers without what says nothing."""
    trace = record.settings["trace"].value if "trace" in record.settings else None
    left_out = {*(() if load.loop == "open" else _OPEN_ONLY), *(("speed",) if trace is None else _NO_TRACE)}
    shown = settings(record, {name: called for name, called in _LOAD.items() if name not in left_out})
    return [(called, re.sub(r"\b(\d+)\.0\b", r"\1", value)) for called, value in shown]


def _masthead(record: Record, load: LoadDetails, options: LoadOptions) -> Masthead:
    states: list[tuple[str, Tone]] = []
    failed, requests = (load.total(name) for name in ("failed_requests", "requests"))
    if failed:
        states.append((f"✕ {failed:,.0f} of {counted(round(requests), 'request')} failed", "bad"))
    elif load.steps:
        states.append(("✓ no request failed", "good"))
    times = f", {options.repeat} times" if options.repeat > 1 else ""
    size = f"{counted(len(load.steps), 'step')}, {options.duration:g} s each{times}" if options.trace is None else ""
    about = [f"{load.name or 'a service'} on {record.data.name or 'a data set'}", size]
    return head("load", record, about, headline(load).sentences[0][1], states=states)


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
    if rates.closed:
        return [Section("rates", "In flight", "What happens with more in flight", _CHARTS), four(rates, options)]
    pushed = "The service was not pushed past its limit: no rate is shaded."
    shaded = "shaded: no batch size is held" if rates.several else "shaded: it is not held"
    text = f"{_CHARTS} All share the horizontal scale{f'; {shaded}.' if rates.shade else f'. {pushed}'}"
    return [Section("rates", "Rates", "What happens as the rate rises", text), four(rates, options)]


def _over_time(result: Result, load: LoadDetails, options: LoadOptions, sizes: Sequence[Held]) -> list[PageBlock]:
    requests, heat = clouds(result, len(load.steps)), latency_heat(result, len(load.steps))
    if requests is None and not any(step.over_time for step in load.steps):
        return []
    limits = [size.limit for size in sizes if size.limit is not None and (size.gate or options.trace is None)]
    limit = next(iter(limits), None)
    dashed = f"; dashed: {'the limit' if len(sizes) > 1 else time_tick(limit)}" if limit is not None else ""
    if requests is None:
        text = f"Percentiles of stretches of time, p99 above p50{dashed}."
    else:
        failed = " A cross failed." if any(cloud.failed for cloud in requests) else ""
        text = f"A dot is a request, at the moment it was due; grey: warm-up, not counted{dashed}.{failed}"
    text += " Flat: the service keeps up. Rising: requests queue."
    return [Section("time", "Over time", "Each step over time", text), *over_time(load, options, sizes, requests, heat)]


def _steps_folded(load: LoadDetails, sizes: Sequence[Held]) -> Folded:
    name, is_open = load.leading, load.loop == "open"
    head = ["Offered/s" if is_open else "In flight", "Batch", "Answered/s", "Queries/s", "p50 ms", "p90", "p95", "p99",
            "p99.9", "max", "p99 from sending", "Failed", "Late", "Requests", *load.tasks, "Held"]  # fmt: skip
    rows, reasons = [], []
    for size in sizes:
        for step in load.steps:
            if any(step is each for each in (*size.steps, *size.again)):
                values, quality = step.values, [_quality_cell(load, step, task, name) for task in load.tasks]
                start = [rate_of(step), f"{size.batch_size}", done_of(step), count(values.get("queries_per_second"))]
                times = [value(values.get(mark), 1) for mark in _TIMES]
                counts = [count(values.get(mark)) for mark in ("failed_requests", "late", "requests")]
                again, why = any(step is each for each in size.again), size.why(step) if is_open else []
                verdict = "run again" if again else "✕" if why else "✓" if is_open else ""
                rows.append([*start, *times, *counts, *quality, verdict])
                reasons += [(step.name, "; ".join(why))] if why and not again else []
    text = f"latency in ms from the due time; {name} over all queries asked" if is_open else f"latency in ms; {name}"
    table = Table(head, rows, "r" * (len(head) - 1) + "l", grouped=False)
    refused = [Table(["Step", "Why it is not held"], reasons, "ll")] if reasons else []
    return Folded("Every step", text, [table, *refused])


def _quality_cell(load: LoadDetails, step: StepDetails, task: str, name: str) -> str:
    mean = step.values.get(f"asked.{task}.{name}")
    part = f" of {step.number('queries_asked'):,.0f} queries" if load.is_part(step) and mean is not None else ""
    return f"{measured(name, mean)}{part}"


def _client_folded(load: LoadDetails) -> Folded:
    limits = [step for step in load.steps if step.client_is_the_limit]
    cpu, lag = (max((step.number(name) for step in load.steps), default=0.0) for name in ("client_cpu", "lag_p99"))
    most = f"at most {share(cpu)} of a core, its clock {time(lag)} late (p99)"
    text = f"in {len(limits)} of {counted(len(load.steps), 'step')}; {most}" if limits else f"no: {most}"
    columns = [
        Column("Step", lambda step: step.name),
        Column("Event loop late, p99 ms", lambda step: value(step.values.get("lag_p99"), 1), "r"),
        Column("Of a core, %", lambda step: value(100 * step.number("client_cpu"), 1), "r"),
        Column("Late by its own doing", lambda step: count(step.values.get("late_by_client")), "r"),
        Column("The limit", lambda step: step.client_is_the_limit or ""),
    ]
    return Folded("Was the client the limit?", text, [table_of(columns, load.steps)])
