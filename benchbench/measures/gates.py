"""Conditions under which a run counts as failed: `nDCG@10<0.4`, `p99>300ms`, `errors>1%`.

A gate says what must *not* be: it fails when its comparison holds, and when its value is not a number.

Names
-----
a measure
    As `measures.notation` reads it (`ndcg_cut_10` is `nDCG@10`), or `microP@k`, `microR@k`, `microF1@k`; with a
    task in front (`accusation.P@5`) or without. Without, it is the gold task's where there is one, else that of
    the only task that has it. A bound may be a percentage.
`p50`, `p90`, …, `mean`, `max`
    Latency; the bound has a unit, `ms` or `s`.
`errors`
    Failed queries; with `%`, their share of all queries.
`queries_per_second`
    As the report shows it.
"""

import math
import operator
import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace

from benchbench.errors import InputError
from benchbench.kernels.judge import MEASURES, TASKS
from benchbench.measures.aggregate import Estimate
from benchbench.measures.latency import PERCENTILES, Latency
from benchbench.measures.notation import parse
from benchbench.tables.numbers import BOUND
from benchbench.tables.sentences import REQUIRED, cutoff_that_adds, not_among

_GATE = re.compile(
    r"\s*(?P<name>[^<>]+?)\s*(?P<sign><=|>=|<|>)\s*"
    r"(?P<bound>[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?)\s*(?P<unit>ms|s|%)?\s*",
    re.ASCII,
)
_SIGNS = {"<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge}
_LATENCY = re.compile(r"p\d+(?:\.\d+)?|mean|max", re.ASCII)
_TIMES = {"ms": 1.0, "s": 1e3}  # milliseconds
_MICRO = {f"micro{name}".lower(): f"micro{name}" for name in ("P", "R", "F1")}
ERRORS, ERROR_RATE, RATE = "errors", "error_rate", "queries_per_second"


@dataclass(frozen=True, slots=True)
class Gate:
    """One condition; `bound` is in the unit of the value: milliseconds, a share, a number."""

    text: str
    name: str
    sign: str
    bound: float
    unit: str = ""  # as it is shown: "ms", "s", or none

    def measured(self, names: Collection[str]) -> str:
        """Return which of the measured names this gate is about.

        Raises
        ------
        InputError
            With what there is, when it is none of them or could be several.
        """
        if self.name in names:
            return self.name
        gold = f"{TASKS[0]}.{self.name}"
        if gold in names:
            return gold
        found = [name for name in names if name.partition(".")[2] == self.name]
        if len(found) == 1:
            return found[0]
        if found:
            raise InputError(
                f"--fail-if {self.text}: {self.name} is measured for several tasks; name one of {', '.join(found)}"
            )
        adds = cutoff_that_adds(self.name, names)
        raise InputError(f"--fail-if {self.text}: {not_among(self.name, 'measured', names, adds)}")

    def check(self, values: Mapping[str, float]) -> str | None:
        """Return what the value is and was required to be when the gate fails, else None.

        Parameters
        ----------
        values
            What was measured, by name: latencies in milliseconds, shares from 0 to 1.

        Raises
        ------
        InputError
            When there is no such value.
        """
        name = self.measured(values.keys())
        value, required = values[name], f"required {REQUIRED[self.sign]} {self._shown(self.bound)}"
        if math.isnan(value):
            return f"{name} has no value, {required}"
        if not _SIGNS[self.sign](value, self.bound):
            return None
        beside = value != self.bound and self._shown(value) == self._shown(self.bound)
        return f"{name} is {self._shown(value, 17 if beside else 6)}, {required}"

    def _shown(self, value: float, digits: int = 6) -> str:
        return f"{value:.{digits}g} {self.unit}".rstrip()


@dataclass(frozen=True, slots=True)
class Verdict:
    """What became of a gate; `failure` says what the value is and had to be, None where the gate did not fail."""

    gate: str
    name: str
    value: float
    bound: float
    failure: str | None
    unit: str = ""

    @property
    def said(self) -> str:
        """Return a sentence whatever became of it."""
        return self.outcome if self.failure is None else f"gate {self.outcome}"

    @property
    def outcome(self) -> str:
        """Return the same as it stands behind the word gate."""
        if self.failure is not None:
            return f"failed: {self.failure}"
        return f"{self.gate} passed with {self.value:.6g} {self.unit}".rstrip()


def verdicts(gates: Iterable[Gate], values: Mapping[str, float]) -> list[Verdict]:
    """Check gates against what was measured."""
    return [
        Verdict(gate.text, name := gate.measured(values), values[name], gate.bound, gate.check(values), gate.unit)
        for gate in gates
    ]


def measured_values(estimates: Iterable[Estimate], latency: Latency, queries: int, failed: int) -> dict[str, float]:
    """Return the values of a run by the names that gates have for them."""
    return {
        **{f"{one.task}.{one.measure}": one.value for one in estimates},
        **latency.percentiles,
        "mean": latency.mean,
        "max": latency.max,
        ERRORS: float(failed),
        ERROR_RATE: failed / queries,
        RATE: latency.queries_per_second,
    }


def measured_names(tasks: Iterable[str], cutoffs: Iterable[int]) -> list[str]:
    """Return the names of `measured_values` before anything was measured."""
    measures = (*MEASURES, *_MICRO.values())
    names = [f"{task}.{measure}@{k}" for task in tasks for measure in measures for k in cutoffs]
    return [*names, *(f"p{p:g}" for p in PERCENTILES), "mean", "max", ERRORS, ERROR_RATE, RATE]


def parse_gate(text: str) -> Gate:
    """Return the gate that a text states.

    Raises
    ------
    InputError
        Saying what is wrong with it, with an example of what is right.
    """
    stated = split_gate(text, "'nDCG@10<0.4' or 'p99>300ms'")
    name = stated.name
    if _LATENCY.fullmatch(name):
        return in_time(stated, "ms")
    if stated.unit in _TIMES or (stated.unit == "%" and name == RATE):
        raise InputError(f"--fail-if {stated.text}: {name} is not measured in {stated.unit}")
    return as_number(stated if name in (ERRORS, ERROR_RATE, RATE) else replace(stated, name=_measure(stated)))


def as_gates(given: str | Gate | Iterable[str | Gate]) -> tuple[Gate, ...]:
    """Return gates of what may be texts; one may stand alone.

    Raises
    ------
    InputError
        As `parse_gate`, and for what is neither a text nor a gate.
    """
    several = [given] if isinstance(given, str | Gate) else given
    if not isinstance(several, Iterable):
        raise InputError(f"fail_if has gates such as 'nDCG@10<0.4', and is not of type {type(given).__name__}")
    gates = []
    for one in several:
        if not isinstance(one, str | Gate):
            raise InputError(f"a gate is a text such as 'nDCG@10<0.4', and not of type {type(one).__name__}")
        gates.append(one if isinstance(one, Gate) else parse_gate(one))
    return tuple(gates)


def split_gate(text: str, examples: str) -> Gate:
    """Return name, comparison, bound and unit as they are written; InputError, with the examples, for another text."""
    match = _GATE.fullmatch(text) if len(text) <= 200 else None
    if match is None:
        raise InputError(f"--fail-if {text[:200]!r} is not name, comparison and bound, as in {examples}")
    bound = BOUND.read(match["bound"], f"--fail-if {text.strip()}: the bound")
    return Gate(text.strip(), match["name"], match["sign"], bound, match["unit"] or "")


def in_time(stated: Gate, unit: str) -> Gate:
    """Return a gate on a value in `ms` or `s`, its bound in that unit; InputError when none was written."""
    if stated.unit not in _TIMES:
        written = f"{stated.name}{stated.sign}{stated.bound:g}"
        raise InputError(f"--fail-if {stated.text}: {stated.name} is a time; write {written}ms, or s")
    return replace(stated, bound=stated.bound * _TIMES[stated.unit] / _TIMES[unit], unit=unit)


def as_number(stated: Gate) -> Gate:
    """Return a gate on a value without a unit: `%` is a hundredth, and of errors their share of all."""
    if stated.unit != "%":
        return stated
    name = ERROR_RATE if stated.name == ERRORS else stated.name
    return replace(stated, name=name, bound=stated.bound / 100, unit="")


def _measure(stated: Gate) -> str:
    """Return `task.measure` or `measure` in the one form in which it is reported."""
    text, name = stated.text, stated.name
    task, dot, rest = name.partition(".")
    prefix, rest = (f"{task.lower()}.", rest) if dot and task.lower() in TASKS else ("", name)
    base, at, cutoff = rest.partition("@")
    if base.lower() in _MICRO and cutoff.isdecimal():
        return f"{prefix}{_MICRO[base.lower()]}@{int(cutoff)}"
    try:
        found = parse(rest)
    except InputError as problem:
        others = f"; besides, there are p50 p90 p95 p99 mean max, {ERRORS} and {RATE}" if not at else ""
        raise InputError(f"--fail-if {text}: {problem}{others}") from None
    if len(found) > 1:
        raise InputError(f"--fail-if {text}: {rest} names {len(found)} measures; give each its own --fail-if")
    return f"{prefix}{found[0]}"
