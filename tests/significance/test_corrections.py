"""Holm and Benjamini-Hochberg, beside their definitions and statsmodels."""

import naive
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from statsmodels.stats.multitest import multipletests

from benchbench.significance.corrections import benjamini_hochberg, corrected, holm

p_values = st.lists(st.floats(0, 1) | st.sampled_from([0.01, 0.02, 0.04, 1.0]), min_size=1, max_size=30)


@given(p_values)
@settings(max_examples=10)  # of theirs each takes a tenth of a second or more; the definitions below are tried as usual
def test_corrected_p_values_are_those_of_statsmodels(p: list[float]) -> None:
    assert holm(np.array(p)) == pytest.approx(multipletests(p, method="holm")[1], rel=1e-12)
    assert benjamini_hochberg(np.array(p)) == pytest.approx(multipletests(p, method="fdr_bh")[1], rel=1e-12)


@given(p_values, st.sampled_from([0.0503, 0.0307, 0.2011]))
def test_what_is_significant_is_what_the_definitions_reject(p: list[float], alpha: float) -> None:
    assert (holm(np.array(p)) <= alpha).tolist() == naive.holm(p, alpha)
    assert (benjamini_hochberg(np.array(p)) <= alpha).tolist() == naive.benjamini_hochberg(p, alpha)


def test_a_family_of_one_and_of_none_is_not_corrected() -> None:
    for method in ("holm", "bh", "none"):
        assert corrected(np.array([0.03]), method).tolist() == [0.03]
        assert corrected(np.array([]), method).tolist() == []
    assert corrected(np.array([0.03, 0.04]), "none").tolist() == [0.03, 0.04]
    assert corrected(np.array([0.03, 0.04]), "holm").tolist() == [0.06, 0.06]
    assert corrected(np.array([0.03, 0.04]), "bh").tolist() == [0.04, 0.04]
