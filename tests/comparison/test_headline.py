"""What a comparison comes to, in a sentence per pair."""

from dataclasses import replace

import invented_comparison
import pytest

from benchbench.comparison.compare_result import CompareDetails
from benchbench.comparison.headline import headline

FOUR = ("nDCG@3", "nDCG@10", "R@10", "RR")


def details(*directions: int, measures: tuple[str, ...] = FOUR) -> CompareDetails:
    """Return a comparison of b with a, with the direction of each measure's difference."""
    whole = invented_comparison.outcome(queries=20, names=("a", "b"), slices=False).details()
    found = {one.measure: one for one in whole.differences}
    kept = tuple(replace(found[name], direction=way) for name, way in zip(measures, directions, strict=True))
    return replace(whole, measures=measures, differences=kept)


@pytest.mark.parametrize(
    ("directions", "said"),
    [
        ((1, 0, 0, 0), ("▲", "b is better than a in 1 of 4 measures, worse in none; in 3 no difference is shown.")),
        ((1, 1, 1, 1), ("▲", "b is better than a in 4 of 4 measures, worse in none.")),
        ((-1, -1, 0, 0), ("▼", "b is worse than a in 2 of 4 measures, better in none; in 2 no difference is shown.")),
        ((1, 1, -1, 0), ("◐", "b is better than a in 2 of 4 measures and worse in 1; in 1 no difference is shown.")),
        ((0, 0, 0, 0), ("○", "No difference is shown between b and a in any of 4 measures.")),
    ],
)
def test_measures_are_counted_by_what_is_shown(directions: tuple[int, ...], said: tuple[str, str]):
    assert list(headline(details(*directions)).found) == [said]


@pytest.mark.parametrize(
    ("direction", "said"),
    [
        (1, ("▲", "b is better than a in RR.")),
        (-1, ("▼", "b is worse than a in RR.")),
        (0, ("○", "No difference is shown between b and a in RR.")),
    ],
)
def test_the_only_measure_is_named(direction: int, said: tuple[str, str]):
    assert list(headline(details(direction, measures=("RR",))).found) == [said]


def test_what_is_not_shown_is_not_called_equal_and_says_what_helps():
    (advice,) = headline(details(1, 0, 0, 0)).advice
    assert advice.startswith("Not shown is not the same as equal: --need ")
    assert headline(details(1, 1, 1, 1)).advice == []
    asked = details(0, 0, 0, 0)
    assert headline(replace(asked, settings=replace(asked.settings, need=0.02))).advice == []


def test_many_pairs_are_cut_and_counted():
    whole = invented_comparison.outcome(queries=20, names=tuple("abcde"), slices=False, hits=2).details()
    found = headline(whole).found
    assert len(found) == 7
    assert found[-1] == ("○", "… and 4 more pairs.")
