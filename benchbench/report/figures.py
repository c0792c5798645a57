"""What a page draws: charts with their sentence and table in words, ready for HTML and for the script in it."""

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from typing import Literal

Kind = Literal["line", "curve", "step", "points", "small", "whisker", "front", "bar"]


@dataclass(frozen=True, slots=True)
class Cell:
    """One cell: what is shown, what it is sorted by, an interval to draw (low, mean, high, zero; in percent)."""

    text: str
    by: float | None = None
    interval: tuple[float, float, float, float] | None = None
    strong: bool = False


@dataclass(frozen=True, slots=True)
class Series:
    """One thing to draw; those of one name go by one button of the legend."""

    name: str
    style: int  # place in the palette; -1, -2, -3 are lost, equal, won
    kind: Kind
    points: Sequence[tuple[float, float, str]]  # x, y, what a pointer is told


@dataclass(frozen=True, slots=True)
class View:
    """What a chart shows for one choice of measure and pair."""

    title: str
    sentence: str  # the chart in words
    head: tuple[str, ...] = ()
    rows: Sequence[Sequence[Cell]] = ()
    series: Sequence[Series] = ()
    ticks: Sequence[str] = ()  # names of 0, 1, 2, … on the x axis, where it has no numbers


@dataclass(frozen=True, slots=True)
class Axis:
    """One axis."""

    name: str
    scale: Literal["value", "log", "ticks"] = "value"
    percent: bool = False
    zero: bool = False  # whether it starts at 0


@dataclass(frozen=True, slots=True)
class Figure:
    """A section of the page: a chart with its table, or (without axes) a table alone."""

    id: str
    heading: str
    by: tuple[Literal["measure", "pair", "mark"], ...]  # what chooses among the views
    views: Sequence[View]
    chosen: dict[str, int]  # "0", "0.2": places of what was chosen -> place in views
    x: Axis | None = None
    y: Axis | None = None
    nearest: bool = False  # a pointer asks for the nearest of each series, not for the one it is on
    hidden: tuple[str, ...] = ()  # series that wait for their button


def number(value: float) -> str:
    """Return a value of a measure, to four decimals; large ones to two."""
    if value != value:
        return "–"
    return (f"{value:,.4f}" if abs(value) < 100 else f"{value:,.2f}").replace("-", "−")


def signed(value: float) -> str:
    """Return a difference with its sign."""
    return number(value) if value <= 0 or value != value else f"+{number(value)}"


def milliseconds(value: float) -> str:
    """Return a time with its unit, to three digits."""
    if value != value:
        return "–"
    return f"{value:#.3g} ms" if value < 99.95 else f"{value:,.0f} ms"


def listed(words: Sequence[str]) -> str:
    """Return words with commas and a last `and`."""
    return " and ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)


def table(caption: str, head: Sequence[str], rows: Sequence[Sequence[Cell]], extra: str = "") -> str:
    """Return a table; the first cell of a row heads it. `extra` is trusted markup for the table's tag."""
    names = "".join(f'<th scope="col">{escape(name)}</th>' for name in head)
    body = "\n".join(f"<tr>{''.join(_cell(cell, i == 0) for i, cell in enumerate(row))}</tr>" for row in rows)
    region = f'<div class="wide" tabindex="0" role="region" aria-label="{escape(caption)}">'
    shown = f"<table{extra}><caption>{escape(caption)}</caption><thead><tr>{names}</tr></thead>"
    return f"{region}{shown}<tbody>{body}</tbody></table></div>"


def _cell(cell: Cell, first: bool) -> str:
    by = "" if cell.by is None else f' data-by="{cell.by!r}"'
    text = f"<strong>{escape(cell.text)}</strong>" if cell.strong else escape(cell.text)
    if cell.interval is not None:
        names = ("low", "mean", "high", "zero")
        places = ";".join(f"--{name}:{at:.1f}" for name, at in zip(names, cell.interval, strict=True))
        text = f'<span class="interval" style="{places}"></span>'
    return f'<th scope="row"{by}>{text}</th>' if first else f"<td{by}>{text}</td>"
