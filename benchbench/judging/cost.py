"""What a run costs, and `--max-cost`: the worst case is reserved before anything is sent.

Money is kept as whole picodollars, so that sums are exact and do not depend on their order.
"""

import asyncio
from collections import deque
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from benchbench.client.prices import Price


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

    Who needs more than is free waits for what others give back, in turn.
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


class Reservation:
    """What one verdict may cost; whatever was not used is given back at the end of the context."""

    def __init__(self, budget: Budget) -> None:
        """Start with nothing."""
        self._budget = budget
        self._held = 0

    def __enter__(self) -> "Reservation":
        """Return itself."""
        return self

    def __exit__(self, *error: object) -> None:
        """Give back what was not used."""
        held, self._held = self._held, 0
        self._budget.settle(held, 0)

    async def hold(self, amount: int) -> bool:
        """Reserve so much in all; False when that cannot be. Who holds something already does not wait for more."""
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
