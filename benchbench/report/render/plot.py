"""Charts as SVG: each is drawn at two widths, and the style of the page shows the one that fits.

A chart needs no script, prints as it is, and its text is as large as the text around it. Its labels are placed so that
none lies on another; where a chart has no room for one, it is left out, and still stands under the pointer.
"""

from collections.abc import Iterator, Sequence
from itertools import pairwise
from math import ceil, hypot, isclose, sqrt
from typing import NamedTuple

import numpy as np
from markupsafe import Markup, escape

from benchbench.report.escape import visible_lines
from benchbench.report.layouts.label_places import place
from benchbench.report.page_blocks import (
    Area,
    Cloud,
    Dot,
    Drawing,
    Drop,
    Heat,
    Label,
    Path,
    PlotMark,
    Rule,
    Shade,
    Stem,
)
from benchbench.report.render.colour_map import map_parts
from benchbench.report.render.forest import forest_parts
from benchbench.report.render.frame import Frame
from benchbench.report.render.lines import cut, width
from benchbench.report.render.shapes import BOLD, fitting, svg_text
from benchbench.report.row_drawings import ColourMap, Forest

WIDTHS = {1: (1120, 340), 2: (540, 340), 3: (350, 340), 4: (262, 164)}  # by the columns of charts: wide and narrow
_LETTER = 7.0  # mean width of a character of a wide font, in pixels
_FADES = 8  # steps in which a shade grows
_LINE = 11  # the least height of a line of text, in pixels
_HIGH = 14.0  # a label, of which the letters stand on a line this far below its upper edge
_BASE = 11.0
_HALF_STEM = 4.5  # pixels, half of how wide the style of the page draws a stem
_NAMED = 0.26  # of the width: names on either side of lines, of which half the room is left
_GRAIN = 4.0  # pixels between the points of a line that labels keep off
_BOTTOM, _TOP, _RIGHT = 26, 10, 8
_DASHES = ("", "7 4", "2 3", "9 3 2 3", "1 4", "12 4")  # of series
_SMALL = 150  # high, or less: with small crosses, and dots on whole pixels
_TONES = 6  # of a heat map


def drawn(plot: Drawing, columns: int) -> Markup:
    """Return a chart that stands in so many columns, once for each kind of screen."""
    wide, narrow = (_svg(plot, width, name) for width, name in zip(WIDTHS[columns], ("wide", "narrow"), strict=True))
    description = escape(visible_lines(plot.description))
    return Markup(f'<div class="plot" role="img" aria-label="{description}">{wide}{narrow}</div>')  # escaped


def wide(plot: Drawing, columns: int) -> tuple[str, int, int]:
    """Return a chart that stands in so many columns as a wide screen has it, with its width and height."""
    width = WIDTHS[columns][0]
    return _svg(plot, width, "wide"), width, _parts(plot, width)[1]


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
    left = max(max((_wide(text, _LETTER) for text in texts), default=0) + 8, plot.margin)
    left = min(left + 12, _NAMED * width) if plot.named else left
    below = 16 if plot.x.name else 0
    top = _TOP + (18 if plot.y.name else 0)
    frame = Frame(plot, left, width - (left if plot.named else _RIGHT), top, plot.height - _BOTTOM - below)
    read = f' data-frame="{_scales(frame)}"' if plot.read else ""
    return [*_shades(frame), *_axes(frame, width), *_marks(frame)], plot.height, read


def _scales(frame: Frame) -> str:
    """Return where the scales lie, in pixels, and their ends, for a script: left, right, top, bottom, x, y."""
    x, y = frame.plot.x, frame.plot.y
    return " ".join(f"{end:.7g}" for end in (*frame[1:], x.low, x.high, y.low, y.high))


def _axes(frame: Frame, width: int) -> Iterator[str]:
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
        x, half = frame.x(value), _wide(text, _LETTER) / 2
        middle = min(max(x, half), width - half)
        if middle - half < free:
            continue
        free = middle + half + 4
        if plot.x.scale == "nines":
            yield f'<path class="grid" d="M{x:.1f} {frame.top:.0f}V{frame.bottom + 4:.0f}"/>'
        yield svg_text(middle, frame.bottom + 19, text, "middle")
    if plot.y.name:
        yield svg_text(0, _BASE, fitting(plot.y.name, width), "start")
    if plot.x.name:
        yield svg_text(frame.right, plot.height - 3, fitting(plot.x.name, frame.right), "end")


