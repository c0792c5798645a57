"""What a check says in sentences: of each measure, and of a whole check."""

from collections.abc import Iterator

from benchbench.errors import visible
from benchbench.history.check import details
from benchbench.history.check.details import CheckDetails, MeasureDetails, RunDetails, SeriesDetails, WindowDetails
from benchbench.results.headline import BETTER, GOOD, OPEN, WORSE, Headline
from benchbench.significance.notes import p_said
from benchbench.significance.run_gate import units_needed
from benchbench.tables.shared_messages import counted

MARKS = {
    details.WORSE: WORSE,
    details.BETTER: BETTER,
    details.NOT_WORSE: GOOD,
    details.OPEN: OPEN,
    details.TOO_LITTLE: OPEN,
    details.FAILED: WORSE,
}
_COMMIT = 8  # characters
_MOST = 8  # sentences above everything else
_PUT = "…"


def sentence(found: MeasureDetails, margin: float | None) -> str:
    """Return what is found of one measure."""
    one, name = found.decided, visible(found.measure)
    if found.verdict == details.TOO_LITTLE or (one is None and found.verdict == details.FAILED):
        return f"{name}: {found.verdict if found.verdict == details.TOO_LITTLE else 'not judged'}: {found.why}."
    if found.verdict in (details.WORSE, details.BETTER) and found.since is not None:
        since = f"{name} is {found.verdict} since {_between(found.since, found.before)}"
        if one is None or (found.alert == "open" and not one.rejects):
            return f"{since}; {found.why}"
        return f"{since}: {value(found.reference, found)} became {_change(found, one)}."
    if found.verdict == details.NOT_WORSE and one is not None and margin is not None:
        by = f"{100 * margin:g} %" if found.ratio else f"{margin:g}"
        return f"{name} is not worse by more than {by}: {value(found.reference, found)} became {_change(found, one)}."
    again = "; it has recovered" if found.ended_why == "recovered" else ""
    return (
        f"{name}: no change shown{again}: {value(found.reference, found)} in the reference, "
        f"{value(found.latest, found)} in the latest run."
    )


def sure(found: MeasureDetails) -> str:
    """Return how sure a verdict is: p-values, over which runs, at which level."""
    one = found.decided
    if one is None or found.level is None:
        return ""
    over = "the latest run" if one.runs == 1 else f"the last {one.runs} runs"
    said = (
        f"over {over} {p_said(one.p_queries)} by {'blocks of requests' if found.ratio else 'queries'}, which counts at "
        f"{found.level:.2g} or less, and {p_said(one.p_runs)} by runs, at half of that; the interval is of "
        f"{100 * (1 - found.level):.4g} %"
    )
    needed = units_needed(found.level)
    if found.verdict != details.OPEN or found.changed >= needed or found.units < needed:
        return said
    return f"{said}; {found.changed:,} of {found.units:,} queries changed, and fewer than {needed} can show nothing"


def headline(found: CheckDetails) -> Headline:
    """Return what a report begins with: what is worse first, and what to do about it second."""
    said: list[tuple[str, str]] = []
    for series in found.series:
        of = f"{called(series)}: " if len(found.series) > 1 else ""
        reasons = {(one.verdict, one.why) for one in series.measures}
        if len(reasons) == 1 and series.measures[0].verdict in (details.TOO_LITTLE, details.FAILED):
            verdict, why = reasons.pop()
            named = "Too little data" if verdict == details.TOO_LITTLE else "Not judged"
            said.append((MARKS[verdict], f"{of}{named if not of else named[0].lower() + named[1:]}: {why}."))
        else:
            said += [(MARKS[one.verdict], f"{of}{one.sentence}") for one in series.measures]
    said.sort(key=lambda one: [WORSE, BETTER, GOOD, OPEN].index(one[0]) if one[0] in (WORSE, BETTER) else 9)
    more = len(said) - _MOST
    return Headline([*said[:_MOST], *([(OPEN, f"… and {more:,} more.")] if more > 0 else [])], list(advice(found)))


def advice(found: CheckDetails) -> Iterator[str]:
    """Yield what to do."""
    for series in found.series:
        worse = [one for one in series.measures if one.verdict == details.WORSE and one.since is not None]
        better = [one for one in series.measures if one.verdict == details.BETTER and one.since is not None]
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
        if any(one.verdict == details.FAILED for one in series.measures):
            number = series.judged.number
            yield f"Run {number} says nothing of quality; benchbench history show {number} says what failed."


def called(series: SeriesDetails) -> str:
    """Return what a series is called beside others."""
    name = series.name or series.kind
    return visible(f"{name} on {series.data}" if series.data else name)


def reference(series: SeriesDetails) -> str:
    """Return what later runs are held against."""
    one = series.reference
    if one is None:
        return "none yet"
    first, last = one.runs[0], one.runs[-1]
    commits = list(dict.fromkeys(run.commit[:_COMMIT] for run in one.runs if run.commit))
    ends = [commits[0], commits[-1]] if len(commits) > 1 else commits
    of = f", commit{'s' * (len(ends) > 1)} {' to '.join(ends)}" if ends else ""
    when = " to ".join(dict.fromkeys(run.started[:10] for run in (first, last) if run.started))
    by = f" by {one.by}" if one.by else ""
    why = f"; a change was accepted{by}: {one.reason}" if one.reason else ""
    again = "; its file was lost, and it was made again from its runs" if one.rebuilt else ""
    return visible(f"runs {first.number} to {last.number}{of}{f', {when}' if when else ''}{why}{again}")


def tested(series: SeriesDetails, found: CheckDetails) -> str:
    """Return how many runs were tested of how many planned, and at which level."""
    one = next((each for each in series.measures if each.level is not None), None)
    if one is None or one.level is None:
        return f"none of {found.planned:,} planned runs"
    several = len(series.measures)
    more = "; more runs than planned: accept a new reference, or plan more" if one.tested > found.planned else ""
    return (
        f"run {one.tested:,} of {found.planned:,} planned since the reference; level {one.level:.2g} of each test "
        f"(alpha {found.alpha:g} over {found.planned:,} runs, 4 windows and {counted(several, 'measure')}); "
        f"spent so far {one.spent:.2g} of {found.alpha:g}{more}"
    )


def value(number: float | None, found: MeasureDetails) -> str:
    """Return a value with its unit."""
    if number is None:
        return "no value"
    return f"{number:.3g} {found.unit}" if found.unit else f"{number:.4f}" if abs(number) < 100 else f"{number:,.1f}"


def difference(one: WindowDetails, found: MeasureDetails, whole: bool = True) -> str:
    """Return a difference, and when it is `whole` its interval; of latency, how many times as long."""
    if found.ratio:
        ends = "" if not whole or one.low is None or one.high is None else f" [{1 + one.low:.3g}, {1 + one.high:.3g}]"
        return f"{1 + one.difference:.3g} times{ends}"
    ends = "" if not whole or one.low is None or one.high is None else f" [{one.low:+.4f}, {one.high:+.4f}]"
    return f"{one.difference:+.4f}{ends}"


def _change(found: MeasureDetails, one: WindowDetails) -> str:
    over = "" if one.runs == 1 else f" over the last {one.runs} runs"
    return f"{value(found.value, found)}{over}, {difference(one, found)}"


def _between(since: RunDetails, before: RunDetails | None) -> str:
    """Return since which run, and between which commits."""
    new, old = since.commit[:_COMMIT], "" if before is None else before.commit[:_COMMIT]
    if new and old and new != old:
        return f"run {since.number}, between commit {visible(old)} and {visible(new)}"
    return f"run {since.number}" + (f" (commit {visible(new)})" if new else "")
