"""Which queries each request of a step carries.

Batches are made before a clock runs, and are as many as the data set has of that size. Requests take them by number, so
that several processes agree on them without a word. What is drawn depends on the seed alone.
"""

import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import overload

import numpy as np

from benchbench.client.payload import Payload
from benchbench.kernels.arrays import F64, I64
from benchbench.loads.load_options import Order

_CHUNK = 4096  # requests at least whose batches are drawn together
_KEPT = 4  # chunks that are known at a time
_BATCHES, _ROUNDS = 0, 1  # so that what is in batches and their order are drawn independently


@dataclass(frozen=True, eq=False, kw_only=True)
class Batches:
    """The queries of each batch, (batches, size), and which batch each request takes.

    `shuffle`: each query is in a batch, and each round of all batches is in another order. `sequential`: rounds are
    in the order of the batches. `zipf`: as `shuffle` where batches have several queries; of batches of one, each
    request draws its own. A step `begins` where the one before it has ended. `fixed` are the batches of all requests
    where something else has chosen them.
    """

    rows: I64
    order: Order = "sequential"
    seed: int = 0
    weights: F64 | None = None  # of the batches, where a request draws its own; they sum to 1
    fixed: I64 | None = None
    begins: int = 0  # at so many requests after the first of the order
    _known: dict[int, I64] = field(default_factory=dict)

    def __len__(self) -> int:
        """Return the number of batches."""
        return len(self.rows)

    def of(self, number: int) -> int:
        """Return the batch of a request."""
        if self.fixed is not None:
            return int(self.fixed[number])
        number += self.begins
        if self.order == "sequential":
            return number % len(self.rows)
        length = self._length
        return int(self._chunk(number // length)[number % length])

    def of_all(self, numbers: I64) -> I64:
        """Return the batch of each of some requests."""
        if self.fixed is not None:
            return self.fixed[numbers]
        numbers = numbers + self.begins
        if self.order == "sequential":
            return numbers % len(self.rows)
        batches = np.empty(len(numbers), np.int64)
        length = self._length
        for chunk in np.unique(numbers // length).tolist():
            there = numbers // length == chunk
            batches[there] = self._chunk(chunk)[numbers[there] % length]
        return batches

    @property
    def _length(self) -> int:
        """The requests of a chunk: whole rounds."""
        return len(self.rows) * -(-_CHUNK // len(self.rows))

    def _chunk(self, chunk: int) -> I64:
        if chunk not in self._known:
            random = np.random.default_rng([self.seed, _ROUNDS, chunk])
            if self.weights is not None:
                drawn = np.searchsorted(np.cumsum(self.weights), random.random(self._length), side="right")
                made: I64 = np.minimum(drawn, len(self.rows) - 1)
            else:
                rounds = np.tile(np.arange(len(self.rows)), (self._length // len(self.rows), 1))
                made = random.permuted(rounds, axis=1).ravel()
            while len(self._known) >= _KEPT:
                del self._known[next(iter(self._known))]
            self._known[chunk] = made
        return self._known[chunk]


def batches(queries: int, size: int, order: Order = "sequential", seed: int = 0) -> Batches:
    """Return batches of `size` different queries each.

    Parameters
    ----------
    queries
        Of the data set; at least `size`.
    size
        Queries per batch.
    order
        `sequential`: consecutive queries; where `size` does not divide the data set, the last batch begins earlier.
        `shuffle`: the same of a random permutation. `zipf`: queries are drawn with a weight of 1 / rank (Zipf's law
        with exponent 1), ranks being a random permutation; those of a batch differ.
    seed
        Of what is random.
    """
    first = np.minimum(np.arange(0, queries, size), queries - size)
    consecutive = first[:, None] + np.arange(size)
    if order == "sequential":
        return Batches(rows=consecutive)
    random = np.random.default_rng([seed, _BATCHES])
    ranked = random.permutation(queries)
    if order == "shuffle":
        return Batches(rows=ranked[consecutive], order=order, seed=seed)
    weights = 1.0 / np.arange(1, queries + 1)
    weights /= weights.sum()
    if size == 1:
        return Batches(rows=ranked[:, None], order=order, seed=seed, weights=weights)
    bounds = np.cumsum(weights)
    return Batches(rows=ranked[np.array([_different(bounds, size, random) for _ in first])], order=order, seed=seed)


def _different(bounds: F64, size: int, random: np.random.Generator) -> I64:
    """Return so many different places, in the order in which they were drawn."""
    distinct: I64 = np.empty(0, np.int64)
    while len(distinct) < size:
        drawn = np.minimum(np.searchsorted(bounds, random.random(4 * size), side="right"), len(bounds) - 1)
        both = np.concatenate([distinct, drawn])
        distinct = both[np.sort(np.unique(both, return_index=True)[1])]
    different: I64 = distinct[:size]
    return different


@dataclass(frozen=True, eq=False)
class Requests(Sequence[Payload]):
    """What the requests of a step carry, by their number; there is no last one."""

    batches: Batches
    encoded: Sequence[Payload]  # of each batch

    def __len__(self) -> int:
        """Return more than a step can send."""
        return sys.maxsize

    @overload
    def __getitem__(self, number: int) -> Payload: ...
    @overload
    def __getitem__(self, number: slice) -> list[Payload]: ...
    def __getitem__(self, number: int | slice) -> Payload | list[Payload]:
        """Return what a request carries."""
        if isinstance(number, slice):
            return [self[request] for request in range(*number.indices(len(self)))]
        return self.encoded[self.batches.of(number)]


@dataclass(frozen=True, eq=False)
class FirstQueries:
    """The first query of each request, by its number."""

    batches: Batches

    def __getitem__(self, numbers: I64) -> I64:
        """Return those of some requests."""
        first: I64 = self.batches.rows[self.batches.of_all(numbers), 0]
        return first
