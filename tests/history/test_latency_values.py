"""Latency by blocks of consecutive requests."""

import math

import numpy as np
import polars as pl
import pytest

from benchbench.history.check.run_values import block_values, latency_names, requests

SCHEMA = {"query": pl.String, "latency_ms": pl.Float64, "request": pl.Int64, "subject": pl.String}


def frame(*rows: tuple[str, float | None, int | None, str]) -> pl.DataFrame:
    return pl.DataFrame(rows, schema=SCHEMA, orient="row")


def test_queries_of_one_request_are_one_latency_in_the_order_of_the_queries():
    latency = frame(("c", 5.0, 2, ""), ("d", 5.0, 2, ""), ("a", 7.0, 0, ""), ("b", 7.0, 0, ""))
    assert requests(latency, "").tolist() == [7.0, 5.0]


def test_each_target_has_latencies_of_its_own():
    latency = frame(("a", 1.0, 0, "old"), ("a", 2.0, 0, "new"))
    assert latency_names(latency) == {"old.p50": "old", "new.p50": "new"}
    assert requests(latency, "new").tolist() == [2.0]


def test_what_has_no_place_in_the_order_is_left_out():
    latency = frame(("a", 1.0, None, ""), ("b", math.inf, 1, ""), ("c", None, 2, ""), ("d", 3.0, 3, ""))
    assert requests(latency, "").tolist() == [3.0]
    assert latency_names(frame(("a", 1.0, None, ""))) == {}
    assert latency_names(frame()) == {}
    assert len(requests(frame(), "")) == 0


@pytest.mark.parametrize(("many", "blocks"), [(7, 3), (24, 24), (100, 24), (2, 4)])
def test_a_block_has_the_logarithm_of_its_median(many: int, blocks: int) -> None:
    milliseconds = np.random.default_rng(1).uniform(1.0, 100.0, many)
    found = block_values(milliseconds, blocks)
    sizes = [many // blocks + (block < many % blocks) for block in range(blocks)]
    start = 0
    for block, size in enumerate(sizes):
        part = sorted(milliseconds[start : start + size])
        start += size
        middle = [math.log(one) for one in part[(size - 1) // 2 : size // 2 + 1]]
        expected = sum(middle) / len(middle) if size else math.nan
        assert found[block] == pytest.approx(expected, nan_ok=True)


def test_a_latency_that_no_clock_can_tell_from_0_has_a_logarithm():
    assert np.isfinite(block_values(np.array([0.0, -1.0]), 2)).all()
