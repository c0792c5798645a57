"""What a comparison comes to: how often each system is better and worse, over all measures, whatever their order."""

from collections.abc import Sequence
from dataclasses import dataclass

from benchbench.comparison.compare_result import CompareDetails
from benchbench.significance.result import Difference
from benchbench.tables.shared_messages import and_joined

FEW = 20  # queries: of fewer, little can be shown
COARSE = 0.1  # a comparison that shows no smaller difference tells little
_MOST = 3  # systems with a clause, and one more where that is all
_ALIKE = 0.05  # share by which speeds of one run each differ before that is said


@dataclass(frozen=True, slots=True)
class Count:
    """How often a system is better, worse, and neither is shown, over the measures and the systems beside it."""

    system: str
    better: int
    worse: int
    open: int
    same: int = 0  # of those not shown, how many have the same value for every query
    differs: int = 0  # the mean says otherwise than the test

    @property
    def all(self) -> int:
        """In how many it was compared."""
        return self.better + self.worse + self.open + self.differs


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a report of a comparison begins with."""

    said: str  # a clause per system, best first
    unknown: str  # what the comparison does not tell; empty where all is shown
    speed: str  # empty where nothing is known of it, or nothing differs
    failed: str  # queries without an answer; empty where there are none
    counts: tuple[Count, ...]  # best first


def verdict(details: CompareDetails) -> Verdict:
    """Return what a comparison comes to."""
    counts = ranked(details)
    return Verdict(_verdict(details, counts), _unknown(details, counts), _speed(details), _failed(details), counts)


def against(details: CompareDetails) -> str | None:
    """Return what all others are compared with; None where all pairs are."""
    baselines = {one.baseline for one in details.differences}
    return next(iter(baselines)) if len(baselines) == 1 and len(details.names) == len(details.pairs) + 1 else None


def same(one: Difference) -> bool:
    """Say whether both systems have the same value for every query."""
    return not one.mean and not one.wins and not one.losses and not one.changed


def direction(one: Difference) -> int:
    """Return 1 where the system is better, -1 where it is worse, else 0: not shown, or mean and test disagree."""
    return one.direction if one.mean * one.direction > 0 else 0


def ranked(details: CompareDetails) -> tuple[Count, ...]:
    """Return the counts of each system, best first; the baseline of all others has none."""
    ways = {name: [0, 0, 0, 0, 0] for name in details.names}  # as `Count` has them
    baseline = against(details)
    for one in details.differences:
        for name, sign in ((one.system, 1), (one.baseline, -1)):
            way = sign * direction(one)
            place = 0 if way > 0 else 1 if way < 0 else 4 if one.direction else 2
            ways[name][place] += 1
            ways[name][3] += same(one)
    ranks = {name: sum(details.estimate(measure, name).rank for measure in details.measures) for name in ways}
    counts = [Count(name, *numbers) for name, numbers in ways.items() if name != baseline]
    return tuple(sorted(counts, key=lambda count: (count.worse - count.better, -count.better, ranks[count.system])))


def _verdict(details: CompareDetails, counts: Sequence[Count]) -> str:
    baseline = against(details)
    if all(count.same == count.all for count in counts):
        return f"{and_joined(list(details.names))} have the same value for every query."
    nothing_shown = all(count.open == count.all for count in counts)
    if nothing_shown and coarse(details):
        return f"{details.queries:,} queries tell little: {_least(details)}."
    if baseline is None:
        return _of_pairs(counts)
    if nothing_shown:
        names = " or ".join(count.system for count in counts)
        measures = details.measures[0] if len(details.measures) == 1 else f"any of {len(details.measures)} measures"
        return f"No difference from {baseline} is shown for {names} in {measures}."
    first, *others = counts
    clauses = [f"{first.system} {_clause(details, first, f' than {baseline}', True)}"]
    return _sentence([*clauses, *(f"{count.system} {_clause(details, count, '', False)}" for count in others)])


def _clause(details: CompareDetails, count: Count, than: str, first: bool) -> str:
    """Return in how many measures a system is better and worse."""
    if not count.better and not count.worse:
        return "has the same values" if count.same == count.all else "differs in none that is shown"
    if len(details.measures) == 1:
        return f"is {'better' if count.better else 'worse'}{than}{f' in {details.measures[0]}' if first else ''}"
    if count.better and count.worse:
        of_all = f" of {count.all} measures" if first else ""
        return f"is better{than} in {count.better}{of_all} and worse in {count.worse}"
    word, number = ("better", count.better) if count.better else ("worse", count.worse)
    if number == count.all:
        return f"is {word}{than} in all {number}{' measures' if first else ''}"
    return f"is {word}{than} in {number}{f' of {count.all} measures' if first else ''}"


def _of_pairs(counts: Sequence[Count]) -> str:
    """Return the clauses where every pair was compared."""
    clauses = []
    for place, count in enumerate(counts):
        of_all = "" if place else f" of {count.all} comparisons"
        ways = [f"{word} in {number}" for word, number in (("better", count.better), ("worse", count.worse)) if number]
        clauses.append(f"{count.system} is {' and '.join(ways) or 'neither in any'}{of_all}")
    return _sentence(clauses)


def _unknown(details: CompareDetails, counts: Sequence[Count]) -> str:
    """Return what is not shown, one way or the other."""
    left = [count for count in counts if count.open > count.same]
    if not left:
        return ""
    tell = f"{details.queries:,} queries do not tell."
    if coarse(details) and any(count.better or count.worse for count in counts):
        tell = f"{tell} {_least(details)[:1].upper()}{_least(details)[1:]}."
    baseline = against(details)
    if baseline is not None and len(left) == 1:
        (count,) = left
        number = count.open - count.same
        if len(details.measures) == 1:
            return f"{count.system} may be better or worse: {tell}"
        which = f"all {number} measures" if number == count.all else f"the other {number}"
        return f"In {which} {count.system} may be better or worse: {tell}"
    pairs = sum(count.open - count.same for count in counts) // (1 if baseline is not None else 2)
    return f"In {pairs} of {len(details.differences)} comparisons (○) the system may be better or worse: {tell}"


def coarse(details: CompareDetails) -> bool:
    """Say whether there are so few queries that only large differences would show."""
    least = _detectable(details)
    return details.queries < FEW or (least is not None and least > COARSE)


def _detectable(details: CompareDetails) -> float | None:
    return min((one.detectable for one in details.differences if one.detectable is not None), default=None)


def _least(details: CompareDetails) -> str:
    least = _detectable(details)
    return "no difference can be shown" if least is None else f"a difference smaller than {least:.2g} would hardly show"


def _speed(details: CompareDetails) -> str:
    """Return how many times as many queries a second systems answer, as one run of each measured it."""
    known = {system.name: system.speed.queries_per_second for system in details.systems if system.speed}
    rates = {name: rate for name, rate in known.items() if rate}
    baseline = against(details) or min(rates, key=lambda name: rates[name], default=None)
    if baseline not in rates:
        return ""
    times = {name: rate / rates[baseline] for name, rate in rates.items() if name != baseline}
    unlike = [(name, ratio) for name, ratio in times.items() if abs(ratio - 1) >= _ALIKE]
    if not unlike:
        return ""
    (name, ratio), *others = sorted(unlike, key=lambda pair: -pair[1])[:_MOST]
    rest = "".join(f", {other} {value:.1f} times" for other, value in others)
    return f"{name} answers {ratio:.1f} times as many queries a second as {baseline}{rest}."


def _failed(details: CompareDetails) -> str:
    failed = {system.name: count for system in details.systems if (count := system.counts.get("failed", 0))}
    if not failed:
        return ""
    queries = [f"{count:,} {'query' if count == 1 else 'queries'} of {name}" for name, count in failed.items()]
    return f"{and_joined(queries)} failed and {'counts' if sum(failed.values()) == 1 else 'count'} 0."


def _sentence(clauses: Sequence[str]) -> str:
    """Return clauses as one sentence, of many those of the best."""
    rest = len(clauses) - _MOST
    shown = clauses if rest <= 1 else [*clauses[:_MOST], f"{rest} more are below"]
    return f"{'; '.join(shown)}."
