"""Charts as SVG: each is drawn at two widths, and the style of the page shows the one that fits.

So a chart needs no script, prints as it is, and its text is as large as the text around it.
"""

from collections.abc import Iterator, Sequence
from math import log10
from typing import NamedTuple

from markupsafe import Markup, escape

from benchbench.report.escape import visible_lines
from benchbench.report.page_blocks import Axis, Cloud, Dot, Path, Plot, Rule, Shade, Stem

WIDTHS = {1: (1120, 340), 2: (540, 340), 3: (350, 340), 4: (262, 164)}  # by the columns of charts: wide and narrow
_LETTER = 6.6  # the mean width of one of a text, in pixels
_BOLD = 7.2  # … of a strong one
_BOTTOM, _TOP, _RIGHT = 26, 10, 8


class _Frame(NamedTuple):
    """Where the scales lie in a drawing."""

    plot: Plot
    left: float
    right: float
    top: float
    bottom: float

    def x(self, value: float) -> float:
        return self.left + (self.right - self.left) * _share(self.plot.x, value)

    def y(self, value: float) -> float:
        return self.bottom - (self.bottom - self.top) * _share(self.plot.y, value)


def drawn(plot: Plot, columns: int) -> Markup:
    """Return a chart that stands in so many columns."""
    wide, narrow = (_svg(plot, width, name) for width, name in zip(WIDTHS[columns], ("wide", "narrow"), strict=True))
    said = escape(visible_lines(plot.said))
    return Markup(f'<div class="plot" role="img" aria-label="{said}">{wide}{narrow}</div>')  # escaped


def _share(axis: Axis, value: float) -> float:
    """Return where a value is between the ends of a scale, from 0 to 1."""
    low, high, at = (_scaled(axis, one) for one in (axis.low, axis.high, value))
    return 0.0 if high == low else (at - low) / (high - low)


def _scaled(axis: Axis, value: float) -> float:
    if axis.scale == "log":
        return log10(max(value, 1e-9))
    if axis.scale == "nines":
        return min(-log10(max(1 - value, 10**-9)), 9.0)
    return value


def _svg(plot: Plot, width: int, name: str) -> str:
    texts = [text for _, text in plot.y.ticks]
    left = max((_LETTER * len(text) for text in texts), default=0) + 8
    below = 16 if plot.x.name else 0
    frame = _Frame(plot, left, width - _RIGHT, _TOP, plot.height - _BOTTOM - below)
    parts = [*_shades(frame), *_axes(frame, width), *_marks(frame)]
    size = f'viewBox="0 0 {width} {plot.height}" width="{width}" height="{plot.height}"'
    return f'<svg class="{name}" {size} aria-hidden="true">{"".join(parts)}</svg>'


def _axes(frame: _Frame, width: int) -> Iterator[str]:
    plot = frame.plot
    yield f'<path class="axis" d="M{frame.left:.0f} {frame.bottom:.1f}H{width}"/>'
    for value, text in plot.y.ticks:
        y = frame.y(value)
        yield f'<path class="grid" d="M{frame.left:.0f} {y:.1f}H{width}"/>' if y < frame.bottom else ""
        yield _text(frame.left - 7, y + 4, text, "end")
    free = 0.0
    for value, text in plot.x.ticks:
        x, half = frame.x(value), _LETTER * len(text) / 2
        if x - half < free:
            continue
        free = x + half + 4
        if plot.x.scale == "nines":
            yield f'<path class="grid" d="M{x:.1f} {frame.top:.0f}V{frame.bottom + 4:.0f}"/>'
        shown = min(max(x, half), width - half)
        yield _text(shown, frame.bottom + 19, text, "middle")
    if plot.x.name:
        yield _text(frame.right, plot.height - 3, plot.x.name, "end")


def _shades(frame: _Frame) -> Iterator[str]:
    for one in frame.plot.marks:
        if isinstance(one, Shade):
            low, width = frame.x(one.low), max(frame.x(one.high) - frame.x(one.low), 0.0)
            yield f'<rect class="shade" x="{low:.1f}" y="0" width="{width:.1f}" height="{frame.bottom:.1f}"/>'


