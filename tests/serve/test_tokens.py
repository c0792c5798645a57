import unicodedata

import pytest
from cases import tables
from hypothesis import given
from hypothesis import strategies as st

from benchbench.serve.tokens import tokens

TABLES = tables(__file__)


@pytest.mark.parametrize(("text", "terms"), TABLES["terms"].items())
def test_cjk_runs_become_bigrams_and_other_runs_words(text: str, terms: list[str]):
    assert tokens(text) == terms


def test_full_width_and_half_width_forms_are_one():
    assert tokens("ＡＢ１２") == tokens("ab12") == ["ab12"]


@given(st.text())
def test_no_term_is_empty_or_holds_white_space(text: str):
    assert all(term and not any(map(str.isspace, term)) for term in tokens(text))


@given(st.text())
def test_upper_case_and_compatibility_forms_do_not_matter(text: str):
    assert tokens(unicodedata.normalize("NFKC", text)) == tokens(text)


@given(st.text(), st.text())
def test_a_space_between_texts_joins_their_terms(one: str, other: str):
    assert tokens(f"{one} {other}") == tokens(one) + tokens(other)
