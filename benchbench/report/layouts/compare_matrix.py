"""The matrix of a comparison: systems by measures, each measure on a scale of its own, and each cell in words."""

from collections.abc import Iterator, Sequence, Sized
from dataclasses import replace

import benchbench.significance.drawing as drawing
from benchbench.comparison.compare_result import CompareDetails, Speed, System
from benchbench.comparison.verdict import Count, against, direction, same
from benchbench.measures.notation import task_and_measures
from benchbench.report.comparison_blocks import Drawn, Matrix, MatrixCell, MatrixHead, MatrixRow
from benchbench.report.layouts.compare_words import level, sentence, verdict
from benchbench.results.figures import NOTHING, interval, p_said, rounded, signed, time, value
from benchbench.significance.notes import asked_of
from benchbench.significance.result import Difference

_ROWS = 6  # of systems, before the others wait for a button
_FEW = 100  # requests: of fewer, p99 is the slowest one
_EDGE = 4  # percent of a scale that stay free on each side
_APART = 40  # percent of a scale between 0 and an end whose number is given
_TIMES = ("p99", "p95", "p90", "p50")


def rests_on(times: Sequence[Sized]) -> str:
    """Return what the speeds rest on; `times` are those of the requests of each system."""
    fewest = min(map(len, times), default=0)
    if not 0 < fewest < _FEW:
        return "one run each, not tested"
    return f"one run each, not tested; of {fewest:,} requests the highest percentiles are the slowest ones"


def matrices(details: CompareDetails, counts: Sequence[Count]) -> list[Matrix]:
    """Return the matrix against the baseline; against each system in turn, the best first, where there is none."""
    baseline = against(details)
    names = [one.system for one in counts]
    bases = names if baseline is None else [baseline]
    return [_matrix(details, one, [name for name in names if name != one]) for one in bases]


def _matrix(details: CompareDetails, baseline: str, names: Sequence[str]) -> Matrix:
    found = {
        (one.measure, other): (one, sign)
        for one in details.differences
        for name, other, sign in ((one.baseline, one.system, 1), (one.system, one.baseline, -1))
        if name == baseline
    }
    scales = {measure: _scale([found[measure, name] for name in names if (measure, name) in found])
              for measure in details.measures}  # fmt: skip
    pairs = {pair: place for place, pair in enumerate(details.pairs)}
    systems = {one.name: one for one in details.systems}
    marks = _marks(details.systems)
    several = against(details) is None and len(details.names) > 2
    rows = []
    for place, name in enumerate(names):
        cells = []
        for m, measure in enumerate(details.measures):
            if (measure, name) not in found:
                continue
            one, sign = found[measure, name]
            estimate = details.estimate(measure, name)
            ranks = "–".join(dict.fromkeys((f"{estimate.rank_low}", f"{estimate.rank_high}")))
            cells.append(
                MatrixCell(
                    m,
                    pairs[one.baseline, one.system],
                    *_verdict(one, sign),
                    signed(sign * one.mean),
                    value(estimate.mean),
                    f"rank {ranks}" if several else "",
                    _drawn(one, sign, *scales[measure]),
                )
            )
        speed = list(_speeds(systems.get(name), systems.get(baseline), marks))
        rows.append(MatrixRow(name, cells, speed, place >= _ROWS))
    means = []
    for measure in details.measures:
        one_mean = details.estimate(measure, baseline)
        ends = interval(one_mean.low, one_mean.high)
        means.append((value(one_mean.mean), "" if ends == NOTHING else ends))
    base_speeds = [shown for shown, _ in _speeds(systems.get(baseline), None, marks)]
    heads = [_head(measure, *scales[measure]) for measure in details.measures]
    return Matrix(baseline, heads, marks, means, base_speeds, rows, sum(row.late for row in rows))


def _verdict(one: Difference, sign: int) -> tuple[str, str, str]:
    """Return symbol, tone and word."""
    way = sign * direction(one)
    if way:
        return ("▲", "up", "better") if way > 0 else ("▼", "down", "worse")
    if one.direction:
        return "≠", "open", "differs, but mean and test disagree on the way"
    return ("=", "open", "the same values") if same(one) else ("○", "open", "no difference shown")


def _scale(found: Sequence[tuple[Difference, int]]) -> tuple[float, float]:
    """Return the ends of the scale of a measure, with 0 inside."""
    ends = [0.0]
    for one, sign in found:
        ends += [sign * end for end in (*drawing.ends(one), one.mean)]
    low, high = min(ends), max(ends)
    return (low, high) if low < high else (-1.0, 1.0)


def _at(value: float, low: float, high: float) -> float:
    share = min(max((value - low) / (high - low), 0.0), 1.0)
    return _EDGE + (100 - 2 * _EDGE) * share


