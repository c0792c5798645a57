"""What a comparison comes to: a sentence per system, the best first, as terminals and pages begin."""

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from benchbench.comparison.leaders import headline_of_many
from benchbench.comparison.speed import NOT_COMPARED
from benchbench.results.figures import interval, times_as, value
from benchbench.results.headline import BETTER, OPEN, PARTLY, WORSE, Headline
from benchbench.significance.letters import MANY
from benchbench.tables.shared_messages import and_joined, capital, counted

if TYPE_CHECKING:
    from benchbench.comparison.compare_result import CompareDetails
    from benchbench.comparison.load_pairs import LoadDifference, LoadsDetails
    from benchbench.comparison.run_agreement import AgreementDetails
    from benchbench.comparison.speed import SpeedRatio
    from benchbench.significance.result import PairedDifference

_CHANGED = "top_changed"
_SENTENCES = 6
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
    """Return what a report begins with, in so many sentences at most; what is known of speed comes last."""
    verdict, of_speed = _verdict(details, most), speed(details)
    return verdict._replace(advice=[*verdict.advice, *of_speed]) if of_speed else verdict


def _verdict(details: "CompareDetails", most: int) -> Headline:
    if all(map(same, details.differences)):
        return Headline([(OPEN, f"{and_joined(list(details.names))} have the same value for every query.")])
    if len(details.names) >= MANY:
        return headline_of_many(details)
    counts, baseline = ranked(details), against(details.differences)
    only = details.measures[0] if len(details.measures) == 1 and baseline else ""
    advice = list(_advice(details)) if any(count.unclear for count in counts) else []
    return _cut([_sentence(count, baseline, "measures", only) for count in counts], "system", most, advice)


def headline_of_loads(details: "LoadsDetails") -> Headline:
    """Return what a report on load tests begins with."""
    tested = [difference for difference in details.differences if difference.p is not None]
    if not tested:
        reason = next((note for note in details.notes if note.startswith(NOT_COMPARED)), "")
        few = "Too few repeats to say whether the load tests differ"
        return Headline([(OPEN, f"{capital(reason) or few}.")])
    baseline = against(tested)
    counts = _counts(
        ((difference.baseline, difference.system, difference.direction) for difference in tested), baseline
    )
    return _cut([_sentence(count, baseline, "numbers") for count in counts], "system")


def headline_of_agreement(details: "AgreementDetails") -> Headline:
    """Return what a report on runs without judgments begins with: of each pair the first measure, and the top hits."""
    sentences = []
    for pair in details.pairs:
        means = {likeness.measure: likeness.mean for likeness in pair.means}
        parts = [f"{measure} {value(mean)}" for measure, mean in list(means.items())[:1] if mean is not None]
        if (changed := means.get(_CHANGED)) is not None:
            parts.append(f"another first hit in {100 * changed:.0f} % of {pair.queries:,} queries")
        sentences.append((OPEN, f"{pair.baseline} and {pair.system}: {', '.join(parts) or 'no query in common'}."))
    return _cut(sentences, "pair")


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


def _sentence(count: Standing, baseline: str | None, what: str, only: str = "") -> tuple[str, str]:
    """Return what is known of a system, with its mark; `only` names the only number, where there is one."""
    system, better, worse, unclear = count
    all_of_them = f"{better + worse + unclear} {what if baseline else 'comparisons'}"
    than = f" than {baseline}" if baseline else ""
    if not better + worse:
        both = f"{system} and {baseline} do" if baseline else f"{system} does"
        return OPEN, f"{both} not differ measurably in {only or f'any of {all_of_them}'}."
    rest = f"; no measurable difference in {unclear}" if unclear else ""
    if better and worse:
        return PARTLY, f"{system} is better{than} in {better} of {all_of_them} and worse in {worse}{rest}."
    mark, word = (BETTER, "better") if better else (WORSE, "worse")
    return mark, f"{system} is {word}{than} in {only or f'{better + worse} of {all_of_them}'}{rest}."


def _advice(details: "CompareDetails") -> Iterator[str]:
    """Yield what may be done about differences that are not shown."""
    least = min(
        (difference.detectable for difference in details.differences if difference.detectable is not None), default=None
    )
    if details.queries < _FEW or (least is not None and least > _COARSE):
        hardly = "no difference can be shown" if least is None else f"a difference below {least:.2g} would hardly show"
        yield f"{details.queries:,} queries are few: {hardly}."
    if details.settings.need is None:
        yield "This does not mean that they are equal: --need 0.02 prints how many queries it takes to detect 0.02."


def _cut(
    sentences: Sequence[tuple[str, str]], noun: str, most: int = _SENTENCES, advice: Sequence[str] = ()
) -> Headline:
    more = len(sentences) - most
    rest = [(OPEN, f"… and {counted(more, f'more {noun}')}.")] if more > 0 else []
    return Headline([*sentences[:most], *rest], advice)
