"""What a run comes to: how many queries were scored, how fast, and the leading measure of each task."""

import math
from collections.abc import Mapping

from benchbench.measures.default_list import leading
from benchbench.measures.notation import measured
from benchbench.results.headline import GOOD, OPEN, WORSE, Headline
from benchbench.runs.run_details import Run
from benchbench.tables.shared_messages import and_joined, counted

_COMPARE = "To test the differences: benchbench compare, with their folders."


def headline(run: Run, data: str | None) -> Headline:
    """Return what a report begins with.

    Parameters
    ----------
    run
        The run.
    data
        What its data set is called.
    """
    failed, queries = run.counts["failed"], run.counts["queries"]
    on, quality = f" on {data}" if data else "", _quality(run)
    answered = f"{'the' if queries == 1 else 'all'} {counted(queries, 'query')} answered"
    if failed and failed == queries:
        text = f"none of {counted(queries, 'query')} got an answer that can be used"
        return Headline([(WORSE, f"{run.name}{on}: {text}.")])
    if failed:
        answered = f"{failed:,} of {counted(queries, 'query')} failed and {'counts' if failed == 1 else 'count'} as 0"
    text = f"{run.name} reaches {quality}{on}; {answered}." if quality else f"{run.name}{on}: {answered}."
    mark = WORSE if failed else OPEN if run.bottleneck else GOOD
    return Headline([(mark, text)], [] if math.isnan(run.latency.max) or run.latency.too_few else [_pace(run)])


def headline_of_several(runs: Mapping[str, Run], data: str | None) -> Headline:
    """Return what a report on several services begins with."""
    asked = next(iter(runs.values())).counts["queries"]
    failed = {name: run.counts["failed"] for name, run in runs.items() if run.counts["failed"]}
    on = f" on {data}" if data else ""
    text = f"{and_joined(list(runs))}{on}: {asked:,} queries each"
    if failed:
        which = and_joined([f"{number:,} of {name}" for name, number in failed.items()])
        return Headline([(WORSE, f"{text}; failed: {which}, which count as 0.")], [_COMPARE])
    return Headline([(GOOD, f"{text}, none failed.")], [_COMPARE])


def few_requests(run: Run) -> str:
    """Return that there are too few requests to measure speed, or for which percentiles; else an empty text."""
    speed = run.latency
    few = [mark for mark in speed.percentiles if mark not in speed.known]
    if not few:
        return ""
    what = "to measure speed" if speed.too_few else f"for {and_joined(few)}"
    return f"{counted(speed.timed, 'request')} {'is' if speed.timed == 1 else 'are'} too few {what}"


def _pace(run: Run) -> str:
    """Return how many queries were answered a second, and the highest percentile that rests on enough requests."""
    name, mark = list(run.latency.known.items())[-1]
    return f"{run.latency.queries_per_second:,.0f} queries a second, {name} {mark:,.1f} ms."


def _quality(run: Run) -> str:
    """Return the leading measure with its value, of several tasks that of each."""
    texts: dict[str, list[str]] = {}
    for task, measures in run.measures.items():
        name = leading(list(measures)) if measures else ""
        if name and measures[name].value is not None:
            of_task = f" ({task})" if len(run.measures) > 1 else ""
            texts.setdefault(name, []).append(f"{measured(name, measures[name].value or 0.0)}{of_task}")
    return "; ".join(f"{name} {and_joined(values)}" for name, values in texts.items())
