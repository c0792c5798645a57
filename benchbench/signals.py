"""SIGINT, SIGTERM and SIGHUP end a command in the same way: it stops, keeps its results, and says how to continue.

The first signal stops the command: `Stopped` is raised where the program is, or, while an event loop runs, the loop
is told (`deferred`). Further signals within a second belong to the first: a terminal and a supervisor may send several
at once, and one that arrives while results are being stored must not end the storing. A later one ends the process
at once; files are written aside and renamed, so that those on disk are whole.

Where Python runs for C, as in a callback of a compiler or a finalizer, no exception gets through: `Stopped` is raised
again a moment later.

Only the command line calls `install`. A program that uses benchbench as a library keeps its own handlers.
"""

import contextlib
import os
import signal
import sys
import time
from collections.abc import Callable, Iterator
from types import FrameType

_NUMBERS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
_BURST = 1.0  # seconds in which signals count as one
_MOMENT = 0.01  # seconds in which C has called Python


class Stopped(KeyboardInterrupt):
    """A signal asked the command to stop; callers may catch it as KeyboardInterrupt."""


class _State:
    """The signals that have arrived, and who is told."""

    number: int | None = None
    at = 0.0  # `time.monotonic` of the first
    told: Callable[[], None] | None = None  # called instead of raising


def install() -> None:
    """Handle the signals in this process; one that the caller chose to ignore, as nohup does, stays ignored."""
    for number in _NUMBERS:
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, _handle)
    signal.signal(signal.SIGALRM, lambda number, frame: _stop())
    sys.unraisablehook = _unraised


def received() -> int | None:
    """Return the number of the first signal, None when there was none."""
    return _State.number


@contextlib.contextmanager
def deferred(tell: Callable[[], None]) -> Iterator[None]:
    """While the block lasts, call `tell` on a signal instead of raising `Stopped`."""
    before, _State.told = _State.told, tell
    try:
        yield
    finally:
        _State.told = before


@contextlib.contextmanager
def immediate() -> Iterator[None]:
    """Raise also within `deferred`: for work that blocks the event loop and has nothing to store."""
    before, _State.told = _State.told, None
    try:
        yield
    finally:
        _State.told = before


def _handle(number: int, frame: FrameType | None) -> None:
    now = time.monotonic()
    if _State.number is None:
        _State.number, _State.at = number, now
        _stop()
    elif now - _State.at >= _BURST:
        os.write(2, b"Ended at once, as a second signal asked; what is on disk is whole.\n")
        os._exit(128 + number)


def _stop() -> None:
    if _State.told is None:
        raise Stopped
    _State.told()


def _unraised(what: "sys.UnraisableHookArgs") -> None:
    """Take an exception that could not be raised."""
    if issubclass(what.exc_type, Stopped):
        signal.setitimer(signal.ITIMER_REAL, _MOMENT)
    else:
        sys.__unraisablehook__(what)
