"""How much less queries that come in groups tell of a mean than independent ones, from their values."""

import numpy as np

from benchbench.kernels.arrays import F64
from benchbench.significance.mean_intervals import GroupSpread, mean_variance
from benchbench.tables.groups import Groups


def group_spread(apart: F64, groups: Groups) -> GroupSpread:
    """Return how much groups differ, from how far each value (queries,) is from the mean of all."""
    sums = groups.sums(apart)
    return GroupSpread(groups.column, groups.number, float((sums * sums).sum()))


def design_effect(values: F64, groups: Groups) -> float:
    """Return the variance of a mean over groups, over that of as many independent queries.

    1 where queries of a group are no more alike than others; n where all n queries of each group have one value. The
    mean is worth as many independent queries as there are, divided by it.

    Parameters
    ----------
    values
        (queries,).
    groups
        Of the same queries; of one group it is not known, and 1, as where all values are equal.
    """
    if np.ptp(values) == 0.0:
        return 1.0
    apart = values - values.mean()
    _, effect = mean_variance(len(values), float((apart * apart).sum()), group_spread(apart, groups))
    return 1.0 if effect is None else effect


def group_variance(values: F64, groups: Groups) -> float:
    """Return the variance of a mean, with queries of a group as alike as they are.

    Exactly 0 where all values are equal; of one group it is not known.
    """
    if np.ptp(values) == 0.0:
        return 0.0
    apart = values - values.mean()
    return mean_variance(len(values), 0.0, group_spread(apart, groups))[0]
