"""The ratio of two services' latencies, beside a slow twin and scipy's interval."""

import math
import statistics

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from benchbench.significance.autocorrelation import OF_TESTS, autocorrelation
from benchbench.significance.latency_ratio import block_values, latency_ratio

seeds, numbers_of_blocks = st.integers(0, 10_000), st.integers(2, 24)


def naive_ratios(first: list[float], second: list[float], blocks: int) -> list[float]:
    """Return the ratio of medians of each block, cut by hand; the first blocks have one request more."""
    ratios = []
    for block in range(blocks):
        cut = []
        for times in (first, second):
            short, longer = divmod(len(times), blocks)
            start = block * short + min(block, longer)
            cut.append([math.log(ms) for ms in times[start : start + short + (block < longer)]])
        ratios.append(statistics.median(cut[0]) - statistics.median(cut[1]))
    return ratios


@given(seeds, numbers_of_blocks, st.floats(0.1, 10.0))
def test_the_ratio_is_that_of_a_slow_twin_and_its_interval_is_scipys_or_wider(seed: int, blocks: int, factor: float):
    random = np.random.default_rng(seed)
    first, second = (random.lognormal(2.0, 0.5, size) for size in random.integers(blocks, 200, 2))
    second = second / factor
    ratio, low, high = latency_ratio(first, second, blocks, 0.05)
    logarithms = naive_ratios(first.tolist(), second.tolist(), blocks)
    assert ratio == pytest.approx(math.exp(statistics.fmean(logarithms)))
    interval = stats.ttest_1samp(logarithms, 0.0).confidence_interval(0.95)
    alike = autocorrelation(np.array(logarithms), correction=OF_TESTS)
    wider = 1.0 + 2.0 * sum((1.0 - lag / blocks) * alike**lag for lag in range(1, blocks))
    assert math.log(high) - math.log(low) == pytest.approx((interval.high - interval.low) * math.sqrt(wider))
    assert latency_ratio(second, first, blocks, 0.05) == pytest.approx((1.0 / ratio, 1.0 / high, 1.0 / low))


@pytest.mark.parametrize("alike", [0.0, 0.5, 0.9])
def test_equal_services_seem_to_differ_in_one_of_twenty_also_where_requests_resemble_the_one_before(alike: float):
    random, missed = np.random.default_rng(7), 0
    for _ in range(300):
        noise = random.normal(size=(100, 2))
        for at in range(1, 100):
            noise[at] = alike * noise[at - 1] + math.sqrt(1.0 - alike**2) * noise[at]
        _, low, high = latency_ratio(*np.exp(0.4 * noise.T + 2.0), 24, 0.05)
        missed += not low <= 1.0 <= high
    assert missed <= 0.08 * 300  # 15 are expected; more than 24 of a binomial one in a hundred times


def test_equal_times_have_an_interval_without_width_and_what_a_clock_cannot_tell_has_a_logarithm():
    assert latency_ratio(np.full(30, 2.0), np.full(30, 4.0), 6, 0.05) == pytest.approx((0.5, 0.5, 0.5))
    assert np.isfinite(block_values(np.array([0.0, -1.0]), 2)).all()
