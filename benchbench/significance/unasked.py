"""Queries that seem to belong together though nobody said so: notes on columns whose groups change what is found."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from benchbench.significance.comparison_settings import GROUPED, CompareSettings, Test
from benchbench.significance.design_effects import design_effect
from benchbench.significance.distributions import chi_square_above
from benchbench.significance.findings import Finding, findings
from benchbench.significance.mean_intervals import FEW_GROUPS, GroupSpread, mean_variance
from benchbench.significance.paired_tests import deviation
from benchbench.significance.pairs import Pair
from benchbench.tables.groups import Groups, groups_of
from benchbench.tables.paired import Paired

LARGE = 1.5  # design effect: intervals a fifth too narrow
CHANCE = 0.05  # of a note on columns that say nothing, whatever their number and that of the differences


def unasked(
    paired: Paired, settings: CompareSettings, pairs: Sequence[Pair], shown: Sequence[Sequence[Finding]]
) -> list[str]:
    """Return a note on each column whose groups give a difference a design effect above `LARGE`, and not by chance.

    Columns are those of texts, categories, and lists of them, with `FEW_GROUPS` groups or more and fewer groups than
    queries. Numbers are measured and counted, as `length` and `positives` are: equal ones say little. An id that is a
    number may be named.

    Parameters
    ----------
    paired, settings
        What was compared, and how.
    pairs, shown
        Places of baseline and system, and of each measure what they show.
    """
    groups = list(_candidates(paired)) if settings.cluster is None else []
    looks = max(1, len(groups) * len(paired.measures) * len(pairs))
    least = [_not_by_chance(grouping, CHANCE / looks) for grouping in groups]
    worst: dict[str, tuple[float, int, int]] = {}  # of a column: design effect, measure, pair
    for m in range(len(paired.measures) if groups else 0):
        apart = paired.values[m] - paired.values[m, :1]  # of differences to one system sums lose least
        sums = [grouping.sums(apart) for grouping in groups]
        for c, (a, b) in enumerate(pairs):
            values = paired.difference(m, a, b)
            mean = values.mean()
            squares = (len(values) - 1) * deviation(values) ** 2
            for grouping, of_systems, bound in zip(groups, sums, least, strict=True):
                off = of_systems[b] - of_systems[a] - mean * grouping.sizes
                spread = GroupSpread(grouping.column, grouping.number, float((off * off).sum()))
                _, effect = mean_variance(len(values), squares, spread)
                if effect is not None and effect > max(bound, worst.get(grouping.column, (0.0, 0, 0))[0]):
                    worst[grouping.column] = effect, m, c
    sentences = []
    test: Test = settings.test if settings.test in GROUPED else "randomization"
    also = "" if test == settings.test else f" with --test {test}"
    for grouping in groups:
        if grouping.column in worst:
            _, m, c = worst[grouping.column]
            effect = design_effect(paired.difference(m, *pairs[c]), grouping)
            p = _grouped_p(paired, replace(settings, test=test, slices=()), grouping, m, pairs[c])
            a, b = pairs[c]
            before, after = f"{shown[m][c].p[test]:.2g}", f"{p:.2g}"
            sentences.append(
                f"queries with the same {grouping.column} are alike ({grouping.number:,} groups; design effect "
                f"{effect:.2f} of {paired.systems[b]} - {paired.systems[a]} in {paired.measures[m]}): "
                f"--cluster {grouping.column}{also} keeps them together, and the p-value before correction is {after}"
                f"{f' instead of {before}' if before != after else ', too'}"
            )
    return sentences


def _candidates(paired: Paired) -> Iterator[Groups]:
    if paired.columns is None:
        return
    import polars as pl

    for name, kind in paired.columns.schema.items():
        inner = kind.inner if isinstance(kind, pl.List | pl.Array) else kind
        if isinstance(inner, pl.String | pl.Categorical | pl.Enum):
            groups = groups_of(paired.columns, name)
            if FEW_GROUPS <= groups.number < len(paired.queries):
                yield groups


def _not_by_chance(groups: Groups, chance: float) -> float:
    """Return the design effect, `LARGE` or more, above which that of groups which say nothing is with such a chance.

    The sum over pairs of queries in one group varies about 0 as chi² with as many degrees of freedom as one over the
    share of the pairs of queries that are in one group.
    """
    queries = float(groups.sizes.sum())
    freedom = queries * (queries - 1.0) / float(groups.sizes @ (groups.sizes - 1.0))
    return max(LARGE, chi_square_above(chance, freedom) / freedom)


def _grouped_p(paired: Paired, settings: CompareSettings, groups: Groups, m: int, pair: Pair) -> float:
    """Return the p-value of one difference with its queries in groups."""
    alone = Paired(
        tuple(paired.systems[s] for s in pair),
        (paired.measures[m],),
        paired.queries,
        paired.values[[m]][:, pair],
        groups=groups,
    )
    ((finding,),) = findings(alone, settings, [(0, 1)], (settings.test,), settings.resamples)
    return finding.p[settings.test]
