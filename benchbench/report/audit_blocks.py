"""The blocks of the page of an audit, besides those that pages share."""

from collections.abc import Sequence
from typing import Literal, NamedTuple

from benchbench.report.page_blocks import Pieces


class SideText(NamedTuple):
    """A text of an example with its name and what is wrong with it; every second piece differs from the other side."""

    name: str
    mark: str
    pieces: Pieces
    tag: Literal["", "del", "ins"] = ""


class CheckRow(NamedTuple):
    """A check that found something, how many queries or documents it concerns, and its findings with their examples.

    `span` is low, value and high of its effect in percent of the scale.
    """

    title: str
    subtitle: str
    concerned: str
    zero: float
    span: tuple[float, float, float] | None
    effect: str
    ends: str
    advice: str
    parts: Sequence[tuple[str, Sequence[str]]]
    pairs: Sequence[Sequence[SideText]]
    name: str  # in gates


class CheckGroup(NamedTuple):
    """Checks with a heading."""

    heading: str
    rows: Sequence[CheckRow]


class CheckList(NamedTuple):
    """Checks, each of which opens to its examples; ticks of the effects in percent of their scale."""

    measure: str
    ticks: Sequence[tuple[float, str]]
    groups: Sequence[CheckGroup]
