"""What a rule compares that tests add to a copy of the package, as `kernels/differs.py`."""

from dataclasses import dataclass

from benchbench.kernels._jit import leaf
from benchbench.kernels.arrays import I32, I64
from benchbench.kernels.rules import RankedChunk, Relevant, SetComparison


@leaf
def _of_others(first: int, last: int, offsets: I64, rank: I32, codes: I32, wanted: I32, places: I64, ends: I64) -> int:
    found, missing = 0, 0
    for q in range(first, last):
        for h in range(offsets[q], offsets[q + 1]):
            places[found] = h
            found += (codes[h] != wanted[q]) & (codes[h] >= 0) & (wanted[q] >= 0) & (rank[h] > 0)
            missing += (codes[h] < 0) & (rank[h] > 0)
        ends[q] = found
    return missing


@dataclass(frozen=True)
class Differs(SetComparison):
    """Sets are not equal."""

    common: float

    def find(self, chunk: RankedChunk, found: Relevant) -> int:
        """Compare codes."""
        codes, wanted = chunk.hits.codes[self.label], chunk.queries.codes[self.label]
        return _of_others(*chunk.ranked, codes, wanted, *found)
