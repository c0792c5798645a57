"""Turns: a few answers at a time are worked on, and then what follows from them is sent.

Answers that come together wake all who wait for them in one turn of the event loop, and what they send goes out in the
next. So the service would have nothing to do until the last answer was worked on, and then everything at once.
"""

import asyncio
from collections import deque

AT_ONCE = 4  # answers of one turn; each turn costs a look at all connections


class Turns:
    """Lets those who wait go on in the order in which they came, some in each turn of the event loop."""

    def __init__(self) -> None:
        """Start with nobody waiting."""
        self._waiting: deque[asyncio.Future[None]] = deque()
        self._left = AT_ONCE  # who may go on in this turn
        self._is_counting = False

    async def wait(self) -> None:
        """Go on at once, or when it is this one's turn."""
        loop = asyncio.get_running_loop()
        if not self._is_counting:
            self._is_counting = True
            loop.call_soon(self._next, loop)
        if self._left and not self._waiting:
            self._left -= 1
            return
        turn: asyncio.Future[None] = loop.create_future()
        self._waiting.append(turn)
        await turn

    def _next(self, loop: asyncio.AbstractEventLoop) -> None:
        self._left = AT_ONCE
        while self._left and self._waiting:
            turn = self._waiting.popleft()
            if not turn.done():  # cancelled
                turn.set_result(None)
                self._left -= 1
        self._is_counting = bool(self._waiting) or self._left < AT_ONCE
        if self._is_counting:
            loop.call_soon(self._next, loop)
