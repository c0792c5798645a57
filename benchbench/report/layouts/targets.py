"""Several services over the same queries: one row per measure at the largest cut-off, one column per service."""

from collections.abc import Callable
from dataclasses import asdict

from benchbench.report.blocks import PAGE, SUMMARY, TERMINAL, Block, Gates, Heading, Layout, Notes, Table, Text
from benchbench.report.layouts.run import COMMAND, percent, repeated, rows, shown
from benchbench.results.result import Result, json_members
from benchbench.runs.details import Asked, RunDetails, TargetsDetails
from benchbench.runs.record import groups_said

_SERVICE: tuple[tuple[str, Callable[[RunDetails], str]], ...] = (
    ("p50, ms per request", lambda run: _milliseconds(run, "p50")),
    ("p99, ms per request", lambda run: _milliseconds(run, "p99")),
    ("queries/s", lambda run: f"{run.latency.queries_per_second:,.0f}"),
    ("failed queries", lambda run: f"{run.counts['failed']:,}"),
)


def layout(result: Result) -> Layout:
    """Return the table and the facts below it."""
    runs, asked = result.details_as(TargetsDetails).targets, result.settings_as(Asked)
    first = next(iter(runs.values()))
    title = f"{', '.join(runs)} on {result.record.data.name}: {first.counts['queries']:,} queries each"
    warnings = [f"{name}: {said}" for name, run in runs.items() for said in run.warnings]
    facts = [*_facts(runs, asked), *warnings]
    failed = [gate.said for gate in result.record.gates if gate.verdict == "failed"]
    blocks: list[Block] = [
        Heading(title, percent(next(iter(runs.values())))),
        Table(["Task", "Metric", *runs], _body(runs, max(asked.criteria.cutoffs)), "ll" + "r" * len(runs)),
        Text([*facts, *failed], where=TERMINAL),
        Text(facts, where=PAGE | SUMMARY),
        Gates(where=PAGE),
        Notes(warnings),
    ]
    return Layout(
        title,
        blocks,
        lambda: json_members(result),
        lambda: ({"target": name, **asdict(one)} for name, run in runs.items() for one in run.estimates),
        notes=warnings,
        command=COMMAND,
    )


def _body(runs: dict[str, RunDetails], deepest: int) -> list[list[str]]:
    body: list[list[str]] = []
    previous = None
    for lines in zip(*(rows(run, [deepest]) for run in runs.values()), strict=True):
        task, title, _ = lines[0]
        cells = (" ".join(shown(one)).rstrip() for *_, (one,) in lines)
        body.append(["" if task == previous else task, f"{title}@{deepest}", *cells])
        previous = task
    for place, (title, value) in enumerate(_SERVICE):
        body.append(["" if place else "Service", title, *map(value, runs.values())])
    return body


def _facts(runs: dict[str, RunDetails], asked: Asked) -> list[str]:
    """Return how the services were queried, and of each its groups of queries, passes, bottleneck and signature."""
    facts = [
        f"The targets took turns, a round of batches each, at concurrency {asked.concurrency} and {asked.batch_size} "
        "queries per batch."
    ]
    for name, run in runs.items():
        facts += [f"{name}: {said}" for said in groups_said(run)]
        if run.repeats is not None:
            facts += [f"{name}: {said}" for _, said in repeated(run.repeats, max(asked.criteria.cutoffs))]
        facts += [] if run.bottleneck is None else [f"{name}: {run.bottleneck}"]
        facts.append(f"{name}: signature {run.signature}")
    return facts


def _milliseconds(run: RunDetails, mark: str) -> str:
    return f"{run.latency.percentiles[mark]:,.1f}"