def _drawn(one: Difference, sign: int, low: float, high: float) -> Drawn:
    ends = sorted(sign * end for end in drawing.ends(one))
    band = None
    if one.detectable is not None and not one.direction:
        begin, end = (_at(side * one.detectable, low, high) for side in (-1, 1))
        band = (begin, end - begin)
    least, mean, most, zero = (_at(value, low, high) for value in (ends[0], sign * one.mean, ends[1], 0.0))
    return Drawn(least, mean, most, zero, band)


def _head(measure: str, low: float, high: float) -> MatrixHead:
    task = task_and_measures(measure)[0]
    name = measure.removeprefix(f"{task}.") if task else measure
    zero = _at(0.0, low, high)
    ends = (_short(low) if zero > _APART else "", _short(high) if zero < 100 - _APART else "")
    return MatrixHead(task, name, ends[0], zero, ends[1])


def _marks(systems: Sequence[System]) -> list[str]:
    """Return the columns of speed: the highest percentile that all have up to p99, and queries a second."""
    speeds = [one.speed for one in systems if one.speed is not None]
    if not speeds:
        return []
    mark = next((mark for mark in _TIMES if any(mark in one.latency_ms for one in speeds)), "")
    return [*([mark] if mark else []), "queries a second"]


def _speeds(system: System | None, base: System | None, marks: Sequence[str]) -> Iterator[tuple[str, str]]:
    for mark in marks:
        value, before = (_speed(one.speed, mark) if one and one.speed else None for one in (system, base))
        if value is None:
            yield NOTHING, ""
        elif mark in _TIMES:
            yield time(value), "" if not before else f"{100 * (value / before - 1):+.0f} %".replace("-", "−")
        else:
            yield f"{value:,.0f}", "" if not before else f"{value / before:.2f} ×"


def _speed(speed: Speed, mark: str) -> float | None:
    return speed.latency_ms.get(mark) if mark in _TIMES else speed.queries_per_second


def _short(end: float) -> str:
    return f"{'+' if end >= 0 else ''}{rounded(end, 2)}"


def reading(details: CompareDetails, one: Difference) -> tuple[str, str, str]:
    """Return what a difference comes to: its tone, the verdict, and how sure that is."""
    settings = details.settings
    counts = f"{one.losses:,} queries worse, {one.ties:,} equal, {one.wins:,} better."
    asked = asked_of(one, settings, details.tests)
    p = p_said(one.corrected[settings.test])
    way = direction(one)
    if verdict(one) == "differs":
        return "open", "", sentence(details, one)
    if same(one):
        return "open", f"{one.system} and {one.baseline} have the same value of {one.measure} for every query.", asked
    ends = (
        "no interval" if one.low is None else f"{level(details)} interval {interval(one.low, one.high, shown=signed)}"
    )
    if way:
        said = f"{one.system} is {'better' if way > 0 else 'worse'} than {one.baseline} in {one.measure}"
        return "up" if way > 0 else "down", said, f"by {value(abs(one.mean))} ({ends}; {p}). {counts} {asked}".strip()
    higher = "The means are equal" if not one.mean else (
        f"The mean is {value(abs(one.mean))} {'higher' if one.mean > 0 else 'lower'}"
    )  # fmt: skip
    fits = "" if one.low is None else f", and anything {_between(one)} fits these queries"
    least = (
        ""
        if one.detectable is None
        else f" With {details.queries:,} queries a true difference of {value(one.detectable)} is found in "
        f"{100 * settings.power:g} % of such comparisons; a smaller one may well be there."
    )
    said = f"{one.measure} does not tell {one.system} from {one.baseline}."
    return "open", said, f"{higher}{fits} ({level(details)}; {p}).{least} {counts} {asked}".strip()


def _between(one: Difference) -> str:
    def end(gain: float) -> str:
        return f"{value(abs(gain))} {'worse' if gain < 0 else 'better'}"

    low, high = drawing.ends(one)
    return f"from {end(low)} to {end(high)}"


def readings(details: CompareDetails, both: bool) -> dict[str, tuple[str, str, str]]:
    """Return what each difference comes to, by the places of its measure and pair; with `both`, the other way too."""
    measures = {measure: place for place, measure in enumerate(details.measures)}
    pairs = {pair: place for place, pair in enumerate(details.pairs)}
    found = {}
    for one in details.differences:
        key = f"{measures[one.measure]}.{pairs[one.baseline, one.system]}"
        found[key] = reading(details, one)
        if both and one.margin is None:  # what is said of a margin has one direction
            found[f"{key}.r"] = reading(details, _reversed(one))
    return found


def _reversed(one: Difference) -> Difference:
    low, high = (None if end is None else -end for end in (one.high, one.low))
    return replace(
        one,
        baseline=one.system,
        system=one.baseline,
        mean=-one.mean,
        low=low,
        high=high,
        direction=-one.direction,
        wins=one.losses,
        losses=one.wins,
    )
