"""Every error that benchbench raises on purpose.

::

    BenchbenchError            exit code
    ├── GateError              1   the run ended, and a `--fail-if` holds
    ├── InputError             2   bad usage or bad input: a file, a line, an option
    │   └── BadLineError       2   a line that `--skip-bad-lines` would count
    ├── UnreachableError       3   nothing answers at the service's address
    ├── TooManyFailuresError   4   the run ended, but too many queries failed
    └── InterruptedRunError    130 stopped by the person at the keyboard
        └── WorkerError        2   a worker process died, and with it the run

A failed request is not among them: it is a row in a table (`client.transport.Attempt`).
The message of each is one sentence that names the file, line, option or URL, and what to do. What it quotes from
outside goes through `visible` first.
"""

import re
import unicodedata
from collections.abc import Iterator
from contextlib import contextmanager

_SAID = 200  # characters of what others say
_NUMBERED = r"\[Errno -?\d+\] | \(os error \d+\)"  # how Python and Rust number what the system says


class BenchbenchError(Exception):
    """Base of all errors of this package; `exit_code` is what the command line ends with."""

    exit_code = 2


class GateError(BenchbenchError):
    """A condition of `--fail-if` holds."""

    exit_code = 1


class InputError(BenchbenchError):
    """Bad usage or bad input."""

    exit_code = 2


class BadLineError(InputError):
    """A line of a file is not what the file consists of; readers pass over it where `skip_bad_lines` asks for that."""


class UnreachableError(BenchbenchError):
    """The service cannot be reached."""

    exit_code = 3


class TooManyFailuresError(BenchbenchError):
    """More queries failed than `--max-error-rate` allows."""

    exit_code = 4


class InterruptedRunError(BenchbenchError):
    """The run was stopped before its end."""

    exit_code = 130


class WorkerError(InterruptedRunError):
    """A worker process died before the end of the run."""

    exit_code = 2


@contextmanager
def said_of(what: str) -> Iterator[None]:
    """Put what an InputError is about before what it says."""
    try:
        yield
    except InputError as problem:
        raise InputError(f"{what}: {problem}") from None


def visible(text: str, most: int | None = None) -> str:
    r"""Return a text that came from outside as one line that a terminal shows and does not obey.

    Control characters, line ends, direction marks and lone surrogates become escapes such as ``\x1b``; spaces of
    any script stay.

    Parameters
    ----------
    text
        Whatever a service, a file or another package said.
    most
        Cut after so many characters of the original; None keeps all.
    """
    text = text if most is None else text[:most]
    if text.isprintable():
        return text
    return "".join(one if one.isprintable() or unicodedata.category(one) == "Zs" else _escaped(one) for one in text)


def said_by(error: BaseException) -> str:
    """Return what another package's error says: its first line, visible and short, without the system's numbers."""
    lines = re.sub(_NUMBERED, "", str(error)).strip().splitlines()
    return visible(lines[0], _SAID) if lines else type(error).__name__


def _escaped(character: str) -> str:
    return character.encode("unicode_escape", errors="surrogatepass").decode("ascii")
