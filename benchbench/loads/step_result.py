"""The numbers of a step, computed from its requests, and the sentences that go with them.

The repeats of a step are made one.
"""

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace

import numpy as np
import polars as pl

from benchbench.client.health import bottleneck
from benchbench.kernels.arrays import I64, Bools
from benchbench.loads.batches import Batches, FirstQueries
from benchbench.loads.intervals import FEWEST, Block, blocks_of, intervals, method, spells, summary
from benchbench.loads.latency import Histogram, summarised
from benchbench.loads.load_details import StepDetails
from benchbench.loads.load_record import numbers
from benchbench.loads.metrics import CHANGE, METRICS, State, measured, omission, saturation
from benchbench.loads.new_queries import asked_values, with_new
from benchbench.loads.over_time import over_time
from benchbench.loads.quality import Judge, Quality, QueryValues
from benchbench.loads.rates_held import fell_behind, not_kept, offered
from benchbench.loads.recorder import RequestRows
from benchbench.loads.step import Load
from benchbench.measures.catalog import CATALOG
from benchbench.results.checks import check, members, observed
from benchbench.results.gates import Gate
from benchbench.results.record import GateResult
from benchbench.significance.shares import MeanInterval

_NONE: I64 = np.zeros(0, np.int64)
_IN_P99 = 0.01  # share of the requests; delays of more than that show in p99


@dataclass(frozen=True, slots=True, kw_only=True)
class Step(StepDetails):
    """A finished step, with what it was made of. `values` are named and defined in `loads.metrics` and `loads.quality`.

    They are NaN where there is nothing to measure. The name, what is said of the backlog and the members of gates are
    those of `details`.
    """

    name: str = field(init=False, default="")
    load: Load
    values: dict[str, float]
    failures: dict[str, int] = field(default_factory=dict)
    saturation: State | None = None
    checked: tuple[GateResult, ...] = ()  # gates
    blocks: list[Block] = field(default_factory=list)
    repeats: tuple[Mapping[str, float], ...] = ()  # the `values` of each, also of one
    asked: I64 = field(default_factory=lambda: _NONE, compare=False)  # numbers of queries sent
    answered: I64 = field(default_factory=lambda: _NONE, compare=False)
    compared: I64 = field(default_factory=lambda: _NONE, compare=False)  # with the reference pass
    changed: I64 = field(default_factory=lambda: _NONE, compare=False)  # of those

    @property
    def fell_behind(self) -> bool:
        """Say that the client did not take up the requests of an open loop at their rate."""
        return fell_behind(self.values, self.load.duration)

    @property
    def offered(self) -> float | None:
        """The rate that was offered."""
        return offered(_known(self.values))

    @property
    def client_may_have_broken(self) -> bool:
        """Say that what the client adds to latencies may be what breaks a condition here.

        Its pauses are no reason where the backlog grew by what the service did not answer.
        """
        paused = self.values["late_by_client"] > _IN_P99 * self.values["requests"]
        return self.client_is_the_limit is not None or self.fell_behind or (paused and self.saturation != "beyond")

    def check(self, gates: Sequence[Gate]) -> tuple[GateResult, ...]:
        """Return the results of gates in this step."""
        return tuple(check(gates, numbers(self, {})))

    def breaks(self, condition: Gate) -> tuple[str, ...]:
        """Return why a condition does not hold; what `held.not_kept` returns breaks every one.

        A client that is late breaks none: it can only add to a latency, so that what held in spite of it holds.
        """
        reasons = []
        for observation in observed(condition, numbers(self, {})):
            if observation.value is None or not observation.holds:
                reasons.append(f"{observation.found}, not {observation.limit}")
        named = {part.name for part in condition.conditions}
        reasons += not_kept(self.values, self.saturation, self.fell_behind, named, self.unsent)
        return tuple(reasons)

    def details(self) -> StepDetails:
        """Return the members of `summary.json`."""
        return StepDetails(
            **{item.name: getattr(self, item.name) for item in fields(StepDetails)}
            | {
                "name": self.load.title,
                "values": _known(self.values),
                "backlog": saturation(self.saturation, self.values),
                "failed_gates": tuple(gate.failure for gate in self.checked if gate.failure is not None),
                "gates": tuple(map(members, self.checked)),
                "repeats": [_known(values) for values in self.repeats] if len(self.repeats) > 1 else [],
            }
        )


