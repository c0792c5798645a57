"""Differences between services beside what each differs from itself between passes (`run --repeat`)."""

from collections.abc import Mapping, Sequence

from benchbench.kernels.arrays import F64
from benchbench.measures.catalog import CATALOG
from benchbench.measures.notation import parse
from benchbench.results.figures import signed, value
from benchbench.runs.run_details import Run
from benchbench.significance.pairs import pairs_of


def within_repeats(details: Mapping[str, Run], measures: Sequence[str], values: F64, baseline: str | None) -> list[str]:
    """Return a sentence for each mean difference that is no larger than the spread of a service's own passes.

    Parameters
    ----------
    details
        Of each service, by name.
    measures
        `task.measure`.
    values
        (measures, services, queries).
    baseline
        The service that all others are compared with; None compares all pairs.
    """
    notes = []
    means = values.mean(axis=2)
    names = tuple(details)
    for m, measure in enumerate(measures):
        task, _, name = measure.partition(".")
        spreads = {
            service: (run.repeats.spread(task, name) / _terms(run, name), run.repeats.passes)
            for service, run in details.items()
            if run.repeats is not None and name in run.repeats.measures.get(task, {})
        }
        for a, b in pairs_of(names, baseline if baseline in names else None):
            known = [(*spreads[service], service) for service in (names[a], names[b]) if service in spreads]
            if not known:
                continue
            spread, passes, service = max(known)
            repeats = details[service].repeats
            failed = ", in which failed queries count as 0" if repeats is not None and any(repeats.failed) else ""
            difference = float(means[m, b] - means[m, a])
            if 0.0 < spread >= abs(difference):
                notes.append(
                    f"the difference of {names[b]} and {names[a]} in {measure}, {signed(difference)}, is within what "
                    f"{service} differs from itself: its means of {passes} passes span {value(spread)}{failed}"
                )
    return notes


def _terms(details: Run, name: str) -> int:
    """Return by what the value of a measure is divided so that it is a mean over queries."""
    (parsed,) = parse(name)
    return details.counts["queries"] if CATALOG[parsed.name].aggregate == "sum" else 1
