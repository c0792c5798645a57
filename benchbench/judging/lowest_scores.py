"""The items with the lowest scores by each rubric, as many as a page shows: memory does not grow with the items."""

import heapq
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from benchbench.answers.judges.prompt import Item
from benchbench.answers.judges.rubric import Rubric
from benchbench.judging.faults import faults
from benchbench.judging.verdict import Verdict

if TYPE_CHECKING:
    import polars as pl

MOST = 200  # of each rubric
_CHARACTERS = 4000  # of a text
_FAULTS = 50


class Lowest(NamedTuple):
    """A verdict with a low score, and what it is about."""

    item: str
    rubric: str
    score: float
    scaled: float  # from 0 to 1
    question: str
    answer: str
    rationale: str
    faults: list[str]
    source_type: str
    category: str


class LowestScores:
    """Keeps the verdicts with the lowest scores; ties in the order of the items."""

    def __init__(self, rubrics: Sequence[Rubric], most: int = MOST) -> None:
        """Start with none."""
        self._rubrics = {one.label: one for one in rubrics}
        self._most = most
        self._heaps: dict[str, list[tuple[float, int, Lowest]]] = {label: [] for label in self._rubrics}

    def add(self, number: int, item: Item, verdict: Verdict, source_type: str = "", category: str = "") -> None:
        """Consider a verdict on the item with that number."""
        if verdict.score is None or verdict.attempt > 1:
            return
        rubric, heap = self._rubrics[verdict.rubric], self._heaps[verdict.rubric]
        place = -verdict.score, -number
        if len(heap) == self._most and place < heap[0][:2]:
            return
        row = Lowest(
            item.key,
            verdict.rubric,
            verdict.score,
            rubric.scaled(verdict.score),
            str(item.fields.get("question") or "")[:_CHARACTERS],
            str(item.fields.get("answer") or item.fields.get("document") or "")[:_CHARACTERS],
            verdict.rationale[:_CHARACTERS],
            [one[:_CHARACTERS] for one in faults(rubric, verdict.values)[:_FAULTS]],
            source_type,
            category,
        )
        (heapq.heappush if len(heap) < self._most else heapq.heappushpop)(heap, (*place, row))

    def rows(self) -> list[Lowest]:
        """Return the verdicts by rubric, lowest first."""
        return [row for heap in self._heaps.values() for _, _, row in sorted(heap, reverse=True)]


def frame(rows: Sequence[Lowest]) -> "pl.DataFrame":
    """Return them as a table."""
    import polars as pl

    kinds: dict[str, Any] = {"score": pl.Float64, "scaled": pl.Float64, "faults": pl.List(pl.String)}
    return pl.DataFrame(
        {name: [getattr(row, name) for row in rows] for name in Lowest._fields},
        schema={name: kinds.get(name, pl.String) for name in Lowest._fields},
    )
