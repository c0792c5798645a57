"""Which rate a service holds: it answers what is due, nothing fails, and p99 stays within a limit.

A search for the highest rate and a row of rates have one rule. A row is stricter in one thing, since it tries no rate
again: a backlog that grew counts even where that may be chance. The limit of latency is that of the search or of a
gate; where neither names one, it is the next round number above the largest p99 of the rates that are kept up with.
"""

import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass

from benchbench.errors import InputError
from benchbench.loads.details import LoadDetails, StepDetails, scoped
from benchbench.loads.find_max import PRECISION
from benchbench.loads.metrics import METRICS
from benchbench.loads.window import GROWTH, LEAST
from benchbench.measures.gates import parse_gate
from benchbench.results.gates import ERROR_RATE, ERRORS, Condition
from benchbench.results.record import GateResult
from benchbench.tables.shared_messages import counted

_FAILED = "failed_requests"
_ALLOWING = {ERRORS, ERROR_RATE, _FAILED}  # a condition on one of these says how many requests may fail
_ROUND = (1.0, 2.0, 5.0, 10.0)
_ENOUGH = 0.98  # of the most that a closed loop got done

Values = Mapping[str, float | None]


@dataclass(frozen=True, slots=True)
class Held:
    """What a service holds with batches of one size. Steps are named by their places in `LoadDetails.steps`.

    Attributes
    ----------
    batch_size
        Queries per request.
    places
        The steps by rising rate, or by requests in flight; of a load that was run again, the last.
    again
        Earlier steps of such loads.
    limit, gate
        Milliseconds that p99 may take, and the condition that says so; empty where the rates themselves gave it. None
        in a closed loop, and where no rate was kept up with.
    held
        The highest rate that is held together with all lower ones. None where the lowest is not, and in a closed loop.
    refused
        The lowest rate that is not held. None where all are.
    reasons
        Why rates are not held, by place.
    most
        The step in which most requests per second were answered.
    enough
        In a closed loop, the fewest requests in flight with which 98 % as many were.
    """

    batch_size: int
    places: tuple[int, ...]
    again: tuple[int, ...]
    limit: float | None
    gate: str
    held: int | None
    refused: int | None
    reasons: Mapping[int, tuple[str, ...]]
    most: int
    enough: int | None


def fell_behind(values: Values, length: float) -> bool:
    """Say that the client did not take up the requests of an open loop at their rate.

    Parameters
    ----------
    values
        Of a step.
    length
        Seconds of its window.
    """
    due, sent = (values.get(name) for name in ("offered_per_second", "dispatched_per_second"))
    if due is None or sent is None:
        return False
    return due * length - sent * length > max(LEAST, PRECISION * due * length)


def not_kept(values: Values, state: str | None, behind: bool, named: Collection[str]) -> tuple[str, ...]:
    """Return why a rate is not held, whatever the latencies are.

    Failed requests count unless a condition says how many may fail, and so do a backlog that grows, since the numbers
    of the step are then those of its duration, and a client that sent fewer requests than were due.

    Parameters
    ----------
    values, state
        Of a step, as `loads.metrics.measured` returns them.
    behind
        What `fell_behind` says of it.
    named
        The names in conditions.
    """
    reasons = []
    if (failed := values.get(_FAILED)) and not _ALLOWING.intersection(named):
        reasons.append(f"{counted(round(failed), 'request')} failed")
    if behind:
        sent, due = values["dispatched_per_second"], values["offered_per_second"]
        reasons.append(f"the client did not keep up: it sent {sent:,.4g} of {due:,.4g} requests/s")
    elif state == "beyond":
        reasons.append(f"beyond saturation: the backlog grew by {values['backlog_growth']:,.4g} requests/s")
    return tuple(reasons)


def held(details: LoadDetails, gates: Sequence[GateResult] = ()) -> list[Held]:
    """Return what a service holds, per batch size.

    Parameters
    ----------
    details
        Of a load test.
    gates
        What became of gates in its steps; their scope names the step.
    """
    conditions = list(_conditions(details, gates))
    failed: dict[str, list[str]] = {}
    for gate in gates:
        if gate.failure is not None and gate.name in METRICS:
            failed.setdefault(gate.scope.get("step", ""), []).append(gate.failure)
    names = {condition.name for _, condition in conditions}
    reasons = [_reasons(details, step, failed.get(scope["step"], ()), names) for scope, step in scoped(details)]
    limits = [(condition.at("ms"), text) for text, condition in conditions if condition.name == "p99"]
    sizes: dict[int, dict[float, list[int]]] = {}
    for place, step in enumerate(details.steps):
        size, load = step.values.get("batch_size"), load_of(step)
        if size is not None and load is not None:
            sizes.setdefault(int(size), {}).setdefault(load, []).append(place)
    return [_held(details, size, loads, reasons, min(limits, default=None)) for size, loads in sizes.items()]


