"""Load tests of several services, compared with each other step by step.

Requests of a step hang together, so that what is compared are its repeats: each is a block, with one value of each
number. Steps of equal load and batch size are paired. How much a service differs from itself is measured too: the mean
of its odd repeats against that of its even ones.
"""

import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import numpy as np

from benchbench.comparison.comparable import differences
from benchbench.comparison.compare_result import LoadStep
from benchbench.comparison.loads import load_steps
from benchbench.comparison.speed import NOT_COMPARED, sent_unlike
from benchbench.comparison.stored_results import StoredLoad, named_baseline, named_results, signature_parts
from benchbench.errors import InputError
from benchbench.kernels.arrays import F64
from benchbench.loads.load_details import StepDetails
from benchbench.loads.metrics import METRICS
from benchbench.measures.gate_names import named
from benchbench.measures.latency import BEYOND, enough, needed
from benchbench.results import gates as grammar
from benchbench.results.checks import check, members
from benchbench.results.environment import environment
from benchbench.results.figures import p_said
from benchbench.results.gates import Gate
from benchbench.results.record import Data, GateResult, Note, Number, Record, Subject, record, settings_of, with_ends
from benchbench.results.result import Result
from benchbench.results.signature import parts_of, shared_signature
from benchbench.significance.pairs import named_pairs
from benchbench.significance.two_samples import shift
from benchbench.tables.shared_messages import and_joined

FEWEST = 6  # repeats of each system that a verdict needs: one slow start among five is a fifth of what is compared
NO_VERDICT = "no verdict on"  # before the names of a pair
COMPARED = ("p50", "p99", "mean", "queries_per_second", "error_rate")
_LIBRARIES = ("msgspec", "numpy", "polars", "scipy")
_EXAMPLES = "'Δ p99 > 20ms and p < 0.05'"


@dataclass(frozen=True, slots=True, kw_only=True)
class LoadDifference:
    """One number of one step, of a system against the baseline; None where there is nothing to measure."""

    step: str
    measure: str
    unit: str
    baseline: str
    system: str
    baseline_mean: float | None  # over the repeats
    system_mean: float | None
    mean: float | None  # the difference
    low: float | None = None  # of its interval
    high: float | None = None
    p: float | None = None  # corrected over all numbers and steps of the pair
    noise: float | None = None  # the larger of both systems' odd against even repeats
    baseline_repeats: int = 1
    system_repeats: int = 1
    direction: int = 0  # 1: the system is better, -1: worse, 0: no difference shown


@dataclass(frozen=True, slots=True, kw_only=True)
class LoadSystem:
    """One of the load tests."""

    name: str
    source: str
    url: str
    signature: str
    repeats: int
    steps: int
    load: tuple[LoadStep, ...] = ()


@dataclass(frozen=True, kw_only=True)
class LoadsDetails:
    """What JSON has of such a comparison."""

    alpha: float
    systems: tuple[LoadSystem, ...]
    differences: tuple[LoadDifference, ...]
    gates: list[dict[str, Any]] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    @property
    def loads(self) -> dict[str, tuple[LoadStep, ...]]:
        """The steps of each load test; a record of an older version has none."""
        return {system.name: system.load for system in self.systems}


@dataclass(frozen=True, repr=False)
class LoadsOutcome(Result):
    """A comparison of load tests."""

    kind = "loads"

    members: LoadsDetails
    gates: tuple[GateResult, ...]
    options: Mapping[str, Any]
    began: float

    def details(self) -> LoadsDetails:
        """Return what JSON has beside the record."""
        return self.members

    def to_record(self) -> Record:
        """Return the record; differences have step, system and baseline in their scope."""
        systems = self.members.systems
        return record(
            "loads",
            self.began,
            name=and_joined([system.name for system in systems]),
            subject=[Subject(name=system.name, source=system.url, signature=system.signature) for system in systems],
            data=Data(digest=parts_of(systems[0].signature).get("data")),
            signature=shared_signature([parts_of(system.signature) for system in systems]),
            settings=settings_of(dict(self.options)),
            environment=environment(_LIBRARIES),
            numbers=numbers(self.members),
            notes=[Note(text=note) for note in self.members.notes],
            gates=list(self.gates),
        )


