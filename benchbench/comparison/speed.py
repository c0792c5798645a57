"""Which of two systems answers faster, and whether that may be said: only of requests that were sent alike."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any, NamedTuple

from benchbench.kernels.arrays import F64
from benchbench.results.record import Record
from benchbench.significance.latency_ratio import FEWEST_BLOCKS, MOST_BLOCKS, latency_ratio
from benchbench.tables.shared_messages import counted

NOT_COMPARED = "speed was not compared:"  # before the reason
FEWEST = 100  # requests of each side, unless both were asked in turns: of fewer, a slow second decides
_MOST_FAILED = 0.01  # of the queries: a service that fails fast looks fast
_SENT = {  # a setting that must be alike -> what each side did, with what is counted
    "batch_size": ("sent", "query", " per request"),
    "concurrency": ("had", "request", " in flight"),
    "top_k": ("asked for", "hit", " per query"),
    "workers": ("used", "worker", ""),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class SpeedRatio:
    """How many times as fast as the baseline a system answers, or why that is not known.

    The ratio is the median latency of the baseline over that of the system: above 1 the system is faster.
    """

    baseline: str
    system: str
    ratio: float | None = None
    low: float | None = None  # all intervals of a comparison hold together
    high: float | None = None
    in_turns: bool = False
    why: str = ""  # not compared; empty where it was

    @property
    def direction(self) -> int:
        """1 where the system is measurably faster, -1 where it is slower, else 0."""
        return 0 if self.low is None or self.high is None else (self.low > 1.0) - (self.high < 1.0)

    def reversed(self) -> "SpeedRatio":
        """Return the same with the two systems exchanged."""
        ratio, high, low = (None if number is None else 1.0 / number for number in (self.ratio, self.low, self.high))
        return replace(self, baseline=self.system, system=self.baseline, ratio=ratio, low=low, high=high)


class TimedRun(NamedTuple):
    """A run, and the milliseconds of its requests in the order of the queries that they carried."""

    record: Record
    milliseconds: F64


def speed_ratios(runs: Mapping[str, TimedRun], alpha: float) -> tuple[SpeedRatio, ...]:
    """Return the ratio of each pair of runs; the intervals of all pairs together miss with the chance alpha at most."""
    pairs = list(combinations(runs, 2))
    return tuple(speed_ratio(pair, [runs[name] for name in pair], alpha / len(pairs)) for pair in pairs)


def speed_ratio(names: tuple[str, str], runs: Sequence[TimedRun], alpha: float) -> SpeedRatio:
    """Return how many times as fast as the first run the second one answered, or why they cannot be compared."""
    first, second = runs
    in_turns = _in_turns(first.record, second.record)
    fewest = min(len(run.milliseconds) for run in runs)
    concurrency = max(_setting(run.record, "concurrency") or 1 for run in runs)
    blocks = min(MOST_BLOCKS, fewest // concurrency)  # what is in flight together is alike
    needed = max(0 if in_turns else FEWEST, FEWEST_BLOCKS * concurrency)
    why = sent_unlike(names, first.record, second.record) or next(filter(None, map(_failing, names, runs)), "")
    if not why and fewest < needed:
        why = f"it takes {needed:,} requests per system, not {fewest:,}"
    if why:
        return SpeedRatio(baseline=names[0], system=names[1], why=why)
    ratio, low, high = latency_ratio(first.milliseconds, second.milliseconds, blocks, alpha)
    return SpeedRatio(baseline=names[0], system=names[1], ratio=ratio, low=low, high=high, in_turns=in_turns)


def compared_systems(ratios: Iterable[SpeedRatio]) -> frozenset[str]:
    """Return the systems whose speeds may stand beside one another: those of a pair that was compared."""
    return frozenset(name for ratio in ratios if not ratio.why for name in (ratio.baseline, ratio.system))


def sent_unlike(names: tuple[str, str], first: Record, second: Record) -> str:
    """Return in what the requests of two runs differ, in words; empty where in nothing that is known of both."""
    a, b = names
    for setting, (verb, noun, rest) in _SENT.items():
        before, after = (_setting(record, setting) for record in (first, second))
        if isinstance(before, int) and isinstance(after, int) and before != after:
            return f"{a} {verb} {counted(before, noun)}{rest}, {b} {after:,}"
    for what, told in (("protocol", _protocol), ("connection", _connection), ("client's machine", _machine)):
        before, after = told(first), told(second)
        if before and after and before != after:
            return f"the {what} of {a} is {before}, of {b} {after}"
    return ""


def _setting(record: Record, name: str) -> Any:
    value = record.settings[name].value if name in record.settings else None
    return value[0] if isinstance(value, list) and len(value) == 1 else value  # a load test may have several


def _protocol(record: Record) -> str:
    return _setting(record, "protocol") or ""


def _connection(record: Record) -> str:
    """Return how the service is reached; empty where that is not known."""
    url = _setting(record, "url")
    return url.partition("://")[0] if url else "in the same process" if "url" in record.settings else ""


def _machine(record: Record) -> str:
    """Return what is known of the machine, without the release of its system, which changes often."""
    host = record.environment.host
    return f"{host['machine']} with {host['usable_cpus']} cores" if {"machine", "usable_cpus"} <= host.keys() else ""


def _failing(name: str, run: TimedRun) -> str:
    counts = {count.name: count.count for count in run.record.counts if not count.scope}
    failed, queries = counts.get("failed", 0), counts.get("queries", 0)
    return f"{failed:,} of {queries:,} queries of {name} failed" if failed > _MOST_FAILED * queries else ""


def _in_turns(first: Record, second: Record) -> bool:
    """Say whether one command asked both in turns: the runs of several targets overlap in time."""
    together = max(first.started, second.started) < min(first.finished, second.finished)
    return together and first.environment.command == second.environment.command
