"""Latencies as HDR histograms: three significant digits from 1 µs to a day, and they merge without loss."""

import math
from collections.abc import Iterable, Sequence

import numpy as np
from hdrh.histogram import HdrHistogram  # type: ignore[import-untyped]  # the package has no types

from benchbench.kernels.arrays import F64

PERCENTILES = (50.0, 90.0, 95.0, 99.0, 99.9)
_DAY = 86_400_000_000  # microseconds


class Histogram:
    """Counts of latencies; a percentile is the smallest value that at least that share does not exceed.

    A value is known to 0.1 %, and shown as the largest that it may have been.
    """

    def __init__(self) -> None:
        """Start empty."""
        self._counts = HdrHistogram(1, _DAY, 3)

    def __len__(self) -> int:
        """Return the number of latencies."""
        return int(self._counts.get_total_count())

    def record(self, seconds: Sequence[float] | F64) -> None:
        """Add latencies; below a microsecond counts as one, above a day as a day."""
        micros = np.clip(np.rint(np.asarray(seconds, np.float64) * 1e6), 1, _DAY).astype(np.int64)
        for value, times in zip(*np.unique(micros, return_counts=True), strict=True):
            self._counts.record_value(int(value), int(times))

    def percentiles(self, *percents: float) -> list[float]:
        """Return percentiles in milliseconds; NaN when there is no latency."""
        total = len(self)
        if not total:
            return [math.nan] * len(percents)
        # hdrh rounds a share of the latencies to the nearest of them, where the definition goes up.
        shares = [100.0 * max(1, math.ceil(round(percent * total / 100.0, 6))) / total for percent in percents]
        values = self._counts.get_percentile_to_value_dict(shares)
        return [float(values[share]) / 1e3 for share in shares]

    def mean(self) -> float:
        """Return the mean in milliseconds; NaN when there is no latency."""
        if not len(self):
            return math.nan
        counts = np.frombuffer(self._counts.counts, np.int64)
        filled = np.flatnonzero(counts)  # hdrh's own mean visits all 28,000 counters: 220 ms
        lowest = [self._counts.get_value_from_index(index) for index in filled.tolist()]
        highest = [self._counts.get_highest_equivalent_value(value) for value in lowest]
        middles = (np.array(lowest) + np.array(highest)) / 2.0
        return float(np.average(middles, weights=counts[filled])) / 1e3

    def encoded(self) -> str:
        """Return the histogram as HdrHistogram's V2 log format writes it, in base64 and in microseconds."""
        return bytes(self._counts.encode()).decode("ascii")

    @classmethod
    def decoded(cls, text: str) -> "Histogram":
        """Return the histogram that `encoded` wrote."""
        whole = cls()
        whole._counts = HdrHistogram.decode(text)
        return whole

    @classmethod
    def merged(cls, parts: Iterable["Histogram"]) -> "Histogram":
        """Return the histogram of all latencies of some histograms."""
        whole = cls()
        for part in parts:
            if len(part):
                whole._counts.add(part._counts)
        return whole


def summarised(histogram: Histogram, prefix: str = "", share: float = 1.0) -> dict[str, float]:
    """Return mean, percentiles and maximum in milliseconds, each times `share`, under names with a prefix."""
    names = [*(f"p{p:g}" for p in PERCENTILES), "max"]
    marks = zip(names, histogram.percentiles(*PERCENTILES, 100.0), strict=True)
    values = {"mean": histogram.mean(), **dict(marks)}
    return {f"{prefix}{name}": share * value for name, value in values.items()}
