"""One request, and again by rule what failed: places, retries, the breaker, and whether the service is there at all."""

import asyncio
import time
from collections.abc import Callable
from dataclasses import dataclass
from random import Random

from benchbench.client.breaker import Breaker
from benchbench.client.retry import Retry, outage
from benchbench.client.room import Hold
from benchbench.client.transport import Attempt, Transport, refused
from benchbench.errors import UnreachableError


@dataclass(frozen=True, slots=True)
class Asked:
    """What became of a request."""

    due: float  # `time.perf_counter` when a place was free for it
    attempts: tuple[Attempt, ...]  # none when the service was given up before
    body: bytes
    failure: str | None  # why there is no body


class Asking:
    """Asks one service, so many requests at once."""

    def __init__(self, transport: Transport, retry: Retry, concurrency: int, breaker: Breaker, doubt: str) -> None:
        """Prepare; `ask` does the work, and `doubt` is a question to ask oneself when nothing answers."""
        self.answered = asyncio.Event()  # the service is there, whatever it said
        self.transport = transport
        self._retry = retry
        self._places = asyncio.Semaphore(concurrency)
        self._breaker = breaker
        self._doubt = doubt
        self._random = Random()  # only for jitter: no result depends on it

    async def ask(self, payload: Callable[[], bytes], hold: Hold | None = None) -> Asked:
        """Return what became of a request, whose body is made once there is a place for it.

        The answer has its room in `hold`, which is left when an attempt failed.

        Raises
        ------
        UnreachableError
            When nothing answers before the first response.
        """
        breaker = self._breaker
        async with self._places:
            due = time.perf_counter()
            async with breaker.turn() as alone:
                if breaker.reason is not None:
                    return Asked(due, (), b"", breaker.reason)
                return await self._sent(payload(), due, alone, hold)

    async def _sent(self, payload: bytes, due: float, alone: bool, hold: Hold | None) -> Asked:
        attempts: list[Attempt] = []
        while True:
            attempt, body = await self.transport.post(payload, hold)
            attempts.append(attempt)
            if attempt.error is not None and hold is not None:
                hold.leave()
            if attempt.status is not None:
                self.answered.set()
            if attempt.error is None:
                self._breaker.answered()
                return Asked(due, tuple(attempts), body, None)
            if attempt.refused and not self.answered.is_set():
                raise refused(self.transport.shown, attempt)
            down = outage(attempt.status, attempt.broken)
            if alone and down:
                again = len(attempts) < self._breaker.limit
            else:
                again = self._retry.again(len(attempts), attempt.status, attempt.broken)
            if not again:
                break
            await asyncio.sleep(self._retry.wait(len(attempts), attempt.retry_after, self._random))
        if not self.answered.is_set():
            raise UnreachableError(
                f"{self.transport.shown} gave no answer in {len(attempts)} attempts ({attempt.error}); {self._doubt}"
            )
        if down:
            self._breaker.failed(attempt.error, alone)
        else:
            self._breaker.answered()
        return Asked(due, tuple(attempts), b"", attempt.error)
