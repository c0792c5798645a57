"""Send one request with retries: places, the breaker, and whether the service is there at all.

Before the first usable answer a request that has spent its attempts waits for the others under way: a service that
answers one of them is there, and the request goes on by the rule of an outage. When all are spent, nothing is there.
One whose key is refused waits in the same way: where all are refused, the key is wrong, and nothing more is sent.
"""

import asyncio
import time
from collections.abc import Callable
from random import Random

from msgspec import Struct

from benchbench.client.breaker import Breaker
from benchbench.client.keys import REFUSED_KEY
from benchbench.client.memory_budget import MemoryReservation
from benchbench.client.payload import Payload
from benchbench.client.retry import Retry, outage, transient
from benchbench.client.transport import Attempt, Transport, key_refused, unreachable
from benchbench.errors import TooManyFailuresError, UnreachableError

_IMPATIENT = "; it asks for a longer wait than --retry-for, so it is not asked again"


class Exchange(Struct, frozen=True):
    """The result of a request."""

    due: float  # `time.perf_counter` when a place was free for it
    attempts: tuple[Attempt, ...]  # none when the service was given up before
    body: bytes
    failure: str | None  # why there is no body
    is_probe: bool = False  # it went alone, as a test whether the service is back


class RequestRunner:
    """Sends requests to one service, several at once.

    Who asks says of each whole answer whether it could be used (`note_answer`). `on_exhausted` is called with True once
    all requests under way are spent, and with False when one is sent again that is not; it may know of requests
    elsewhere.
    """

    def __init__(
        self,
        transport: Transport,
        retry: Retry,
        concurrency: int,
        breaker: Breaker,
        hint: str,
        on_exhausted: Callable[[bool], None] | None = None,
        key_advice: str | None = None,
    ) -> None:
        """Prepare; `run` does the work, and `hint` is a question to ask oneself when nothing answers.

        `key_advice` is what to do about a refused key, which ends the run; without it that is a failure of a request.
        """
        self.usable = asyncio.Event()  # there was a usable answer
        self.transport = transport
        self._retry = retry
        self.places = asyncio.Semaphore(concurrency)  # of requests under way
        self._breaker = breaker
        self._hint = hint
        self._on_exhausted = on_exhausted or (lambda exhausted: self.note_unreachable() if exhausted else None)
        self._random = Random()  # only for jitter: no result depends on it
        self._decided = asyncio.Event()  # there was a usable answer, or the service is not there
        self._key_advice = key_advice
        self._error: UnreachableError | TooManyFailuresError | None = None  # nothing is sent any more
        self._pending = self._exhausted = 0  # requests that may be answered, and that wait for those

    async def run(self, payload: Callable[[], Payload], reservation: MemoryReservation | None = None) -> Exchange:
        """Return the result of a request; its body is made once there is a place for it.

        The memory of the answer is in `reservation`, which is released when an attempt failed.

        Raises
        ------
        UnreachableError
            When nothing answers before the first usable answer.
        TooManyFailuresError
            When the key is refused before it.
        """
        async with self.places:
            return await self.run_in_place(payload, reservation)

    async def run_in_place(
        self, payload: Callable[[], Payload], reservation: MemoryReservation | None = None
    ) -> Exchange:
        """Return the result of a request as `run` does, for who has one of the `places` already."""
        breaker, due = self._breaker, time.perf_counter()
        if self._error is not None:
            raise self._error
        async with breaker.turn() as is_probe:
            if breaker.reason is not None:
                return Exchange(due, (), b"", breaker.reason)
            self._add_pending(1)
            try:
                exchange = await self._send_with_retries(payload(), due, is_probe, reservation)
            except BaseException:  # what sends it may give up, and others must not wait for its answer
                self._add_pending(-1)
                raise
            if exchange.failure is not None:
                self._add_pending(-1)
            return exchange

    def note_answer(self, exchange: Exchange, failure: str | None) -> None:
        """Note whether a whole answer could be used, or why not."""
        if failure is None:
            if not self.usable.is_set():  # else the breaker knew when the answer came, and this may be long after
                self._breaker.answered()
            self.note_usable()
        elif not self.usable.is_set():
            self._breaker.failed(failure, len(exchange.attempts) if exchange.is_probe else 0)
        self._add_pending(-1)

    def note_usable(self) -> None:
        """Note that there was a usable answer, here or elsewhere."""
        self.usable.set()
        self._decided.set()

    def note_unreachable(self) -> None:
        """Note that the service is not there."""
        self._decided.set()

    async def _send_with_retries(
        self, payload: Payload, due: float, is_probe: bool, reservation: MemoryReservation | None
    ) -> Exchange:
        clock = asyncio.get_running_loop().time
        attempts: list[Attempt] = []
        since = 0.0
        while True:
            attempt, body = await self.transport.post(payload, reservation)
            attempts.append(attempt)
            if attempt.error is not None and reservation is not None:
                reservation.release()
            if attempt.error is None:
                if self.usable.is_set():
                    self._breaker.answered()
                return Exchange(due, tuple(attempts), body, None, is_probe)
            since = clock() if len(attempts) == 1 else since
            least = self._breaker.limit if is_probe else 0
            while (wait := self._wait(attempt, len(attempts), clock() - since, least)) is None:
                if self.usable.is_set() or not (attempt.refused or transient(attempt) or self._is_key(attempt)):
                    break
                await self._wait_for_others(attempt, len(attempts))
            if wait is None:
                break
            await asyncio.sleep(wait)
        failure = self._failure_text(attempt)
        if self.usable.is_set() and not outage(attempt):
            self._breaker.answered()
        else:
            self._breaker.failed(failure, len(attempts) if is_probe else 0)
        return Exchange(due, tuple(attempts), b"", failure, is_probe)

    def _wait(self, attempt: Attempt, attempts: int, elapsed: float, least: int) -> float | None:
        usable = self.usable.is_set()
        if attempt.refused and not usable:
            return None
        return self._retry.wait(attempt, attempts, elapsed, usable, self._random, least)

    def _is_key(self, attempt: Attempt) -> bool:
        return self._key_advice is not None and attempt.status in REFUSED_KEY

    def _failure_text(self, attempt: Attempt) -> str:
        return f"{attempt.error}{_IMPATIENT if self._retry.impatient(attempt) else ''}"

    async def _wait_for_others(self, attempt: Attempt, attempts: int) -> None:
        """Wait until one of the other requests was answered; UnreachableError once all are spent."""
        self._exhausted += 1
        self._add_pending(-1)
        await self._decided.wait()
        self._exhausted -= 1
        self._add_pending(1)
        if not self.usable.is_set():
            failure, shown = self._failure_text(attempt), self.transport.shown
            if self._error is None and self._is_key(attempt):
                self._error = key_refused(self.transport, failure, self._key_advice)
            self._error = self._error or unreachable(shown, failure, attempts, self._hint)
            raise self._error

    def _add_pending(self, more: int) -> None:
        before, self._pending = self._pending, self._pending + more
        if self._exhausted and not self._decided.is_set() and (before == 0) != (self._pending == 0):
            self._on_exhausted(self._pending == 0)
