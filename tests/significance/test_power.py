"""The smallest difference that so many queries could have shown."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import special, stats

from benchbench.significance.power import detectable_effect, queries_needed


@given(st.integers(5, 10_000), st.sampled_from([0.01, 0.05, 0.1]), st.sampled_from([0.5, 0.8, 0.9]))
def test_the_test_finds_the_effect_with_the_power_asked_for(queries: int, alpha: float, power: float) -> None:
    effect = detectable_effect(queries, alpha, power)
    edge, shift = stats.t.ppf(1 - alpha / 2, queries - 1), effect * math.sqrt(queries)
    chance = 1 - special.nctdtr(queries - 1, shift, edge) + special.nctdtr(queries - 1, shift, -edge)
    assert math.isnan(chance) or chance == pytest.approx(power, abs=1e-8)  # scipy has gaps


def test_two_queries_show_only_what_is_very_large() -> None:
    """Where scipy's noncentral t has no digits: simulated, since nothing else has them."""
    effect = detectable_effect(2, 0.05, 0.8)
    drawn = np.random.default_rng(1).normal(effect, 1, (200_000, 2))
    t = drawn.mean(axis=1) / (drawn.std(axis=1, ddof=1) / math.sqrt(2))
    assert (abs(t) > stats.t.ppf(0.975, 1)).mean() == pytest.approx(0.8, abs=0.005)


def test_more_queries_show_less() -> None:
    effects = [detectable_effect(queries, 0.05, 0.8) for queries in (2, 3, 10, 100, 10**4, 10**6)]
    assert effects == sorted(effects, reverse=True)
    assert effects[-1] == pytest.approx((1.959964 + 0.841621) / 1000, rel=1e-4)  # the normal limit


@given(st.floats(0.01, 5.0), st.sampled_from([0.01, 0.05, 0.1]), st.sampled_from([0.2, 0.5, 0.8, 0.9]))
def test_so_many_queries_show_the_effect_and_one_fewer_does_not(effect: float, alpha: float, power: float) -> None:
    queries = queries_needed(effect, alpha, power)
    assert detectable_effect(queries, alpha, power) <= effect * (1 + 1e-9)
    assert queries == 2 or detectable_effect(queries - 1, alpha, power) > effect * (1 - 1e-9)


def test_a_tiny_effect_needs_as_many_queries_as_the_normal_distribution_says() -> None:
    assert queries_needed(1e-6, 0.05, 0.8) == pytest.approx(((1.959964 + 0.841621) * 1e6) ** 2, rel=1e-6)
