"""Numbers `LANES` at a time, against numpy."""

import numba
import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from benchbench.kernels.simd import LANES, add_times, load, load_bytes, store

doubles = st.floats(allow_nan=False, allow_infinity=False, width=64, min_value=-1e150, max_value=1e150)


@numba.njit
def add_row(sums, i, times, k, x):
    store(sums, i, add_times(load(sums, i), load_bytes(times, k), x))


@given(hnp.arrays(np.float64, (3, LANES), elements=doubles), hnp.arrays(np.uint8, (4, LANES)), doubles, st.data())
def test_lanes_are_added_one_by_one(sums: np.ndarray, times: np.ndarray, x: float, data: st.DataObject) -> None:
    i, k = data.draw(st.integers(0, 2)), data.draw(st.integers(0, 3))
    expected = sums.copy()
    expected[i] = sums[i] + times[k].astype(np.float64) * x  # numpy rounds twice
    add_row(sums, i, times, k, x)
    assert sums.tobytes() == expected.tobytes()
