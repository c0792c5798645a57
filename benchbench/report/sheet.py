"""A table of figures taken on a machine, in every format that people and tools ask for."""

import csv
import io
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import orjson

from benchbench.report.columns import paged, plain
from benchbench.report.escape import latex_row, markdown_row


class Sheet(NamedTuple):
    """What is printed: where and of what, the table, and the same values whole for tools."""

    machine: str
    work: str  # one line
    head: Sequence[str]
    sides: str  # a letter a column, as LaTeX has them: l or r
    body: Sequence[Sequence[str]]
    notes: Sequence[str]  # what the columns mean
    whole: dict[str, Any]
    flat: list[dict[str, Any]]  # a row each, with machine and workload


def text(sheet: Sheet) -> str:
    """Return the machine, the workload and a table, with what its columns mean."""
    return paged([sheet.machine, sheet.work, "", plain(sheet.head, sheet.body), "", *sheet.notes])


def json(sheet: Sheet) -> str:
    """Return the whole result as one JSON value, the figures of each round with it."""
    return orjson.dumps(sheet.whole, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE).decode()


def json_lines(sheet: Sheet) -> str:
    """Return a JSON object a row, each with machine and workload."""
    return "".join(orjson.dumps(flat).decode() + "\n" for flat in sheet.flat)


def comma_separated(sheet: Sheet) -> str:
    """Return the rows, each with machine and workload; figures are whole, and empty where there is none."""
    file = io.StringIO()
    writer = csv.DictWriter(file, list(sheet.flat[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(sheet.flat)
    return file.getvalue()


def markdown(sheet: Sheet) -> str:
    """Return the table in Markdown, below machine and workload."""
    lines = [sheet.head, [{"l": "---", "r": "---:"}[side] for side in sheet.sides], *sheet.body]
    table = "".join(map(markdown_row, lines))
    return f"{sheet.machine}\n\n{sheet.work}\n\n{table}"


def latex(sheet: Sheet) -> str:
    """Return the table as a LaTeX tabular (package booktabs), with machine and workload in comments."""
    lines = [latex_row(line) for line in [sheet.head, *sheet.body]]
    return "\n".join(
        [
            f"% {sheet.machine}",
            f"% {sheet.work}",
            rf"\begin{{tabular}}{{{sheet.sides}}}",
            r"\toprule",
            lines[0],
            r"\midrule",
            *lines[1:],
            r"\bottomrule",
            r"\end{tabular}",
            "",
        ]
    )


def figure(value: float | None, how: str) -> str:
    """Return a figure as a cell shows it."""
    return "-" if value is None else how.format(value)


FORMATS: dict[str, Callable[[Sheet], str]] = {
    "text": text,
    "json": json,
    "jsonl": json_lines,
    "csv": comma_separated,
    "markdown": markdown,
    "latex": latex,
}
