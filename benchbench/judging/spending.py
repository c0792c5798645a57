"""What a run of a judge has done so far: counts, tokens, money, time; and what it may still cost.

Of `--max-cost` the worst case is reserved before anything is sent. Money is kept as whole picodollars, so that sums are
exact and do not depend on their order.
"""

import asyncio
from array import array
from collections import Counter, deque
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from benchbench.judging.verdict import Verdict

if TYPE_CHECKING:
    from benchbench.chat.prices import Price


_PICODOLLARS = 10**12
_PER_TOKEN = 10**6  # of one USD per million tokens


def cost(price: "Price", tokens_in: int, tokens_out: int) -> int:
    """Return what tokens cost, in picodollars."""
    return tokens_in * round(price.input * _PER_TOKEN) + tokens_out * round(price.output * _PER_TOKEN)


def dollars(picodollars: int) -> float:
    """Return an amount in USD."""
    return picodollars / _PICODOLLARS


class Budget:
    """What may still be spent. What is reserved is never more than the limit less what is spent.

    A request for more than is free waits, in turn, until others give money back.
    """

    def __init__(self, limit: float | None) -> None:
        """Start with nothing spent; `limit` is in USD, and None has no end."""
        self._limit = None if limit is None else round(limit * _PICODOLLARS)
        self.spent = 0
        self.reserved = 0
        self._waiting: deque[tuple[int, asyncio.Future[bool]]] = deque()

    @property
    def has_limit(self) -> bool:
        """Return whether anything has to be reserved."""
        return self._limit is not None

    async def reserve(self, amount: int) -> bool:
        """Reserve an amount, once enough is free; False when that will never be."""
        if not self._is_possible(amount):
            return False
        if not self._waiting and self.add(amount):
            return True
        turn: asyncio.Future[bool] = asyncio.get_running_loop().create_future()
        self._waiting.append((amount, turn))
        try:
            return await turn
        except asyncio.CancelledError:
            if turn.done() and not turn.cancelled() and turn.result():
                self.settle(amount, 0)
            raise

    def add(self, amount: int) -> bool:
        """Reserve an amount at once; False when it is not free now."""
        if self._limit is not None and self.spent + self.reserved + amount > self._limit:
            return False
        self.reserved += amount
        return True

    def settle(self, reserved: int, used: int) -> None:
        """Give back what was reserved, and note what was used of it."""
        self.reserved -= reserved
        self.spent += used
        while self._waiting:
            amount, turn = self._waiting[0]
            if turn.done():
                self._waiting.popleft()
            elif not self._is_possible(amount):
                self._waiting.popleft()
                turn.set_result(False)
            elif self.add(amount):
                self._waiting.popleft()
                turn.set_result(True)
            else:
                return

    def _is_possible(self, amount: int) -> bool:
        return self._limit is None or self.spent + amount <= self._limit


class CostReservation:
    """What one verdict may cost; whatever was not used is given back at the end of the context."""

    def __init__(self, budget: Budget) -> None:
        """Start with nothing."""
        self._budget = budget
        self._held = 0

    def __enter__(self) -> "CostReservation":
        """Return itself."""
        return self

    def __exit__(self, *error: object) -> None:
        """Give back what was not used."""
        held, self._held = self._held, 0
        self._budget.settle(held, 0)

    async def hold(self, amount: int) -> bool:
        """Reserve this amount in all; False when that cannot be. One that holds money already never waits for more."""
        more = amount - self._held
        if more <= 0:
            return True
        if not (self._budget.add(more) if self._held else await self._budget.reserve(more)):
            return False
        self._held = amount
        return True

    def add(self, amount: int) -> bool:
        """Reserve more, at once; False when that cannot be."""
        if not self._budget.add(amount):
            return False
        self._held += amount
        return True

    def use(self, amount: int) -> None:
        """Note what was spent of it."""
        self._held -= amount
        self._budget.settle(amount, amount)


_MOST_REASONS = 100
_OTHER = "other reasons"


def count_reason(reasons: Counter[str], reason: str) -> None:
    """Count the reason for a failure; beyond a number of different reasons, further ones count as others."""
    reasons[reason if reason in reasons or len(reasons) < _MOST_REASONS else _OTHER] += 1


@dataclass(slots=True, kw_only=True)
class Spent:
    """What a run has done. Repeats are counted separately: `verdicts` and `failures` are of first attempts."""

    verdicts: int = 0  # with the failed ones
    repeats: int = 0  # further attempts, of `--repeat`, with the failed ones
    repeats_failed: int = 0
    failures: Counter[str] = field(default_factory=Counter)  # by reason
    calls: int = 0  # requests that an answer was waited for, those for the right format among them
    cached: int = 0  # verdicts that were stored before
    repaired: int = 0  # verdicts that came at the second request, in this run
    tokens_in: int = 0  # of this run, as the endpoint counted them
    tokens_out: int = 0
    uncounted: int = 0  # calls whose tokens the endpoint did not say
    possibly_billed: int = 0  # requests that were sent and never answered
    paid: int | None = None  # picodollars, of the calls whose tokens are known; None without a price
    worst: int | None = None  # the same with the most that the other calls may have cost
    seconds: "array[float]" = field(default_factory=lambda: array("d"))  # of each verdict that was asked for
    is_complete: bool = True  # False when Ctrl-C ended the run
    problem: str | None = None  # with the cache
    cached_failed: int = 0  # first attempts whose failure was stored before
    notes: list[str] = field(default_factory=list)  # on the endpoint and what is stored, as sentences

    @property
    def cost(self) -> float | None:
        """Return what is known to have been paid, in USD."""
        return None if self.paid is None else dollars(self.paid)

    @property
    def worst_cost(self) -> float | None:
        """Return what was paid at most: calls whose tokens are not known count as their worst case."""
        return None if self.worst is None else dollars(self.worst)

    @property
    def failed(self) -> int:
        """Return the number of first attempts without a verdict."""
        return sum(self.failures.values())

    def stored_failures(self) -> list[str]:
        """Return how to ask again for the failures that were stored; nothing where there are none."""
        number, have = self.cached_failed, "comes" if self.cached_failed == 1 else "come"
        verdicts = "failed verdict" if number == 1 else "failed verdicts"
        return [f"{number:,} {verdicts} {have} from the cache; --retry-failed asks again."] if number else []

    def note(self, verdict: Verdict) -> None:
        """Count a verdict, or that there is none."""
        if verdict.attempt > 1:
            self.repeats += 1
            self.repeats_failed += verdict.failure is not None
        else:
            self.verdicts += 1
            if verdict.failure is not None:
                self.cached_failed += verdict.is_cached
                count_reason(self.failures, verdict.failure)
        self.cached += verdict.is_cached
        if not verdict.is_cached:
            self.repaired += verdict.is_repaired and verdict.failure is None
            if verdict.seconds > 0.0:
                self.seconds.append(verdict.seconds)
