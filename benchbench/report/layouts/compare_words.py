"""How a comparison says what a difference comes to, and what its tests and intervals are."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

from benchbench.comparison.compare_result import CompareDetails, LoadStep
from benchbench.comparison.headline import direction, same
from benchbench.results.figures import ends, p_of, p_value, signed, value
from benchbench.results.gates import GOLD
from benchbench.significance.notes import CORRECTIONS, asked_of
from benchbench.significance.result import WILSON, PairedDifference
from benchbench.tables.shared_messages import and_joined, counted

TESTS = {"randomization": "randomization test", "t": "paired t test", "wilcoxon": "Wilcoxon signed-rank test"}
_WORDS = {1: "better", -1: "worse"}  # by the direction of a difference


def without_gold(details: CompareDetails) -> CompareDetails:
    """Return the details with measures named as `nDCG@10`, where all are of the judgments."""
    front = f"{GOLD}."
    if not all(measure.startswith(front) for measure in details.measures):
        return details

    def bare(parts: Iterable[Any]) -> tuple[Any, ...]:
        return tuple(replace(part, measure=part.measure.removeprefix(front)) for part in parts)

    def stepped(step: LoadStep) -> LoadStep:
        return replace(step, quality={name.removeprefix(front): mean for name, mean in step.quality.items()})

    return replace(
        details,
        measures=tuple(bare_names(details.measures)),
        systems=tuple(replace(system, load=tuple(map(stepped, system.load))) for system in details.systems),
        estimates=bare(details.estimates),
        differences=bare(details.differences),
        slices=bare(details.slices),
        unjudged=replace(details.unjudged, cases=bare(details.unjudged.cases)),
        moved_by=details.moved_by.removeprefix(front),
    )


def bare_names(measures: Sequence[str]) -> list[str]:
    """Return measures named as `nDCG@10`, where all are of the judgments."""
    front = f"{GOLD}."
    are_gold = all(measure.startswith(front) for measure in measures)
    return [measure.removeprefix(front) for measure in measures] if are_gold else list(measures)


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
    elif details.tests > 1 and details.settings.correction != "none":
        differences += " of each pair alone, widened to 0 where the corrected test leaves the difference open"
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
        if details.tests > 1 and not difference.significant and 0.0 in (difference.low, difference.high):
            between += ", widened to 0 by the correction"
    size, sure = value(abs(difference.mean)), f"({between}; {_how_sure(details, difference)})"
    counts = f"{difference.losses:,} queries worse, {difference.ties:,} equal, {difference.wins:,} better. {asked}"
    if way:
        verdict = f"{system} is {_WORDS[way]} than {baseline} in {measure}"
        return "up" if way > 0 else "down", verdict, f"by {size} {sure}. {counts}".rstrip()
    if difference.direction:
        rest = f"but by the ranks of the differences {system} is {_WORDS[difference.direction]}. {counts}".rstrip()
        verdict = f"{system} differs from {baseline} in {measure}:"
        return "open", verdict, f"the mean difference is {signed(difference.mean)} {sure}, {rest}"
    mean = f"{system} is {size} {'higher' if difference.mean > 0 else 'lower'}" if difference.mean else "Equal means"
    least = (
        ""
        if difference.detectable is None
        else f"With {counted(details.queries, 'query')}, an uncorrected t-test has "
        f"{100 * settings.power:g} % power for a true difference of {value(difference.detectable)}. "
    )
    verdict = f"{system} and {baseline} do not differ measurably in {measure}."
    return "open", verdict, f"{mean} {sure}. {least}{counts}".rstrip()


def sentence(details: CompareDetails, difference: PairedDifference) -> str:
    """Return what a difference comes to, in plain words."""
    return " ".join(reading(details, difference)[1:]).rstrip()


def _how_sure(details: CompareDetails, difference: PairedDifference) -> str:
    """Return the corrected p-value of the test that decides, and what it is corrected for."""
    settings, shown = details.settings, p_shown(details, difference)
    p = p_of(shown)
    if details.tests > 1:
        p += ", not corrected" if settings.correction == "none" else f" after {CORRECTIONS[settings.correction]}"
    return f"{p}, the smallest that {_resamples(details):,} resamples can give" if shown[0] == "≤" else p


def p_shown(details: CompareDetails, difference: PairedDifference) -> str:
    """Return the corrected p-value of the test that decides; after `≤` the smallest that so many resamples can give."""
    test = details.settings.test
    shown, least = p_value(difference.corrected[test]), 1.0 / (_resamples(details) + 1)
    is_least = test == "randomization" and difference.p[test] <= least  # an exact test gives twice as much or more
    return f"≤ {shown}" if is_least and not shown.startswith("<") else shown


def _resamples(details: CompareDetails) -> int:
    return details.resamples or details.settings.resamples
