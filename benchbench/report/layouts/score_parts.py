"""What the texts of all scores share: a table of scores with their bands, and one of the means of groups."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from benchbench.report.blocks import PAPER, SUMMARY, TERMINAL, AnyCell, Cell, Table
from benchbench.report.render.lines import bar
from benchbench.results.figures import behind, value
from benchbench.scores.names import MARKS

_BAR = 10  # columns of a share
_FEW = 3  # scores that groups show with their intervals; more make the table too wide


class ScoreRow(NamedTuple):
    """A score: its mean and interval as they are written, where it lies from 0 to 1, its band, further cells."""

    name: AnyCell
    mean: str
    ends: str
    share: float | None
    band: str
    more: Sequence[AnyCell]


def score_tables(noun: str, rows: Sequence[ScoreRow], more: Sequence[str], keeps: Sequence[int]) -> list[Table]:
    """Return the table of scores, with bars for a terminal; `keeps` are those of the further columns."""
    head, sides = (noun, "Mean", "95 % interval"), "r" * len(more)
    drawn: list[list[AnyCell]] = []
    plain: list[list[AnyCell]] = []
    for row in rows:
        band = f"{MARKS[row.band]} {row.band}" if row.band else ""
        line = "" if row.share is None else bar(row.share, _BAR, "░")
        drawn.append([row.name, row.mean, row.ends, line, band, *row.more])
        plain.append([row.name, row.mean, row.ends, row.band, *row.more])
    return [
        Table([*head, "0 … 1", "Band", *more], drawn, f"lrrll{sides}", where=TERMINAL, keeps=[0, 0, 0, 4, 1, *keeps]),
        Table([*head, "Band", *more], plain, f"lrrl{sides}", where=PAPER | SUMMARY),
    ]


def group_table(label: str, noun: str, scores: Sequence[str], rows: Iterable[tuple[str, int, Sequence[Cell]]]) -> Table:
    """Return the means of groups: each has so many of a noun, and a cell per score; the first scores stay longest."""
    several = len(scores) > _FEW
    cells: list[list[AnyCell]] = [
        [name, f"{number:,}", *(cell.text if several else cell for cell in means)] for name, number, means in rows
    ]
    keeps = [0, 0, *range(len(scores))]
    return Table((label, noun, *scores), cells, "lr" + "r" * len(scores), where=TERMINAL, keeps=keeps)


def mean_cell(mean: float | None, low: float | None = None, high: float | None = None) -> Cell:
    """Return a mean with its interval."""
    return Cell(value(mean, 3), behind(low, high, 3))
