"""What gates may name in a run or a load test, with units, and the numbers of a run.

Names
-----
a measure
    As `measures.notation` reads it (`ndcg_cut_10` is `nDCG@10`), with a task in front (`brand.P@5`) or without.
`p50`, `p90`, …, `mean`, `max`
    Latency.
`errors`, `error_rate`
    Failed queries, and their share of all queries.
`queries_per_second`
    As the report shows it.
"""

import re
from collections.abc import Collection, Iterable, Sequence
from functools import partial

from benchbench.errors import InputError
from benchbench.measures.latency import PERCENTILES, Latency
from benchbench.measures.notation import Measure, better, task_and_measures
from benchbench.results import gates
from benchbench.results.estimates import MeasureEstimate
from benchbench.results.gates import ERROR_RATE, ERRORS, Gate
from benchbench.results.record import Number

RATE = "queries_per_second"
_OF_VERSION_0_1 = "percentile bootstrap over queries, 1,000 resamples"  # it knew no other interval
_LATENCY = re.compile(r"p\d+(?:\.\d+)?|mean|max", re.ASCII)


def measured_numbers(estimates: Iterable[MeasureEstimate], latency: Latency, queries: int, failed: int) -> list[Number]:
    """Return the numbers of a run that gates may name."""
    times = {**latency.percentiles, "mean": latency.mean, "max": latency.max}
    return [
        *(
            Number(
                name=estimate.measure,
                value=estimate.value,
                low=estimate.low,
                high=estimate.high,
                stderr=estimate.stderr,
                interval=None if estimate.low is None else f"95 %, {estimate.interval or _OF_VERSION_0_1}",
                n=queries,
                better=better(estimate.measure),
                scope={"task": estimate.task},
            )
            for estimate in estimates
        ),
        *(Number(name=name, value=time, n=latency.timed, unit="ms", better="lower") for name, time in times.items()),
        Number(name=ERRORS, value=float(failed), n=queries, better="lower"),
        Number(name=ERROR_RATE, value=failed / queries, n=queries, better="lower"),
        Number(name=RATE, value=latency.queries_per_second, unit="queries/s", better="higher"),
    ]


def measured_names(
    tasks: Iterable[str], measures: Sequence[Measure], undefined: Collection[tuple[str, Measure]] = ()
) -> list[str]:
    """Return what gates may name before anything was measured; `undefined`, a measure of a task, is not measured."""
    names = [f"{task}.{measure}" for task in tasks for measure in measures if (task, measure) not in undefined]
    return [*names, *(f"p{p:g}" for p in PERCENTILES), "mean", "max", ERRORS, ERROR_RATE, RATE]


def named(name: str) -> tuple[str, str | None]:
    """Return the one form in which a number is reported, and its unit; any other name as it is, without a unit."""
    if name in (ERRORS, ERROR_RATE):
        return name, ""
    if name == RATE:
        return name, "queries/s"
    return (name, "ms") if _LATENCY.fullmatch(name) else _measure(name)


parse_gate = partial(gates.parse_gate, named=named)


def as_gates(given: str | Gate | Iterable[str | Gate]) -> tuple[Gate, ...]:
    """Return gates of what may be texts, as `results.gates` does, of such names."""
    return gates.as_gates(given, parse_gate)


def reported_name(name: str) -> str:
    """Return the name under which one measure is reported, with its task if it has one; any other name as it is."""
    task, measures = task_and_measures(name)
    return f"{task}.{measures[0]}".lstrip(".") if len(measures) == 1 else name


def _measure(name: str) -> tuple[str, str | None]:
    task, measures = task_and_measures(name)
    if len(measures) > 1:
        raise InputError(f"{name} names {len(measures)} measures; give each its own --fail-if")
    if not measures:
        return name, None  # what is measured is not known here; who knows it refuses the name with a list
    return f"{task}.{measures[0]}".lstrip("."), ""
