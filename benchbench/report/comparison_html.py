"""A comparison as one HTML file that opens offline. Whatever comes from outside is escaped, and no request is made."""

import platform
from base64 import b64encode
from dataclasses import asdict, replace
from hashlib import sha256
from html import escape
from string import Template
from typing import Any

import numpy
import orjson
import polars

import benchbench
from benchbench.report import comparison_figures, comparison_speed, comparison_tables
from benchbench.report.assets import asset
from benchbench.report.comparison_queries import queries
from benchbench.report.comparison_words import percent, sentence
from benchbench.report.figures import Figure, listed, table
from benchbench.significance.outcome import Outcome, System
from benchbench.significance.result import Difference

_MOST = 1_500  # differences of a page
_CHOICES = {"measure": "Measure", "pair": "Pair", "mark": "Latency"}


def page(outcome: Outcome) -> str:
    """Return the whole page."""
    outcome, whole = _bounded(outcome), outcome
    figures = _figures(outcome, whole)
    found = queries(outcome)
    scripts = [asset("echarts.min.js"), asset("comparison.js")]
    start = {"measure": _first(outcome), "pair": 0, "mark": len(comparison_speed.MARKS) - 1}
    systems = outcome.comparison.paired.systems
    sections = [(one.id, one.heading) for one in figures] + ([("queries", "Queries")] if found else [])
    parts = {
        "title": escape(f"{listed(systems)}: {len(outcome.comparison.paired.queries):,} queries"),
        "hashes": " ".join(f"'sha256-{b64encode(sha256(one.encode()).digest()).decode()}'" for one in scripts),
        "style": asset("page.css"),
        "charts": scripts[0],
        "script": scripts[1],
        "data": embedded(_data(outcome, figures, found, start)),
        "nav": "".join(f'<li><a href="#{name}">{escape(heading)}</a></li>' for name, heading in sections),
        "controls": _controls(outcome),
        "verdicts": _verdicts(outcome),
        "gates": _gates(outcome),
        "notes": _notes(outcome),
        "estimates": _estimates(whole),
        "differences": table("All differences", *comparison_tables.differences(outcome.comparison), " data-sortable"),
        "level": percent(outcome.comparison),
        "ranks": " A rank is the span of ranks that the tests leave open." if len(systems) > 2 else "",
        "figures": "\n".join(_figure(one, start) for one in figures),
        "queries": _queries(outcome, found) if found else "",
        "provenance": _provenance(outcome),
    }
    return Template(asset("comparison.html")).substitute(parts)


