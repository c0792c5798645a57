"""The tables of a comparison, ready for the page."""

from collections.abc import Iterable

from benchbench.report.comparison_figures import left_out, places_of
from benchbench.report.comparison_words import TESTS, p_value, percent
from benchbench.report.figures import Cell, Figure, View, number, signed
from benchbench.significance.notes import CORRECTIONS
from benchbench.significance.outcome import Outcome
from benchbench.significance.result import Comparison, Difference, Slice

_MOST_SLICES = 400  # of one pair and measure
_MOST_ROWS = 2_000  # of all together


def estimates(comparison: Comparison) -> tuple[list[str], list[list[Cell]]]:
    """Return the table of means: measures down, systems across; the best of a measure is strong."""
    systems = comparison.paired.systems
    several = len(systems) > 2
    rows = []
    for measure in comparison.paired.measures:
        row = [Cell(measure)]
        for system in systems:
            one = comparison.estimate(measure, system)
            row.append(
                Cell(f"{number(one.mean)} [{number(one.low)}, {number(one.high)}]", one.mean, strong=one.rank == 1)
            )
            if several:
                ranks = f"{one.rank_low}–{one.rank_high}" if one.rank_low != one.rank_high else f"{one.rank_low}"
                row.append(Cell(ranks, one.rank_low))
        rows.append(row)
    head = ["Measure", *(name for system in systems for name in ((system, "rank") if several else (system,)))]
    return head, rows


def differences(comparison: Comparison) -> tuple[list[str], list[list[Cell]]]:
    """Return the table of differences, one row a measure and pair."""
    settings = comparison.settings
    head = ["Measure", "System", "Baseline", "Difference", f"{percent(comparison)} interval", "", "p corrected"]
    head += [
        "Effect",
        "Better",
        "Equal",
        "Worse",
        "Detectable",
        f"p ({settings.test})",
        *(f"p corr. ({test})" for test in _others(comparison)),
    ]
    rows = []
    scales = {measure: scale(alike) for measure, alike in comparison.by_measure.items()}
    for one in comparison.differences:
        p, corrected = one.p[settings.test], one.corrected[settings.test]
        row = [Cell(one.measure), Cell(one.system), Cell(one.baseline)]
        row += [Cell(signed(one.mean), one.mean, strong=one.significant), *interval(one, *scales[one.measure])]
        row += [Cell(p_value(corrected), corrected, strong=one.significant)]
        row += [Cell(f"{one.effect:+.2f}".replace("-", "−").replace("+nan", "–"), one.effect)]
        row += [Cell(f"{count:,}", count) for count in (one.wins, one.ties, one.losses)]
        row += [Cell(number(one.detectable), one.detectable), Cell(p_value(p), p)]
        row += [Cell(p_value(one.corrected[test]), one.corrected[test]) for test in _others(comparison)]  # type: ignore[index]
        rows.append(row)
    return head, rows


def _others(comparison: Comparison) -> list[str]:
    """Return the tests besides the one that decides."""
    first = comparison.differences[0].corrected if comparison.differences else {}
    return [test for test in first if test != comparison.settings.test]


def scale(alike: Iterable[Difference | Slice]) -> tuple[float, float]:
    """Return the least end and the width of a scale that intervals share, with 0 on it."""
    ends = [0.0, *(end for one in alike for end in (one.low, one.high))]
    return min(ends), (max(ends) - min(ends)) or 1.0


def interval(one: Difference | Slice, low: float, width: float) -> tuple[Cell, Cell]:
    """Return an interval in numbers, and drawn on a scale."""
    places = tuple(96 * (at - low) / width + 2 for at in (one.low, one.mean, one.high, 0.0))
    return Cell(f"{number(one.low)} to {number(one.high)}", one.low), Cell("", one.mean, interval=places)  # type: ignore[arg-type]


def slices(outcome: Outcome) -> Figure | None:
    """Return the differences of the slices, a view a measure and pair."""
    comparison = outcome.comparison
    if not comparison.slices:
        return None
    place = places_of(comparison)
    grouped: dict[tuple[str, str, str], list[Slice]] = {}
    for one in comparison.slices:
        grouped.setdefault((one.measure, one.baseline, one.system), []).append(one)
    views: list[View] = []
    chosen = {}
    left = _MOST_ROWS
    for key, members in grouped.items():
        measure, baseline, system = key
        chosen[place[key]] = len(views)
        if views and left < len(members):
            left = 0  # none behind it either
            continue
        left -= len(members)
        head = [
            "Column",
            "Value",
            "Queries",
            baseline,
            system,
            "Difference",
            f"{percent(comparison)} interval",
            "",
        ]
        rows = []
        ends = scale(members)
        for one in members[:_MOST_SLICES]:
            row = [Cell(one.column), Cell(one.value), Cell(f"{one.queries:,}", one.queries)]
            row += [Cell(number(mean), mean) for mean in (one.baseline_mean, one.system_mean)]
            row += [Cell(signed(one.mean), one.mean, strong=one.significant), *interval(one, *ends)]
            rows.append([*row, Cell(p_value(one.corrected), one.corrected, strong=one.significant)])
        title = f"{measure} of {system} minus that of {baseline}, by slice"
        views.append(View(title, _told(members), (*head, "p corrected"), rows))
    if len(chosen) > len(views):
        views.append(left_out("slices", len(views), len(chosen), "--format json has all"))
    return Figure("slices", "Slices", ("measure", "pair"), views, chosen)


def _told(members: list[Slice]) -> str:
    worst, best = min(members, key=lambda one: one.mean), max(members, key=lambda one: one.mean)
    counted = sum(one.significant for one in members)
    said = f"{counted:,} of {len(members):,} slices differ significantly. "
    said += f"Lowest: {worst.column} {worst.value}, {signed(worst.mean)} over {worst.queries:,} queries; "
    said += f"highest: {best.column} {best.value}, {signed(best.mean)} over {best.queries:,}."
    cut = f" Shown are the first {_MOST_SLICES:,}, greatest loss first." if len(members) > _MOST_SLICES else ""
    return said + cut


def conditions(comparison: Comparison) -> list[tuple[str, str]]:
    """Return what the verdicts depend on, named."""
    settings = comparison.settings
    return [
        ("Test that decides", TESTS[settings.test]),
        ("Correction", CORRECTIONS[settings.correction]),
        ("Family", comparison.family),
        ("Alpha", f"{settings.alpha:g}"),
        ("Resamples", f"{settings.resamples:,}"),
        ("Seed", f"{settings.seed}"),
        ("Tie", f"values that differ by at most {settings.tie:g} are equal"),
        ("Power", f"{settings.power:g}"),
        ("Slices by", ", ".join(settings.slices) or "none"),
    ]
