"""Which documents have a term, and how often: what every formula of BM25 scores."""

from array import array
from collections import Counter
from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from benchbench.kernels.arrays import I64


class Postings:
    """The terms of documents. Of each, its documents and frequencies stand side by side, in the order of documents."""

    def __init__(self, documents: Iterable[Sequence[str]]) -> None:
        """Take the terms of each document."""
        self._vocabulary: dict[str, int] = {}
        terms, frequencies, distinct, lengths = array("i"), array("f"), array("q"), array("q")
        for document in documents:
            counts = Counter(document)
            terms.extend(self._vocabulary.setdefault(term, len(self._vocabulary)) for term in counts)
            frequencies.extend(counts.values())
            distinct.append(len(counts))
            lengths.append(len(document))
        order = np.argsort(np.asarray(terms), kind="stable")  # by term, and by document below it
        self.bounds: I64 = np.concatenate(([0], np.cumsum(np.bincount(terms, minlength=len(self._vocabulary)))))
        self.lengths: I64 = np.asarray(lengths)
        self.documents = np.repeat(np.arange(len(lengths), dtype=np.int32), distinct)[order]
        self.frequencies: NDArray[np.float32] = np.asarray(frequencies)[order]

    def __len__(self) -> int:
        """Return the number of documents."""
        return len(self.lengths)

    def number(self, term: str) -> int | None:
        """Return the number of a term; None where no document has it."""
        return self._vocabulary.get(term)
