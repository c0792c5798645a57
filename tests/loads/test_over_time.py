import numpy as np
import polars as pl
import pytest

from benchbench.loads.over_time import over_time, over_time_frame


def counted(due: np.ndarray, seconds: np.ndarray) -> pl.DataFrame:
    errors = pl.Series([None if one < 1.0 else "slow" for one in seconds], dtype=pl.String)
    return pl.DataFrame({"due": due, "end": due + seconds, "error": errors})


def test_a_stall_shows_in_the_stretch_in_which_requests_were_due():
    due = np.arange(0.0, 30.0, 0.01)
    found = over_time(counted(due, np.where((due >= 12.0) & (due < 13.0), 1.5, 0.01)), 30.0, 1)
    assert {one.seconds for one in found} == {0.5}
    assert [one.begin for one in found if one.p50 is not None and one.p50 > 1000] == [12.0, 12.5]
    assert [one.failed for one in found if one.failed] == [50, 50]
    assert all(one.rate == pytest.approx(100.0, rel=0.03) for one in found)
    assert sum(one.requests for one in found) == len(due)


@pytest.mark.parametrize(("duration", "rate"), [(0.01, 300.0), (30.0, 1.0), (7.3, 50.0), (600.0, 1000.0)])
def test_stretches_are_at_most_60_and_of_a_round_length(duration, rate):
    due = np.arange(0.0, duration, 1.0 / rate)
    found = over_time(counted(due, np.full(len(due), 0.01)), duration, 2)
    assert 1 <= len(found) <= 60
    assert sum(one.seconds for one in found) == pytest.approx(duration)
    assert {one.repeat for one in found} == {2}


def test_a_stretch_without_a_request_has_no_latency():
    due = np.array([*np.arange(0.0, 1.0, 0.01), *np.arange(9.0, 10.0, 0.01)])
    found = over_time(counted(due, np.full(len(due), 0.01)), 10.0, 1)
    assert [(one.requests, one.p50) for one in found[1:-1]] == [(0, None)] * (len(found) - 2)


def test_the_table_has_a_row_per_stretch_of_each_step():
    due = np.arange(0.0, 4.0, 0.01)
    one = over_time(counted(due, np.full(len(due), 0.01)), 4.0, 1)
    frame = over_time_frame([("a", one), ("b", one)])
    assert frame["step"].to_list() == [1] * len(one) + [2] * len(one)
    assert {"repeat", "begin", "seconds", "requests", "failed", "rate", "p50", "p99", "max", "few"} <= set(
        frame.columns
    )
