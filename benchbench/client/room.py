"""Room for the answers under way: how many bytes of them there may be in sum, received and not yet decoded.

Each answer takes room as it comes and leaves it when it was read. Where there is none, it waits for others to leave.
One answer at a time may take more than there is, the first that finds no room: it ends by itself, so that whoever waits
for it does not wait for ever. Memory so is bounded by the room and one answer of the largest size.
"""

import asyncio
from collections import deque
from types import TracebackType

ROOM = 1 << 28  # bytes


class Room:
    """What all answers of one process share."""

    def __init__(self, size: int = ROOM) -> None:
        """Begin empty."""
        self._free = size
        self._beyond: Hold | None = None  # who may take more than there is
        self._waiting: deque[tuple[Hold, int, asyncio.Future[None]]] = deque()

    def hold(self) -> "Hold":
        """Return what one answer takes, which is nothing yet."""
        return Hold(self)

    def _take(self, hold: "Hold", size: int) -> bool:
        if size > self._free and self._beyond not in (hold, None):
            return False
        if size > self._free:
            self._beyond = hold
        self._free -= size
        hold.size += size
        return True

    def _leave(self, hold: "Hold") -> None:
        self._free += hold.size
        hold.size = 0
        if self._beyond is hold:
            self._beyond = None
        while self._waiting:
            other, size, told = self._waiting[0]
            if not told.done():
                if not self._take(other, size):
                    return
                told.set_result(None)
            self._waiting.popleft()


class Hold:
    """The room that one answer has; used as a context, at whose end it leaves."""

    def __init__(self, room: Room) -> None:
        """Hold nothing yet."""
        self._room = room
        self.size = 0
        self.waited = 0.0  # seconds

    async def take(self, size: int, limit: asyncio.Timeout | None = None) -> None:
        """Take so many bytes more, once they are there; a time limit stands still meanwhile."""
        room = self._room
        if (not room._waiting or room._beyond is self) and room._take(self, size):
            return
        loop = asyncio.get_running_loop()
        told = loop.create_future()
        room._waiting.append((self, size, told))
        when, began = limit.when() if limit else None, loop.time()
        if limit:
            limit.reschedule(None)
        await told
        waited = loop.time() - began
        self.waited += waited
        if limit and when is not None:
            limit.reschedule(when + waited)

    def leave(self) -> None:
        """Let others have it."""
        self._room._leave(self)

    def __enter__(self) -> "Hold":
        """Return itself."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Leave."""
        self.leave()
