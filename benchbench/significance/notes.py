"""What a comparison is, in words."""

import math
from collections.abc import Iterable, Sequence
from itertools import combinations

import numpy as np

from benchbench.results.figures import interval, p_said, signed
from benchbench.significance.comparison_settings import CompareSettings, Correction
from benchbench.significance.findings import Finding
from benchbench.significance.mean_intervals import FEW_GROUPS, few_groups
from benchbench.significance.power import detectable_effect
from benchbench.significance.randomization import smallest_p
from benchbench.significance.result import PairedDifference
from benchbench.significance.subset_means import patterns
from benchbench.tables.paired import Paired

CORRECTIONS: dict[Correction, str] = {
    "holm": "Holm",
    "maxt": "step-down maxT",
    "bonferroni": "Bonferroni",
    "bh": "Benjamini and Hochberg",
    "none": "none",
}
PLURAL = {"query": "queries", "group": "groups", "system": "systems", "test": "tests"}
TOO_FEW = "too few queries to say"
_BY_MARGIN: dict[Correction, str] = {
    name: "" if name == "none" else f" after {CORRECTIONS['holm' if name == 'maxt' else name]}" for name in CORRECTIONS
}
FEW = 25  # queries: fewer than this show only large differences


def family(paired: Paired, settings: CompareSettings, pairs: int) -> str:
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
    is_corrected = settings.correction != "none" and tests_in_family(paired, settings, pairs) > 1
    corrected = f"corrected by {CORRECTIONS[settings.correction]}" if is_corrected else "not corrected"
    return f"{who}, {how}, {corrected}"


def tests_in_family(paired: Paired, settings: CompareSettings, pairs: int) -> int:
    """Return the number of tests that one correction is made over."""
    return pairs * len(paired.measures) if settings.family == "together" else pairs


def notes(paired: Paired, settings: CompareSettings, findings: Sequence[Finding], pairs: int) -> list[str]:
    """Return what the reader should know of the tests, from what all pairs show in all measures."""
    unit = "query" if paired.groups is None else "group"
    units = paired.unit_count
    sentences = []
    exact = patterns(units, settings.resamples)
    few = [finding for finding in findings if finding.exact and finding.differ]
    if exact is not None:
        sentences.append(f"the randomization test is exact: it goes through all 2^{units} = {exact:,} sign patterns")
    elif few:
        which = "" if len(few) == len(findings) else f" of {len(few)} of {len(findings)} differences"
        most = max(finding.differ for finding in few)
        sentences.append(
            f"the randomization test{which} is exact, since at most {_many(most, unit)} differ{'s' * (most == 1)}"
        )
    if paired.groups is None and units < FEW:
        effect = detectable_effect(units, settings.alpha, settings.power)
        sentences.append(
            f"with {units} queries a mean difference is found with a chance of {settings.power:.0%} "
            f"only if it is {effect:.2g} standard deviations of the differences or more"
        )
    least = smallest_p(units, settings.resamples)
    tests = tests_in_family(paired, settings, pairs)
    if settings.test == "randomization":
        if least > settings.alpha:
            sentences.append(
                f"no p-value of a randomization test of {_many(units, unit)} is below {least:.2g}: none can be "
                f"significant at {settings.alpha:g}, and no interval of a difference has an end"
            )
        elif settings.correction not in ("none", "maxt") and tests * least > settings.alpha:
            sentences.append(
                f"no p-value of the randomization test is below {least:.2g}, times {tests} tests {tests * least:.2g}: "
                f"more {'resamples' if exact is None else PLURAL[unit]} are needed to be sure of one difference"
            )
        elif exact is None and (every := math.comb(len(paired.systems), 2)) * least > settings.alpha:
            sentences.append(
                f"no p-value of the randomization test is below {least:.2g}, times {every:,} pairs "
                f"{every * least:.2g}: more resamples are needed to tell ranks apart"
            )
    if settings.test == "wilcoxon":
        sentences.append(
            "intervals are of the middle of the differences that are not 0, as the test is: the mean need not be in "
            "them"
        )
    for a, b in combinations(range(len(paired.systems)), 2):
        if np.array_equal(paired.values[:, a], paired.values[:, b]):
            sentences.append(f"{paired.systems[a]} and {paired.systems[b]} have equal values on every query")
    return sentences


