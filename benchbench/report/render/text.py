"""For terminals: aligned columns and lines, nothing in them obeyed."""

import unicodedata
from collections.abc import Iterable, Sequence

from benchbench.errors import visible
from benchbench.report.blocks import AnyCell, Block, Cell, Facts, Gates, Heading, Layout, Notes, Rows, Table, Text
from benchbench.report.render.data import csv
from benchbench.results.result import Result

_LABEL = 12  # columns of a label


def text(result: Result | None, layout: Layout) -> str:
    """Return the whole report."""
    shown = "\n\n".join(drawn for block in layout.of("text") if (drawn := _drawn(block, layout, result)))
    return f"{shown}\n" if shown else ""


def _drawn(block: Block, layout: Layout, result: Result | None) -> str:
    match block:
        case Heading(title, said):
            return _lines([title, "=" * width(title), *([said] if said else [])])
        case Text(lines):
            return _lines(lines)
        case Facts(rows):
            return _lines([f"{_label(label)}{said}" for label, said in rows])
        case Notes(sentences):
            return _lines([f"{_label('Note')}{one}" for one in sentences])
        case Table(caption=caption):
            return "\n".join([*([visible(caption)] if caption else []), _table(block)])
        case Gates() if result is not None:
            return _lines([f"{_label('Gate')}{one.said.removeprefix('gate ')}" for one in result.decided()])
        case Rows():
            return csv(result, layout).removesuffix("\n")
    return ""


def _label(text: str) -> str:
    """Return a label with blanks behind it, one at least."""
    return padded(f"{visible(text)} ", _LABEL)


def _lines(lines: Iterable[str]) -> str:
    """Return each sentence on one line of its own, whatever it quotes."""
    return "\n".join(map(visible, lines))


def _table(block: Table) -> str:
    body: list[list[str]] = []
    group = None
    for row in map(list, block.rows):
        cells = [shown(cell) for cell in row]
        if block.grouped:
            if group not in (None, cells[0]):
                body.append([""] * len(cells))
            group, cells[0] = cells[0], "" if group == cells[0] else cells[0]
        body.append(cells)
    return plain(block.head, body)


def shown(cell: AnyCell) -> str:
    """Return what a terminal shows of a cell."""
    return f"{cell.text} {cell.aside}".rstrip() if isinstance(cell, Cell) else cell


def plain(head: Sequence[str], body: Sequence[Sequence[str]]) -> str:
    """Return a table in aligned columns, each row on one line."""
    head, *body = [[visible(text) for text in line] for line in (head, *body)]
    widths = [max(map(width, column)) for column in zip(head, *body, strict=True)]
    lines = [head, ["-" * w for w in widths], *body]
    return "\n".join(
        "  ".join(padded(text, w) for text, w in zip(line, widths, strict=True)).rstrip() for line in lines
    )


def width(text: str) -> int:
    """Return how many columns of a terminal a text takes: two for each wide character, none for combining ones."""
    if text.isascii():
        return len(text)
    return sum(_width(c) for c in text)


def padded(text: str, columns: int) -> str:
    """Return a text with blanks behind it, up to so many columns."""
    return text + " " * (columns - width(text))


def cut(text: str, columns: int) -> str:
    """Return a text on one line of at most so many columns, with `…` where it was longer; nothing in it is obeyed."""
    line = " ".join("".join(c if c.isprintable() else " " for c in text).split())
    if width(line) <= columns:
        return line
    taken = used = 0
    while used + _width(line[taken]) < columns:
        used += _width(line[taken])
        taken += 1
    return line[:taken].rstrip() + "…"


def _width(character: str) -> int:
    if unicodedata.combining(character):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1
