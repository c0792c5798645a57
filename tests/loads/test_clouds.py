from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchbench.errors import InputError
from benchbench.loads.clouds import cloud, clouds, rising
from benchbench.results.reading import Loaded
from benchbench.results.record import record


def requests(due: np.ndarray, milliseconds: np.ndarray, failed: int = 0) -> pl.DataFrame:
    errors = pl.Series(["busy" if place < failed else None for place in range(len(due))], dtype=pl.String)
    return pl.DataFrame(
        {"repeat": 1, "counted": due >= 0.0, "due": due, "end": due + milliseconds / 1e3, "error": errors}
    )


@given(st.lists(st.tuples(st.floats(0, 30), st.floats(0.1, 1e4)), min_size=20, max_size=80))
def test_growth_is_the_slope_of_least_squares(points):
    due, times = (np.array(one) for one in zip(*points, strict=True))
    growth, _, _ = rising(due, times, np.ones(len(due), np.int64))
    if np.ptp(due) < 1e-3:
        return
    assert growth == pytest.approx(np.polyfit(due, times, 1)[0], rel=1e-4, abs=1e-2)


def test_each_repeat_has_a_height_of_its_own():
    due = np.arange(0.0, 10.0, 0.1)
    times = 50.0 + 3.0 * due
    both = rising(np.tile(due, 2), np.concatenate([times, 500.0 + 3.0 * due]), np.repeat([1, 2], len(due)))
    assert both[0] == pytest.approx(3.0)
    assert both[2] is False


@pytest.mark.parametrize(
    ("height", "level"), [(lambda due: 20.0 + 0.5 * due, True), (lambda due: 20.0 + 100.0 * due, False)]
)
def test_a_queue_rises_and_what_grows_by_less_than_a_millisecond_a_second_is_level(height, level):
    due = np.arange(-2.0, 15.0, 0.02)
    times = np.random.default_rng(3).exponential(5.0, len(due)) + height(np.maximum(due, 0.0))
    found = cloud(requests(due, times, failed=120))
    assert found.level is level
    assert {at < 0 for at, _ in found.warm_up} == {True}
    assert (len(found.warm_up), len(found.failed)) == (100, 20)
    assert found.drawn == found.requests == len(due)


def test_bursts_that_cover_whole_parts_of_a_step_are_no_queue():
    due = np.arange(0.0, 10.0, 0.01)
    bursts = np.where(np.isin(due.astype(int), (1, 4, 8)), 300.0, 10.0)
    growth, error, level = rising(due, bursts, np.ones(len(due), np.int64))
    assert abs(growth) < 2 * error
    assert level is True


def test_of_few_requests_nobody_says_whether_they_are_level():
    assert rising(np.arange(19.0), np.arange(19.0), np.ones(19, np.int64)) == (None, None, None)
    assert rising(np.ones(30), np.arange(30.0), np.ones(30, np.int64)) == (None, None, None)


def test_failed_requests_are_apart_and_the_warm_up_fails_quietly():
    due = np.arange(-10, 20) / 10
    found = cloud(requests(due, np.full(len(due), 5.0), failed=15))
    assert len(found.failed) == 5
    assert len(found.warm_up) == 10
    assert len(found.counted) == 15


def loaded(folder: Path, frame: pl.DataFrame) -> Loaded:
    frame.write_parquet(folder / "requests.parquet")
    return Loaded(folder, record("load", 0.0, 1.0), {}, ["requests"])


def test_the_requests_of_each_step_are_read_from_the_folder(tmp_path: Path):
    due = np.arange(0.0, 5.0, 0.1)
    frame = requests(due, np.full(len(due), 5.0))
    both = pl.concat([frame.with_columns(step=pl.lit(1)), frame.head(10).with_columns(step=pl.lit(3))])
    found = clouds(loaded(tmp_path, both), 3)
    assert [one.requests for one in found] == [50, 0, 10]


def test_version_0_1_numbered_no_repeats_and_other_tables_have_no_dots(tmp_path: Path):
    due = np.arange(0.0, 5.0, 0.1)
    frame = requests(due, np.full(len(due), 5.0)).with_columns(step=pl.lit(1)).drop("repeat")
    assert clouds(loaded(tmp_path, frame), 1)[0].level is True
    assert clouds(loaded(tmp_path, frame.select("step", "due")), 1) is None
    assert clouds(Loaded(tmp_path, record("load", 0.0, 1.0), {}, []), 1) is None


def test_a_damaged_table_is_said_with_its_name(tmp_path: Path):
    (tmp_path / "requests.parquet").write_bytes(b"PAR1 and no more")
    with pytest.raises(InputError, match=r"requests\.parquet cannot be read"):
        clouds(Loaded(tmp_path, record("load", 0.0, 1.0), {}, ["requests"]), 1)
