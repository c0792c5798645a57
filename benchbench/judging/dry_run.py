"""What a run of a judge would ask and cost, without a call."""

from collections import Counter
from collections.abc import Iterable
from contextlib import nullcontext
from dataclasses import dataclass
from typing import Any

from benchbench.answers.judges.prompt import Item, Prompt, prompt, repair
from benchbench.answers.judges.rubric import Rubric
from benchbench.answers.judges.verdict import read
from benchbench.client.chat import worst_tokens
from benchbench.client.chat_answer import is_final
from benchbench.judging.asking import identity, key_of, lacks, needs_repair
from benchbench.judging.cache import Cache
from benchbench.judging.calls import USUAL_OUT, usual_tokens, worst_repair_tokens
from benchbench.judging.cost import cost, dollars
from benchbench.judging.repeats import Sample
from benchbench.judging.settings import JudgeSettings

_COUNTED = (
    "items", "verdicts", "cached", "calls", "most_calls", "tokens_in", "most_tokens_in", "most_tokens_out",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Planned:
    """What a run would ask and cost.

    Attributes
    ----------
    model
        The judge.
    items
        Read; items that lack what a rubric needs are in `lacking`, by reason.
    verdicts
        That are to be had, with those of `--repeat`.
    cached
        Of these, how many are stored.
    calls
        That would be made, and at most: each may need a second one for the right format.
    tokens_in, tokens_out
        Of these calls, estimated: a token has four bytes of ASCII, and other characters are one each; an answer is as
        long as those that are stored on average, else 250 tokens. `most_…`: a token is at least one byte, an answer as
        long as `--max-tokens`, and each call has a second one.
    cost, most_cost
        Of these tokens, in USD; None without a price.
    """

    model: str
    items: int
    verdicts: int
    cached: int
    calls: int
    most_calls: int
    tokens_in: int
    tokens_out: int
    most_tokens_in: int
    most_tokens_out: int
    cost: float | None
    most_cost: float | None
    price: dict[str, Any] | None
    lacking: dict[str, int]


def planned(settings: JudgeSettings, items: Iterable[Item]) -> Planned:
    """Go through all items and the cache, and say what there is to ask; nothing is sent.

    Raises
    ------
    InputError
        For a cache that cannot be used, and what `items` raises.
    """
    sample = Sample(settings.repeat_sample if settings.repeat > 1 else 0, settings.seed)
    with nullcontext() if settings.cache is None else Cache(settings.cache) as cache:
        plan = _Plan(settings, cache)
        for item in items:
            plan.counts["items"] += 1
            sample.add(item)
            plan.add(item, 1)
        for item in sample.items():
            for attempt in range(2, settings.repeat + 1):
                plan.add(item, attempt)
    price, counts = settings.price, plan.counts
    out = counts["calls"] * plan.usual_out()
    return Planned(
        settings.model.name,
        **{name: counts[name] for name in _COUNTED},
        tokens_out=out,
        cost=None if price is None else dollars(cost(price, counts["tokens_in"], out)),
        most_cost=None if price is None else dollars(cost(price, counts["most_tokens_in"], counts["most_tokens_out"])),
        price=settings.shown()["price"],
        lacking=dict(plan.lacking),
    )


class _Plan:
    """Counts of what is to be asked."""

    def __init__(self, settings: JudgeSettings, cache: Cache | None) -> None:
        self.counts: Counter[str] = Counter()
        self.lacking: Counter[str] = Counter()
        self._settings, self._cache = settings, cache
        self._model = identity(settings.model)
        self._stored: list[int] = [0, 0]  # answers with known tokens, and these tokens
        self._coming: set[bytes] = set()  # what is to be asked and will be stored

    def usual_out(self) -> int:
        """Return how many tokens an answer is taken to have."""
        number, tokens = self._stored
        return round(tokens / number) if number else USUAL_OUT

    def add(self, item: Item, attempt: int) -> None:
        """Add the verdicts on an item."""
        for rubric in self._settings.rubrics:
            if (lack := lacks(rubric, item)) is not None:
                self.lacking[lack] += attempt == 1
                continue
            asked = self._to_ask(rubric, item, attempt)
            self.counts.update(verdicts=1, cached=asked is None)
            if asked is not None:
                self._count(*asked)

    def _to_ask(self, rubric: Rubric, item: Item, attempt: int) -> tuple[Prompt, bool] | None:
        """Return the first prompt whose answer is not there, and whether it is for the right format; None for none."""
        first = asked = prompt(rubric, item)
        if self._cache is None:
            return first, False
        for is_repair in (False, True):
            key = key_of(self._model, rubric, asked, attempt)
            if key in self._coming:  # the same words as another item
                return None
            found = self._cache.find(key)
            if found is None:
                self._coming.add(key)
                return asked, is_repair
            if found.tokens_out is not None:
                self._stored[0] += 1
                self._stored[1] += found.tokens_out
            reading = None if found.failure else read(rubric, found.said, item)
            if reading is not None and not needs_repair(reading):
                return None
            if reading is None:
                if is_final(found.failure or "") and not self._settings.retry_failed:
                    return None
                break
            asked = repair(first, found.said, reading.problem or "")
        self._coming.add(key_of(self._model, rubric, first, attempt))
        return first, False

    def _count(self, asked: Prompt, is_repair: bool) -> None:
        most = self._settings.model.max_tokens
        bounds = [worst_tokens(asked.system, asked.user, most, asked.schema)]
        if not is_repair:
            bounds.append(worst_repair_tokens(asked, most))
        self.counts.update(
            calls=1,
            most_calls=len(bounds),
            tokens_in=usual_tokens(asked),
            most_tokens_in=sum(one for one, _ in bounds),
            most_tokens_out=sum(one for _, one in bounds),
        )
