"""What a comparison says of itself."""

import numpy as np
import pytest
from significance.drawn import like_measures, paired_of

from benchbench.significance import corrections
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


def test_too_few_queries_for_the_family_are_noted() -> None:
    paired = paired_of(like_measures(1, 2, 6, 7))
    assert any("more queries are needed" in note for note in compare(paired, Settings(resamples=1000)).notes)
    for other in ("none", "maxt"):
        found = compare(paired, Settings(resamples=1000, correction=other)).notes
        assert not any("are needed" in note for note in found)


def test_more_resamples_than_a_correction_may_take_are_noted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(corrections, "MOST_RESAMPLES", 200)
    found = compare(paired_of(like_measures(1, 2, 6, 30)), Settings(resamples=100)).notes
    assert any("more resamples are needed" in note for note in found)


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


def test_an_interval_that_is_not_of_the_mean_says_so() -> None:
    found = compare(paired_of(like_measures(1, queries=100)), Settings(test="wilcoxon"))
    assert found.notes == (
        "intervals are of the middle of the differences that are not 0, as the test is: the mean need not be in them",
    )
    assert {one.interval for one in found.differences} == {"Hodges and Lehmann"}
