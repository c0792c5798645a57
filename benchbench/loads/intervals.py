"""Intervals of a step's numbers from blocks of its requests.

Latencies of requests that follow one another are alike: those of one queue are long together. An interval that takes
them as independent is far too narrow. So they are cut into blocks, each a repeat of the step, or where those are few a
stretch of time within one, and it is the blocks that are taken as independent. One after the other is left out, the
number is taken over all others, and an interval goes by how much that moves it (the delete-a-group jackknife; Tukey
1958; for quantiles Shao and Wu 1989), with Student's t of one less than there are blocks. Latencies are skewed, so that
their interval is made of logarithms. `benchmarks/load_intervals.py` measures how often it covers the truth.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from benchbench.kernels.arrays import F64, I64, Bools
from benchbench.loads.latency import PERCENTILES
from benchbench.measures.latency import enough, needed
from benchbench.significance.distributions import t_quantile

FEWEST = 6  # blocks of an interval; a test of two times so many can reject at 0.05
_LEVEL = 0.95
_NOTHING_MOVES = ("requests_per_second", "queries_per_second", "error_rate")  # where every request failed
_DIGITS = 3  # to which latencies are kept, as in a histogram

Interval = tuple[float, float]
Latencies = tuple[F64, I64]  # ascending milliseconds, and how many requests took each


@dataclass(frozen=True)
class Block:
    """Counted requests of some time."""

    seconds: float
    requests: int
    failed: int
    completed: int  # answered requests that ended in this time
    latencies: Mapping[str, Latencies]  # by what stands before the name of a mark


def blocks_of(requests: pl.DataFrame, duration: float, parts: int) -> list[Block]:
    """Return the blocks of a step: so many stretches of time of the same length, by due time.

    Parameters
    ----------
    requests
        Of `recorder.Rows.frame`. Those of the warm-up count where they ended, and nowhere else.
    duration
        Seconds that are measured.
    parts
        How many.
    """
    length, counted = duration / parts, requests.filter("counted")
    due = np.clip(np.floor(counted["due"].to_numpy() / length), 0, parts - 1).astype(np.int64)
    answered = counted["error"].is_null().to_numpy()
    end = requests.filter(pl.col("error").is_null())["end"].to_numpy()
    ended = np.floor(end[(end >= 0.0) & (end < duration)] / length).astype(np.int64)
    completed = np.bincount(np.minimum(ended, parts - 1), minlength=parts)
    kinds = {name: (milliseconds, due[there]) for name, (there, milliseconds) in latencies(counted).items()}
    return [
        Block(
            length,
            int((due == block).sum()),
            int(((due == block) & ~answered).sum()),
            int(completed[block]),
            {name: _counted(milliseconds[owner == block]) for name, (milliseconds, owner) in kinds.items()},
        )
        for block in range(parts)
    ]


def latencies(counted: pl.DataFrame) -> dict[str, tuple[Bools, F64]]:
    """Return which requests have a latency of each kind, and the milliseconds of those."""
    end = counted["end"].to_numpy()
    kinds = {}
    answered = counted["error"].is_null().to_numpy()
    for name, start in (("", "due"), ("sent_", "sent"), ("answered_", "due")):
        begin = counted[start].cast(pl.Float64).fill_null(math.nan).to_numpy()
        there = np.isfinite(begin) & (answered | (name != "answered_"))
        kinds[name] = (there, (end - begin)[there] * 1e3)
    return kinds


def parts_of(repeats: int) -> int:
    """Return into how many stretches of time a step is cut that was run so often."""
    return 1 if repeats >= FEWEST else -(-FEWEST // repeats)


def method(blocks: int, repeats: int) -> str:
    """Return the name of an interval."""
    kind = "repeats" if blocks == repeats else "stretches of time"
    return f"{_LEVEL * 100:g} % jackknife t interval over {blocks} {kind}"


def intervals(blocks: Sequence[Block], values: Mapping[str, float]) -> dict[str, Interval]:
    """Return the intervals of those numbers of a step that blocks have one of.

    A percentile with fewer than ten requests above it has none, and nothing has one of fewer than 20 requests or where
    a block is empty. Neither has a service that failed throughout one of its throughput or error rate.

    Parameters
    ----------
    blocks
        Of all repeats of the step, at least `FEWEST`.
    values
        Of the step, around which the intervals are.
    """
    result: dict[str, Interval] = {}
    least, sizes = needed(50.0), [block.requests for block in blocks]
    if len(blocks) < FEWEST or sum(sizes) < least or not all(sizes):
        return result
    for name in blocks[0].latencies:
        parts = [block.latencies[name] for block in blocks]
        total = sum(int(counts.sum()) for _, counts in parts)
        whole = [_merged(parts[:left] + parts[left + 1 :]) for left in range(len(parts))]
        marks: dict[str, Callable[[Latencies], float]] = {"mean": _mean}
        marks |= {f"p{percent:g}": _percentile(percent) for percent in PERCENTILES if enough(percent, total)}
        for mark, statistic in marks.items():
            value = values.get(f"{name}{mark}", math.nan)
            without = np.array([statistic(rest) for rest in whole])
            if not value > 0.0 or not (without > 0.0).all():
                continue
            error = _jackknife(np.log(without))
            result[f"{name}{mark}"] = (value * math.exp(-error), value * math.exp(error))
    for mark in [name for name in result if "_" not in name]:
        if f"amortised_query_{mark}" in values and values.get("batch_size"):
            low, high = result[mark]
            result[f"amortised_query_{mark}"] = (low / values["batch_size"], high / values["batch_size"])
    seconds = np.array([block.seconds for block in blocks])
    completed = np.array([block.completed for block in blocks], np.float64)
    error = _jackknife(_without(completed) / _without(seconds))
    for name, times in (("requests_per_second", 1.0), ("queries_per_second", values.get("batch_size", math.nan))):
        if name in values:
            result[name] = (max(0.0, values[name] - times * error), values[name] + times * error)
    failed = np.array([block.failed for block in blocks], np.float64)
    requests = _without(np.array([block.requests for block in blocks], np.float64))
    if failed.any() and requests.all():
        error, rate = _jackknife(_without(failed) / requests), values["error_rate"]
        result["error_rate"] = (max(0.0, rate - error), min(1.0, rate + error))
    if all(block.failed == block.requests for block in blocks):
        return {name: ends for name, ends in result.items() if name not in _NOTHING_MOVES}
    return result


def summary(blocks: Sequence[Block], name: str) -> dict[str, float]:
    """Return mean, percentiles and maximum of all blocks, of one kind of latency, under the names of its marks."""
    whole = _merged([block.latencies[name] for block in blocks])
    marks = {"mean": _mean(whole), **{f"p{percent:g}": _percentile(percent)(whole) for percent in PERCENTILES}}
    return {f"{name}{mark}": value for mark, value in {**marks, "max": _percentile(100.0)(whole)}.items()}


def spells(milliseconds: F64) -> int:
    """Return in how many separate spells latency was at p99 or above, with a return to the median between two.

    Parameters
    ----------
    milliseconds
        Of requests in the order in which they were due.
    """
    if not len(milliseconds):
        return 0
    ordered = np.sort(milliseconds)
    high, middle = (ordered[max(0, math.ceil(round(share * len(ordered), 6)) - 1)] for share in (0.99, 0.5))
    if high <= middle:
        return 0
    slow = milliseconds[(milliseconds >= high) | (milliseconds <= middle)] >= high
    return int(slow[0]) + int((slow[1:] & ~slow[:-1]).sum())


def _counted(milliseconds: F64) -> Latencies:
    positive = np.maximum(milliseconds, 1e-3)
    scale = 10.0 ** (np.floor(np.log10(positive)) - (_DIGITS - 1))
    values, counts = np.unique(np.rint(positive / scale) * scale, return_counts=True)
    return values, counts


def _merged(parts: Sequence[Latencies]) -> Latencies:
    values = np.concatenate([times for times, _ in parts])
    counts = np.concatenate([weights for _, weights in parts])
    order = np.argsort(values, kind="stable")
    return values[order], counts[order]


def _mean(merged: Latencies) -> float:
    values, counts = merged
    return float(np.average(values, weights=counts)) if counts.sum() else math.nan


def _percentile(percent: float) -> Callable[[Latencies], float]:
    def statistic(merged: Latencies) -> float:
        values, counts = merged
        reached = np.cumsum(counts)
        if not len(reached):
            return math.nan
        wanted = max(1, math.ceil(round(percent * int(reached[-1]) / 100.0, 6)))
        return float(values[np.searchsorted(reached, wanted)])

    return statistic


def _without(parts: F64) -> F64:
    """Return the sum of all but each."""
    rest: F64 = parts.sum() - parts
    return rest


def _jackknife(without: F64) -> float:
    """Return how far the ends are from a number, of which these are the values without each block."""
    blocks = len(without)
    variance = (blocks - 1) / blocks * float(((without - without.mean()) ** 2).sum())
    return t_quantile((1.0 + _LEVEL) / 2.0, blocks - 1) * math.sqrt(variance)
