"""Charts as SVG: each is drawn at two widths, and the style of the page shows the one that fits.

A chart needs no script, prints as it is, and its text is as large as the text around it.
"""

from collections.abc import Iterator, Sequence
from math import log10
from typing import NamedTuple

from markupsafe import Markup, escape

from benchbench.report.escape import visible_lines
from benchbench.report.layouts.label_places import place
from benchbench.report.page_blocks import (
    Area,
    Axis,
    Cloud,
    Dot,
    Drawing,
    Drop,
    Label,
    Path,
    Plot,
    Rule,
    Shade,
    Stem,
)
from benchbench.report.render.colour_map import map_parts
from benchbench.report.render.forest import forest_parts
from benchbench.report.render.lines import width as columns_of
from benchbench.report.render.shapes import BOLD, LETTER, fitting, svg_text
from benchbench.report.row_drawings import ColourMap, Forest

WIDTHS = {1: (1120, 340), 2: (540, 340), 3: (350, 340), 4: (262, 164)}  # by the columns of charts: wide and narrow
_FADES = 8  # steps in which a shade grows
_LINE = 11  # the least height of a line of text, in pixels
_BOTTOM, _TOP, _RIGHT = 26, 10, 8
_LONGEST = 0.4  # of the width, of a name
_NAMED = 0.26  # of the width: names on either side of lines, of which half the room is left
_DASHES = ("", "7 4", "2 3", "9 3 2 3", "1 4", "12 4")  # of series
_SMALL = 150  # high, or less: with small crosses


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


def drawn(plot: Drawing, columns: int) -> Markup:
    """Return a chart that stands in so many columns, once for each kind of screen."""
    wide, narrow = (_svg(plot, width, name) for width, name in zip(WIDTHS[columns], ("wide", "narrow"), strict=True))
    description = escape(visible_lines(plot.description))
    return Markup(f'<div class="plot" role="img" aria-label="{description}">{wide}{narrow}</div>')  # escaped


def wide(plot: Drawing, columns: int) -> tuple[str, int, int]:
    """Return a chart that stands in so many columns as a wide screen has it, with its width and height."""
    width = WIDTHS[columns][0]
    return _svg(plot, width, "wide"), width, _parts(plot, width)[1]


def _share(axis: Axis, value: float) -> float:
    """Return where a value is between the ends of a scale, from 0 to 1."""
    low, high = axis.low, axis.high
    if axis.scale != "linear":
        low, high, value = (_scaled(axis, end) for end in (low, high, value))
    return 0.0 if high == low else (value - low) / (high - low)


def _scaled(axis: Axis, value: float) -> float:
    if axis.scale == "log":
        return log10(max(value, 1e-9))
    if axis.scale == "nines":
        return min(-log10(max(1 - value, 10**-9)), 9.0)
    return value


def _svg(plot: Drawing, width: int, name: str) -> str:
    parts, height, attributes = _parts(plot, width)
    size = f'viewBox="0 0 {width} {height}" width="{width}" height="{height}"'
    return f'<svg class="{name}" {size}{attributes} aria-hidden="true">{"".join(parts)}</svg>'


def _parts(plot: Drawing, width: int) -> tuple[list[str], int, str]:
    """Return the parts of a drawing, its height, and what else its element says."""
    if isinstance(plot, Forest):
        return *forest_parts(plot, width), ""
    if isinstance(plot, ColourMap):
        return *map_parts(plot, width), ""
    texts = [text for _, text in plot.y.ticks]
    left = max(max((LETTER * len(text) for text in texts), default=0) + 8, plot.margin)
    left = min(left + 12, _NAMED * width) if plot.named else left
    below = 16 if plot.x.name else 0
    frame = _Frame(plot, left, width - (left if plot.named else _RIGHT), _TOP, plot.height - _BOTTOM - below)
    read = f' data-frame="{_scales(frame)}"' if plot.read else ""
    return [*_shades(frame), *_axes(frame, width), *_marks(frame)], plot.height, read


