"""From the requests of a step to its numbers, and to the sentences that go with them."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import polars as pl

from benchbench.kernels.arrays import F64
from benchbench.kernels.judge import MEASURES
from benchbench.load.lag import Health, limit
from benchbench.load.metrics import MARKS, METRICS, measured, omission
from benchbench.load.quality import Judge
from benchbench.load.recorder import Rows
from benchbench.load.step import Load
from benchbench.measures.gates import Gate, Verdict, verdicts

_ASKED = "asked."


@dataclass(frozen=True, slots=True)
class Step:
    """A finished step. `values` are named and defined in `load.metrics` and `load.quality`."""

    load: Load
    values: dict[str, float]  # NaN where there is nothing to measure
    failures: dict[str, int]  # reason -> requests, most frequent first
    histograms: dict[str, str]  # "due" and "sent", in HdrHistogram's V2 format
    limit: str | None  # a sentence when the client and not the service was the limit
    omission: str | None  # a sentence when due and send time differ much
    broke: tuple[str, ...] = ()  # why the condition of a search did not hold here
    gates: tuple[Verdict, ...] = ()

    @property
    def failed_gates(self) -> tuple[str, ...]:
        """Return a sentence for each gate that failed here."""
        return tuple(gate.failure for gate in self.gates if gate.failure is not None)

    def check(self, gates: Sequence[Gate]) -> tuple[Verdict, ...]:
        """Return what becomes of gates here."""
        return tuple(verdicts(gates, _gate_values(self.values)))

    def breaks(self, condition: Gate) -> tuple[str, ...]:
        """Return why a condition does not hold here; it only can without errors, and when the client kept up."""
        values = _gate_values(self.values)
        name = condition.measured(values)
        reasons = []
        if math.isnan(values[name]) or condition.check(values) is None:
            reasons.append(f"{name} is {values[name]:,.4g}{' ms' if name in MARKS else ''}")
        if self.values["failed_requests"]:
            reasons.append(f"{self.values['failed_requests']:,.0f} requests failed")
        if self.limit:
            reasons.append("the client did not keep up")
        return tuple(reasons)


def gate_names(judge: Judge) -> list[str]:
    """Return the names that gates may have; a measure without more is over all queries asked."""
    measures = [f"{task}.{name}@{k}" for task in judge.tasks for k in judge.criteria.cutoffs for name in MEASURES]
    return [*METRICS, *measures]


def _gate_values(values: dict[str, float]) -> dict[str, float]:
    return {name.removeprefix(_ASKED): value for name, value in values.items() if not name.startswith("answered.")}


def evaluate(
    load: Load, judge: Judge, rows: Rows, health: Health, sums: F64, unusable: Mapping[int, str]
) -> tuple[Step, pl.DataFrame]:
    """Return the numbers of a step and its requests; the last two arguments are what `judge.judge` returned."""
    requests = rows.frame(judge.first, judge.size, unusable)
    counted = requests.filter("counted")
    values, histograms = measured(load, counted, health)
    batches = counted["number"].to_numpy() % len(judge.first)
    values.update(judge.values(sums, batches, counted["error"].is_null().to_numpy()))
    reasons = counted["error"].drop_nulls().value_counts(sort=True)
    client = limit(health, int(values["late_by_client"]), len(counted))
    step = Step(
        load,
        values,
        dict(zip(reasons["error"].to_list(), reasons["count"].to_list(), strict=True)),
        histograms,
        client,
        omission(values, client is not None),
    )
    return step, requests