def _shades(frame: Frame) -> Iterator[str]:
    for mark in frame.plot.marks:
        if isinstance(mark, Shade):
            low, high = frame.x(mark.low), max(frame.x(mark.high), frame.x(mark.low))
            steps = _FADES if mark.fades else 1
            width = (high - low) / steps
            for step in range(steps):
                x, share = low + step * width, f' opacity="{(step + 1) / (steps + 1):.2f}"' if mark.fades else ""
                kind = f"shade {mark.tone}".strip()
                yield f'<rect class="{kind}" x="{x:.2f}" y="0" width="{width:.2f}" height="{frame.bottom:.1f}"{share}/>'


def _heat(frame: Frame, heat: Heat) -> Iterator[str]:
    """Yield a path per tone, in which cells beside one another are one."""
    runs: dict[tuple[int, float, float], list[list[float]]] = {}
    for x, end_x, y, end_y, share in sorted(heat.cells):
        level = max(ceil(_TONES * sqrt(share)), 1)  # by the root, for the few slow requests are what is looked for
        row = runs.setdefault((level, y, end_y), [])
        if row and isclose(row[-1][1], x):
            row[-1][1] = end_x
        else:
            row.append([x, end_x])
    for tone in range(1, _TONES + 1):
        lines = [
            f"M{frame.x(x):.1f} {frame.y(y):.1f}H{frame.x(end_x):.1f}V{frame.y(end_y):.1f}H{frame.x(x):.1f}z"
            for (level, y, end_y), row in runs.items()
            for x, end_x in row
            if level == tone
        ]
        if lines:
            yield f'<path class="heat" fill-opacity="{0.1 + 0.9 * tone / _TONES:.2f}" d="{"".join(lines)}"/>'


def _marks(frame: Frame) -> Iterator[str]:
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
        elif isinstance(mark, Heat):
            yield from _heat(frame, mark)
        elif isinstance(mark, Rule):
            yield f'<path class="line dashed thin" d="M{frame.left:.0f} {frame.y(mark.y):.1f}H{frame.right}"/>'
        elif isinstance(mark, Stem):
            x, y = frame.x(mark.x) + mark.aside, frame.y(mark.y)
            pixels = "" if mark.width is None else f"{frame.x(mark.width) - frame.x(0.0):.1f}"
            style = f' style="stroke-width:{pixels}"' if pixels else ""
            yield f'<path class="stem {mark.tone}"{style} d="M{x:.1f} {frame.bottom:.1f}V{y:.1f}"/>'
        elif isinstance(mark, Drop):
            x, low, high = frame.x(mark.x), frame.y(mark.low), frame.y(mark.high)
            yield f'<path class="drop {mark.tone}" d="M{x:.1f} {high:.1f}V{low:.1f}"/>'
    yield from _dots(frame, [mark for mark in frame.plot.marks if isinstance(mark, Dot)])
    if frame.plot.named:
        yield from _names(frame)
    else:
        yield from _texts(frame, [label for label in _labels(frame) if label.text])


def _names(frame: Frame) -> Iterator[str]:
    """Yield the names of lines, each at the height of its end."""
    for dot in frame.plot.marks:
        if isinstance(dot, Dot) and dot.text:
            name = fitting(dot.text, frame.left - 8)
            yield svg_text(frame.x(dot.x) + 10, frame.y(dot.y) + 4, name, "start", f'halo" data-s="{dot.series}')


class _Placed(NamedTuple):
    """A text, the point that it is of, in pixels, on which side of it it stands best, and how it looks."""

    x: float
    y: float
    text: str
    wish: tuple[float, float]
    kind: str = "value halo"


_WISHES = {"left": (-1.0, -1.0), "above": (0.5, -1.0), "below": (0.5, 1.0)}


