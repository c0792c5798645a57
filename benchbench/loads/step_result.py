"""The numbers of a step, computed from its requests, and the sentences that go with them."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import polars as pl

from benchbench.client.health import bottleneck
from benchbench.kernels.arrays import I64, Bools
from benchbench.loads.batches import Batches, FirstQueries
from benchbench.loads.blocks import FEWEST, Block, Interval, blocks_of, intervals, spells
from benchbench.loads.details import GateDetails, StepDetails
from benchbench.loads.load_record import numbers
from benchbench.loads.metrics import METRICS, measured, omission
from benchbench.loads.new_queries import asked_values, with_new
from benchbench.loads.over_time import Stretch, over_time
from benchbench.loads.quality import Judge, Quality, QueryValues
from benchbench.loads.rates_held import fell_behind, not_kept, offered
from benchbench.loads.recorder import Rows
from benchbench.loads.step import Load
from benchbench.loads.window import State, saturation
from benchbench.measures.catalog import CATALOG
from benchbench.results.checks import check, members, observed
from benchbench.results.gates import Gate
from benchbench.results.record import GateResult
from benchbench.significance.shares import MeanInterval

_NONE: I64 = np.zeros(0, np.int64)
_IN_P99 = 0.01  # share of the requests; delays of more than that show in p99


@dataclass(frozen=True, slots=True)
class Step:
    """A finished step. `values` are named and defined in `loads.metrics` and `loads.quality`."""

    load: Load
    values: dict[str, float]  # NaN where there is nothing to measure
    failures: dict[str, int]  # reason -> requests, most frequent first
    histograms: dict[str, str]  # "due" and "sent", in HdrHistogram's V2 format
    limit: str | None  # a sentence when the client was the bottleneck
    omission: str | None  # a sentence when due and send time differ much
    counts: dict[str, int] = field(default_factory=dict)  # hits of the answers, and what was removed of them
    faults: dict[str, int] = field(default_factory=dict)  # what was wrong with single hits
    unlabelled_hits: dict[str, int] = field(default_factory=dict)  # by task
    state: State | None = None  # of the service, in an open loop
    broke: tuple[str, ...] = ()  # why the condition of a search did not hold here
    gates: tuple[GateResult, ...] = ()
    over_time: list[Stretch] = field(default_factory=list)
    blocks: list[Block] = field(default_factory=list)
    intervals: Mapping[str, Interval] = field(default_factory=dict)  # of `values`, by name
    method: str | None = None  # of the intervals
    quality_intervals: Mapping[str, MeanInterval] = field(default_factory=dict)  # by `task.M`
    change_intervals: Mapping[str, MeanInterval] = field(default_factory=dict)  # by `task.M`
    repeats: tuple[Mapping[str, float], ...] = ()  # the `values` of each
    asked: I64 = field(default_factory=lambda: _NONE, compare=False)  # numbers of queries sent
    answered: I64 = field(default_factory=lambda: _NONE, compare=False)
    compared: I64 = field(default_factory=lambda: _NONE, compare=False)  # with the reference pass
    changed: I64 = field(default_factory=lambda: _NONE, compare=False)  # of those

    @property
    def failed_gates(self) -> tuple[str, ...]:
        """Return a sentence for each gate that failed here."""
        return tuple(gate.failure for gate in self.gates if gate.failure is not None)

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
        return self.limit is not None or self.fell_behind or (paused and self.state != "beyond")

    def check(self, gates: Sequence[Gate]) -> tuple[GateResult, ...]:
        """Return the results of gates in this step."""
        return tuple(
            check(
                gates,
                numbers(self.values, {}, self.intervals, self.method, self.quality_intervals, self.change_intervals),
            )
        )

    def breaks(self, condition: Gate) -> tuple[str, ...]:
        """Return why a condition does not hold; what `held.not_kept` returns breaks every one.

        A client that is late breaks none: it can only add to a latency, so that what held in spite of it holds.
        """
        reasons = []
        for observation in observed(condition, numbers(self.values, {})):
            if observation.value is None or not observation.holds:
                reasons.append(f"{observation.found}, not {observation.limit}")
        named = {part.name for part in condition.conditions}
        reasons += not_kept(self.values, self.state, self.fell_behind, named)
        return tuple(reasons)

    def details(self) -> StepDetails:
        """Return the members of `summary.json`."""
        return StepDetails(
            name=self.load.title,
            values=_known(self.values),
            failures=self.failures,
            counts=self.counts,
            unlabelled_hits=self.unlabelled_hits,
            hit_faults=self.faults,
            saturation=self.state,
            backlog=saturation(self.state, self.values),
            client_is_the_limit=self.limit,
            coordinated_omission=self.omission,
            broke=self.broke,
            failed_gates=self.failed_gates,
            gates=tuple(GateDetails(**members(gate)) for gate in self.gates),
            histograms=self.histograms,
            intervals={name: list(ends) for name, ends in self.intervals.items()},
            interval_method=self.method,
            quality_intervals=dict(self.quality_intervals),
            change_intervals=dict(self.change_intervals),
            repeats=[_known(values) for values in self.repeats] if len(self.repeats) > 1 else [],
            over_time=self.over_time,
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
    if step.state == "at":
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
    rows: Rows,
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
        load,
        values,
        dict(zip(reasons["error"].to_list(), reasons["count"].to_list(), strict=True)),
        histograms,
        bottleneck(health, values["sent_p50"], values["client_delay_p90"]),
        omission(values),
        dict(quality.counts),
        dict(sorted(quality.faults.items())),
        {task: quality.unlabelled[task] for task in judge.judging.compiled.by_labels},
        state,
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
