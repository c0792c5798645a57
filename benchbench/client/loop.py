"""Asynchronous work for those who call without `await`."""

import asyncio
import contextlib
from collections.abc import Coroutine
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, TypeVar

from benchbench import signals

_Result = TypeVar("_Result")


def finished(work: Coroutine[Any, Any, _Result]) -> _Result:
    """Return what the work gives, also where a loop runs already.

    Raises
    ------
    KeyboardInterrupt
        When a signal stopped it; the work was cancelled, and has come to its end.
    """
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(_stoppable(work))
    ready: Future[tuple[asyncio.AbstractEventLoop, asyncio.Task[Any]]] = Future()
    with ThreadPoolExecutor(1) as aside:  # a notebook has a loop of its own in this thread
        result = aside.submit(asyncio.run, _announced(work, ready))
        try:
            return result.result()
        except KeyboardInterrupt:  # of this thread: the other one does not hear of it
            loop, task = ready.result()
            with contextlib.suppress(RuntimeError):  # the work has ended meanwhile
                loop.call_soon_threadsafe(task.cancel)
            raise


async def _stoppable(work: Coroutine[Any, Any, _Result]) -> _Result:
    loop, task = asyncio.get_running_loop(), asyncio.current_task()
    assert task is not None
    told = False

    def stop() -> None:
        nonlocal told
        told = True
        loop.call_soon_threadsafe(task.cancel)

    try:
        with signals.deferred(stop):
            return await work
    except asyncio.CancelledError:
        if told:
            raise signals.Stopped from None
        raise


async def _announced(
    work: Coroutine[Any, Any, _Result], ready: "Future[tuple[asyncio.AbstractEventLoop, asyncio.Task[Any]]]"
) -> _Result:
    task = asyncio.current_task()
    assert task is not None
    ready.set_result((asyncio.get_running_loop(), task))
    return await work
