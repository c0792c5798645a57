"""The randomisation test: were the systems the same, each query's difference could as well have the other sign.

Of queries that come in groups, each group's. All pairs of a measure share the signs of a resample, so that a pair's
sum is the difference of two systems' sums, and only those are added up: ten systems need nine columns per measure, not
45.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from benchbench.kernels.arrays import F64
from benchbench.kernels.sign_flips import GROUP
from benchbench.significance.few_differ import few_differ
from benchbench.significance.subset_means import Tested, bounds, kept, most_beyond, patterns

_EPSILON = float(np.finfo(np.float64).eps)
_HELD = 2**27  # bytes of sums at a time: more than 16 million of them are rare


def smallest_p(units: int, resamples: int) -> float:
    """Return the p-value below which no test of so many queries or groups can be."""
    exact = patterns(units, resamples)
    return 1.0 / (resamples + 1) if exact is None else 2.0 / exact


@dataclass(frozen=True)
class Flips:
    """The random sign patterns of one measure: sums of each system over the units that a pattern keeps.

    Attributes
    ----------
    kept
        (systems, patterns), less those of the first system: so sums lose least.
    totals
        (systems,): the same over all units.
    sizes
        (patterns,): queries that a pattern keeps.
    lost
        (systems,): what adding in 64 bits may lose of a sum.
    """

    kept: F64
    totals: F64
    sizes: F64
    lost: F64


def flips(sums: F64, sizes: F64, drawn: Sequence[bool], resamples: int, seed: int) -> Iterator[Flips]:
    """Yield the sign patterns of one measure after the other, few of them in memory at a time.

    Parameters
    ----------
    sums
        (measures, systems, units): values of queries, or their sums over groups.
    sizes
        (units,): queries of each unit.
    drawn
        Of each measure, whether random patterns are needed; without them `kept` is empty.
    resamples, seed
        Random patterns, the same for all measures.
    """
    _, systems, units = sums.shape
    columns = sums[:, 1:] - sums[:, :1]
    size = np.abs(columns).sum(axis=2)
    lost = _EPSILON * (4 + float(sizes.max())) * np.abs(sums).sum(axis=2)
    lost[:, 1:] += _EPSILON * (units / GROUP + 2 * GROUP) * size
    together = max(1, _HELD // (8 * systems * resamples))
    wanted = [m for m, needed in enumerate(drawn) if needed]
    held: dict[int, F64] = {}
    kept_sizes = np.zeros(0)
    for m, needed in enumerate(drawn):
        if needed and m not in held:
            first = wanted.index(m)
            now = wanted[first : first + together]
            sums_kept = kept(np.concatenate([columns[now].reshape(-1, units), sizes[None]]), resamples, seed)
            held, kept_sizes = (
                dict(zip(now, sums_kept[:-1].reshape(len(now), systems - 1, -1), strict=True)),
                sums_kept[-1],
            )
        rows = held[m] if needed else np.zeros((systems - 1, 0))
        yield Flips(
            np.concatenate([np.zeros((1, rows.shape[1])), rows]),
            np.concatenate([[0.0], columns[m].sum(axis=1)]),
            kept_sizes,
            lost[m],
        )


def randomization(flipped: Flips, pair: tuple[int, int], sums: F64, sizes: F64, alpha: float, resamples: int) -> Tested:
    """Test the mean difference of two systems, and return the interval that the test leaves open.

    Parameters
    ----------
    flipped
        The patterns of the measure.
    pair
        Places of baseline and system.
    sums, sizes
        (units,): of the pair's differences, exactly 0 where there is none.
    alpha
        Of the interval.
    resamples
        Random sign patterns; all patterns of the units that differ are gone through instead when they are not more.

    Returns
    -------
    Tested
        The share of all patterns whose sum is at least as far from 0 as the one observed, or (c + 1) / (n + 1) of n
        random ones (Davison and Hinkley 1997). A sum counts as equal when it is within what adding in 64 bits can lose,
        so that equal values in another order are not less. The p-value is at most alpha exactly where the interval
        leaves out 0.
    """
    a, b = pair
    lost = float(flipped.lost[a] + flipped.lost[b])
    if patterns(int(np.count_nonzero(sums)), resamples) is not None:
        return few_differ(sums, sizes, alpha, resamples, lost)
    kept_sums = flipped.kept[b] - flipped.kept[a]
    total = float(flipped.totals[b] - flipped.totals[a])
    both = np.concatenate([kept_sums, total - kept_sums])
    both[np.abs(both) <= lost] = 0.0
    beyond = len(kept_sums) if abs(total) <= lost else np.count_nonzero(both <= 0.0 if total > 0.0 else both >= 0.0)
    p = min(1.0, (beyond + 1) / (len(kept_sums) + 1))
    ends = bounds(both, flipped.sizes, float(sizes.sum()), most_beyond(alpha, len(kept_sums), False))
    return Tested(p, -np.inf, np.inf) if ends is None else Tested(p, *ends)
