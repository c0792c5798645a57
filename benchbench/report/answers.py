"""An evaluation of answers, printed: metrics down; then source types and categories down, metrics across."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from typing import Any

import orjson

import benchbench
from benchbench.answers.metrics import Metric, Value
from benchbench.answers.summary import Line, Summary
from benchbench.measures.signature import Signature
from benchbench.report.columns import paged, plain
from benchbench.report.escape import comma_rows, latex_notes, latex_row, markdown_notes, markdown_row
from benchbench.results.checks import members
from benchbench.results.record import GateResult
from benchbench.tables.answers import Answer

_HEAD = ("Metric", "Mean", "95 % interval", "Answers", "Expected", "Mean where expected", "Band")
_ALL = ("", "")
_FEW = 3  # metrics that groups show with their intervals; more make the table too wide


def text(summary: Summary, metrics: Sequence[Metric], gates: Sequence[GateResult] = ()) -> str:
    """Return the tables for people."""
    lines = [plain(_HEAD, [_cells(line) for line in summary.lines()]), ""]
    lines += [f"{label:<12}{said}" for label, said in remarks(summary)]
    lines += [f"Gate        {gate.outcome}" for gate in gates]
    for column, title in (("source_type", "Source type"), ("category", "Category")):
        groups = [group for group in summary.groups() if group[0] == column]
        if groups:
            lines += ["", _grouped(summary, metrics, groups, title)]
    return paged([*lines, "", f"Signature   {signature(summary)}"])


def signature(summary: Summary) -> Signature:
    """Return what the means depend on."""
    return Signature(
        {
            "metrics": ",".join(summary.metrics),
            "failed": "left out",
            "questions": f"{summary.total} (null {summary.nulls}, unanswered {summary.unanswered})",
            "data": summary.questions_digest,
            "answers": summary.responses_digest,
            "version": benchbench.__version__,
        }
    )


def remarks(summary: Summary) -> list[tuple[str, str]]:
    """Return, each with a label, how many answers there are, and the most frequent reasons of those that failed."""
    reasons = [
        ("Failed", f"{times:,} question{'s' * (times != 1)}: {reason}") for reason, times in _most(summary.failures, 5)
    ]
    missing, those = summary.unanswered, "question has" if summary.unanswered == 1 else "questions have"
    unanswered = [
        ("Unanswered", f"{missing:,} {those} no answer at all, and {'is' if missing == 1 else 'are'} in no mean")
    ]
    return [
        ("Answers", f"{summary.total:,}, of them {summary.nulls:,} null (in no mean)"),
        *(unanswered if missing else []),
        *reasons,
    ]


def notes(summary: Summary) -> list[str]:
    """Return what the means leave out, a sentence each; nothing where every question has its answer."""
    return [f"{label}: {said}" for label, said in remarks(summary)] if summary.nulls or summary.unanswered else []


def value(summary: Summary, gates: Sequence[GateResult] = ()) -> dict[str, Any]:
    """Return everything as JSON values: what `summary.json` holds."""
    shown: dict[str, Any] = {
        "signature": str(signature(summary)),
        "data_digest": summary.questions_digest,
        "answers": summary.total,
        "unanswered": summary.unanswered,
        "failures": dict(_most(summary.failures, len(summary.failures))),
        "gates": [members(gate) for gate in gates],
        "metrics": _by_metric(summary.lines()),
    }
    for column in ("source_type", "category"):
        shown[column] = {
            group[1]: {"answers": summary.answers[group], "metrics": _by_metric(summary.lines(group))}
            for group in summary.groups()
            if group[0] == column
        }
    return shown


def json(summary: Summary, gates: Sequence[GateResult] = ()) -> str:
    """Return the whole result as one JSON value."""
    return orjson.dumps(value(summary, gates), option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE).decode()


def json_lines(summary: Summary) -> str:
    """Return a JSON object a group and metric."""
    return "".join(orjson.dumps(row).decode() + "\n" for row in _rows(summary))


def comma_separated(summary: Summary) -> str:
    """Return a row a group and metric."""
    rows = list(_rows(summary))
    return comma_rows([list(rows[0]), *(list(row.values()) for row in rows)])


def markdown(summary: Summary) -> str:
    """Return the table over all answers in Markdown, and what its means leave out."""
    return table(summary) + markdown_notes(notes(summary))


def table(summary: Summary) -> str:
    """Return the table alone."""
    lines = [_HEAD, ["---", *["---:"] * 5, "---"], *map(_cells, summary.lines())]
    return "".join(map(markdown_row, lines))


def latex(summary: Summary) -> str:
    """Return the table over all answers as a LaTeX tabular (package booktabs)."""
    rows = [latex_row(row) for row in _table(summary)]
    rows.insert(1, r"\midrule")
    return latex_notes(notes(summary)) + "\n".join(
        [r"\begin{tabular}{lrrrrrl}", r"\toprule", *rows, r"\bottomrule", r"\end{tabular}", ""]
    )


def line(answer: Answer, metrics: Sequence[Metric], values: Sequence[Value]) -> bytes:
    """Return an answer with its scores and marks as a line of `eval_results.jsonl`."""
    return orjson.dumps(result(answer, metrics, values, marks=True), option=orjson.OPT_APPEND_NEWLINE)


def result(answer: Answer, metrics: Sequence[Metric], values: Sequence[Value], marks: bool = False) -> dict[str, Any]:
    """Return an answer with its scores: a line of `eval_results.jsonl`.

    `answer_marks` and `truth_marks` are places `[start, end, found]` in characters, by metric.
    """
    row: dict[str, Any] = {
        "question": answer.asked.question,
        "truth": answer.truth,
        "answer": answer.response,
        "context": answer.context,
        "latency": -1 if answer.latency is None else answer.latency,
        "error": answer.failure,
        "source_type": answer.asked.source_type,
        "category": answer.asked.category,
    }
    for metric, one in zip(metrics, values, strict=True):
        row |= {metric.name: None if math.isnan(one.score) else one.score, **one.parts}
    if marks:
        for name, missed in (("answer_marks", False), ("truth_marks", True)):
            row[name] = {
                metric.name: [
                    (mark.start, mark.end, mark.found) for mark in one.marks if (mark.found == "missed") == missed
                ]
                for metric, one in zip(metrics, values, strict=True)
                if one.marks
            }
    return row


def _table(summary: Summary) -> list[Sequence[str]]:
    return [_HEAD, *map(_cells, summary.lines())]


def _cells(line: Line) -> list[str]:
    expected = "" if line.expected == line.answers else f"{line.expected:,}"
    where = _shown(line.mean_expected) if expected and line.mean_expected is not None else ""
    return [line.metric, _shown(line.mean), _interval(line), f"{line.answers:,}", expected, where, line.band]


def _interval(line: Line) -> str:
    return "" if line.low is None or line.high is None else f"{_shown(line.low)} to {_shown(line.high)}"


def _grouped(summary: Summary, metrics: Sequence[Metric], groups: Iterable[tuple[str, str]], title: str) -> str:
    names = [metric.name for metric in metrics]
    few = len(names) <= _FEW
    body = []
    for group in (*groups, _ALL):
        cells = {line.metric: [_shown(line.mean), _interval(line)][: 1 + few] for line in summary.lines(group)}
        body.append(
            [group[1] or "all", f"{summary.answers[group]:,}", *(cell for name in names for cell in cells[name])]
        )
    heads = [
        head
        for name in names
        for head in (name.removesuffix("_accuracy").replace("_", " "), "95 % interval")[: 1 + few]
    ]
    return plain([title, "Answers", *heads], body)


def _by_metric(lines: Iterable[Line]) -> dict[str, Any]:
    return {line.metric: {key: one for key, one in asdict(line).items() if key != "metric"} for line in lines}


def _rows(summary: Summary) -> Iterable[dict[str, Any]]:
    for column, name in summary.groups():
        for line in summary.lines((column, name)):
            yield {"column": column, "group": name, **asdict(line)}


def _most(reasons: Mapping[str, int], number: int) -> list[tuple[str, int]]:
    return sorted(reasons.items(), key=lambda item: (-item[1], item[0]))[:number]


def _shown(value: float | None) -> str:
    if value is None:
        return "–"
    return f"{value:,.1f}" if abs(value) >= 100 else f"{value:.3f}"
