"""What the texts of all scores share: a table of scores with their bands, and one of the means of groups."""

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from benchbench.report.blocks import PAPER, SUMMARY, TERMINAL, AnyCell, Cell, Table
from benchbench.report.render.lines import bar
from benchbench.results.figures import behind, ends, value
from benchbench.scores.names import COLUMNS, MARKS
from benchbench.scores.numbers import GroupMeans, Groups, ScoreMean

_BAR = 10  # columns of a share
_FEW = 3  # scores that groups show with their intervals; more make the table too wide


class ScoreRow(NamedTuple):
    """A score: its mean with a unit behind it, where that lies from 0 to 1, its band, and further cells.

    Those of `aside` stand on the page only.
    """

    name: AnyCell
    mean: ScoreMean
    share: float | None
    more: Sequence[AnyCell]
    aside: Sequence[AnyCell] = ()
    unit: str = ""
    band: str | None = None  # where it is not the one of the mean

    @property
    def begins(self) -> list[AnyCell]:
        """Return name, mean and interval."""
        return [self.name, f"{value(self.mean.value, 3)}{self.unit}", ends(self.mean, 3)]

    @property
    def told_band(self) -> str:
        """Return the band."""
        return self.mean.band if self.band is None else self.band


def score_tables(noun: str, rows: Sequence[ScoreRow], more: Sequence[str], keeps: Sequence[int]) -> list[Table]:
    """Return the table of scores, with bars for a terminal; `keeps` are those of the further columns."""
    head, sides = (noun, "Mean", "95 % interval"), "r" * len(more)
    drawn: list[list[AnyCell]] = []
    for row in rows:
        band = row.told_band
        line = "" if row.share is None else bar(row.share, _BAR, "░")
        drawn.append([*row.begins, line, f"{MARKS[band]} {band}" if band else "", *row.more])
    plain = [[*row.begins, row.told_band, *row.more] for row in rows]
    return [
        Table([*head, "0 … 1", "Band", *more], drawn, f"lrrll{sides}", where=TERMINAL, keeps=[0, 0, 0, 4, 1, *keeps]),
        Table([*head, "Band", *more], plain, f"lrrl{sides}", where=PAPER | SUMMARY),
    ]


def group_tables(
    groups: Groups, noun: str, heads: Mapping[str, str], whole: GroupMeans | None = None
) -> Iterator[Table]:
    """Yield the means of source types and of categories; the first scores stay longest where there is little room.

    Parameters
    ----------
    groups
        With the number of items of each, which are of the `noun`.
    heads
        Of the scores that are shown, by name.
    whole
        The means over all items, as the last row.
    """
    several = len(heads) > _FEW
    for column in COLUMNS:
        rows: list[list[AnyCell]] = []
        for group in (*groups[column], *([whole] if whole else [])):
            means = [group.means.get(name, ScoreMean(None)) for name in heads]
            cells = [Cell(value(mean.value, 3), "" if several else behind(mean.low, mean.high, 3)) for mean in means]
            rows.append([group.name, f"{group.size:,}", *cells])
        if groups[column]:
            label, keeps = column.replace("_", " ").capitalize(), [0, 0, *range(len(heads))]
            yield Table((label, noun, *heads.values()), rows, "lr" + "r" * len(heads), where=TERMINAL, keeps=keeps)
