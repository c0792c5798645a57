"""What a citation is."""

import pytest

from benchbench.answers.citations.citation import Citation


def rule(*path, source="CPR", kind="rule", start=0):
    return Citation(kind, source, path, start, start + 5)


def test_equal_keys_are_the_same_citation_wherever_they_stand():
    assert rule("3", "4").key == rule("3", "4", start=70).key


@pytest.mark.parametrize("inner", [("3", "4"), ("3", "4", "2"), ("3", "4", "2", "a")])
def test_a_provision_covers_itself_and_what_is_in_it(inner):
    assert rule("3", "4").covers(rule(*inner))


def test_a_provision_of_a_law_that_is_not_known_covers_nothing():
    assert not rule("33", source="", kind="act").covers(rule("33", source="", kind="act"))
    assert rule("B", source="", kind="annex").covers(rule("B", source="", kind="annex"))


@pytest.mark.parametrize("other", [rule("3"), rule("3", "5"), rule("3", "4", source="FPR"), rule("3", "4", kind="act")])
def test_a_provision_does_not_cover_what_is_around_or_beside_it(other):
    assert not rule("3", "4").covers(other)
