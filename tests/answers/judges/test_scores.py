import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchbench.answers.judges.scores import Found, Mean, Member, NoScoreError, Share

WORTH = {"support": 1.0, "partial_support": 0.5, "not_support": 0.0}


@given(st.lists(st.booleans(), min_size=1))
def test_a_share_of_booleans_is_how_many_of_them_are_true(values):
    rule = Share("statements", "is_supported", {"true": 1.0, "false": 0.0})
    score, parts = rule.score({"statements": [{"is_supported": value} for value in values]}, {})
    assert score == sum(values) / len(values)
    assert parts == {"statements": len(values), "is_supported": sum(values)}


@given(st.lists(st.sampled_from(sorted(WORTH)), min_size=1), st.randoms())
def test_a_share_of_words_is_the_mean_of_their_worth_in_any_order(words, random):
    rule = Share("entries", "word", WORTH, "nuggets", "nugget")
    entries = [{"nugget": number, "word": word} for number, word in enumerate(words, start=1)]
    random.shuffle(entries)
    score, parts = rule.score({"entries": entries}, {"nuggets": words})
    assert score == pytest.approx(sum(WORTH[word] for word in words) / len(words))
    assert parts == {"entries": len(words), **{word: words.count(word) for word in WORTH}}
    with pytest.raises(NoScoreError, match="does not take each of the nuggets exactly once"):
        rule.score({"entries": entries[1:]}, {"nuggets": words})


@given(st.sets(st.integers(1, 9)), st.integers(0, 3))
def test_what_was_found_is_set_against_what_was_missed_and_what_was_wrong(found, wrong):
    rule = Found("identified", "missed", "incorrect", "relations")
    missed = set(range(1, 10)) - found
    values = {"identified": list(found), "missed": list(missed), "incorrect": ["x"] * wrong}
    score, parts = rule.score(values, {"relations": [{}] * 9})
    assert score == len(found) / (9 + wrong)
    assert parts == {"identified": len(found), "missed": len(missed), "incorrect": wrong}
    with pytest.raises(NoScoreError, match="does not take each of the relations exactly once"):
        rule.score(values, {"relations": [{}] * 8})


def test_where_nothing_was_found_missed_or_wrong_there_is_no_score():
    with pytest.raises(NoScoreError, match="nothing to score: a, b, c are empty"):
        Found("a", "b", "c").score({"a": [], "b": [], "c": []}, {})


def test_a_mean_has_its_numbers_as_parts():
    assert Mean(("a", "b")).score({"a": 1, "b": 0.5}, {}) == (0.75, {"a": 1, "b": 0.5})


def test_a_number_of_the_judge_is_taken_as_it_is_and_words_for_what_they_are_worth():
    assert Member("a", ("b", "c"), WORTH).score({"a": 3, "b": "partial_support", "c": 2}, {}) == (
        3,
        {"b": 0.5, "c": 2},
    )
    with pytest.raises(NoScoreError, match="what should be a number is none"):
        Member("a").score({"a": True}, {})
