"""How alike two rankings are: naive twins, scipy, and the example of the paper."""

import math

import naive
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from benchbench.kernels.agreement import agree, room

CUTOFFS, PS = (1, 3, 10), (0.5, 0.9, 0.98)
rankings = st.lists(st.sampled_from("abcdefghijkl"), max_size=9, unique=True)


def columns(lists: list[str]) -> tuple[np.ndarray, np.ndarray]:
    offsets = np.cumsum([0, *map(len, lists)]).astype(np.int64)
    return offsets, np.array([ord(one) * 0x9E3779B97F4A7C15 % 2**64 for part in lists for one in part], np.uint64)


def values(*pairs: tuple[str, str], cutoffs: tuple[int, ...] = CUTOFFS, ps: tuple[float, ...] = PS) -> np.ndarray:
    """Return a row per pair of lists; a query without a group is one that the side lacks."""
    ones, others = zip(*pairs, strict=True)
    groups = np.arange(len(pairs))
    found = np.full((len(pairs), len(cutoffs) + len(ps) + 2), np.nan)
    agree(*columns(ones), groups, *columns(others), groups, np.array(cutoffs), np.array(ps), room(12), found)
    return found


def expected(one: list[str], other: list[str]) -> list[float]:
    shared = [document for document in one if document in other]
    tau = math.nan
    if len(shared) > 1:
        tau = stats.kendalltau([one.index(each) for each in shared], [other.index(each) for each in shared]).statistic
    return [
        *(naive.overlap(one, other, k) for k in CUTOFFS),
        *(naive.rank_biased_overlap(one, other, p) for p in PS),
        tau,
        float(one[:1] != other[:1]),
    ]


@given(st.lists(st.tuples(rankings, rankings), min_size=1, max_size=3))
def test_each_column_is_its_naive_twin_and_tau_that_of_scipy(pairs: list[tuple[list[str], list[str]]]):
    found = values(*(("".join(one), "".join(other)) for one, other in pairs))
    np.testing.assert_allclose(found, [expected(*pair) for pair in pairs], rtol=0, atol=1e-12)


def test_overlaps_are_those_of_the_example_in_the_paper():
    """Webber, Moffat and Zobel 2010, figure 2: the agreement at depths 1 to 7 of two lists."""
    (found,) = values(("abcdefg", "zcavwxy"), cutoffs=tuple(range(1, 8)), ps=())
    assert found[:7].round(3).tolist() == [0.0, 0.0, 0.667, 0.5, 0.4, 0.333, 0.286]


def test_rbo_of_lists_of_one_length_is_the_closed_form_of_the_paper():
    """Equation 30: RBO_EXT is X_k / k p^k + (1 - p) / p times the sum over d of X_d / d p^d."""
    p, shared = 0.9, [0, 0, 2, 2, 2, 2, 2]
    closed = shared[-1] / 7 * p**7 + (1 - p) / p * sum(x / d * p**d for d, x in enumerate(shared, 1))
    (found,) = values(("abcdefg", "zcavwxy"), cutoffs=(), ps=(p,))
    assert found[0] == pytest.approx(closed, abs=1e-15)


def test_a_query_that_a_side_lacks_has_an_empty_list_there():
    found = np.empty((1, 4))
    offsets, document = columns(["abc"])
    nothing = columns([])
    agree(
        offsets,
        document,
        np.zeros(1, np.int64),
        *nothing,
        np.full(1, -1),
        np.array([10]),
        np.array([0.9]),
        room(3),
        found,
    )
    assert found[0, [0, 1, 3]].tolist() == [0.0, 0.0, 1.0]
