"""How much less queries that come in groups tell of a mean than independent ones."""

import numpy as np

from benchbench.kernels.arrays import F64
from benchbench.tables.groups import Groups


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
    if groups.number < 2 or np.ptp(values) == 0.0:
        return 1.0
    return group_variance(values, groups) / (float(values.var(ddof=1)) / len(values))


def group_variance(values: F64, groups: Groups) -> float:
    """Return the variance of a mean, with queries of a group as alike as they are (Liang and Zeger 1986).

    Exactly 0 where all values are equal; of one group it is not known.
    """
    if np.ptp(values) == 0.0:
        return 0.0
    sums = groups.sums(values - values.mean())
    return float(sums @ sums) / len(values) ** 2 * groups.number / max(groups.number - 1, 1)
