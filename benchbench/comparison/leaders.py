"""What a comparison of many systems comes to in its first measure: the best, who is as good, and how many are worse."""

import shlex
from typing import TYPE_CHECKING

from benchbench.results.figures import signed, value
from benchbench.results.headline import BETTER, GOOD, OPEN, WORSE, Headline
from benchbench.significance.letters import MANY
from benchbench.tables.shared_messages import and_joined

if TYPE_CHECKING:
    from benchbench.comparison.compare_result import CompareDetails
    from benchbench.significance.result import PairedDifference

_NAMED = 3  # systems that a sentence names


def leaderboard(details: "CompareDetails", measure: str | None = None) -> list[str]:
    """Return the systems by their mean of a measure, by default the first; the best comes first."""
    measure = measure or details.measures[0]
    return sorted(details.names, key=lambda name: -details.estimate(measure, name).mean)


def headline_of_many(details: "CompareDetails") -> Headline:
    """Return what a report on many systems begins with."""
    measure, (best, *others) = details.measures[0], leaderboard(details)
    total, mean = len(details.names), value(details.estimate(measure, best).mean)
    baseline = details.settings.baseline
    lead = f"{best} has the best {measure} of {total:,} systems, {mean}."
    compared = [
        (name, difference)
        for name in ([best, *others] if baseline else others)
        if (difference := details.difference(measure, name, baseline or best)) is not None
    ]
    near = [name for name, difference in compared if not difference.direction]
    if len(near) == len(compared) and not baseline:
        lead = f"{total:,} systems do not differ measurably from the best in {measure}, {best} with {mean}."
        return Headline([(OPEN, lead)], list(_advice(details, best, near)))
    if baseline:
        better, worse = ([name for name, each in compared if each.direction == way] for way in (1, -1))
        counts = [_who(better, "better"), _who(worse, "worse"), _who(near, "too close to decide")]
        mark = BETTER if better else WORSE if worse else OPEN
        return Headline([(GOOD, lead), (mark, f"Against {baseline}: {'; '.join(filter(None, counts))}.")])
    worse_number = len(compared) - len(near)
    rest = _who(near, "too close to decide")
    second = f"{rest}; {worse_number:,} {'is' if worse_number == 1 else 'are'} worse." if near else ""
    _, closest = compared[0]
    who = "Both others are" if worse_number == 2 else f"The other {worse_number:,} are all"
    all_worse = f"{who} measurably worse (next: {others[0]}, {signed(closest.mean)})."
    sentence = (OPEN, second) if near else (WORSE, all_worse)
    return Headline([(GOOD, lead), sentence], list(_advice(details, best, near)))


def headline_of_pairs(details: "CompareDetails", system: str) -> Headline:
    """Return what the pairs of one system come to in the first measure."""
    measure = details.measures[0]
    others = [details.difference(measure, system, name) for name in details.names if name != system]
    ways = [difference.direction for difference in others if difference is not None]
    counts = [(ways.count(1), "better than"), (ways.count(-1), "worse than"), (ways.count(0), "too close to")]
    parts = [f"{what} {number:,}" for number, what in counts if number]
    mark = BETTER if ways.count(1) else WORSE if ways.count(-1) else OPEN
    return Headline([(mark, f"{system} is {and_joined(parts)} of {len(ways):,} systems in {measure}.")])


def _advice(details: "CompareDetails", best: str, near: list[str]) -> list[str]:
    """Return how many queries would separate the best from the next, and how its pairs are had."""
    pairs = [f"`--pairs {shlex.quote(best)}` lists every pair with {best}."] if len(details.names) >= MANY else []
    runner_up = details.difference(details.measures[0], near[0], best) if near else None
    needed = None if runner_up is None else _queries_needed(details, runner_up)
    separate = [] if needed is None else [f"About {needed:,} queries would separate {best} from {near[0]}."]
    return [*separate, *pairs]


def _queries_needed(details: "CompareDetails", difference: "PairedDifference") -> int | None:
    """Return the queries, with two digits, that would show a difference as large as this after the correction."""
    from benchbench.significance.power import queries_needed

    settings = details.settings
    if not difference.effect or details.groups is not None:
        return None
    alpha = settings.alpha if settings.correction == "none" else settings.alpha / details.tests
    needed = queries_needed(abs(difference.effect), alpha, settings.power)
    return None if needed <= details.queries else int(float(f"{needed:.2g}"))


def _who(names: list[str], what: str) -> str:
    """Return who is something: the names of a few, the number of more."""
    if not names:
        return ""
    who = and_joined(names) if len(names) <= _NAMED else f"{len(names):,} systems"
    return f"{who} {'is' if len(names) == 1 else 'are'} {what}"
