"""BM25 with the arithmetic of Lucene's `BM25Similarity`: 32-bit floats, lengths of documents kept in one byte."""

import math
from collections import Counter
from collections.abc import Callable, Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from benchbench.serve.postings import Postings

_EXACT = 24  # lengths up to it and four bits more are kept as they are
_TERMS = 1024  # of a query that are scored before anybody may say that it is enough


class LuceneIndex:
    """The terms of documents; a query's scores are those of Lucene, to the bit."""

    def __init__(self, documents: Iterable[Sequence[str]], k1: float, b: float) -> None:
        """Index the terms of each document."""
        self._postings = postings = Postings(documents)
        self._indexed = int(np.count_nonzero(postings.lengths))
        # A score is weight - weight / (1 + frequency / norm), and the divisor does not depend on the query.
        self._divisors = postings.frequencies
        self._divisors *= inverse_norms(postings.lengths, k1, b)[postings.documents]
        self._divisors += np.float32(1)

    def scores(self, terms: Iterable[str], is_over: Callable[[], bool]) -> NDArray[np.float32]:
        """Return the score of each document; a term that the query has twice has twice the weight."""
        scores = np.zeros(len(self._postings))  # as Lucene sums, before it rounds
        for number, (term, count) in enumerate(Counter(terms).items(), 1):
            place = self._postings.number(term)
            if place is not None:
                begin, end = self._postings.bounds[place : place + 2].tolist()
                weight = np.float32(count) * idf(end - begin, self._indexed)
                scores[self._postings.documents[begin:end]] += weight - weight / self._divisors[begin:end]
            if number % _TERMS == 0 and is_over():
                break
        return scores.astype(np.float32)


def idf(documents: int, size: int) -> np.float32:
    """Return the weight of a term that stands in so many documents of a collection."""
    return np.float32(math.log(1 + (size - documents + 0.5) / (documents + 0.5)))


def inverse_norms(lengths: NDArray[np.int64], k1: float, b: float) -> NDArray[np.float32]:
    """Return 1 / (k1 · (1 - b + b · length / mean length)) per document; empty ones do not count for the mean."""
    mean = np.float32(lengths.sum() / max(np.count_nonzero(lengths), 1))
    unit, factor = np.float32(1), np.float32(b)
    of_mean = factor * kept_lengths(lengths).astype(np.float32) / (mean or unit)
    with np.errstate(divide="ignore"):  # k1 0, b 1 and no term: whatever is found has the whole weight
        return unit / (np.float32(k1) * ((unit - factor) + of_mean))


def kept_lengths(lengths: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return lengths as Lucene keeps them in a byte (`SmallFloat.intToByte4`): above 24, their four leading bits."""
    above = np.maximum(lengths - _EXACT, 0)
    shift = np.maximum(np.frexp(above)[1] - 4, 0)
    kept: NDArray[np.int64] = np.minimum(lengths, _EXACT) + (above >> shift << shift)
    return kept
