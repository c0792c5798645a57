"""What a report is made of: a layout is a list of blocks, and each format draws every block.

A layout computes nothing: what a block shows is in the record, its details or its tables.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

Where = frozenset[str]

TERMINAL: Where = frozenset({"text"})
PAGE: Where = frozenset({"html"})
PEOPLE: Where = TERMINAL | PAGE  # who reads all
PAPER: Where = frozenset({"markdown", "latex"})  # who takes a table into a text of their own
DATA: Where = frozenset({"json", "jsonl", "csv"})  # for programs
SUMMARY: Where = frozenset({"summary"})  # the section of a CI job
EVERYWHERE: Where = PEOPLE | PAPER | SUMMARY


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell that is more than a text.

    `aside` is the interval behind a value, which papers leave out; `marks` are raised; `by` is what a page sorts by;
    `interval` is drawn on a page (low, mean, high, zero; in percent of the cell).
    """

    text: str
    aside: str = ""
    strong: bool = False
    marks: str = ""
    by: float | None = None
    interval: tuple[float, float, float, float] | None = None


AnyCell = str | Cell


@dataclass(frozen=True, slots=True)
class Heading:
    """The headline, with what all numbers have in common below it."""

    text: str
    said: str = ""
    where: Where = TERMINAL | PAGE


@dataclass(frozen=True, slots=True)
class Text:
    """Sentences, each on a line of its own. With `code` their columns are kept."""

    lines: Sequence[str]
    code: bool = False
    where: Where = PEOPLE | SUMMARY


@dataclass(frozen=True, slots=True)
class Table:
    """A table; `sides` has a letter per column, l or r.

    With `grouped`, the first column names groups of rows: it stands once per group, and groups are set apart. A
    `caption` stands above the table; with `floats` LaTeX makes a floating table of it.
    """

    head: Sequence[str]
    rows: Sequence[Sequence[AnyCell]]
    sides: str = ""
    caption: str = ""
    grouped: bool = False
    floats: bool = False
    sortable: bool = False
    where: Where = EVERYWHERE


@dataclass(frozen=True, slots=True)
class Facts:
    """Sentences with a label each; rows below one another with an empty label belong to the one above."""

    rows: Sequence[tuple[str, str]]
    heading: str = ""
    where: Where = PEOPLE | SUMMARY


@dataclass(frozen=True, slots=True)
class Notes:
    """What the numbers leave out or assume."""

    sentences: Sequence[str]
    where: Where = PAPER


@dataclass(frozen=True, slots=True)
class Gates:
    """What became of the gates of the record."""

    where: Where = PEOPLE


@dataclass(frozen=True, slots=True)
class Rows:
    """The rows of CSV, as they are in that format."""

    where: Where = TERMINAL


Block = Heading | Text | Table | Facts | Notes | Gates | Rows


@dataclass(frozen=True, slots=True)
class Layout:
    """A report that any format draws.

    Attributes
    ----------
    title
        What was measured, in a line.
    blocks
        In reading order.
    members
        What JSON has beside the record: the members of version 0.1.
    rows
        Makes the rows of CSV, whole numbers and not rounded.
    lines
        Makes the objects of JSON lines, where they are not the rows.
    notes
        What the numbers leave out; formats that do not show them leave them to standard error.
    command
        What a CI system calls the suite of its gates.
    page, values
        The template of its page, where it is not the one that draws blocks, and what that is filled with.
    shows_notes
        Formats in which the notes are among the blocks.
    """

    title: str
    blocks: Sequence[Block]
    members: Mapping[str, Any]
    rows: Callable[[], Iterable[Mapping[str, Any]]]
    lines: Callable[[], Iterable[Mapping[str, Any]]] | None = None
    notes: Sequence[str] = ()
    command: str = ""
    page: str = "page.html"
    values: Callable[[], Mapping[str, Any]] = dict
    shows_notes: Where = PEOPLE | PAPER | frozenset({"json"})

    def of(self, name: str) -> list[Block]:
        """Return the blocks that a format shows."""
        return [block for block in self.blocks if name in block.where]
