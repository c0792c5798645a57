"""Which judged query a query is."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from benchbench.kernels.lookup import any_judged, find, table

hashes = st.lists(st.integers(1, 2**64 - 1) | st.integers(1, 40).map(lambda n: n << 32), max_size=60, unique=True)


@given(hashes, hashes)
def test_a_key_is_found_at_its_place_and_another_is_not(keys: list[int], others: list[int]):
    known = np.array(keys, np.uint64)
    wanted = np.array([*keys, *others], np.uint64)
    found = np.empty(wanted.size, np.int64)
    find(table(known), known, wanted, found)
    assert found.tolist() == [keys.index(key) if key in keys else -1 for key in wanted.tolist()]


lists = st.lists(st.lists(st.integers(1, 6), max_size=4), min_size=1, max_size=4)


@given(lists, lists, st.data())
def test_any_hit_is_judged_when_a_query_has_one_of_its_own_judgments(
    hits: list[list[int]], judgments: list[list[int]], data: st.DataObject
):
    judged = [data.draw(st.integers(-1, len(judgments) - 1)) for _ in hits]
    columns = [
        (np.cumsum([0, *map(len, rows)]), np.array([one for row in rows for one in row], np.uint64))
        for rows in (hits, judgments)
    ]
    expected = any(q >= 0 and set(row) & set(judgments[q]) for row, q in zip(hits, judged, strict=True))
    assert any_judged(*columns[0], np.array(judged, np.int64), *columns[1]) is expected
