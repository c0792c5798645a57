"""The items with the lowest scores by each rubric, as many as a page shows: memory does not grow with the items."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from benchbench.answers.judges.prompt import Item
from benchbench.answers.judges.rubric import Rubric
from benchbench.answers.judges.scores import Found, Share, spelled
from benchbench.judging.verdict import Verdict
from benchbench.scores.lowest import Lowest

MOST = 200  # of each rubric
_CHARACTERS = 4000  # of a text
_FAULTS = 50


class LowestVerdict(NamedTuple):
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
        self._rubrics = {rubric.label: rubric for rubric in rubrics}
        self._lowest = {label: Lowest[LowestVerdict](most) for label in self._rubrics}

    def add(self, number: int, item: Item, verdict: Verdict, source_type: str = "", category: str = "") -> None:
        """Consider a verdict on the item with that number."""
        if verdict.score is None or verdict.attempt > 1:
            return
        rubric, lowest = self._rubrics[verdict.rubric], self._lowest[verdict.rubric]
        place = -verdict.score, -number
        if not lowest.takes(*place):
            return
        row = LowestVerdict(
            item=item.key,
            rubric=verdict.rubric,
            score=verdict.score,
            scaled=rubric.scaled(verdict.score),
            question=str(item.fields.get("question") or "")[:_CHARACTERS],
            answer=str(item.fields.get("answer") or item.fields.get("document") or "")[:_CHARACTERS],
            rationale=verdict.rationale[:_CHARACTERS],
            faults=[fault[:_CHARACTERS] for fault in faults(rubric, verdict.values)[:_FAULTS]],
            source_type=source_type,
            category=category,
        )
        lowest.add(row, *place)

    def rows(self) -> list[LowestVerdict]:
        """Return the verdicts by rubric, lowest first."""
        return [row for lowest in self._lowest.values() for row in lowest.rows()]


def faults(rubric: Rubric, values: Mapping[str, Any] | None) -> list[str]:
    """Return the entries of a verdict that lowered the score."""
    if values is None:
        return []
    rule = rubric.rule
    if isinstance(rule, Share):
        best = max(rule.worth.values(), default=1.0)
        return [
            _words(entry) for entry in values[rule.list] if rule.worth.get(spelled(entry[rule.member]), best) < best
        ]
    if isinstance(rule, Found):
        return [f"{name}: {_words(entry)}" for name in (rule.missed, rule.wrong) for entry in values[name]]
    return []


def _words(entry: Any) -> str:
    """Return an entry as a person reads it: of an object its texts."""
    if isinstance(entry, Mapping):
        return " – ".join(text for text in entry.values() if isinstance(text, str) and text)
    return str(entry)