def _bounded(outcome: Outcome) -> Outcome:
    """Return as much as a page can hold: the first pairs, and the first measures; a note says what is left out."""
    comparison, paired = outcome.comparison, outcome.comparison.paired
    pairs = outcome.pairs[:_MOST]
    measures = paired.measures[: max(1, _MOST // len(pairs))]
    if len(measures) * len(pairs) == len(comparison.differences):
        return outcome
    inside = {(measure, *pair) for measure in measures for pair in pairs}
    kept = tuple(one for one in comparison.differences if (one.measure, one.baseline, one.system) in inside)
    slices = tuple(one for one in comparison.slices if (one.measure, one.baseline, one.system) in inside)
    said = (
        f"The page has the differences of {len(measures):,} of {len(paired.measures):,} measures and {len(pairs):,} of "
        f"{len(outcome.pairs):,} pairs; --format csv has all."
    )
    values = replace(paired, measures=measures, values=paired.values[: len(measures)])
    short = replace(comparison, paired=values, differences=kept, slices=slices)
    return replace(outcome, comparison=short, notes=(said, *outcome.notes))


def _figures(outcome: Outcome, whole: Outcome) -> list[Figure]:
    """Return the sections that there are numbers for, in the order of the page; cut-offs are of all measures."""
    makers = (
        comparison_figures.differences,
        comparison_speed.front,
        comparison_speed.latency,
        comparison_speed.load,
        comparison_tables.slices,
    )
    made = [comparison_figures.cutoffs(whole), *(make(outcome) for make in makers)]
    return [figure for figure in made if figure is not None]


def embedded(data: Any) -> str:
    """Return JSON that stays within its script element, whatever the texts in it say."""
    return orjson.dumps(data, option=orjson.OPT_SERIALIZE_NUMPY).decode().replace("<", "\\u003c")


def _data(
    outcome: Outcome, figures: list[Figure], found: dict[str, Any] | None, start: dict[str, int]
) -> dict[str, Any]:
    paired = outcome.comparison.paired
    pairs = comparison_figures.pairs_of(outcome.comparison.differences)
    return {
        "systems": paired.systems,
        "measures": paired.measures,
        "pairs": [[paired.systems.index(name) for name in pair] for pair in pairs],
        "start": start,
        "marks": comparison_speed.MARKS,
        "figures": [_compact(asdict(one)) for one in figures],
        "queries": found,
    }


def _compact(figure: dict[str, Any]) -> dict[str, Any]:
    """Return a figure with its cells as lists: text, what to sort by, interval, whether it is strong."""
    for view in figure["views"]:
        view["rows"] = [
            [
                cell["text"]
                if cell["interval"] is None and not cell["strong"] and cell["by"] is None
                else [
                    cell["text"],
                    cell["by"],
                    cell["interval"] and [round(at, 1) for at in cell["interval"]],
                    int(cell["strong"]),
                ]
                for cell in row
            ]
            for row in view["rows"]
        ]
        for series in view["series"]:
            series["points"] = [[float(f"{x:.6g}"), float(f"{y:.6g}"), told] for x, y, told in series["points"]]
    return figure


def _first(outcome: Outcome) -> int:
    measures = outcome.comparison.paired.measures
    return measures.index(outcome.moved_by) if outcome.moved_by in measures else 0


def _controls(outcome: Outcome) -> str:
    """Return what chooses the measure and the pair that the whole page goes by."""
    pairs = comparison_figures.pairs_of(outcome.comparison.differences)
    named = {
        "measure": list(outcome.comparison.paired.measures),
        "pair": [f"{system} against {baseline}" for baseline, system in pairs],
    }
    return "".join(_select(key, names, _first(outcome) if key == "measure" else 0) for key, names in named.items())


def _select(key: str, names: list[str] | tuple[str, ...], chosen: int) -> str:
    marks = {chosen: " selected"}
    options = "".join(f'<option value="{i}"{marks.get(i, "")}>{escape(name)}</option>' for i, name in enumerate(names))
    return f'<label>{_CHOICES[key]} <select data-choice="{key}" autocomplete="off">{options}</select></label>'


def _verdicts(outcome: Outcome) -> str:
    """Return the sentences of every measure; those of the first are shown."""
    comparison = outcome.comparison
    lists = []
    for m, measure in enumerate(comparison.paired.measures):
        said = [
            f'<li class="{_direction(one)}">{escape(sentence(comparison, one))}</li>'
            for one in comparison.by_measure[measure]
        ]
        hidden = "" if m == _first(outcome) else " hidden"
        lists.append(f'<ul class="verdicts" data-of-measure="{m}"{hidden}>{"".join(said)}</ul>')
    return "\n".join(lists)


def _direction(one: Difference) -> str:
    return {1: "up", -1: "down", 0: "open"}[one.direction]


def _gates(outcome: Outcome) -> str:
    if not outcome.gates:
        return ""
    said = [
        f'<li class="{"failed" if one.failure else "passed"}"><strong>{"Failed" if one.failure else "Passed"}</strong> '
        f"<code>{escape(one.condition)}</code>{escape(f': {one.failure}') if one.failure else ''}</li>"
        for one in outcome.gates
    ]
    return f'<section aria-labelledby="gates"><h2 id="gates">Gates</h2><ul class="gates">{"".join(said)}</ul></section>'


def _notes(outcome: Outcome) -> str:
    said = dict.fromkeys((*outcome.notes, *outcome.comparison.notes))
    return f'<ul class="notes">{"".join(f"<li>{escape(one)}</li>" for one in said)}</ul>' if said else ""


def _estimates(outcome: Outcome) -> str:
    head, rows = comparison_tables.estimates(outcome.comparison)
    return table("Means over queries, with intervals; the best of a row is bold", head, rows, " data-sortable")


def _figure(figure: Figure, chosen: dict[str, int]) -> str:
    """Return a section as it stands before its script runs: the sentence and the numbers are there without it."""
    start = figure.views[figure.chosen.get(".".join(str(chosen[key]) for key in figure.by), 0)]
    heading = f'<h2 id="{figure.id}-h">{escape(figure.heading)}</h2>'
    sentence = f'<p class="said" id="{figure.id}-said">{escape(start.sentence)}</p>'
    numbers = table(start.title, start.head, start.rows, " data-sortable")
    if figure.x is None:
        inside = f'{sentence}<div class="numbers">{numbers}</div>'
    else:
        mark = _select("mark", comparison_speed.MARKS, len(comparison_speed.MARKS) - 1) if "mark" in figure.by else ""
        inside = (
            f'<figure><figcaption><span class="title">{escape(start.title)}</span>{sentence}</figcaption>'
            f'<div class="legend" role="group" aria-label="Show or hide in {escape(figure.heading)}">{mark}</div>'
            f'<div class="chart" role="img" aria-labelledby="{figure.id}-h" aria-describedby="{figure.id}-said"></div>'
            f'</figure><details><summary>Numbers of this chart</summary><div class="numbers">{numbers}</div></details>'
        )
    return f'<section id="{figure.id}" aria-labelledby="{figure.id}-h">{heading}{inside}</section>'


def _queries(outcome: Outcome, found: dict[str, Any]) -> str:
    shown, total = len(found["ids"]), found["total"]
    said = (
        f"All {total:,} queries."
        if shown == total
        else f"Showing {shown:,} of {total:,} queries: those that moved most by {outcome.moved_by}. "
        "The charts and tables above are over all of them."
    )
    return Template(asset("queries.html")).substitute(said=escape(said))


def _provenance(outcome: Outcome) -> str:
    versions = {"benchbench": benchbench.__version__, "Python": platform.python_version()}
    versions |= {"numpy": numpy.__version__, "polars": polars.__version__}
    facts = [
        *comparison_tables.conditions(outcome.comparison),
        ("Versions", ", ".join(f"{name} {version}" for name, version in versions.items())),
    ]
    rows = "".join(f"<dt>{escape(name)}</dt><dd>{escape(text)}</dd>" for name, text in facts)
    return f"<dl>{rows}</dl>" + "".join(map(_system, outcome.systems))


def _system(system: System) -> str:
    counts = ", ".join(f"{count:,} {name.replace('_', ' ')}" for name, count in system.counts.items())
    facts = (("Source", system.source), ("Queries", counts), ("Signature", system.signature))
    rows = "".join(f"<dt>{name}</dt><dd>{escape(text)}</dd>" for name, text in facts if text)
    return f"<h3>{escape(system.name)}</h3><dl>{rows}</dl>"
