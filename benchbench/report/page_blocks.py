"""The blocks of pages, besides those that every format draws.

A page is a list of blocks: a masthead, a band where something failed, a lede, tiles, then sections with charts, a list
of queries, folded tables, and how to reproduce it. Texts in which something stands out are pieces, plain and strong
ones in turn. A choice has a key; what belongs to one of its options has that key and one entry per option.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Literal, NamedTuple

from benchbench.report.blocks import Facts, Notes, Table, Text
from benchbench.report.card_blocks import CrossedTable
from benchbench.report.row_drawings import ColourMap, Forest

Pieces = Sequence[str]
Tone = Literal["", "good", "bad"]
Scale = Literal["linear", "log", "nines"]  # of nines: 90 to 99 % is as wide as 0 to 90 %


class Masthead(NamedTuple):
    """What was measured, or its result; facts; what the result is based on."""

    command: str
    facts: Sequence[str | tuple[str, Tone]]
    title: str
    pieces: Pieces = ()
    notes: Sequence[str] = ()


class Band(NamedTuple):
    """What a reader must know first: red where something failed, else grey; its button filters the list."""

    title: str
    tables: Sequence[Table]
    tone: Tone = "bad"
    lines: Sequence[str] = ()
    action: str = ""
    bin: int = 0  # that the button shows


class Lede(NamedTuple):
    """The result in a sentence or two; `aside` is a caveat."""

    pieces: Pieces
    aside: str = ""


class Tile(NamedTuple):
    """A number that gets quoted."""

    name: str
    values: Sequence[str]
    unit: str = ""
    aside: str = ""
    subtitle: str = ""


class Tiles(NamedTuple):
    """Four of them in a row."""

    tiles: Sequence[Tile]


class Option(NamedTuple):
    """One of a choice; `mark` is the number of its symbol, `subtitle` replaces that of the section."""

    text: str
    mark: int | None = None
    subtitle: str = ""


class Choice(NamedTuple):
    """Buttons of which one is pressed, initially the first; a list where there are many."""

    key: str
    name: str
    options: Sequence[Option]


class Section(NamedTuple):
    """The beginning of a section, which ends where the next one begins."""

    id: str
    link: str  # in the list of sections
    heading: str
    subtitle: str = ""
    choice: Choice | None = None


class Axis(NamedTuple):
    """The ends of a scale, and its ticks with their texts."""

    low: float
    high: float
    ticks: Sequence[tuple[float, str]]
    scale: Scale = "linear"
    name: str = ""


class Dot(NamedTuple):
    """A point, with an interval where it has one; `text` stands beside it."""

    x: float
    y: float
    text: str = ""
    low: float | None = None
    high: float | None = None
    hollow: bool = False
    tone: Tone = ""
    hint: str = ""  # under the pointer
    small: bool = False
    series: int | None = None
    left: float | None = None  # ends of an interval along the horizontal scale
    right: float | None = None
    full: bool = False  # of a series, whose dots are hollow otherwise
    radius: float | None = None  # of a circle that stands for several


class Label(NamedTuple):
    """A text at a point: to its left where there is room, above it, or below it."""

    x: float
    y: float
    text: str
    side: Literal["left", "above", "below"]
    tone: Tone = ""


class Path(NamedTuple):
    """A line; `text` stands at its end. A `level` is a mean over what is drawn.

    Lines and dots of a `series` look alike, and stand out where a script chooses it.
    """

    points: Sequence[tuple[float, float]]
    text: str = ""
    dashed: bool = False
    thin: bool = False
    level: bool = False
    series: int | None = None
    named: bool = False  # at its ends, so that its dashes need not tell it from others


class Cloud(NamedTuple):
    """Many points without names: dots, or crosses for what failed."""

    points: Sequence[tuple[float, float]]
    crosses: bool = False
    muted: bool = False


class Rule(NamedTuple):
    """A dashed level across the chart, with a text above its beginning, or its end."""

    y: float
    text: str = ""
    last: bool = False


class Area(NamedTuple):
    """What lies between a lower and an upper line: x, low and high of each point."""

    points: Sequence[tuple[float, float, float]]
    muted: bool = False
    tone: Tone = ""


class Shade(NamedTuple):
    """A part of the horizontal scale that is shaded; one that `fades` grows from nothing to that."""

    low: float
    high: float
    fades: bool = False
    tone: Tone = ""


class Stem(NamedTuple):
    """A bar from the bottom, or so many pixels `aside`; its `width` is on the horizontal scale where it has one."""

    x: float
    y: float
    text: str = ""
    tone: Tone = ""
    aside: int = 0
    width: float | None = None


class Drop(NamedTuple):
    """A dotted line down from `high` to `low`, with a text below it, or beside its upper end."""

    x: float
    low: float
    high: float
    text: str = ""
    tone: Tone = ""
    beside: bool = False


class Heat(NamedTuple):
    """Cells that are the darker the larger their shares: low and high of both scales, and a share from 0 to 1."""

    cells: Sequence[tuple[float, float, float, float, float]]


PlotMark = Dot | Label | Path | Area | Cloud | Rule | Shade | Stem | Drop | Heat


class Plot(NamedTuple):
    """A chart, and the same in words; `margin` is the least room to its left, in pixels.

    Of one that is `read`, a script finds what lies below a pointer: the drawing states where its scales are. Where
    lines are `named`, the texts of dots stand in a column of their own to the right, as those of ticks do to the left.
    """

    description: str
    x: Axis
    y: Axis
    marks: Sequence[PlotMark]
    height: int = 240
    margin: int = 0
    read: bool = False
    named: bool = False


Drawing = Plot | Forest | ColourMap


class Panel(NamedTuple):
    """A chart with its title and what to see in it; one plot, or one per option of the choice `key`.

    Of a chart of series, the `legend` has the name of each. By its `name` a chart is had as a picture.
    """

    title: str
    subtitle: str
    plots: Sequence[Drawing]
    key: str = ""
    mark: int | None = None
    note: str = ""
    tone: Tone = ""  # of the subtitle
    legend: Sequence[tuple[int, str]] = ()
    name: str = ""


class Panels(NamedTuple):
    """Charts beside one another, in so many columns where there is room."""

    panels: Sequence[Panel]
    columns: int = 2
    note: str = ""


class Bar(NamedTuple):
    """How many queries: `name` says which, `tick` stands below.

    The tick of one with an `edge` stands below its right border; the first one of these has a `start` as well.
    """

    queries: int
    tick: str
    name: str
    bin: int
    tone: Literal["", "zero", "bad"] = ""
    edge: bool = False
    start: str = ""


class Bars(NamedTuple):
    """A histogram per option; a bar is a button that filters the list, by the `filter` of the script."""

    titles: Sequence[str]
    subtitles: Sequence[Pieces]
    views: Sequence[Sequence[Bar]]
    note: str = ""
    key: str = "view"
    filter: Literal["bin", "rank"] = "bin"


class RangeRow(NamedTuple):
    """A label: how many queries, and per option mean, low and high in percent of the scale, and the mean as a text."""

    label: str
    queries: int
    spans: Sequence[tuple[float, float, float, str]]


class Ranges(NamedTuple):
    """Means by label with intervals; a row is a button that filters the list. Per option: title, scale, mean of all."""

    titles: Sequence[str]
    subtitle: str
    column: int
    rows: Sequence[RangeRow]
    ends: Sequence[tuple[str, str]]  # a text on the scale, and its end
    means: Sequence[float]
    key: str = "view"


class Pair(NamedTuple):
    """Two columns of blocks; of several on the right one is shown, or all where they are `stacked`."""

    left: Sequence["Bars | CrossedTable | Panels | Ranges | Table"]
    right: Sequence["Bars | CrossedTable | Panels | Ranges | Table"]
    stacked: bool = False


class Views(NamedTuple):
    """Blocks that are shown for some options of a choice: for each, the places of these options of `key`."""

    key: str
    options: Sequence[tuple[Sequence[int], Sequence["Pair"]]]
    first: int = 0


class QueryList(NamedTuple):
    """The list of queries, with some rows for readers without scripts; `marks` are the meanings of a hit's symbols.

    A script draws it from `data`, and from texts and hits, which are compressed.
    """

    notes: Sequence[str]
    head: Sequence[str]
    first: Sequence[Sequence[str]]  # rows for readers without scripts: score, id, beginning, labels, latency
    search: str  # what the search looks into
    marks: Sequence[str]
    data: Mapping[str, Any]
    packed: Mapping[str, Any]
    sorts: Sequence[tuple[str, str]] = ()  # the orders that a reader can choose

    @property
    def id_width(self) -> int:
        """Return the pixels of an id."""
        return 8 * min(max([7, *map(len, self.data.get("ids", ()))]), 18)


class Folded(NamedTuple):
    """Blocks that a summary line opens; they are open in print."""

    title: str
    subtitle: str
    blocks: Sequence[Table | Facts | Text | Notes]


class Reproduce(NamedTuple):
    """The command, what it was measured with in groups of facts, and the whole signature."""

    command: str
    groups: Sequence[tuple[str, Sequence[tuple[str, str]]]]
    signature: str


class Track(NamedTuple):
    """A chart of a line of runs, which is read run by run: by pointer, by touch, by keys.

    `line` is the place of its values in the data of the page, `key` that of the measure among those to choose from.
    """

    title: str
    subtitle: str
    plot: Plot
    line: int
    key: int
    marks: Sequence[str] = ()  # what is drawn in it, for the legend
    name: str = ""  # by which it is had as a picture


class Tracks(NamedTuple):
    """Charts of runs in so many columns, those of one measure at a time; `choice` picks it, where it stands here."""

    tracks: Sequence[Track]
    columns: int
    choice: Choice | None = None
    legend: Sequence[tuple[str, str]] = ()  # by the names of marks
    data: Mapping[str, Any] | None = None  # of all charts of the page: what is read in them


class Moment(NamedTuple):
    """Something that happened, with its mark; a button shows it in the chart of a line."""

    mark: str
    tone: Tone
    title: str
    subtitle: str
    key: int | None = None
    place: int | None = None


class Moments(NamedTuple):
    """What happened, in a list."""

    rows: Sequence[Moment]


PageBlock = (
    Masthead | Band | Lede | Tiles | Section | Panels | Bars | Ranges | Pair | Views | QueryList | Folded | Reproduce
    | Tracks | Moments
)  # fmt: skip