def _labels(frame: Frame) -> Iterator[_Placed]:
    """Yield the texts of a chart, those first that stay where there is no room for all."""
    marks = frame.plot.marks
    for mark in marks:
        if isinstance(mark, Label):
            kind = f"value halo {mark.tone}".strip()
            yield _Placed(frame.x(mark.x), frame.y(mark.y), mark.text, _WISHES[mark.side], kind)
        elif isinstance(mark, Drop):
            x, low, high = frame.x(mark.x), frame.y(mark.low), frame.y(mark.high)
            kind = f"value halo {mark.tone}".strip()
            if mark.beside:
                yield _Placed(x, min(high + _HIGH / 2, low), mark.text, (-1.0, 0.0), kind)
            elif low + 24 <= frame.bottom:
                yield _Placed(x, low, mark.text, (0.0, 1.0), kind)
            else:
                yield _Placed(x, (low + high) / 2, mark.text, (-1.0, 0.0), kind)
        elif isinstance(mark, Stem):
            wish = (-0.5 if mark.aside < 0 else 0.0, -1.0)
            kind = f"value halo {mark.tone}".strip()
            yield _Placed(frame.x(mark.x) + mark.aside, frame.y(mark.y), mark.text, wish, kind)
    yield from _labels_of_dots(frame, [mark for mark in marks if isinstance(mark, Dot)])
    for mark in marks:
        if isinstance(mark, Path) and mark.points:
            x, y = mark.points[-1]
            yield _Placed(frame.x(x), frame.y(y), mark.text, (-0.5, -1.0))
        elif isinstance(mark, Rule):
            x, side = (frame.right, -0.5) if mark.last else (frame.left, 0.5)
            yield _Placed(x, frame.y(mark.y), mark.text, (side, -1.0), "halo")


def _labels_of_dots(frame: Frame, dots: Sequence[Dot]) -> Iterator[_Placed]:
    """Yield the texts of dots: beside all of them, or above their intervals where there is too little room for that."""
    step = (frame.right - frame.left) / max(len(dots), 1)
    rooms = [(frame.x(dot.x) + 9, _wide(dot.text)) for dot in dots]
    beside = all(x + room < frame.right + _RIGHT and room + 14 < step for x, room in rooms)
    for dot in dots:
        x, y = frame.x(dot.x), frame.y(dot.y)
        if dot.series is not None:
            yield _Placed(x, y, dot.text, (1.0, 0.0), f'halo" data-s="{dot.series}')
        elif dot.hollow:
            yield _Placed(x, y, dot.text, (-1.0, -1.0))
        elif beside or dot.high is None:
            yield _Placed(x, y, dot.text, (1.0, 0.0))
        else:
            yield _Placed(x, frame.y(dot.high), dot.text, (0.0, -1.0))


def _texts(frame: Frame, labels: Sequence[_Placed]) -> Iterator[str]:
    """Yield the texts of a chart where they have room, and the lines to those that stand away from their points."""
    area = frame.left + 2, 0.0, frame.right + _RIGHT, frame.bottom
    shown = [_cut(label.text, area[2] - area[0]) for label in labels]
    sizes = [(_wide(text), _HIGH) for text in shown]
    points = [(label.x, label.y) for label in labels]
    places = place(points, sizes, area, [label.wish for label in labels], list(_crowd(frame)) if labels else [])
    for label, text, (wide, _), at in zip(labels, shown, sizes, places, strict=True):
        if at is None:
            continue
        if at.leader is not None:
            x, y, end_x, end_y = at.leader
            yield f'<path class="leader" d="M{x:.1f} {y:.1f}L{end_x:.1f} {end_y:.1f}"/>'
        before, after = label.x - at.x, at.x + wide - label.x
        side = "end" if before > 2 * after else "start" if after > 2 * before else "middle"
        x = at.x + {"start": 0.0, "middle": wide / 2, "end": wide}[side]
        yield svg_text(x, at.y + _BASE, text, side, label.kind)