def compare_loads(
    tests: Sequence[StoredLoad],
    baseline: str | None = None,
    *,
    names: Sequence[str] = (),
    allow_different: bool = False,
    alpha: float = 0.05,
    seed: int = 0,
    fail_if: str | Gate | Iterable[str | Gate] = (),
) -> LoadsOutcome:
    """Say whether services differ under the same load.

    Parameters
    ----------
    tests
        Two load tests or more.
    baseline
        The name, or the folder, of the one that all others are compared with; None compares all pairs.
    names
        What to call them, in their order.
    allow_different
        Whether tests over other data, or judged by other rules, may be compared.
    alpha
        The chance of a false verdict on a pair, over all its steps and numbers.
    seed
        Of what is left to chance.
    fail_if
        Gates, as `results.gates` describes them.

    Raises
    ------
    InputError
        Tests of other data or rules; no step in common; an unknown baseline; a gate that is none.
    """
    began = time.time()
    if len(tests) < 2:
        raise InputError("a comparison needs the results of two load tests or more, or of runs")
    gates = grammar.as_gates(fail_if, partial(grammar.parse_gate, named=named, examples=_EXAMPLES))
    loads = named_results(tests, names)
    baseline = named_baseline(baseline, loads)
    if baseline is not None and baseline not in loads:
        raise InputError(f"--baseline {baseline} is not compared; there are {', '.join(loads)}")
    notes = differences(signature_parts(loads), allow_different)
    notes += _not_alike(loads)
    pairs = named_pairs(loads, baseline)
    if gates and len(pairs) > 1 and baseline is None:
        raise InputError(f"--fail-if {gates[0].text} is about a system and the baseline; name that with --baseline")
    differences_of_pairs = [
        difference for pair in pairs for difference in _pair(pair, [loads[name] for name in pair], alpha, seed, notes)
    ]
    systems = tuple(
        LoadSystem(
            name=name,
            source=test.source,
            url=test.details.url,
            signature=test.details.signature,
            repeats=max([1, *(len(step.repeats) for step in test.details.steps)]),
            steps=len(test.details.steps),
            load=load_steps(test, [False] * len(test.details.steps)),
        )
        for name, test in loads.items()
    )
    details = LoadsDetails(alpha=alpha, systems=systems, differences=tuple(differences_of_pairs), notes=notes)
    checked = tuple(check(gates, numbers(details)))
    details.gates.extend(map(members, checked))
    options = {
        "baseline": baseline,
        "alpha": alpha,
        "seed": seed,
        "allow_different": allow_different,
        "fail_if": [gate.text for gate in gates],
    }
    return LoadsOutcome(details, checked, options, began)


def numbers(details: LoadsDetails) -> list[Number]:
    """Return the differences, their corrected p-values, what a system differs from itself by, and the means."""
    numbers: list[Number] = []
    means: dict[tuple[str, str, str], Number] = {}
    method = f"{100 * (1 - details.alpha):g} % permutation interval over repeats, simultaneous"
    for compared in details.differences:
        name, unit, better = compared.measure, compared.unit, METRICS[compared.measure].better
        pair = {"step": compared.step, "system": compared.system, "baseline": compared.baseline}
        n = min(compared.baseline_repeats, compared.system_repeats)
        difference = Number(name=f"Δ {name}", value=compared.mean, n=n, unit=unit, better=better, scope=pair)
        numbers += [
            difference if compared.low is None else with_ends(difference, compared.low, compared.high, method),
            Number(name=f"p {name}", value=compared.p, n=n, scope=pair),
            Number(name=f"noise {name}", value=compared.noise, unit=unit, scope=pair),
        ]
        for system, mean, repeats in (
            (compared.baseline, compared.baseline_mean, compared.baseline_repeats),
            (compared.system, compared.system_mean, compared.system_repeats),
        ):
            scope = {"step": compared.step, "system": system}
            means[system, compared.step, name] = Number(
                name=name, value=mean, n=repeats, unit=unit, better=better, scope=scope
            )
    return [*numbers, *means.values()]


def _not_alike(loads: Mapping[str, StoredLoad]) -> list[str]:
    """Return what the tests do not share that a reader of their differences must know."""
    turns = {test.options.turns for test in loads.values()}
    notes = []
    if len(turns) > 1 or None in turns:
        notes.append(
            "the load tests ran one after the other, so changes of the machine or the network in between show up as "
            "differences; `benchbench load --target A=URL --target B=URL` alternates"
        )
    for option in ("order", "duration", "arrivals", "trace"):
        values = {name: getattr(test.options, option) for name, test in loads.items()}
        if len(set(values.values())) > 1:
            shown = ", ".join(f"{name} {value}" for name, value in values.items())
            notes.append(f"the load tests differ in --{option}: {shown}")
    return notes


