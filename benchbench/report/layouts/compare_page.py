"""The page of a comparison: what fills its template, the table of queries among it.

A page holds so many differences, queries and texts; what is left out is said.
"""

from collections.abc import Sequence
from dataclasses import asdict, replace
from itertools import chain, zip_longest
from typing import Any

import polars as pl

from benchbench.comparison.evidence import Document, Evidence
from benchbench.comparison.outcome import CompareDetails, Outcome, System
from benchbench.comparison.tables import evidence_of, latencies_of, moved_of, paired_of
from benchbench.report.blocks import Cell, Facts, Table
from benchbench.report.layouts import compare_charts
from benchbench.report.layouts.compare import TESTS, intervals_made, percent, sentence
from benchbench.report.layouts.compare_charts import (
    MARKS,
    MISSING,
    Figure,
    View,
    by,
    estimated,
    interval,
    number,
    scale,
    signed,
)
from benchbench.report.layouts.compare_unjudged import unjudged
from benchbench.results.result import Result
from benchbench.significance.notes import CORRECTIONS, p_value
from benchbench.tables.paired import Paired

_MOST = 1_500  # differences of a page
_MOST_HITS = 10  # of a query and system
_MOST_RELEVANT = 20  # of a query
_MOST_CELLS = 150_000  # values and hits of all queries
_BUDGET = 1_200_000  # bytes of all texts together
_LENGTHS = (400, 240, 160, 120, 80, 50, 30, 0)  # characters that a text may be cut to
_VERSIONS = {"benchbench": "benchbench", "python": "Python", "numpy": "numpy", "polars": "polars"}
_WAYS = {1: "up", -1: "down", 0: "open"}  # by the direction of a difference


def values(result: Result, whole: CompareDetails) -> dict[str, Any]:
    """Return what the template is filled with."""
    details = _bounded(whole)
    paired = _paired(result, details)
    found = queries(result, details, paired)
    made = (
        compare_charts.cutoffs(whole),
        compare_charts.differences(details, paired),
        compare_charts.front(details),
        compare_charts.latency(details, latencies_of(result)),
        compare_charts.load(details),
        compare_charts.slices(details),
    )
    figures = [figure for figure in made if figure is not None]
    first = details.measures.index(details.moved_by) if details.moved_by in details.measures else 0
    start = {"measure": first, "pair": 0, "mark": len(MARKS) - 1}
    return {
        "start": start,
        "measures": details.measures,
        "pairs": [f"{system} against {baseline}" for baseline, system in details.pairs],
        "marks": MARKS,
        "verdicts": [
            [(_WAYS[one.direction], sentence(details, one)) for one in details.by_measure[measure]]
            for measure in details.measures
        ],
        "notes": list(dict.fromkeys(details.notes)),
        "estimates": _estimates(whole),
        "differences": _differences(details),
        "unjudged": next(unjudged(details), None),
        "level": percent(details),
        "made": intervals_made(details),
        "ranked": len(details.names) > 2,
        "figures": [(figure, _table(figure.start(start))) for figure in figures],
        "queries": found and _kept_of(found, details),
        "conditions": _conditions(result, details),
        "systems": [(one.name, _system(one)) for one in details.systems],
        "data": {
            "systems": details.names,
            "measures": details.measures,
            "pairs": [[details.names.index(name) for name in pair] for pair in details.pairs],
            "start": start,
            "marks": MARKS,
            "figures": [_compact(one) for one in figures],
            "queries": found,
        },
    }


def _paired(result: Result, details: CompareDetails) -> Paired:
    """Return the values per query; in memory they are at hand, and a million ids need not become a column."""
    if not isinstance(result, Outcome):
        return paired_of(result, details.names, details.measures)
    paired = result.comparison.paired
    return replace(paired, measures=details.measures, values=paired.values[: len(details.measures)])