def _marks(frame: _Frame) -> Iterator[str]:
    for one in frame.plot.marks:
        if isinstance(one, Path):
            points = "L".join(f"{frame.x(x):.1f} {frame.y(y):.1f}" for x, y in one.points)
            kinds = " ".join(("line", *(("dashed",) if one.dashed else ()), *(("thin",) if one.thin else ())))
            if points:
                yield f'<path class="{kinds}" d="M{points}"/>'
        elif isinstance(one, Cloud):
            yield _cloud(frame, one)
        elif isinstance(one, Rule):
            y = frame.y(one.y)
            yield f'<path class="line dashed thin" d="M{frame.left:.0f} {y:.1f}H{frame.right}"/>'
            yield _text(frame.left + 4, y - 5, one.text, "start") if one.text else ""
        elif isinstance(one, Stem):
            x, y = frame.x(one.x), frame.y(one.y)
            yield f'<path class="stem {one.tone}" d="M{x:.1f} {frame.bottom:.1f}V{y:.1f}"/>'
            yield _text(x, y - 6, one.text, "middle", "value") if one.text else ""
    yield from _dots(frame, [one for one in frame.plot.marks if isinstance(one, Dot)])
    for one in frame.plot.marks:
        if isinstance(one, Path) and one.text and one.points:
            x, y = one.points[-1]
            yield _text(frame.x(x) - 6, frame.y(y) - 9, one.text, "end", "value halo")


def _cloud(frame: _Frame, cloud: Cloud) -> str:
    places = [(frame.x(x), frame.y(y)) for x, y in cloud.points]
    if not places:
        return ""
    if cloud.crosses:
        lines = "".join(f"M{x - 4:.1f} {y - 4:.1f}l8 8m0-8l-8 8" for x, y in places)
        return f'<path class="cross" d="{lines}"/>'
    points = "".join(f"M{x:.1f} {y:.1f}h0" for x, y in places)
    return f'<path class="cloud{" muted" if cloud.muted else ""}" d="{points}"/>'


def _dots(frame: _Frame, dots: Sequence[Dot]) -> Iterator[str]:
    """Draw dots with their intervals first, and their texts over all of them."""
    for one in dots:
        x, y = frame.x(one.x), frame.y(one.y)
        whisker = ""
        if one.low is not None and one.high is not None:
            whisker = f'<path class="whisker" d="M{x:.1f} {frame.y(one.low):.1f}V{frame.y(one.high):.1f}"/>'
        kind = f"{'ring' if one.hollow else 'dot'} {one.tone}".strip()
        told = f"<title>{escape(visible_lines(one.told))}</title>" if one.told else ""
        radius = 4.5 if one.hollow else 3.8
        yield f'<g>{told}{whisker}<circle class="{kind}" cx="{x:.1f}" cy="{y:.1f}" r="{radius}"/></g>'
    step = (frame.right - frame.left) / max(len(dots), 1)
    places = [(frame.x(one.x) + 9 + _BOLD * len(one.text), _BOLD * len(one.text) + 14) for one in dots]
    beside = all(end < frame.right + _RIGHT and room < step for end, room in places)
    for one in dots:
        if not one.text:
            continue
        x, y, width = frame.x(one.x), frame.y(one.y), _BOLD * len(one.text)
        top = y if one.high is None else frame.y(one.high)
        if one.hollow:
            before = x - width - 10 > frame.left
            yield _text(x - 7 if before else x + 8, y - 9 if before else y + 17, one.text, _side(before), "value halo")
        elif beside:
            yield _text(x + 9, y + 4, one.text, "start", "value halo")
        elif one.high is None:
            before = x + 9 + width > frame.right
            yield _text(x - 8 if before else x + 8, y + 4, one.text, _side(before), "value halo")
        else:
            yield _text(x, max(top - 7, 10), one.text, "middle", "value halo")


def _side(before: bool) -> str:
    return "end" if before else "start"


def _text(x: float, y: float, text: str, anchor: str, kind: str = "") -> str:
    said = escape(visible_lines(text))
    named = f' class="{kind}"' if kind else ""
    return f'<text{named} x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{said}</text>'
