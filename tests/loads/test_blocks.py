"""Intervals from blocks, beside a naive jackknife and what they are made for: queues."""

import math

import numpy as np
import polars as pl
import pytest
from scipy import stats

from benchbench.loads.intervals import Block, blocks_of, enough, intervals, method, needed, parts_of, spells, summary


def frame(due: np.ndarray, seconds: np.ndarray, failed: np.ndarray | None = None) -> pl.DataFrame:
    failed = np.zeros(len(due), np.bool_) if failed is None else failed
    return pl.DataFrame(
        {
            "counted": due >= 0.0,
            "due": due,
            "sent": due,
            "end": due + seconds,
            "error": pl.Series(["down" if one else None for one in failed], dtype=pl.String),
        }
    )


def queue(random: np.random.Generator, rho: float, duration: float, rate: float = 100.0) -> pl.DataFrame:
    """Return the requests of a queue with one server, random arrivals and random work (M/M/1)."""
    due = np.cumsum(random.exponential(1 / rate, int(1.2 * rate * (duration + 5.0)))) - 5.0
    due = due[due < duration]
    work = random.exponential(rho / rate, len(due))
    free = np.concatenate([[0.0], np.cumsum(work[:-1] - np.diff(due))])
    return frame(due, free - np.minimum.accumulate(free) + work)


def values_of(blocks: list[Block], **others: float) -> dict[str, float]:
    found = {"batch_size": 1.0, "error_rate": 0.0, "requests_per_second": 100.0, "queries_per_second": 100.0}
    return {**found, **summary(blocks, ""), **summary(blocks, "sent_"), **others}


def test_an_interval_is_the_jackknife_of_the_logarithm_over_blocks():
    random = np.random.default_rng(1)
    parts = [queue(random, 0.7, 30.0) for _ in range(6)]
    blocks = [block for part in parts for block in blocks_of(part, 30.0, 1)]
    values = values_of(blocks)
    found = intervals(blocks, values)
    latencies = [(part.filter("counted")["end"] - part.filter("counted")["due"]).to_numpy() * 1e3 for part in parts]
    for mark, statistic in {
        "mean": np.mean,
        "p50": lambda them: np.percentile(them, 50, method="inverted_cdf"),
        "p99": lambda them: np.percentile(them, 99, method="inverted_cdf"),
    }.items():
        without = [math.log(statistic(np.concatenate(latencies[:i] + latencies[i + 1 :]))) for i in range(6)]
        error = stats.t.ppf(0.975, 5) * math.sqrt(5 / 6 * sum((one - np.mean(without)) ** 2 for one in without))
        whole = statistic(np.concatenate(latencies))
        assert values[mark] == pytest.approx(whole, rel=0.01)
        assert found[mark] == pytest.approx((whole * math.exp(-error), whole * math.exp(error)), rel=0.02)


@pytest.mark.slow  # 200 times the requests of two minutes
def test_the_interval_of_a_mean_covers_it_in_about_95_percent():
    random, covered = np.random.default_rng(7), 0
    for _ in range(200):
        blocks = [block for _ in range(6) for block in blocks_of(queue(random, 0.7, 20.0), 20.0, 1)]
        low, high = intervals(blocks, values_of(blocks))["mean"]
        covered += low <= 7.0 / (1 - 0.7) <= high
    assert 0.88 <= covered / 200 <= 0.99


def test_a_percentile_of_few_requests_has_no_interval():
    blocks = blocks_of(queue(np.random.default_rng(1), 0.5, 6.0), 6.0, 6)
    found = intervals(blocks, values_of(blocks))
    assert "p50" in found
    assert "p99" not in found
    assert sum(block.requests for block in blocks) < needed(99.0)


@pytest.mark.parametrize(("percent", "requests"), [(50.0, 20), (90.0, 100), (95.0, 200), (99.0, 1000), (99.9, 10_000)])
def test_a_percentile_needs_ten_requests_above_it(percent, requests):
    assert needed(percent) == requests
    assert enough(percent, requests)
    assert not enough(percent, requests - 1)


def test_fewer_than_six_blocks_or_an_empty_one_have_no_interval():
    requests = queue(np.random.default_rng(1), 0.5, 60.0)
    few = blocks_of(requests, 60.0, 5)
    assert intervals(few, values_of(few)) == {}
    late = blocks_of(requests.filter(pl.col("due") > 15.0), 60.0, 6)
    assert intervals(late, values_of(late)) == {}


@pytest.mark.parametrize(("repeats", "parts"), [(1, 6), (2, 3), (3, 2), (4, 2), (5, 2), (6, 1), (20, 1)])
def test_few_repeats_are_cut_into_stretches_of_time(repeats, parts):
    assert parts_of(repeats) == parts
    kind = "repeats" if parts == 1 else "stretches of time"
    assert method(parts * repeats, repeats) == f"95 % jackknife t interval over {parts * repeats} {kind}"


def test_a_block_has_what_was_due_in_it_and_counts_what_ended_in_it():
    due = np.array([-0.5, 0.1, 0.9, 1.1, 1.9])
    blocks = blocks_of(frame(due, np.array([0.6, 0.05, 0.5, 0.1, 0.2]), np.array([0, 0, 0, 1, 0], np.bool_)), 2.0, 2)
    assert [(one.requests, one.failed, one.completed) for one in blocks] == [(2, 0, 2), (2, 1, 1)]
    assert [one.latencies["answered_"][1].sum() for one in blocks] == [2, 1]


def test_errors_have_an_interval_where_there_are_any():
    random = np.random.default_rng(3)
    due = np.arange(0.0, 60.0, 0.01)
    failed = random.random(len(due)) < 0.1
    blocks = blocks_of(frame(due, np.full(len(due), 0.01), failed), 60.0, 6)
    low, high = intervals(blocks, values_of(blocks, error_rate=float(failed.mean())))["error_rate"]
    assert 0.07 < low < failed.mean() < high < 0.13


def test_a_service_that_failed_throughout_has_no_interval_of_throughput_and_error_rate_and_a_steady_one_has():
    due = np.arange(0.0, 60.0, 0.01)
    for failed in (True, False):
        blocks = blocks_of(frame(due, np.full(len(due), 0.0005), np.full(len(due), failed)), 60.0, 6)
        found = intervals(blocks, values_of(blocks, error_rate=float(failed)))
        assert "p50" in found
        assert "error_rate" not in found
        assert ("requests_per_second" in found) == (not failed)


def test_spells_are_told_apart_by_a_return_to_the_median():
    calm = [1.0] * 60
    assert spells(np.array([*calm, 9.0, 9.0, 2.0, 9.0, *calm, 9.0, *calm])) == 2
    assert spells(np.array(calm)) == 0
    assert spells(np.zeros(0)) == 0
