"""What a check holds against what: the runs since the reference in numbers, their cycles, and those that join it."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from benchbench.history.check.check_details import CheckedRun
from benchbench.history.check.measures import JudgedMeasure, Scale
from benchbench.history.check.reference import Reference
from benchbench.history.check.run_values import means, requests, row
from benchbench.history.entry import StoredNumber
from benchbench.kernels.arrays import F64
from benchbench.significance.cycles import Cycle, cycles
from benchbench.significance.latency_ratio import block_values
from benchbench.significance.run_growth import joined
from benchbench.significance.run_windows import WINDOWS

if TYPE_CHECKING:
    from benchbench.history.alerts.alert import Alert
    from benchbench.history.values import RunValues


@dataclass(frozen=True)
class Later:
    """The runs since the reference whose values are at hand, the latest last.

    Attributes
    ----------
    runs, values
        What they are, and their values.
    earlier
        Of each measure, how many different means those runs since the first ten have that are not at hand.
    numbers
        Of each measure that has one value per run, by the number of the run.
    """

    runs: Sequence[CheckedRun]
    values: "Sequence[RunValues]"
    earlier: Mapping[str, int]
    numbers: Mapping[str, Mapping[int, StoredNumber]]


@dataclass(frozen=True)
class Past:
    """What earlier checks found of a measure.

    Attributes
    ----------
    open
        Its alert, where one is open.
    ended_run
        Number of the run with which the last one ended: no window reaches behind it. 0 where none has.
    first_run
        Number of the run with which the first one was found: the reference grows no more. None where there was none.
    """

    open: "Alert | None" = None
    ended_run: int = 0
    first_run: int | None = None


def measured(measure: JudgedMeasure, reference: Reference, later: Later) -> tuple[Scale, F64, F64, F64]:
    """Return the scale, the mean of each unit of the reference, of each of its runs, and the later runs (runs, units).

    All but the scale itself are on it. A unit is a query, a block of requests, or the whole run.
    """
    if measure.per == "run":
        numbers = later.numbers[measure.name]
        scale = Scale.of(measure, next((float(number.n) for number in numbers.values() if number.n), 1.0))
        of_runs = scale.scaled(_column(numbers, reference.runs))
        mean = of_runs.mean(keepdims=True)
        return replace(scale, base=float(mean[0])), mean, of_runs, scale.scaled(_column(numbers, later.runs))[:, None]
    scale = Scale.of(measure)
    known = scale.scaled(np.array(reference.run_means[measure.name], np.float64))
    values = np.array([_row(value, measure, reference) for value in later.values])
    return scale, reference.of(measure.name), known, values


def season(known: F64, of_runs: F64, numbers: Sequence[int], past: Past) -> tuple[list[Cycle], F64]:
    """Return the cycles of the runs that no window has, up to the first alarm, and what they add up to at each run."""
    quiet = [
        at for at, number in enumerate(numbers[: -WINDOWS[-1]]) if past.first_run is None or number < past.first_run
    ]
    runs = np.concatenate([known, of_runs[: len(quiet)]])
    if not np.isfinite(runs).all() or not np.isfinite(of_runs).all():
        return [], np.zeros(len(known) + len(of_runs))
    turning, sums = cycles(runs, len(of_runs) - len(quiet))
    return turning, sums


def _column(numbers: Mapping[int, StoredNumber], runs: Sequence[CheckedRun]) -> F64:
    values = [numbers[run.number].value if run.number in numbers else None for run in runs]
    return np.array([math.nan if value is None else value for value in values])


def joining(known: F64, of_runs: F64, numbers: Sequence[int], past: Past) -> list[int]:
    """Return the places of the runs that join the reference: quiet ones with a value, up to the first alarm."""
    there = [
        at
        for at, (mean, number) in enumerate(zip(of_runs.tolist(), numbers, strict=True))
        if math.isfinite(mean) and (past.first_run is None or number <= past.first_run)
    ]
    return there[: joined(known, of_runs[there])]


def grown(mean: F64, values: F64, runs: int) -> F64:
    """Return the mean of each unit over the runs of a reference and those that joined; of what has a value."""
    there = np.isfinite(values)
    counts = runs * np.isfinite(mean) + there.sum(axis=0)
    sums = runs * np.where(np.isfinite(mean), mean, 0.0) + np.where(there, values, 0.0).sum(axis=0)
    grown_mean: F64 = np.divide(sums, counts, out=np.full(len(mean), np.nan), where=counts > 0)
    return grown_mean


def whole(mean: F64) -> float:
    """Return the mean over the units that have a value."""
    return float(means(mean[None], axis=1)[0])


def _row(values: "RunValues", measure: JudgedMeasure, reference: Reference) -> F64:
    """Return the value of each query, or block of requests, of the reference."""
    if measure.per == "query":
        return row(values.queries, values.values, measure.name, reference.queries)
    return block_values(requests(values.latency, measure.subject or ""), len(reference.blocks[measure.name]))
