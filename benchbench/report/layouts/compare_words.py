"""How a comparison says what its tests and intervals are."""

from benchbench.comparison.compare_result import CompareDetails
from benchbench.results.figures import interval, p_said, signed, value
from benchbench.significance.notes import CORRECTIONS, asked_of
from benchbench.significance.result import WILSON, Difference
from benchbench.tables.shared_messages import and_joined

TESTS = {"randomization": "randomization test", "t": "paired t test", "wilcoxon": "Wilcoxon signed-rank test"}
_WORDS = {1: "better", -1: "worse", 0: ""}  # by the direction of a difference


def level(details: CompareDetails) -> str:
    """Return the level of the intervals."""
    return f"{100 * (1 - details.settings.alpha):g} %"


def intervals_made(details: CompareDetails) -> str:
    """Return how the intervals of means and of differences are made."""
    of_means = dict.fromkeys(one.interval for one in details.estimates)
    means = and_joined([one for one in of_means if one != WILSON or len(of_means) == 1])
    if WILSON in of_means and len(of_means) > 1:
        means += f" ({WILSON} where all values are 0 or 1)"
    differences = and_joined(list(dict.fromkeys(one.interval for one in details.differences)))
    if details.settings.correction == "maxt":
        differences += ", so that those of a family hold together"
    return (
        f"by {means} over queries" if means == differences else f"of means by {means}, of differences by {differences}"
    )


def verdict(one: Difference) -> str:
    """Return what a test found, in a word: `better`, `worse`, `differs` where the mean does not agree, or none."""
    if one.direction and one.mean * one.direction <= 0:
        return "differs"
    return _WORDS[one.direction]


def sentence(details: CompareDetails, one: Difference) -> str:
    """Return what a difference comes to, in plain words."""
    return f"{_shown(details, one)} {asked_of(one, details.settings, details.tests)}".rstrip()


def _shown(details: CompareDetails, one: Difference) -> str:
    settings = details.settings
    means = [value(details.estimate(one.measure, name).mean) for name in (one.system, one.baseline)]
    shown = (
        "no interval" if one.low is None else f"{level(details)} interval {interval(one.low, one.high, shown=signed)}"
    )
    sure = f"{shown}; {_how_sure(details, one)}"
    said = verdict(one)
    if said == "differs":
        return (
            f"{one.measure}: {one.system} differs from {one.baseline}: the mean difference is {signed(one.mean)} "
            f"({means[0]} against {means[1]}; {sure}), but by the ranks of the differences {one.system} is "
            f"{_WORDS[one.direction]} (wins {one.wins:,}, losses {one.losses:,})."
        )
    if said:
        return (
            f"{one.measure}: {one.system} is {said} than {one.baseline} by {value(abs(one.mean))} ({means[0]} "
            f"against {means[1]}; {sure})."
        )
    if one.mean == 0.0 and not one.wins and not one.losses and not one.changed:
        return f"{one.measure}: {one.system} and {one.baseline} have the same value for every query ({means[0]})."
    could = (
        f"; an uncorrected t-test would detect a true difference of {value(one.detectable)} in "
        f"{100 * settings.power:g} % of such comparisons"
    )
    return (
        f"{one.measure}: no difference shown between {one.system} and {one.baseline} ({means[0]} against {means[1]}; "
        f"{sure}){'' if one.detectable is None else could}."
    )


def _how_sure(details: CompareDetails, one: Difference) -> str:
    """Return the corrected p-value of the test that decides, and what it is corrected for."""
    settings = details.settings
    p = p_said(one.corrected[settings.test])
    if details.tests == 1:
        return p
    return f"{p}, not corrected" if settings.correction == "none" else f"{p} after {CORRECTIONS[settings.correction]}"
