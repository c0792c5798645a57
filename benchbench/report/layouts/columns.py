"""A table by its columns."""

import math
from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple

from benchbench.report.blocks import AnyCell, Table
from benchbench.report.render.lines import span
from benchbench.results.figures import NOTHING

_SCALE = 18  # columns of an interval that is drawn


class Column(NamedTuple):
    """A column: its head, the cell that an item has in it, its side, and how early a narrow terminal leaves it out.

    An `optional` one is left out where it is empty for all items.
    """

    head: str
    cell: Callable[..., AnyCell]
    side: str = "l"
    keep: int = 0
    optional: bool = False


def drawn_column(ends: Mapping[Any, tuple[float | None, float | None, float | None]], keep: int) -> Column | None:
    """Return a column that draws the low end, value and high end of each item on one scale, which its head has.

    None where no item has an interval.
    """
    known = [number for of_item in ends.values() if None not in of_item for number in of_item if number is not None]
    if not known:
        return None
    step = 10.0 ** math.floor(math.log10(max(max(known) - min(known), 1e-3)))
    low = math.floor(min(known) / step) * step
    high = max(math.ceil(max(known) / step) * step, low + step)
    digits = max(0, -round(math.log10(step)))

    def cell(item: Any) -> str:
        begin, at, end = ends[item]
        return "" if at is None or begin is None or end is None else span((begin, end), at, None, (low, high), _SCALE)

    least, most = f"{low:,.{digits}f}", f"{high:,.{digits}f}"
    return Column(f"{least}{most:>{_SCALE - len(least)}}", cell, "l", keep)


def table_of(columns: Iterable[Column | None], items: Iterable[Any], **members: Any) -> Table:
    """Return a table with a row per item; None is no column, `members` are others of the table."""
    items = list(items)
    cells = {column: [column.cell(item) for item in items] for column in columns if column is not None}
    shown = [its for its in cells if not its.optional or any(cell not in ("", NOTHING) for cell in cells[its])]
    rows = [[cells[column][place] for column in shown] for place in range(len(items))]
    sides, keeps = "".join(column.side for column in shown), [column.keep for column in shown]
    return Table([column.head for column in shown], rows, sides, keeps=keeps, **members)
