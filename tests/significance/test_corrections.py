"""Holm, Bonferroni and Benjamini-Hochberg, beside their definitions and statsmodels."""

from typing import get_args

import naive
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchbench.significance.corrections import benjamini_hochberg, bonferroni, corrected, holm, resamples_needed
from benchbench.significance.settings import Correction

p_values = st.lists(st.floats(0, 1) | st.sampled_from([0.01, 0.02, 0.04, 1.0]), min_size=1, max_size=30)


@given(p_values, st.sampled_from([0.0503, 0.0307, 0.2011]))
def test_what_is_significant_is_what_the_definitions_reject(p: list[float], alpha: float) -> None:
    assert (holm(np.array(p)) <= alpha).tolist() == naive.holm(p, alpha)
    assert (benjamini_hochberg(np.array(p)) <= alpha).tolist() == naive.benjamini_hochberg(p, alpha)
    assert (bonferroni(np.array(p)) <= alpha).tolist() == naive.bonferroni(p, alpha)


def test_a_family_of_one_and_of_none_is_not_corrected() -> None:
    for method in get_args(Correction):
        assert corrected(np.array([0.03]), method).tolist() == [0.03]
        assert corrected(np.array([]), method).tolist() == []
    assert corrected(np.array([0.03, 0.04]), "none").tolist() == [0.03, 0.04]
    assert corrected(np.array([0.03, 0.04]), "holm").tolist() == [0.06, 0.06]
    assert corrected(np.array([0.6, 0.04]), "bonferroni").tolist() == [1.0, 0.08]
    assert corrected(np.array([0.03, 0.04]), "bh").tolist() == [0.04, 0.04]


@pytest.mark.parametrize("correction", get_args(Correction))
def test_one_p_value_of_as_many_resamples_as_are_needed_can_be_significant(correction: Correction) -> None:
    for tests in (1, 3, 300, 19_999):
        needed = resamples_needed(tests, correction, 0.05)
        p = np.ones(tests)
        for resamples, can in ((needed, True), (needed - 2, False)):
            p[0] = 1 / (resamples + 1)
            least = p if correction == "maxt" else corrected(p, correction)
            assert bool(least[0] <= 0.05) == can
