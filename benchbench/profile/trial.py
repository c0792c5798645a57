"""One tool measured once: the whole process, then the second evaluation in a process that is not timed."""

import json
import statistics
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeVar

from benchbench.profile.child import Ended, run
from benchbench.profile.peers import Means
from benchbench.profile.tools import Tool, printed

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Figures:
    """What a trial measured: seconds, 10^6 bytes, seconds; the last is None where a tool has no such way."""

    whole_process_s: float
    peak_mb: float
    second_evaluation_s: float | None


class ToolFailedError(Exception):
    """A tool gave no figures; the message says why in one line."""


def trial(tool: Tool, files: Sequence[str], timeout: float) -> tuple[Figures, list[Means]]:
    """Measure a tool once.

    Parameters
    ----------
    tool, files
        What to run, on which qrels and run.
    timeout
        Seconds that each of its processes may take.

    Returns
    -------
    Figures, list of Means
        And the means that each process printed.

    Raises
    ------
    ToolFailedError
        It failed, took too long, or did not print the means.
    """
    whole = _ended((*tool.command, *files), timeout)
    means = [_read(tool.means, whole.output)]
    if tool.again is None:
        return Figures(whole.seconds, whole.peak_mb, None), means
    again = _ended((*tool.again, *files, "--again"), timeout)
    means.append(_read(printed, again.output))
    return Figures(whole.seconds, whole.peak_mb, _read(_seconds, again.output)), means


def _ended(command: Sequence[str], timeout: float) -> Ended:
    ended = run(command, timeout)
    if ended.failure:
        raise ToolFailedError(ended.failure)
    return ended


def _read(reader: Callable[[str], T], output: str) -> T:
    try:
        return reader(output)
    except (ValueError, LookupError, TypeError) as error:
        raise ToolFailedError(f"its output is not the means: {type(error).__name__}: {error}") from None


def _seconds(output: str) -> float:
    return float(statistics.median(json.loads(output)["seconds"]))
