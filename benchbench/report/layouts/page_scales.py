"""How pages write numbers, and the scales of their charts."""

from collections.abc import Callable, Sequence
from math import ceil, floor, log10

from benchbench.report.page_blocks import Axis
from benchbench.results.figures import rounded, time_parts, value

_ALIKE = 0.02  # of values: a scale that is no wider would draw noise as change
_NEAREST = 1e-200  # to 0: a scale of values that are nearer ends at 1
_TOPS = (0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1.0)  # of scales of shares
_STEPS = {0.05: 0.01, 0.1: 0.02, 0.2: 0.05, 0.4: 0.1, 0.6: 0.2, 0.8: 0.2, 1.0: 0.2}


def value_text(number: float | None, top: float) -> str:
    """Return a value, with three digits where its scale ends at 1."""
    return value(number) if top == 1.0 else rounded(number)


def span_parts(low: float, high: float) -> tuple[str, str, str]:
    """Return two times in milliseconds as numbers of one unit, and that unit."""
    if low >= 999.5:
        return f"{low / 1e3:.3g}", f"{high / 1e3:.3g}", "s"
    (first, _), (other, unit) = time_parts(low), time_parts(high)
    return first, other if unit == "ms" else f"{high:,.0f}", "ms"


def share_axis(largest: float) -> Axis:
    """Return the vertical scale of shares up to the largest."""
    top = next((end for end in _TOPS if largest <= end), 1.0)
    step = _STEPS[top]
    return Axis(0.0, top, [(n * step, f"{n * step:g}") for n in range(round(top / step) + 1)])


def time_tick(value: float) -> str:
    """Return milliseconds as a scale has them."""
    return f"{value / 1e3:g} s" if value >= 1e3 else f"{value:g} ms"


def log_axis(low: float, high: float, name: str = "", shown: Callable[[float], str] = time_tick) -> Axis:
    """Return a logarithmic scale, of milliseconds, with ticks at 1, 2, 5, 10, …; fewer of them where it is long."""
    low, high = max(low, 1e-3) * 0.85, max(high, 2e-3) * 1.7
    powers = range(floor(log10(low)), floor(log10(high)) + 1)
    factors = (1, 1.5, 2, 3, 5, 7) if high / low < 8 else (1, 2, 5) if high / low < 1_000 else (1,)
    ticks = [factor * 10.0**power for power in powers for factor in factors]
    return Axis(low, high, [(tick, shown(tick)) for tick in ticks if low <= tick <= high], "log", name)


def time_axis(end: float) -> Axis:
    """Return a scale of seconds from 0."""
    end = max(end, 1e-3)
    rough = end / 5
    power = 10.0 ** floor(log10(rough))
    step = next(factor * power for factor in (1, 2, 5, 10) if factor * power >= rough)
    count = int(end / step + 1e-9)
    scale, unit = (1.0, "s") if end >= 0.2 else (1e3, "ms")
    return Axis(0.0, end, [(n * step, f"{round(scale * n * step, 6):g} {unit}") for n in range(count + 1)])


def value_axis(values: Sequence[float], name: str = "", least: float = _ALIKE, unit: str = "") -> Axis:
    """Return a scale of values with a few round ticks, at least as wide as this share of them."""
    if not any(abs(number) > _NEAREST for number in values):
        return Axis(0.0, 1.0, [(0.0, "0"), (0.5, "0.5"), (1.0, "1")], name=name)
    low, high = min(values), max(values)
    least = least if low < high else _ALIKE
    room = max(0.12 * (high - low), (least * max(abs(low), abs(high)) - (high - low)) / 2)
    bottom, top = low - room, high + room
    if low >= 0 > bottom:
        bottom = 0.0
    rough = (top - bottom) / 5
    power = 10.0 ** floor(log10(rough))
    step = next(factor * power for factor in (1, 2, 2.5, 5, 10) if factor * power >= rough * 0.999)
    first = -floor(-bottom / step + 1e-9)
    ticks = [number * step for number in range(first, floor(top / step + 1e-9) + 1)]
    decimals = max(0, -floor(log10(step) + 1e-9) + (_has_half(step)))
    plain = step > 1e-6 and top < 1e9
    digits = max(4, 2 + ceil(log10(max(abs(bottom), abs(top)) / step)))  # that tell a tick from the next
    texts = [f"{tick:,.{decimals}f}" if plain else f"{tick:.{digits}g}" for tick in ticks]
    shown = [f"{text.replace('-', '−')} {unit}".rstrip() for text in texts]
    return Axis(bottom, top, list(zip(ticks, shown, strict=True)), name=name)


def _has_half(step: float) -> bool:
    """Say that a step is 2.5 of its power of ten, which takes a decimal more."""
    return round(step / 10.0 ** floor(log10(step) + 1e-9), 6) == 2.5


def rows_axis(names: Sequence[str]) -> Axis:
    """Return the axis of rows below one another, the first at the top: row `i` of `n` stands at `n - 1 - i`."""
    return Axis(-0.6, len(names) - 0.4, [(float(place), name) for place, name in enumerate(reversed(names))])


def count_axis(top: float) -> Axis:
    """Return a scale from 0 with round ticks."""
    ends = time_axis(top)
    return Axis(0.0, top, [(value, text.removesuffix(" s")) for value, text in ends.ticks])