def confirmation(step: Step, condition: Gate) -> tuple[bool, str]:
    """Return whether a step confirms that its rate holds a condition, and its p99 or why it does not.

    The interval of p99 must be within every bound on p99, and the backlog must not grow: a growth that may be chance
    does not confirm.
    """
    ends = intervals(step.blocks, step.values).get("p99")
    if step.broke:
        return False, f"in {step.load.duration:,.4g} s {', and '.join(step.broke)}"
    if ends is None:
        return False, f"a step of {step.load.duration:,.4g} s has no interval of p99"
    low, high = ends
    p99 = f"p99 {step.values['p99']:,.1f} ms, 95 % interval {low:,.1f} to {high:,.1f} ms"
    if step.saturation == "at":
        return False, f"the backlog grew in {step.load.duration:,.4g} s, which may be chance; {p99}"
    limits = [part.at("ms") for part in condition.conditions if part.name == "p99" and part.sign.startswith("<")]
    if high > min(limits, default=math.inf):
        return False, f"the interval reaches beyond the limit: {p99}"
    return True, f"{p99}, in {step.load.duration:,.4g} s"


def _queries(batches: Batches, numbers: I64) -> I64:
    """Return the queries of some requests."""
    return np.unique(batches.rows[np.unique(batches.of_all(numbers))])


def _known(values: Mapping[str, float]) -> dict[str, float | None]:
    return {name: None if math.isnan(value) else value for name, value in values.items()}


def gate_names(judge: Judge, reference: bool) -> list[str]:
    """Return the names that gates may have: a measure is over all queries asked, `Δ` of one against the reference."""
    means = [f"{task}.{measure}" for task, measure, _ in judge.columns]
    changes = [f"Δ {task}.{measure}" for task, measure, _ in judge.columns if CATALOG[measure.name].aggregate == "mean"]
    return [*METRICS, *means, *(changes if reference else [])]


def steps_frame(steps: Sequence[Step]) -> pl.DataFrame:
    """Return one row per step, in the order of the `step` column of the requests."""
    rows = [{"step": number, "name": step.load.title, **step.values} for number, step in enumerate(steps, 1)]
    return pl.DataFrame(rows).with_columns(pl.selectors.float().fill_nan(None))


def repeats_frame(steps: Sequence[Step]) -> pl.DataFrame:
    """Return one row per repeat of each step, numbered as the steps are."""
    rows = [
        {"step": number, "name": step.load.title, "repeat": repeat, **values}
        for number, step in enumerate(steps, 1)
        for repeat, values in enumerate(step.repeats, 1)
    ]
    return pl.DataFrame(rows).with_columns(pl.selectors.float().fill_nan(None))


def evaluate(
    load: Load,
    judge: Judge,
    rows: RequestRows,
    health: Mapping[str, float],
    quality: Quality,
    seen: Bools,
    parts: int = FEWEST,
    reference: QueryValues | None = None,
) -> tuple[Step, pl.DataFrame]:
    """Return the numbers of a step and its requests.

    Parameters
    ----------
    load, judge, rows
        What was run, and what came of it.
    health
        Of `client.health`.
    quality
        Of `judge.judge`.
    seen
        Of each query of the data set, whether it was sent before; those of the step are marked.
    parts
        Blocks that intervals are made of.
    reference
        Values of queries without load, where there are any.
    """
    batches = judge.batches(load)
    requests = with_new(rows.frame(FirstQueries(batches), judge.size, quality.unusable), batches, seen)
    values, histograms, state = measured(load, requests, health)
    counted = requests.filter("counted")
    in_order = counted.sort("due")
    values["p99_spells"] = float(spells(((in_order["end"] - in_order["due"]) * 1e3).to_numpy()))
    values.update(asked_values(counted, judge.size))
    numbers, answered = counted["number"].to_numpy(), counted["error"].is_null().to_numpy()
    values.update(judge.values(quality, batches, numbers, answered))
    changes = None if reference is None else judge.changes(quality, batches, numbers[answered], reference)
    if changes is not None:
        values |= {"queries_compared": float(len(changes.compared)), "queries_changed": float(len(changes.changed))}
        values.update(changes.values)
    reasons = counted["error"].drop_nulls().value_counts(sort=True)
    step = Step(
        load=load,
        values=values,
        failures=dict(zip(reasons["error"].to_list(), reasons["count"].to_list(), strict=True)),
        histograms=histograms,
        client_is_the_limit=bottleneck(health, values["sent_p50"], values["client_delay_p90"]),
        coordinated_omission=omission(values),
        counts=dict(quality.counts),
        hit_faults=dict(sorted(quality.faults.items())),
        unlabelled_hits={task: quality.unlabelled[task] for task in judge.judging.compiled.by_labels},
        saturation=state,
        over_time=over_time(counted, load.duration, load.repeat),
        blocks=blocks_of(requests, load.duration, parts),
        quality_intervals=judge.intervals(quality, batches, numbers),
        change_intervals=changes.intervals if changes else {},
        asked=_queries(batches, numbers),
        answered=_queries(batches, numbers[answered]),
        compared=changes.compared if changes else _NONE,
        changed=changes.changed if changes else _NONE,
    )
    return step, requests


