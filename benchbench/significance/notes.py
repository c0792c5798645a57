"""What a comparison is, in words."""

from collections.abc import Iterable
from itertools import combinations

import numpy as np

from benchbench.significance.power import detectable_effect
from benchbench.significance.randomization import patterns, smallest_p
from benchbench.significance.result import Difference
from benchbench.significance.settings import Correction, Settings
from benchbench.tables.paired import Paired

CORRECTIONS: dict[Correction, str] = {
    "holm": "Holm",
    "bh": "Benjamini and Hochberg",
    "none": "none",
}
FEW = 25  # queries: fewer than this show only large differences


def family(paired: Paired, settings: Settings, pairs: int) -> str:
    """Name the tests that one correction is made over."""
    systems, measures = len(paired.systems), len(paired.measures)
    if settings.baseline is None:
        who = f"all {pairs} pairs of {systems} systems" if pairs > 1 else "one pair of systems"
    else:
        who = f"{_many(pairs, 'system')} against {settings.baseline}"
    tests = _many(tests_in_family(paired, settings, pairs), "test")
    if measures == 1:
        how = f"one measure: {tests}"
    elif settings.family == "together":
        how = f"{measures} measures together: {tests}"
    else:
        how = f"each of {measures} measures by itself: {tests} in each"
    corrected = "not corrected" if settings.correction == "none" else f"corrected by {CORRECTIONS[settings.correction]}"
    return f"{who}, {how}, {corrected}"


def tests_in_family(paired: Paired, settings: Settings, pairs: int) -> int:
    """Return the number of tests that one correction is made over."""
    return pairs * len(paired.measures) if settings.family == "together" else pairs


def notes(paired: Paired, settings: Settings, pairs: int) -> list[str]:
    """Return what the reader should know."""
    queries = len(paired.queries)
    found = []
    exact = patterns(queries, settings.resamples)
    if exact is not None:
        found.append(f"the randomisation test is exact: it goes through all 2^{queries} = {exact:,} sign patterns")
    if queries < FEW:
        effect = detectable_effect(queries, settings.alpha, settings.power)
        found.append(
            f"with {queries} queries a mean difference is found with a chance of {settings.power:.0%} "
            f"only if it is {effect:.2g} standard deviations of the differences or more"
        )
    least = smallest_p(queries, settings.resamples)
    tests = tests_in_family(paired, settings, pairs)
    if settings.test == "randomization":
        if least > settings.alpha:
            found.append(
                f"no p-value of a randomisation test of {queries} queries is below {least:.2g}: "
                f"none can be significant at {settings.alpha:g}"
            )
        elif settings.correction != "none" and tests * least > settings.alpha:
            found.append(
                f"no p-value of the randomisation test is below {least:.2g}, times {tests} tests {tests * least:.2g}: "
                f"{'more resamples' if exact is None else 'more queries'} are needed to be sure of one difference"
            )
    for a, b in combinations(range(len(paired.systems)), 2):
        if np.array_equal(paired.values[:, a], paired.values[:, b]):
            found.append(f"{paired.systems[a]} and {paired.systems[b]} have equal values on every query")
    return found


def without_spread(differences: Iterable[Difference]) -> list[str]:
    """Return a sentence for each pair that differs by the same on every query, with its measures."""
    found: dict[tuple[str, str], list[str]] = {}
    for one in differences:
        if one.effect is None:
            found.setdefault((one.system, one.baseline), []).append(one.measure)
    return [
        f"{system} and {baseline} differ by the same on every query in {', '.join(measures)}: the t-test has no spread "
        "to go by, and its p-value is 0 by convention"
        for (system, baseline), measures in found.items()
    ]


def _many(number: int, noun: str) -> str:
    return f"one {noun}" if number == 1 else f"{number} {noun}s"
