"""Room for the answers under way: how many bytes of them there may be in sum, received and not yet decoded.

Each answer takes room as it comes and leaves it when it was read. Where there is none, it waits for others to leave.
One answer at a time may take more than there is, the first that finds no room: it ends by itself, so that whoever waits
for it does not wait for ever. Memory so is bounded by the room and one answer of the largest size.
"""

import asyncio
from collections import deque
from types import TracebackType

MEMORY = 1 << 28  # bytes


class MemoryBudget:
    """What all answers of one process share."""

    def __init__(self, size: int = MEMORY) -> None:
        """Begin empty."""
        self._free = size
        self._over_budget: Reservation | None = None  # who may take more than there is
        self._waiting: deque[tuple[Reservation, int, asyncio.Future[None]]] = deque()

    def reservation(self) -> "Reservation":
        """Return what one answer takes, which is nothing yet."""
        return Reservation(self)

    def _reserve(self, reservation: "Reservation", size: int) -> bool:
        if size > self._free and self._over_budget not in (reservation, None):
            return False
        if size > self._free:
            self._over_budget = reservation
        self._free -= size
        reservation.size += size
        return True

    def _release(self, reservation: "Reservation") -> None:
        self._free += reservation.size
        reservation.size = 0
        if self._over_budget is reservation:
            self._over_budget = None
        while self._waiting:
            other, size, told = self._waiting[0]
            if not told.done():
                if not self._reserve(other, size):
                    return
                told.set_result(None)
            self._waiting.popleft()


class Reservation:
    """The room that one answer has; used as a context, at whose end it leaves."""

    def __init__(self, budget: MemoryBudget) -> None:
        """Hold nothing yet."""
        self._budget = budget
        self.size = 0
        self.waited = 0.0  # seconds

    async def reserve(self, size: int, limit: asyncio.Timeout | None = None) -> None:
        """Take so many bytes more, once they are there; a time limit stands still meanwhile."""
        budget = self._budget
        if (not budget._waiting or budget._over_budget is self) and budget._reserve(self, size):
            return
        loop = asyncio.get_running_loop()
        told = loop.create_future()
        budget._waiting.append((self, size, told))
        when, began = limit.when() if limit else None, loop.time()
        if limit:
            limit.reschedule(None)
        await told
        waited = loop.time() - began
        self.waited += waited
        if limit and when is not None:
            limit.reschedule(when + waited)

    def release(self) -> None:
        """Let others have it."""
        self._budget._release(self)

    def __enter__(self) -> "Reservation":
        """Return itself."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Leave."""
        self.release()
