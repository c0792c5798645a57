"""Steps of load tests, put beside the runs of the services that they loaded."""

from collections.abc import Mapping, Sequence
from typing import Any

from benchbench.comparison.joined import finite
from benchbench.comparison.outcome import LoadStep
from benchbench.comparison.signatures import differences, parts_of
from benchbench.errors import InputError
from benchbench.formats.results import LoadResults, Results
from benchbench.tables.names import printable

_ASKED = "asked."  # before a measure over all queries asked


def add_load_steps(
    tests: Sequence[LoadResults], results: Mapping[str, Results], allow: bool, notes: list[str]
) -> dict[str, tuple[LoadStep, ...]]:
    """Return steps of load by the name of the run that they belong to.

    A step has quality only where that is over all queries, and was judged over the data and by the rules of the run.

    Parameters
    ----------
    tests, results
        What was read; runs by name.
    allow
        Whether other data and rules are a note, or an error.
    notes
        Grows by what a reader must know of.

    Raises
    ------
    InputError
        A load test of other data or rules, unless that is allowed; one that belongs to no run, or to several.
    """
    loads: dict[str, tuple[LoadStep, ...]] = {}
    for test in tests:
        owner, shown = _owner(test, results), printable(str(test.path))
        if test.signature:
            signatures = {owner: results[owner].signature, shown: test.signature}
            unlike = differences({name: parts_of(one) for name, one in signatures.items()}, allow)
        elif allow:
            unlike = [f"{shown} has no signature"]
        else:
            raise InputError(
                f"{shown} has no signature, for an older benchbench made it: over which data and by which rules its "
                "hits were judged is not known; hold the load again, or add --allow-different to see its speed alone"
            )
        notes += [f"{said}; of that load the speed alone is shown" for said in unlike]
        whole = [step["values"].get("queries_asked") == test.queries for step in test.steps]
        if not all(whole) and not unlike:
            part = len(whole) - sum(whole)
            notes.append(f"{part} of {len(whole)} steps of {shown} did not ask every query; their speed alone is shown")
        steps = (_step(step, asked and not unlike) for step, asked in zip(test.steps, whole, strict=True))
        loads[owner] = (*loads.get(owner, ()), *steps)
    return loads


def _owner(load: LoadResults, results: Mapping[str, Results]) -> str:
    """Return the name of the run that a load test belongs to: by URL, and by name where several or none have that."""
    same = [name for name, one in results.items() if one.summary.get("url") == load.url]
    if len(same) == 1:
        return same[0]
    known = same or list(results)
    found = [name for name in known if name == load.name] or [n for n in known if results[n].name == load.name]
    if len(found) == 1:
        return found[0]
    if same or found:
        raise InputError(
            f"{load.path} is of {load.url}, and {' and '.join(found or same)} could each be its run; "
            f"give one of them --name {load.name}"
        )
    urls = ", ".join(f"{name} {one.summary.get('url')}" for name, one in results.items())
    raise InputError(f"{load.path} is of {load.url}, and none of the runs is: {urls}; nor is one named {load.name}")


def _step(step: Mapping[str, Any], judged: bool) -> LoadStep:
    values = step["values"]
    failed, asked = (finite(values[name]) for name in ("failed_requests", "requests"))
    return LoadStep(
        label=str(step["name"]),
        batch_size=int(values["batch_size"]),
        queries_per_second=finite(values["queries_per_second"]),
        p50=finite(values["p50"]),
        p99=finite(values["p99"]),
        errors=None if failed is None or asked is None else failed / max(asked, 1.0),
        quality={
            name.removeprefix(_ASKED): finite(value)
            for name, value in values.items()
            if judged and name.startswith(_ASKED)
        },
    )
