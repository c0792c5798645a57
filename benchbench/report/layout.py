"""What a kind of result gives to renderers: blocks in reading order, and the content of JSON, CSV and a page."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Any, NamedTuple

from benchbench.report.blocks import NARROW, TERMINAL, WHOLE, WIDE, Block, Notes

if TYPE_CHECKING:
    from benchbench.report.audit_blocks import CheckList
    from benchbench.report.card_blocks import CardBlock
    from benchbench.report.comparison_blocks import ComparisonBlock
    from benchbench.report.page_blocks import PageBlock

    AnyBlock = Block | PageBlock | CardBlock | ComparisonBlock | CheckList


def page_of(module: str, *given: Any) -> "Callable[[], Sequence[AnyBlock]]":
    """Return a function that makes the blocks of a page with a module of `layouts`, imported only then.

    `given` is what that takes: a result, or rows, first.
    """
    return lambda: import_module(f"benchbench.report.layouts.{module}").blocks(*given)


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
    drawn: "Callable[[], Sequence[AnyBlock]] | None" = None

    def of(self, name: str) -> list[Block]:
        """Return the blocks that a format shows."""
        return [block for block in self.blocks if name in block.where]

    def of_page(self) -> "Sequence[AnyBlock]":
        """Return the blocks of the page."""
        return self.of("html") if self.drawn is None else self.drawn()

    def on(self, whole: bool) -> list[Block]:
        """Return the blocks that a terminal shows: all of them, or what there is to say first."""
        shown = TERMINAL | (WIDE if whole else NARROW)
        return [block for block in self.blocks if block.where & shown]

    def shows_notes(self, name: str) -> bool:
        """Say that a reader of a format sees the notes in it."""
        return name in WHOLE or any(isinstance(block, Notes) for block in self.of(name))
