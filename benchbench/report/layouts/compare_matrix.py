"""The matrix of a comparison: systems by measures, each measure on a scale of its own, and each cell in words."""

from collections.abc import Mapping, Sequence

import benchbench.significance.drawing as drawing
from benchbench.comparison.compare_result import CompareDetails
from benchbench.comparison.headline import against, direction, ranked, same
from benchbench.measures.notation import task_and_measures
from benchbench.report.comparison_blocks import Drawn, Matrix, MatrixCell, MatrixHead, MatrixRow
from benchbench.report.layouts.compare_words import reading
from benchbench.results.figures import NOTHING, count, ends, rounded, signed, time, value
from benchbench.significance.result import PairedDifference

_ROWS = 6  # of systems, before the others wait for a button
_EDGE = 4  # percent of a scale that stay free on each side
_LEAST = 0.5  # of the longer side of 0 that the shorter one has at least, so that both have their numbers
_ALIKE = 2.5  # scales of measures of which none is so many times as long as another are one


def _one_scale(scales: Mapping[str, tuple[float, float]]) -> dict[str, tuple[float, float]]:
    """Return one scale for all measures, unless that would make the interval of one too short to read."""
    lengths = [high - low for low, high in scales.values()]
    if max(lengths) > _ALIKE * min(lengths):
        return dict(scales)
    return dict.fromkeys(scales, (min(low for low, _ in scales.values()), max(high for _, high in scales.values())))


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
    scales = _one_scale(
        {measure: _scale([differences[measure, name][0] for name in names if (measure, name) in differences])
         for measure in details.measures}
    )  # fmt: skip
    marks = [*filter(None, [details.percentile]), "queries/s"] if details.speed_of else []
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
        rows.append(MatrixRow(name, cells, _speeds(details, name), place >= _ROWS))
    bases = [details.estimate(measure, baseline) for measure in details.measures]
    means = [(value(base.mean), ends(base).removeprefix(NOTHING)) for base in bases]
    heads = [_head(measure, *scales[measure]) for measure in details.measures]
    return Matrix(baseline, heads, marks, means, _speeds(details, baseline), rows, sum(row.late for row in rows))


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
    return (min(low, -_LEAST * high), max(high, -_LEAST * low)) if low < high else (-1.0, 1.0)


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
    return MatrixHead(task, name, _short(low), _at(0.0, low, high), _short(high))


def _speeds(details: CompareDetails, name: str) -> list[str]:
    """Return the percentile and the throughput of a system, where its speed may be compared."""
    if not details.speed_of:
        return []
    speed, percentile = details.speed_of.get(name), details.percentile
    times = [time(speed.latency_ms[percentile]) if speed else NOTHING] if percentile else []
    return [*times, count(speed.queries_per_second if speed else None)]


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
