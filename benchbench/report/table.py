"""The estimates of a run as tables: for terminals, Markdown, LaTeX, CSV and JSON lines."""

from dataclasses import asdict

import orjson

from benchbench.experiment import Outcome
from benchbench.measures.aggregate import Estimate
from benchbench.report.columns import Table, plain
from benchbench.report.escape import comma_rows, latex_row, markdown_row

TITLES = {  # what people call the measures, in the order of the report
    "P": "Precision",
    "R": "Recall",
    "Success": "HitRate",
    "F1": "Macro-F1",
    "microF1": "Micro-F1",
    "nDCG": "nDCG",
    "RR": "MRR",
}


def cell(estimate: Estimate) -> str:
    """Return a value as a percentage, with its interval where there is one."""
    value = f"{100 * estimate.value:.2f}"
    if estimate.low is None or estimate.high is None:
        return value
    return f"{value} [{100 * estimate.low:.1f}, {100 * estimate.high:.1f}]"


def rows(outcome: Outcome) -> list[tuple[str, str, list[Estimate]]]:
    """Return `(task, title, estimates by cut-off)`, as the summary shows them."""
    named = {(one.task, one.measure): one for one in outcome.estimates}
    cutoffs = outcome.settings.criteria.cutoffs
    return [
        (task.capitalize(), title, [named[task, f"{measure}@{k}"] for k in cutoffs])
        for task in outcome.tasks
        for measure, title in TITLES.items()
    ]


def header(outcome: Outcome) -> list[str]:
    """Return the column heads of the summary."""
    return ["Task", "Metric", *(f"@{k}" for k in outcome.settings.criteria.cutoffs)]


def summary_table(outcome: Outcome) -> Table:
    """Return task, metric and cut-offs in percent, for people."""
    head = header(outcome)
    body: list[list[str]] = []
    previous = None
    for task, title, values in rows(outcome):
        if previous not in (None, task):
            body.append([""] * len(head))
        body.append(["" if task == previous else task, title, *map(cell, values)])
        previous = task
    return plain(head, body)


def markdown(outcome: Outcome) -> str:
    """Return the same table in Markdown."""
    head = header(outcome)
    lines = [head, ["---", "---", *["---:"] * (len(head) - 2)]]
    lines += [[task, title, *map(cell, values)] for task, title, values in rows(outcome)]
    return "".join(map(markdown_row, lines))


def latex(outcome: Outcome) -> str:
    """Return the same table as a LaTeX tabular (package booktabs), without intervals."""
    head = header(outcome)
    lines = [r"\begin{tabular}{ll" + "r" * (len(head) - 2) + "}", r"\toprule", latex_row(head)]
    previous = None
    for task, title, values in rows(outcome):
        if task != previous:
            lines.append(r"\midrule")
        numbers = (f"{100 * value.value:.2f}" for value in values)
        lines.append(latex_row(["" if task == previous else task, title, *numbers]))
        previous = task
    return "\n".join([*lines, r"\bottomrule", r"\end{tabular}", ""])


def comma_separated(outcome: Outcome) -> str:
    """Return every estimate whole, one row each."""
    rows = [list(asdict(estimate).values()) for estimate in outcome.estimates]
    return comma_rows([["task", "measure", "value", "stderr", "low", "high"], *rows])


def json_lines(outcome: Outcome) -> str:
    """Return every estimate whole, one JSON object a line."""
    return "".join(orjson.dumps(asdict(one)).decode() + "\n" for one in outcome.estimates)
