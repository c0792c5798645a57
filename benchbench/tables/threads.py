"""Independent calls on all cores, their results in order, few of them in memory at a time."""

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TypeVar

_Result = TypeVar("_Result")

THREADS = os.cpu_count() or 1


def in_order(calls: Iterable[Callable[[], _Result]]) -> Iterator[_Result]:
    """Yield what the calls return, in their order; at most twice as many as there are cores are ahead."""
    with ThreadPoolExecutor(THREADS) as pool:
        ahead: deque[Future[_Result]] = deque()
        try:
            for call in calls:
                ahead.append(pool.submit(call))
                if len(ahead) > 2 * THREADS:
                    yield ahead.popleft().result()
            while ahead:
                yield ahead.popleft().result()
        finally:
            for future in ahead:
                future.cancel()
