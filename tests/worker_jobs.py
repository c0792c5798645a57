"""What workers do in tests: functions of a module that their processes can import."""

import asyncio
import os
import signal
import time
from typing import Any, NoReturn

from benchbench.client.workers import Link, workers
from benchbench.errors import InputError


async def echo(link: Link, number: int, *arguments: Any) -> None:
    """Send number and arguments, then the time, and each message back."""
    print("nothing that is printed comes between the messages", flush=True)
    link.send((number, *arguments))
    while True:
        link.send((await link.receive(), time.perf_counter()))


async def refuse(link: Link, number: int, ours: bool) -> None:
    """Raise an error of this package, or another one."""
    raise InputError("refused") if ours else KeyError("refused")


async def kill(link: Link, number: int, half: bytes) -> None:
    """Die as when memory is short, in the middle of a message."""
    link._drain.write(half)
    link._drain.flush()
    os.kill(os.getpid(), signal.SIGKILL)


def unreadable() -> NoReturn:
    raise ImportError("there is no such module")


class Unreadable:
    """What cannot come out of its pickle."""

    def __reduce__(self) -> tuple[Any, ...]:
        return unreadable, ()


def main() -> None:
    """Start workers, say so, and wait to be killed."""

    async def wait() -> None:
        async with workers(2, echo) as started:
            for worker in started:
                await worker.receive()
            print("started", flush=True)
            await asyncio.Event().wait()

    asyncio.run(wait())
