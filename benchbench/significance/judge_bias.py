"""Whether a judge's grades go by something that people's do not: length, position, whose answer it is.

Conventions
-----------
A pair has a grade by people and one by the judge, and a value of what is suspected: the logarithm of the text's length,
that of its rank, or 1 where the answer is of the judge's own model. Were the judge unbiased, then among pairs of one
query to which people gave one grade, a cell, its grades could as well have come in any other order. So the test
permutes the judge's grades within cells: whatever makes queries or grades differ, and however grades go with the value
through people's, is the same in every permutation, and the p-value is valid for any number of pairs and with ties.

Where queries have one pair each, the cells are the grades by people. Where they have several, but too few that share a
grade, one pair of each query is drawn and the rest left out, so that what is permuted is independent.

A judge that sees more than people's grades say is not told from a biased one, where that goes with the value.
"""

import math
from dataclasses import dataclass, replace
from typing import Literal, NamedTuple

import numpy as np

from benchbench.kernels.arrays import F64, I64, Bools
from benchbench.significance.corrections import holm
from benchbench.significance.distributions import normal_cdf
from benchbench.significance.randomization import flips, randomization
from benchbench.significance.raters import jackknife_ends

RESAMPLES = 1_999
_FEWEST_CELLS = 10  # queries times grades that can say something
_FEWEST_SHARE = 0.2  # … of all pairs
_AT_ONCE = 2_000_000  # permuted grades in memory
_PERMUTED = 5_000  # pairs of which permutations are drawn; of more, their normal limit is taken
_OFF = 200  # … that have another grade than most of their cell
_ROUNDING = 1e-9

Null = Literal[
    "permutations within queries and grades",
    "permutations within grades",
    "permutations within grades, of one pair per query",
    "signs of queries",
    "none",
]
PERMUTED: Null = "permutations within queries and grades"
BY_GRADE: Null = "permutations within grades"
THINNED: Null = "permutations within grades, of one pair per query"
FLIPPED: Null = "signs of queries"


@dataclass(frozen=True, slots=True, kw_only=True)
class Probe:
    """What a test of one suspicion says.

    Attributes
    ----------
    name
        `length`, `position` or `self_preference`.
    effect, low, high
        By how much the judge's grade rises when the value rises by 1 and people's grade stays; with a jackknife over
        queries. NaN where there is none.
    p, adjusted
        Of no effect; the second is corrected over all probes of a judge (Holm). NaN where it was not tested.
    n, queries
        Pairs that could say something, and the queries that they are of.
    null
        How the p-value was made.
    skipped
        Why it was not tested; empty where it was.
    """

    name: str
    effect: float = math.nan
    low: float = math.nan
    high: float = math.nan
    p: float = math.nan
    adjusted: float = math.nan
    n: int
    queries: int
    null: Null
    skipped: str = ""


class _Cells(NamedTuple):
    """Pairs that can say something, those of a cell together: grades and values less the means of their cells."""

    cell: I64  # from 0, rising
    grade: F64
    value: F64
    group: I64  # the query, from 0


def untested(name: str, why: str, n: int = 0) -> Probe:
    """Return a probe that was not made."""
    return Probe(name=name, n=n, queries=0, null="none", skipped=why)


def probe(name: str, human: F64, judge: F64, value: F64, groups: I64, level: float = 0.05, seed: int = 0) -> Probe:
    """Test whether a judge's grades go by a value beyond what people's grades say.

    Parameters
    ----------
    name
        Of the probe.
    human, judge
        (pairs,): grades.
    value
        (pairs,): what is suspected; pairs where it is NaN are left out.
    groups
        (pairs,): the query of each, from 0.
    level
        The share of intervals that may miss.
    seed
        Of permutations and signs.
    """
    known = ~(np.isnan(value) | np.isnan(human) | np.isnan(judge))
    human, judge, value = human[known], judge[known], value[known]
    groups = np.unique(groups[known], return_inverse=True)[1]
    if not human.size:
        return untested(name, "no pair has a value of it")
    if np.ptp(value) == 0.0:
        return untested(name, "it is the same for all pairs", human.size)
    grade = np.unique(human, return_inverse=True)[1]
    null = BY_GRADE if int(groups.max()) + 1 == human.size else PERMUTED
    cells = _cells(grade if null == BY_GRADE else groups * (int(grade.max()) + 1) + grade, judge, value, groups)
    if null == PERMUTED and not _says_enough(cells, human.size):
        drawn = np.random.default_rng(seed).permutation(human.size)
        drawn = drawn[np.unique(groups[drawn], return_index=True)[1]]
        null, cells = THINNED, _cells(grade[drawn], judge[drawn], value[drawn], groups[drawn])
    if not cells.cell.size:
        return untested(name, "no two pairs with the same grade by people differ in it", human.size)
    return _permuted(name, cells, null, level, seed)


def paired_probe(
    name: str, first: F64, second: F64, step: F64, groups: I64, level: float = 0.05, seed: int = 0
) -> Probe:
    """Test whether a judge gives the same items other grades when they stand elsewhere.

    Parameters
    ----------
    name
        Of the probe.
    first, second
        (pairs,): its grades of the same pairs, asked twice.
    step
        (pairs,): how much further the second time was on, such as the difference of two logarithms of ranks; 1 where
        only the order of asking is known. Pairs that stayed where they were say nothing.
    groups
        (pairs,): the query of each; the signs of a query are flipped together.
    level, seed
        As `probe`.
    """
    known = ~(np.isnan(first) | np.isnan(second) | np.isnan(step))
    known &= step != 0.0
    if not known.any():
        return untested(name, "no pair was judged in two positions")
    change, step = (second - first)[known], step[known]
    groups = np.unique(groups[known], return_inverse=True)[1]
    return _of_products(name, change * step, step * step, groups, int(groups.max()) + 1, level, seed)


