"""Several services over the same queries: one row per measure, one column per service.

Of the default measures, those at the largest cut-off are shown.
"""

from collections.abc import Callable
from dataclasses import asdict

from benchbench.measures.default_list import default_cutoffs
from benchbench.measures.notation import better, measured, resolve
from benchbench.report.blocks import (
    PAGE,
    PAPER,
    SUMMARY,
    TERMINAL,
    AnyCell,
    Block,
    Cell,
    Facts,
    Gates,
    Heading,
    Notes,
    Table,
    Text,
    Verdict,
)
from benchbench.report.layout import Layout
from benchbench.report.layouts import signatures
from benchbench.report.layouts.run import COMMAND, measure_table, repeated, shown, task_title, unit
from benchbench.results.figures import behind, value
from benchbench.results.headline import best
from benchbench.results.measured import json_members
from benchbench.results.record import Better
from benchbench.results.result import Result
from benchbench.runs.details import Asked, RunDetails, TargetsDetails
from benchbench.runs.headline import few_requests, headline_of_several
from benchbench.runs.run_record import groups_said

_SERVICE: tuple[tuple[str, int, Better, Callable[[RunDetails], float]], ...] = (
    ("p50, ms per request", 1, "lower", lambda run: run.latency.percentiles["p50"]),
    ("p99, ms per request", 1, "lower", lambda run: run.latency.percentiles["p99"]),
    ("queries/s", 0, "higher", lambda run: run.latency.queries_per_second),
    ("failed queries", 0, "lower", lambda run: run.counts["failed"]),
)


def layout(result: Result) -> Layout:
    """Return the table and the facts below it."""
    runs, asked = result.details_as(TargetsDetails).targets, result.settings_as(Asked)
    first = next(iter(runs.values()))
    title = f"{', '.join(runs)} on {result.record.data.name}: {first.counts['queries']:,} queries each"
    warnings = [f"{name}: {said}" for name, run in runs.items() for said in run.warnings]
    facts = [*_facts(runs, asked), *warnings]
    sides = "ll" + "r" * len(runs)
    blocks: list[Block] = [
        Verdict(*headline_of_several(runs, result.record.data.name)),
        Table(["Task", "Metric", *runs], _fractions(runs), sides, grouped=True, where=TERMINAL),
        Gates(where=TERMINAL),
        Facts(
            [
                *_said(runs, asked),
                *(("Note", said) for said in warnings),
                signatures.row_of({name: run.signature for name, run in runs.items()}),
            ],
            where=TERMINAL,
        ),
        Heading(title, unit(first), where=PAGE),
        Table(["Task", "Metric", *runs], _body(runs), sides, where=PAGE | PAPER | SUMMARY),
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
    for place, (title, digits, _, number) in enumerate(_SERVICE):
        body.append(["" if place else "Service", title, *(value(number(run), digits) for run in runs.values())])
    return body


def _fractions(runs: dict[str, RunDetails]) -> list[list[AnyCell]]:
    """Return the rows of a terminal, the best value of each strong."""
    body: list[list[AnyCell]] = []
    first = next(iter(runs.values()))
    for task in first.measures:
        for title, name in _lines(first.names):
            if name in first.measures[task]:
                found = [run.measures[task][name] for run in runs.values()]
                lead = best([one.value for one in found], better(name))
                cells = [
                    Cell(measured(name, one.value), behind(one.low, one.high, 3), strong=place in lead)
                    for place, one in enumerate(found)
                ]
                body.append([task_title(task), title, *cells])
    for title, digits, direction, number in _SERVICE:
        values = [number(run) for run in runs.values()]
        lead = best(values, direction)
        body.append(["Service", title, *(Cell(value(one, digits), strong=n in lead) for n, one in enumerate(values))])
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


def _said(runs: dict[str, RunDetails], asked: Asked) -> list[tuple[str, str]]:
    """Return what a terminal says of how the services were asked, and of each that deserves a word."""
    facts = [
        (
            "Asked",
            f"in turns, a round of batches each, at concurrency {asked.concurrency} and {asked.batch_size} queries per "
            "batch",
        )
    ]
    for name, run in runs.items():
        said = [*(f"! {one}" for one in (few_requests(run), run.bottleneck) if one), *groups_said(run)]
        said += [] if run.repeats is None else [one for _, one in repeated(run.repeats, measured)]
        facts += [("" if number else name, one) for number, one in enumerate(said)]
    return facts