def load_of(step: StepDetails) -> float | None:
    """Return the rate of a step, or its requests in flight."""
    rate = step.values.get("rate")
    return step.values.get("concurrency") if rate is None else rate


def offered(values: Values) -> float | None:
    """Return the rate of a step that its requests bear out: no higher than what was due in its window."""
    known = [rate for rate in (values.get("rate"), values.get("offered_per_second")) if rate is not None]
    return min(known, default=None)


def _held(
    details: LoadDetails,
    size: int,
    loads: Mapping[float, Sequence[int]],
    reasons: Sequence[tuple[str, ...]],
    limit: tuple[float, str] | None,
) -> Held:
    steps, places = details.steps, [loads[load][-1] for load in sorted(loads)]
    again = tuple(place for load in sorted(loads) for place in loads[load][:-1])
    done = [steps[place].values.get("requests_per_second") or 0.0 for place in places]
    most = places[done.index(max(done))]
    if details.loop == "closed":
        enough = next(place for place, rate in zip(places, done, strict=True) if rate >= _ENOUGH * max(done))
        return Held(size, tuple(places), again, None, "", None, None, {}, most, enough)
    why = {place: reasons[place] for place in places}
    most_ms, gate = limit or (_limit(_kept_up(steps, places, why)), "")
    if limit is None and most_ms is not None and details.find_max is None:
        for place in places:
            p99 = steps[place].values.get("p99")
            if p99 is not None and p99 > most_ms:
                why[place] = (*why[place], f"p99 is {p99:,.6g} ms, over {most_ms:,g} ms")
    why = {place: texts for place, texts in why.items() if texts}
    refused = next((place for place in places if place in why), None)
    below = places if refused is None else places[: places.index(refused)]
    return Held(size, tuple(places), again, most_ms, gate, below[-1] if below else None, refused, why, most, None)


def _kept_up(steps: Sequence[StepDetails], places: Sequence[int], why: Mapping[int, Sequence[str]]) -> Iterator[float]:
    """Yield p99 at each rate, up to the first that the service did not keep up with."""
    for place in places:
        if why[place]:
            return
        if (p99 := steps[place].values.get("p99")) is not None:
            yield p99


def _left(step: StepDetails) -> str | None:
    """Return that the service left more of what was due than 2 % or three requests, or None."""
    due, done, growth, requests = (
        step.values.get(name) for name in ("rate", "requests_per_second", "backlog_growth", "requests")
    )
    if not due or done is None or not requests:
        return None
    left = due - done if growth is None else growth  # version 0.1 did not count the backlog
    if left / due * requests <= max(LEAST * max(len(step.repeats), 1), GROWTH * requests):
        return None
    return f"{due:,.4g} requests/s were due and {done:,.4g} answered"


def _limit(times: Iterator[float]) -> float | None:
    """Return the next of 1, 2, 5, 10, … above the largest time."""
    largest = max(times, default=0.0)
    if largest <= 0.0:
        return None
    power = 10.0 ** math.floor(math.log10(largest))
    return next(factor * power for factor in _ROUND if factor * power >= largest)


def _reasons(details: LoadDetails, step: StepDetails, failed: Sequence[str], named: Collection[str]) -> tuple[str, ...]:
    """Return why a rate is not held, but for a limit of latency that the rates themselves give."""
    if details.find_max is not None:
        return step.broke
    offered, requests = step.values.get("offered_per_second"), step.values.get("requests")
    length = (requests or 0.0) / max(len(step.repeats), 1) / offered if offered else 0.0
    reasons = (*failed, *not_kept(step.values, step.saturation, fell_behind(step.values, length), named))
    left = None if step.saturation == "beyond" else _left(step)
    return reasons if left is None else (*reasons, left)


def _conditions(details: LoadDetails, gates: Sequence[GateResult]) -> Iterator[tuple[str, Condition]]:
    """Yield what a rate must not break: text and condition of a search, else of gates that are one condition."""
    if details.find_max is not None:
        for condition in parse_gate(details.find_max.condition, option="--find-max").conditions:
            if condition.name != "p99" or condition.sign.startswith("<"):
                yield details.find_max.condition, condition
        return
    for text in dict.fromkeys(gate.condition for gate in gates):
        with suppress(InputError):  # version 0.1 had names of its own
            only, *others = parse_gate(text).conditions
            if not others and not only.kind and only.sign.startswith(">"):
                yield text, only
