import pytest
from cases import tables
from hypothesis import given
from hypothesis import strategies as st

from benchbench.serve.english import STOP_WORDS, english

TABLES = tables(__file__)


@pytest.mark.parametrize(("text", "terms"), TABLES["terms"].items())
def test_terms_are_those_of_lucene_and_bigrams_of_chinese(text: str, terms: list[str]):
    assert english(text) == terms


def test_the_stop_words_of_lucene_are_no_terms():
    assert len(STOP_WORDS) == 33
    assert english(" ".join(STOP_WORDS).upper()) == []


@pytest.mark.parametrize("text", ["_" * 100_000, "a." * 50_000, "a\u0301" * 50_000, "©\u200d" * 50_000, "1,_" * 50_000])
def test_a_text_without_end_takes_time_that_grows_with_its_length(text: str):
    assert len(english(text)) < 100_000


@given(st.text(), st.text())
def test_a_line_break_between_texts_joins_their_terms(one: str, other: str):
    assert english(f"{one}\n{other}") == english(one) + english(other)


@given(st.text())
def test_no_term_is_empty(text: str):
    assert all(english(text))
