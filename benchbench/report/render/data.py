"""For programs: JSON, JSON lines and CSV, with every number whole."""

import io
import math
from csv import writer as csv_writer
from typing import Any

from benchbench.report.escape import visible_lines
from benchbench.report.layout import Layout
from benchbench.results.result import Result


def json(result: Result | None, layout: Layout) -> str:
    """Return the members of version 0.1, and the record beside them."""
    from benchbench.results.folder import pretty
    from benchbench.results.record import plain

    return pretty({**layout.members(), **({} if result is None else {"record": plain(result.record)})}).decode()


def json_lines(result: Result | None, layout: Layout) -> str:
    """Return one object per line."""
    from benchbench.results.folder import encoded

    made = layout.lines or layout.rows
    return b"".join(map(encoded, made())).decode()


def csv(result: Result | None, layout: Layout) -> str:
    """Return rows as CSV; the head has the columns of all rows. A text may have several lines."""
    rows = list(layout.rows())
    if not rows:
        return ""
    head = list(dict.fromkeys(name for row in rows for name in row))
    file = io.StringIO()
    writer = csv_writer(file, lineterminator="\n")
    writer.writerows([_cell(value) for value in row] for row in (head, *(map(row.get, head) for row in rows)))
    return file.getvalue()


def _cell(value: Any) -> Any:
    if isinstance(value, str):
        return visible_lines(value)
    return None if isinstance(value, float) and math.isnan(value) else value
