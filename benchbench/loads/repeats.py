"""The repeats of a step, made one."""

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

import numpy as np

from benchbench.loads.blocks import intervals, method, summary
from benchbench.loads.latency import Histogram, summarised
from benchbench.loads.metrics import CHANGE, omission
from benchbench.loads.step_result import Step
from benchbench.loads.window import State
from benchbench.significance.shares import MeanInterval

_PREFIXES = {"due": "", "sent": "sent_"}  # of the marks of each histogram
_SUMS = {
    "requests", "failed_requests", "queries", "errors", "seconds", "bytes", "late", "late_by_client", "looks",
    "queries_new", "queries_repeated", "new_requests", "p99_spells",
}  # fmt: skip
_MEANS = {
    "requests_per_second", "queries_per_second", "offered_per_second", "dispatched_per_second", "backlog_start",
    "backlog_end", "backlog_growth",
}  # fmt: skip
_QUALITY = ("asked.", "answered.", CHANGE)
_QUERIES = ("asked", "answered", "compared", "changed")  # different ones
_SAME = MeanInterval(0.0, 0.0, None, None)  # of a repeat in which no query differs from the reference
_STATES: tuple[State | None, ...] = (None, "below", "at", "beyond")
_LARGEST = {"lag_max"}


def joined(steps: Sequence[Step]) -> Step:
    """Return the repeats of a step as one.

    Counts are summed, and percentiles are of all requests. Throughput, backlog and quality are the mean over the
    repeats. What is left, such as the lag of the client and the state, is the median.

    Parameters
    ----------
    steps
        Repeats of one load, one at least.
    """
    first = steps[0]
    if len(steps) == 1:
        return _with_intervals(first, steps)
    histograms = {
        name: Histogram.merged(Histogram.decoded(step.histograms[name]) for step in steps) for name in first.histograms
    }
    values = {name: _joined(name, steps) for name in first.values}
    for name, prefix in _PREFIXES.items():
        if name in histograms:
            values.update(summarised(histograms[name], prefix))
    values.update(summary([block for step in steps for block in step.blocks], "answered_"))
    if "due" in histograms:
        values.update(summarised(histograms["due"], "amortised_query_", 1.0 / first.load.batch_size))
    queries = {name: np.unique(np.concatenate([getattr(step, name) for step in steps])) for name in _QUERIES}
    values |= {f"queries_{name}": float(len(queries[name])) for name in _QUERIES if f"queries_{name}" in values}
    values["error_rate"] = values["failed_requests"] / values["requests"]
    whole = replace(
        first,
        values=values,
        failures=dict(sum((Counter(step.failures) for step in steps), Counter[str]()).most_common()),
        histograms={name: histogram.encoded() for name, histogram in histograms.items()},
        client_is_the_limit=_said([step.client_is_the_limit for step in steps]),
        coordinated_omission=omission(values),
        counts=_summed([step.counts for step in steps]),
        hit_faults=dict(sorted(_summed([step.hit_faults for step in steps]).items())),
        unlabelled_hits=_summed([step.unlabelled_hits for step in steps]),
        saturation=sorted((step.saturation for step in steps), key=_STATES.index)[len(steps) // 2],
        quality_intervals={
            name: _mean([step.quality_intervals[name] for step in steps]) for name in first.quality_intervals
        },
        change_intervals={
            name: _mean([step.change_intervals.get(name, _SAME) for step in steps])
            for name in dict.fromkeys(name for step in steps for name in step.change_intervals)
        },
        asked=queries["asked"],
        answered=queries["answered"],
        compared=queries["compared"],
        changed=queries["changed"],
        over_time=[stretch for step in steps for stretch in step.over_time],
    )
    return _with_intervals(whole, steps)


def _with_intervals(step: Step, repeats: Sequence[Step]) -> Step:
    blocks = [block for repeat in repeats for block in repeat.blocks]
    ends = intervals(blocks, step.values)
    return replace(
        step,
        blocks=[],
        intervals=ends,
        interval_method=method(len(blocks), len(repeats)) if ends else None,
        repeats=tuple(repeat.values for repeat in repeats),
    )


def _mean(intervals: Sequence[MeanInterval]) -> MeanInterval:
    """Return the interval of a mean over repeats: the means of the ends, for the queries are the same in each."""
    lows, highs, effects = (
        [getattr(interval, name) for interval in intervals if getattr(interval, name) is not None]
        for name in ("low", "high", "design_effect")
    )
    effect = sum(effects) / len(effects) if effects else None
    if len(lows) < len(intervals):
        return MeanInterval(None, None, None, effect)
    return MeanInterval(sum(lows) / len(lows), sum(highs) / len(highs), intervals[0].method, effect)


def _joined(name: str, steps: Sequence[Step]) -> float:
    values = np.array([step.values[name] for step in steps])
    if name in _SUMS:
        return float(np.nansum(values))
    known = values[~np.isnan(values)]
    if not len(known):
        return math.nan
    if name in _LARGEST:
        return float(known.max())
    if (known == known[0]).all():  # so that no bit of the quality of a service that keeps it is lost
        return float(known[0])
    return float(known.mean() if name in _MEANS or name.startswith(_QUALITY) else np.median(known))


def _said(sentences: Sequence[str | None]) -> str | None:
    """Return what was said of the client in most repeats."""
    limits = [sentence for sentence in sentences if sentence]
    if 2 * len(limits) <= len(sentences):
        return None
    return f"{limits[0]} (in {len(limits)} of {len(sentences)} repeats)"


def _summed(counts: Sequence[Mapping[str, int]]) -> dict[str, int]:
    names: dict[str, None] = dict.fromkeys(name for part in counts for name in part)
    total: Callable[[str], int] = lambda name: sum(part.get(name, 0) for part in counts)  # noqa: E731
    return {name: total(name) for name in names}
