"""A circuit breaker: when to stop sending requests to a service that no longer answers.

States
------
closed
    Batches go out as fast as there are places for them.
open
    After `limit` batches in a row have failed as an outage does (`retry.outage`), batches go one at a time. The
    first is sent again and again by the retry rule; an answer closes the breaker. Before the first usable answer,
    every failed batch counts: a service that knows no such path will not know it later.
given up
    Nothing is sent any more: what is left fails at once, with the reason.
"""

import asyncio
import contextlib
from collections.abc import AsyncIterator

from benchbench.results.settings import USUAL_GIVE_UP_AFTER

_AT_ONCE = contextlib.nullcontext(False)


class Breaker:
    """Counts consecutive failures; one breaker per service."""

    def __init__(self, limit: int = USUAL_GIVE_UP_AFTER) -> None:
        """Start closed; 0 means that it never opens."""
        self.limit = limit
        self.reason: str | None = None  # why it was given up
        self._row = 0
        self._alone = asyncio.Lock()

    @property
    def open(self) -> bool:
        """Say that batches go one at a time."""
        return 0 < self.limit <= self._row

    def turn(self) -> contextlib.AbstractAsyncContextManager[bool]:
        """Wait until a batch may be sent; yield whether it goes alone, to find out if the service is back."""
        return self._turn() if self.open else _AT_ONCE

    @contextlib.asynccontextmanager
    async def _turn(self) -> AsyncIterator[bool]:
        async with self._alone:
            if self.open and self.reason is None:
                yield True
                return
        yield False

    def answered(self) -> None:
        """Note that the service is there, whatever it said."""
        self._row = 0

    def failed(self, error: str, attempts: int = 0) -> None:
        """Note a batch that failed as an outage does; with a number of attempts, one that went alone."""
        if attempts:
            more = "1 more attempt" if attempts == 1 else f"{attempts} more attempts"
            self.reason = (
                f"not asked: {self._row} batches in a row had failed, and so did {more}, the last with: {error}"
            )
        else:
            self._row += 1
