"""The matrix of a comparison: systems by measures, each measure on a scale of its own, and each cell in words."""

from collections.abc import Iterator, Sequence, Sized

import benchbench.significance.drawing as drawing
from benchbench.comparison.compare_result import CompareDetails, ComparedSystem, SystemSpeed
from benchbench.comparison.headline import against, direction, ranked, same
from benchbench.measures.notation import task_and_measures
from benchbench.report.comparison_blocks import Drawn, Matrix, MatrixCell, MatrixHead, MatrixRow
from benchbench.report.layouts.compare_words import reading
from benchbench.results.figures import NOTHING, ends, rounded, signed, time, value
from benchbench.significance.result import PairedDifference

_ROWS = 6  # of systems, before the others wait for a button
_FEW = 100  # requests: of fewer, p99 is the slowest one
_EDGE = 4  # percent of a scale that stay free on each side
_APART = 40  # percent of a scale between 0 and an end whose number is given
_TIMES = ("p99", "p95", "p90", "p50")


def rests_on(times: Sequence[Sized], is_tested: bool) -> str:
    """Return what the speeds are based on; `times` are those of the requests of each system."""
    fewest = min(map(len, times), default=0)
    words = f"one run each, {'of which medians alone are tested' if is_tested else 'not tested'}"
    if not 0 < fewest < _FEW:
        return words
    return f"{words}; of {fewest:,} requests the highest percentiles are the slowest ones"


def matrices(details: CompareDetails) -> list[Matrix]:
    """Return the matrix against the baseline; against each system in turn, the best first, where there is none."""
    baseline = against(details.differences)
    names = [count.system for count in ranked(details)]
    bases = names if baseline is None else [baseline]
    return [_matrix(details, base, [name for name in names if name != base]) for base in bases]


def _matrix(details: CompareDetails, baseline: str, names: Sequence[str]) -> Matrix:
    differences = {}
    for difference in details.differences:
        if baseline in (difference.baseline, difference.system):
            seen = difference if difference.baseline == baseline else difference.reversed()
            differences[seen.measure, seen.system] = (
                seen,
                details.places[difference.measure, difference.baseline, difference.system],
            )
    scales = {measure: _scale([differences[measure, name][0] for name in names if (measure, name) in differences])
              for measure in details.measures}  # fmt: skip
    systems = {system.name: system for system in details.systems}
    marks = _marks(details.systems)
    several = against(details.differences) is None and len(details.names) > 2
    rows = []
    for place, name in enumerate(names):
        cells = []
        for measure in details.measures:
            if (measure, name) not in differences:
                continue
            difference, places = differences[measure, name]
            estimate = details.estimate(measure, name)
            ranks = "–".join(dict.fromkeys((f"{estimate.rank_low}", f"{estimate.rank_high}")))
            cells.append(
                MatrixCell(
                    *places,
                    *_verdict(difference),
                    signed(difference.mean),
                    value(estimate.mean),
                    f"rank {ranks}" if several else "",
                    _drawn(difference, *scales[measure]),
                )
            )
        speed = list(_speeds(systems.get(name), systems.get(baseline), marks))
        rows.append(MatrixRow(name, cells, speed, place >= _ROWS))
    bases = [details.estimate(measure, baseline) for measure in details.measures]
    means = [(value(base.mean), ends(base).removeprefix(NOTHING)) for base in bases]
    base_speeds = [shown for shown, _ in _speeds(systems.get(baseline), None, marks)]
    heads = [_head(measure, *scales[measure]) for measure in details.measures]
    return Matrix(baseline, heads, marks, means, base_speeds, rows, sum(row.late for row in rows))


def _verdict(difference: PairedDifference) -> tuple[str, str, str]:
    """Return symbol, tone and word."""
    if way := direction(difference):
        return ("▲", "up", "better") if way > 0 else ("▼", "down", "worse")
    if difference.direction:
        return "≠", "open", "differs, but mean and test disagree on the way"
    return ("=", "open", "the same values") if same(difference) else ("○", "open", "no measurable difference")


def _scale(differences: Sequence[PairedDifference]) -> tuple[float, float]:
    """Return the ends of the scale of a measure, with 0 inside."""
    values = [0.0, *(value for difference in differences for value in (*drawing.ends(difference), difference.mean))]
    low, high = min(values), max(values)
    return (low, high) if low < high else (-1.0, 1.0)


def _at(value: float, low: float, high: float) -> float:
    share = min(max((value - low) / (high - low), 0.0), 1.0)
    return _EDGE + (100 - 2 * _EDGE) * share


def _drawn(difference: PairedDifference, low: float, high: float) -> Drawn:
    band, (begin, end) = None, drawing.ends(difference)
    if difference.detectable is not None and not difference.direction:
        least, most = (_at(sign * difference.detectable, low, high) for sign in (-1, 1))
        band = least, most - least
    least, mean, most, zero = (_at(value, low, high) for value in (begin, difference.mean, end, 0.0))
    return Drawn(least, mean, most, zero, band)


def _head(measure: str, low: float, high: float) -> MatrixHead:
    task = task_and_measures(measure)[0]
    name = measure.removeprefix(f"{task}.") if task else measure
    zero = _at(0.0, low, high)
    begin, end = _short(low) if zero > _APART else "", _short(high) if zero < 100 - _APART else ""
    return MatrixHead(task, name, begin, zero, end)


def _marks(systems: Sequence[ComparedSystem]) -> list[str]:
    """Return the columns of speed: the highest percentile that all have up to p99, and queries a second."""
    speeds = [system.speed for system in systems if system.speed is not None]
    if not speeds:
        return []
    mark = next((mark for mark in _TIMES if any(mark in speed.latency_ms for speed in speeds)), "")
    return [*([mark] if mark else []), "queries a second"]


def _speeds(
    system: ComparedSystem | None, base: ComparedSystem | None, marks: Sequence[str]
) -> Iterator[tuple[str, str]]:
    for mark in marks:
        value, before = (_speed(side.speed, mark) if side and side.speed else None for side in (system, base))
        if value is None:
            yield NOTHING, ""
        elif mark in _TIMES:
            yield time(value), "" if not before else f"{100 * (value / before - 1):+.0f} %".replace("-", "−")
        else:
            yield f"{value:,.0f}", "" if not before else f"{value / before:.2f} ×"


def _speed(speed: SystemSpeed, mark: str) -> float | None:
    return speed.latency_ms.get(mark) if mark in _TIMES else speed.queries_per_second


def _short(end: float) -> str:
    return f"{'+' if end >= 0 else ''}{rounded(end, 2)}"


def readings(details: CompareDetails, both: bool) -> dict[str, tuple[str, str, str]]:
    """Return the reading of each difference, by the places of its measure and pair; with `both`, of its reverse too."""
    read = {}
    for difference in details.differences:
        key = details.key(difference)
        read[key] = reading(details, difference)
        if both and difference.margin is None:  # what is said of a margin has one direction
            read[f"{key}.r"] = reading(details, difference.reversed())
    return read
