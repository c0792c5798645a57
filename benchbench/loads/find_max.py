"""The highest rate at which a condition holds: doubling until it breaks, then bisection."""

from collections.abc import Awaitable, Callable

PRECISION = 0.05  # the lowest rate that broke is at most so much above the highest that held
_MOST = 1e6  # requests per second


async def find_max(holds: Callable[[float], Awaitable[bool]], start: float, lowest: float) -> float | None:
    """Return the highest rate that held, to `PRECISION`; None when not even `lowest` or the rate above it did.

    Parameters
    ----------
    holds
        Tries a rate. Taken to be monotone: a rate that broke is not tried again.
    start
        Rate to begin with; when it breaks, it is halved until one holds.
    lowest
        No rate below this one is tried.
    """
    if await holds(start):
        low, high = start, 2.0 * start
        while high <= _MOST and await holds(high):
            low, high = high, 2.0 * high
        if high > _MOST:
            return low
    else:
        low, high = start / 2.0, start
        while low >= lowest and not await holds(low):
            low, high = low / 2.0, low
        if low < lowest:
            return None
    while high - low > PRECISION * low:
        middle = (low + high) / 2.0
        if await holds(middle):
            low = middle
        else:
            high = middle
    return low
