"""Systems below one another, with intervals on one scale and groups of ties."""

from collections.abc import Iterator, Sequence
from itertools import pairwise

from benchbench.report.render.lines import width as columns_of
from benchbench.report.render.shapes import BOLD, LETTER, fitting, svg_line, svg_text, svg_title
from benchbench.report.row_drawings import Forest

_ROW, _HEAD = 26, 30  # pixels
_RANK = 44
_WIDE = 700  # pixels, from which ranks, group names and all texts have room
_STEP = 14, 8  # pixels of a group: wide and narrow
_TRACKS = 24, 10  # groups that have room


def forest_parts(forest: Forest, width: int) -> tuple[list[str], int]:
    """Return the parts of the drawing, and its height."""
    wide = width >= _WIDE
    step, most = (_STEP[0], _TRACKS[0]) if wide else (_STEP[1], _TRACKS[1])
    tracks = list(forest.groups) if len(forest.groups) <= most else []
    cells = forest.heads if wide else forest.heads[:1]
    longest = max([columns_of(name) for name in (forest.noun, *(row.name for row in forest.rows))])
    ranked = any(row.rank for row in forest.rows)
    begin = _RANK if wide and ranked else 0.0
    groups_at = begin + min(BOLD * longest + 16, 280 if wide else 112)
    left = groups_at + step * len(tracks) + (18 if tracks else 0)
    widths = [max([columns_of(head), *(columns_of(row.cells[at][0]) for row in forest.rows)]) * LETTER + 20
              for at, head in enumerate(cells)]  # fmt: skip
    right = width - sum(widths) - 8
    bottom = _HEAD + _ROW * len(forest.rows)
    parts = list(_scale(forest, left, right, bottom))
    if wide:
        parts += [svg_text(0, 14, "rank" if ranked else "", "start"), svg_text(begin, 14, forest.noun, "start")]
    parts += [svg_text(groups_at + step * (at + 0.5), 14, name, "middle") for at, name in enumerate(tracks)]
    ends = [right + 8 + sum(widths[: at + 1]) for at in range(len(cells))]
    parts += [svg_text(end, 14, head, "end") for end, head in zip(ends, cells, strict=True)]
    for place, row in enumerate(forest.rows):
        y = _HEAD + _ROW * (place + 0.5)
        kind = " muted" if row.muted else ""
        parts.append(f"<g>{svg_title(row.hint)}")
        if wide:
            parts.append(svg_text(0, y + 4, row.rank, "start"))
        name = fitting(row.name, groups_at - begin - 8)
        parts.append(svg_text(begin, y + 4, name, "start", "plain" if row.muted else "value"))
        if tracks:
            parts += _tracks(row.groups, groups_at + step / 2, step, y)
        at, low, high = (_at(forest, value, left, right) for value in (row.mean, row.low, row.high))
        parts.append(svg_line(f"whisker{kind}", low, y, f"H{high:.1f}"))
        parts.append(f'<circle class="dot{kind}" cx="{at:.1f}" cy="{y:.1f}" r="4"/>')
        for end, (text, tone) in zip(ends, row.cells[: len(cells)], strict=True):
            parts.append(svg_text(end, y + 4, text, "end", f"value {tone}".strip() if tone or end == ends[0] else ""))
        parts.append("</g>")
    return parts, bottom + 6


def _at(forest: Forest, value: float, left: float, right: float) -> float:
    share = (value - forest.low) / (forest.high - forest.low) if forest.high > forest.low else 0.5
    return left + share * (right - left)


def _scale(forest: Forest, left: float, right: float, bottom: float) -> Iterator[str]:
    """Yield the ticks of the scale above the rows, as many as have room, and the lines between rows."""
    yield svg_line("axis", 0, _HEAD - 8, f"H{right:.1f}")
    free = left - 8
    for value, text in forest.ticks:
        x = _at(forest, value, left, right)
        half = LETTER * len(text) / 2
        if x - half < free or x + half > right + 8:
            continue
        free = x + half + 8
        yield svg_line("grid", x, _HEAD - 8, f"V{bottom:.1f}")
        yield svg_text(x, 14, text, "middle")
    if any(row.rank for row in forest.rows):
        yield svg_line("line dashed thin", _at(forest, forest.rows[0].mean, left, right), _HEAD - 8, f"V{bottom:.1f}")


def _tracks(groups: Sequence[int], x: float, step: float, y: float) -> Iterator[str]:
    for first, last in pairwise(groups):
        yield svg_line("axis", x + step * first, y, f"H{x + step * last:.1f}")
    for place in groups:
        yield f'<circle class="tie" cx="{x + step * place:.1f}" cy="{y:.1f}" r="3.4"/>'
