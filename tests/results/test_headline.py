"""What a report begins with: which values are best."""

import pytest

from benchbench.results.headline import best

NAN = float("nan")


@pytest.mark.parametrize(
    ("values", "better", "places"),
    [
        ([0.1, 0.3, 0.2], "higher", {1}),
        ([0.1, 0.3, 0.2], "lower", {0}),
        ([0.3, 0.3, 0.2], "higher", {0, 1}),
        ([0.3, 0.3], "higher", set()),
        ([0.3], "higher", set()),
        ([None, 0.3, 0.1], "higher", {1}),
        ([NAN, 0.3, 0.1], "lower", {2}),
        ([None, NAN], "lower", set()),
        ([0.1, 0.2], None, set()),
        ([], "higher", set()),
    ],
)
def test_the_best_are_those_that_none_exceeds_and_none_where_all_are_alike(values, better, places):
    assert best(values, better) == places
