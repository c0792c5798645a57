"""What a run of a judge would ask and cost, without a call."""

from collections import Counter
from collections.abc import Iterable
from contextlib import nullcontext
from dataclasses import dataclass
from typing import Any

from benchbench.answers.judges.prompt import Item, Prompt
from benchbench.chat.model import worst_tokens
from benchbench.client.sync import run_sync
from benchbench.judging.asking import AskedVerdict, ModelJudge
from benchbench.judging.cache import VerdictCache
from benchbench.judging.calls import USUAL_OUT, Calls, JudgeReply, usual_tokens, worst_repair_tokens
from benchbench.judging.judge_settings import JudgeSettings
from benchbench.judging.spending import CostReservation, Spent, cost, dollars
from benchbench.judging.verdict import RepeatSample

_COUNTED = (
    "items", "verdicts", "cached", "calls", "most_calls", "tokens_in", "most_tokens_in", "most_tokens_out",
)  # fmt: skip
_TO_ASK = "not asked: this is a plan"


@dataclass(frozen=True, slots=True, kw_only=True)
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
    with nullcontext() if settings.cache is None else VerdictCache(settings.cache) as cache:
        plan = _Plan(settings, cache)
        run_sync(plan.go_through(items))
    price, counts = settings.price, plan.counts
    out = counts["calls"] * plan.usual_out()
    return Planned(
        model=settings.model.name,
        **{name: counts[name] for name in _COUNTED},
        tokens_out=out,
        cost=None if price is None else dollars(cost(price, counts["tokens_in"], out)),
        most_cost=None if price is None else dollars(cost(price, counts["most_tokens_in"], counts["most_tokens_out"])),
        price=settings.shown()["price"],
        lacking=dict(plan.lacking),
    )


class _Plan(Calls):
    """Calls that are counted and not sent; a judge uses them like real ones."""

    def __init__(self, settings: JudgeSettings, cache: VerdictCache | None) -> None:
        super().__init__(settings, None, cache, Spent())
        self.counts: Counter[str] = Counter()
        self.lacking: Counter[str] = Counter()
        self._settings = settings
        self._stored: list[int] = [0, 0]  # answers with known tokens, and these tokens
        self._coming: set[bytes] = set()  # what is to be asked and will be stored

    def usual_out(self) -> int:
        """Return how many tokens an answer is taken to have."""
        number, tokens = self._stored
        return round(tokens / number) if number else USUAL_OUT

    async def go_through(self, items: Iterable[Item]) -> None:
        """Count what the verdicts on all items need, and what those on the sample do again."""
        settings, judge = self._settings, ModelJudge(self._settings, self)
        sample = RepeatSample(settings.repeat_sample if settings.repeat > 1 else 0, settings.seed)
        for item in items:
            self.counts["items"] += 1
            sample.add(item)
            await self._judged(judge, item, 1)
        for item in sample.items():
            for attempt in range(2, settings.repeat + 1):
                await self._judged(judge, item, attempt)

    async def _judged(self, judge: ModelJudge, item: Item, attempt: int) -> None:
        for rubric in self._settings.rubrics:
            verdict = await judge.verdict(AskedVerdict(rubric, item, attempt))
            if verdict.is_cached or verdict.failure == _TO_ASK:
                self.counts.update(verdicts=1, cached=verdict.is_cached)
            elif attempt == 1 and verdict.failure is not None:
                self.lacking[verdict.failure] += 1

    async def reply(
        self, asked: Prompt, key: bytes, attempt: int, held: CostReservation, may_be_repaired: bool, is_fresh: bool
    ) -> JudgeReply:
        """Return the stored reply, or that it would be asked for; equal prompts of several items count once."""
        if key in self._coming:
            return JudgeReply(None, _TO_ASK, 0, True)
        reply = await super().reply(asked, key, attempt, held, may_be_repaired, is_fresh)
        if reply.stored is None and self._cache is not None:
            self._coming.add(key)
        elif reply.stored is not None and reply.stored.tokens_out is not None:
            self._stored[0] += 1
            self._stored[1] += reply.stored.tokens_out
        return reply

    async def _ask(self, asked: Prompt, attempt: int, held: CostReservation, may_be_repaired: bool) -> JudgeReply:
        most = self._settings.model.max_tokens
        bounds = [worst_tokens(asked.system, asked.user, most, asked.schema)]
        if may_be_repaired:
            bounds.append(worst_repair_tokens(asked, most))
        self.counts.update(
            calls=1,
            most_calls=len(bounds),
            tokens_in=usual_tokens(asked),
            most_tokens_in=sum(tokens for tokens, _ in bounds),
            most_tokens_out=sum(tokens for _, tokens in bounds),
        )
        return JudgeReply(None, _TO_ASK, 0, False)