def corrected(probes: list[Probe]) -> list[Probe]:
    """Return the probes with p-values that are corrected over all that were tested (Holm)."""
    tested = [place for place, probe in enumerate(probes) if probe.p == probe.p]
    adjusted = dict(zip(tested, holm(np.array([probes[place].p for place in tested])).tolist(), strict=True))
    return [replace(probe, adjusted=adjusted.get(place, np.nan)) for place, probe in enumerate(probes)]


def _cells(cell: I64, judge: F64, value: F64, groups: I64) -> _Cells:
    """Return the pairs of cells in which the value differs, centred within their cells."""
    cell = np.unique(cell, return_inverse=True)[1]
    sizes = np.bincount(cell)
    off = value - (np.bincount(cell, weights=value) / sizes)[cell]
    spread = np.bincount(cell, weights=off * off)
    kept = (spread > _ROUNDING)[cell]
    order = np.flatnonzero(kept)[np.argsort(cell[kept], kind="stable")]
    cell = np.unique(cell[order], return_inverse=True)[1]
    if not cell.size:
        return _Cells(cell, judge[:0], value[:0], groups[:0])
    means = np.bincount(cell, weights=judge[order]) / np.bincount(cell)
    return _Cells(cell, judge[order] - means[cell], off[order], groups[order])


def _says_enough(cells: _Cells, pairs: int) -> bool:
    """Say whether enough pairs stand in cells of their query; that goes by the values, and never by the judge."""
    return bool(cells.cell.size and cells.cell[-1] + 1 >= _FEWEST_CELLS and cells.cell.size >= _FEWEST_SHARE * pairs)


def _permuted(name: str, cells: _Cells, null: Null, level: float, seed: int) -> Probe:
    """Permute the judge's grades within cells."""
    observed = float(cells.grade @ cells.value)
    spread = float(cells.value @ cells.value)
    sizes = np.bincount(cells.cell)
    within = [np.bincount(cells.cell, weights=numbers * numbers) for numbers in (cells.grade, cells.value)]
    variance = float((within[0] * within[1] / (sizes - 1)).sum())
    if variance <= _ROUNDING:
        p = 1.0  # the judge gives all pairs of a cell one grade
    elif cells.cell.size > _PERMUTED and np.count_nonzero(_uncommon(cells)) >= _OFF:
        p = min(1.0, 2.0 * float(normal_cdf(-abs(observed) / variance**0.5)))
    else:
        p = _drawn(cells, observed, seed)
    queries = int(np.unique(cells.group).size)
    low, high = _jackknifed(cells.grade * cells.value, cells.value**2, cells.group, level)
    effect, n = observed / spread, cells.cell.size
    return Probe(name=name, effect=effect, low=low, high=high, p=p, adjusted=p, n=n, queries=queries, null=null)


def _drawn(cells: _Cells, observed: float, seed: int) -> float:
    """Return the share of permutations, the one observed among them, that are as far from 0."""
    random, size = np.random.default_rng(seed), cells.cell.size
    turn = max(1, _AT_ONCE // size)
    least = abs(observed) * (1.0 - _ROUNDING) - _ROUNDING
    beyond, left = 0, RESAMPLES
    while left:
        now = min(turn, left)
        order = np.argsort(cells.cell + random.random((now, size)), axis=1)
        beyond += int(np.count_nonzero(np.abs(cells.grade[order] @ cells.value) >= least))
        left -= now
    return (beyond + 1) / (RESAMPLES + 1)


def _uncommon(cells: _Cells) -> Bools:
    """Say of each pair whether its grade is another than that of most of its cell."""
    _, kind = np.unique(np.round(cells.grade, 9), return_inverse=True)
    both, counts = np.unique(np.stack([cells.cell, kind]), axis=1, return_counts=True)
    order = np.lexsort((counts, both[0]))
    last = np.flatnonzero(np.diff(both[0][order], append=-1))
    common = both[1][order][last]
    uncommon: Bools = kind != common[cells.cell]
    return uncommon


def _of_products(name: str, products: F64, squares: F64, groups: I64, number: int, level: float, seed: int) -> Probe:
    """Return the probe whose effect is a sum of products over a sum of squares, by signs of queries."""
    sums: F64 = np.bincount(groups, weights=products, minlength=number).astype(np.float64)
    there = np.bincount(groups, minlength=number) > 0
    sums, sizes = sums[there], np.ones(int(there.sum()))
    p = 1.0
    if np.abs(sums).max(initial=0.0) > _ROUNDING:
        systems = np.stack([np.zeros_like(sums), sums])[None]
        (flipped,) = flips(systems, sizes, [True], RESAMPLES, seed)
        p = randomization(flipped, (0, 1), sums, sizes, level, RESAMPLES).p
    low, high = _jackknifed(products, squares, groups, level)
    effect = float(products.sum() / squares.sum())
    n, queries = products.size, len(sums)
    return Probe(name=name, effect=effect, low=low, high=high, p=p, adjusted=p, n=n, queries=queries, null=FLIPPED)


def _jackknifed(products: F64, squares: F64, groups: I64, level: float) -> tuple[float, float]:
    """Return the interval of a ratio of sums over queries; NaN where no query changes it."""
    groups = np.unique(groups, return_inverse=True)[1]
    above, below = (np.bincount(groups, weights=terms) for terms in (products, squares))
    blocks, rest = len(above), below.sum() - below
    if blocks < 2 or (rest <= _ROUNDING).any():
        return np.nan, np.nan
    return jackknife_ends(float(above.sum() / below.sum()), (above.sum() - above) / rest, level)
