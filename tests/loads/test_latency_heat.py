"""Shares of requests by latency over time: those of a stretch of time are a whole, and nothing else is counted."""

from pathlib import Path

import numpy as np
import polars as pl
import pytest

from benchbench.loads.latency_heat import latency_heat
from benchbench.results.reading import Loaded
from benchbench.results.record import record

TIMES = np.random.default_rng(1).lognormal(2.0, 1.0, 400)


def loaded(folder: Path, **columns: object) -> Loaded:
    due = np.linspace(-2.0, 8.0, len(TIMES))
    frame = pl.DataFrame({"due": due, "end": due + TIMES / 1e3}).with_columns(
        step=pl.lit(2), counted=pl.col("due") >= 0.0, error=pl.lit(None, pl.String)
    )
    frame.with_columns(**columns).write_parquet(folder / "requests.parquet")
    return Loaded(folder, record("load", 0.0, 1.0), {}, ["requests"])


def test_the_shares_of_a_stretch_of_time_are_a_whole_and_the_slowest_request_is_in_the_highest_cell(tmp_path: Path):
    before, cells, after = latency_heat(loaded(tmp_path), 3)
    assert before == after == []
    begins = sorted({cell.begin for cell in cells})
    assert len(begins) == 30
    for begin in begins:
        assert sum(cell.share for cell in cells if cell.begin == begin) == pytest.approx(1.0)
    counted = TIMES[80:]
    assert max(cell.high for cell in cells) == pytest.approx(counted.max())
    assert min(cell.low for cell in cells) == pytest.approx(counted.min())
    first = counted[:10]  # of 320 in 30 stretches
    found = {(cell.low, cell.high) for cell in cells if cell.begin == 0.0}
    assert all(any(low * 0.999 <= time <= high * 1.001 for low, high in found) for time in first)


def test_a_step_with_few_requests_has_few_stretches_and_where_all_have_few_there_are_no_cells(tmp_path: Path):
    rare = (pl.int_range(pl.len()) % 15 == 0) & pl.col("counted")
    _, rare_cells, cells = latency_heat(loaded(tmp_path, step=pl.when(rare).then(2).otherwise(3)), 3)
    assert {cell.end for cell in rare_cells} == {0.5, 1.0}
    assert len({cell.begin for cell in cells}) == 29
    failed = pl.when(pl.col("due") > 1.0).then(pl.lit("busy")).alias("error")
    assert latency_heat(loaded(tmp_path, error=failed), 3) is None


def test_equal_latencies_are_one_row_and_without_requests_there_are_no_cells(tmp_path: Path):
    result = loaded(tmp_path, end=pl.col("due") + 0.25)
    assert {cell.share for cell in latency_heat(result, 2)[1]} == {1.0}
    assert latency_heat(Loaded(tmp_path, record("load", 0.0, 1.0), {}, []), 1) is None
