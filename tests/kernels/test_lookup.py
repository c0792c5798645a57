"""Which judged query a query is."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from benchbench.kernels.lookup import find, table

hashes = st.lists(st.integers(1, 2**64 - 1) | st.integers(1, 40).map(lambda n: n << 32), max_size=60, unique=True)


@given(hashes, hashes)
def test_a_key_is_found_at_its_place_and_another_is_not(keys: list[int], others: list[int]):
    known = np.array(keys, np.uint64)
    wanted = np.array([*keys, *others], np.uint64)
    found = np.empty(wanted.size, np.int64)
    find(table(known), known, wanted, found)
    assert found.tolist() == [keys.index(key) if key in keys else -1 for key in wanted.tolist()]
