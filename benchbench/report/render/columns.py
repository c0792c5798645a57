"""Tables on a terminal: columns that fit it, the least needed left out, or rows below one another; rows of bars."""

import re
from collections.abc import Sequence

from benchbench.errors import visible
from benchbench.report.blocks import EXTRA, AnyCell, Cell, Spark, Table
from benchbench.report.render.lines import cut, longest_word, padded, shares, sparkline, width, wrapped
from benchbench.report.render.screen import Line, Screen, style_of

_GAP = 2
_NARROWEST = 24  # columns that a text keeps, or all that it has
_LEAST_BARS, _MOST_BARS = 12, 72  # columns
_NUMBER = re.compile(r"[-+−]?[\d.,]*\d[\d.,]*(?:e[-+]?\d+)?(?: ?(?:%|µs|ms|s|MB|kB))?\*?|[-–]|nan|", re.ASCII)

Shown = tuple[str, str]  # a cell: its text and its style
Row = list[Shown] | None  # or an empty line between groups


def table(block: Table, screen: Screen) -> list[Line]:
    """Return the lines of a table, and a sentence on columns that are left out."""
    head = [visible(text) for text in block.head]
    rows = [[shown(cell) for cell in row] for row in block.rows]
    sides = block.sides or "".join(map(_side, zip(*rows, strict=True))) or "l" * len(head)
    keeps = block.keeps or [0] * len(head)
    left_out: list[str] = []
    kept, widths = _fitting(head, rows, sides, keeps, screen)
    if kept is None and any(isinstance(cell, Cell) and cell.aside for row in block.rows for cell in row):
        without = [[shown(cell, False) for cell in row] for row in block.rows]
        kept, widths = _fitting(head, without, sides, keeps, screen)
        rows, left_out = (rows, []) if kept is None else (without, [block.asides])
    if kept is None:
        return _stacked(head, rows, sides, screen.columns)
    shown_heads = {head[place] for place in kept}
    missed = dict.fromkeys(name for name, keep in zip(head, keeps, strict=True) if keep < EXTRA)
    left_out += [name for name in missed if name not in shown_heads and name and name[:3] != "0 …"]
    body = _grouped(rows) if block.grouped else list(rows)
    sides = "".join(sides[place] for place in kept)
    lines = _lines([(head[place], "muted") for place in kept], sides, widths)
    lines.append([(_joined(["─" * columns for columns in widths]), "muted")])
    for row in body:
        lines += [[]] if row is None else _lines([row[place] for place in kept], sides, widths)
    return lines + _left_out(left_out, screen)


def shown(cell: AnyCell, whole: bool = True) -> Shown:
    """Return what a terminal shows of a cell, and its style; the interval behind its value only as a whole."""
    if isinstance(cell, str):
        return visible(cell), ""
    style = cell.tone or style_of(cell.text[:1])
    text = f"{cell.text} {cell.aside}".rstrip() if whole else cell.text
    return visible(text), f"strong {style}".strip() if cell.strong else style


def _side(column: Sequence[Shown]) -> str:
    return "r" if all(_NUMBER.fullmatch(text) for text, _ in column) else "l"


def _grouped(rows: Sequence[list[Shown]]) -> list[Row]:
    """Return rows whose first cell stands once per group, and an empty line between groups."""
    body: list[Row] = []
    group = None
    for row in rows:
        name = row[0][0]
        if group not in (None, name):
            body.append(None)
        body.append([("", ""), *row[1:]] if group == name else row)
        group = name
    return body


def _fitting(
    head: Sequence[str], rows: Sequence[list[Shown]], sides: str, keeps: Sequence[int], screen: Screen
) -> tuple[list[int] | None, list[int]]:
    """Return the places of the columns that fit and their widths; None where not even the needed ones do."""
    natural, whole, least = [], [], []
    for place, name in enumerate(head):
        texts = [row[place][0] for row in rows]
        body = max(map(width, texts), default=0)
        natural.append(max(width(name), body))
        whole.append(max(longest_word(name), body))
        if sides[place] == "l":
            body = max(min(body, _NARROWEST), max(map(longest_word, texts), default=0))
        least.append(max(longest_word(name), body))
    kept: list[int] = []
    for place in sorted(range(len(head)), key=lambda place: (keeps[place], place)):
        # a column that nobody needs breaks no cell into lines, so that a wider terminal has no line more
        needs = whole if keeps[place] and not screen.whole else least
        if _total([needs[at] for at in (*kept, place)]) <= screen.columns:
            kept.append(place)
        elif keeps[place]:
            break
        else:
            return None, []
    kept.sort()
    widths = [natural[place] for place in kept]
    while _total(widths) > screen.columns:
        spare = [(taken, at) for at, taken in enumerate(widths) if taken > least[kept[at]]]
        widths[max(spare)[1]] -= 1
    return kept, widths


