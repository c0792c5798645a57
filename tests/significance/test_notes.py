"""What a comparison says of itself."""

import numpy as np
import pytest
from significance.drawn import like_measures, paired_of

from benchbench.significance.comparing import compare
from benchbench.significance.notes import family
from benchbench.significance.settings import Settings


@pytest.mark.parametrize(
    ("systems", "measures", "settings", "words"),
    [
        (2, 1, Settings(), "one pair of systems, one measure: one test, corrected by Holm"),
        (
            4,
            3,
            Settings(),
            "all 6 pairs of 4 systems, each of 3 measures by itself: 6 tests in each, corrected by Holm",
        ),
        (
            4,
            3,
            Settings(family="together", correction="bh"),
            "all 6 pairs of 4 systems, 3 measures together: 18 tests, corrected by Benjamini and Hochberg",
        ),
        (
            4,
            3,
            Settings(family="together", baseline="B", correction="none"),
            "3 systems against B, 3 measures together: 9 tests, not corrected",
        ),
        (
            2,
            2,
            Settings(baseline="B"),
            "one system against B, each of 2 measures by itself: one test in each, corrected by Holm",
        ),
    ],
)
def test_the_family_is_named_with_the_number_of_its_tests(systems, measures, settings, words) -> None:
    pairs = systems - 1 if settings.baseline else systems * (systems - 1) // 2
    assert family(paired_of(like_measures(1, measures, systems, 5)), settings, pairs) == words


def test_many_queries_need_no_note() -> None:
    assert compare(paired_of(like_measures(1, queries=100)), Settings()).notes == ()


def test_an_exact_test_is_named() -> None:
    found = compare(paired_of(like_measures(1, queries=12)), Settings()).notes
    assert "the randomisation test is exact: it goes through all 2^12 = 4,096 sign patterns" in found
    few = (
        "with 12 queries a mean difference is found with a chance of 80% only if it is 0.89 standard deviations of the"
    )
    assert any(note.startswith(few) for note in found)


def test_a_test_that_can_find_nothing_says_so() -> None:
    found = compare(paired_of(like_measures(1, queries=4)), Settings()).notes
    assert (
        "no p-value of a randomisation test of 4 queries is below 0.12: none can be significant at 0.05, and no "
        "interval of a difference has an end"
    ) in found
    assert not [
        note for note in compare(paired_of(like_measures(1, queries=4)), Settings(test="t")).notes if "below" in note
    ]


@pytest.mark.parametrize(("queries", "resamples", "more"), [(7, 1000, "queries"), (30, 100, "resamples")])
def test_too_few_for_the_family_says_of_what(queries: int, resamples: int, more: str) -> None:
    found = compare(paired_of(like_measures(1, 2, 6, queries)), Settings(resamples=resamples)).notes
    assert any(f"more {more} are needed" in note for note in found)
    loose = Settings(resamples=resamples, correction="none")
    assert not any("are needed" in note for note in compare(paired_of(like_measures(1, 2, 6, queries)), loose).notes)


def test_equal_systems_are_named() -> None:
    values = like_measures(1, 2, 3, 40)
    values[:, 2] = values[:, 0]
    assert compare(paired_of(values), Settings()).notes == ("A and C have equal values on every query",)
    values[0, 2, 0] = 1.0 - values[0, 0, 0]
    assert np.array_equal(values[1, 2], values[1, 0])
    assert not any("equal values" in note for note in compare(paired_of(values), Settings()).notes)


def test_a_test_of_few_queries_that_differ_is_exact_and_named() -> None:
    values = like_measures(1, 1, 3, 40)
    values[:, 2, 8:] = values[:, 0, 8:]
    most = np.count_nonzero(values[0, 2] != values[0, 0])
    assert compare(paired_of(values), Settings()).notes == (
        f"the randomisation test of 1 of 3 differences is exact: at most {most} queries differ, and it goes through "
        "all sign patterns of those",
    )
