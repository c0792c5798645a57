"""A table whose cells are coloured; where its columns do not fit beside one another, they go on below."""

from collections.abc import Iterator
from typing import NamedTuple

from benchbench.report.render.lines import width as columns_of
from benchbench.report.render.shapes import LETTER, fitting, svg_text, svg_title
from benchbench.report.row_drawings import ColourMap, MapCell

_ROW, _HEAD, _BETWEEN = 24, 54, 16  # pixels
_LEAST = 46  # pixels of a column
_MOST = 92
_NAME = 180, 96  # pixels of names: most, wide and narrow
_WIDE = 500
_DARKEST = 0.5  # of the colour: the text on it stays readable in the light and in the dark


class _Column(NamedTuple):
    group: str
    label: str
    subtitle: str
    place: int  # of its cells


def map_parts(table: ColourMap, width: int) -> tuple[list[str], int]:
    """Return the parts of the drawing, and its height."""
    heads = [(group, label, subtitle) for group, labels in table.groups for label, subtitle in labels]
    columns = [_Column(*head, place) for place, head in enumerate(heads)]
    longest = max([columns_of(name) for name, _ in table.rows], default=0)
    left = min(LETTER * longest + 12, _NAME[width < _WIDE])
    fit = max(int((width - left) // _LEAST), 1)
    rows_of_columns = -(-len(columns) // fit) or 1
    each = -(-len(columns) // rows_of_columns) or 1  # alike in all
    step = min((width - left) / each, _MOST)
    parts: list[str] = []
    y = 0.0
    for first in range(0, len(columns), each):
        parts += _part(table, columns[first : first + each], left, step, y)
        y += _HEAD + _ROW * len(table.rows) + _BETWEEN
    return parts, int(y)


def _part(table: ColourMap, columns: list[_Column], left: float, step: float, y: float) -> Iterator[str]:
    for place, column in enumerate(columns):
        x = left + step * place
        if place == 0 or column.group != columns[place - 1].group:
            span = sum(other.group == column.group for other in columns) * step
            yield svg_text(x + 2, y + 12, fitting(column.group, span), "start", "value")
        yield svg_text(x + step / 2, y + 29, fitting(column.label, step - 2), "middle")
        yield svg_text(x + step / 2, y + 44, fitting(column.subtitle, step), "middle")
    for row, (name, cells) in enumerate(table.rows):
        top = y + _HEAD + _ROW * row
        yield svg_text(0, top + 16, fitting(name, left - 8), "start", "plain")
        for place, column in enumerate(columns):
            yield _cell(cells[column.place], left + step * place, top, step)


def _cell(cell: MapCell, x: float, top: float, step: float) -> str:
    size = f'x="{x + 1:.1f}" y="{top + 1:.1f}" width="{step - 2:.1f}" height="{_ROW - 2}"'
    text = svg_text(x + step / 2, top + 16, cell.text, "middle", "value" if cell.strong else "plain")
    return f'<g>{svg_title(cell.hint)}<rect class="shaded" {size} opacity="{_DARKEST * cell.strength:.2f}"/>{text}</g>'
