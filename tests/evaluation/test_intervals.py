"""Intervals of means of means over partly different questions: they hold the score as often as they say."""

import numpy as np
import pytest
from cases import first_of

from benchbench.evaluation.intervals import combined, of_numbers
from benchbench.tables.groups import grouped

WEIGHTS = np.array([0.1, 0.1, 0.2, 0.2, 0.2, 0.2])
TRIES = 400
LEAST = 0.925  # of 400 intervals of 95 %, fewer hold once in 70 times


def drawn(
    rng: np.random.Generator, groups: int, size: int, alike: float, quality: float
) -> tuple[np.ndarray, list[str]]:
    """Return sub-scores (6, questions) as judges and measures give them; some fail, one is missing where it is hard."""
    each = (1.0 - alike) / 2
    noise = [(groups, 1, 1), (groups, size, 1), (groups, size, 6)]
    parts = [rng.normal(size=shape) * np.sqrt(part) for shape, part in zip(noise, (alike, each, each), strict=True)]
    latent = 1.0 / (1.0 + np.exp(-1.7 * (sum(parts) + quality).reshape(-1, 6).T))
    values = np.empty_like(latent)
    values[0] = np.round(latent[0] * 2) / 2
    values[1] = np.where(latent[1] > 0.6, 1.0, np.where(latent[1] > 0.3, 0.5, 0.0))
    values[2] = np.minimum(1.0, np.round(latent[2] * 6.5) / 5)
    values[3] = np.array([0.0, 0.3, 0.5, 0.7, 1.0])[np.minimum(4, (latent[3] * 6).astype(int))]
    values[4] = np.minimum(1.0, np.round(latent[4] * 3.6) / 3)
    values[5] = np.round(np.minimum(1.0, latent[5] * 1.1) * 25) / 25
    missing = rng.random(latent.shape)
    values[4][missing[4] < np.where(latent[4] < 0.4, 0.5, 0.2)] = np.nan
    values[2][missing[2] < 0.05] = np.nan
    values[:2, missing[0] < 0.2] = np.nan
    return values, [str(number) for number in np.repeat(np.arange(groups), size)]


def mean(values: np.ndarray) -> float:
    return float(WEIGHTS @ np.nanmean(values, axis=1))


@pytest.mark.parametrize("quality", first_of(0.8, 0.0, 1.5))
@pytest.mark.parametrize(
    ("groups", "size", "alike"), first_of((12, 1, 0.0), (8, 5, 0.3), (40, 1, 0.0), (25, 5, 0.3), first=2)
)
def test_an_interval_holds_the_score_of_all_questions_in_95_of_100_samples(groups, size, alike, quality):
    rng = np.random.default_rng(groups + size)
    true = np.mean([mean(drawn(rng, 20_000, size, alike, quality)[0]) for _ in range(3)])
    held = 0
    for _ in range(TRIES):
        values, names = drawn(rng, groups, size, alike, quality)
        if np.isnan(values).all(axis=1).any():
            continue
        found, ends = combined(values, WEIGHTS, grouped("document", names) if size > 1 else None)
        assert found == pytest.approx(mean(values))
        assert 0.0 <= ends.low < found < ends.high <= 1.0
        held += ends.low <= true <= ends.high
    assert held / TRIES >= LEAST


def test_groups_make_an_interval_wider_where_their_questions_are_alike():
    values = np.repeat(np.array([[0.2, 0.9, 0.4, 1.0, 0.3, 0.7, 0.8, 0.1]]), 4, axis=1)
    names = [str(number) for number in np.repeat(np.arange(8), 4)]
    _, alone = combined(values, np.ones(1), None)
    _, together = combined(values, np.ones(1), grouped("document", names))
    assert together.high - together.low > 1.5 * (alone.high - alone.low)
    assert together.design_effect == pytest.approx(4 * 31 / 28, rel=1e-9)
    assert together.method == "Wilson's form with Student's t, 8 groups of document"


def test_shares_have_wilsons_interval():
    _, ends = combined(np.array([[1.0, 1.0, 0.0, 1.0, np.nan]]), np.ones(1), None)
    assert ends.method == "Wilson"
    assert (ends.low, ends.high) == pytest.approx((0.3006, 0.9544), abs=1e-4)


def test_perfect_scores_have_no_interval_without_width():
    mean, ends = combined(np.ones((2, 10)), np.array([0.5, 0.5]), None)
    assert (mean, ends.high) == (1.0, 1.0)
    assert 0.6 < ends.low < 0.75  # Wilson's of ten trials begins at 0.72


def test_one_question_and_one_group_have_none():
    assert combined(np.array([[0.5, np.nan]]), np.ones(1), None).__getitem__(1).low is None
    _, ends = combined(np.array([[0.5, 0.7]]), np.ones(1), grouped("document", ["a", "a"]))
    assert (ends.low, ends.method) == (None, "none of one group")


def test_numbers_beyond_0_and_1_have_students_interval():
    mean, ends = of_numbers(np.array([2.0, 4.0, np.nan, 6.0]), None)
    assert mean == 4.0
    assert (ends.low, ends.high) == pytest.approx((4 - 4.968, 4 + 4.968), abs=1e-3)
