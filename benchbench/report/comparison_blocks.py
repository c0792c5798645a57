"""The blocks of the page of a comparison, besides those of all pages; a script draws what depends on the pair."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from benchbench.report.page_blocks import Choice, Panel


class Drawn(NamedTuple):
    """Where the parts of an interval lie on the scale of its measure, in percent."""

    low: float
    mean: float
    high: float
    zero: float
    band: tuple[float, float] | None  # differences that so few queries do not show reliably: begin and width


class MatrixCell(NamedTuple):
    """A difference: places of its measure and pair, and how it is shown."""

    measure: int
    pair: int
    symbol: str
    tone: str  # up, down, open
    word: str
    difference: str
    mean: str
    ranks: str
    drawn: Drawn


class MatrixRow(NamedTuple):
    """A system: its differences, and its speeds."""

    system: str
    cells: Sequence[MatrixCell]
    speed: Sequence[str]
    late: bool = False  # waits for a button


class MatrixHead(NamedTuple):
    """A measure: its task, the rest of its name, and its scale."""

    task: str
    name: str
    low: str
    zero: float
    high: str


class Matrix(NamedTuple):
    """The differences of all systems from a baseline, and the baseline's means, with intervals, and speeds."""

    baseline: str
    heads: Sequence[MatrixHead]
    speeds: Sequence[str]
    means: Sequence[tuple[str, str]]
    base_speeds: Sequence[str]
    rows: Sequence[MatrixRow]
    more: int


class Matrices(NamedTuple):
    """The matrix against each baseline, of which one is shown, and what a cell of it says: tone, verdict, rest."""

    matrices: Sequence[Matrix]
    choice: Choice
    measures: Sequence[str]
    level: str
    queries: int
    has_band: bool  # whether a cell has one
    reading: tuple[str, str, str]


class Chooser(NamedTuple):
    """Chooses what everything below it shows: a pair of systems, and a measure.

    Where no matrix does, it also chooses among `bases`, and says what the pair comes to: tone, verdict, rest.
    """

    measures: Sequence[str]
    bases: Sequence[str] = ()
    reading: tuple[str, str, str] | None = None


class Differences(NamedTuple):
    """The queries of a pair in charts; a script draws them again for another pair, with stretches to choose."""

    panels: Sequence[Panel]


class MovedList(NamedTuple):
    """The queries of a pair, which a script draws: sentences, what the search looks into, and data as in a `QueryList`.

    Of the data, `packed` is compressed already.
    """

    notes: Sequence[str]
    search: str
    data: Mapping[str, Any]
    packed: str


class SliceRows(NamedTuple):
    """The differences of a pair by label, which a script draws."""


ComparisonBlock = Matrices | Chooser | Differences | SliceRows | MovedList
