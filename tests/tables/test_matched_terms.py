"""Terms that two texts share: which they are, how rare, and where they are marked."""

import math
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from benchbench.tables.matched_terms import WINDOW, Sample, marked, rarity, terms

texts = st.text("ab盗窃电动 .Ä", max_size=200)


def test_terms_are_words_and_bigrams_of_scripts_without_spaces():
    assert terms("Stolen bike, 被盗窃 A1") == {"stolen", "bike", "被盗", "盗窃", "a1"}
    assert terms("盗 a !") == set()
    assert terms("電動車とカー") == {"電動", "動車", "車と", "とカ", "カー"}


def test_what_many_documents_have_is_not_rare():
    sample = ["the theft"] * 50 + ["the loan"] + ["the rest"] * 49
    found = rarity({"the", "theft", "loan", "gone"}, sample)
    assert found == {"loan": math.log(101 / 2), "gone": math.log(101)}


@given(texts, texts)
def test_the_pieces_are_the_text_and_only_terms_are_marked(text: str, query: str):
    weights = dict.fromkeys(terms(query), 1.0)
    pieces = marked(text, weights)
    shown = "".join(pieces)
    assert len(pieces) % 2 == 1
    assert shown.strip("…") in text
    assert len(shown.strip("…")) == min(len(text), WINDOW)
    covered = set().union(*map(terms, pieces[1::2])) if pieces[1:] else set()
    assert all(terms(piece) & weights.keys() for piece in pieces[1::2])
    assert covered <= terms(text)


def test_the_window_is_where_the_most_different_rare_terms_are():
    text = f"{'盗窃盗窃' * 3}{'甲' * 300}盗窃电动车{'乙' * 300}"
    pieces = marked(text, {"盗窃": 1.0, "电动": 1.0})
    assert pieces[1::2] == ["盗窃电动"]
    assert pieces[0].startswith("…甲")
    assert pieces[-1].endswith("乙…")


def test_a_short_text_is_whole_and_one_without_terms_begins_at_its_beginning():
    assert marked("短文", {}) == ["短文"]
    assert marked("x" * 200, {}) == [f"{'x' * WINDOW}…"]
    assert marked("", {"ab": 1.0}) == [""]


@given(st.integers(0, 9_000))
def test_a_sample_is_even_and_bounded(number: int):
    sample = Sample()
    for one in range(number):
        sample.add(str(one))
    places = [int(one) for one in sample.texts]
    assert sample.seen == number
    assert len(places) == number if number < 1024 else 512 <= len(places) < 1024
    assert len({after - before for before, after in pairwise(places)}) <= 1
