"""Several services over the same queries: one row per measure, one column per service.

Of the default measures, those at the largest cut-off are shown.
"""

from collections.abc import Callable
from dataclasses import asdict

from benchbench.measures.default_list import default_cutoffs
from benchbench.measures.notation import resolve
from benchbench.report.blocks import PAGE, SUMMARY, TERMINAL, Block, Gates, Heading, Layout, Notes, Table, Text
from benchbench.report.layouts.run import COMMAND, measure_table, percent, repeated, shown, task_title
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
        Table(["Task", "Metric", *runs], _body(runs), "ll" + "r" * len(runs)),
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


def _body(runs: dict[str, RunDetails]) -> list[list[str]]:
    body: list[list[str]] = []
    first = next(iter(runs.values()))
    for task in first.measures:
        start = task_title(task)
        for title, name in _lines(first.names):
            if name not in first.measures[task]:
                continue
            cells = (" ".join(shown(name, run.measures[task][name])).rstrip() for run in runs.values())
            body.append([start, title, *cells])
            start = ""
    for place, (title, value) in enumerate(_SERVICE):
        body.append(["" if place else "Service", title, *map(value, runs.values())])
    return body


def _lines(names: list[str]) -> list[tuple[str, str]]:
    """Return title and name of each measure that is shown."""
    if not default_cutoffs(resolve(names)):
        return [(name, name) for name in names]
    table = measure_table(names)
    return [(f"{title}{table.heads[-1]}", at[-1]) for title, at in table.rows if at[-1]]


def _facts(runs: dict[str, RunDetails], asked: Asked) -> list[str]:
    """Return how the services were queried, and of each its groups of queries, passes, bottleneck and signature."""
    facts = [
        f"The targets took turns, a round of batches each, at concurrency {asked.concurrency} and {asked.batch_size} "
        "queries per batch."
    ]
    for name, run in runs.items():
        facts += [f"{name}: {said}" for said in groups_said(run)]
        if run.repeats is not None:
            facts += [f"{name}: {said}" for _, said in repeated(run.repeats)]
        facts += [] if run.bottleneck is None else [f"{name}: {run.bottleneck}"]
        facts.append(f"{name}: signature {run.signature}")
    return facts


def _milliseconds(run: RunDetails, mark: str) -> str:
    return f"{run.latency.percentiles[mark]:,.1f}"
