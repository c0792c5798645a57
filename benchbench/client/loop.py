"""Asynchronous work for those who call without `await`."""

import asyncio
from collections.abc import Coroutine
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

_Result = TypeVar("_Result")


def finished(work: Coroutine[Any, Any, _Result]) -> _Result:
    """Return what the work gives, also where a loop runs already."""
    if not _running():
        return asyncio.run(work)
    with ThreadPoolExecutor(1) as aside:  # a notebook has a loop of its own in this thread
        return aside.submit(asyncio.run, work).result()


def _running() -> bool:
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True
