"""Which rate a service holds: it answers what is due, nothing fails, and p99 stays within a limit, where one is set.

A search for the highest rate and a row of rates have one rule. A row is stricter in one thing, since it tries no rate
again: a backlog that grew counts even where that may be chance. The limit of latency is that of the search or of a
gate.

A search finds it by doubling until the condition breaks, then by bisection.
"""

from collections.abc import Awaitable, Callable, Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace

from benchbench.errors import InputError
from benchbench.loads.load_details import LoadDetails, StepDetails, scoped
from benchbench.loads.metrics import GROWTH, LEAST, METRICS
from benchbench.measures.gate_names import parse_gate
from benchbench.measures.latency import enough
from benchbench.results.gates import ERROR_RATE, ERRORS, Condition
from benchbench.results.record import GateResult
from benchbench.tables.shared_messages import counted

CLIENT = "the client did not keep up"  # how a reason begins
_FAILED = "failed_requests"
_ALLOWING = {ERRORS, ERROR_RATE, _FAILED}  # a condition on one of these says how many requests may fail
_ENOUGH = 0.98  # of the most that a closed loop got done

Values = Mapping[str, float | None]
_Judged = tuple[StepDetails, tuple[str, ...]]  # and why its rate is not held


@dataclass(frozen=True, slots=True, kw_only=True)
class Held:
    """What a service holds with batches of one size.

    Attributes
    ----------
    batch_size
        Queries per request.
    steps
        By rising rate, or by requests in flight; of a load that was run again, the last.
    reasons
        Why the rate of each is not held; none where it is.
    again
        Earlier steps of such loads.
    limit, gate
        Milliseconds that p99 may take, and the condition that says so; None and empty where nothing does.
    tail
        The percentile to quote: p99 where it has a limit, else the highest of p90, p95 and p99 that all steps have
        enough requests for; those apart of which p99 is the slowest.
    held
        The highest rate that is held together with all lower ones. None where the lowest is not, and in a closed loop.
    refused
        The lowest rate that is not held. None where all are.
    most
        The step in which most requests per second were answered.
    enough
        In a closed loop, the fewest requests in flight with which 98 % as many were, or not measurably fewer.
    """

    batch_size: int
    steps: tuple[StepDetails, ...]
    reasons: tuple[tuple[str, ...], ...] = ()
    again: tuple[StepDetails, ...]
    limit: float | None = None
    gate: str = ""
    tail: str = "p99"
    held: StepDetails | None = None
    refused: StepDetails | None = None
    most: StepDetails
    enough: StepDetails | None = None

    def why(self, step: StepDetails) -> tuple[str, ...]:
        """Return why the rate of a step is not held; none where it is, and of one that was run again."""
        return next((why for each, why in zip(self.steps, self.reasons, strict=False) if each is step), ())

    def slow(self, step: StepDetails) -> float | None:
        """Return the milliseconds of the percentile to quote, or of the slowest request of few."""
        return step.values.get("p99" if step.is_few else self.tail)

    def slow_name(self, step: StepDetails) -> str:
        """Return what `slow` is of a step."""
        return "the slowest" if step.is_few else self.tail

    @property
    def is_flat(self) -> bool:
        """Say that all steps answered the same number of requests per second, within their intervals."""
        ends = [step.intervals.get("requests_per_second") for step in self.steps]
        known = [end for end in ends if end is not None]
        return len(known) == len(ends) > 1 and max(low for low, _ in known) <= min(high for _, high in known)


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


