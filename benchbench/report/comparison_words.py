"""How a comparison says its numbers: p-values, intervals, and a sentence a difference."""

import math

from benchbench.significance.notes import CORRECTIONS
from benchbench.significance.outcome import Outcome
from benchbench.significance.result import Comparison, Difference

TESTS = {"randomization": "randomization test", "t": "paired t test", "wilcoxon": "Wilcoxon signed-rank test"}
_WORDS = {1: "better", -1: "worse", 0: ""}  # by the direction of a difference


def number(value: float) -> str:
    """Return a mean."""
    return "-" if math.isnan(value) else f"{value:.4f}"


def signed(value: float) -> str:
    """Return a difference."""
    return "-" if math.isnan(value) else f"{value:+.4f}"


def interval(low: float, high: float) -> str:
    """Return the interval of a difference."""
    return f"[{signed(low)}, {signed(high)}]"


def p_value(p: float) -> str:
    """Return a p-value with four decimals, or as far as they go."""
    return "< 0.0001" if p < 0.00005 else f"{p:.4f}"


def equals(p: float) -> str:
    """Return `p = …`."""
    return f"p {p_value(p)}" if p < 0.00005 else f"p = {p_value(p)}"


def percent(comparison: Comparison) -> str:
    """Return the level of the intervals."""
    return f"{100 * (1 - comparison.settings.alpha):g} %"


def heading(outcome: Outcome) -> str:
    """Return what was compared."""
    names = [system.name for system in outcome.systems]
    shown = ", ".join(names[:-1]) + f" and {names[-1]}"
    return f"{shown}: {len(outcome.comparison.paired.queries):,} queries"


def method(comparison: Comparison) -> str:
    """Return how the verdicts were reached, in a line."""
    settings = comparison.settings
    return (
        f"{TESTS[settings.test]}, {comparison.family}; alpha {settings.alpha:g}, {settings.resamples:,} resamples, "
        f"seed {settings.seed}"
    )


def verdict(one: Difference) -> str:
    """Return what a test found, in a word: `better`, `worse`, `differs` where the mean does not agree, or none."""
    if one.direction and one.mean * one.direction <= 0:
        return "differs"
    return _WORDS[one.direction]


def sentence(comparison: Comparison, one: Difference) -> str:
    """Return what a difference comes to, in plain words."""
    settings = comparison.settings
    means = [number(comparison.estimate(one.measure, name).mean) for name in (one.system, one.baseline)]
    sure = f"{percent(comparison)} interval {interval(one.low, one.high)}; {_how_sure(comparison, one)}"
    said = verdict(one)
    if said == "differs":
        return (
            f"{one.measure}: {one.system} differs from {one.baseline}: the mean difference is {signed(one.mean)} "
            f"({means[0]} against {means[1]}; {sure}), but by the ranks of the differences {one.system} is "
            f"{_WORDS[one.direction]} (wins {one.wins:,}, losses {one.losses:,})."
        )
    if said:
        return (
            f"{one.measure}: {one.system} is {said} than {one.baseline} by {number(abs(one.mean))} ({means[0]} "
            f"against {means[1]}; {sure})."
        )
    if one.mean == 0.0 and not one.wins and not one.losses:
        return f"{one.measure}: {one.system} and {one.baseline} have the same value for every query ({means[0]})."
    could = (
        f"; an uncorrected t-test would show a true one of {number(one.detectable)} in {100 * settings.power:g} % of "
        "such comparisons"
    )
    return (
        f"{one.measure}: no difference shown between {one.system} and {one.baseline} ({means[0]} against {means[1]}; "
        f"{sure}){'' if math.isnan(one.detectable) else could}."
    )


def _how_sure(comparison: Comparison, one: Difference) -> str:
    """Return the corrected p-value of the test that decides, and what it is corrected for."""
    settings = comparison.settings
    p = equals(one.corrected[settings.test])
    if comparison.tests == 1:
        return p
    return f"{p}, not corrected" if settings.correction == "none" else f"{p} after {CORRECTIONS[settings.correction]}"
