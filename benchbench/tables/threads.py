"""Independent calls on all usable cores, their results in order, few of them in memory at a time."""

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from itertools import chain, islice
from typing import TypeVar

from benchbench.processes import usable_cores

_Result = TypeVar("_Result")

THREADS = usable_cores()


def in_order(calls: Iterable[Callable[[], _Result]]) -> Iterator[_Result]:
    """Yield what the calls return, in their order; at most twice as many as there are usable cores are ahead.

    A call that is alone runs in this thread: to start another takes as long as reading a small file.
    """
    calls = iter(calls)
    begun = list(islice(calls, 2))
    if len(begun) < 2:
        yield from (call() for call in begun)
        return
    with ThreadPoolExecutor(THREADS) as pool:
        ahead: deque[Future[_Result]] = deque()
        try:
            for call in chain(begun, calls):
                ahead.append(pool.submit(call))
                if len(ahead) > 2 * THREADS:
                    yield ahead.popleft().result()
            while ahead:
                yield ahead.popleft().result()
        finally:
            for future in ahead:
                future.cancel()