def _crowd(frame: Frame) -> Iterator[tuple[float, float]]:
    """Yield the points that labels keep off: of dots five each, of lines one after another."""
    for mark in frame.plot.marks:
        if isinstance(mark, Cloud):
            yield from ((frame.x(x), frame.y(y)) for x, y in mark.points)
        elif isinstance(mark, Dot):
            x, y = frame.x(mark.x), frame.y(mark.y)
            yield from ((x + right, y + down) for right, down in ((0, 0), (4, 0), (-4, 0), (0, 4), (0, -4)))
            if mark.left is not None and mark.right is not None:
                yield from ((float(at), y) for at in np.arange(frame.x(mark.left), frame.x(mark.right), _GRAIN))
        sides = (-_HALF_STEM, _HALF_STEM) if isinstance(mark, Stem) else (0.0,)
        for (x, y), (end_x, end_y) in pairwise(_line(frame, mark)):
            parts = int(hypot(end_x - x, end_y - y) / _GRAIN) + 1
            for at in (part / parts for part in range(parts + 1)):
                yield from ((x + (end_x - x) * at + side, y + (end_y - y) * at) for side in sides)


def _line(frame: Frame, mark: PlotMark) -> Sequence[tuple[float, float]]:
    """Return the corners of the line of a mark."""
    if isinstance(mark, Path):
        return [(frame.x(x), frame.y(y)) for x, y in mark.points]
    if isinstance(mark, Rule):
        return [(frame.left, frame.y(mark.y)), (frame.right, frame.y(mark.y))]
    if isinstance(mark, Stem):
        return [(frame.x(mark.x) + mark.aside, y) for y in (frame.y(mark.y), frame.bottom)]
    if isinstance(mark, Drop) or (isinstance(mark, Dot) and mark.low is not None and mark.high is not None):
        return [(frame.x(mark.x), frame.y(y)) for y in (mark.low or 0.0, mark.high or 0.0)]
    return []


def _wide(text: str, letter: float = BOLD) -> float:
    """Return how wide a text is, in pixels, with room to spare."""
    return letter * width(visible_lines(text))


def _cut(text: str, room: float) -> str:
    """Return as much of a text as there is room for, in whole parts of a list."""
    while _wide(text) > room and ", " in text:
        text = f"{text.removesuffix(' …').rpartition(', ')[0]} …"
    return cut(text, int(room / BOLD)) if _wide(text) > room else text


def _cloud(frame: Frame, cloud: Cloud) -> str:
    places = [(frame.x(x), frame.y(y)) for x, y in cloud.points]
    if not places:
        return ""
    if cloud.crosses:
        half = 4 if frame.plot.height > _SMALL else 2
        cross = f"l{2 * half} {2 * half}m0-{2 * half}l-{2 * half} {2 * half}"
        lines = "".join(f"M{x - half:.1f} {y - half:.1f}{cross}" for x, y in places)
        return f'<path class="cross" d="{lines}"/>'
    digits = 1 if frame.plot.height > _SMALL else 0
    points = "".join(dict.fromkeys(f"M{x:.{digits}f} {y:.{digits}f}h0" for x, y in places))
    return f'<path class="cloud{" muted" if cloud.muted else ""}" d="{points}"/>'


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


def _dots(frame: Frame, dots: Sequence[Dot]) -> Iterator[str]:
    """Draw dots, with their intervals below them."""
    for dot in dots:
        x, y = frame.x(dot.x), frame.y(dot.y)
        whisker = ""
        if dot.low is not None and dot.high is not None:
            looks = _looks("whisker", dot.series, dashed=False)
            whisker = f'<path {looks} d="M{x:.1f} {frame.y(dot.low):.1f}V{frame.y(dot.high):.1f}"/>'
        if dot.left is not None and dot.right is not None:
            looks = _looks("whisker", dot.series, dashed=False)
            whisker += f'<path {looks} d="M{frame.x(dot.left):.1f} {y:.1f}H{frame.x(dot.right):.1f}"/>'
        shape = "ring" if dot.hollow else "dot" if dot.radius is None else "bubble"
        looks = _looks(f"{shape} {dot.tone}".strip(), dot.series, dashed=False)
        looks = looks.replace('"series"', '"series full"') if dot.full else looks
        title = f"<title>{escape(visible_lines(dot.hint))}</title>" if dot.hint else ""
        radius = dot.radius or (2.6 if dot.small else 4.5 if dot.hollow or dot.series is not None else 3.8)
        yield f'<g>{title}{whisker}<circle {looks} cx="{x:.1f}" cy="{y:.1f}" r="{radius:.3g}"/></g>'
