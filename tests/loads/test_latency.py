import math

import numpy as np
import pytest
from hdrh.histogram import HdrHistogram
from hypothesis import given
from hypothesis import strategies as st

from benchbench.loads.latency import PERCENTILES, Histogram, summarised

SECONDS = st.lists(st.floats(1e-6, 3600.0), min_size=1, max_size=50)


def histogram(seconds: list[float]) -> Histogram:
    made = Histogram()
    made.record(seconds)
    return made


@given(st.lists(st.lists(st.floats(1e-6, 3600.0), max_size=30), min_size=1, max_size=4))
def test_the_merge_of_histograms_is_the_histogram_of_all_values(parts: list[list[float]]):
    merged = Histogram.merged(map(histogram, parts))
    whole = histogram([value for part in parts for value in part])
    assert len(merged) == len(whole)
    assert summarised(merged) == pytest.approx(summarised(whole), nan_ok=True, rel=0, abs=0)


@given(SECONDS)
def test_percentiles_are_observed_values_to_a_thousandth(seconds: list[float]):
    made = histogram(seconds)
    percents = (*PERCENTILES, 100.0)
    exact = np.percentile(seconds, percents, method="inverted_cdf") * 1e3
    assert made.percentiles(*percents) == pytest.approx(exact.tolist(), rel=1.1e-3, abs=1e-3)
    assert made.mean() == pytest.approx(np.mean(seconds) * 1e3, rel=1e-3, abs=1e-3)


def test_the_average_of_percentiles_is_not_the_percentile():
    fast, slow = histogram([0.001] * 99), histogram([1.0])
    assert Histogram.merged([fast, slow]).percentiles(99.0) == pytest.approx([1.0], rel=1e-3)
    assert sum(fast.percentiles(99.0) + slow.percentiles(99.0)) / 2 == pytest.approx(500.5, rel=1e-3)


def test_an_empty_histogram_has_no_percentile():
    assert len(Histogram()) == 0
    assert all(math.isnan(value) for value in summarised(Histogram()).values())


def test_values_out_of_range_count_at_its_ends():
    made = histogram([-1.0, 0.0, 1e9])
    assert len(made) == 3
    assert made.percentiles(50.0) == pytest.approx([0.001])
    assert made.percentiles(100.0) == pytest.approx([86_400_000], rel=1e-3)


def test_others_can_read_a_histogram():
    read = HdrHistogram.decode(histogram([0.002, 0.004]).encoded())
    assert read.get_total_count() == 2
    assert read.get_value_at_percentile(100) == pytest.approx(4000, rel=1e-3)
