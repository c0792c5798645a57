"""The numbers of a step, computed from its requests, and the sentences that go with them."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields

import numpy as np
import polars as pl

from benchbench.client.health import bottleneck
from benchbench.kernels.arrays import I64, Bools
from benchbench.loads.batches import Batches, FirstQueries
from benchbench.loads.blocks import FEWEST, Block, blocks_of, intervals, spells
from benchbench.loads.details import GateDetails, StepDetails
from benchbench.loads.load_record import numbers
from benchbench.loads.metrics import METRICS, measured, omission
from benchbench.loads.new_queries import asked_values, with_new
from benchbench.loads.over_time import over_time
from benchbench.loads.quality import Judge, Quality, QueryValues
from benchbench.loads.rates_held import fell_behind, not_kept, offered
from benchbench.loads.recorder import Rows
from benchbench.loads.step import Load
from benchbench.loads.window import State, saturation
from benchbench.measures.catalog import CATALOG
from benchbench.results.checks import check, members, observed
from benchbench.results.gates import Gate
from benchbench.results.record import GateResult

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
        reasons += not_kept(self.values, self.saturation, self.fell_behind, named)
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
                "gates": tuple(GateDetails(**members(gate)) for gate in self.checked),
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
