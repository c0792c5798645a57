"""What a check says in sentences: of each measure, and of a whole check."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from benchbench.errors import visible
from benchbench.history.alerts.alert import COMMIT, since_run
from benchbench.history.check import details
from benchbench.history.check.details import CheckDetails, MeasureDetails, SeriesDetails, WindowDetails
from benchbench.results.figures import NOTHING, behind, count, estimate, quantity, rounded, signed
from benchbench.results.headline import BETTER, GOOD, OPEN, WORSE, Headline
from benchbench.significance.run_gate import units_needed
from benchbench.significance.run_windows import OF_RUNS
from benchbench.significance.settings import USUAL_POWER
from benchbench.tables.shared_messages import and_joined, counted

if TYPE_CHECKING:
    from benchbench.history.entry import Series

MARKS = {
    details.WORSE: WORSE,
    details.BETTER: BETTER,
    details.NOT_WORSE: GOOD,
    details.OPEN: OPEN,
    details.TOO_LITTLE: OPEN,
    details.FAILED: WORSE,
}
_MOST = 8  # sentences above everything else
_PUT = "…"


def sentence(found: MeasureDetails, margin: float | None) -> str:
    """Return what is found of one measure."""
    one, name = found.decided, visible(found.measure)
    if found.verdict == details.TOO_LITTLE or (one is None and found.verdict == details.FAILED):
        return f"{name}: {_unjudged(found.verdict)}: {_ended(found.why)}"
    if found.verdict in (details.WORSE, details.BETTER) and found.since is not None:
        before = "" if found.before is None else found.before.commit
        since = f"{name} is {found.verdict} since {since_run(found.since.number, found.since.commit, before)}"
        if one is None or (found.alert == "open" and not one.rejects):
            return f"{since}; {_ended(found.why)}"
        return f"{since}: {value(found.reference, found)} became {_change(found, one)}."
    if found.verdict == details.NOT_WORSE and one is not None and margin is not None:
        by = f"{100 * margin:g} %" if found.ratio else f"{margin:g}"
        return f"{name} is not worse by more than {by}: {value(found.reference, found)} became {_change(found, one)}."
    again = "; it has recovered" if found.ended_why == "recovered" else ""
    if found.is_steady and not found.changed:
        return f"{name}: nothing changed{again}: {value(found.latest, found)}, as in each run of the reference."
    but = (
        f", but {found.changed:,} of {counted(found.units, 'query')} changed, and none did in the reference"
        if found.is_steady
        else ""
    )
    return (
        f"{name}: no change shown{again}{but}: {value(found.reference, found)} in the reference, "
        f"{value(found.latest, found)} in the latest run."
    )


def sure(found: MeasureDetails) -> str:
    """Return how sure a verdict is: its p-values, and over which runs; empty where nothing was tested."""
    one = found.decided
    if one is None or found.level is None:
        return ""
    over = "" if one.runs == 1 else f" over the last {one.runs} runs"
    units = "blocks of requests" if found.ratio else "queries"
    by = {"queries": f"p {rounded(one.p_queries, 2)} by {units}", "runs": f"p {rounded(one.p_runs, 2)} by runs{over}"}
    said = by.get(found.tests, f"{by['queries']} and {rounded(one.p_runs, 2)} by runs{over}")
    if found.tests == "queries" and found.changed:
        said += f"; on these queries: {found.lower:,} lower, {found.higher:,} higher, mean {signed(one.difference)}"
    if found.cycles:
        said += f"; a cycle of {found.cycles[0]:.3g} runs is taken out"
    if found.detectable:
        said += f"; a difference of {found.detectable:.2g} would be found with {100 * USUAL_POWER:.0f} %"
    return f"{said}; {found.changed:,} of {found.units:,} {units} changed" if _has_few_changes(found) else said


def what_counts(series: SeriesDetails, found: CheckDetails) -> str:
    """Return which p-values count as a change, and why these; empty where nothing was tested."""
    known = [measure for measure in series.measures if measure.level is not None and measure.decided is not None]
    if not known:
        return ""
    alike: dict[tuple[float, str], list[str]] = {}
    for one in known:
        alike.setdefault((one.level or 0.0, one.tests), []).append(one.measure)
    levels = [_counts(level, tests, names if len(alike) > 1 else []) for (level, tests), names in alike.items()]
    said = f"{'; '.join(levels)}: alpha {found.alpha:g} for {counted(found.planned, 'different run')}"
    few = [one for one in known if _has_few_changes(one)]
    if few:
        needed = max(units_needed(one.level or 1.0) for one in few)
        said += f"; where fewer than {needed} queries changed, no test can show it"
    return said


def _counts(level: float, tests: str, names: Sequence[str]) -> str:
    """Return which p-values of some measures count, all where none are named."""
    of = f"of {and_joined([visible(name) for name in names])} " if names else ""
    by_runs = f"{level * OF_RUNS[1]:.2g} or less by runs, {level * OF_RUNS[8]:.2g} over eight"
    by = {"queries": f"{level:.2g} or less", "runs": by_runs, "both": f"{level:.2g} or less by queries and {by_runs}"}
    return f"a change {of}is shown by p of {by[tests]} (intervals are of {100 * (1 - level):.4g} %)"


def _has_few_changes(found: MeasureDetails) -> bool:
    """Say whether too few queries changed for any test to show it, although there are enough of them."""
    needed = units_needed(found.level or 1.0)
    return found.tests != "runs" and found.verdict == details.OPEN and found.changed < needed <= found.units


def headline(found: CheckDetails) -> Headline:
    """Return what a report begins with: what is worse first, and what to do about it second."""
    said: list[tuple[str, str]] = []
    for series in found.series:
        of = f"{called(series)}: " if len(found.series) > 1 else ""
        said += [(mark, f"{of}{one if not of else one[0].lower() + one[1:]}") for mark, one in _together(series)]
    said.sort(key=lambda one: [WORSE, BETTER, GOOD, OPEN].index(one[0]) if one[0] in (WORSE, BETTER) else 9)
    more = len(said) - _MOST
    return Headline([*said[:_MOST], *([(OPEN, f"… and {more:,} more.")] if more > 0 else [])], list(advice(found)))


def _together(series: SeriesDetails) -> Iterator[tuple[str, str]]:
    """Yield sentences with their marks; measures of which the same is said share one."""
    alike: dict[tuple[str, str], list[MeasureDetails]] = {}
    for one in series.measures:
        alike.setdefault((one.verdict, _shared(one) or one.measure), []).append(one)
    for (verdict, _), several in alike.items():
        names, first = and_joined([visible(one.measure) for one in several]), several[0]
        if verdict in (details.TOO_LITTLE, details.FAILED) and _shared(first):
            which = "" if len(several) == len(series.measures) else f" of {names}"
            yield MARKS[verdict], f"{_unjudged(verdict).capitalize()}{which}: {_ended(first.why)}"
        elif len(several) > 1:
            yield MARKS[verdict], f"{_shared(first)} {names}."
        else:
            yield MARKS[verdict], first.sentence


def _shared(found: MeasureDetails) -> str:
    """Return what several measures may have in common, as a beginning of a sentence; empty where one stands alone."""
    if found.verdict in (details.TOO_LITTLE, details.FAILED):
        return found.why
    if found.verdict != details.OPEN or found.ended_why or (found.is_steady and found.changed):
        return ""
    return "Nothing changed in" if found.is_steady else "No change is shown in"


def _unjudged(verdict: str) -> str:
    return details.TOO_LITTLE if verdict == details.TOO_LITTLE else "not judged"


def _ended(sentence: str) -> str:
    """Return a sentence with one point at its end."""
    return f"{sentence.rstrip('.')}."


def advice(found: CheckDetails) -> Iterator[str]:
    """Yield what to do."""
    for series in found.series:
        worse = [
            measure for measure in series.measures if measure.verdict == details.WORSE and measure.since is not None
        ]
        better = [
            measure for measure in series.measures if measure.verdict == details.BETTER and measure.since is not None
        ]
        if worse:
            first = min(one.since.number for one in worse if one.since is not None)
            moved = any(one.moved for one in worse)
            yield (
                f"{'See the queries that moved most, below. ' if moved else ''}If the change was meant, "
                f"benchbench history accept {first} --reason {_PUT} makes a new reference from there."
            )
        elif better:
            first = min(one.since.number for one in better if one.since is not None)
            yield (f"To hold later runs against what is better, benchbench history accept {first} --reason {_PUT}.")
        if any(measure.verdict == details.OPEN and measure.moved for measure in series.measures):
            yield "The reference is the same in each of its runs: see the queries that changed, below."
        if any(measure.verdict == details.FAILED for measure in series.measures):
            number = series.judged.number
            yield f"Run {number} says nothing of quality; benchbench history show {number} says what failed."


def called(series: "Series | SeriesDetails") -> str:
    """Return what a series is called beside others."""
    name = series.name or series.kind
    return visible(f"{name} on {series.data}" if series.data else name)


def reference(series: SeriesDetails) -> str:
    """Return what later runs are held against."""
    one = series.reference
    if one is None:
        return "none yet"
    first, last = one.runs[0], one.runs[-1]
    commits = list(dict.fromkeys(run.commit[:COMMIT] for run in one.runs if run.commit))
    ends = [commits[0], commits[-1]] if len(commits) > 1 else commits
    of = f", commit{'s' * (len(ends) > 1)} {' to '.join(ends)}" if ends else ""
    when = " to ".join(dict.fromkeys(run.started[:10] for run in (first, last) if run.started))
    by = f" by {one.by}" if one.by else ""
    why = f"; a change was accepted{by}: {one.reason}" if one.reason else ""
    again = "; its file was lost, and it was made again from its runs" if one.rebuilt else ""
    grown = max((measure.reference_to for measure in series.measures), default=0)
    more = f"; quiet runs joined it up to run {grown}" if grown > last.number else ""
    return visible(f"runs {first.number} to {last.number}{of}{f', {when}' if when else ''}{more}{why}{again}")


def tested(series: SeriesDetails, found: CheckDetails) -> str:
    """Return how many runs were tested of how many planned, and how much of alpha that took."""
    one = next((measure for measure in series.measures if measure.level is not None), None)
    if one is None:
        return f"none of {counted(found.planned, 'planned run')}"
    more = (
        "; more than planned: levels shrink; accept a new reference, or plan more" if one.tested > found.planned else ""
    )
    return (
        f"{counted(one.tested, 'different run')} of {found.planned:,} planned since the reference; {one.spent:.2g} of "
        f"alpha {found.alpha:g} is spent{more}"
    )


def value(number: float | None, found: MeasureDetails) -> str:
    """Return a value with its unit."""
    return count(number) if is_count(found) else quantity(number, found.unit)


def is_count(found: MeasureDetails) -> bool:
    """Say whether values are counts of failures, of whose means a reader wants no decimals."""
    return found.tests == "runs" and not found.unit and all(mean is None or mean == round(mean) for mean in found.means)


def difference(found: MeasureDetails, ends: bool = False) -> str:
    """Return by how much it changed, with its interval where the ends are asked for; of latency, how many times."""
    one = found.decided
    if one is None:
        return NOTHING
    low, high = (one.low, one.high) if ends else (None, None)
    if not found.ratio:
        return estimate(one.difference, low, high, 0 if is_count(found) else 4, signed)
    low, high = (None if share is None else 1 + share for share in (low, high))
    return f"{rounded(1 + one.difference, 3)} times {behind(low, high, 3, rounded)}".rstrip()


def _change(found: MeasureDetails, one: WindowDetails) -> str:
    over = "" if one.runs == 1 else f" over the last {one.runs} runs"
    return f"{value(found.value, found)}{over}, {difference(found, ends=True)}"
