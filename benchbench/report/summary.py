"""The whole result as one JSON value, and as text for people."""

import os
import platform
import re
import sys
from collections.abc import Sequence
from importlib.metadata import version
from typing import Any

import benchbench
from benchbench.experiment import Outcome, Settings
from benchbench.report.columns import paged
from benchbench.report.table import summary_table
from benchbench.results.checks import members
from benchbench.tables.cores import usable_cores
from benchbench.tasks.count_sentences import beyond, counted, reading

_LIBRARIES = ("aiohttp", "bm25s", "numba", "numpy", "orjson", "polars", "xxhash")


def summary(outcome: Outcome) -> dict[str, Any]:
    """Return what `summary.json` holds: every number of the run, whole."""
    measures: dict[str, dict[str, Any]] = {task: {} for task in outcome.tasks}
    for one in outcome.estimates:
        measures[one.task][one.measure] = {
            "value": one.value,
            "stderr": one.stderr,
            "low": one.low,
            "high": one.high,
        }
    return {
        "signature": str(outcome.signature),
        "name": outcome.settings.name,
        "url": outcome.url,
        "counts": outcome.counts,
        "unlabelled_hits": outcome.unlabelled_hits,
        "queries_without_label": outcome.queries_without_label,
        "hit_faults": outcome.faults,
        "failures": outcome.failures,
        "latency_ms": {
            "mean": outcome.latency.mean,
            **outcome.latency.percentiles,
            "max": outcome.latency.max,
        },
        "throughput": {
            "queries_per_second": outcome.latency.queries_per_second,
            "seconds": outcome.latency.seconds,
            "requests": outcome.latency.requests,
            "attempts": outcome.latency.attempts,
            "failed_attempts": outcome.latency.failed_attempts,
            "bytes": outcome.latency.bytes,
        },
        "client": {**outcome.client, "bottleneck": outcome.bottleneck},
        "gates": [members(gate) for gate in outcome.gates],
        "warnings": warnings(outcome),
        "measures": measures,
    }


def config(settings: Settings, url: str, digest: str, max_error_rate: float) -> dict[str, Any]:
    """Return what `config.json` holds: every option in force, versions and host; no secret."""
    return {
        "options": {**settings.shown(url), "max_error_rate": max_error_rate},
        "data_digest": digest,
        **environment(_LIBRARIES),
        "command": _command(sys.argv[1:]),
    }


def environment(libraries: Sequence[str]) -> dict[str, Any]:
    """Return the versions and the host that a result depends on."""
    return {
        "versions": {
            "benchbench": benchbench.__version__,
            "python": platform.python_version(),
            **{name: version(name) for name in libraries},
        },
        "host": {
            "system": platform.platform(),
            "machine": platform.machine(),
            "cpus": os.cpu_count(),
            "usable_cpus": usable_cores(),
        },
    }


def _command(words: list[str]) -> list[str]:
    """Return the words without what may be secret: user, password and query of URLs, values of headers."""
    shown = [re.sub(r"(https?://)(?:\S*@)?([^\s?#]*)\S*", r"\1\2", word) for word in words]
    for place, word in enumerate(shown):
        if word == "--header" and place + 1 < len(shown):
            shown[place + 1] = f"{shown[place + 1].partition(':')[0]}: [hidden]"
        elif word.startswith("--header="):
            shown[place] = f"{word.partition(':')[0]}: [hidden]"
    return shown


def heading(outcome: Outcome) -> str:
    """Return what was measured."""
    settings = outcome.settings
    return f"{settings.name} on {settings.dataset.queries.parent.name or '.'}: {outcome.counts['queries']:,} queries"


def text(outcome: Outcome) -> str:
    """Return what `evaluate_summary.txt` holds."""
    title = heading(outcome)
    lines = [title, "=" * len(title), "Percent, with 95 % bootstrap intervals over queries.", ""]
    lines += [summary_table(outcome), "", *facts(outcome)]
    lines += [f"Gate        {gate.outcome}" for gate in outcome.gates]
    return paged([*lines, f"Signature   {outcome.signature}"])


def facts(outcome: Outcome) -> list[str]:
    """Return counts, latency and throughput, a line each."""
    counts, latency = outcome.counts, outcome.latency
    n = counts["queries"]
    lines = [
        f"Queries     {counts['scored']:,} scored, {counts['failed']:,} failed (a failed query counts as 0)",
        f"Hits        {counts['hits']:,} received; removed before ranking: {counts['self_hits']:,} self-retrievals, "
        f"{counts['copies']:,} copies of the query's text, {counts['duplicates']:,} repeated ids",
        f"            the query's own text stood first for {counts['own_text_first']:,} of {n:,} queries",
    ]
    lines += [f"            {sentence}" for sentence in _on_hits(outcome)]
    lines += [f"Note        {sentence}" for sentence in warnings(outcome)]
    percentiles = ", ".join(f"{name} {value:,.1f}" for name, value in latency.percentiles.items())
    lines += [
        f"Latency     {percentiles}, max {latency.max:,.1f} ms a request of {outcome.settings.batch_size} queries "
        f"({latency.requests:,} requests, {latency.attempts - latency.requests:,} retries)",
        f"Throughput  {latency.queries_per_second:,.0f} queries/s at concurrency {outcome.settings.concurrency}, "
        f"{latency.bytes / 1e6:,.1f} MB in {latency.seconds:.2f} s",
    ]
    lines.append(
        f"Client      event loop late by {outcome.client['lag_p99_ms']:.1f} (p99), at most "
        f"{outcome.client['lag_max_ms']:.1f} ms; {100 * outcome.client['cpu']:.0f} % of a core"
    )
    if outcome.bottleneck is not None:
        lines.append(f"            {outcome.bottleneck}")
    for reason, times in list(outcome.failures.items())[:5]:
        lines.append(f"Failed      {times:,} queries: {reason}")
    return lines


def warnings(outcome: Outcome) -> list[str]:
    """Return what the numbers leave out, a sentence each: whatever shows a number shows them too."""
    unmatched = [] if outcome.unmatched is None else [outcome.unmatched]
    read = reading(outcome.counts, outcome.settings.criteria.max_positives)
    return [*unmatched, *read, *beyond(outcome.faults, outcome.settings.top_k)]


def _on_hits(outcome: Outcome) -> list[str]:
    deepest, without_label = max(outcome.settings.criteria.cutoffs), outcome.queries_without_label
    return counted(outcome.counts, deepest, outcome.unlabelled_hits, without_label, outcome.faults)
