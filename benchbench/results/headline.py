"""The result in a few sentences, with which a report begins."""

from collections.abc import Sequence
from typing import Literal, NamedTuple

from benchbench.results.record import Better

BETTER: Literal["▲"] = "▲"
WORSE: Literal["▼"] = "▼"  # and failed
OPEN: Literal["○"] = "○"  # undecided
GOOD: Literal["●"] = "●"
PARTLY: Literal["◐"] = "◐"
OF_DIRECTION = {1: BETTER, -1: WORSE, 0: OPEN}  # of a difference that was tested


class Headline(NamedTuple):
    """Sentences, each with its mark, and what to do about them."""

    sentences: Sequence[tuple[str, str]]
    advice: Sequence[str] = ()


def best(values: Sequence[float | None], better: Better | None) -> frozenset[int]:
    """Return the places of the best values; none where they are all alike, or no direction is an improvement."""
    known = [value for value in values if value is not None and value == value]
    if better is None or len(set(known)) < 2:
        return frozenset()
    first = max(known) if better == "higher" else min(known)
    return frozenset(place for place, value in enumerate(values) if value == first)
