"""The page of a comparison: verdict, matrix, charts, slices, and the queries that moved.

A page holds so many differences and queries; what is left out is said.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import PurePath
from typing import Any

import benchbench.significance.drawing as drawing
from benchbench.comparison.compare_result import CompareDetails, CompareOutcome
from benchbench.comparison.page_queries import queries
from benchbench.comparison.tables import latencies_of, paired_of
from benchbench.comparison.verdict import Verdict, verdict
from benchbench.report.blocks import AnyCell, Cell, Notes, Table
from benchbench.report.card_blocks import CardBlock
from benchbench.report.comparison_blocks import (
    Chooser,
    ComparisonBlock,
    Differences,
    Matrices,
    Matrix,
    MovedList,
    SliceRows,
)
from benchbench.report.layouts import compare_charts
from benchbench.report.layouts.card_parts import passed_gates
from benchbench.report.layouts.compare_matrix import matrices, readings, rests_on
from benchbench.report.layouts.compare_terminal import unjudged
from benchbench.report.layouts.compare_words import TESTS, intervals_made, level
from benchbench.report.layouts.page_parts import band, gates_said, hidden, reproduce
from benchbench.report.page_blocks import (
    Choice,
    Folded,
    Lede,
    Masthead,
    Option,
    PageBlock,
    Reproduce,
    Section,
    Tone,
)
from benchbench.report.render.html import packed
from benchbench.results.figures import count, interval, moment, p_value, signed, value
from benchbench.results.result import Result
from benchbench.significance.notes import CORRECTIONS
from benchbench.tables.paired import Paired
from benchbench.tables.shared_messages import counted

_MOST = 1_500  # differences of a page
_MOST_ROWS = 2_000  # of slices


def blocks(result: Result, whole: CompareDetails, means: Table) -> list[PageBlock | CardBlock | ComparisonBlock]:
    """Return the page; `means` are those of all systems and measures, as other formats have them."""
    details = _bounded(whole)
    said = verdict(whole)
    shown = matrices(details, said.counts)[: max(1, _MOST // len(details.differences))]
    latencies = latencies_of(result)
    read = readings(details, len(shown) > 1)
    chosen = shown[0].rows[0].system if shown[0].rows else details.names[-1]
    columns = list(dict.fromkeys(one.column for one in details.slices))
    notes = list(dict.fromkeys(details.notes))
    made: list[PageBlock | CardBlock | ComparisonBlock | None] = [
        _masthead(result, whole, said),
        *band(result.record),
        Lede([f"{said.unknown} {said.speed}".strip()]) if said.unknown or said.speed else None,
        Section("verdict", "Verdict", "Verdict"),
        Matrices(
            shown,
            Choice("b", "Against", [Option(one.baseline) for one in shown]),
            details.measures,
            level(details),
            whole.queries,
            rests_on(list(latencies.values())),
            _first(details, read, shown[0], chosen),
        ),
        Folded("Notes", f"{len(notes)} on these queries, tests and systems", [Notes(notes)]) if notes else None,
        Chooser(details.measures),
        Section("differences", "Differences", "Each query’s difference, sorted"),
        Differences(),
        *compare_charts.charts(details, whole, latencies),
        *_where(columns),
        Section("queries", "Queries", "The queries that moved"),
        _queries(result, details, shown, read, columns),
        Section("numbers", "All numbers", "All numbers"),
        *_folded(result, whole, details, means),
        Section("provenance", "To reproduce", "To reproduce"),
        _reproduce(result, whole),
    ]
    return [one for one in made if one is not None]


def _where(columns: Sequence[str]) -> list[PageBlock | ComparisonBlock]:
    choice = Choice("c", "Slices by", [Option(column) for column in columns])
    return [Section("slices", "Slices", "Where: slices", choice=choice), SliceRows()] if columns else []


def _queries(
    result: Result,
    details: CompareDetails,
    shown: Sequence[Matrix],
    read: Mapping[str, tuple[str, str, str]],
    columns: Sequence[str],
) -> MovedList:
    """Return the list of queries, which has what the script of the page draws from."""
    paired = _paired(result, details)
    found = queries(result, details, paired, packed)
    measures = {measure: place for place, measure in enumerate(details.measures)}
    pairs = {pair: place for place, pair in enumerate(details.pairs)}
    names = {name: place for place, name in enumerate(details.names)}
    means = {f"{measures[one.measure]}.{pairs[one.baseline, one.system]}": one.mean for one in details.differences}
    first = shown[0].rows[0].system if shown[0].rows else details.names[-1]
    data = {
        "systems": details.names,
        "measures": details.measures,
        "pairs": [[names[name] for name in pair] for pair in details.pairs],
        "bases": [names[one.baseline] for one in shown],
        "start": {"m": 0, "b": 0, "s": names[first]},
        "columns": columns,
        "readings": read,
        "means": means if columns else {},
        "slices": _slices(details) if columns else {},
        "ties": [details.settings.tie + one for one in paired.rounding],
        "marks": found.marks,
        "mark_of": found.mark_of,
        "grades": found.grades,
    }
    search = "ids, whole texts and labels" if found.texts else "ids and labels"
    return MovedList(found.said, search, data, found.packed)


def _paired(result: Result, details: CompareDetails) -> Paired:
    """Return the values per query; in memory they are at hand, and a million ids need not become a column."""
    if not isinstance(result, CompareOutcome):
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


def _first(
    details: CompareDetails, read: Mapping[str, tuple[str, str, str]], matrix: Matrix, system: str
) -> tuple[str, str, str]:
    """Return what the first cell says, of its system."""
    pair = matrix.rows[0].cells[0].pair if matrix.rows and matrix.rows[0].cells else 0
    key = f"0.{pair}"
    return read[key] if details.pairs[pair][1] == system else read.get(f"{key}.r", read[key])


def _masthead(result: Result, details: CompareDetails, said: Verdict) -> Masthead:
    data = result.record.data
    name = data.name or ("/".join(PurePath(data.source).parts[-2:]) if data.source else "")
    facts: list[str | tuple[str, Tone]] = [
        counted(details.queries, "query") + (f" of {name}" if name else ""),
        moment(result.record.started),
        *gates_said(result.record),
    ]
    failed = ["", f"✕ {said.failed}"] if said.failed else []
    return Masthead("compare", facts, result.record.signature, said.said, failed)


def _slices(details: CompareDetails) -> dict[str, list[dict[str, Any]]]:
    """Return the slices of each measure and pair, as many as a page holds."""
    measures = {measure: place for place, measure in enumerate(details.measures)}
    pairs = {pair: place for place, pair in enumerate(details.pairs)}
    found: dict[str, list[dict[str, Any]]] = {}
    for one in details.slices[: 4 * _MOST_ROWS]:
        low, high = drawing.ends(one)
        row = {
            "column": one.column,
            "value": one.value,
            "queries": one.queries,
            "mean": _rounded(one.mean),
            "low": _rounded(low),
            "high": _rounded(high),
            "p": p_value(one.corrected),
            "significant": one.significant,
        }
        found.setdefault(f"{measures[one.measure]}.{pairs[one.baseline, one.system]}", []).append(row)
    return found


def _rounded(value: float) -> float:
    return float(f"{value:.5g}")


def _folded(result: Result, whole: CompareDetails, details: CompareDetails, means: Table) -> Iterator[Folded]:
    yield Folded("All differences", _tests(details), [_differences(details)])
    ranked = " A rank is the span of ranks that the tests leave open." if len(details.names) > 2 else ""
    said = f"over queries, with intervals of {level(whole)}, {intervals_made(whole)}.{ranked}"
    yield Folded("Means", said, [means])
    if details.slices:
        yield Folded("Slices", _said_of_slices(details), [_sliced(details)])
    found = next(unjudged(details), None)
    if found is not None:
        yield Folded("Unjudged hits", "what the differences would be if they were relevant", [found])
    yield from passed_gates(result.record)
    rows = []
    for one in whole.systems:
        counts = ", ".join(f"{number:,} {name.replace('_', ' ')}" for name, number in one.counts.items())
        rows.append([one.name, hidden(one.source), counts, one.signature])
    yield Folded("Systems", "", [Table(["System", "Source", "Queries", "Signature"], rows)])


def _tests(details: CompareDetails) -> str:
    return (
        f"the mean of the system minus that of its baseline; bold where the corrected p-value and the interval agree "
        f"that it is significant: {TESTS[details.settings.test]}, {details.family}"
    )


def _said_of_slices(details: CompareDetails) -> str:
    total = len(details.slices)
    return f"the first {_MOST_ROWS:,} of {total:,}" if total > _MOST_ROWS else "each corrected over all of its measure"


def _sliced(details: CompareDetails) -> Table:
    head = [
        "Measure",
        "System",
        "Baseline",
        "Column",
        "Value",
        "Queries",
        "Means",
        "Difference",
        "Interval",
        "p corrected",
    ]
    rows: list[list[AnyCell]] = []
    for one in details.slices[:_MOST_ROWS]:
        ends = interval(one.low, one.high, shown=signed)
        means = f"{value(one.baseline_mean)}, {value(one.system_mean)}"
        row = [one.measure, one.system, one.baseline, one.column, one.value, f"{one.queries:,}", means]
        rows.append([*row, Cell(signed(one.mean), strong=one.significant), ends, p_value(one.corrected)])
    return Table(head, rows, "lllll" + "r" * 5)


def _differences(details: CompareDetails) -> Table:
    """Return the table of differences, one row per measure and pair."""
    settings = details.settings
    test = settings.test
    others = [name for name in details.differences[0].corrected if name != test]
    head = ["Measure", "System", "Baseline", "Difference", f"{level(details)} interval", "p corrected", f"p ({test})"]
    head += [f"p corr. ({name})" for name in others]
    head += ["Effect", "Better", "Equal", "Worse", "Changed", "Found", "Lost", "Detectable"]
    head += [] if settings.need is None else [f"Need for {settings.need:g}"]
    head += [] if settings.margin is None else ["p equivalent", "p not inferior", "Margin"]
    rows: list[list[AnyCell]] = []
    for one in details.differences:
        ends = interval(one.low, one.high, shown=signed)
        row: list[AnyCell] = [
            one.measure,
            one.system,
            one.baseline,
            Cell(signed(one.mean), strong=one.significant),
            ends,
        ]
        row += [Cell(p_value(one.corrected[test]), strong=one.significant), p_value(one.p[test])]
        row += [p_value(one.corrected[name]) for name in others]
        row.append(signed(one.effect, 2))
        counts = (one.wins, one.ties, one.losses, one.changed, one.found, one.lost)
        row += [*map(count, counts), value(one.detectable)]
        if settings.need is not None:
            row.append(count(one.need))
        if one.margin is not None:
            row += [p_value(one.margin.equivalent), p_value(one.margin.not_inferior), one.margin.verdict]
        rows.append(row)
    return Table(head, rows, "lll" + "r" * (len(head) - 3))


def _reproduce(result: Result, details: CompareDetails) -> Reproduce:
    """Return what the verdicts depend on, named."""
    settings = details.settings
    conditions = [
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
    ]
    return reproduce(result.record, [("Tests", conditions)])
