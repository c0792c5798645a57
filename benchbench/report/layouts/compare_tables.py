"""Tables of a comparison that several formats have: means, differences with their tests, and unjudged hits."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace

from benchbench.comparison.compare_result import CompareDetails, LoadStep
from benchbench.report.blocks import PAGE, SUMMARY, TERMINAL, WIDE, AnyCell, Cell, Table, Where
from benchbench.report.layouts.compare_words import level, p_shown
from benchbench.results.figures import NOTHING, count, ends, p_value, share, signed, time, value
from benchbench.significance.result import PairedDifference

_TEXTS = ("Measure", "Difference", "System", "Margin")  # heads of columns that begin at the left
_UNJUDGED = (
    "Unjudged hits count as not relevant. The mean if those of the baseline were relevant, or those of the system:"
)

Row = dict[str, AnyCell]  # by the heads of the columns


def means(details: CompareDetails) -> Table:
    """Return the mean of each system with its interval, and the ranks that the tests leave open."""
    rows: list[Row] = []
    for estimate in details.estimates:
        ranks = dict.fromkeys((f"{estimate.rank_low}", f"{estimate.rank_high}"))
        row: Row = {"Measure": estimate.measure, "System": estimate.system, "Mean": value(estimate.mean)}
        row[f"{level(details)} interval"] = ends(estimate)
        rows.append(row | {"Rank": f"{estimate.rank}", "May be": " to ".join(ranks)})
    return _table(rows, where=WIDE | PAGE)


def differences(
    details: CompareDetails,
    *parts: Callable[[CompareDetails, PairedDifference], Row],
    caption: str = "",
) -> Table:
    """Return a row per measure and pair, with what each of the parts says of the difference."""
    rows: list[Row] = []
    for difference in details.differences:
        row: Row = {"Measure": difference.measure, "Difference": f"{difference.system} - {difference.baseline}"}
        for part in parts:
            row |= part(details, difference)
        rows.append(row)
    return _table(rows, caption)


def size(details: CompareDetails, difference: PairedDifference) -> Row:
    """Return the mean with its interval, and the p-values, which are corrected where there are several tests."""
    test, kind = details.settings.test, "corrected" if details.tests > 1 else "p"
    row: Row = {
        "Mean": Cell(signed(difference.mean), strong=difference.significant),
        f"{level(details)} interval": ends(difference, shown=signed),
        kind if details.tests > 1 else f"p {test}": Cell(p_shown(details, difference), strong=difference.significant),
    }
    row |= {f"p {test}": p_value(difference.p[test])} if details.tests > 1 else {}
    return row | {f"{kind} {name}": p_value(p) for name, p in difference.corrected.items() if name != test}


def tests(details: CompareDetails, difference: PairedDifference) -> Row:
    """Return the p-values of all tests, and that of the one that decides as it is corrected."""
    decides = Cell(p_shown(details, difference), strong=difference.significant)
    return {**{f"p {test}": p_value(p) for test, p in difference.p.items()}, "corrected": decides}


def power(_: CompareDetails, difference: PairedDifference) -> Row:
    """Return the effect, and what would have been detected."""
    return {"Effect d_z": signed(difference.effect), "Detectable": value(difference.detectable)}


def changes(details: CompareDetails, difference: PairedDifference) -> Row:
    """Return how many queries changed and flipped, and what is said of a margin and of a difference asked for."""
    settings, margin = details.settings, difference.margin
    row: Row = {name: count(getattr(difference, name.lower())) for name in ("Wins", "Ties", "Losses")}
    row |= {name: count(getattr(difference, name.lower())) for name in ("Changed", "Found", "Lost")}
    if settings.need is not None:
        row[f"Need for {settings.need:g}"] = count(difference.need)
    if margin is not None:
        row[f"{100 * (1 - 2 * settings.alpha):g} % interval"] = ends(margin, shown=signed)
        row |= {"p equivalent": p_value(margin.equivalent), "p not inferior": p_value(margin.not_inferior)}
        row["Margin"] = margin.verdict
    return row


def unjudged(details: CompareDetails) -> Iterator[Table]:
    """Yield what the differences would be if hits that nobody judged were relevant, where there are such hits."""
    rows: list[Row] = []
    for case in details.unjudged.cases:
        baseline, system = (value(details.unjudged.share(case.judged, name)) for name in (case.baseline, case.system))
        row: Row = {"Measure": case.measure, "Difference": f"{case.system} - {case.baseline}"}
        row |= {"Mean": signed(case.mean), "Worst": signed(case.worst), "Best": signed(case.best)}
        rows.append(row | {"Judged": case.judged, "Baseline": baseline, "System": system})
    if rows:
        keeps = [0, 0, 1, 0, 0, 0, 2, 2]
        yield _table(rows, _UNJUDGED, TERMINAL | SUMMARY)._replace(sides="llrrrlrr", keeps=keeps)


def load_table(loads: Mapping[str, Sequence[LoadStep]]) -> Table:
    """Return a row per load and system; of a step in which every request failed there is no latency."""
    every = [(step, name) for name, steps in loads.items() for step in steps]
    has_rates = any(step.offered is not None for step, _ in every)
    order = list(dict.fromkeys(step.label for step, _ in every))
    rows: list[list[AnyCell]] = []
    for step, name in sorted(every, key=lambda each: order.index(each[0].label)):
        known = step if step.errors != 1.0 else replace(step, queries_per_second=None, p50=None, p99=None)
        kept = (NOTHING if step.offered is None else "yes" if step.sustained else "no",) if has_rates else ()
        numbers = count(known.queries_per_second), time(known.p50), time(known.p99), share(step.errors)
        load = step.label
        if step.offered and step.batch_size > 1:  # in the unit of the axes of charts
            load = f"{count(step.offered)} queries/s ({count(step.offered / step.batch_size)} × {step.batch_size:,})"
        rows.append([load, name, *kept, *numbers])
    head = ["Load", "System", *["Keeps up"] * has_rates, "Queries/s", "p50", "p99", "Failed"]
    return Table(head, rows, "l" * (len(head) - 4) + "rrrr", grouped=True)


def _table(rows: Sequence[Row], caption: str = "", where: Where = WIDE) -> Table:
    """Return a table of rows, in which a measure stands in the first of its rows."""
    head = list(rows[0])
    sides = "".join("l" if name in _TEXTS else "r" for name in head)
    above = [None, *(row["Measure"] for row in rows)]
    cells = [
        ["" if row["Measure"] == name else row["Measure"], *list(row.values())[1:]]
        for name, row in zip(above, rows, strict=False)
    ]
    return Table(head, cells, sides, caption, where=where)
