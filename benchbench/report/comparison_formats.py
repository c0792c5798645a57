"""A comparison for papers and for programs: Markdown, LaTeX, CSV, JSON."""

from collections.abc import Callable
from dataclasses import asdict
from string import ascii_lowercase
from typing import Any

import orjson
import polars as pl

from benchbench.report import escape
from benchbench.report.comparison_words import TESTS, number
from benchbench.results.checks import members
from benchbench.significance.outcome import Document, Outcome

_BETTER, _WORSE = "†", "‡"
_RAISED = {_BETTER: r"\dagger", _WORSE: r"\ddagger"}


def markdown(outcome: Outcome) -> str:
    """Return systems down, measures across; the best value bold, differences marked, and the caption."""

    def cell(value: str, best: bool, marks: str) -> str:
        return f"{f'**{value}**' if best else value}{f'<sup>{marks}</sup>' if marks else ''}"

    head, body = _table(outcome, cell)
    lines = [[escape.markdown(row[0]), *row[1:]] for row in body]
    lines = [["---", *["---:"] * (len(head) - 1)], *lines]
    table = escape.markdown_row(head) + "".join(f"| {' | '.join(line)} |\n" for line in lines)
    return f"{table}\n{escape.markdown(caption(outcome))}\n"


def latex(outcome: Outcome) -> str:
    """Return the same as a LaTeX table (package booktabs)."""

    def cell(value: str, best: bool, marks: str) -> str:
        raised = "".join(_RAISED.get(mark, rf"\mathrm{{{mark}}}") for mark in marks)
        return (rf"\textbf{{{value}}}" if best else value) + (f"$^{{{raised}}}$" if marks else "")

    head, body = _table(outcome, cell)
    rows = [" & ".join([escape.latex(row[0]), *row[1:]]) + r" \\" for row in body]
    return "\n".join(
        [
            r"\begin{table}",
            r"\centering",
            rf"\caption{{{escape.latex(caption(outcome))}}}",
            r"\begin{tabular}{l" + "r" * (len(head) - 1) + "}",
            r"\toprule",
            escape.latex_row(head),
            r"\midrule",
            *rows,
            r"\bottomrule",
            r"\end{tabular}",
            r"\end{table}",
            "",
        ]
    )


def caption(outcome: Outcome) -> str:
    """Return what the marks of a table mean, and how they were reached."""
    settings = outcome.comparison.settings
    marks = (
        "Raised letters: significantly better than the system of that letter"
        if settings.baseline is None
        else f"{_BETTER} significantly better, {_WORSE} significantly worse than {settings.baseline}"
    )
    return (
        f"Means over {len(outcome.comparison.paired.queries):,} queries. {marks} "
        f"({TESTS[settings.test]}, {outcome.comparison.family}; alpha {settings.alpha:g})."
    )


def _table(outcome: Outcome, cell: Callable[[str, bool, str], str]) -> tuple[list[str], list[list[str]]]:
    comparison = outcome.comparison
    measures, systems = comparison.paired.measures, comparison.paired.systems
    letters = {} if comparison.settings.baseline is not None else _letters(systems)
    body = []
    for system in systems:
        row = [f"{letters[system]} {system}" if letters else system]
        for measure in measures:
            one = comparison.estimate(measure, system)
            row.append(cell(number(one.mean), one.rank == 1, _marks(outcome, measure, system, letters)))
        body.append(row)
    return ["System", *measures], body


def _letters(systems: tuple[str, ...]) -> dict[str, str]:
    """Return a letter a system, and numbers when letters do not suffice."""
    if len(systems) <= len(ascii_lowercase):
        return dict(zip(systems, ascii_lowercase, strict=False))
    return {system: f"{number}," for number, system in enumerate(systems, 1)}


def _marks(outcome: Outcome, measure: str, system: str, letters: dict[str, str]) -> str:
    marks = ""
    for one in outcome.comparison.by_measure[measure]:
        if not one.direction:
            continue
        if not letters and one.system == system:
            marks += _BETTER if one.direction > 0 else _WORSE
        elif letters and system in (one.baseline, one.system):
            other, gain = (one.baseline, one.direction) if system == one.system else (one.system, -one.direction)
            marks += letters[other] if gain > 0 else ""
    return marks.rstrip(",")


def comma_separated(outcome: Outcome) -> str:
    """Return every difference whole, one row each."""
    texts = pl.col(pl.String).map_elements(escape.visible_lines, pl.String)
    return outcome.frame().with_columns(texts).write_csv()


def json(outcome: Outcome, moved: int = 5) -> str:
    """Return the whole result as one JSON value; of the queries that moved, so many a pair with their hits."""
    return orjson.dumps(_value(outcome, moved), option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE).decode()


def json_lines(outcome: Outcome) -> str:
    """Return one JSON object a line: each estimate, difference, slice, gate; `kind` says which."""
    comparison = outcome.comparison
    parts: tuple[tuple[str, Any], ...] = (
        ("estimate", comparison.estimates),
        ("difference", comparison.differences),
        ("slice", comparison.slices),
    )
    rows = [{"kind": kind, **asdict(one)} for kind, found in parts for one in found]
    rows += [{"kind": "gate", **members(one)} for one in outcome.gates]
    return "".join(orjson.dumps(row).decode() + "\n" for row in rows)


def _value(outcome: Outcome, moved: int) -> dict[str, Any]:
    comparison = outcome.comparison
    return {
        "queries": len(comparison.paired.queries),
        "measures": comparison.paired.measures,
        "settings": asdict(comparison.settings),
        "family": comparison.family,
        "systems": [_system(one) for one in outcome.systems],
        "estimates": [asdict(one) for one in comparison.estimates],
        "differences": [asdict(one) for one in comparison.differences],
        "slices": [asdict(one) for one in comparison.slices],
        "moved_by": outcome.moved_by,
        "moved": [
            {"baseline": pair[0], "system": pair[1], "queries": [_query(outcome, pair, at) for at in places[:moved]]}
            for pair, places in outcome.moved.items()
        ],
        "gates": [members(one) for one in outcome.gates],
        "notes": [*outcome.notes, *comparison.notes],
    }


def _system(one: Any) -> dict[str, Any]:
    speed = one.speed
    return {
        "name": one.name,
        "source": one.source,
        "signature": one.signature,
        "counts": dict(one.counts),
        "speed": None
        if speed is None
        else {
            "batch_size": speed.batch_size,
            "concurrency": speed.concurrency,
            "queries_per_second": speed.queries_per_second,
            "latency_ms": dict(speed.percentiles),
        },
        "load": [asdict(step) for step in one.load],
    }


def _query(outcome: Outcome, pair: tuple[str, str], place: int) -> dict[str, Any]:
    one, paired = outcome.evidence[place], outcome.comparison.paired
    before, after = (float(paired.of(outcome.moved_by, name)[one.number]) for name in pair)
    return {
        "query": paired.queries[one.number],
        "text": one.text,
        "baseline": before,
        "system": after,
        "difference": after - before,
        "hits": {name: [_document(hit) for hit in one.hits[name]] for name in pair if name in one.hits},
        "relevant": [_document(document) for document in one.relevant],
    }


def _document(one: Document) -> dict[str, Any]:
    return asdict(one)
