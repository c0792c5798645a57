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
    found = {name: [0, 0, 0, 0, 0] for name in details.names}
    baseline = against(details)
    for one in details.differences:
        for name, sign in ((one.system, 1), (one.baseline, -1)):
            way = sign * direction(one)
            place = 0 if way > 0 else 1 if way < 0 else 4 if one.direction else 2
            found[name][place] += 1
            found[name][3] += same(one)
    means = {name: sum(details.estimate(measure, name).rank for measure in details.measures) for name in found}
    counts = [Count(name, *values) for name, values in found.items() if name != baseline]
    return tuple(sorted(counts, key=lambda one: (one.worse - one.better, -one.better, means[one.system])))


def _verdict(details: CompareDetails, counts: Sequence[Count]) -> str:
    baseline = against(details)
    if all(one.same == one.all for one in counts):
        return f"{and_joined(list(details.names))} have the same value for every query."
    if all(one.open == one.all for one in counts) and coarse(details):
        return f"{details.queries:,} queries tell little: {_least(details)}."
    if baseline is None:
        return _of_pairs(counts)
    if all(one.open == one.all for one in counts):
        names = " or ".join(one.system for one in counts)
        measures = details.measures[0] if len(details.measures) == 1 else f"any of {len(details.measures)} measures"
        return f"No difference from {baseline} is shown for {names} in {measures}."
    clauses, said = [], False
    for one in counts:
        clause = _clause(details, one, "" if said else f" than {baseline}", not said)
        clauses.append(f"{one.system} {clause}")
        said = True
    return _sentence(clauses)


def _clause(details: CompareDetails, one: Count, than: str, first: bool) -> str:
    """Return in how many measures a system is better and worse."""
    if len(details.measures) == 1:
        where = f" in {details.measures[0]}" if first else ""
        return f"is {'better' if one.better else 'worse'}{than}{where}" if one.better or one.worse else _none(one)
    total = f" of {one.all} measures" if first else ""
    ways = [
        f"{word}{than} in {'all ' if count == one.all else ''}{count}"
        + (total if count < one.all else " measures" if first else "")
        for word, count in (("better", one.better), ("worse", one.worse))
        if count
    ]
    if len(ways) == 2:
        ways[1] = f"worse in {one.worse}"
    return f"is {' and '.join(ways)}" if ways else _none(one)


def _none(one: Count) -> str:
    return "has the same values" if one.same == one.all else "differs in none that is shown"


def _of_pairs(counts: Sequence[Count]) -> str:
    """Return the clauses where every pair was compared."""
    clauses = []
    for place, one in enumerate(counts):
        of = f" of {one.all} comparisons" if not place else ""
        ways = [f"{word} in {count}" for word, count in (("better", one.better), ("worse", one.worse)) if count]
        clauses.append(f"{one.system} is {' and '.join(ways)}{of}" if ways else f"{one.system} is neither in any{of}")
    return _sentence(clauses)


def _unknown(details: CompareDetails, counts: Sequence[Count]) -> str:
    """Return what is not shown, one way or the other."""
    left = [one for one in counts if one.open > one.same]
    if not left:
        return ""
    tell = f"{details.queries:,} queries do not tell."
    if coarse(details) and any(one.better or one.worse for one in counts):
        tell = f"{tell} {_least(details)[:1].upper()}{_least(details)[1:]}."
    if against(details) is not None and len(left) == 1:
        (one,) = left
        number = one.open - one.same
        if len(details.measures) == 1:
            return f"{one.system} may be better or worse: {tell}"
        which = f"all {number} measures" if number == one.all else f"the other {number}"
        return f"In {which} {one.system} may be better or worse: {tell}"
    pairs = sum(one.open - one.same for one in counts) // (1 if against(details) is not None else 2)
    number = len(details.differences)
    return f"In {pairs} of {number} comparisons (○) the system may be better or worse: {tell}"


def coarse(details: CompareDetails) -> bool:
    """Say whether there are so few queries that only large differences would show."""
    least = _detectable(details)
    return details.queries < FEW or (least is not None and least > COARSE)


def _detectable(details: CompareDetails) -> float | None:
    known = [one.detectable for one in details.differences if one.detectable is not None]
    return min(known) if known else None


def _least(details: CompareDetails) -> str:
    least = _detectable(details)
    return "no difference can be shown" if least is None else f"a difference smaller than {least:.2g} would hardly show"


def _speed(details: CompareDetails) -> str:
    """Return how many times as many queries a second systems answer, as one run of each measured it."""
    known = {one.name: one.speed.queries_per_second for one in details.systems if one.speed}
    rates = {name: rate for name, rate in known.items() if rate}
    baseline = against(details) or min(rates, key=lambda name: rates[name], default=None)
    if baseline not in rates:
        return ""
    times = {name: rate / rates[baseline] for name, rate in rates.items() if name != baseline}
    told = sorted((one for one in times.items() if abs(one[1] - 1) >= _ALIKE), key=lambda one: -one[1])
    if not told:
        return ""
    (name, ratio), *others = told[:_MOST]
    rest = "".join(f", {other} {value:.1f} times" for other, value in others)
    return f"{name} answers {ratio:.1f} times as many queries a second as {baseline}{rest}."


def _failed(details: CompareDetails) -> str:
    found = [(one.name, one.counts.get("failed", 0)) for one in details.systems]
    said = [f"{count:,} {'query' if count == 1 else 'queries'} of {name}" for name, count in found if count]
    if not said:
        return ""
    total = sum(count for _, count in found)
    return f"{and_joined(said)} failed and {'counts' if total == 1 else 'count'} 0."


def _sentence(clauses: Sequence[str]) -> str:
    """Return clauses as one sentence, of many those of the best."""
    rest = len(clauses) - _MOST
    said = clauses if rest <= 1 else [*clauses[:_MOST], f"{rest} more are below"]
    return f"{'; '.join(said)}."
