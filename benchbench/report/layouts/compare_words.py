"""How a comparison says what a difference comes to, and what its tests and intervals are."""

from benchbench.comparison.compare_result import CompareDetails
from benchbench.comparison.headline import direction, same
from benchbench.results.figures import ends, p_said, signed, value
from benchbench.significance.notes import CORRECTIONS, asked_of
from benchbench.significance.result import WILSON, PairedDifference
from benchbench.tables.shared_messages import and_joined

TESTS = {"randomization": "randomization test", "t": "paired t test", "wilcoxon": "Wilcoxon signed-rank test"}
_WORDS = {1: "better", -1: "worse"}  # by the direction of a difference


def level(details: CompareDetails) -> str:
    """Return the level of the intervals."""
    return f"{100 * (1 - details.settings.alpha):g} %"


def intervals_made(details: CompareDetails) -> str:
    """Return how the intervals of means and of differences are made."""
    of_means = dict.fromkeys(estimate.interval for estimate in details.estimates)
    means = and_joined([method for method in of_means if method != WILSON or len(of_means) == 1])
    if WILSON in of_means and len(of_means) > 1:
        means += f" ({WILSON} where all values are 0 or 1)"
    differences = and_joined(list(dict.fromkeys(difference.interval for difference in details.differences)))
    if details.settings.correction == "maxt":
        differences += ", so that those of a family hold together"
    return (
        f"by {means} over queries" if means == differences else f"of means by {means}, of differences by {differences}"
    )


def reading(details: CompareDetails, difference: PairedDifference) -> tuple[str, str, str]:
    """Return what a difference comes to: its tone (`up`, `down`, `open`), the verdict, and how sure that is."""
    settings, way = details.settings, direction(difference)
    system, baseline, measure = difference.system, difference.baseline, difference.measure
    asked = asked_of(difference, settings, details.tests)
    if same(difference):
        return "open", f"{system} and {baseline} have the same value of {measure} for every query.", asked
    between = "no interval"
    if difference.low is not None:
        between = f"{level(details)} interval {ends(difference, shown=signed)}"
    size, sure = value(abs(difference.mean)), f"({between}; {_how_sure(details, difference)})"
    counts = f"{difference.losses:,} queries worse, {difference.ties:,} equal, {difference.wins:,} better. {asked}"
    if way:
        verdict = f"{system} is {_WORDS[way]} than {baseline} in {measure}"
        return "up" if way > 0 else "down", verdict, f"by {size} {sure}. {counts}".rstrip()
    if difference.direction:
        rest = f"but by the ranks of the differences {system} is {_WORDS[difference.direction]}. {counts}".rstrip()
        verdict = f"{system} differs from {baseline} in {measure}:"
        return "open", verdict, f"the mean difference is {signed(difference.mean)} {sure}, {rest}"
    mean = f"The mean is {size} {'higher' if difference.mean > 0 else 'lower'}" if difference.mean else "Equal means"
    least = (
        ""
        if difference.detectable is None
        else f"An uncorrected t-test finds a true difference of {value(difference.detectable)} in "
        f"{100 * settings.power:g} % of such comparisons. "
    )
    verdict = f"{system} and {baseline} do not differ measurably in {measure}."
    return "open", verdict, f"{mean} {sure}. {least}{counts}".rstrip()


def sentence(details: CompareDetails, difference: PairedDifference) -> str:
    """Return what a difference comes to, in plain words."""
    return " ".join(reading(details, difference)[1:]).rstrip()


def _how_sure(details: CompareDetails, difference: PairedDifference) -> str:
    """Return the corrected p-value of the test that decides, and what it is corrected for."""
    settings = details.settings
    p = p_said(difference.corrected[settings.test])
    if details.tests == 1:
        return p
    return f"{p}, not corrected" if settings.correction == "none" else f"{p} after {CORRECTIONS[settings.correction]}"
