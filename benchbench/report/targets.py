"""Several services over the same queries, side by side."""

from collections.abc import Callable, Mapping
from dataclasses import asdict
from html import escape
from typing import Any

import orjson

from benchbench.experiment import Outcome
from benchbench.report import summary as one_service
from benchbench.report.columns import paged, plain
from benchbench.report.escape import comma_rows, latex_row, markdown_row
from benchbench.report.html import filled
from benchbench.report.table import cell, rows

Outcomes = Mapping[str, Outcome]


def summary(outcomes: Outcomes) -> dict[str, Any]:
    """Return every number of every target, as its own `summary.json` has them."""
    return {"targets": {name: one_service.summary(outcome) for name, outcome in outcomes.items()}}


def table(outcomes: Outcomes) -> tuple[list[str], list[list[str]]]:
    """Return head and rows: measures at the largest cut-off, then speed and failures; a column a target."""
    body: list[list[str]] = []
    previous = None
    for lines in zip(*(rows(outcome) for outcome in outcomes.values()), strict=True):
        task, title, values = lines[0]
        measure = f"{title}@{values[-1].measure.partition('@')[2]}"
        body.append(["" if task == previous else task, measure, *(cell(line[2][-1]) for line in lines)])
        previous = task
    speed: tuple[tuple[str, Callable[[Outcome], str]], ...] = (
        ("p50, ms a request", lambda one: f"{one.latency.percentiles['p50']:,.1f}"),
        ("p99, ms a request", lambda one: f"{one.latency.percentiles['p99']:,.1f}"),
        ("queries/s", lambda one: f"{one.latency.queries_per_second:,.0f}"),
        ("failed queries", lambda one: f"{one.counts['failed']:,}"),
    )
    for place, (title, shown) in enumerate(speed):
        body.append(["" if place else "Service", title, *map(shown, outcomes.values())])
    return ["Task", "Metric", *outcomes], body


def heading(outcomes: Outcomes) -> str:
    """Return what was measured."""
    first = next(iter(outcomes.values()))
    n, data = first.counts["queries"], first.settings.dataset.queries.parent.name or "."
    return f"{', '.join(outcomes)} on {data}: {n:,} queries each"


def text(outcomes: Outcomes) -> str:
    """Return the table for people, and what it rests on."""
    title = heading(outcomes)
    lines = [title, "=" * len(title), "Percent, with 95 % bootstrap intervals over queries.", ""]
    lines += [plain(*table(outcomes)), "", *facts(outcomes)]
    for name, outcome in outcomes.items():
        lines += [f"{name}: gate failed: {gate.failure}" for gate in outcome.gates if gate.failure is not None]
    return paged(lines)


def facts(outcomes: Outcomes) -> list[str]:
    """Return how the targets were asked, what held them up, and their signatures, a sentence each."""
    settings = next(iter(outcomes.values())).settings
    lines = [
        f"The targets took turns, a round of batches each, at concurrency {settings.concurrency} and "
        f"{settings.batch_size} queries a batch."
    ]
    for name, outcome in outcomes.items():
        if outcome.bottleneck is not None:
            lines.append(f"{name}: {outcome.bottleneck}")
        lines.append(f"{name}: signature {outcome.signature}")
    return [*lines, *warnings(outcomes)]


def warnings(outcomes: Outcomes) -> list[str]:
    """Return what the numbers leave out, by target."""
    return [f"{name}: {said}" for name, outcome in outcomes.items() for said in one_service.warnings(outcome)]


def page(outcomes: Outcomes) -> str:
    """Return the table as a page that opens offline; each target's own report is in its folder."""
    head, body = table(outcomes)
    title = escape(f"{', '.join(outcomes)}: {next(iter(outcomes.values())).counts['queries']:,} queries each")
    lines = text(outcomes).splitlines()
    facts = "\n".join(lines[lines.index("", 4) + 1 :])
    heads = "".join(f'<th scope="col">{escape(name)}</th>' for name in head)
    rows_shown = ["<tr>" + "".join(f"<td>{escape(one)}</td>" for one in row) + "</tr>" for row in body]
    return filled(title, heads, "\n".join(rows_shown), escape(facts))


def markdown(outcomes: Outcomes) -> str:
    """Return the table in Markdown."""
    head, body = table(outcomes)
    return "".join(map(markdown_row, [head, ["---", "---", *["---:"] * len(outcomes)], *body]))


def latex(outcomes: Outcomes) -> str:
    """Return the table as a LaTeX tabular (package booktabs)."""
    head, body = table(outcomes)
    lines = [latex_row(line) for line in [head, *body]]
    lines.insert(1, r"\midrule")
    return "\n".join(
        [r"\begin{tabular}{ll" + "r" * len(outcomes) + "}", r"\toprule", *lines, r"\bottomrule", r"\end{tabular}", ""]
    )


def comma_separated(outcomes: Outcomes) -> str:
    """Return every estimate whole, one row each."""
    rows = [[name, *asdict(one).values()] for name, outcome in outcomes.items() for one in outcome.estimates]
    return comma_rows([["target", "task", "measure", "value", "stderr", "low", "high"], *rows])


def json_lines(outcomes: Outcomes) -> str:
    """Return every estimate whole, one JSON object a line."""
    return "".join(
        orjson.dumps({"target": name, **asdict(one)}).decode() + "\n"
        for name, outcome in outcomes.items()
        for one in outcome.estimates
    )
