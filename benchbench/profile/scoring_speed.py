"""Scoring measured in turn, A B A B …, so that changes of the machine's load affect all tools alike.

A trial measures the whole process, then the second evaluation in a process that is not timed.
"""

import json
import statistics
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, astuple, dataclass, replace
from pathlib import Path
from typing import Any, ClassVar, TypeVar

from benchbench.errors import BenchbenchError
from benchbench.processes import python
from benchbench.profile.child import EndedProcess, run
from benchbench.profile.machine import Machine, this_machine
from benchbench.profile.peers import MEASURES, Means
from benchbench.profile.profile_result import ProfileResult
from benchbench.profile.tools import Tool, printed
from benchbench.tables.callbacks import nothing

T = TypeVar("T")

_DAY = 86_400.0


@dataclass(frozen=True, slots=True)
class ScoringWorkload:
    """How much there is to score: queries, hits per query, judgments per query; and the seed."""

    queries: int
    depth: int
    judged: int
    seed: int = 7


_SMALL = ScoringWorkload(20, 10, 5)  # fills the caches of peers, so that no round measures compilation


@dataclass(frozen=True, slots=True)
class Figures:
    """What a trial measured: seconds, 10^6 bytes, seconds; the last is None where a tool has no such way."""

    whole_process_s: float
    peak_mb: float
    second_evaluation_s: float | None


class ToolFailedError(Exception):
    """A tool gave no figures; the message says why in one line."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolRow:
    """One tool: medians over rounds, their ratios to ours, and how far its means are from ours.

    With a `failure`, which says why it could not be measured, there are no figures.
    """

    tool: str
    version: str | None
    tolerance: float
    failure: str | None = None
    agrees: bool | None = None
    largest_difference: float | None = None
    whole_process_s: float | None = None
    whole_process_ratio: float | None = None
    second_evaluation_s: float | None = None
    second_evaluation_ratio: float | None = None
    peak_mb: float | None = None
    peak_ratio: float | None = None
    rounds: tuple[Figures, ...] = ()


@dataclass(frozen=True, slots=True)
class MeasuredWorkload(ScoringWorkload):
    """A workload, and the measures that were taken of it."""

    measures: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class MetricsProfile:
    """Figures of each tool, ours first, with all that they were measured with."""

    name: ClassVar = "metrics"
    scope: ClassVar = ("tool",)  # of a row's numbers

    machine: Machine
    workload: MeasuredWorkload
    rounds: int
    tools: tuple[ToolRow, ...]

    @property
    def rows(self) -> tuple[ToolRow, ...]:
        """Return the tools."""
        return self.tools


def measure(
    workload: ScoringWorkload,
    tools: Sequence[Tool],
    rounds: int = 3,
    timeout: float = 600.0,
    progress: Callable[[int, int, str], None] = nothing,
) -> ProfileResult:
    """Measure tools on a workload that is written for it, and removed.

    Parameters
    ----------
    workload
        Its size.
    tools
        Ours first.
    rounds
        How often each is measured, after one round that fills caches and is not counted.
    timeout
        Seconds that one process may take.
    progress
        Called with the steps done, the number of steps, and the next step.

    Returns
    -------
    ProfileResult
        The row of a tool that fails says why; it is not tried again.

    Raises
    ------
    BenchbenchError
        The workload cannot be written.
    """
    began = time.time()
    figures: dict[str, list[Figures]] = {tool.name: [] for tool in tools}
    means: dict[str, list[Means]] = {}
    failures: dict[str, str] = {}
    steps = [(turn, tool) for turn in range(rounds + 1) for tool in tools]
    with tempfile.TemporaryDirectory(prefix="benchbench-profile-") as folder:
        progress(0, len(steps), "workload")
        full, small = _written(workload, Path(folder, "full")), _written(_SMALL, Path(folder, "small"))
        for done, (turn, tool) in enumerate(steps):
            progress(done, len(steps), tool.name)
            if tool.name in failures:
                continue
            try:
                measured, means[tool.name] = trial(tool, full if turn or tool is tools[0] else small, timeout)
            except ToolFailedError as failure:
                failures[tool.name] = str(failure)
            else:
                figures[tool.name] += [measured] if turn else []
    progress(len(steps), len(steps), "")
    ours = tools[0].name
    base = None if ours in failures else _medians(figures[ours])
    rows = []
    for tool in tools:
        if tool.name in failures:
            rows.append(replace(_row(tool), failure=failures[tool.name]))
        else:
            first = {} if base is None else means[ours][0]  # where ours are not known, nothing is compared
            differences = [abs(mean[name] - value) for mean in means[tool.name] for name, value in first.items()]
            rows.append(_measured(tool, figures[tool.name], base, differences))
    measured_size = MeasuredWorkload(**asdict(workload), measures=MEASURES)
    options = {"peers": [tool.name for tool in tools[1:]], "timeout": timeout}
    return ProfileResult(MetricsProfile(_machine(tools), measured_size, rounds, tuple(rows)), options, began)


def _written(workload: ScoringWorkload, stem: Path) -> tuple[str, str]:
    """Write a workload, in another process since this one must stay small, and return the names of its files."""
    files = f"{stem}.qrels", f"{stem}.run"
    ended = run(python("-m", "benchbench.profile.workload", *map(str, astuple(workload)), *files), _DAY)
    if ended.failure:
        raise BenchbenchError(f"the workload cannot be written in {stem.parent}: {ended.failure}")
    return files


def _machine(tools: Sequence[Tool]) -> Machine:
    machine = this_machine("numpy", "numba")
    return replace(machine, versions=machine.versions | {tool.package: tool.version for tool in tools})


def _row(tool: Tool) -> ToolRow:
    return ToolRow(tool=tool.name, version=tool.version, tolerance=tool.tolerance)


def _measured(tool: Tool, rounds: Sequence[Figures], base: Figures | None, differences: list[float]) -> ToolRow:
    median, ours = asdict(_medians(rounds)), asdict(base) if base else {}
    figures: dict[str, Any] = {**median}
    for name, figure in median.items():
        figures[f"{name.rpartition('_')[0]}_ratio"] = _ratio(figure, ours.get(name))
    return replace(
        _row(tool),
        agrees=all(difference <= tool.tolerance for difference in differences) if differences else None,
        largest_difference=max(differences, default=None),
        rounds=tuple(rounds),
        **figures,
    )


def _medians(rounds: Sequence[Figures]) -> Figures:
    seconds = [figures.second_evaluation_s for figures in rounds if figures.second_evaluation_s is not None]
    return Figures(
        statistics.median(figures.whole_process_s for figures in rounds),
        statistics.median(figures.peak_mb for figures in rounds),
        statistics.median(seconds) if seconds else None,
    )


def _ratio(theirs: float | None, ours: float | None) -> float | None:
    return None if theirs is None or not ours else theirs / ours


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


def _ended(command: Sequence[str], timeout: float) -> EndedProcess:
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
