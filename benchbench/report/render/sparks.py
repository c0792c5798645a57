"""Rows of values on a terminal: a name, a bar per value, and what is said behind it; marks stand below."""

from collections.abc import Sequence

from benchbench.errors import visible
from benchbench.report.blocks import Spark
from benchbench.report.render.lines import cut, padded, shares, sparkline, width
from benchbench.report.render.screen import Line, style_of

_GAP = 2
_LEAST, _MOST = 12, 72  # columns of bars


def sparks(rows: Sequence[Spark], columns: int) -> list[Line]:
    """Return the lines; where a name leaves too little room for bars, it stands on a line of its own."""
    names = [visible(one.name) for one in rows]
    behind = max((width(visible(one.said)) for one in rows), default=0)
    before = max(map(width, names), default=0)
    room = columns - behind - before - 2 * _GAP
    beside = room >= _LEAST
    if not beside:
        room = columns - behind - 2 * _GAP
        before = 0
    below = room < _LEAST
    room = max(min(columns - _GAP if below else room, _MOST), 1)
    lines: list[Line] = []
    for name, one in zip(names, rows, strict=True):
        if not beside:
            lines.append([(cut(name, columns), "strong")])
        start: Line = [(padded(name, before), "strong"), (" " * _GAP, "")] if beside else [(" " * _GAP, "")]
        bars = sparkline(one.values, room)
        line: Line = [*start, (bars, "")]
        if below:
            lines += [line, [(" " * _GAP, ""), (visible(one.said), "")]]
        else:
            taken = min(room, max(len(each.values) for each in rows))
            lines.append([*line, (" " * (taken - len(bars) + _GAP), ""), (visible(one.said), "")])
        if one.marks:
            lines.append([(" " * ((before + _GAP) if beside else _GAP), ""), *_marks(one, room)])
    return lines


def _marks(one: Spark, room: int) -> Line:
    """Return the marks below their bars; of several below one bar, the last."""
    at: dict[int, int] = {}
    for column, (begin, end) in enumerate(shares(len(one.values), room)):
        at |= dict.fromkeys(range(begin, end), column)
    drawn: dict[int, str] = {at[place]: mark for place, mark in one.marks if place in at}
    line: Line = []
    last = -1
    for column, mark in sorted(drawn.items()):
        line += [(" " * (column - last - 1), ""), (mark, style_of(mark))]
        last = column
    return line