def _bounded(details: CompareDetails) -> CompareDetails:
    """Return as much as a page can hold: the first pairs, and the first measures; a note says what is left out."""
    pairs = details.pairs[:_MOST]
    measures = details.measures[: max(1, _MOST // len(pairs))]
    if len(measures) * len(pairs) == len(details.differences):
        return details
    inside = {(measure, *pair) for measure in measures for pair in pairs}
    said = (
        f"The page has the differences of {len(measures):,} of {len(details.measures):,} measures and {len(pairs):,} "
        f"of {len(details.pairs):,} pairs; --format csv has all."
    )
    return replace(
        details,
        measures=measures,
        differences=tuple(one for one in details.differences if (one.measure, one.baseline, one.system) in inside),
        slices=tuple(one for one in details.slices if (one.measure, one.baseline, one.system) in inside),
        notes=[said, *details.notes],
    )


def _compact(figure: Figure) -> dict[str, Any]:
    """Return a figure with its cells as lists: text, what to sort by, interval, whether it is strong."""
    made = asdict(figure)
    for view in made["views"]:
        view["rows"] = [[_cell(cell) for cell in row] for row in view["rows"]]
        for series in view["series"]:
            series["points"] = [[float(f"{x:.6g}"), float(f"{y:.6g}"), label] for x, y, label in series["points"]]
    return made


def _cell(cell: Cell) -> Any:
    if cell.interval is None and not cell.strong and cell.by is None:
        return cell.text
    places = cell.interval and [round(at, 1) for at in cell.interval]
    return [cell.text, cell.by, places, int(cell.strong)]


def _table(view: View) -> Table:
    return Table(view.head, view.rows, caption=view.title, sortable=True)


def _estimates(details: CompareDetails) -> Table:
    """Return the table of means: measures down, systems across; the best of a measure is strong."""
    several = len(details.names) > 2
    rows = []
    for measure in details.measures:
        row = [Cell(measure)]
        for system in details.names:
            one = details.estimate(measure, system)
            row.append(Cell(estimated(one), by=one.mean, strong=one.rank == 1))
            if several:
                ranks = f"{one.rank_low}–{one.rank_high}" if one.rank_low != one.rank_high else f"{one.rank_low}"
                row.append(Cell(ranks, by=one.rank_low))
        rows.append(row)
    head = ["Measure", *(name for system in details.names for name in ((system, "rank") if several else (system,)))]
    return Table(head, rows, caption="Means over queries, with intervals; the best of a row is bold", sortable=True)


def _differences(details: CompareDetails) -> Table:
    """Return the table of differences, one row per measure and pair."""
    settings = details.settings
    test = settings.test
    others = [name for name in details.differences[0].corrected if name != test]
    head = ["Measure", "System", "Baseline", "Difference", f"{percent(details)} interval", "", "p corrected"]
    head += ["Effect", "Better", "Equal", "Worse", "Changed", "Found", "Lost", "Detectable", f"p ({test})"]
    head += [f"p corr. ({name})" for name in others]
    head += [] if settings.need is None else [f"Need for {settings.need:g}"]
    head += [] if settings.margin is None else ["p equivalent", "p not inferior", "Margin"]
    rows = []
    scales = {measure: scale(alike) for measure, alike in details.by_measure.items()}
    for one in details.differences:
        p, corrected = one.p[test], one.corrected[test]
        row = [Cell(one.measure), Cell(one.system), Cell(one.baseline)]
        row += [Cell(signed(one.mean), by=one.mean, strong=one.significant), *interval(one, *scales[one.measure])]
        row += [Cell(p_value(corrected), by=corrected, strong=one.significant)]
        effect = MISSING if one.effect is None else f"{one.effect:+.2f}".replace("-", "−")
        row += [Cell(effect, by=by(one.effect))]
        counts = (one.wins, one.ties, one.losses, one.changed, one.found, one.lost)
        row += [Cell(MISSING if count is None else f"{count:,}", by=by(count)) for count in counts]
        row += [Cell(number(one.detectable), by=by(one.detectable)), Cell(p_value(p), by=p)]
        row += [Cell(p_value(one.corrected[name]), by=one.corrected[name]) for name in others]
        if settings.need is not None:
            row.append(Cell(MISSING if one.need is None else f"{one.need:,}", by=by(one.need)))
        if one.margin is not None:
            row += [Cell(p_value(p), by=p) for p in (one.margin.equivalent, one.margin.not_inferior)]
            row.append(Cell(one.margin.verdict))
        rows.append(row)
    return Table(head, rows, caption="All differences", sortable=True)


def _conditions(result: Result, details: CompareDetails) -> Facts:
    """Return what the verdicts depend on, named."""
    settings, versions = details.settings, result.record.environment.versions
    return Facts(
        [
            ("Test that decides", TESTS[settings.test]),
            ("Correction", CORRECTIONS[settings.correction]),
            ("Family", details.family),
            ("Alpha", f"{settings.alpha:g}"),
            ("Resamples", f"{settings.resamples:,}, of the test {details.resamples or settings.resamples:,}"),
            ("Seed", f"{settings.seed}"),
            ("Tie", f"values that differ by at most {settings.tie:g} are equal"),
            ("Power", f"{settings.power:g}"),
            *(("Margin", f"{one:g}") for one in (settings.margin,) if one is not None),
            *(("Need", f"a difference of {one:g}") for one in (settings.need,) if one is not None),
            *([] if details.groups is None else [("Groups", f"{details.groups:,} of {settings.cluster}")]),
            ("Slices by", ", ".join(settings.slices) or "none"),
            ("Versions", ", ".join(f"{said} {versions[name]}" for name, said in _VERSIONS.items() if name in versions)),
        ]
    )


def _system(system: System) -> Facts:
    counts = ", ".join(f"{count:,} {name.replace('_', ' ')}" for name, count in system.counts.items())
    facts = (("Source", system.source), ("Queries", counts), ("Signature", system.signature))
    return Facts([(name, text) for name, text in facts if text])


def _kept_of(found: dict[str, Any], details: CompareDetails) -> str:
    shown, total = len(found["ids"]), found["total"]
    if shown == total:
        return f"All {total:,} queries."
    return (
        f"Showing {shown:,} of {total:,} queries: those that moved most by {details.moved_by}. "
        "The charts and tables above are over all of them."
    )


def queries(result: Result, details: CompareDetails, paired: Paired) -> dict[str, Any] | None:
    """Return the columns of the query table, or None where it is not known what queries got."""
    evidence, columns = evidence_of(result)
    places = _places(details, evidence, list(moved_of(result).values()))
    if not places:
        return None
    kept = [evidence[place] for place in places]
    numbers = [one.number for one in kept]
    documents = _documents(kept)
    length = _length([one.text for one in kept], list(documents.values()))
    place = {identity: i for i, identity in enumerate(documents)}
    texted = [_cut(text, length) for text in documents.values()]
    return {
        "total": len(paired.queries),
        "ids": [paired.queries[number] for number in numbers],
        "texts": [_cut(one.text, max(length, 80)) for one in kept] if any(one.text for one in kept) else None,
        "columns": {name: _named(columns[name][places]) for name in columns.columns},
        "values": [[[round(v, 5) for v in row[numbers].tolist()] for row in system] for system in paired.values],
        "documents": {"ids": list(documents), "texts": texted if any(texted) else None},
        "evidence": [_entry(one, paired.systems, place) for one in kept] if documents else None,
    }


def _places(details: CompareDetails, evidence: Sequence[Evidence], moved: Sequence[Sequence[int]]) -> list[int]:
    """Return as many places in the evidence as a page can hold: the queries that moved most, each pair in turn."""
    most = max(20, _MOST_CELLS // (len(details.names) * (len(details.measures) + 2 * _MOST_HITS)))
    if len(evidence) <= most:
        return list(range(len(evidence)))
    in_turn = (place for place in chain.from_iterable(zip_longest(*moved)) if place is not None)
    return sorted(list(dict.fromkeys((*in_turn, *range(len(evidence)))))[:most])


def _shown(one: Evidence) -> list[Document]:
    """Return the documents of a query that the page shows, each once."""
    hits = [document for found in one.hits.values() for document in found[:_MOST_HITS]]
    return list({document.id: document for document in (*one.relevant[:_MOST_RELEVANT], *hits)}.values())


def _documents(evidence: Sequence[Evidence]) -> dict[str, str | None]:
    found: dict[str, str | None] = {}
    for one in evidence:
        for document in _shown(one):
            if found.get(document.id) is None:
                found[document.id] = document.text
    return found


def _entry(one: Evidence, systems: tuple[str, ...], place: dict[str, int]) -> dict[str, Any]:
    """Return one query: its documents, their grades, and where in them the hits of each system are."""
    documents = _shown(one)
    at = {document.id: i for i, document in enumerate(documents)}
    hits, ranks = [], []
    for system in systems:
        found = one.hits.get(system, ())
        top = found[:_MOST_HITS]
        hits.append([len(found), [at[hit.id] for hit in top], [hit.rank for hit in top], [_score(hit) for hit in top]])
        rank = {hit.id: hit.rank for hit in found}
        ranks.append([rank.get(document.id) for document in one.relevant[:_MOST_RELEVANT]])
    return {
        "d": [place[document.id] for document in documents],
        "g": [document.grade for document in documents],
        "r": [int(document.relevant) for document in documents],
        "h": hits,
        "n": [len(one.relevant), ranks],  # the relevant ones come first in d
    }


def _named(column: pl.Series) -> list[str | None]:
    return [None if value is None else _cut(str(value), 80) for value in column]


def _score(hit: Document) -> float | None:
    return None if hit.score is None else float(f"{hit.score:.5g}")


def _length(*columns: list[str | None]) -> int:
    """Return how long a text may be for all of them to stay within the budget."""
    return next(
        length
        for length in _LENGTHS
        if length == 0 or sum(len((t or "")[:length].encode()) for texts in columns for t in texts) <= _BUDGET
    )


def _cut(text: str | None, length: int) -> str | None:
    if text is None or len(text) <= length:
        return text
    return f"{text[:length]}…" if length else None
