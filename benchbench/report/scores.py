"""Scores of runs, printed: measures down, runs across."""

from collections.abc import Sequence
from typing import Any

import orjson

from benchbench.report.columns import paged, plain
from benchbench.report.escape import comma_rows, latex_notes, latex_row, markdown_notes, markdown_row
from benchbench.tables.scores import Scores


def text(scores: Sequence[Scores]) -> str:
    """Return a table with four decimals, and what was counted."""
    first = scores[0]
    head = ["Measure", *(one.name for one in scores)]
    body = [[name, *(_shown(one.aggregates[name]) for one in scores)] for name in first.aggregates]
    lines = [plain(head, body), ""]
    for one in scores:
        lines.append(f"{one.name}: {_counted(one)}")
        lines += [f"  note: {note}" for note in one.notes]
        lines.append(f"  signature {one.signature}")
    return paged(lines)


def json(scores: Sequence[Scores], per_query: bool) -> str:
    """Return the whole result as one JSON value."""
    return orjson.dumps(_value(scores, per_query), option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE).decode()


def json_lines(scores: Sequence[Scores], per_query: bool) -> str:
    """Return a JSON object a line: run, query (null for all), measure, value."""
    keys = ("run", "query", "measure", "value")
    return "".join(orjson.dumps(dict(zip(keys, row, strict=True))).decode() + "\n" for row in _rows(scores, per_query))


def comma_separated(scores: Sequence[Scores], per_query: bool) -> str:
    """Return one row a run, query (empty for all) and measure, values whole."""
    return comma_rows([("run", "query", "measure", "value"), *_rows(scores, per_query)])


def markdown(scores: Sequence[Scores]) -> str:
    """Return the table in Markdown."""
    head = [["Measure", *(one.name for one in scores)], ["---", *["---:"] * len(scores)]]
    body = [[name, *(_shown(one.aggregates[name]) for one in scores)] for name in scores[0].aggregates]
    return "".join(map(markdown_row, head + body)) + markdown_notes(notes(scores))


def latex(scores: Sequence[Scores]) -> str:
    """Return the table as a LaTeX tabular (package booktabs)."""
    rows = [[name, *(_shown(one.aggregates[name]) for one in scores)] for name in scores[0].aggregates]
    body = [latex_row(row) for row in [["Measure", *(one.name for one in scores)], *rows]]
    body.insert(1, r"\midrule")
    return latex_notes(notes(scores)) + "\n".join(
        [r"\begin{tabular}{l" + "r" * len(scores) + "}", r"\toprule", *body, r"\bottomrule", r"\end{tabular}", ""]
    )


def notes(scores: Sequence[Scores]) -> list[str]:
    """Return what the reader should know besides, by run."""
    return [f"{one.name}: {note}" for one in scores for note in one.notes]


def _shown(value: float) -> str:
    return f"{value:.4f}"


def _counted(one: Scores) -> str:
    counts = one.queries
    words = (
        f"{counts['judged']:,} queries judged, {counts['returned']:,} of them returned, {counts['missing']:,} missing, "
        f"{counts['without_positives']:,} without a relevant document; {counts['unjudged']:,} returned and never judged"
    )
    dropped = [f"{number:,} {name.replace('_', ' ')}" for name, number in one.dropped.items() if number]
    return words + (f"; dropped: {', '.join(dropped)}" if dropped else "")


def _value(scores: Sequence[Scores], per_query: bool) -> dict[str, Any]:
    runs = []
    for one in scores:
        run = {"name": one.name, "signature": str(one.signature), "queries": one.queries, "dropped": one.dropped}
        run["notes"] = list(one.notes)
        run["measures"] = one.aggregates
        if per_query:
            run["per_query"] = {
                identity: {name: float(column[q]) for name, column in one.values.items()}
                for q, identity in _counted_queries(one)
            }
        runs.append(run)
    return {"signature": str(scores[0].signature), "queries": scores[0].queries, "runs": runs}


def _rows(scores: Sequence[Scores], per_query: bool) -> list[tuple[str, str | None, str, float]]:
    rows: list[tuple[str, str | None, str, float]] = []
    for one in scores:
        if per_query:
            rows += [
                (one.name, identity, name, float(column[q]))
                for q, identity in _counted_queries(one)
                for name, column in one.values.items()
            ]
        rows += [(one.name, None, name, value) for name, value in one.aggregates.items()]
    return rows


def _counted_queries(one: Scores) -> list[tuple[int, str]]:
    return [(q, identity) for q, identity in enumerate(one.ids) if one.counted[q]]
