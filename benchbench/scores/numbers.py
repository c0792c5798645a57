"""Means of scores with what is known of them, over all items and over those of groups, and as numbers of a record."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from benchbench.results.estimates import Estimate
from benchbench.results.record import Better, Number, Scope, band_in_record
from benchbench.scores.names import BANDS


@dataclass(frozen=True, slots=True)
class ScoreMean(Estimate):
    """A mean and what it is over."""

    interval: str = ""  # how it was made
    n: int = 0  # items that it is over
    band: str = ""  # good, acceptable, poor; empty without bands
    design_effect: float | None = None  # where items come in groups
    reached: list[str] = field(default_factory=list)  # the other bands that the interval reaches


class GroupMeans(NamedTuple):
    """A source type or a category, how many items are of it, and the mean of each score over these."""

    name: str
    size: int
    means: Mapping[str, ScoreMean]


Groups = Mapping[str, Sequence[GroupMeans]]  # by column


def reached(low: float | None, high: float | None, band: str, band_of: Callable[[float], str]) -> list[str]:
    """Return the bands that an interval reaches besides the one that its mean is in, the lowest first."""
    if not band or low is None or high is None:
        return []
    return [name for name in BANDS[BANDS.index(band_of(low)) : BANDS.index(band_of(high)) + 1] if name != band]


def mean_number(name: str, mean: ScoreMean, scope: Scope, *, better: Better | None = None, unit: str = "") -> Number:
    """Return a mean with its 95 % interval, where it has one.

    A band that is none of those of records, such as `not tested`, is left out.
    """
    return Number(
        name=name,
        value=mean.value,
        low=mean.low,
        high=mean.high,
        interval=f"95 %, {mean.interval}" if mean.interval and mean.low is not None else None,
        n=mean.n,
        unit=unit,
        better=better,
        scope=scope,
        band=band_in_record(mean.band),
    )
