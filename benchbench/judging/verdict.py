"""What a judge said of one item."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


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
