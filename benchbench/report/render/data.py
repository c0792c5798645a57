"""For programs: JSON, JSON lines and CSV, with every number whole."""

import math
from typing import Any

from benchbench.report.blocks import Layout
from benchbench.report.escape import comma_rows
from benchbench.results.result import Result


def json(result: Result | None, layout: Layout) -> str:
    """Return the members of version 0.1, and the record beside them."""
    from benchbench.results.folder import pretty
    from benchbench.results.record import plain

    return pretty({**layout.members, **({} if result is None else {"record": plain(result.record)})}).decode()


def json_lines(result: Result | None, layout: Layout) -> str:
    """Return one object per line."""
    from benchbench.results.folder import encoded

    made = layout.lines or layout.rows
    return b"".join(map(encoded, made())).decode()


def csv(result: Result | None, layout: Layout) -> str:
    """Return rows as CSV; the head has the columns of all rows."""
    return comma_separated(layout)


def comma_separated(layout: Layout) -> str:
    """Return the rows of a layout as CSV."""
    rows = list(layout.rows())
    head = list(dict.fromkeys(name for row in rows for name in row))
    return comma_rows([head, *([_cell(row.get(name)) for name in head] for row in rows)]) if rows else ""


def _cell(value: Any) -> Any:
    return None if isinstance(value, float) and math.isnan(value) else value