def not_kept(
    values: Values, state: str | None, behind: bool, named: Collection[str], unsent: int = 0
) -> tuple[str, ...]:
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
    unsent
        How many of the failed requests were never sent.
    """
    reasons = []
    if (failed := values.get(_FAILED)) and not _ALLOWING.intersection(named):
        reasons += [f"{counted(round(failed) - unsent, 'request')} failed"] if failed > unsent else []
        reasons += [f"{counted(unsent, 'request')} {'was' if unsent == 1 else 'were'} never sent"] if unsent else []
    if behind:
        sent, due = values["dispatched_per_second"], values["offered_per_second"]
        reasons.append(f"{CLIENT}: it sent {sent:,.4g} of {due:,.4g} requests/s")
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
    limits = [(condition.at("ms"), text) for text, condition in conditions if condition.name == "p99"]
    sizes: dict[int, dict[float, list[_Judged]]] = {}
    for scope, step in scoped(details):
        if (size := step.values.get("batch_size")) is not None and step.level:
            judged = step, _reasons(details, step, failed.get(scope["step"], ()), names)
            sizes.setdefault(int(size), {}).setdefault(step.level, []).append(judged)
    return [_held(details, size, loads, min(limits, default=None)) for size, loads in sizes.items()]


def offered(values: Values) -> float | None:
    """Return the rate of a step that its requests bear out: no higher than what was due in its window."""
    known = [rate for rate in (values.get("rate"), values.get("offered_per_second")) if rate is not None]
    return min(known, default=None)


def _held(
    details: LoadDetails, size: int, loads: Mapping[float, Sequence[_Judged]], limit: tuple[float, str] | None
) -> Held:
    judged = [loads[level][-1] for level in sorted(loads)]
    steps, reasons = [step for step, _ in judged], [why for _, why in judged]
    again = tuple(step for level in sorted(loads) for step, _ in loads[level][:-1])
    most = max(steps, key=lambda step: step.number("requests_per_second"))
    tail = "p99" if limit else _tail(details)
    rate = Held(batch_size=size, steps=tuple(steps), again=again, most=most, tail=tail)
    if details.loop == "closed":
        least = _ENOUGH * most.number("requests_per_second")
        fewest = next(step for step in steps if step.number("requests_per_second") >= least)
        return replace(rate, enough=steps[0] if rate.is_flat else fewest)
    most_ms, gate = limit or (None, "")
    refused = next((place for place, why in enumerate(reasons) if why), len(steps))
    return replace(
        rate,
        reasons=tuple(reasons),
        limit=most_ms,
        gate=gate,
        held=steps[refused - 1] if refused else None,
        refused=steps[refused] if refused < len(steps) else None,
    )


def left_behind(step: StepDetails) -> str | None:
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


def _tail(details: LoadDetails) -> str:
    """Return the percentile to quote where none has a limit."""
    fewest = min((step.number("requests") for step in details.steps if not step.is_few), default=0.0)
    return next((f"p{percent}" for percent in (99, 95, 90) if enough(percent, fewest)), "p99")


def _reasons(details: LoadDetails, step: StepDetails, failed: Sequence[str], named: Collection[str]) -> tuple[str, ...]:
    """Return why a rate is not held, but for a limit of latency that the rates themselves give."""
    if details.find_max is not None:
        return step.broke
    offered, requests = step.values.get("offered_per_second"), step.values.get("requests")
    length = (requests or 0.0) / max(len(step.repeats), 1) / offered if offered else 0.0
    reasons = (*failed, *not_kept(step.values, step.saturation, fell_behind(step.values, length), named, step.unsent))
    left = None if step.saturation == "beyond" else left_behind(step)
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


PRECISION = 0.05  # the lowest rate that broke is at most so much above the highest that held
_MOST = 1e6  # requests per second


async def find_max(holds: Callable[[float], Awaitable[bool]], start: float, lowest: float) -> float | None:
    """Return the highest rate that held, to `PRECISION`; None when not even `lowest` or the rate above it did.

    Parameters
    ----------
    holds
        Tries a rate. Taken to be monotone: a rate that broke is not tried again.
    start
        Rate to begin with; when it breaks, it is halved until one holds.
    lowest
        No rate below this one is tried.
    """
    if await holds(start):
        low, high = start, 2.0 * start
        while high <= _MOST and await holds(high):
            low, high = high, 2.0 * high
        if high > _MOST:
            return low
    else:
        low, high = start / 2.0, start
        while low >= lowest and not await holds(low):
            low, high = low / 2.0, low
        if low < lowest:
            return None
    while high - low > PRECISION * low:
        middle = (low + high) / 2.0
        if await holds(middle):
            low = middle
        else:
            high = middle
    return low
