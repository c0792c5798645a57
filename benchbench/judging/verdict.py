"""A judge's verdict on an item, and how repeatable verdicts are: a sample of the items is judged several times.

The items of the sample are those with the smallest hashes of seed and key: which they are does not depend on the order
of the items, and no more of them are in memory.
"""

import heapq
from collections.abc import Iterator, Mapping
from dataclasses import KW_ONLY, dataclass, field
from typing import Any

from benchbench.answers.judges.prompt import Item
from benchbench.tables.hashing import content_digest


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a judge said of one item by one rubric, or why there is no verdict.

    Attributes
    ----------
    item
        Key of the item.
    rubric
        Label of the rubric, such as `relevance.ja@1`.
    attempt
        1 for the verdict that counts; higher for those that show how repeatable it is.
    score
        On the scale of the rubric; None where there is no verdict, or one that found nothing to score.
    parts
        Further numbers, by name.
    values
        The verdict as the judge wrote it.
    rationale
        Why, in the words of the judge.
    raw
        The whole text that the verdict was read from, or should have been.
    failure
        Why there is no verdict, in words that can be counted; None where there is one.
    tokens_in, tokens_out
        As the endpoint counted them, of all requests for this verdict; None where it did not say.
    cost
        What this run paid for it in USD: 0 for one from the cache, None where that is not known.
    seconds
        That the requests took when they were made.
    is_repaired
        Whether the judge was asked again, for the right format.
    is_cached
        Whether it was stored before this run asked.
    """

    item: str
    rubric: str
    attempt: int = 1
    _: KW_ONLY
    score: float | None = None
    parts: Mapping[str, float] = field(default_factory=dict)
    values: Mapping[str, Any] | None = None
    rationale: str = ""
    raw: str = ""
    failure: str | None = None
    tokens_in: int | None = None
    tokens_out: int | None = None
    cost: float | None = None
    seconds: float = 0.0
    is_repaired: bool = False
    is_cached: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Repeatability:
    """How far the scores of the same item differ, by one rubric."""

    items: int = 0  # with two scores or more
    attempts: int = 0  # the most of one item
    flipped: int = 0  # items whose scores are not all the same
    flip_rate: float | None = None  # their share; None where there are none
    spread: float | None = None  # mean over the items of the highest score less the lowest
    most: float | None = None  # the largest of these


class RepeatSample:
    """The items that are judged again, and their scores."""

    def __init__(self, size: int, seed: int) -> None:
        """Start with none; at most `size` are kept."""
        self._size, self._seed = size, b"%d\0" % seed
        self._kept: list[tuple[int, str, Item]] = []
        self._scores: dict[str, dict[str, list[float]]] = {}  # by item and rubric

    def add(self, item: Item) -> None:
        """Consider an item for the sample, before it is judged."""
        if not self._size:
            return
        rank = -content_digest(self._seed + item.key.encode(errors="surrogatepass")).intdigest()
        if len(self._kept) < self._size:
            heapq.heappush(self._kept, (rank, item.key, item))
            self._scores[item.key] = {}
        elif rank > self._kept[0][0]:
            _, dropped, _ = heapq.heapreplace(self._kept, (rank, item.key, item))
            self._scores.pop(dropped, None)
            self._scores[item.key] = {}

    def note(self, verdict: Verdict) -> None:
        """Keep the score of an item, where it is in the sample."""
        if verdict.score is not None and (of_item := self._scores.get(verdict.item)) is not None:
            of_item.setdefault(verdict.rubric, []).append(verdict.score)

    def has_score(self, item: str, rubric: str) -> bool:
        """Say whether an item has a score, so that judging it again is of use."""
        return bool(self._scores.get(item, {}).get(rubric))

    def items(self) -> Iterator[Item]:
        """Yield the items, in an order that depends on seed and keys only."""
        for _, _, item in sorted(self._kept, key=lambda kept: (-kept[0], kept[1])):
            yield item

    def of(self, rubric: str) -> Repeatability:
        """Return how far the scores by a rubric differ."""
        several = [scores for by_rubric in self._scores.values() if len(scores := by_rubric.get(rubric, [])) > 1]
        if not several:
            return Repeatability()
        spreads = [max(scores) - min(scores) for scores in several]
        items, flipped = len(several), sum(spread > 0.0 for spread in spreads)
        return Repeatability(
            items=items, attempts=max(map(len, several)), flipped=flipped, flip_rate=flipped / items,
            spread=sum(spreads) / items, most=max(spreads),
        )  # fmt: skip
