"""How many times as fast one service answers as another: a ratio of median latencies with its interval.

Latencies of requests that follow one another are alike, so that a request is no unit; a block of them is. Two services
that were sent the same requests are paired block by block.
"""

import math

import numpy as np

from benchbench.kernels.arrays import F64
from benchbench.significance.autocorrelation import OF_TESTS, autocorrelation, inflation
from benchbench.significance.student import student_quantile

FEWEST_BLOCKS = 6  # of fewer, the interval is wider than any ratio that one meets
MOST_BLOCKS = 24  # as history takes: of more, the interval is hardly narrower, and blocks are less independent
_LEAST = 1e-3  # milliseconds: what a clock can tell


def block_values(milliseconds: F64, blocks: int) -> F64:
    """Return the logarithm of the median latency of each block; NaN of blocks without a request.

    Parameters
    ----------
    milliseconds
        Of requests, in order.
    blocks
        How many; each has as many requests as the others, or one more.
    """
    parts = np.array_split(np.log(np.maximum(milliseconds, _LEAST)), blocks)
    return np.array([np.median(part) if len(part) else np.nan for part in parts])


def latency_ratio(first: F64, second: F64, blocks: int, alpha: float) -> tuple[float, float, float]:
    """Return the median latency of the first over that of the second, and the 1 - alpha interval of this ratio.

    It is the geometric mean of the ratios of the blocks; the interval is Student's, of their logarithms, wider where
    blocks resemble the block before (`significance.autocorrelation`).

    Parameters
    ----------
    first, second
        Milliseconds of the requests of each, in the order of the queries that they carried; at least one per block.
    blocks
        At least two.
    alpha
        The share of intervals that may miss.
    """
    differences = block_values(first, blocks) - block_values(second, blocks)
    mean = float(differences.mean())
    alike = inflation(blocks, autocorrelation(differences, correction=OF_TESTS))
    reach = student_quantile(alpha, blocks - 1) * float(differences.std(ddof=1)) * math.sqrt(alike / blocks)
    return math.exp(mean), math.exp(mean - reach), math.exp(mean + reach)
