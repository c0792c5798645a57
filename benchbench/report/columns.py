"""Aligned columns for terminals."""

import unicodedata
from collections.abc import Iterable, Sequence

from benchbench.errors import visible


class Table(str):
    """A text of several lines, all of them visible."""

    __slots__ = ()


def plain(head: Sequence[str], body: Sequence[Sequence[str]]) -> Table:
    """Return a table in aligned columns, each row on one line."""
    head, *body = [[visible(text) for text in line] for line in (head, *body)]
    widths = [max(map(width, column)) for column in zip(head, *body, strict=True)]
    lines = [head, ["-" * w for w in widths], *body]
    return Table(
        "\n".join("  ".join(padded(text, w) for text, w in zip(line, widths, strict=True)).rstrip() for line in lines)
    )


def paged(lines: Iterable[str]) -> str:
    """Return a text of tables and sentences, each sentence on one line of its own, whatever it quotes."""
    return "".join(f"{line if isinstance(line, Table) else visible(line)}\n" for line in lines)


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
