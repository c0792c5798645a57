"""What a run comes to: how many queries were scored, how fast, and the leading measure of each task."""

import math
from collections.abc import Mapping

from benchbench.measures.default_list import leading
from benchbench.measures.latency import enough
from benchbench.measures.notation import measured
from benchbench.results.headline import GOOD, OPEN, WORSE, Headline
from benchbench.runs.run_details import Run
from benchbench.tables.shared_messages import and_joined, counted

_COMPARE = "benchbench compare, with their folders, says which differences are more than chance."


def headline(run: Run, data: str | None) -> Headline:
    """Return what a report begins with.

    Parameters
    ----------
    run
        The run.
    data
        What its data set is called.
    """
    counts, speed = run.counts, run.latency
    subject = f"{run.name} on {data}" if data else run.name
    scored = f"{counts['scored']:,} of {counts['queries']:,} queries scored"
    pace = [] if math.isnan(speed.max) else [f"{speed.queries_per_second:,.0f} queries a second", _slow(run)]
    mark = WORSE if counts["failed"] else OPEN if run.bottleneck else GOOD
    advice = [_quality(run)]
    if counts["failed"]:
        advice.append(f"{counts['failed']:,} failed and {'counts' if counts['failed'] == 1 else 'count'} as 0.")
    return Headline([(mark, f"{subject}: {', '.join([scored, *pace])}")], [text for text in advice if text])


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
    """Return which percentiles of latency rest on few requests; empty where none does."""
    requests = run.latency.timed
    few = [mark for mark in run.latency.percentiles if not enough(float(mark.removeprefix("p")), requests)]
    if not few:
        return ""
    return f"{counted(requests, 'request')} {'is' if requests == 1 else 'are'} too few for {and_joined(few)}"


def _slow(run: Run) -> str:
    """Return the highest percentile that rests on enough requests; the slowest request where none does."""
    speed = run.latency
    known = [mark for mark in speed.percentiles if enough(float(mark.removeprefix("p")), run.latency.timed)]
    if known:
        return f"{known[-1]} {speed.percentiles[known[-1]]:,.1f} ms"
    return f"the slowest request {speed.max:,.1f} ms"


def _quality(run: Run) -> str:
    """Return the leading measure in each task, one measure in one sentence."""
    texts: dict[str, list[str]] = {}
    for task, measures in run.measures.items():
        name = leading(list(measures)) if measures else ""
        if name and measures[name].value is not None:
            texts.setdefault(name, []).append(f"{task} {measured(name, measures[name].value or 0.0)}")
    return "; ".join(f"{name}: {', '.join(values)}" for name, values in texts.items()) + ("." if texts else "")
