"""The letter that an answer chooses."""

import pytest
from answer_values import scored
from cases import check_rows, tables
from hypothesis import given
from hypothesis import strategies as st

from benchbench.answers.choices import choice

TABLES = tables(__file__)


def test_a_stated_choice_is_found():
    def check(text: str, letter: str) -> None:
        found = choice(text)
        assert found is not None
        assert found[0] == letter

    check_rows(check, TABLES["stated"].items())


@pytest.mark.parametrize("text", TABLES["none"])
def test_no_choice_or_several_are_none(text: str):
    assert choice(text) is None


@given(st.text(alphabet="abcd正解は答えanswer is:()「」\n \\boxed{}e", max_size=60))
def test_the_place_is_that_of_the_letter(text: str):
    found = choice(text)
    if found is not None:
        letter, start, end = found
        assert text[start:end].lower() == letter


def test_a_choice_that_is_unclear_is_wrong_and_said_to_be_unclear():
    unclear = scored("choice_accuracy", "a or c", "c")
    assert (unclear.score, unclear.parts) == (0.0, {"choice_unclear": 1.0})