def _total(widths: Sequence[int]) -> int:
    return sum(widths) + _GAP * max(0, len(widths) - 1)


def _lines(cells: Sequence[Shown], sides: str, widths: Sequence[int]) -> list[Line]:
    """Return the lines of a row; a number stands at the right of its column."""
    columns = [wrapped(text, room) for (text, _), room in zip(cells, widths, strict=True)]
    lines: list[Line] = []
    for number in range(max(map(len, columns), default=1)):
        line: Line = []
        for (_, style), side, room, texts in zip(cells, sides, widths, columns, strict=True):
            text = texts[number].strip() if number < len(texts) else ""
            if number == 0 and side == "l":
                text = texts[0]
            blanks = " " * (room - width(text))
            line += [(blanks, ""), (text, style)] if side == "r" else [(text, style), (blanks, "")]
            line.append((" " * _GAP, ""))
        lines.append(line)
    return lines


def _joined(texts: Sequence[str]) -> str:
    return (" " * _GAP).join(texts)


def _stacked(head: Sequence[str], rows: Sequence[list[Shown]], sides: str, columns: int) -> list[Line]:
    """Return each row below the one before, a line per cell that is not empty."""
    labels = max(map(width, head[1:]), default=0)
    numbers = max(
        (width(row[place][0]) for row in rows for place in range(len(head)) if sides[place] == "r"), default=0
    )
    beside = _GAP + labels + _GAP + numbers <= columns
    lines: list[Line] = []
    above: Shown = ("", "")
    for row in rows:
        above = row[0] if row[0][0] else above
        lines += [[]] if lines else []
        lines += [[(part, f"strong {above[1]}".strip())] for part in wrapped(above[0], columns)]
        for place in range(1, len(head)):
            text, style = row[place]
            if not text:
                continue
            label = f"{' ' * _GAP}{head[place]}"
            if beside:
                label += " " * (labels - width(head[place]) + _GAP)
                text = " " * (numbers - width(text)) + text if sides[place] == "r" else text
                first, *more = wrapped(text, columns, width(label), min(width(label), columns // 2))
                lines += [[(label, "muted"), (first, style)], *([(part, style)] for part in more)]
            else:
                lines += [[(part, "muted")] for part in wrapped(label, columns, 0, 2 * _GAP)]
                lines += [[(part, style)] for part in wrapped(" " * 2 * _GAP + text, columns, 0, 2 * _GAP)]
    return lines


def _left_out(names: Sequence[str], screen: Screen) -> list[Line]:
    if not names:
        return []
    more = "--format csv has all" if screen.whole else "--wide has more"
    sentence = f"Not shown: {', '.join(names)}; {more}."
    return [[(part, "muted")] for part in wrapped(sentence, screen.columns)]


def sparks(rows: Sequence[Spark], columns: int) -> list[Line]:
    """Return the lines; where a name leaves too little room for bars, it stands on a line of its own."""
    names = [visible(row.name) for row in rows]
    behind = max((width(visible(row.text)) for row in rows), default=0)
    before = max(map(width, names), default=0)
    room = columns - behind - before - 2 * _GAP
    beside = room >= _LEAST_BARS
    if not beside:
        room = columns - behind - 2 * _GAP
        before = 0
    below = room < _LEAST_BARS
    room = max(min(columns - _GAP if below else room, _MOST_BARS), 1)
    lines: list[Line] = []
    for name, row in zip(names, rows, strict=True):
        if not beside:
            lines.append([(cut(name, columns), "strong")])
        start: Line = [(padded(name, before), "strong"), (" " * _GAP, "")] if beside else [(" " * _GAP, "")]
        bars = sparkline(row.values, room, row.apart)
        line: Line = [*start, (bars, "")]
        if below:
            lines += [line, [(" " * _GAP, ""), (visible(row.text), "")]]
        else:
            taken = min(room, max(len(each.values) for each in rows))
            lines.append([*line, (" " * (taken - len(bars) + _GAP), ""), (visible(row.text), "")])
        if row.marks:
            lines.append([(" " * ((before + _GAP) if beside else _GAP), ""), *_marks(row, room)])
    return lines


def _marks(row: Spark, room: int) -> Line:
    """Return the marks below their bars; of several below one bar, the last."""
    at: dict[int, int] = {}
    for column, (begin, end) in enumerate(shares(len(row.values), room)):
        at |= dict.fromkeys(range(begin, end), column)
    drawn: dict[int, str] = {at[place]: mark for place, mark in row.marks if place in at}
    line: Line = []
    last = -1
    for column, mark in sorted(drawn.items()):
        line += [(" " * (column - last - 1), ""), (mark, style_of(mark))]
        last = column
    return line
