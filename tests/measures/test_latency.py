"""How fast the service answered, from the records of the attempts."""

from fractions import Fraction
from math import ceil
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchbench.measures.latency import PERCENTILES, latency


def attempts(*rows: tuple[Any, ...]) -> pl.DataFrame:
    """Make attempts from (first query, sent, end, bytes, error), and where it is not the first one the page."""
    schema = {
        "first_query": pl.Int64,
        "sent": pl.Float64,
        "end": pl.Float64,
        "bytes": pl.Int64,
        "error": pl.String,
        "page": pl.Int64,
    }
    return pl.DataFrame([row if len(row) > 5 else (*row, 1) for row in rows], schema=schema, orient="row")


def test_the_pages_of_a_query_are_requests_and_have_one_latency() -> None:
    result = latency(
        attempts(
            (0, 1.0, 1.5, 10, None, 1),
            (0, 1.75, 2.0, 10, "503", 2),
            (0, 2.5, 3.0, 10, None, 2),
            (1, 1.0, 1.25, 5, None),
        ),
        scored_queries=2,
    )
    assert (result.requests, result.attempts, result.timed, result.further_pages) == (3, 4, 2, 1)
    assert (result.percentiles["p50"], result.max) == (250.0, 2000.0)


def test_a_request_lasts_from_its_first_sending_to_its_last_end() -> None:
    result = latency(
        attempts((0, 1.0, 1.5, 10, "503"), (0, 2.0, 2.25, 30, None), (32, 1.0, 1.25, 5, None)), scored_queries=64
    )
    assert (result.requests, result.attempts, result.failed_attempts, result.bytes) == (2, 3, 1, 45)
    assert result.max == pytest.approx(1250)
    assert result.mean == pytest.approx((1250 + 250) / 2)
    assert result.percentiles["p50"] == pytest.approx(250)


def test_failed_requests_count_with_the_others() -> None:
    result = latency(attempts((0, 0.0, 60.0, 0, "timeout"), (1, 0.0, 0.5, 9, None)), scored_queries=1)
    assert result.max == result.percentiles["p99"] == pytest.approx(60_000)
    assert (result.requests, result.failed_attempts) == (2, 1)


def test_the_rate_is_of_scored_queries_over_the_time_from_first_sending_to_last_end() -> None:
    result = latency(attempts((0, 0.5, 1.0, 0, None), (32, 0.75, 4.5, 0, None)), scored_queries=64)
    assert result.seconds == pytest.approx(4.0)
    assert result.queries_per_second == pytest.approx(16.0)


def test_one_request_is_every_percentile() -> None:
    result = latency(attempts((0, 0.0, 0.125, 0, None)), scored_queries=1)
    assert set(result.percentiles.values()) == {125.0} == {result.mean, result.max}
    assert list(result.percentiles) == ["p50", "p90", "p95", "p99"]


@given(st.lists(st.integers(1, 10_000), min_size=1, max_size=300))
def test_a_percentile_is_the_smallest_observed_value_that_enough_requests_do_not_exceed(times: list[int]) -> None:
    result = latency(attempts(*((q, 0.0, time / 1024, 0, None) for q, time in enumerate(times))), len(times))
    ordered = sorted(times)
    for p in PERCENTILES:
        rank = ceil(Fraction(int(p), 100) * len(times))
        assert result.percentiles[f"p{p:g}"] == ordered[rank - 1] / 1024 * 1e3
    assert result.max == ordered[-1] / 1024 * 1e3
    assert result.mean == pytest.approx(np.mean(times) / 1.024)


@pytest.mark.parametrize("n", [20, 40, 60, 100, 180, 200, 700, 1000, 2000])
def test_a_percentile_is_exact_where_its_share_is_a_whole_number_of_requests(n: int) -> None:
    result = latency(attempts(*((q, 0.0, float(q + 1), 0, None) for q in range(n))), n)
    assert [result.percentiles[f"p{p}"] for p in (50, 90, 95)] == [n * p // 100 * 1000 for p in (50, 90, 95)]