def _scales(frame: _Frame) -> str:
    """Return where the scales lie, in pixels, and their ends, for a script: left, right, top, bottom, x, y."""
    x, y = frame.plot.x, frame.plot.y
    return " ".join(f"{end:.7g}" for end in (*frame[1:], x.low, x.high, y.low, y.high))


def _axes(frame: _Frame, width: int) -> Iterator[str]:
    plot = frame.plot
    yield f'<path class="axis" d="M{frame.left:.0f} {frame.bottom:.1f}H{width}"/>'
    free = frame.bottom + 2 * _LINE
    for value, text in plot.y.ticks:
        y = frame.y(value)
        if y > free - _LINE:
            continue
        free = y
        yield f'<path class="grid" d="M{frame.left:.0f} {y:.1f}H{width}"/>' if y < frame.bottom else ""
        yield svg_text(frame.left - 7, y + 4, fitting(text, frame.left) if plot.named else text, "end")
    free = 0.0
    for value, text in plot.x.ticks:
        x, half = frame.x(value), LETTER * len(text) / 2
        if x - half < free:
            continue
        free = x + half + 4
        if plot.x.scale == "nines":
            yield f'<path class="grid" d="M{x:.1f} {frame.top:.0f}V{frame.bottom + 4:.0f}"/>'
        shown = min(max(x, half), width - half)
        yield svg_text(shown, frame.bottom + 19, text, "middle")
    if plot.x.name:
        yield svg_text(frame.right, plot.height - 3, plot.x.name, "end")


def _shades(frame: _Frame) -> Iterator[str]:
    for mark in frame.plot.marks:
        if isinstance(mark, Shade):
            low, high = frame.x(mark.low), max(frame.x(mark.high), frame.x(mark.low))
            steps = _FADES if mark.fades else 1
            width = (high - low) / steps
            for step in range(steps):
                x, share = low + step * width, f' opacity="{(step + 1) / (steps + 1):.2f}"' if mark.fades else ""
                kind = f"shade {mark.tone}".strip()
                yield f'<rect class="{kind}" x="{x:.2f}" y="0" width="{width:.2f}" height="{frame.bottom:.1f}"{share}/>'


def _marks(frame: _Frame) -> Iterator[str]:
    for mark in frame.plot.marks:
        if isinstance(mark, Area) and mark.points:
            up = "L".join(f"{frame.x(x):.1f} {frame.y(high):.1f}" for x, _, high in mark.points)
            down = "L".join(f"{frame.x(x):.1f} {frame.y(low):.1f}" for x, low, _ in reversed(mark.points))
            kind = " ".join(filter(None, ("area", "muted" if mark.muted else "", mark.tone)))
            yield f'<path class="{kind}" d="M{up}L{down}z"/>'
    for mark in frame.plot.marks:
        if isinstance(mark, Path):
            points = "L".join(f"{frame.x(x):.1f} {frame.y(y):.1f}" for x, y in mark.points)
            shapes = {"dashed": mark.dashed, "thin": mark.thin, "level": mark.level}
            kinds = " ".join(("line", *(name for name, has in shapes.items() if has)))
            if points:
                yield f'<path {_looks(kinds, mark.series, not mark.named)} d="M{points}"/>'
        elif isinstance(mark, Cloud):
            yield _cloud(frame, mark)
        elif isinstance(mark, Rule):
            y = frame.y(mark.y)
            yield f'<path class="line dashed thin" d="M{frame.left:.0f} {y:.1f}H{frame.right}"/>'
            x = frame.right - 4 if mark.last else frame.left + 4
            yield svg_text(x, y - 5, mark.text, _side(mark.last), "halo") if mark.text else ""
        elif isinstance(mark, Stem):
            x, y = frame.x(mark.x) + mark.aside, frame.y(mark.y)
            yield f'<path class="stem {mark.tone}" d="M{x:.1f} {frame.bottom:.1f}V{y:.1f}"/>'
            aside = "end" if mark.aside < 0 else "middle"
            kind = f"value halo {mark.tone}".strip()
            yield (
                _within(frame, x + (4 if mark.aside < 0 else 0), max(y - 6, 12), mark.text, aside, kind)
                if mark.text
                else ""
            )
        elif isinstance(mark, Drop):
            yield _drop(frame, mark)
    yield from _dots(frame, [mark for mark in frame.plot.marks if isinstance(mark, Dot)])
    yield from (_label(frame, mark) for mark in frame.plot.marks if isinstance(mark, Label))
    for mark in frame.plot.marks:
        if isinstance(mark, Path) and mark.text and mark.points:
            x, y = mark.points[-1]
            yield svg_text(frame.x(x) - 6, frame.y(y) - 9, mark.text, "end", "value halo")


