"""An event loop whose clock jumps to the next timer: hours of load in milliseconds, the same every time."""

import asyncio
import selectors
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

from benchbench.client.transport import Attempt

Result = TypeVar("Result")


class _Selector(selectors.DefaultSelector):
    def select(self, timeout: float | None = None) -> list[Any]:
        assert timeout is not None, "nothing is left to happen"
        self.loop.now += max(timeout, 0.0)
        return super().select(0)


class VirtualLoop(asyncio.SelectorEventLoop):
    """Time passes only while everything waits; `now` may be set forward by what blocks the loop."""

    def __init__(self) -> None:
        selector = _Selector()
        selector.loop = self
        self.now = 0.0
        super().__init__(selector)

    def time(self) -> float:
        return self.now


def now() -> float:
    """Return the running loop's time: a clock for what takes one."""
    return asyncio.get_running_loop().time()


def run(work: Coroutine[Any, Any, Result]) -> Result:
    """Run in virtual time from 0."""
    with asyncio.Runner(loop_factory=VirtualLoop) as runner:
        return runner.run(work)


class FakeService:
    """Answers after `seconds(time sent)`; `sent` are the times at which it was asked, `most` in flight at once."""

    def __init__(self, seconds: Callable[[float], float], error: Callable[[float], str | None] = lambda t: None):
        self.sent: list[float] = []
        self.most = self._under_way = 0
        self._seconds, self._error = seconds, error

    async def post(self, payload: bytes) -> tuple[Attempt, bytes]:
        sent = now()
        self.sent.append(sent)
        self._under_way += 1
        self.most = max(self.most, self._under_way)
        await asyncio.sleep(self._seconds(sent))
        self._under_way -= 1
        error = self._error(sent)
        return Attempt(sent, now(), now(), len(payload), None if error else 200, error), payload
