import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchbench.serve.tokens import tokens


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("盗窃罪", ["盗窃", "窃罪"]),
        ("盗", ["盗"]),
        ("The quick FOX", ["the", "quick", "fox"]),
        ("刑法第264条", ["刑法", "法第", "264", "条"]),
        ("甲，乙丙。", ["甲", "乙丙"]),
        ("ひらカタ漢字", ["ひら", "らカ", "カタ", "タ漢", "漢字"]),
        ("𠮷野家", ["𠮷野", "野家"]),
        ("snake_case don't", ["snake", "case", "don", "t"]),
        ("", []),
        (" ，。_-\n", []),
    ],
)
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
