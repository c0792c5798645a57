"""A memory budget: how many bytes of answers may be received and not yet decoded.

An answer reserves memory as it comes, and releases it when it was read. Where none is left, it waits for others. One
answer at a time, the first that finds none left, may exceed the budget, so that answers never wait for each other for
ever. Memory is bounded by the budget and one answer of the largest size.
"""

import asyncio
from collections import deque
from types import TracebackType

MEMORY = 1 << 28  # bytes


class MemoryBudget:
    """The budget that all answers of one process share."""

    def __init__(self, size: int = MEMORY) -> None:
        """Begin empty."""
        self._free = size
        self._over_budget: MemoryReservation | None = None  # the one that may exceed the budget
        self._waiting: deque[tuple[MemoryReservation, int, asyncio.Future[None]]] = deque()

    def reservation(self) -> "MemoryReservation":
        """Return an empty reservation for one answer."""
        return MemoryReservation(self)

    def _reserve(self, reservation: "MemoryReservation", size: int) -> bool:
        if size > self._free and self._over_budget not in (reservation, None):
            return False
        if size > self._free:
            self._over_budget = reservation
        self._free -= size
        reservation.size += size
        return True

    def _release(self, reservation: "MemoryReservation") -> None:
        self._free += reservation.size
        reservation.size = 0
        if self._over_budget is reservation:
            self._over_budget = None
        while self._waiting:
            other, size, reserved = self._waiting[0]
            if not reserved.done():
                if not self._reserve(other, size):
                    return
                reserved.set_result(None)
            self._waiting.popleft()


class MemoryReservation:
    """The memory of one answer; used as a context, at whose end it is released."""

    def __init__(self, budget: MemoryBudget) -> None:
        """Start empty."""
        self._budget = budget
        self.size = 0
        self.waited = 0.0  # seconds

    def try_reserve(self, size: int) -> bool:
        """Reserve more bytes if they are free; say whether they were."""
        budget = self._budget
        return (not budget._waiting or budget._over_budget is self) and budget._reserve(self, size)

    async def reserve(self, size: int, limit: asyncio.Timeout | None = None) -> None:
        """Reserve more bytes, once they are free; a time limit pauses meanwhile."""
        budget = self._budget
        if self.try_reserve(size):
            return
        loop = asyncio.get_running_loop()
        reserved = loop.create_future()
        budget._waiting.append((self, size, reserved))
        when, began = limit.when() if limit else None, loop.time()
        if limit:
            limit.reschedule(None)
        await reserved
        waited = loop.time() - began
        self.waited += waited
        if limit and when is not None:
            limit.reschedule(when + waited)

    def release(self) -> None:
        """Release the memory."""
        self._budget._release(self)

    def __enter__(self) -> "MemoryReservation":
        """Return itself."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Release the memory."""
        self.release()