def of_differences(differences: Iterable[PairedDifference], settings: CompareSettings) -> list[str]:
    """Return what the reader should know of some differences, a sentence for each pair, with its measures."""
    without_spread: dict[tuple[str, str], list[str]] = {}
    contradicted: dict[tuple[str, str], list[str]] = {}
    for difference in differences:
        pair = difference.system, difference.baseline
        if difference.effect is None:
            without_spread.setdefault(pair, []).append(difference.measure)
        if difference.corrected[settings.test] <= settings.alpha and not difference.significant:
            contradicted.setdefault(pair, []).append(difference.measure)
    sentences = [
        f"{system} and {baseline} differ by the same on every query in {', '.join(measures)}: the "
        "t-test has no spread to measure, and its p-value is 0 by convention"
        for (system, baseline), measures in without_spread.items()
    ]
    return sentences + [
        f"{system} - {baseline} in {', '.join(measures)}: the test finds a difference but the "
        "interval includes 0; a verdict needs both"
        for (system, baseline), measures in contradicted.items()
    ]


def of_groups(paired: Paired, settings: CompareSettings, differences: Iterable[PairedDifference]) -> list[str]:
    """Return how many groups the queries come in, what that costs, and whether they are few."""
    if paired.groups is None:
        return []
    groups, queries = paired.groups, len(paired.queries)
    effects = [difference.design_effect for difference in differences if difference.design_effect is not None]
    least, most = (f"{end:.2f}" for end in (min(effects), max(effects)))
    sentences = [
        f"{queries:,} queries in {groups.number:,} groups of {groups.column}: design effect "
        f"{least if least == most else f'{least} to {most}'} (a mean varies as that of so many times fewer independent "
        "queries)"
    ]
    few = few_groups(groups.column, groups.number)
    if 2.0 ** (1 - groups.number) > settings.alpha:
        few = (
            f"{groups.number:,} {'group' if groups.number == 1 else 'groups'} of {groups.column}: "
            f"with so few sign flips no p-value can be {settings.alpha:g} or less, and differences "
            "have no interval"
        )
    worth = queries**2 / float(groups.sizes @ groups.sizes)  # as many of one size
    if settings.test == "t" and worth < FEW_GROUPS:
        few = (
            f"{groups.number:,} groups of {groups.column} that weigh as {worth:.3g} of one size, fewer than "
            f"{FEW_GROUPS}: the t-test of so few is too sure where they differ in size; --test randomization is not"
        )
    return sentences if few is None else [*sentences, few]


def asked_of(difference: PairedDifference, settings: CompareSettings, tests: int) -> str:
    """Return what a difference says of the margin, and of the difference that was asked for; empty where of neither."""
    sentences = []
    margin = difference.margin
    if margin is not None and settings.margin is not None:
        within = f"within {settings.margin:g}"
        pair = f"{difference.system} and {difference.baseline}"
        low, high = (sign * math.inf if end is None else end for end, sign in ((margin.low, -1), (margin.high, 1)))
        sure = f"{100 * (1 - 2 * settings.alpha):g} % interval {interval(low, high, shown=signed)}"
        by = _BY_MARGIN[settings.correction] if tests > 1 else ""
        if margin.equivalent <= settings.alpha:
            sentences.append(f"{pair} are equivalent {within} ({sure}, {p_said(margin.equivalent)}{by}).")
        elif difference.direction:
            sentences.append(f"{pair} are not shown to be {within} ({sure}).")
        elif margin.not_inferior <= settings.alpha:
            how = f"not inferior to {difference.baseline} by more than {settings.margin:g}"
            sentences.append(f"{difference.system} is {how} ({sure}, {p_said(margin.not_inferior)}{by}).")
        else:
            sentences.append(f"{TOO_FEW[0].upper()}{TOO_FEW[1:]} whether {pair} are {within} ({sure}).")
    if difference.need is not None and settings.need is not None:
        unit = "query" if settings.cluster is None else "group"
        chance = f"in {100 * settings.power:g} % of such comparisons"
        sentences.append(
            f"It would take {_many(difference.need, unit)} {chance} to detect a difference of {settings.need:g}."
        )
    return " ".join(sentences)


def _many(number: int, noun: str) -> str:
    return f"one {noun}" if number == 1 else f"{number:,} {PLURAL[noun]}"
