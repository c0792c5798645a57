"""One request, and again by rule what failed: places, retries, the breaker, and whether the service is there at all.

Before the first usable answer a request that has spent its attempts waits for the others under way: a service that
answers one of them is there, and the request goes on by the rule of an outage. When all are spent, nothing is there.
"""

import asyncio
import time
from collections.abc import Callable
from dataclasses import dataclass
from random import Random

from benchbench.client.breaker import Breaker
from benchbench.client.retry import Retry, outage, transient
from benchbench.client.room import Hold
from benchbench.client.transport import Attempt, Transport, unreachable
from benchbench.errors import UnreachableError

_IMPATIENT = "; it asks to wait longer than --retry-for, so it is not asked again"


@dataclass(frozen=True, slots=True)
class Asked:
    """What became of a request."""

    due: float  # `time.perf_counter` when a place was free for it
    attempts: tuple[Attempt, ...]  # none when the service was given up before
    body: bytes
    failure: str | None  # why there is no body
    alone: bool = False  # it went alone, to find out if the service is back


class Asking:
    """Asks one service, so many requests at once.

    Who asks says of each whole answer whether it could be used (`heard`). `despair` is called with True once all
    requests under way are spent, and with False when one is sent again that is not; it may know of requests elsewhere.
    """

    def __init__(
        self,
        transport: Transport,
        retry: Retry,
        concurrency: int,
        breaker: Breaker,
        doubt: str,
        despair: Callable[[bool], None] | None = None,
    ) -> None:
        """Prepare; `ask` does the work, and `doubt` is a question to ask oneself when nothing answers."""
        self.usable = asyncio.Event()  # there was a usable answer
        self.transport = transport
        self._retry = retry
        self._places = asyncio.Semaphore(concurrency)
        self._breaker = breaker
        self._doubt = doubt
        self._despair = despair or (lambda lost: self.lost() if lost else None)
        self._random = Random()  # only for jitter: no result depends on it
        self._decided = asyncio.Event()  # there was a usable answer, or nothing is there
        self._error: UnreachableError | None = None  # nothing is sent any more
        self._hopes = self._spent = 0  # requests that may be answered, and that wait for those

    async def ask(self, payload: Callable[[], bytes], hold: Hold | None = None) -> Asked:
        """Return what became of a request, whose body is made once there is a place for it.

        The answer has its room in `hold`, which is left when an attempt failed.

        Raises
        ------
        UnreachableError
            When nothing answers before the first usable answer.
        """
        breaker = self._breaker
        async with self._places:
            due = time.perf_counter()
            if self._error is not None:
                raise self._error
            async with breaker.turn() as alone:
                if breaker.reason is not None:
                    return Asked(due, (), b"", breaker.reason)
                self._hope(1)
                asked = await self._sent(payload(), due, alone, hold)
                if asked.failure is not None:
                    self._hope(-1)
                return asked

    def heard(self, asked: Asked, failure: str | None) -> None:
        """Note whether a whole answer could be used, or why not."""
        if failure is None:
            self.found()
            self._breaker.answered()
        elif not self.usable.is_set():
            self._breaker.failed(failure, len(asked.attempts) if asked.alone else 0)
        self._hope(-1)

    def found(self) -> None:
        """Note that there was a usable answer, here or elsewhere."""
        self.usable.set()
        self._decided.set()

    def lost(self) -> None:
        """Note that nothing is there."""
        self._decided.set()

    async def _sent(self, payload: bytes, due: float, alone: bool, hold: Hold | None) -> Asked:
        clock = asyncio.get_running_loop().time
        attempts: list[Attempt] = []
        since = 0.0
        while True:
            attempt, body = await self.transport.post(payload, hold)
            attempts.append(attempt)
            if attempt.error is not None and hold is not None:
                hold.leave()
            if attempt.error is None:
                if self.usable.is_set():
                    self._breaker.answered()
                return Asked(due, tuple(attempts), body, None, alone)
            since = clock() if len(attempts) == 1 else since
            least = self._breaker.limit if alone else 0
            while (wait := self._wait(attempt, len(attempts), clock() - since, least)) is None:
                if self.usable.is_set() or not (attempt.refused or transient(attempt)):
                    break
                await self._others(attempt, len(attempts))
            if wait is None:
                break
            await asyncio.sleep(wait)
        failure = self._said(attempt)
        if self.usable.is_set() and not outage(attempt):
            self._breaker.answered()
        else:
            self._breaker.failed(failure, len(attempts) if alone else 0)
        return Asked(due, tuple(attempts), b"", failure, alone)

    def _wait(self, attempt: Attempt, attempts: int, elapsed: float, least: int) -> float | None:
        usable = self.usable.is_set()
        if attempt.refused and not usable:
            return None
        return self._retry.wait(attempt, attempts, elapsed, usable, self._random, least)

    def _said(self, attempt: Attempt) -> str:
        return f"{attempt.error}{_IMPATIENT if self._retry.impatient(attempt) else ''}"

    async def _others(self, attempt: Attempt, attempts: int) -> None:
        """Wait until one of the other requests was answered; UnreachableError once all are spent."""
        self._spent += 1
        self._hope(-1)
        await self._decided.wait()
        self._spent -= 1
        self._hope(1)
        if not self.usable.is_set():
            self._error = self._error or unreachable(self.transport.shown, self._said(attempt), attempts, self._doubt)
            raise self._error

    def _hope(self, more: int) -> None:
        before, self._hopes = self._hopes, self._hopes + more
        if self._spent and not self._decided.is_set() and (before == 0) != (self._hopes == 0):
            self._despair(self._hopes == 0)