_PREFIXES = {"due": "", "sent": "sent_"}  # of the marks of each histogram
_QUALITY = ("asked.", "answered.", CHANGE)
_QUERIES = ("asked", "answered", "compared", "changed")  # different ones
_SAME = MeanInterval(0.0, 0.0, None, None)  # of a repeat in which no query differs from the reference
_STATES: tuple[State | None, ...] = (None, "below", "at", "beyond")


def joined(steps: Sequence[Step]) -> Step:
    """Return the repeats of a step as one.

    Counts are summed, and percentiles are of all requests. Throughput, backlog and quality are the mean over the
    repeats. What is left, such as the lag of the client and the state, is the median.

    Parameters
    ----------
    steps
        Repeats of one load, one at least.
    """
    first = steps[0]
    if len(steps) == 1:
        return _with_intervals(first, steps)
    histograms = {
        name: Histogram.merged(Histogram.decoded(step.histograms[name]) for step in steps) for name in first.histograms
    }
    values = {name: _joined(name, steps) for name in first.values}
    for name, prefix in _PREFIXES.items():
        if name in histograms:
            values.update(summarised(histograms[name], prefix))
    values.update(summary([block for step in steps for block in step.blocks], "answered_"))
    if "due" in histograms:
        values.update(summarised(histograms["due"], "amortised_query_", 1.0 / first.load.batch_size))
    queries = {name: np.unique(np.concatenate([getattr(step, name) for step in steps])) for name in _QUERIES}
    values |= {f"queries_{name}": float(len(queries[name])) for name in _QUERIES if f"queries_{name}" in values}
    values["error_rate"] = values["failed_requests"] / values["requests"]
    whole = replace(
        first,
        values=values,
        failures=dict(sum((Counter(step.failures) for step in steps), Counter[str]()).most_common()),
        histograms={name: histogram.encoded() for name, histogram in histograms.items()},
        client_is_the_limit=_said([step.client_is_the_limit for step in steps]),
        coordinated_omission=omission(values),
        counts=_summed([step.counts for step in steps]),
        hit_faults=dict(sorted(_summed([step.hit_faults for step in steps]).items())),
        unlabelled_hits=_summed([step.unlabelled_hits for step in steps]),
        saturation=sorted((step.saturation for step in steps), key=_STATES.index)[len(steps) // 2],
        quality_intervals={
            name: _mean([step.quality_intervals[name] for step in steps]) for name in first.quality_intervals
        },
        change_intervals={
            name: _mean([step.change_intervals.get(name, _SAME) for step in steps])
            for name in dict.fromkeys(name for step in steps for name in step.change_intervals)
        },
        asked=queries["asked"],
        answered=queries["answered"],
        compared=queries["compared"],
        changed=queries["changed"],
        over_time=[stretch for step in steps for stretch in step.over_time],
    )
    return _with_intervals(whole, steps)


def _with_intervals(step: Step, repeats: Sequence[Step]) -> Step:
    blocks = [block for repeat in repeats for block in repeat.blocks]
    ends = intervals(blocks, step.values)
    return replace(
        step,
        blocks=[],
        intervals=ends,
        interval_method=method(len(blocks), len(repeats)) if ends else None,
        repeats=tuple(repeat.values for repeat in repeats),
    )


def _mean(intervals: Sequence[MeanInterval]) -> MeanInterval:
    """Return the interval of a mean over repeats: the means of the ends, for the queries are the same in each."""
    lows, highs, effects = (
        [getattr(interval, name) for interval in intervals if getattr(interval, name) is not None]
        for name in ("low", "high", "design_effect")
    )
    effect = sum(effects) / len(effects) if effects else None
    if len(lows) < len(intervals):
        return MeanInterval(None, None, None, effect)
    return MeanInterval(sum(lows) / len(lows), sum(highs) / len(highs), intervals[0].method, effect)


def _joined(name: str, steps: Sequence[Step]) -> float:
    values = np.array([step.values[name] for step in steps])
    joined = "mean" if name.startswith(_QUALITY) else METRICS[name].joined
    if joined == "sum":
        return float(np.nansum(values))
    known = values[~np.isnan(values)]
    if not len(known):
        return math.nan
    if joined == "largest":
        return float(known.max())
    if (known == known[0]).all():  # so that no bit of the quality of a service that keeps it is lost
        return float(known[0])
    return float(known.mean() if joined == "mean" else np.median(known))


def _said(sentences: Sequence[str | None]) -> str | None:
    """Return what was said of the client in most repeats."""
    limits = [sentence for sentence in sentences if sentence]
    if 2 * len(limits) <= len(sentences):
        return None
    return f"{limits[0]} (in {len(limits)} of {len(sentences)} repeats)"


def _summed(counts: Sequence[Mapping[str, int]]) -> dict[str, int]:
    names: dict[str, None] = dict.fromkeys(name for part in counts for name in part)
    total: Callable[[str], int] = lambda name: sum(part.get(name, 0) for part in counts)  # noqa: E731
    return {name: total(name) for name in names}
