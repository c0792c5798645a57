"""The embedded retriever: BM25 (Lucene's variant) over `bm25s`."""

from collections.abc import Callable

import bm25s
import numpy as np
from numpy.typing import NDArray

from benchbench.serve.tokens import tokens
from benchbench.tables.collection import Collection

K1, B = 1.2, 0.75  # Lucene's defaults
_TERMS = 4096  # of a query that are scored before anybody may say that it is enough


class BM25:
    """An index of a collection; searching is deterministic and does not depend on batching."""

    def __init__(self, collection: Collection) -> None:
        """Index all documents."""
        vocabulary: dict[str, int] = {}
        documents = [
            [vocabulary.setdefault(term, len(vocabulary)) for term in tokens(text)] for text in collection.texts
        ]
        self._size = len(documents)
        self._vocabulary = vocabulary
        self._index = bm25s.BM25(k1=K1, b=B, method="lucene", backend="numpy")
        if vocabulary:
            self._index.index((documents, vocabulary), show_progress=False)

    def search(
        self, query: str, top_k: int, is_over: Callable[[], bool] = lambda: False
    ) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
        """Return document numbers and scores, best first; equal scores in document order.

        Documents that share no term with the query are not returned. Once `is_over`, the result means nothing.
        """
        terms = [number for term in tokens(query) if (number := self._vocabulary.get(term)) is not None]
        if not terms:
            return np.empty(0, np.int64), np.empty(0, np.float32)
        scores = self._index.get_scores(terms[:_TERMS])
        for start in range(_TERMS, len(terms), _TERMS):
            if is_over():
                break
            scores += self._index.get_scores(terms[start : start + _TERMS])
        k = min(top_k, self._size)
        # Everything that ties with the k-th best takes part, so that the order of documents decides.
        bound = np.partition(scores, self._size - k)[self._size - k]
        best = np.flatnonzero((scores >= bound) & (scores > 0))
        best = best[np.argsort(-scores[best], kind="stable")][:k]
        return best, scores[best]
