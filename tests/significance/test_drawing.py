import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchbench.significance.drawing import THINNED, cutoffs, ecdf, front

VALUES = st.lists(st.integers(0, 20), min_size=1, max_size=30)
POINTS = st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), max_size=12)


@given(VALUES)
def test_a_short_curve_has_every_value_with_its_share(values: list[int]):
    ascending = np.sort(np.array(values, dtype=np.float64))
    shown = ecdf(ascending)
    assert [x for x, _ in shown] == ascending.tolist()
    assert [y for _, y in shown] == pytest.approx([(i + 1) / len(values) for i in range(len(values))])


def test_a_long_curve_is_thinned_and_keeps_both_ends_and_the_tail():
    ascending = np.arange(100_000, dtype=np.float64)
    shown = ecdf(ascending)
    assert len(shown) <= THINNED
    assert shown == sorted(shown)
    assert (shown[0][0], shown[-1]) == (0.0, (99_999.0, 1.0))
    assert all(y == (x + 1) / 100_000 for x, y in shown)
    assert sum(y > 0.999 for _, y in shown) > 10


def test_no_latencies_make_no_curve():
    assert ecdf(np.empty(0)) == []


@given(POINTS)
def test_the_front_holds_the_points_that_none_beats(points: list[tuple[float, float]]):
    def beaten(a: tuple[float, float]) -> bool:
        return any(b[0] >= a[0] and b[1] >= a[1] and b != a for b in points)

    kept = front(points)
    assert sorted(kept) == [i for i, point in enumerate(points) if not beaten(point)]
    assert [points[i][0] for i in kept] == sorted(points[i][0] for i in kept)


def test_measures_that_differ_in_the_cutoff_alone_are_a_family():
    named = ["nDCG@10", "nDCG@5", "nDCG(gains='exp')@5", "RR", "gold.P@3", "gold.P@10", "IPrec@0.1", "IPrec@0.2"]
    assert cutoffs(named) == {
        "nDCG": [(5, "nDCG@5"), (10, "nDCG@10")],
        "gold.P": [(3, "gold.P@3"), (10, "gold.P@10")],
    }
