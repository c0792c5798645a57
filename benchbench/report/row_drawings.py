"""Drawings of rows: intervals below one another, and tables whose cells are coloured."""

from collections.abc import Sequence
from typing import NamedTuple


class ForestRow(NamedTuple):
    """A system: rank, mean with its interval, the places of its groups, and texts behind it, each with its tone."""

    name: str
    rank: str
    mean: float
    low: float
    high: float
    groups: Sequence[int]
    cells: Sequence[tuple[str, str]]
    muted: bool = False  # measurably worse than the best
    hint: str = ""


class Forest(NamedTuple):
    """Systems below one another, the best first: intervals on one scale, and groups of ties as columns of dots.

    Rows without ranks are no rivals, and none is what the others are compared with.
    The scale goes from `low` to `high`, with ticks and their texts.
    """

    description: str
    heads: Sequence[str]  # of the texts behind an interval
    rows: Sequence[ForestRow]
    groups: Sequence[str]
    low: float
    high: float
    ticks: Sequence[tuple[float, str]]
    noun: str = "system"


class MapCell(NamedTuple):
    """A value, and the strength of its colour from 0 to 1; empty where there is none."""

    text: str
    strength: float = 0.0
    strong: bool = False
    hint: str = ""


class ColourMap(NamedTuple):
    """A table whose cells are coloured; its columns stand in groups, each a head with labels and their subtitles."""

    description: str
    groups: Sequence[tuple[str, Sequence[tuple[str, str]]]]
    rows: Sequence[tuple[str, Sequence[MapCell]]]
