"""What all scores call the same: the bands of means with their marks, and the columns by which answers are grouped."""

from collections.abc import Callable, Iterable

from benchbench.results.headline import GOOD, OPEN, PARTLY, WORSE

COLUMNS = ("source_type", "category")
BANDS = ("poor", "acceptable", "good")
UNTESTED = "not tested"  # the band of a metric that expected nothing of any answer
MARKS = {"good": GOOD, "acceptable": PARTLY, "poor": WORSE, UNTESTED: OPEN, "": OPEN}  # by band


def reached(values: Iterable[float | None], band_of: Callable[[float], str]) -> list[str]:
    """Return the bands that a mean and the ends of its interval reach, the lowest first."""
    places = [BANDS.index(band_of(value)) for value in values if value is not None]
    return list(BANDS[min(places) : max(places) + 1])
