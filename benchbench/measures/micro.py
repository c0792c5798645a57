"""What is reported of a measure, from totals over all queries: a mean, a sum, or a micro average.

In a micro average a query with more relevant documents weighs more.
"""

from typing import Any

import numpy as np

from benchbench.kernels.arrays import F64
from benchbench.measures.catalog import CATALOG
from benchbench.measures.notation import Measure


def aggregated(measure: Measure, totals: F64, queries: int) -> float:
    """Return the value of a measure from the totals of its columns."""
    aggregate = CATALOG[measure.name].aggregate
    if aggregate == "micro":
        return float(micro(measure.name, *(totals / queries)))
    return float(totals[0]) / (queries if aggregate == "mean" else 1)


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


def micro_slopes(name: str, precision: float, hits: float, divisor: float) -> F64:
    """Return how fast microR or microF1 rises with each of the means that it is of; 0 where it is not defined."""
    recall = hits / divisor if divisor > 0.0 else 0.0
    of_recall = (1.0 / divisor, -recall / divisor) if divisor > 0.0 else (0.0, 0.0)
    both = precision + recall
    by_precision, by_recall = 0.0, 1.0
    if name == "microF1":
        by_precision, by_recall = (2.0 * (part / both) ** 2 if both > 0.0 else 0.0 for part in (recall, precision))
    return np.array([by_precision, *(by_recall * slope for slope in of_recall)])
