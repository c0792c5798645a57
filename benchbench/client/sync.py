"""Run asynchronous work: for callers without `await`, and several pieces at once."""

import asyncio
import contextlib
import threading
from collections.abc import Callable, Collection, Coroutine, Iterable
from concurrent.futures import Future
from functools import partial
from typing import Any, TypeVar

from benchbench import signals

_Result = TypeVar("_Result")


def run_sync(work: Coroutine[Any, Any, _Result]) -> _Result:
    """Run the work and return its result, also where an event loop runs already.

    Raises
    ------
    KeyboardInterrupt
        When a signal stopped it; the work was cancelled, and has come to its end.
    """
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return _run(_stoppable(work))
    loop, result = _StoppableLoop(), Future[_Result]()
    thread = threading.Thread(target=loop.begin, args=(work, result))  # a notebook has a loop of its own in this one
    try:
        thread.start()
        return result.result()
    except KeyboardInterrupt:  # of this thread: the other one does not hear of it
        loop.stop()
        with contextlib.suppress(RuntimeError):  # it was never started
            thread.join()
        raise


async def all_of(work: Iterable[Coroutine[Any, Any, _Result]]) -> list[_Result]:
    """Return the results of pieces of work that go on at once; when one fails, the others are stopped."""
    tasks = [asyncio.create_task(piece) for piece in work]
    try:
        return await asyncio.gather(*tasks)
    finally:
        await stopped(tasks)


async def stopped(tasks: Collection[asyncio.Future[Any]]) -> None:
    """Cancel what of the tasks has not ended, and wait until all have."""
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


def _run(work: Coroutine[Any, Any, _Result]) -> _Result:
    """Run the work in a loop of its own.

    The task of that loop has no result: when it ends, Python looks its handler of signals up and makes the text of the
    task, and so of what it returned, for an error that nobody sees.
    """
    result = Future[_Result]()

    async def kept() -> None:
        result.set_result(await work)

    asyncio.run(kept())
    return result.result()


class _StoppableLoop:
    """Work in the loop of another thread, which may be stopped at any moment, also before it has begun."""

    def __init__(self) -> None:
        self._stopped = False
        self._cancel: Callable[[], object] | None = None

    def begin(self, work: Coroutine[Any, Any, _Result], result: "Future[_Result]") -> None:
        try:
            result.set_result(_run(self.run(work)))
        except BaseException as error:
            result.set_exception(error)

    async def run(self, work: Coroutine[Any, Any, _Result]) -> _Result:
        loop, task = asyncio.get_running_loop(), asyncio.current_task()
        assert task is not None
        self._cancel = partial(loop.call_soon_threadsafe, task.cancel)
        if self._stopped:  # asked for after `_cancel` was there, or else `stop` sees that
            self._cancel()
        return await work

    def stop(self) -> None:
        self._stopped = True
        if self._cancel is not None:
            with contextlib.suppress(RuntimeError):  # the work has ended meanwhile
                self._cancel()


async def _stoppable(work: Coroutine[Any, Any, _Result]) -> _Result:
    loop, task = asyncio.get_running_loop(), asyncio.current_task()
    assert task is not None
    is_stopped = False

    def stop() -> None:
        nonlocal is_stopped
        is_stopped = True
        loop.call_soon_threadsafe(task.cancel)

    try:
        with signals.deferred(stop):
            return await work
    except asyncio.CancelledError:
        if is_stopped:
            raise signals.Stopped from None
        raise
