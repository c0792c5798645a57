"""Micro averages: from totals over all queries, so that a query with more relevant documents weighs more."""

from typing import Any

import numpy as np

from benchbench.kernels.arrays import F64


def micro(name: str, precision: Any, hits: Any, divisor: Any) -> F64:
    """Return microP, microR or microF1.

    Parameters
    ----------
    name
        Which of them.
    precision
        Mean P@k over the queries, one or several samples of them: all lists have k places, so that the mean is
        Σ hits / Σ k.
    hits
        Mean of the relevant hits, of each query at most what its recall divides by.
    divisor
        Mean of what recall divides by.
    """
    zeros = np.zeros_like(np.asarray(precision, np.float64))
    recall = np.divide(hits, divisor, out=zeros.copy(), where=np.asarray(divisor) > 0)
    both = precision + recall
    f1 = np.divide(2 * precision * recall, both, out=zeros, where=both > 0)
    found: F64 = {"microP": np.asarray(precision), "microR": recall, "microF1": f1}[name]
    return found
