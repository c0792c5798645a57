"""Conditions under which a system counts as worse than the baseline: `Δ nDCG@10 < -0.01 and p < 0.05`.

A gate says what must *not* be. It is about one system against the baseline, and fails when all of its conditions,
joined by `and`, hold; a value that is not a number holds.

Names
-----
`Δ M` (`delta M`, `d M`)
    The mean difference in measure M, system minus baseline.
`low M`, `high M`
    The ends of its interval.
`p`, `p_randomization`, `p_t`, `p_wilcoxon`
    The corrected p-value of the chosen test, and those of each; of the gate's only measure, or `p M`.
`M`
    The mean of the system itself.

A bound may be a percentage: `-1%` is -0.01.
"""

import math
import operator
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass

from benchbench.errors import InputError
from benchbench.significance.outcome import Verdict
from benchbench.significance.result import Comparison, Difference
from benchbench.significance.settings import TESTS
from benchbench.tables.numbers import BOUND
from benchbench.tables.sentences import REQUIRED

_CONDITION = re.compile(
    r"\s*(?P<name>[^<>]+?)\s*(?P<sign><=|>=|<|>)\s*"
    r"(?P<bound>[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?)\s*(?P<percent>%?)\s*",
    re.ASCII,
)
_SIGNS = {"<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge}
_DIFFERENCES = {"Δ": "Δ", "∆": "Δ", "delta": "Δ", "d": "Δ", "low": "low", "high": "high"}  # two signs look like delta
_P = ("p", *(f"p_{test}" for test in TESTS))
_EXAMPLE = "'Δ nDCG@10 < -0.01 and p < 0.05'"
_LONGEST = 400  # characters

Measured = Callable[[str], str]


@dataclass(frozen=True, slots=True)
class _Condition:
    kind: str  # Δ, low, high, one of _P, or mean
    measure: str
    sign: str
    bound: float

    @property
    def name(self) -> str:
        return self.measure if self.kind == "mean" else f"{self.kind} {self.measure}"


@dataclass(frozen=True, slots=True)
class Gate:
    """Conditions that must not all hold."""

    text: str
    conditions: tuple[_Condition, ...]

    def check(self, comparison: Comparison, baseline: str, system: str) -> str | None:
        """Return what the values are and which were required when the gate fails, else None."""
        of = {one.measure: one for one in comparison.differences if (one.baseline, one.system) == (baseline, system)}
        found, required = [], []
        for one in self.conditions:
            value = _value(one, comparison, of)
            if not math.isnan(value) and not _SIGNS[one.sign](value, one.bound):
                return None
            shown = "has no value" if math.isnan(value) else f"is {value:.6g}"
            found.append(f"{one.name} {shown}")
            name = f"{one.name} " if len(self.conditions) > 1 else ""
            required.append(f"{name}{REQUIRED[one.sign]} {one.bound:.6g}")
        return f"{system} against {baseline}: {' and '.join(found)}, required {' or '.join(required)}"


def parse_gate(text: str, measured: Measured) -> Gate:
    """Return the gate that a text states.

    Parameters
    ----------
    text
        As above; case is that of the measures.
    measured
        Returns the name under which a measure is compared; InputError when it is not.

    Raises
    ------
    InputError
        Saying what is wrong with it, with an example of what is right.
    """
    if not isinstance(text, str):
        raise InputError(f"a gate is a text such as {_EXAMPLE}, and not of type {type(text).__name__}")
    stated = text.strip()
    parts = re.split(r"\s+and\s+", stated, flags=re.IGNORECASE) if len(text) <= _LONGEST else []
    matches = [match for part in parts if (match := _CONDITION.fullmatch(part))]
    if not matches or len(matches) < len(parts):
        raise InputError(
            f"--fail-if {text[:_LONGEST]!r} is not name, comparison and bound, joined by `and`, as in {_EXAMPLE}"
        )
    named: list[tuple[re.Match[str], str, str | None]] = []
    for match in matches:
        kind, measure = _kind(match["name"])
        try:
            named.append((match, kind, None if measure is None else measured(measure)))
        except InputError as problem:
            raise InputError(f"--fail-if {stated}: {problem}") from None
    only = {measure for _, _, measure in named if measure is not None}
    conditions = []
    for match, kind, measure in named:
        if measure is None and len(only) != 1:
            raise InputError(f"--fail-if {stated}: say of which measure, as in '{kind} nDCG@10 {match['sign']} 0.05'")
        bound = BOUND.read(match["bound"], f"--fail-if {stated}: the bound") / (100 if match["percent"] else 1)
        conditions.append(_Condition(kind, measure or next(iter(only)), match["sign"], bound))
    return Gate(stated, tuple(conditions))


def verdicts(gates: Iterable[Gate], comparison: Comparison) -> Iterator[Verdict]:
    """Check each gate for each system against the baseline.

    Raises
    ------
    InputError
        When no baseline is named and there are several pairs.
    """
    pairs = list(dict.fromkeys((one.baseline, one.system) for one in comparison.differences))
    for gate in gates:
        if len(pairs) > 1 and comparison.settings.baseline is None:
            raise InputError(f"--fail-if {gate.text} is about a system and the baseline; name that with --baseline")
        for baseline, system in pairs:
            yield Verdict(gate.text, gate.check(comparison, baseline, system), baseline, system)


def _kind(name: str) -> tuple[str, str | None]:
    """Return what a name is about, and its measure, if it names one."""
    first, _, rest = name.replace("Δ", "Δ ").replace("∆", "∆ ").partition(" ")
    rest = rest.strip()
    if first.lower() in _P:
        return first.lower(), rest or None
    if first.lower() in _DIFFERENCES or first in _DIFFERENCES:
        return _DIFFERENCES.get(first, _DIFFERENCES.get(first.lower(), first)), rest or None
    return "mean", name


def _value(one: _Condition, comparison: Comparison, of: Mapping[str, Difference]) -> float:
    difference = of[one.measure]
    if one.kind == "mean":
        return comparison.estimate(one.measure, difference.system).mean
    if one.kind in _P:
        test = next((test for test in TESTS if one.kind == f"p_{test}"), comparison.settings.test)
        return difference.corrected[test]
    return {"Δ": difference.mean, "low": difference.low, "high": difference.high}[one.kind]
