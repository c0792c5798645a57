"""The embedded retriever: BM25 (Lucene's variant), for English with Lucene's arithmetic, else with that of `bm25s`."""

import math
from collections.abc import Callable, Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from benchbench.retrieval.bm25_options import BM25Options
from benchbench.serve.analysis import ENGLISH, analysis_of
from benchbench.serve.lucene import LuceneIndex
from benchbench.serve.postings import Postings
from benchbench.tables.collection import Collection

_TERMS = 4096  # of a query that are scored before anybody may say that it is enough
_AT_ONCE = 4096  # terms that are weighed at once


class BM25:
    """An index of a collection; searching is deterministic and does not depend on batching."""

    def __init__(self, collection: Collection, options: BM25Options | None = None) -> None:
        """Index all documents."""
        self._analysis = analysis_of(options or BM25Options(), collection.texts)
        self.about = self._analysis.about
        self._size = len(collection)
        kind = LuceneIndex if self._analysis.name == ENGLISH.name else _Index
        self._index = kind(map(self._analysis.terms, collection.texts), self._analysis.k1, self._analysis.b)

    def search(
        self, query: str, top_k: int, is_over: Callable[[], bool] = lambda: False
    ) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
        """Return document numbers and scores, best first; equal scores in document order.

        Documents that share no term with the query are not returned. Once `is_over`, the result means nothing.
        """
        scores = self._index.scores(self._analysis.terms(query), is_over)
        if not len(scores):
            return np.empty(0, np.int64), np.empty(0, np.float32)
        k = min(top_k, self._size)
        # Everything that ties with the k-th best takes part, so that the order of documents decides.
        bound = np.partition(scores, self._size - k)[self._size - k]
        best = np.flatnonzero((scores >= bound) & (scores > 0))
        best = best[np.argsort(-scores[best], kind="stable")][:k]
        return best, scores[best]


class _Index:
    """The terms of documents, each weighed once; a query's scores are those of `bm25s`, to the bit."""

    def __init__(self, documents: Iterable[Sequence[str]], k1: float, b: float) -> None:
        """Weigh each term of each document as `bm25s` does, whose own loop over documents takes ten times as long."""
        self._postings = postings = Postings(documents)
        size, counts, weights = len(postings), np.diff(postings.bounds), postings.frequencies
        idf = np.array([math.log(1 + (size - n + 0.5) / (n + 0.5)) for n in counts.tolist()], np.float32)
        norms = k1 * ((1 - b) + b * postings.lengths / (postings.lengths.mean() or 1))
        for first in range(0, len(counts), _AT_ONCE):
            here = slice(*postings.bounds[[first, min(first + _AT_ONCE, len(counts))]].tolist())
            frequency = weights[here].astype(np.float64)
            frequency /= norms[postings.documents[here]] + frequency
            weights[here] = np.repeat(idf[first : first + _AT_ONCE], counts[first : first + _AT_ONCE]) * frequency

    def scores(self, terms: Iterable[str], is_over: Callable[[], bool]) -> NDArray[np.float32]:
        """Return the score of each document, or nothing when no term of the query is known."""
        known = [number for term in terms if (number := self._postings.number(term)) is not None]
        if not known:
            return np.empty(0, np.float32)
        scores = self._sums(known[:_TERMS])
        for start in range(_TERMS, len(known), _TERMS):
            if is_over():
                break
            scores += self._sums(known[start : start + _TERMS])
        return scores

    def _sums(self, terms: Sequence[int]) -> NDArray[np.float32]:
        """Return the sum of the terms' weights in each document, added up in the order of the terms."""
        postings, weights = self._postings, self._postings.frequencies
        scores = np.zeros(len(postings), np.float32)
        for begin, end in zip(postings.bounds[terms].tolist(), postings.bounds[np.add(terms, 1)].tolist(), strict=True):
            np.add.at(scores, postings.documents[begin:end], weights[begin:end])  # half the time of `scores[…] += …`
        return scores
