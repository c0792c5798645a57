import json
from pathlib import Path

import pytest
from cases import check_rows, tables
from hypothesis import given
from hypothesis import strategies as st
from parts_of_nltk import PorterStemmer

from benchbench.serve.english import words
from benchbench.serve.porter import stem

TABLES = tables(__file__)

PORTER = PorterStemmer(PorterStemmer.MARTIN_EXTENSIONS)
PAPER = PorterStemmer(PorterStemmer.ORIGINAL_ALGORITHM)
_SUFFIXES = ("s", "es", "ies", "sses", "ed", "eed", "ing", "ational", "bli", "logi", "ization", "iveness", "icate")
_SUFFIXES += ("ful", "ness", "ement", "sion", "ion", "ou", "ll", "e", "y", "able", "'s")


def test_words_of_the_paper_have_its_stems():
    def check(word: str, expected: str) -> None:
        assert stem(word) == expected

    check_rows(check, TABLES["stems"].items())


@pytest.mark.parametrize(
    ("word", "lucene", "paper"),
    [("possibli", "possibl", "possibli"), ("archaeologi", "archaeolog", "archaeologi"), ("as", "as", "a")],
)
def test_where_lucene_and_the_paper_differ_stems_are_lucene_s(word: str, lucene: str, paper: str):
    assert (stem(word), PAPER.stem(word)) == (lucene, paper)


@pytest.mark.parametrize(
    ("word", "expected"), [("u.s", "u."), ("x２s", "x２"), ("naïveness", "naïv"), ("'ing", "'ing")]
)
def test_what_is_no_vowel_is_a_consonant(word: str, expected: str):
    assert stem(word) == expected == PORTER.stem(word)


@given(st.text("abcdefilmnorstyz'1é", max_size=6), st.sampled_from(_SUFFIXES), st.sampled_from(("", *_SUFFIXES)))
def test_stems_are_those_of_another_implementation(beginning: str, middle: str, end: str):
    word = beginning + middle + end
    assert stem(word) == PORTER.stem(word)


@pytest.mark.slow  # real data
@pytest.mark.parametrize("name", ["cacm", "scifact"])
def test_every_word_of_a_collection_has_the_stem_of_another_implementation(shared_data: Path, name: str):
    with (shared_data / name / "corpus.jsonl").open(encoding="utf-8") as lines:
        vocabulary = {word for line in lines for word in words(json.loads(line)["text"])}
    assert [word for word in vocabulary if stem(word) != PORTER.stem(word)] == []
