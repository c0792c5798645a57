"""What a comparison comes to: a sentence per system, the best first, as terminals and pages begin."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import combinations
from typing import TYPE_CHECKING, NamedTuple

from benchbench.comparison.leaders import headline_of_many
from benchbench.comparison.speed import NOT_COMPARED
from benchbench.results.figures import count, ends, interval, share, signed, times_as, value
from benchbench.results.headline import BETTER, OPEN, PARTLY, WORSE, Headline
from benchbench.results.signature import parts_of
from benchbench.significance.letters import MANY
from benchbench.tables.shared_messages import and_joined, capital, counted

if TYPE_CHECKING:
    from benchbench.comparison.compare_result import CompareDetails, LoadStep
    from benchbench.comparison.load_pairs import LoadDifference, LoadsDetails
    from benchbench.comparison.run_agreement import AgreementDetails, PairOfRuns
    from benchbench.comparison.speed import SpeedRatio
    from benchbench.significance.result import PairedDifference

_CHANGED = "top_changed"
_SENTENCES = 6
_NAMED = 3  # measures that a sentence names
_SPEEDS = 3  # sentences on speed: a page has the others in its tables
_FEW = 20  # queries: of fewer, little can be shown
_COARSE = 0.1  # a comparison that shows no smaller difference tells little


class Standing(NamedTuple):
    """How often a system is better, worse, and neither is shown, over the measures and the systems beside it."""

    system: str
    better: int
    worse: int
    unclear: int


def headline(details: "CompareDetails", most: int = _SENTENCES) -> Headline:
    """Return what a report begins with, in so many sentences at most; what is known of speed comes last.

    Load tests tell more of speed than runs that cannot be compared.
    """
    verdict, loads, of_speed = _verdict(details, most), keeps_up(details.loads), speed(details)
    of_speed = [loads, *of_speed * bool(details.speed_of)] if loads else of_speed
    return verdict._replace(advice=[*verdict.advice, *of_speed]) if of_speed else verdict


def _verdict(details: "CompareDetails", most: int) -> Headline:
    if all(map(same, details.differences)):
        urls = {system.source for system in details.systems}
        who = "Both" if len(details.names) == 2 else "All"
        one_url = f"{who} have the same URL, {min(urls)}: this compares a service with itself."
        same_url = (one_url,) if len(urls) == 1 and "://" in min(urls) else ()
        return Headline([(OPEN, _identical(details))], same_url)
    counts, baseline = ranked(details), against(details.differences)
    if len(details.names) >= MANY:
        return headline_of_many(details)
    only = details.measures[0] if len(details.measures) == 1 and baseline else ""
    advice = list(_means(details)) if len(details.names) == 2 else []
    advice += list(_advice(details)) if any(count.unclear for count in counts) else []
    if baseline is None and (in_order := _in_order(details, [count.system for count in counts])):
        return in_order
    sentences = [
        _sentence(count, baseline, "measures", only, _named(details, count.system)) if baseline
        else _against_each(details, count) or _sentence(count, baseline, "measures")
        for count in counts
    ]  # fmt: skip
    return _cut(sentences, "system", most, advice)


def _named(details: "CompareDetails", system: str) -> str:
    """Return the measures in which a system differs from the baseline, in brackets; empty of none and of many."""
    of_system = [each for each in details.differences if system in (each.system, each.baseline)]
    names = sorted(difference.measure for difference in of_system if direction(difference))
    return f" ({and_joined(names)})" if 0 < len(names) <= _NAMED and len(names) < len(of_system) else ""


def _in_order(details: "CompareDetails", names: Sequence[str]) -> Headline | None:
    """Return the order of three systems, and their means, where each is better than all after it; else None."""
    if len(names) != 3:
        return None
    differences = [
        details.difference(measure, *pair) for measure in details.measures for pair in combinations(names, 2)
    ]
    if any(difference is None or direction(difference) != 1 for difference in differences):
        return None
    best, middle, last = names
    top, *others = [details.estimate(details.measures[0], name) for name in names]
    behind = "".join(f", {each.system} {value(each.mean)} ({signed(each.mean - top.mean)})" for each in others)
    order = f"{best} is better than {middle}, and {middle} than {last}, in {_all_of(details.measures)}."
    return Headline([(BETTER, order)], [f"{top.measure}: {best} {value(top.mean)}{behind}."])


def _all_of(measures: Sequence[str]) -> str:
    """Return that something is so in all measures, as it ends a sentence."""
    return {1: measures[0], 2: "both measures"}.get(len(measures), f"all {len(measures)} measures")


def _against_each(details: "CompareDetails", count: Standing) -> tuple[str, str] | None:
    """Return what a system is beside each other one, where that is the same in all measures; else None."""
    name, ways = count.system, {}
    for other in details.names:
        found = [details.difference(measure, name, other) for measure in details.measures if other != name]
        ways[other] = {direction(difference) for difference in found if difference is not None}
    if any(len(of_other) > 1 for of_other in ways.values()):
        return None
    parts = [
        f"{words} {and_joined(others)}"
        for way, words in ((1, "better than"), (-1, "worse than"), (0, "not measurably different from"))
        if (others := [other for other, of_other in ways.items() if of_other == {way}])
    ]
    mark = PARTLY if count.better and count.worse else BETTER if count.better else WORSE if count.worse else OPEN
    return mark, f"{name} is {and_joined(parts)} in {_all_of(details.measures)}."


def _identical(details: "CompareDetails") -> str:
    """Return that all values are equal, and whether all hits are."""
    names, queries = and_joined(list(details.names)), counted(details.queries, "query")
    runs = {parts_of(system.signature).get("run") for system in details.systems}
    if len(runs) == 1 and None not in runs:
        return f"{names} give identical results: the same hits in the same order for all {queries}."
    return f"{names} have the same value in every measure for all {queries}."


def _means(details: "CompareDetails") -> Iterator[str]:
    """Yield the means of two systems, in the first measure in which they differ, or else the first."""
    difference = next(filter(direction, details.differences), details.differences[0])
    measure, names = difference.measure, (difference.system, difference.baseline)
    mean, other = (details.estimate(measure, name).mean for name in names)
    between = f"{share(1 - details.settings.alpha)} interval {ends(difference, shown=signed)}"
    yield f"{names[0]} has {measure} {value(mean)}, {names[1]} {value(other)}: {signed(mean - other)} ({between})."


def keeps_up(loads: "Mapping[str, Sequence[LoadStep]]") -> str:
    """Return which rates services keep up with, in batches of the smallest size that all were loaded with.

    Empty of fewer than two, and where closed loops have no rate.
    """
    rates = {name: [step for step in steps if step.offered is not None] for name, steps in loads.items()}
    shared = set.intersection(*({step.batch_size for step in steps} for steps in rates.values())) if rates else set()
    if len(loads) < 2 or not shared:
        return ""
    clauses: dict[str, list[str]] = {}
    for name, steps in rates.items():
        of_size = [step for step in steps if step.batch_size == min(shared)]
        best = max((step.offered or 0.0 for step in of_size if step.sustained), default=None)
        over = min((step.offered or 0.0 for step in of_size if (step.offered or 0.0) > (best or 0.0)), default=None)
        beyond = ", the highest rate tried" if over is None else f" but not with {count(over)}"
        clause = f" even with {count(over)} queries/s" if best is None else f" with {count(best)} queries/s{beyond}"
        clauses.setdefault(clause, []).append(name)
    every = {2: "both "}.get(len(loads), "all ") if len(clauses) == 1 else ""
    parts = []
    for clause, names in clauses.items():
        alone, is_none = len(names) == 1, clause.startswith(" even")
        does = f"{'does' if alone else 'do'} not keep" if is_none else f"{every}{'keeps' if alone else 'keep'}"
        parts.append(f"{and_joined(names)} {does} up{clause}")
    return f"{'; '.join(parts)}."


def _answered(loads: "Mapping[str, Sequence[LoadStep]]") -> str:
    """Return the throughput at the highest rate that was offered to all and answered by all; empty without one."""
    rates = [
        {(step.offered or 0.0, step.batch_size): step.queries_per_second for step in steps
         if step.offered is not None and step.errors != 1.0 and step.queries_per_second is not None}
        for steps in loads.values()
    ]  # fmt: skip
    shared = set.intersection(*map(set, rates))
    if not shared:
        return ""
    highest = max(shared)
    first, *others = [(name, count(of_name[highest])) for name, of_name in zip(loads, rates, strict=True)]
    answered = [f"{first[0]} answers {first[1]}", *(f"{name} {rate}" for name, rate in others)]
    return f"At {count(highest[0])} queries/s offered, {and_joined(answered)} queries/s."


def headline_of_loads(details: "LoadsDetails") -> Headline:
    """Return what a report on load tests begins with."""
    tested = [difference for difference in details.differences if difference.p is not None]
    rates = keeps_up(details.loads)
    if not tested:
        from benchbench.comparison.load_pairs import FEWEST

        reason = next((note for note in details.notes if note.startswith(NOT_COMPARED)), "")
        fewest = min(system.repeats for system in details.systems)
        there = f"there {'is' if fewest == 1 else 'are'} {count(fewest)} (`benchbench load … --repeat {FEWEST}`)"
        few = capital(reason) or f"Differences are not tested: that takes {FEWEST} repeats of each step, and {there}"
        if not rates:
            return Headline([(OPEN, f"{few}.")])
        answered = _answered(details.loads)
        return Headline([(OPEN, rates)], [*([answered] if answered else []), f"{few}."])
    baseline = against(tested)
    counts = _counts(
        ((difference.baseline, difference.system, difference.direction) for difference in tested), baseline
    )
    return _cut([_sentence(count, baseline, "numbers") for count in counts], "system", advice=[rates] if rates else [])


def headline_of_agreement(details: "AgreementDetails") -> Headline:
    """Return what a report on runs without judgments begins with: which are most alike, and which least."""
    pairs = sorted(details.pairs, key=lambda pair: -(pair.means[0].mean or 0.0))
    most, least = f"{pairs[0].baseline} and {pairs[0].system}", f"{pairs[-1].baseline} and {pairs[-1].system}"
    if len(pairs) == 1:
        return Headline([(OPEN, f"{most} {_likeness(pairs[0])}.")])
    return Headline(
        [
            (OPEN, f"{most} are most alike: they {_likeness(pairs[0])}."),
            (OPEN, f"{least} are least alike: they {_likeness(pairs[-1])}."),
        ]
    )


def _likeness(pair: "PairOfRuns") -> str:
    """Return the first measure of a pair, and in how many queries the first hit differs."""
    means = {likeness.measure: likeness.mean for likeness in pair.means if likeness.mean is not None}
    measure, changed = pair.means[0].measure, means.get(_CHANGED)
    name, _, cutoff = measure.partition("@")
    parts = []
    if name == "overlap" and measure in means:
        parts.append(f"share {share(means[measure])} of the {f'top {cutoff}' if cutoff else 'hits'}")
    elif measure in means and measure != _CHANGED:
        parts.append(f"have {measure} {value(means[measure])}")
    if changed is not None:
        first_hit = f"{'the' if parts else 'differ in the'} first hit{' differs' if parts else ''}"
        parts.append(f"{first_hit} for {share(changed)} of {counted(pair.queries, 'query')}")
    return "; ".join(parts) or "have no query in common"


def against(differences: "Iterable[PairedDifference | LoadDifference]") -> str | None:
    """Return what all others are compared with; None where all pairs are."""
    baselines = {difference.baseline for difference in differences}
    return baselines.pop() if len(baselines) == 1 else None


def same(difference: "PairedDifference") -> bool:
    """Say whether both systems have the same value for every query."""
    return not difference.mean and not difference.wins and not difference.losses and not difference.changed


def direction(difference: "PairedDifference") -> int:
    """Return 1 where the system is better, -1 where it is worse, else 0: not shown, or mean and test disagree."""
    return difference.direction if difference.mean * difference.direction > 0 else 0


def ranked(details: "CompareDetails") -> list[Standing]:
    """Return the counts of each system, best first; a baseline that all others are compared with has none."""
    ways = ((difference.baseline, difference.system, direction(difference)) for difference in details.differences)
    ranks = {name: sum(details.estimate(measure, name).rank for measure in details.measures) for name in details.names}
    return sorted(
        _counts(ways, against(details.differences)),
        key=lambda count: (count.worse - count.better, -count.better, ranks[count.system]),
    )


def speed(details: "CompareDetails") -> list[str]:
    """Return how fast systems are beside the baseline or the slowest, and why that is not known of others."""
    times = {system.name: system.speed.latency_ms.get("p50") or 0.0 for system in details.systems if system.speed}
    baseline = against(details.differences) or max(times, key=lambda name: times[name], default="")
    of_baseline = [ratio for ratio in details.speeds if baseline in (ratio.baseline, ratio.system)]
    ratios = [ratio if ratio.baseline == baseline else ratio.reversed() for ratio in of_baseline]
    tested = sorted((ratio for ratio in ratios if not ratio.why), key=lambda ratio: -(ratio.ratio or 0.0))
    left_out = [ratio for ratio in ratios if ratio.why]
    sentences = [speed_sentence(ratio, details.settings.alpha) for ratio in tested[:_SPEEDS]]
    if tested and left_out:
        names = and_joined([ratio.system for ratio in left_out])
        return [*sentences, f"The speed of {names} was not compared: {left_out[0].why}."]
    return [*sentences, *(speed_sentence(ratio, details.settings.alpha) for ratio in left_out[:1])]


def speed_sentence(ratio: "SpeedRatio", alpha: float) -> str:
    """Return how many times as fast a system answers as another, or why that is not known."""
    if ratio.why:
        return f"{capital(NOT_COMPARED)} {ratio.why}."
    ends = f"{100 * (1 - alpha):g} % interval {interval(ratio.low, ratio.high, 2)}"
    sure = f"{ends}{'' if ratio.in_turns else '; not asked in turns, so the machine may explain it'}"
    if not ratio.direction:
        both = f"{ratio.system} and {ratio.baseline}"
        return f"{both} do not differ measurably in speed (ratio {value(ratio.ratio, 2)}, {sure})."
    return f"{ratio.system} answers {times_as(ratio.ratio)} fast as {ratio.baseline} ({sure})."


def dominated(details: "CompareDetails", measure: str) -> dict[str, str]:
    """Return each system that is measurably worse and measurably slower than another one, with that other."""
    slower = {_behind(ratio, ratio.direction) for ratio in details.speeds}
    worse = [_behind(difference, direction(difference)) for difference in details.by_measure[measure]]
    return {pair[0]: pair[1] for pair in worse if pair and pair in slower}


def _behind(pair: "PairedDifference | SpeedRatio", way: int) -> tuple[str, str] | None:
    """Return the system that is behind and the one ahead; None where neither is measurably."""
    return None if not way else (pair.baseline, pair.system) if way > 0 else (pair.system, pair.baseline)


def failed(details: "CompareDetails") -> str:
    """Return which systems left queries without an answer; nothing where none did."""
    times = {system.name: count for system in details.systems if (count := system.counts.get("failed", 0))}
    queries = [f"{counted(count, 'query')} of {name}" for name, count in times.items()]
    return f"{and_joined(queries)} failed and {'counts' if sum(times.values()) == 1 else 'count'} 0." if times else ""


def _counts(ways: Iterable[tuple[str, str, int]], baseline: str | None) -> list[Standing]:
    """Return the counts of each system but the baseline, from the way in which a system differs from another."""
    counts: dict[str, list[int]] = {}
    for other, system, way in ways:
        for name, sign in ((other, -way), (system, way)):
            counts.setdefault(name, [0, 0, 0])[0 if sign > 0 else 1 if sign < 0 else 2] += 1
    return [Standing(name, *numbers) for name, numbers in counts.items() if name != baseline]


def _sentence(count: Standing, baseline: str | None, what: str, only: str = "", which: str = "") -> tuple[str, str]:
    """Return what is known of a system, with its mark.

    `only` names the only number, where there is one; `which`, in brackets, those that differ.
    """
    system, better, worse, unclear = count
    all_of_them = f"{better + worse + unclear} {what if baseline else 'comparisons'}"
    than = f" than {baseline}" if baseline else ""
    if not better + worse:
        both = f"{system} and {baseline} do" if baseline else f"{system} does"
        every = "either measure" if baseline and unclear == 2 and what == "measures" else f"any of {all_of_them}"
        return OPEN, f"{both} not differ measurably in {only or every}."
    rest = f"; no measurable difference in {unclear}" if unclear else ""
    if better and worse:
        return PARTLY, f"{system} is better{than} in {better} of {all_of_them} and worse in {worse}{rest}."
    mark, word = (BETTER, "better") if better else (WORSE, "worse")
    return mark, f"{system} is {word}{than} in {only or f'{better + worse} of {all_of_them}{which}'}{rest}."


def _advice(details: "CompareDetails") -> Iterator[str]:
    """Yield what so many queries could have shown of differences that they do not show, and what is to be done."""
    known = [each for each in details.differences if each.detectable is not None]
    finest = min(known, key=lambda each: (each.detectable or 0.0, each.measure), default=None)
    least = None if finest is None else finest.detectable
    if is_few := details.queries < _FEW or (least is not None and least > _COARSE):
        hardly = "no difference can be shown" if least is None else f"a difference below {least:.2g} would hardly show"
        yield f"{details.queries:,} queries are few: {hardly}."
    if details.settings.need is None:
        detects = ""
        if finest is not None and not is_few:
            size = f"a difference of {value(least)} in {finest.measure}"
            detects = f"{details.queries:,} queries detect {size} ({share(details.settings.power)} power); "
        yield f"{detects}`--need 0.02` prints how many queries it takes to detect 0.02."


def _cut(
    sentences: Sequence[tuple[str, str]], noun: str, most: int = _SENTENCES, advice: Sequence[str] = ()
) -> Headline:
    more = len(sentences) - most
    rest = [(OPEN, f"… and {counted(more, f'more {noun}')}.")] if more > 0 else []
    return Headline([*sentences[:most], *rest], advice)
