"""A run of one service: one row per task and measure, one column per cut-off, and notes."""

from collections.abc import Sequence
from dataclasses import asdict

from benchbench.measures.agreement import Likeness
from benchbench.report.blocks import (
    PAGE,
    SUMMARY,
    TERMINAL,
    AnyCell,
    Block,
    Cell,
    Facts,
    Gates,
    Heading,
    Layout,
    Notes,
    Table,
)
from benchbench.results.record import Note
from benchbench.results.result import Result, json_members
from benchbench.runs.details import Asked, RepeatDetails, RunDetails, Value

COMMAND = "benchbench run"
_TITLES = {  # what people call the measures, in the order of the report
    "P": "Precision",
    "R": "Recall",
    "Success": "HitRate",
    "F1": "Macro-F1",
    "microF1": "Micro-F1",
    "nDCG": "nDCG",
    "RR": "MRR",
}
_REASONS = 5  # why queries failed, most frequent first


def layout(result: Result) -> Layout:
    """Return the table of measures, and counts, latency and throughput."""
    run = result.details_as(RunDetails)
    asked = result.settings_as(Asked)
    cutoffs = asked.criteria.cutoffs
    body: list[list[AnyCell]] = [
        [task, title, *(Cell(*shown(one)) for one in values)] for task, title, values in rows(run, cutoffs)
    ]
    title = f"{run.name} on {result.record.data.name}: {run.counts['queries']:,} queries"
    facts, signature = _facts(run, asked, result.record.notes), ("Signature", run.signature)
    gates = [("Gate", gate.outcome) for gate in result.record.gates if gate.verdict != "broken"]
    blocks: list[Block] = [
        Heading(title, percent(run)),
        Table(["Task", "Metric", *(f"@{k}" for k in cutoffs)], body, "ll" + "r" * len(cutoffs), grouped=True),
        Facts([*facts, *gates, signature], where=TERMINAL),
        Gates(where=PAGE),
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
    )


def percent(run: RunDetails) -> str:
    """Return the unit of the table, and how its intervals were made."""
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


def rows(run: RunDetails, cutoffs: Sequence[int]) -> list[tuple[str, str, list[Value]]]:
    """Return task, title, and the values by cut-off."""
    return [
        (task.capitalize(), title, [measures[f"{measure}@{k}"] for k in cutoffs])
        for task, measures in run.measures.items()
        for measure, title in _TITLES.items()
    ]


def shown(one: Value) -> tuple[str, str]:
    """Return a value as a percentage, and its interval where there is one."""
    value = "nan" if one.value is None else f"{100 * one.value:.2f}"
    return value, "" if one.low is None or one.high is None else f"[{100 * one.low:.1f}, {100 * one.high:.1f}]"


def _facts(run: RunDetails, asked: Asked, notes: Sequence[Note]) -> list[tuple[str, str]]:
    counts, latency, client = run.counts, run.latency, run.client
    said = {*run.warnings, run.bottleneck}
    times = ", ".join(f"{name} {time:,.1f}" for name, time in {**latency.percentiles, "max": latency.max}.items())
    facts = [
        ("Queries", f"{counts['scored']:,} scored, {counts['failed']:,} failed (a failed query counts as 0)"),
        (
            "Hits",
            f"{counts['hits']:,} received; removed before ranking: {counts['self_hits']:,} self-retrievals, "
            f"{counts['copies']:,} copies of the query's text, {counts['duplicates']:,} repeated ids",
        ),
        ("", f"the query's own text stood first for {counts['own_text_first']:,} of {counts['queries']:,} queries"),
        *(("", note.text) for note in notes if note.text not in said),
        *(("Note", warning) for warning in run.warnings),
        (
            "Latency",
            f"{times} ms per request of {asked.batch_size} queries ({latency.requests:,} requests, "
            f"{latency.attempts - latency.requests:,} retries)",
        ),
        (
            "Throughput",
            f"{latency.queries_per_second:,.0f} queries/s at concurrency {asked.concurrency}, "
            f"{latency.bytes / 1e6:,.1f} MB in {latency.seconds:.2f} s",
        ),
    ]
    if "cpu" in client:
        late = f"late by {client['lag_p99_ms']:.1f} (p99), at most {client['lag_max_ms']:.1f} ms"
        facts.append(("Client", f"event loop {late}; {100 * client['cpu']:.0f} % of a core"))
    if run.repeats is not None:
        facts += repeated(run.repeats, max(asked.criteria.cutoffs))
    if run.bottleneck is not None:
        facts.append(("", run.bottleneck))
    reasons = list(run.failures.items())[:_REASONS]
    return [*facts, *(("Failed", f"{times:,} queries: {reason}") for reason, times in reasons)]


def repeated(found: RepeatDetails, deepest: int) -> list[tuple[str, str]]:
    """Return how much the service differs from itself."""
    alike = [f"{one.measure} {_mean(one)}" for one in found.agreement]
    facts = [("Repeats", f"{found.passes:,} passes over the queries; later ones beside the first: {', '.join(alike)}")]
    for task, measures in found.measures.items():
        name = f"nDCG@{deepest}"
        means, spread = ", ".join(f"{100 * mean:.2f}" for mean in measures[name]), 100 * found.spread(task, name)
        facts.append(("", f"{task} {name} of each pass {means}; spread {spread:.2f}"))
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


def _mean(one: Likeness) -> str:
    value = "-" if one.mean is None else f"{one.mean:.4f}"
    return value if one.low is None or one.high is None else f"{value} [{one.low:.4f}, {one.high:.4f}]"
