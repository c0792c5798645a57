"""Worker processes, each with an event loop of its own, and the pipes to them.

A worker is a fresh interpreter, for polars and threads forbid to fork one. What it is to do comes over its
standard input, and what it found leaves over its standard output, both pickled: pipes between processes of ours,
so that secrets are in no argument, no environment and no file. A worker ends when its standard input does, and so
also when the process that started it is killed. `time.perf_counter` is the same clock in all processes of a machine.
"""

import asyncio
import contextlib
import gc
import os
import pickle
import queue
import signal
import subprocess
import sys
import threading
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import IO, Any

from benchbench.errors import BenchbenchError, WorkerError
from benchbench.processes import PATIENCE, python

_MAIN = "from benchbench.client.workers import main; main()"


class Link:
    """Messages to and from the process at the other end; threads read and write, so that no event loop waits.

    A message is whatever can be pickled. An exception that is sent is raised where it is received; what cannot be
    sent raises where it was to be, on receiving.
    """

    def __init__(self, source: IO[bytes], drain: IO[bytes], ended: Callable[[], None] = lambda: None) -> None:
        """Begin to read and write; `ended` is called in a thread once the other end is gone."""
        self._source, self._drain, self._ended = source, drain, ended
        self._loop = asyncio.get_running_loop()
        self._inbox: asyncio.Queue[tuple[bool, Any]] = asyncio.Queue()  # whether there is a message, and it
        self._outbox: queue.SimpleQueue[tuple[bool, Any]] = queue.SimpleQueue()
        self._threads = [threading.Thread(target=work, daemon=True) for work in (self._listen, self._speak)]
        for thread in self._threads:
            thread.start()

    def send(self, message: Any) -> None:
        """Send a message, some time soon."""
        self._outbox.put((True, message))

    async def receive(self) -> Any:
        """Wait for the next message; EOFError when none will come."""
        is_open, message = await self._inbox.get()
        if not is_open:
            self._inbox.put_nowait((False, None))
            raise EOFError
        if isinstance(message, Exception):
            raise message
        return message

    def _listen(self) -> None:
        while True:
            try:
                message = pickle.load(self._source)
            except (EOFError, OSError, pickle.UnpicklingError):  # the end, or half a message before it
                break
            except Exception as error:  # what cannot be read, an import that fails among it, is the receiver's to know
                message = error
            self._deliver(True, message)
        self._ended()
        self._deliver(False, None)

    def _deliver(self, is_open: bool, message: Any) -> None:
        with contextlib.suppress(RuntimeError):  # the loop has ended, and nobody waits any more
            self._loop.call_soon_threadsafe(self._inbox.put_nowait, (is_open, message))

    def _speak(self) -> None:
        with contextlib.suppress(OSError):  # the other end is gone: `_listen` sees that too
            while (entry := self._outbox.get())[0]:
                try:
                    content = pickle.dumps(entry[1], pickle.HIGHEST_PROTOCOL)
                except Exception as error:
                    self._deliver(True, error)
                    continue
                self._drain.write(content)
                self._drain.flush()


class Worker(Link):
    """A worker process, seen from the process that started it."""

    def __init__(self, name: str) -> None:
        """Start it; `name` is what an error calls it."""
        self._name = name
        try:
            self._process = subprocess.Popen(
                python("-c", _MAIN),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                start_new_session=True,  # Ctrl-C is for the process that started it, which then ends it
            )
        except OSError as error:
            raise WorkerError(f"{name} cannot be started: {error.strerror}") from None
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        super().__init__(self._process.stdout, self._process.stdin)

    async def receive(self) -> Any:
        """Wait for the next message; WorkerError when the process has died."""
        try:
            return await super().receive()
        except EOFError:
            raise WorkerError(f"{self._name} {_exit_reason(self._process.wait())}") from None

    def end(self) -> None:
        """End the process."""
        self._process.kill()
        self._process.wait()
        self._outbox.put((False, None))
        for thread in self._threads:
            thread.join()
        for pipe in (self._source, self._drain):
            with contextlib.suppress(OSError):  # what was still to be sent
                pipe.close()


@contextlib.asynccontextmanager
async def workers(number: int, job: Callable[..., Awaitable[None]], *arguments: Any) -> AsyncIterator[list[Worker]]:
    """Start worker processes that do a job while the block lasts.

    Parameters
    ----------
    number
        How many.
    job
        What each does: a function of a module, called with its `Link`, its number from 0, and the arguments.
        What it raises is received here.
    arguments
        Of the job, pickled.
    """
    started: list[Worker] = []
    try:
        for place in range(number):
            started.append(Worker(f"worker process {place + 1} of {number}"))
            started[place].send((job, (place, *arguments)))
        yield started
    finally:
        for worker in started:
            worker.end()


def part(places: int, number: int, workers: int) -> int:
    """Return how many of the places one of several workers has; places are dealt out in turn."""
    return len(range(number, places, workers))


def main() -> None:
    """Run as a worker: do the first job, and end when standard input ends."""
    gc.set_threshold(PATIENCE)
    with os.fdopen(os.dup(1), "wb") as drain:
        os.dup2(2, 1)  # nothing that is printed may come between the messages
        asyncio.run(_work(sys.stdin.buffer, drain))


async def _work(source: IO[bytes], drain: IO[bytes]) -> None:
    link = Link(source, drain, ended=lambda: os._exit(0))
    try:
        job, arguments = await link.receive()
        await job(link, *arguments)
    except Exception as error:
        link.send(sendable(error))
    await asyncio.Event().wait()  # for the end of standard input


def sendable(error: Exception) -> Exception:
    """Return an error as it can be sent: another package's may not come out of its pickle again."""
    return error if isinstance(error, BenchbenchError) else RuntimeError(f"{type(error).__name__}: {error}")


def _exit_reason(code: int) -> str:
    if code >= 0:
        return f"ended with exit code {code}"
    name = signal.Signals(-code).name
    return "was killed, probably because the system ran out of memory" if name == "SIGKILL" else f"was ended by {name}"
