"""TREC qrels and a run of any size to measure with, the same for the same arguments.

usage: python -m benchbench.profile.workload QUERIES DEPTH JUDGED SEED QRELS RUN

Half of a query's judged documents are among its hits, at any rank. No two scores of a query are equal, not
even in 32 bits, since tools order equal ones differently and would disagree for that alone.
"""

import os
import sys
from pathlib import Path
from typing import BinaryIO

import numpy as np
import polars as pl
from numpy.typing import NDArray

_DOCUMENTS = 500_000  # even numbers may be hits; odd ones are judged and never returned
_TOP = 16_000_000  # millionths: 32-bit floats tell those apart up to 16
_BLOCK = 1_000_000  # rows made at once


def write(queries: int, depth: int, judged: int, seed: int, qrels: Path, run: Path) -> None:
    """Write TREC qrels and a run; both are on the disk when this returns, so that no measurement includes writing them.

    Parameters
    ----------
    queries, depth, judged
        Numbers of queries, hits per query, judgments per query.
    seed
        Of the random numbers.
    qrels, run
        The files to write.
    """
    rng = np.random.default_rng(seed)
    block = max(1, _BLOCK // (depth + judged))
    with qrels.open("wb") as judgments, run.open("wb") as hits:
        for first in range(0, queries, block):
            _write_block(rng, np.arange(first, min(first + block, queries)), depth, judged, judgments, hits)
        for file in (judgments, hits):
            file.flush()
            os.fsync(file.fileno())


def _write_block(
    rng: np.random.Generator, query: NDArray[np.int64], depth: int, judged: int, judgments: BinaryIO, hits: BinaryIO
) -> None:
    returned = min((judged + 1) // 2, depth)
    document = 2 * _distinct(rng, query.size, depth, _DOCUMENTS)
    chosen = np.take_along_axis(document, _distinct(rng, query.size, returned, depth), axis=1)
    missed = 2 * _distinct(rng, query.size, judged - returned, _DOCUMENTS) + 1
    gap = _TOP // depth
    score = (np.arange(depth, 0, -1) * gap - rng.integers(0, gap, document.shape)) / 1e6
    _append(
        hits,
        {
            "query": np.repeat(query, depth),
            "iteration": "Q0",
            "document": document.ravel(),
            "rank": np.tile(np.arange(1, depth + 1), query.size),
            "score": score.ravel(),
            "tag": "tag",
        },
    )
    _append(
        judgments,
        {
            "query": np.repeat(query, judged),
            "iteration": "0",
            "document": np.concatenate([chosen, missed], axis=1).ravel(),
            "grade": rng.integers(0, 4, query.size * judged),
        },
    )


def _distinct(rng: np.random.Generator, rows: int, count: int, below: int) -> NDArray[np.int64]:
    """Return `count` numbers per row in random order; they are distinct because each comes from its own range."""
    width = below // max(count, 1)
    return rng.permuted(np.arange(count) * width + rng.integers(0, width, (rows, count)), axis=1)


def _append(file: BinaryIO, columns: dict[str, object]) -> None:
    ids = {"query": pl.format("q{}", "query"), "document": pl.format("doc{}", "document")}
    lines = pl.DataFrame(columns).with_columns(**ids)
    lines.write_csv(file, include_header=False, separator=" ", float_precision=6)


if __name__ == "__main__":
    write(*map(int, sys.argv[1:5]), *map(Path, sys.argv[5:7]))  # type: ignore[arg-type]
