"""Corrections for having made several tests: adjusted p-values, to compare with alpha."""

import numpy as np

from benchbench.kernels.arrays import F64
from benchbench.significance.settings import Correction


def holm(p: F64) -> F64:
    """Return Holm's p-values (1979): the chance of one false finding or more in the family is at most alpha."""
    order = np.argsort(p, kind="stable")
    adjusted: F64 = np.empty(len(p))
    adjusted[order] = np.minimum(1.0, np.maximum.accumulate(p[order] * np.arange(len(p), 0, -1)))
    return adjusted


def benjamini_hochberg(p: F64) -> F64:
    """Return Benjamini and Hochberg's p-values (1995): on average a share of alpha of all findings is false."""
    order = np.argsort(p, kind="stable")[::-1]
    adjusted: F64 = np.empty(len(p))
    adjusted[order] = np.minimum.accumulate(p[order] * len(p) / np.arange(len(p), 0, -1))
    return adjusted


def corrected(p: F64, correction: Correction) -> F64:
    """Return the p-values of one family, corrected."""
    if correction == "none" or not len(p):
        return p
    return holm(p) if correction == "holm" else benjamini_hochberg(p)
