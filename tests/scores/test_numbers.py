"""Means as numbers of a record."""

import pytest

from benchbench.results.record import plain
from benchbench.scores.numbers import ScoreMean, mean_number


@pytest.mark.parametrize(("band", "kept"), [("good", "good"), ("poor", "poor"), ("not tested", None), ("", None)])
def test_a_mean_has_its_band_and_none_of_other_words(band: str, kept: str | None):
    number = mean_number("faithfulness", ScoreMean(0.5, 0.4, 0.6, "bootstrap", 9, band), {})
    assert (number.interval, number.low, plain(number).get("band")) == ("95 %, bootstrap", 0.4, kept)