def _pair(
    pair: tuple[str, str], tests: Sequence[StoredLoad], alpha: float, seed: int, notes: list[str]
) -> list[LoadDifference]:
    """Return the differences of the second of two systems to the first."""
    both = " and ".join(pair)
    # The steps by load; of a load that was tried twice, the last
    first, second = steps = [{step.name: step for step in test.details.steps} for test in tests]
    shared = [name for name in first if name in second]
    if not shared:
        raise InputError(f"{both} have no step in common: {', '.join(first)}, and {', '.join(second)}")
    if alone := [name for its in steps for name in its if name not in shared]:
        notes.append(f"steps that only one of {both} has are left out: {', '.join(alone)}")
    keys = [(step, measure) for step in shared for measure in COMPARED]
    values = [[_values(its[step], measure) for step, measure in keys] for its in steps]
    sizes = [min(map(len, rows)) for rows in values]
    for place, (name, size) in enumerate(zip(pair, sizes, strict=True)):
        if any(len(row) > size for row in values[place]):
            notes.append(f"not all steps of {name} have as many repeats; the first {size} of each are compared")
            values[place] = [row[:size] for row in values[place]]
    known = [place for place in range(len(keys)) if all(np.isfinite(rows[place]).all() for rows in values)]
    few = [name for name, its in zip(pair, steps, strict=True) if any(_rests_on_few(its[step]) for step in shared)]
    if few:
        notes.append(
            f"in repeats of {' and '.join(few)} fewer than {BEYOND} requests lie above p99; {needed(99.0):,} requests "
            "per repeat are needed"
        )
    moved = None
    unlike = sent_unlike(pair, *(test.record for test in tests))
    if unlike:
        notes.append(f"{NOT_COMPARED} {unlike}")
    elif min(sizes) >= FEWEST and known:
        before, after = (np.array([rows[place] for place in known]) for rows in values)
        moved = shift(before, after, alpha, seed)
    else:
        there = " and ".join(f"{size} of {name}" for name, size in zip(pair, sizes, strict=True))
        notes.append(
            f"{NO_VERDICT} {both}: it needs {FEWEST} repeats of each step on either side, and there are {there}: "
            f"`benchbench load … --repeat {FEWEST}`"
        )
    differences = []
    for place, (step, measure) in enumerate(keys):
        sides = [rows[place] for rows in values]
        means = [float(side.mean()) if np.isfinite(side).all() else None for side in sides]
        noise = [abs(float(side[::2].mean() - side[1::2].mean())) for side in sides if len(side) > 1]
        difference = LoadDifference(
            step=step,
            measure=measure,
            unit=METRICS[measure].unit,
            baseline=pair[0],
            system=pair[1],
            baseline_mean=means[0],
            system_mean=means[1],
            mean=None if means[0] is None or means[1] is None else means[1] - means[0],
            noise=max(noise) if noise and np.isfinite(noise).all() else None,
            baseline_repeats=sizes[0],
            system_repeats=sizes[1],
        )
        if moved is not None and place in known:
            at = known.index(place)
            difference = _decided(difference, float(moved.low[at]), float(moved.high[at]), float(moved.p[at]), alpha)
        differences.append(difference)
    notes += [
        f"{difference.step}: {difference.measure} of {both} differs ({p_said(difference.p)}), but by no more than a "
        "service differed from itself (noise), so that there is no verdict"
        for difference in differences
        if difference.p is not None and difference.p <= alpha and not difference.direction
    ]
    by_step = [[difference for difference in differences if difference.step == step] for step in shared]
    return [difference for of_step in by_step for difference in _not_by_failing(of_step, notes)]


def _not_by_failing(step: Sequence[LoadDifference], notes: list[str]) -> list[LoadDifference]:
    """Return the differences of a step; a service that fails more often is not called faster for it."""
    failing = next(difference for difference in step if difference.measure == "error_rate")
    better = -failing.direction  # in latency, by failing
    if not better or all(difference.unit != "ms" or difference.direction != better for difference in step):
        return list(step)
    more = failing.system if better > 0 else failing.baseline
    notes.append(
        f"{failing.step}: {more} fails more often, and the time that failed requests took is in the latencies, so that "
        "it is not called better in these"
    )
    return [
        replace(difference, direction=0) if difference.unit == "ms" and difference.direction == better else difference
        for difference in step
    ]


def _decided(difference: LoadDifference, low: float, high: float, p: float, alpha: float) -> LoadDifference:
    """Return a difference with its interval and verdict; one that is within the noise is none."""
    change = difference.mean or 0.0
    sign = 1 if METRICS[difference.measure].better == "higher" else -1
    shown = p <= alpha and abs(change) > (difference.noise or 0.0)
    if low < high:  # else no repeat differs from another, which says little of the next
        difference = replace(difference, low=low, high=high)
    return replace(difference, p=p, direction=int(np.sign(change)) * sign if shown else 0)


def _rests_on_few(step: StepDetails) -> bool:
    return any(not enough(99.0, row.get("requests") or 0.0) for row in step.repeats or [step.values])


def _values(step: StepDetails, measure: str) -> F64:
    """Return a number of each repeat; NaN where there is none."""
    rows = step.repeats or [step.values]
    return np.array([np.nan if row.get(measure) is None else row[measure] for row in rows], np.float64)
