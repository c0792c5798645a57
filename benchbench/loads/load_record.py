"""The record of a load test."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Literal

from benchbench.client.service_record import counts, service_record
from benchbench.loads.latency import PERCENTILES
from benchbench.loads.load_details import BOUNDED, LoadDetails, LoadOptions, ReferencePassDetails, StepDetails, scoped
from benchbench.loads.metrics import CHANGE, MARKS, METRICS, StepMetric
from benchbench.loads.rates_held import held, offered
from benchbench.measures.latency import BEYOND, enough, needed
from benchbench.measures.notation import better
from benchbench.results.checks import restored
from benchbench.results.folder import CONFIG
from benchbench.results.record import GateResult, Note, Number, Record, converted, failures_of, with_ends
from benchbench.results.verdict import all_failed, status
from benchbench.significance.mean_intervals import said_of_groups
from benchbench.tables.shared_messages import and_joined, counted, of_tasks
from benchbench.tasks.count_sentences import beyond, bounded, capped, reading

LIBRARIES = ("aiohttp", "hdrhistogram", "numpy", "orjson", "polars")
_OF_MEASURES = _ASKED, _ANSWERED, _CHANGE = "asked", "answered", CHANGE.rstrip(".")


def record_of(details: LoadDetails, config: Mapping[str, Any], began: float, ended: float | None = None) -> Record:
    """Return the record of a load test.

    Parameters
    ----------
    details
        What `summary.json` has.
    config
        What `config.json` has: `options`, `versions`, `host`, `command`.
    began, ended
        Seconds since 1970.

    Raises
    ------
    InputError
        When `options` are not those of a load test.
    """
    options = _options(config.get("options"))
    drawn = converted(options, LoadOptions, CONFIG)
    steps, gates = list(scoped(details)), _gates(details)
    return service_record(
        "load",
        details,
        config,
        options,
        began,
        ended,
        digest=details.data_digest,
        queries=details.queries,
        status="interrupted" if details.interrupted else status(gates),
        numbers=[
            *(number for scope, step in steps for number in numbers(step, scope)),
            *_highest(details),
            *_held(details, drawn, gates),
        ],
        counts=[*counts(details), *(count for scope, step in steps for count in counts(step, scope))],
        failures=[failure for scope, step in steps for failure in failures_of(step.failures, scope)],
        notes=_notes(details, drawn),
        gates=gates,
    )


def _options(given: Any) -> dict[str, Any]:
    """Return options as they are written; version 0.1 had the rules of judging among the others."""
    options = dict(given) if isinstance(given, Mapping) else {}
    rules = {name: options[name] for name in ("tasks", "cutoffs") if name in options}
    return options if "criteria" in options else {**options, "criteria": rules}


def numbers(step: StepDetails, scope: Mapping[str, str]) -> list[Number]:
    """Return the numbers of a step; measures are over all queries asked, of the slice `answered`, or changes (Δ)."""
    result, values = [], step.values
    spans = {_ASKED: step.quality_intervals, _CHANGE: step.change_intervals}
    for name, value in values.items():
        over, _, rest = name.partition(".")
        if over in _OF_MEASURES:
            task, _, measure = rest.partition(".")
            ends = spans.get(over, {}).get(rest)
            number = Number(
                name=f"Δ {measure}" if over == _CHANGE else measure,
                value=value,
                n=_whole(values.get(f"queries_{'compared' if over == _CHANGE else over}")),
                better=better(measure),
                scope={**scope, "task": task, **({"slice": _ANSWERED} if over == _ANSWERED else {})},
            )
            if ends is not None:
                is_known = ends.method and ends.low is not None
                number = with_ends(number, ends.low, ends.high, f"95 %, {ends.method}" if is_known else None)
        else:
            known = METRICS.get(name, StepMetric(""))
            n = _whole(values.get("requests")) if name in MARKS else None
            number = Number(name=name, value=value, n=n, unit=known.unit, better=known.better, scope=dict(scope))
            if name in step.intervals:
                low, high = step.intervals[name]
                number = with_ends(number, low, high, step.interval_method)
        result.append(number)
    return result


def _whole(value: float | None) -> int | None:
    return None if value is None else int(value)


def _highest(details: LoadDetails) -> list[Number]:
    return [
        Number(
            name="highest_rate",
            value=best.rate,
            unit="requests/s",
            better="higher",
            scope={"batch_size": f"{best.batch_size}"},
        )
        for best in (details.find_max.found if details.find_max else ())
    ]


def _held(details: LoadDetails, options: LoadOptions, gates: Sequence[GateResult]) -> list[Number]:
    """Return the highest rate that is held, per batch size; a search has found it, and a trace has one of its own."""
    if details.loop == "closed" or details.find_max is not None or options.trace is not None:
        return []
    return [
        Number(
            name="held_rate",
            value=None if rate.held is None else offered(rate.held.values),
            unit="requests/s",
            better="higher",
            scope={"batch_size": f"{rate.batch_size}"},
        )
        for rate in held(details, gates)
    ]


def _gates(details: LoadDetails) -> list[GateResult]:
    """Return the results of the gates in each step, and whether every request failed.

    The condition of a search for the highest rate is not a gate: the search needs steps that break it.
    """
    gates = [restored(gate, scope["step"], scope) for scope, step in scoped(details) for gate in step.gates]
    rates = [step.values.get("error_rate") or 0.0 for step in details.steps]
    broken = all_failed(rates, details.steps[0].failures, about=details.url) if rates else None
    return [*gates, *([broken] if broken else [])]


def _notes(details: LoadDetails, options: LoadOptions) -> list[Note]:
    """Return sentences on what the numbers leave out; every report shows them."""

    def of_steps(said: Callable[[StepDetails], Iterable[str]], shown: Literal["always", "verbose"] = "always") -> None:
        notes.extend(
            Note(text=text, scope=scope, shown=shown) for scope, step in scoped(details) for text in said(step)
        )

    notes: list[Note] = []
    of_steps(lambda step: _unmatched(details, step))
    of_steps(lambda step: [step.backlog] if step.backlog and not (step.broke or step.answered_none) else [])
    effects = [interval.design_effect for step in details.steps for interval in step.quality_intervals.values()]
    grouped = []
    if details.cluster:
        text = said_of_groups(details.cluster, details.clusters, [effect for effect in effects if effect is not None])
        grouped.append(f"quality: {text}")
    read = reading(details.counts, options.criteria.max_positives) if details.counts else []
    cap = capped(details.counts, bounded(details.counts, details.names), BOUNDED)
    of_all = [*_without_value(details.reference), *grouped, *details.assumed, *read, *cap]
    notes += [Note(text=text) for text in of_all]
    of_steps(lambda step: beyond(step.hit_faults, options.top_k))
    of_steps(_rests_on_few, "verbose")  # a table has a mark for it
    of_steps(_spells)
    return [*notes, *(Note(text=text, shown="verbose") for text in details.defaults)]


def _unmatched(details: LoadDetails, step: StepDetails) -> Iterator[str]:
    """Yield that no hit of a step is relevant."""
    judged, hits = [task for task in details.tasks if task not in step.unlabelled_hits], step.counts.get("hits")
    if judged and hits and not step.counts.get("positive_hits"):
        yield (
            f"none of the {hits:,} hits is a positive of its query, so {of_tasks(judged)} is 0 throughout; "
            "`benchbench run` says how they were compared"
        )


def _without_value(reference: ReferencePassDetails | None) -> Iterator[str]:
    """Yield why queries have no value of the reference pass."""
    if reference is not None and (lost := reference.asked - reference.answered):
        why = f", mostly: {next(iter(reference.failures))}" if reference.failures else ""
        yield (
            f"{lost:,} of {reference.asked:,} queries of the reference pass have no value, and are not compared{why}"
        )


def _rests_on_few(step: StepDetails) -> Iterator[str]:
    """Yield which percentiles rest on too few requests."""
    requests = step.number("requests")
    few = [percent for percent in PERCENTILES if requests and not enough(percent, requests)]
    if few:
        names, wanted = and_joined([f"p{p:g}" for p in few]), and_joined([f"{needed(p):,}" for p in few])
        yield (
            f"{names} {'rests' if len(few) == 1 else 'rest'} on fewer than {BEYOND} requests above "
            f"{'it' if len(few) == 1 else 'them'}: there were {requests:,.0f} requests, and {wanted} are needed"
        )


def _spells(step: StepDetails) -> Iterator[str]:
    """Yield that p99 comes from so few spells that its interval is too narrow."""
    spells = step.values.get("p99_spells")
    if "p99" in step.intervals and spells is not None and spells < BEYOND:
        yield (
            f"the requests at p99 and above came in {counted(round(spells), 'spell')}, so the next "
            "test may differ by more than the interval of p99; use a longer --duration or more "
            "--repeat"
        )