def _cloud(frame: _Frame, cloud: Cloud) -> str:
    places = [(frame.x(x), frame.y(y)) for x, y in cloud.points]
    if not places:
        return ""
    if cloud.crosses:
        half = 4 if frame.plot.height > _SMALL else 2
        cross = f"l{2 * half} {2 * half}m0-{2 * half}l-{2 * half} {2 * half}"
        lines = "".join(f"M{x - half:.1f} {y - half:.1f}{cross}" for x, y in places)
        return f'<path class="cross" d="{lines}"/>'
    points = "".join(f"M{x:.1f} {y:.1f}h0" for x, y in places)
    return f'<path class="cloud{" muted" if cloud.muted else ""}" d="{points}"/>'


def _drop(frame: _Frame, drop: Drop) -> str:
    x, low, high = frame.x(drop.x), frame.y(drop.low), frame.y(drop.high)
    line = f'<path class="drop {drop.tone}" d="M{x:.1f} {high:.1f}V{low:.1f}"/>'
    if not drop.text:
        return line
    kind = f"value halo {drop.tone}".strip()
    if not drop.beside and low + 24 <= frame.bottom:
        return line + _within(frame, x, low + 20, drop.text, "middle", kind)
    y = high + 12 if drop.beside else (low + high) / 2
    before = x - 8 - BOLD * len(drop.text) > frame.left
    return line + _within(frame, x - 8 if before else x + 8, y, drop.text, _side(before), kind)


def _within(frame: _Frame, x: float, y: float, text: str, anchor: str, kind: str) -> str:
    """Return a text, moved as far as it needs to stand within the scales."""
    width = BOLD * len(text)
    before = {"start": 0.0, "middle": 0.5, "end": 1.0}[anchor] * width
    least, most = frame.left + before, frame.right - width + before
    return svg_text(max(min(x, most), least), y, text, anchor, kind)


def _looks(kind: str, series: int | None, dashed: bool = True) -> str:
    """Return the attributes of what is drawn: of a series, which one, and how its lines are told from others."""
    if series is None:
        return f'class="{kind}"'
    dash = _DASHES[series % len(_DASHES)] if dashed else ""
    return f'class="series" data-s="{series}"' + (f' stroke-dasharray="{dash}"' if dash else "")


def swatch(series: int) -> Markup:
    """Return how the line of a series looks."""
    looks = _looks("", series)
    return Markup(
        f'<svg width="26" height="8" viewBox="0 0 26 8" aria-hidden="true"><path {looks} d="M0 4H26"/></svg> '
    )


