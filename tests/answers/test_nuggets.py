"""Nugget scores of one answer: the definitions, and what is not as they expect it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from naive_nuggets import invented_assignments, naive_scores

from benchbench.answers.nuggets import MAIN, MEASURES, aligned, problems, scores
from benchbench.tables.nuggets import Nugget

words = st.sampled_from(["support", "partial_support", "not_support", "failed", "odd"])
importances = st.sampled_from(["vital", "okay", "failed"])
drawn = st.lists(
    st.fixed_dictionaries({"text": st.sampled_from("abc"), "importance": importances, "assignment": words}), max_size=9
)


@given(drawn)
def test_scores_are_those_of_the_definitions_word_for_word(nuggets):
    assert scores([Nugget(**one) for one in nuggets]) == pytest.approx(naive_scores(nuggets), abs=1e-15)


def test_scores_are_those_of_the_tracks_tool():
    """`calculate_nugget_scores` of castorini/nuggetizer (d00dc3e, core/metrics.py) gave these of the same nuggets."""
    nuggets = invented_assignments()[11]["nuggets"]
    found = scores([Nugget(**one) for one in nuggets])
    assert {name: found[name] for name in MEASURES if "weighted" not in name} == {
        "strict_vital_score": 0.3333333333333333,
        "strict_all_score": 0.6666666666666666,
        "vital_score": 0.3333333333333333,
        "all_score": 0.6666666666666666,
    }


def test_a_nugget_that_is_not_vital_counts_half_in_the_weighted_scores():
    found = scores([Nugget("a", "vital", "support"), Nugget("b", "okay", "not_support")])
    assert (found["weighted_score"], found["all_score"]) == (1 / 1.5, 0.5)


@pytest.mark.parametrize("nuggets", [[], [Nugget("a", "okay", "support")]])
def test_a_score_over_no_nugget_is_0(nuggets):
    assert scores(nuggets)[MAIN] == 0.0


def test_two_nuggets_with_one_text_count_twice():
    twice = [Nugget("a", "vital", "support")] * 2 + [Nugget("b", "vital", "not_support")]
    assert scores(twice)[MAIN] == 2 / 3
    assert problems(twice) == {"repeated": 1}


def test_what_is_odd_is_counted_and_supports_nothing():
    nuggets = [
        Nugget("a", "vital"),
        Nugget("b", "failed", "failed"),
        Nugget("c", None, "supported"),
        Nugget("d", "okay", "support"),
    ]
    assert problems(nuggets) == {
        "unassigned": 1,
        "unknown_importance": 1,
        "failed": 1,
        "without_importance": 1,
        "unknown_assignment": 1,
    }
    assert scores(nuggets)["all_score"] == 0.25
    assert scores(nuggets)["vital_score"] == 0.0


def test_assignments_come_to_their_nuggets_by_text_and_the_importance_is_that_of_the_question():
    wanted = [Nugget("a", "vital"), Nugget("b", "okay"), Nugget("a", "okay"), Nugget("c", "vital")]
    assigned = [
        Nugget("b", "vital", "support"),
        Nugget(" a ", "okay", "support"),
        Nugget("a", None, "not_support"),
        Nugget("x", "vital", "support"),
    ]
    found = aligned(wanted, assigned)
    assert [(one.importance, one.assignment) for one in found.nuggets] == [
        ("vital", "support"),
        ("okay", "support"),
        ("okay", "not_support"),
        ("vital", None),
    ]
    assert found.beyond == 1
