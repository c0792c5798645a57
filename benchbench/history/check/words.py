"""What a check says in sentences: of each measure, and of a whole check."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from benchbench.errors import visible
from benchbench.history.alerts.alert import COMMIT, since_run
from benchbench.history.changed import MOST, changes_said
from benchbench.history.check import check_details
from benchbench.history.check.check_details import (
    CheckDetails,
    CheckedRun,
    MeasureVerdict,
    PairedRuns,
    SeriesDetails,
    WindowDetails,
)
from benchbench.results.figures import DIGITS, NOTHING, behind, count, estimate, p_said, quantity, rounded, signed
from benchbench.results.headline import BETTER, GOOD, OPEN, WORSE, Headline
from benchbench.results.verdict import NOT_JUDGED
from benchbench.significance.comparison_settings import USUAL_POWER
from benchbench.significance.run_gate import units_needed
from benchbench.significance.run_windows import OF_RUNS
from benchbench.tables.shared_messages import and_joined, capital, counted

if TYPE_CHECKING:
    from benchbench.history.entry import Series

MARKS = {
    check_details.WORSE: WORSE,
    check_details.BETTER: BETTER,
    check_details.NOT_WORSE: GOOD,
    check_details.OPEN: OPEN,
    check_details.TOO_LITTLE: OPEN,
    check_details.FAILED: WORSE,
}
_MOST = 8  # sentences above everything else
_NAMED = 3  # measures of a sentence
_PUT = "…"


def sentence(measure: MeasureVerdict, margin: float | None) -> str:
    """Return what is found of one measure."""
    test, name = measure.decided, visible(measure.measure)
    if measure.verdict == check_details.TOO_LITTLE:
        known = f"{_known(measure)}: " if measure.value is not None else f"{name}: "
        if measure.reference_changes and measure.step is not None:
            return f"{known}not judged. The reference contains a change: {_step(measure, measure.step)}."
        return f"{known}{NOT_JUDGED}. {_ended(measure.why)}"
    if test is None and measure.verdict == check_details.FAILED:
        return f"{name}: not judged: {_ended(measure.why)}"
    if measure.verdict in (check_details.WORSE, check_details.BETTER) and measure.since is not None:
        before = "" if measure.before is None else measure.before.commit
        since = f"{name} is {measure.verdict} since {since_run(measure.since.number, measure.since.commit, before)}"
        if test is None or (measure.alert == "open" and not test.rejects):
            return f"{since}, and has not recovered measurably."
        return f"{since}: {value(measure.reference, measure)} became {_change(measure, test)}."
    if measure.verdict == check_details.NOT_WORSE and test is not None and margin is not None:
        by = f"{100 * margin:g} %" if measure.ratio else f"{margin:g}"
        became = f"{value(measure.reference, measure)} became {_change(measure, test)}"
        return f"{name} is not worse by more than {by}: {became}."
    again = "; it has recovered" if measure.ended_why == "recovered" else ""
    if measure.is_steady and not measure.changed:
        return f"{name}: nothing changed{again}: {value(measure.latest, measure)}, as in each run of the reference."
    but = (
        f", but {measure.changed:,} of {counted(measure.units, 'query')} changed, and none did in the reference"
        if measure.is_steady
        else ""
    )
    return (
        f"{name}: no measurable change{again}{but}: {value(measure.reference, measure)} in the reference, "
        f"{value(measure.latest, measure)} in the latest run."
    )


def sure(measure: MeasureVerdict) -> str:
    """Return how sure a verdict is: its p-values, and over which runs; empty where nothing was tested."""
    test = measure.decided
    if test is None or measure.level is None:
        return ""
    over = "" if test.runs == 1 else f" over the last {test.runs} runs"
    units = "blocks of requests" if measure.ratio else "queries"
    by = {"queries": f"p {rounded(test.p_queries, 2)} by {units}", "runs": f"p {rounded(test.p_runs, 2)} by runs{over}"}
    text = by.get(measure.tests, f"{by['queries']} and {rounded(test.p_runs, 2)} by runs{over}")
    if measure.tests == "queries" and measure.changed:
        text += (
            f"; on these queries: {measure.lower:,} lower, {measure.higher:,} higher, mean {signed(test.difference)}"
        )
    if measure.cycles:
        text += f"; a cycle of {measure.cycles[0]:.3g} runs is taken out"
    if measure.detectable:
        text += f"; a difference of {rounded(measure.detectable, 2)} would be found with {100 * USUAL_POWER:.0f} %"
    return f"{text}; {measure.changed:,} of {measure.units:,} {units} changed" if _has_few_changes(measure) else text


def what_counts(series: SeriesDetails, check: CheckDetails) -> str:
    """Return which p-values count as a change, and why these; empty where nothing was tested."""
    known = [measure for measure in series.measures if measure.level is not None and measure.decided is not None]
    if not known:
        return ""
    alike: dict[tuple[float, str], list[str]] = {}
    for measure in known:
        alike.setdefault((measure.level or 0.0, measure.tests), []).append(measure.measure)
    levels = [_counts(level, tests, names if len(alike) > 1 else []) for (level, tests), names in alike.items()]
    text = f"{'; '.join(levels)}: alpha {check.alpha:g} for {counted(check.planned, 'different run')}"
    few = [measure for measure in known if _has_few_changes(measure)]
    if few:
        needed = max(units_needed(measure.level or 1.0) for measure in few)
        text += f"; where fewer than {needed} queries changed, no test can show it"
    return text


def _counts(level: float, tests: str, names: Sequence[str]) -> str:
    """Return which p-values of some measures count, all where none are named."""
    which = f"of {and_joined([visible(name) for name in names])} " if names else ""
    by_runs = f"{rounded(level * OF_RUNS[1], 2)} or less by runs, {rounded(level * OF_RUNS[8], 2)} over eight"
    of_queries = f"{rounded(level, 2)} or less"
    by = {"queries": of_queries, "runs": by_runs, "both": f"{of_queries} by queries and {by_runs}"}
    return f"a change {which}needs p of {by[tests]} (intervals are of {100 * (1 - level):.4g} %)"


def _has_few_changes(measure: MeasureVerdict) -> bool:
    """Say whether too few queries changed for any test to show it, although there are enough of them."""
    needed = units_needed(measure.level or 1.0)
    return (
        measure.tests != "runs" and measure.verdict == check_details.OPEN and measure.changed < needed <= measure.units
    )


def headline(check: CheckDetails) -> Headline:
    """Return what a report begins with: what is worse first, and what to do about it second."""
    sentences: list[tuple[str, str]] = []
    for series in check.series:
        front = f"{called(series)}: " if len(check.series) > 1 else ""
        moved, quiet = _previous(series)
        steps = list(_steps(series))
        beside = [(OPEN, sentence) for sentence in (*steps, *quiet)]
        for mark, sentence in (*((OPEN, sentence) for sentence in moved), *_together(series), *beside):
            first = sentence.partition(" ")[0]
            is_word = bool(front) and first.isalpha() and first.istitle()  # and no measure
            sentences.append((mark, f"{front}{sentence[0].lower() if is_word else sentence[0]}{sentence[1:]}"))
    sentences.sort(
        key=lambda marked: [WORSE, BETTER, GOOD, OPEN].index(marked[0]) if marked[0] in (WORSE, BETTER) else 9
    )
    more = len(sentences) - _MOST
    return Headline([*sentences[:_MOST], *([(OPEN, f"… and {more:,} more.")] if more > 0 else [])], list(advice(check)))


def _together(series: SeriesDetails) -> Iterator[tuple[str, str]]:
    """Yield sentences with their marks; measures of which the same is said share one."""
    alike: dict[tuple[str, str], list[MeasureVerdict]] = {}
    for measure in series.measures:
        is_open = measure.verdict == check_details.TOO_LITTLE and measure.value is not None
        common = "reference" * measure.reference_changes if is_open else _shared(measure) or measure.measure
        alike.setdefault((measure.verdict, common), []).append(measure)
    for (verdict, _), several in alike.items():
        names, first = and_joined([visible(measure.measure) for measure in several]), several[0]
        which = "" if len(several) == len(series.measures) else f" of {names}"
        if first.reference_changes and first.step is not None and series.reference is not None:
            runs = f"runs {series.reference.runs[0].number} to {first.reference_to}"
            cannot = f"Run {series.judged.number} cannot be checked{f' in {names}' if which else ''}"
            yield OPEN, f"{cannot}: its reference, {runs}, contains a change: {_step(first, first.step)}."
        elif verdict == check_details.TOO_LITTLE and first.value is not None:
            values = "; ".join(_known(measure) for measure in several[:_NAMED])
            more = f"; and {counted(len(several) - _NAMED, 'more measure')}" if len(several) > _NAMED else ""
            yield OPEN, f"Run {series.judged.number} is {NOT_JUDGED}: {values}{more}."
        elif verdict in (check_details.TOO_LITTLE, check_details.FAILED) and _shared(first):
            yield MARKS[verdict], f"{_unjudged(verdict).capitalize()}{which}: {_ended(first.why)}"
        elif len(several) > 1:
            yield MARKS[verdict], f"{_shared(first)} {names}."
        else:
            yield MARKS[verdict], first.sentence


def _known(measure: MeasureVerdict) -> str:
    """Return the latest value of a measure, and that of the reference where there is one."""
    has_reference = measure.reference is not None and not measure.reference_changes
    against = f", reference {value(measure.reference, measure)}" if has_reference else ""
    return f"{visible(measure.measure)} {value(measure.value, measure)}{against}"


def _previous(series: SeriesDetails) -> tuple[list[str], list[str]]:
    """Return in what the latest run differs from the one before, or that it does not measurably: one of both."""
    pairs = [(measure, measure.previous) for measure in series.measures if measure.previous is not None]
    moved = [its for its in pairs if its[1].verdict]
    if not pairs:
        return [], []
    (measure, pair), *others = moved or pairs
    by, p = pair.second - pair.first, (max if moved else min)(its.p or 0.0 for _, its in moved or pairs)
    sure = f"({p_said(p)} over {counted(pair.queries or 0, 'query')}; run-to-run noise is not known yet)."
    names = and_joined([visible(other.measure) for other, _ in others])
    if not moved:
        return [], [f"Run {pair.after.number} does not differ measurably from run {pair.before.number} {sure}"]
    text = f"{visible(measure.measure)} {value(pair.second, measure)} is {quantity(abs(by), measure.unit)}"
    more = f", and {names} differ{'s' * (len(others) == 1)}, too" if others else ""
    return [f"{text} {'above' if by > 0 else 'below'} run {pair.before.number}{more} {sure}"], []


def _steps(series: SeriesDetails) -> Iterator[str]:
    """Yield the first change of level, where the reason why nothing is judged does not name one already."""
    steps = [(measure, measure.step) for measure in series.measures if measure.step is not None]
    for measure, step in [] if any(measure.reference_changes for measure, _ in steps) else steps[:1]:
        is_inside = series.reference is not None and step.after.number <= series.reference.runs[-1].number
        yield f"{'The reference contains a change: ' * is_inside}{_step(measure, step)}."


def _step(measure: MeasureVerdict, step: PairedRuns) -> str:
    """Return that runs changed their level, and what else changed there."""
    what = f"{visible(measure.measure)} {'rose' if step.second > step.first else 'fell'}"
    causes = f" ({changes_said(step.causes[:MOST], max(0, len(step.causes) - MOST))})" if step.causes else ""
    levels = f"from {value(step.first, measure)} to {value(step.second, measure)}"
    return f"{what} {levels} at run {step.after.number}{causes}"


def _shared(measure: MeasureVerdict) -> str:
    """Return what several measures may have in common, as a beginning of a sentence; empty where one stands alone."""
    if measure.verdict in (check_details.TOO_LITTLE, check_details.FAILED):
        return measure.why
    if measure.verdict != check_details.OPEN or measure.ended_why or (measure.is_steady and measure.changed):
        return ""
    return "Nothing changed in" if measure.is_steady else "No measurable change in"


def _unjudged(verdict: str) -> str:
    return NOT_JUDGED if verdict == check_details.TOO_LITTLE else "not judged"


def _ended(sentence: str) -> str:
    """Return a sentence with one point at its end."""
    return f"{sentence.rstrip('.')}."


def advice(check: CheckDetails) -> Iterator[str]:
    """Yield what to do."""
    for series in check.series:
        front = f"{called(series)}: " if len(check.series) > 1 else ""
        yield from (f"{front}{cause}" for cause in dict.fromkeys(map(cause_of, series.measures)) if cause)
        unjudged = [its for its in series.measures if its.verdict == check_details.TOO_LITTLE and its.value is not None]
        unjudged = [its for its in unjudged if not its.reference_changes]
        yield from (f"{front}{capital(_ended(measure.why))}" for measure in unjudged[:1])
        pairs = [its.step or its.previous for its in series.measures]
        first = next((pair for pair in pairs if pair is not None and pair.verdict), None)
        if first is not None:
            is_kept = any(measure.reference_changes for measure in series.measures)
            repaired = "; if not, accept the first run after its repair." if is_kept else ""
            yield f"{_see((first.after, first.before))}{_meant(first.after)}{repaired}"
        if worse := _first(series, check_details.WORSE):
            yield f"{_see(worse)}{_meant(worse[0])}"
        elif better := _first(series, check_details.BETTER):
            accept = f"benchbench history accept {better[0].number} --reason {_PUT}"
            yield f"{_see(better)}To hold later runs against this: {accept}"
        if any(measure.verdict == check_details.OPEN and measure.moved for measure in series.measures):
            yield "The reference is the same in each of its runs: see the queries that changed, below."
        if any(measure.verdict == check_details.FAILED for measure in series.measures):
            number = series.judged.number
            yield f"Run {number} says nothing of quality; benchbench history show {number} says what failed."


def cause_of(measure: MeasureVerdict) -> str:
    """Return what changed at the first run that is worse, or better; empty where that is not known."""
    if measure.since is None or not measure.causes:
        return ""
    more = max(0, len(measure.causes) - MOST)
    return f"Changed at run {measure.since.number}: {changes_said(measure.causes[:MOST], more)}."


def _first(series: SeriesDetails, verdict: str) -> tuple[CheckedRun, CheckedRun | None] | None:
    """Return the first run since which a measure has a verdict, and the one before it."""
    pairs = [(its.since, its.before) for its in series.measures if its.verdict == verdict and its.since is not None]
    return min(pairs, key=lambda pair: pair[0].number, default=None)


def _meant(run: CheckedRun) -> str:
    return f"If it was meant: benchbench history accept {run.number} --reason {_PUT}"


def _see(pair: tuple[CheckedRun, CheckedRun | None]) -> str:
    since, before = pair
    return "" if before is None else f"See: benchbench history diff {before.number} {since.number}. "


def called(series: "Series | SeriesDetails") -> str:
    """Return what a series is called beside others."""
    name = series.name or series.kind
    return visible(f"{name} on {series.data}" if series.data else name)


def reference(series: SeriesDetails) -> str:
    """Return what later runs are held against."""
    kept = series.reference
    if kept is None:
        return "none yet"
    first, last = kept.runs[0], kept.runs[-1]
    commits = list(dict.fromkeys(run.commit[:COMMIT] for run in kept.runs if run.commit))
    ends = [commits[0], commits[-1]] if len(commits) > 1 else commits
    which = f", commit{'s' * (len(ends) > 1)} {' to '.join(ends)}" if ends else ""
    when = " to ".join(dict.fromkeys(run.started[:10] for run in (first, last) if run.started))
    by = f" by {kept.by}" if kept.by else ""
    why = f"; a change was accepted{by}: {kept.reason}" if kept.reason else ""
    again = "; its file was lost, and it was made again from its runs" if kept.rebuilt else ""
    grown = max((measure.reference_to for measure in series.measures), default=0)
    more = f"; quiet runs joined it up to run {grown}" if grown > last.number else ""
    return visible(f"runs {first.number} to {last.number}{which}{f', {when}' if when else ''}{more}{why}{again}")


def tested(series: SeriesDetails, check: CheckDetails) -> str:
    """Return how many runs were tested of how many planned, and how much of alpha that took."""
    judged = next((measure for measure in series.measures if measure.level is not None), None)
    if judged is None:
        return f"none of {counted(check.planned, 'planned run')}"
    more = (
        "; more than planned: levels shrink; accept a new reference, or plan more"
        if judged.tested > check.planned
        else ""
    )
    return (
        f"{judged.tested:,} of {counted(check.planned, 'planned run')} since the reference; "
        f"{rounded(judged.spent, 2)} of alpha {check.alpha:g} used{more}"
    )


def value(number: float | None, measure: MeasureVerdict) -> str:
    """Return a value with its unit."""
    return count(number) if is_count(measure) else quantity(number, measure.unit)


def is_count(measure: MeasureVerdict) -> bool:
    """Say whether values are counts of failures, of whose means a reader wants no decimals."""
    return (
        measure.tests == "runs"
        and not measure.unit
        and all(mean is None or mean == round(mean) for mean in measure.means)
    )


def difference(measure: MeasureVerdict, ends: bool = False) -> str:
    """Return by how much it changed, with its interval if `ends`; of latency, how many times."""
    test = measure.decided
    if test is None and not measure.ratio and measure.latest is not None and measure.reference is not None:
        return signed(measure.latest - measure.reference, 0 if is_count(measure) else DIGITS)
    if test is None:
        return NOTHING
    low, high = (test.low, test.high) if ends else (None, None)
    if not measure.ratio:
        return estimate(test.difference, low, high, 0 if is_count(measure) else DIGITS, signed)
    low, high = (None if share is None else 1 + share for share in (low, high))
    return f"{rounded(1 + test.difference, 3)} times {behind(low, high, 3, rounded)}".rstrip()


def _change(measure: MeasureVerdict, test: WindowDetails) -> str:
    over = "" if test.runs == 1 else f" over the last {test.runs} runs"
    return f"{value(measure.value, measure)}{over}, {difference(measure, ends=True)}"
