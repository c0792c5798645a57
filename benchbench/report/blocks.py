"""The blocks of a report: a layout is a list of blocks, and each format draws every block.

A layout computes nothing: what a block shows is in the record, its details or its tables. Blocks are named tuples:
every command makes these classes when it starts, and frozen dataclasses take six times as long to make.
"""

from collections.abc import Sequence
from typing import NamedTuple

Where = frozenset[str]  # names of formats

TERMINAL: Where = frozenset({"text"})
NARROW: Where = frozenset({"narrow"})  # a terminal without --wide
WIDE: Where = frozenset({"wide"})  # … and with it
PAGE: Where = frozenset({"html"})
PEOPLE: Where = TERMINAL | PAGE
PAPER: Where = frozenset({"markdown", "latex"})
SUMMARY: Where = frozenset({"summary"})  # the section of a CI job
JUNIT: Where = frozenset({"junit"})
EVERYWHERE: Where = PEOPLE | PAPER | SUMMARY
WHOLE: Where = PEOPLE | {"json"}  # formats that leave nothing out

EXTRA = 100  # a number of `Table.keeps`: a column that only a wide terminal has room for, and that nobody misses


class Cell(NamedTuple):
    """A cell that is more than a text.

    `aside` is the interval behind a value, which LaTeX leaves out; `marks` are raised. On a terminal, `tone` is
    good, bad or muted.
    """

    text: str
    aside: str = ""
    strong: bool = False
    marks: str = ""
    tone: str = ""


AnyCell = str | Cell


class Verdict(NamedTuple):
    """The result in sentences, each with a mark (▲ ▼ ○ ● ◐), and below what to do about it.

    `own` are conditions of gates that the sentences speak of: a terminal does not count these above them.
    """

    sentences: Sequence[tuple[str, str]]
    advice: Sequence[str] = ()
    where: Where = TERMINAL
    own: frozenset[str] = frozenset()


class Heading(NamedTuple):
    """The headline, with what all numbers have in common below it."""

    text: str
    subtitle: str = ""
    where: Where = PEOPLE


class Text(NamedTuple):
    """Sentences, each on a line of its own."""

    lines: Sequence[str]
    where: Where = PEOPLE | SUMMARY


class Table(NamedTuple):
    """A table; `sides` has a letter per column, l or r.

    With `grouped`, the first column names groups of rows: it stands once per group, and groups are set apart. A
    `caption` stands above the table; with `floats` LaTeX makes a floating table of it. Where a terminal is narrow, the
    columns with the highest number in `keeps` are left out first; those with 0 stay, and those from `EXTRA` on are left
    out without a word. `asides` is what a sentence calls the asides of the cells when there is no room for them.
    """

    head: Sequence[str]
    rows: Sequence[Sequence[AnyCell]]
    sides: str = ""
    caption: str = ""
    grouped: bool = False
    floats: bool = False
    where: Where = EVERYWHERE
    keeps: Sequence[int] = ()
    asides: str = "intervals"


class Facts(NamedTuple):
    """Sentences with a label each; rows below one another with an empty label belong to the one above."""

    rows: Sequence[tuple[str, str]]
    heading: str = ""
    where: Where = PEOPLE | SUMMARY


class Detail(NamedTuple):
    """A row of facts that a terminal shows with `--verbose` only."""

    label: str
    sentence: str


class Spark(NamedTuple):
    """A row of values, each a bar as high as a line of text; `marks` stand below, by the places of the values.

    Values that are `apart` are not comparable to the bars, and are drawn as dots.
    """

    name: str
    values: Sequence[float | None]
    text: str  # behind them
    marks: Sequence[tuple[int, str]] = ()
    apart: frozenset[int] = frozenset()


class Sparks(NamedTuple):
    """Rows of values below one another, each on a scale of its own."""

    rows: Sequence[Spark]
    caption: str = ""
    where: Where = TERMINAL


class Notes(NamedTuple):
    """What the numbers leave out or assume."""

    sentences: Sequence[str]
    where: Where = PAPER | JUNIT


class Gates(NamedTuple):
    """What became of the gates of the record."""

    where: Where = PEOPLE


Block = Verdict | Heading | Text | Table | Facts | Sparks | Notes | Gates
