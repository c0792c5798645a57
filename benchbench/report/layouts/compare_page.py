"""The page of a comparison: verdict, matrix, charts, slices, and the queries that moved.

A page holds a limited number of differences and queries, and states what it leaves out.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import PurePath
from typing import TYPE_CHECKING

from benchbench.comparison.compare_result import CompareDetails
from benchbench.comparison.headline import direction, failed, headline, same
from benchbench.comparison.leaders import leaderboard
from benchbench.comparison.speed import NOT_COMPARED
from benchbench.comparison.tables import latencies_of
from benchbench.report.blocks import AnyCell, Cell, Notes, Table
from benchbench.report.comparison_blocks import Chooser, Differences, Matrices, SliceRows
from benchbench.report.layouts import compare_charts
from benchbench.report.layouts.compare_many import leaders, of_systems, overview, shown_systems
from benchbench.report.layouts.compare_matrix import matrices, readings
from benchbench.report.layouts.compare_pair import pair_panels
from benchbench.report.layouts.compare_queries import MOST_SLICES, moved_list, paired_values
from benchbench.report.layouts.compare_tables import changes, differences, power, size, unjudged
from benchbench.report.layouts.compare_words import TESTS, intervals_made, level, reading, without_gold
from benchbench.report.layouts.page_parts import band, head, hidden, passed_gates, reproduce
from benchbench.report.page_blocks import Choice, Folded, Masthead, Option, Reproduce, Section
from benchbench.results.figures import ends, p_value, signed, value
from benchbench.results.result import Result
from benchbench.significance.letters import MANY
from benchbench.significance.notes import CORRECTIONS
from benchbench.tables.shared_messages import and_joined, capital, counted

if TYPE_CHECKING:
    from benchbench.report.layout import AnyBlock

_MOST = 1_500  # differences of a page
_ALIKE = ("returned the same hits in the same order", "have equal values on every query")  # notes, as the title says
_SENTENCES = 3  # of the headline; the first is the title


def blocks(result: Result, shown: Sequence["AnyBlock"]) -> "list[AnyBlock]":
    """Return the page; of the blocks that are shown it takes the means, which are those of all systems and measures."""
    recorded = result.details_as(CompareDetails)
    whole, many = without_gold(recorded), len(recorded.names) >= MANY
    shown_ones = of_systems(recorded, shown_systems(recorded)) if many else recorded
    bounded = _bounded(shown_ones)
    details = whole if bounded is recorded else without_gold(bounded)
    latencies = latencies_of(result)
    verdict, bases, chooser, chosen = _many(details, whole) if many else _few(details, whole)
    paired = paired_values(result, recorded, bounded)
    start = 0 if many else _decided(details, bases[0], chosen)
    pair_charts = pair_panels(
        replace(paired, measures=details.measures), start, (bases[0], chosen), details.settings.tie
    )
    columns = list(dict.fromkeys(part.column for part in details.slices))
    alike = all(map(same, whole.differences))
    notes = [note for note in dict.fromkeys(details.notes) if not (alike and note.endswith(_ALIKE))]
    choice = Choice("c", "Slices by", [Option(column) for column in columns])
    sliced: list[AnyBlock] = [Section("slices", "Slices", "Where: slices", choice=choice), SliceRows()]
    folded_notes = Folded("Notes", f"{len(notes):,}", [Notes(notes)])
    noted: list[AnyBlock] = [folded_notes if len(notes) > 1 else Notes(notes)] if notes else []
    compared: list[AnyBlock] = [
        *verdict,
        *noted,
        *(overview(details, latencies) if many else []),
        *([Section("pair", "Pairs", "Two systems, query by query")] if many else []),
        chooser,
        Section("differences", "Differences", "Each query"),
        Differences(pair_charts),
        *compare_charts.charts(details, without_gold(shown_ones) if many else whole, latencies, start),
        *(sliced if columns else []),
        Section("queries", "Queries", "The queries that moved"),
        moved_list(result, bounded, paired, start, bases, chosen, readings(details, len(bases) > 1), columns),
    ]
    means = [block for block in shown if isinstance(block, Table)]
    return [
        _masthead(result, whole),
        *band(result.record),
        *([Section("verdict", "Means", "Means"), _shared_means(whole)] if alike else compared),
        Section("numbers", "All numbers", "All numbers"),
        *(noted if alike else []),
        *_folded(result, whole, details, [] if alike else means),
        *_reproduce(result, whole),
    ]


def _shared_means(details: CompareDetails) -> Table:
    """Return the means of systems that have the same values."""
    estimates = [details.estimate(measure, details.names[0]) for measure in details.measures]
    rows = [[estimate.measure, value(estimate.mean), ends(estimate)] for estimate in estimates]
    return Table(["Measure", f"Mean of {and_joined(list(details.names))}", f"{level(details)} interval"], rows, "lrr")


def _few(details: CompareDetails, whole: CompareDetails) -> "tuple[list[AnyBlock], list[str], Chooser, str]":
    """Return the matrix, what it is against, what chooses a pair, and the system that is shown first."""
    against_each = matrices(details)[: max(1, _MOST // len(details.differences))]
    bases = [matrix.baseline for matrix in against_each]
    chosen = against_each[0].rows[0].system if against_each[0].rows else details.names[-1]
    matrix = Matrices(
        against_each,
        Choice("b", "Against", [Option(base) for base in bases]),
        details.measures,
        level(details),
        whole.queries,
        any(cell.drawn.band for matrix in against_each for row in matrix.rows for cell in row.cells),
        _first(details, bases[0], chosen, _decided(details, bases[0], chosen)),
    )
    return [Section("verdict", "Verdict", "Verdict"), matrix], bases, Chooser(details.measures), chosen


def _many(details: CompareDetails, whole: CompareDetails) -> "tuple[list[AnyBlock], list[str], Chooser, str]":
    """Return the same with the systems below one another in place of a matrix."""
    order, baseline = leaderboard(details), details.settings.baseline
    bases = [baseline] if baseline else order
    chosen = next(name for name in order if name != bases[0])
    chooser = Chooser(details.measures, bases, _first(details, bases[0], chosen, 0))
    return list(leaders(details, whole)), bases, chooser, chosen


def _bounded(details: CompareDetails) -> CompareDetails:
    """Return as much as a page can hold: the first pairs, and the first measures; a note says what is left out."""
    pairs = details.pairs[:_MOST]
    measures = details.measures[: max(1, _MOST // len(pairs))]
    if len(measures) * len(pairs) == len(details.differences):
        return details
    inside = {(measure, *pair) for measure in measures for pair in pairs}
    left_out = (
        f"The page has the differences of {len(measures):,} of {len(details.measures):,} measures and {len(pairs):,} "
        f"of {len(details.pairs):,} pairs; --format csv has all."
    )
    return replace(
        details,
        measures=measures,
        differences=tuple(
            difference
            for difference in details.differences
            if (difference.measure, difference.baseline, difference.system) in inside
        ),
        slices=tuple(part for part in details.slices if (part.measure, part.baseline, part.system) in inside),
        notes=[left_out, *details.notes],
    )


def _decided(details: CompareDetails, baseline: str, chosen: str) -> int:
    """Return the place of the first measure in which a pair differs, as the title says; of none, that of the first."""
    differences = [details.difference(measure, chosen, baseline) for measure in details.measures]
    return next((place for place, each in enumerate(differences) if each is not None and direction(each)), 0)


def _first(details: CompareDetails, baseline: str, chosen: str, start: int) -> tuple[str, str, str]:
    """Return what is said of the pair that is shown first, in the measure at that place."""
    difference = details.difference(details.measures[start], chosen, baseline)
    return ("open", "", "") if difference is None else reading(details, difference)


def _masthead(result: Result, details: CompareDetails) -> Masthead:
    data = result.record.data
    name = data.name or ("/".join(PurePath(data.source).parts[-2:]) if data.source else "")
    size = counted(details.queries, "query") + (f" of {name}" if name else "")
    verdict = headline(details, _SENTENCES)
    title, *others = (sentence for _, sentence in verdict.sentences)
    aside = [each for each in verdict.advice if "`" in each or each.startswith(capital(NOT_COMPARED))]
    rest = " ".join([*others, *(sentence for sentence in verdict.advice if sentence not in aside)]).strip()
    lost = [f"✕ {sentence}" for sentence in (failed(details),) if sentence]
    pieces = [f"{rest} ".lstrip(), *lost] if rest or lost else []
    command = "run" if result.record.environment.command[:1] == ["run"] else "compare"  # of several services
    return head(command, result.record, [counted(len(details.names), "system"), size], title, pieces, aside)


def _folded(result: Result, whole: CompareDetails, details: CompareDetails, means: Sequence[Table]) -> Iterator[Folded]:
    tested = f"{TESTS[details.settings.test]}, {details.family}"
    caption = f"system - baseline; bold where significant: {tested}"
    ranked = " A rank is the span of ranks that the tests leave open." if len(details.names) > 2 else ""
    if means:
        yield Folded("All differences", caption, [differences(details, size, power, changes)])
        yield Folded(
            "Means", f"over queries, with intervals of {level(whole)}, {intervals_made(whole)}.{ranked}", means
        )
    if details.slices:
        cut_to = f"the first {MOST_SLICES:,} of {len(details.slices):,}" if len(details.slices) > MOST_SLICES else ""
        yield Folded("Slices", cut_to or "each corrected over all of its measure", [_sliced(details)])
    yield from compare_charts.speed_tables(whole)
    for table in unjudged(details):
        yield Folded("Unjudged hits", "what the differences would be if they were relevant", [table])
    yield from passed_gates(result.record)
    rows = []
    for system in whole.systems:
        counts = ", ".join(f"{name.replace('_', ' ')} {number:,}" for name, number in system.counts.items() if number)
        rows.append([system.name, hidden(system.source), counts, system.signature])
    yield Folded("Systems", "", [Table(["System", "Source", "Queries", "Signature"], rows)])


def _sliced(details: CompareDetails) -> Table:
    names = ["Measure", "System", "Baseline", "Column", "Value", "Queries"]
    rows: list[list[AnyCell]] = []
    for part in details.slices[:MOST_SLICES]:
        means = f"{value(part.baseline_mean)}, {value(part.system_mean)}"
        row = [part.measure, part.system, part.baseline, part.column, part.value, f"{part.queries:,}", means]
        between = ends(part, shown=signed)
        rows.append([*row, Cell(signed(part.mean), strong=part.significant), between, p_value(part.corrected)])
    return Table([*names, "Means", "Difference", "Interval", "p corrected"], rows, "lllll" + "r" * 5)


def _reproduce(result: Result, details: CompareDetails) -> tuple[Section, Reproduce]:
    """Return what the verdicts depend on, named."""
    settings = details.settings
    of_test = [f"{details.resamples:,} of the test"] if details.resamples not in (None, settings.resamples) else []
    conditions = [
        ("Test", TESTS[settings.test]),
        ("Correction", CORRECTIONS[settings.correction] if details.tests > 1 else "none, one test per measure"),
        ("Family", details.family),
        ("Alpha", f"{settings.alpha:g}"),
        ("Resamples", " and ".join([f"{settings.resamples:,}", *of_test])),
        ("Seed", f"{settings.seed}"),
        ("Tie", f"differences of at most {settings.tie:g}" if settings.tie else "equal values"),
        ("Power", f"{settings.power:g}"),
        *([] if settings.margin is None else [("Margin", f"{settings.margin:g}")]),
        *([] if settings.need is None else [("Need", f"a difference of {settings.need:g}")]),
        *([] if details.groups is None else [("Groups", f"{details.groups:,} of {settings.cluster}")]),
        ("Slices by", ", ".join(settings.slices) or "none"),
    ]
    return reproduce(result.record, [] if all(map(same, details.differences)) else [("Tests", conditions)])
