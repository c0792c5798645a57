import math

import bm25s
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from benchbench.serve.bm25 import BM25
from benchbench.serve.tokens import tokens
from benchbench.tables.bm25_options import BM25Options
from benchbench.tables.collection import Collection

texts = st.lists(st.sampled_from("abcde"), max_size=6).map(" ".join)
collections = st.lists(texts, min_size=1, max_size=8)


def index(documents: list[str]) -> BM25:
    return BM25(Collection([str(n) for n in range(len(documents))], documents, [{}] * len(documents)))


def naive(documents: list[str], query: str) -> dict[int, float]:
    """Lucene's BM25, written down: Σ idf · tf / (tf + k1 · (1 - b + b · length / mean length))."""
    split = [tokens(text) for text in documents]
    mean = sum(map(len, split)) / len(split)
    scores = dict.fromkeys(range(len(split)), 0.0)
    for term in tokens(query):
        frequency = sum(term in terms for terms in split)
        idf = math.log(1 + (len(split) - frequency + 0.5) / (frequency + 0.5))
        for d, terms in enumerate(split):
            tf = terms.count(term)
            scores[d] += idf * tf / (tf + 1.2 * (1 - 0.75 + 0.75 * len(terms) / mean)) if tf else 0.0
    return {d: score for d, score in scores.items() if score > 0}


@given(collections, texts)
def test_scores_are_those_of_the_formula(documents: list[str], query: str):
    numbers, scores = index(documents).search(query, 100)
    assert dict(zip(numbers.tolist(), scores.tolist(), strict=True)) == pytest.approx(naive(documents, query), rel=1e-5)


@given(collections, st.sampled_from([(1.2, 0.75), (0.9, 0.4), (1.0, 1.0)]))
def test_scores_are_those_of_bm25s_to_the_bit(documents: list[str], parameters: tuple[float, float]):
    k1, b = parameters
    split = [tokens(text) for text in documents]
    number = {term: n for n, term in enumerate(dict.fromkeys(term for terms in split for term in terms))}
    assume(number)
    theirs = bm25s.BM25(k1=k1, b=b, method="lucene", backend="numpy")
    theirs.index(([[number[term] for term in terms] for terms in split], dict(number)), show_progress=False)
    searcher = BM25(Collection(list(map(str, range(len(split)))), documents, []), BM25Options("words", k1, b))
    found, scores = searcher.search(" ".join(number), len(split))
    expected = theirs.get_scores(list(number.values()))
    assert dict(zip(found.tolist(), scores.tolist(), strict=True)) == {
        d: score for d, score in enumerate(expected.tolist()) if score
    }


def test_a_query_of_very_many_terms_has_the_scores_of_the_formula():
    documents, query = ["a b", "b b c", "a"], "a b c a x " * 2000
    numbers, scores = index(documents).search(query, 100)
    assert dict(zip(numbers.tolist(), scores.tolist(), strict=True)) == pytest.approx(naive(documents, query), rel=1e-4)


def test_a_query_of_very_many_terms_is_left_when_it_is_over():
    asked: list[int] = []
    index(["a"]).search("a " * 100_000, 1, lambda: bool(asked.append(1) or len(asked) == 3))
    assert len(asked) == 3


@given(collections, texts)
def test_the_best_come_first_and_ties_in_document_order(documents: list[str], query: str):
    numbers, scores = index(documents).search(query, 100)
    ranked = list(zip((-scores).tolist(), numbers.tolist(), strict=True))
    assert ranked == sorted(ranked)


@given(collections, texts, st.integers(1, 8))
def test_a_shorter_list_is_the_beginning_of_a_longer_one(documents: list[str], query: str, top_k: int):
    searcher = index(documents)
    assert searcher.search(query, top_k)[0].tolist() == searcher.search(query, 100)[0].tolist()[:top_k]


def test_equal_texts_stand_in_document_order_at_every_depth():
    searcher = index(["a b", "b", "a b", "a b", "c"])
    assert [searcher.search("a", k)[0].tolist() for k in (1, 2, 3, 4)] == [[0], [0, 2], [0, 2, 3], [0, 2, 3]]


@pytest.mark.parametrize("query", ["", "，", "unknown"])
def test_a_query_without_a_known_term_finds_nothing(query: str):
    assert index(["a", "b"]).search(query, 5)[0].size == 0


@pytest.mark.parametrize("documents", [[""], ["", "，"]])
def test_a_collection_without_a_term_finds_nothing(documents: list[str]):
    assert index(documents).search("a", 5)[0].size == 0


def test_a_document_without_a_term_is_never_found():
    assert index(["", "a"]).search("a", 5)[0].tolist() == [1]
