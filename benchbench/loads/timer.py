"""Saying that requests are due: `Ticks` yield how many are, as soon as it is one more, and never early.

A loop's own timer on Linux counts whole milliseconds, rounded up. So a thread waits instead, in the steps of the
system's fine timer, and wakes the loop. It sleeps to the end: a thread that spins keeps the interpreter, and with it
the loop, from working.
"""

import asyncio
import threading
import time
from collections.abc import AsyncGenerator, Callable, Sequence

Ticks = Callable[[Sequence[float], Callable[[], float]], AsyncGenerator[int, None]]

_COARSE = 0.02  # seconds; a longer wait ends when it is told to
_FINE = 1e-4  # seconds before the moment at which steps begin that are as short as the system allows


async def loop_ticks(times: Sequence[float], clock: Callable[[], float]) -> AsyncGenerator[int, None]:
    """Wait with the loop's own timer, which may be a virtual one.

    Parameters
    ----------
    times
        Times of `clock`, ascending.
    clock
        Seconds.
    """
    for number, moment in enumerate(times, 1):
        await asyncio.sleep(max(0.0, moment - clock()))
        yield number


async def thread_ticks(times: Sequence[float], clock: Callable[[], float]) -> AsyncGenerator[int, None]:
    """Wait in a thread; what became due while the loop was busy is one tick. As `loop_ticks`."""
    loop, woken, stop = asyncio.get_running_loop(), asyncio.Event(), threading.Event()
    due = 0

    def watch() -> None:
        nonlocal due
        ripe = 0
        while ripe < len(times) and not stop.is_set():
            _wait(times[ripe], clock, stop)
            now = clock()
            while ripe < len(times) and times[ripe] <= now:
                ripe += 1
            if ripe > due:
                due = ripe
                loop.call_soon_threadsafe(woken.set)

    thread = threading.Thread(target=watch, daemon=True)
    thread.start()
    told = 0
    try:
        while told < len(times):
            await woken.wait()
            woken.clear()
            if due > told:
                told = due
                yield told
    finally:
        stop.set()
        thread.join()


def _wait(moment: float, clock: Callable[[], float], stop: threading.Event) -> None:
    """Sleep until a moment, or until it is time to stop."""
    while (gap := moment - clock()) > _COARSE:
        if stop.wait(gap - _COARSE / 2):
            return
    if gap > 2 * _FINE:
        time.sleep(gap - _FINE)
    while clock() < moment:
        time.sleep(1e-6)
