"""Steps of load tests, put beside the runs of the services that they loaded."""

from collections.abc import Mapping, Sequence

from benchbench.comparison.comparable import differences
from benchbench.comparison.compare_result import LoadStep
from benchbench.comparison.stored_results import StoredLoad, StoredRun, signature_parts
from benchbench.errors import InputError, visible
from benchbench.loads.load_details import StepDetails

_ASKED = "asked."  # before a measure over all queries asked


def add_load_steps(
    tests: Sequence[StoredLoad], results: Mapping[str, StoredRun], allow: bool, notes: list[str]
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
        owner, shown, details = _owner(test, results), test.source, test.details
        if details.signature:
            unlike = differences(signature_parts({owner: results[owner], shown: test}), allow)
        elif allow:
            unlike = [f"{shown} has no signature"]
        else:
            raise InputError(
                f"{shown} has no signature, because an older benchbench wrote it, so it is not known how its hits were "
                "judged; repeat the load test, or add --allow-different to see its speed alone"
            )
        notes += [f"{difference}; only the speed of that load test is shown" for difference in unlike]
        whole = [step.values.get("queries_asked") == details.queries for step in details.steps]
        if not all(whole) and not unlike:
            part = len(whole) - sum(whole)
            notes.append(f"{part} of {len(whole)} steps of {shown} did not ask every query; only their speed is shown")
        loads[owner] = (*loads.get(owner, ()), *load_steps(test, [asked and not unlike for asked in whole]))
    return loads


def load_steps(test: StoredLoad, judged: Sequence[bool]) -> tuple[LoadStep, ...]:
    """Return the steps of a load test, with the quality of those that are `judged` by the rules of the comparison."""
    from benchbench.loads.rates_held import held

    sustained = [
        step
        for size in held(test.details, test.record.gates)
        if size.held is not None
        for step in size.steps
        if step.level <= size.held.level
    ]
    return tuple(
        _step(step, has_quality, any(step is each for each in sustained))
        for step, has_quality in zip(test.details.steps, judged, strict=True)
    )


def _owner(load: StoredLoad, results: Mapping[str, StoredRun]) -> str:
    """Return the name of the run that a load test belongs to: by URL, and by name where several or none have that."""
    url, called = load.details.url, load.name
    same = [name for name, run in results.items() if run.details.url == url]
    if len(same) == 1:
        return same[0]
    known = same or list(results)
    named = [name for name in known if name == called]
    named = named or [name for name in known if results[name].details.name == called]
    if len(named) == 1:
        return named[0]
    if same or named:
        raise InputError(
            f"{load.path} is of {visible(url)}, and {' and '.join(named or same)} could each be its run; "
            f"give one of them --run-name {visible(called)}"
        )
    urls = ", ".join(f"{name} {visible(run.details.url)}" for name, run in results.items())
    raise InputError(
        f"{load.path} is of {visible(url)}, and none of the runs is: {urls}; nor is one named {visible(called)}"
    )


def _step(step: StepDetails, judged: bool, sustained: bool) -> LoadStep:
    values, rate = step.values, step.values.get("rate")
    failed, asked = values.get("failed_requests"), values.get("requests")
    return LoadStep(
        label=step.name,
        batch_size=int(values.get("batch_size") or 0),
        queries_per_second=values.get("queries_per_second"),
        p50=values.get("p50"),
        p99=values.get("p99"),
        errors=None if failed is None or asked is None else failed / max(asked, 1.0),
        quality={
            name.removeprefix(_ASKED): value for name, value in values.items() if judged and name.startswith(_ASKED)
        },
        offered=None if rate is None else rate * (values.get("batch_size") or 0.0),
        in_flight=values.get("concurrency"),
        sustained=sustained,
    )
