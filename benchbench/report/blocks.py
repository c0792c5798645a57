"""What a report is made of: a layout is a list of blocks, and each format draws every block.

A layout computes nothing: what a block shows is in the record, its details or its tables. Blocks are named tuples, for
every command makes these classes when it starts, and those of frozen dataclasses take six times as long to make.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from benchbench.report.card_blocks import CardBlock
    from benchbench.report.page_blocks import PageBlock

Where = frozenset[str]  # names of formats

TERMINAL: Where = frozenset({"text"})
NARROW: Where = frozenset({"narrow"})  # a terminal of less than 120 columns
WIDE: Where = frozenset({"wide"})  # … and of more
PAGE: Where = frozenset({"html"})
PEOPLE: Where = TERMINAL | PAGE
PAPER: Where = frozenset({"markdown", "latex"})
SUMMARY: Where = frozenset({"summary"})  # the section of a CI job
JUNIT: Where = frozenset({"junit"})
EVERYWHERE: Where = PEOPLE | PAPER | SUMMARY
_WHOLE = PEOPLE | {"json"}  # formats that have whatever there is to say


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
    """What a result comes to, each sentence with a mark (▲ ▼ ○ ● ◐), and below what to do about it.

    `own` are conditions of gates that the sentences speak of: a terminal does not count these above them.
    """

    found: Sequence[tuple[str, str]]
    advice: Sequence[str] = ()
    where: Where = TERMINAL
    own: frozenset[str] = frozenset()


class Heading(NamedTuple):
    """The headline, with what all numbers have in common below it."""

    text: str
    said: str = ""
    where: Where = PEOPLE


class Text(NamedTuple):
    """Sentences, each on a line of its own."""

    lines: Sequence[str]
    where: Where = PEOPLE | SUMMARY


class Table(NamedTuple):
    """A table; `sides` has a letter per column, l or r.

    With `grouped`, the first column names groups of rows: it stands once per group, and groups are set apart. A
    `caption` stands above the table; with `floats` LaTeX makes a floating table of it. Where a terminal is narrow, the
    columns with the highest number in `keeps` are left out first; those with 0 stay. `asides` is what a sentence calls
    the asides of the cells when there is no room for them.
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
    said: str


class Spark(NamedTuple):
    """A row of values, each a bar as high as a line of text; `marks` stand below, by the places of the values.

    What is `apart` is comparable to none of the bars, and a dot.
    """

    name: str
    values: Sequence[float | None]
    said: str  # behind it
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


class Layout(NamedTuple):
    """A report that any format draws.

    Attributes
    ----------
    title
        What was measured, in a line.
    blocks
        In reading order.
    members
        Makes what JSON has beside the record: the members of version 0.1.
    rows
        Makes the rows of CSV, whole numbers and not rounded.
    lines
        Makes the objects of JSON lines, where they are not the rows.
    notes
        Sentences for standard error, in formats that show no notes.
    command
        What a CI system calls the suite of its gates.
    page, values
        The template of its page, where it is not the one that draws blocks, and what that is filled with.
    drawn
        Makes the blocks of its page, where that is more than those that other formats have; only a page calls it.
    """

    title: str
    blocks: Sequence[Block]
    members: Callable[[], Mapping[str, Any]]
    rows: Callable[[], Iterable[Mapping[str, Any]]]
    lines: Callable[[], Iterable[Mapping[str, Any]]] | None = None
    notes: Sequence[str] = ()
    command: str = ""
    page: str = "page.html"
    values: Callable[[], Mapping[str, Any]] = dict
    drawn: "Callable[[], Sequence[Block | PageBlock | CardBlock]] | None" = None

    def of(self, name: str) -> list[Block]:
        """Return the blocks that a format shows."""
        return [block for block in self.blocks if name in block.where]

    def of_page(self) -> "Sequence[Block | PageBlock | CardBlock]":
        """Return the blocks of the page."""
        return self.of("html") if self.drawn is None else self.drawn()

    def on(self, wide: bool) -> list[Block]:
        """Return the blocks that a terminal shows."""
        shown = TERMINAL | (WIDE if wide else NARROW)
        return [block for block in self.blocks if block.where & shown]

    def shows_notes(self, name: str) -> bool:
        """Say that a reader of a format sees the notes in it."""
        return name in _WHOLE or any(isinstance(block, Notes) for block in self.of(name))
