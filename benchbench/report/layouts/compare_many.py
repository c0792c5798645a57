"""Many systems on a page: all intervals with groups of ties, ranks by measure, and values by slices.

Of more than a page can hold, the best are shown, the last ones, and the baseline; a table has the others.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from benchbench.comparison.compare_result import CompareDetails, Moved
from benchbench.comparison.leaders import leaderboard
from benchbench.kernels.arrays import F64
from benchbench.report.blocks import AnyCell, Table
from benchbench.report.layouts.compare_charts import front
from benchbench.report.layouts.compare_words import level
from benchbench.report.layouts.page_scales import value_axis
from benchbench.report.page_blocks import (
    Axis,
    Choice,
    Dot,
    Folded,
    Option,
    PageBlock,
    Panel,
    Panels,
    Path,
    Plot,
    PlotMark,
    Section,
    Tone,
)
from benchbench.report.row_drawings import ColourMap, Forest, ForestRow, MapCell
from benchbench.results.figures import count, ends, signed, value
from benchbench.results.headline import OF_DIRECTION
from benchbench.significance import drawing
from benchbench.significance.letters import rank_span, tie_letters
from benchbench.significance.result import PairedDifference, SliceDifference
from benchbench.tables.shared_messages import and_joined, capital

_ALL = 20  # systems that are all shown
_FIRST, _LAST = 10, 2  # of more
_LABELS = 14  # values of a column of slices, those of the most queries
_LINE = 22  # pixels of a system among ranks
_PICTURED = 2  # places that a system moves for a chart of orders: neighbours that swap are a sentence
_TONES: Mapping[int, Tone] = {1: "good", -1: "bad", 0: ""}


def shown_systems(details: CompareDetails) -> list[str]:
    """Return the systems that a page shows, the best first."""
    order = leaderboard(details)
    if len(order) <= _ALL:
        return order
    baseline = details.settings.baseline
    return [
        name for place, name in enumerate(order) if place < _FIRST or place >= len(order) - _LAST or name == baseline
    ]


def of_systems(details: CompareDetails, names: Sequence[str]) -> CompareDetails:
    """Return as much of a comparison as is about some systems; ranks stay those among all."""
    kept = set(names)

    def inside(pair: Moved | PairedDifference | SliceDifference) -> bool:
        return pair.baseline in kept and pair.system in kept

    left_out = (
        f"The page has the pairs of the {len(kept)} systems that it shows, of {len(details.names):,}; --format csv has "
        f"all {len(details.pairs):,}."
    )
    return replace(
        details,
        notes=details.notes if len(kept) == len(details.names) else [left_out, *details.notes],
        systems=tuple(system for system in details.systems if system.name in kept),
        estimates=tuple(estimate for estimate in details.estimates if estimate.system in kept),
        differences=tuple(filter(inside, details.differences)),
        slices=tuple(filter(inside, details.slices)),
        moved=tuple(filter(inside, details.moved)),
    )


def leaders(details: CompareDetails, whole: CompareDetails) -> list[PageBlock]:
    """Return the intervals of the systems that are shown, by measure, and a table of the others."""
    options = [Option(measure) for measure in details.measures]
    choice = Choice("m", "Measure", options) if len(options) > 1 else None
    forests = [_forest(details, whole, measure) for measure in details.measures]
    baseline = details.settings.baseline
    how = f"Dots and lines: mean and {level(details)} interval."
    ties = "" if baseline else "Systems with a dot in the same column are not measurably different. "
    colour = f"Blue: not measurably worse than {baseline or 'the best'}; grey: measurably worse."
    panel = Panel("", f"{ties}{how} {colour}", forests, "m", name="forest")
    rank = " Rank: all ranks that the tests leave possible."
    note = "" if baseline else "Systems whose intervals overlap may still differ: the letters come from paired tests."
    return [
        Section("verdict", "Leaderboard", "Leaderboard", choice=choice),
        Panels([panel], 1, f"{note}{rank}{_order_words(details)}".strip()),
        *_others(details, whole),
    ]


def _others(details: CompareDetails, whole: CompareDetails) -> list[PageBlock]:
    """Return a table of the systems that no chart shows."""
    left = [name for name in leaderboard(whole) if name not in set(details.names)]
    if not left:
        return []
    first = whole.measures[0]
    rows: list[list[AnyCell]] = []
    for name in left:
        estimates = [whole.estimate(measure, name) for measure in whole.measures]
        ranks = rank_span(estimates[0].rank_low, estimates[0].rank_high)
        rows.append([ranks, name, ends(estimates[0]), *(value(estimate.mean) for estimate in estimates)])
    head = ["Rank", "System", f"{first}, {level(whole)} interval", *whole.measures]
    title = f"{len(left):,} more systems"
    return [Folded(title, f"by {first}", [Table(head, rows, "llr" + "r" * len(whole.measures))])]


def _forest(details: CompareDetails, whole: CompareDetails, measure: str) -> Forest:
    estimates = {name: details.estimate(measure, name) for name in details.names}
    order = leaderboard(details, measure)
    baseline = details.settings.baseline
    letters = {} if baseline else tie_letters(order, details.by_measure[measure])
    rates = {name: speed.queries_per_second for name, speed in details.speed_of.items()}
    names = sorted({letter for text in letters.values() for letter in _split(text)}, key=_place)
    rows = []
    for name in order:
        estimate = estimates[name]
        difference = details.difference(measure, name, baseline or order[0])
        way = 0 if difference is None else difference.direction
        least, most = drawing.ends(estimate)
        ranks = rank_span(estimate.rank_low, estimate.rank_high)
        to_best = ("baseline" if baseline else "best") if difference is None else signed(difference.mean)
        cells: list[tuple[str, Tone]] = [(value(estimate.mean), "")]
        cells.append((to_best if difference is None else f"{OF_DIRECTION[way]} {to_best}", _TONES[way]))
        cells += [(count(rates.get(name)), "")] if rates else []
        hint = f"{name}: {measure} {value(estimate.mean)}, {ends(estimate)}, rank {ranks} of {len(whole.names):,}"
        groups = [names.index(letter) for letter in _split(letters.get(name, ""))]
        rows.append(ForestRow(name, ranks, estimate.mean, least, most, groups, cells, way < 0, hint))
    heads = [measure, f"vs {baseline or 'best'}", *(["queries/s"] if rates else [])]
    words = "; ".join(f"{row.name} {value(row.mean)} ({value(row.low)} to {value(row.high)})" for row in rows)
    scale = value_axis([end for row in rows for end in (row.low, row.high)], "", 0.0)
    return Forest(f"{measure} of {len(rows)} systems with intervals: {words}.", heads, rows, names, *scale[:3])


def _split(letters: str) -> list[str]:
    """Return the groups of a system: letters, or numbers with commas."""
    return letters.split(",") if letters[:1].isdigit() else list(letters)


def _place(group: str) -> tuple[bool, int | str]:
    return (True, int(group)) if group.isdigit() else (group.isupper(), group)


def overview(details: CompareDetails, latencies: Mapping[str, F64]) -> list[PageBlock]:
    """Return quality against speed, the order of the systems by each measure, and their means by slices.

    Two stand beside each other; the means by slices take the width where that leaves them alone.
    """
    speed, order, maps = front(details, latencies), _ranks(details), _slice_maps(details)
    pair = [*speed, *order]
    rows = [[*pair, *maps]] if len(pair) < 2 else [pair, maps]
    names = [heading for heading, has in (("speed", speed), ("order", order), ("slices", maps)) if has]
    made: list[PageBlock] = [Section("order", "Order", capital(and_joined(names)))] if names else []
    return made + [Panels(row, min(len(row), 2)) for row in rows if row]


def _orders(details: CompareDetails) -> tuple[dict[str, list[str]], dict[str, tuple[int, int]]]:
    """Return the systems in order, by measure and by speed where all were timed; and best and worst place of each."""
    orders = {measure: leaderboard(details, measure) for measure in details.measures}
    rates = {name: speed.queries_per_second or 0.0 for name, speed in details.speed_of.items()}
    if len(rates) == len(details.names):
        orders["queries/s"] = sorted(details.names, key=lambda name: -rates[name])
    places = {name: [order.index(name) + 1 for order in orders.values()] for name in details.names}
    return orders, {name: (min(of_name), max(of_name)) for name, of_name in places.items()}


def _order_words(details: CompareDetails) -> str:
    """Return whether the order depends on the measure, where no chart shows it."""
    orders, spans = _orders(details)
    moved = [name for name, (least, most) in spans.items() if least < most]
    if len(orders) < 2 or any(most - least >= _PICTURED for least, most in spans.values()):
        return ""
    if not moved:
        return f" All {len(orders)} measures give the same order."
    return f" The order hardly depends on the measure: {and_joined(moved)} move by one place."


def _ranks(details: CompareDetails) -> list[Panel]:
    """Return the order of the systems by each measure, and by speed where all were timed; nothing of one order."""
    orders, spans = _orders(details)
    first = orders[details.measures[0]]
    moved = max(spans, key=lambda name: spans[name][1] - spans[name][0])
    least, most = spans[moved]
    if most - least < _PICTURED:
        return []
    last, baseline = len(orders) - 1, details.settings.baseline
    marks: list[PlotMark] = []
    for place, name in enumerate(details.names):
        points = [(float(at), -float(order.index(name))) for at, order in enumerate(orders.values())]
        marks.append(Path(points, series=place, named=True))
        for (at, height), measure in zip(points, orders, strict=True):
            full = measure in details.measures and not _is_worse(details, measure, name, orders[measure][0])
            hint = f"{name}: {1 - height:.0f} of {len(first)} by {measure}"
            marks.append(Dot(at, height, name if at == last else "", hint=hint, series=place, full=full))
    x = Axis(-0.12, last + 0.12, [(float(at), name) for at, name in enumerate(orders)])
    y = Axis(-len(first) + 0.5, 0.5, [(-float(at), first[at]) for at in reversed(range(len(first)))])
    moves = f"{moved} moves most: from place {least} to {most}."
    words = f"Filled: not measurably worse than {baseline or 'the best'}. {moves}"
    described = "; ".join(f"by {measure}: {', '.join(order)}" for measure, order in orders.items())
    plot = Plot(f"Order of the systems {described}.", x, y, marks, 50 + _LINE * len(first), named=True)
    return [Panel("Does the order depend on the measure?", words, [plot], name="ranks")]


def _is_worse(details: CompareDetails, measure: str, name: str, best: str) -> bool:
    """Say that a system is measurably worse than the baseline, or where there is none than the best."""
    difference = details.difference(measure, name, details.settings.baseline or best)
    return difference is not None and difference.direction < 0


def _slice_maps(details: CompareDetails) -> list[Panel]:
    """Return the means of the systems by slices, a map for each measure."""
    maps = [table for measure in details.measures if (table := _slice_map(details, measure)) is not None]
    if len(maps) < len(details.measures):  # of some measures alone there are slices
        maps = maps[:1]
    baseline = details.settings.baseline or "that"
    how = f"The stronger the colour, the closer to the best of its column. Bold: not measurably worse than {baseline}."
    return [Panel("Systems by slices", how, maps, "m" if len(maps) > 1 else "", name="slices")] if maps else []


def _slice_map(details: CompareDetails, measure: str) -> ColourMap | None:
    by_slice: dict[tuple[str, str], list[SliceDifference]] = {}
    for part in details.slices:
        if part.measure == measure:
            by_slice.setdefault((part.column, part.value), []).append(part)
    columns = list(dict.fromkeys(column for column, _ in by_slice))
    groups: list[tuple[str, list[tuple[str, str]]]] = []
    cells: dict[str, list[MapCell]] = {name: [] for name in leaderboard(details)}
    for column in columns:
        labels = [label for of, label in by_slice if of == column]
        sizes = sorted((by_slice[column, label][0].queries for label in labels), reverse=True)
        kept = [label for label in labels if by_slice[column, label][0].queries >= sizes[:_LABELS][-1]][:_LABELS]
        groups.append((column, [(label, f"{by_slice[column, label][0].queries:,}") for label in kept]))
        for label in kept:
            for name, cell in _column(details, by_slice[column, label], f"{column} {label}").items():
                cells[name].append(cell)
    if not columns:
        return None
    words = "; ".join(f"{name}: {', '.join(cell.text for cell in row)}" for name, row in cells.items())
    listed = "; ".join(f"{column}: {', '.join(label for label, _ in labels)}" for column, labels in groups)
    return ColourMap(f"Mean {measure} by {listed}. {words}.", groups, list(cells.items()))


def _column(details: CompareDetails, parts: Sequence[SliceDifference], label: str) -> dict[str, MapCell]:
    """Return the cells of a slice: how far each mean is from the best, and whether a test says that it is worse."""
    means: dict[str, float] = {}
    for part in parts:
        means |= {part.baseline: part.baseline_mean, part.system: part.system_mean}
    best, lowest = max(means, key=means.__getitem__), min(means.values())
    against = details.settings.baseline or best
    worse = {
        part.system if part.baseline == against else part.baseline
        for part in parts
        if part.significant
        and against in (part.baseline, part.system)
        and (part.mean < 0) == (part.baseline == against)
    }
    reach = means[best] - lowest
    return {
        name: MapCell(
            value(means[name]),
            ((means[name] - lowest) / reach) ** 2 if reach else 0.5,  # squared: the best stand out
            name not in worse,
            f"{name}, {label}: {value(means[name])}",
        )
        if name in means
        else MapCell("")
        for name in details.names
    }