def _dots(frame: _Frame, dots: Sequence[Dot]) -> Iterator[str]:
    """Draw dots with their intervals first, and their texts over all of them."""
    for dot in dots:
        x, y = frame.x(dot.x), frame.y(dot.y)
        whisker = ""
        if dot.low is not None and dot.high is not None:
            looks = _looks("whisker", dot.series, dashed=False)
            whisker = f'<path {looks} d="M{x:.1f} {frame.y(dot.low):.1f}V{frame.y(dot.high):.1f}"/>'
        if dot.left is not None and dot.right is not None:
            looks = _looks("whisker", dot.series, dashed=False)
            whisker += f'<path {looks} d="M{frame.x(dot.left):.1f} {y:.1f}H{frame.x(dot.right):.1f}"/>'
        looks = _looks(
            f"{'ring' if dot.hollow else 'dot' if dot.radius is None else 'bubble'} {dot.tone}".strip(),
            dot.series,
            dashed=False,
        )
        looks = looks.replace('"series"', '"series full"') if dot.full else looks
        title = f"<title>{escape(visible_lines(dot.hint))}</title>" if dot.hint else ""
        radius = dot.radius or (2.6 if dot.small else 4.5 if dot.hollow or dot.series is not None else 3.8)
        yield f'<g>{title}{whisker}<circle {looks} cx="{x:.1f}" cy="{y:.1f}" r="{radius:.3g}"/></g>'
    if any(dot.series is not None for dot in dots):
        yield from _names(frame, [dot for dot in dots if dot.text])
        return
    step = (frame.right - frame.left) / max(len(dots), 1)
    places = [(frame.x(dot.x) + 9 + BOLD * len(dot.text), BOLD * len(dot.text) + 14) for dot in dots]
    beside = all(end < frame.right + _RIGHT and room < step for end, room in places)
    for dot in dots:
        if not dot.text:
            continue
        x, y, width = frame.x(dot.x), frame.y(dot.y), BOLD * len(dot.text)
        top = y if dot.high is None else frame.y(dot.high)
        if dot.hollow:
            before = x - width - 10 > frame.left
            x, y = (x - 7, y - 9) if before else (x + 8, y + 17)
            yield svg_text(x, y, dot.text, _side(before), "value halo")
        elif beside:
            yield svg_text(x + 9, y + 4, dot.text, "start", "value halo")
        elif dot.high is None:
            before = x + 9 + width > frame.right
            yield svg_text(x - 8 if before else x + 8, y + 4, dot.text, _side(before), "value halo")
        else:
            yield svg_text(x, max(top - 7, 10), dot.text, "middle", "value halo")


def _names(frame: _Frame, dots: Sequence[Dot]) -> Iterator[str]:
    """Yield the names of dots: in a column beside lines, else where there is room, with a line to those far away."""
    if frame.plot.named:
        for dot in dots:
            name = fitting(dot.text, frame.left - 8)
            yield svg_text(frame.x(dot.x) + 10, frame.y(dot.y) + 4, name, "start", f'halo" data-s="{dot.series}')
        return
    area = (frame.left + 2, frame.top - _TOP, frame.right + _RIGHT, frame.bottom - 2)
    names = [fitting(dot.text, _LONGEST * (area[2] - area[0])) for dot in dots]
    places = [(frame.x(dot.x), frame.y(dot.y)) for dot in dots]
    sizes = [(BOLD * columns_of(name), _LINE + 3.0) for name in names]
    for dot, name, found in zip(dots, names, place(places, sizes, area), strict=True):
        if found is None:
            continue
        if found.leader is not None:
            x, y, end_x, end_y = found.leader
            yield f'<path class="axis" d="M{x:.1f} {y:.1f}L{end_x:.1f} {end_y:.1f}"/>'
        yield svg_text(found.x, found.y + _LINE, name, "start", f'halo" data-s="{dot.series}')


def _label(frame: _Frame, label: Label) -> str:
    """Return as much of a text as the chart has room for."""
    x, y = frame.x(label.x), frame.y(label.y)
    text, kind = label.text, f"value halo {label.tone}".strip()
    while BOLD * len(text) > frame.right - frame.left and ", " in text:
        text = f"{text.removesuffix(' …').rpartition(', ')[0]} …"
    if label.side == "left" and x - 8 - BOLD * len(text) > frame.left:
        return svg_text(x - 8, max(y - 9, 12), text, "end", kind)
    if label.side == "above":
        return _within(frame, x - 3, max(y - 9, 12), text, "start", kind)
    return _within(frame, x - 3 if label.side == "below" else x + 8, y + 18, text, "start", kind)


def _side(before: bool) -> str:
    return "end" if before else "start"
