"""A table by its columns."""

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

from benchbench.report.blocks import AnyCell, Table


class Column(NamedTuple):
    """A column: its head, the cell that an item has in it, its side, and how early a narrow terminal leaves it out."""

    head: str
    cell: Callable[..., AnyCell]
    side: str = "l"
    keep: int = 0


def table_of(columns: Iterable[Column | None], items: Iterable[Any], **members: Any) -> Table:
    """Return a table with a row per item; None is no column, `members` are others of the table."""
    shown = [column for column in columns if column is not None]
    rows = [[column.cell(item) for column in shown] for item in items]
    sides, keeps = "".join(column.side for column in shown), [column.keep for column in shown]
    return Table([column.head for column in shown], rows, sides, keeps=keeps, **members)
