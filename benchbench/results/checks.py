"""Gates checked against the numbers of a result.

The scope of a number says its task, and its target, step, system or pair of systems. Numbers whose scopes differ in the
task only are a group. A group also sees the numbers of wider scopes, after its own. A gate is checked in each pair that
has all of its names. Where no pair has them, it is checked in each of the narrowest groups that do, unless the group
adds nothing to the scope of what the gate names. Numbers of slices have no gates.
"""

import operator
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, NamedTuple

import msgspec

from benchbench.errors import InputError
from benchbench.results.gates import TIMES, Gate, kind_and_name
from benchbench.results.record import GateResult, Number, Scope
from benchbench.tables.shared_messages import REQUIRED

_SIGNS = {"<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge}
_PAIR = {"baseline", "system"}
_EVERYWHERE: Mapping[str, str] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class ObservedCondition:
    """A condition with the value that was observed; bound and value are in `unit`."""

    name: str
    sign: str
    value: float | None
    bound: float
    unit: str  # as it is shown: ms, s, or none

    @property
    def holds(self) -> bool:
        """Say that the comparison holds, or that there is no value."""
        return self.value is None or _SIGNS[self.sign](self.value, self.bound)

    @property
    def found(self) -> str:
        """Return the value in a sentence, with as many digits as tell it from the bound."""
        if self.value is None:
            return f"{self.name} has no value"
        looks_alike = self.value != self.bound and self.shown(self.value) == self.shown(self.bound)
        return f"{self.name} is {self.shown(self.value, 17 if looks_alike else 6)}"

    @property
    def required(self) -> str:
        """Return the requirement on the value."""
        return f"{REQUIRED[self.sign]} {self.shown(self.bound)}"

    @property
    def limit(self) -> str:
        """Return comparison and bound."""
        return f"{self.sign} {self.shown(self.bound)}"

    def shown(self, value: float | None, digits: int = 6) -> str:
        """Return a value with its unit."""
        return "no value" if value is None else f"{value:.{digits}g} {self.unit}".rstrip()


TRUST = "--trust-judge uses it anyway"


class Refusal(NamedTuple):
    """Why a gate may not go by a number, and how one can go by it all the same; the latter is empty for no way."""

    why: str
    way_out: str = ""


Refusals = Mapping[str, Refusal]  # by the names of numbers, without Δ, p, low or high
NO_REFUSALS: Refusals = MappingProxyType({})


def check(gates: Iterable[Gate], numbers: Iterable[Number], refusals: Refusals = NO_REFUSALS) -> list[GateResult]:
    """Return the result of each gate, in each group that it is checked in.

    Parameters
    ----------
    gates, numbers
        The conditions, and what they are about.
    refusals
        Numbers that no gate may go by: one that names such a number fails whatever was observed.

    Raises
    ------
    InputError
        When a gate names what no group has, or has a unit in which that is not measured.
    """
    views = _views(numbers) if (gates := list(gates)) else []
    results = []
    for gate in gates:
        why = next((refusals[condition.name] for condition in gate.conditions if condition.name in refusals), None)
        checked = [_result(gate, scope, seen) for scope, seen in _checked(gate, views)]
        results += checked if why is None else [refused(result, *why) for result in checked]
    return results


def refused(result: GateResult, why: str, way_out: str) -> GateResult:
    """Return that a gate fails whatever was observed, because nobody may go by that."""
    about = f"{result.about}: " if result.about else ""
    value = "has no value" if result.value is None else f"is {result.value:.6g} {result.unit}".rstrip()
    sentence = f"{about}gate refused: {why}; {result.name} {value}" + (f" ({way_out})" if way_out else "")
    return msgspec.structs.replace(result, verdict="failed", said=sentence)


def observed(gate: Gate, numbers: Iterable[Number]) -> tuple[ObservedCondition, ...]:
    """Return the conditions of a gate with the values in numbers of one group; InputError as from `check`."""
    (_, values), *_ = _checked(gate, _views(numbers))
    return values


def members(result: GateResult) -> dict[str, Any]:
    """Return a gate as the member `gates` of `summary.json` and `--format json` has it."""
    gate, failure = {"gate": result.condition}, {"failure": result.failure}
    if result.scope.keys() >= _PAIR:
        return {**gate, **failure, "baseline": result.scope["baseline"], "system": result.scope["system"]}
    return {**gate, "name": result.name, "value": result.value, "bound": result.bound, **failure, "unit": result.unit}


def restored(stored: Mapping[str, Any], about: str = "", scope: Mapping[str, str] = _EVERYWHERE) -> GateResult:
    """Return the gate that `members` returned this of, unless it is of a pair; older members have no unit."""
    failure, value, unit = stored["failure"], stored["value"], stored.get("unit", "")
    if failure is None:
        sentence = f"{stored['gate']} passed with {'no value' if value is None else f'{value:.6g}'} {unit}".rstrip()
    else:
        sentence = f"gate failed: {failure}"
    return GateResult(
        condition=stored["gate"],
        verdict="passed" if failure is None else "failed",
        said=f"{about}: {sentence}" if about else sentence,
        name=stored["name"],
        value=value,
        bound=stored["bound"],
        unit=unit,
        about=about,
        scope=dict(scope),
    )


_View = tuple[Scope, Mapping[str, Number]]  # of a group, with what it sees by its name


def _views(numbers: Iterable[Number]) -> list[_View]:
    """Return the groups in the order of their first numbers."""
    keyed = [(_without_task(number.scope), number) for number in numbers if "slice" not in number.scope]
    groups: dict[frozenset[tuple[str, str]], Scope] = {}
    for scope, _ in keyed:
        groups.setdefault(frozenset(scope.items()), scope)
    keyed.sort(key=lambda entry: -len(entry[0]))
    views: list[_View] = []
    for scope in groups.values():
        seen: dict[str, Number] = {}
        for wider, number in keyed:
            if wider.items() <= scope.items():
                seen.setdefault(_address(number), number)
        views.append((scope, seen))
    return views


def _without_task(scope: Scope) -> Scope:
    return {name: value for name, value in scope.items() if name != "task"}


def _address(number: Number) -> str:
    kind, name = kind_and_name(number.name)
    task = f"{number.scope['task']}." if "task" in number.scope else ""
    return f"{kind} {task}{name}".lstrip()


def chosen(gate: Gate, numbers: Iterable[Number]) -> list[tuple[Scope, tuple[Number, ...]]]:
    """Return the groups in which a gate is checked, with the numbers there that its conditions are about.

    Raises
    ------
    InputError
        When it names what no group has.
    """
    return [(scope, tuple(seen[name] for name in names)) for scope, names, seen in _chosen(gate, _views(numbers))]


def about_of(scope: Scope) -> str:
    """Return the target, step, run or pair that numbers of a group are of; empty where there is one only."""
    is_pair = scope.keys() >= _PAIR
    others = [value for name, value in scope.items() if not (is_pair and name in _PAIR)]
    return ", ".join([f"{scope['system']} against {scope['baseline']}", *others] if is_pair else others)


def _checked(gate: Gate, views: Sequence[_View]) -> list[tuple[Scope, tuple[ObservedCondition, ...]]]:
    """Return the groups in which a gate is checked, with the values observed there."""
    return [(scope, _meets(gate, names, seen)) for scope, names, seen in _chosen(gate, views)]


def _chosen(gate: Gate, views: Sequence[_View]) -> list[tuple[Scope, tuple[str, ...], Mapping[str, Number]]]:
    """Return the groups in which a gate is checked, the names of what it is about, and what is there."""
    groups: list[tuple[Scope, tuple[str, ...], Mapping[str, Number]]] = []
    refused = None
    for scope, seen in views:
        try:
            groups.append((scope, gate.measured(seen, final=True), seen))
        except InputError as problem:
            refused = problem
    if not groups:
        gate.measured(list(dict.fromkeys(name for _, seen in views for name in seen)), final=True)
        raise refused or InputError(f"--fail-if {gate.text}: nothing is measured")
    own_groups = []
    for scope, names, seen in groups:
        named = {key for name in names for key in _without_task(seen[name].scope)}
        if named | (scope.keys() & _PAIR if scope.keys() >= _PAIR else set()) == scope.keys():
            own_groups.append((scope, names, seen))
    narrow = [group for group in own_groups if group[0].keys() >= _PAIR] or own_groups or groups
    most = max(len(scope) for scope, _, _ in narrow)
    return [group for group in narrow if len(group[0]) == most]


def _meets(gate: Gate, names: Sequence[str], seen: Mapping[str, Number]) -> tuple[ObservedCondition, ...]:
    values = []
    numbers = [seen[name] for name in names]
    bounds = gate.bounds([number.unit for number in numbers])
    for condition, number, name, bound in zip(gate.conditions, numbers, names, bounds, strict=True):
        ends = {"low": number.low, "high": number.high}
        shown = f"{condition.kind} {kind_and_name(name)[1]}" if condition.kind in ends else name
        unit = number.unit if number.unit in TIMES else ""
        values.append(ObservedCondition(shown, condition.sign, ends.get(condition.kind, number.value), bound, unit))
    return tuple(values)


def _result(gate: Gate, scope: Scope, observations: Sequence[ObservedCondition]) -> GateResult:
    is_pair = scope.keys() >= _PAIR
    about = about_of(scope)
    decided = next((value for value in observations if not value.holds), observations[0])
    if decided.holds:
        several = len(observations) > 1
        required = " or ".join(
            f"{value.name} {value.required}" if several else value.required for value in observations
        )
        values = " and ".join(value.found for value in observations)
        sentence = f"gate failed: {f'{about}: ' if is_pair else ''}{values}, required {required}"
    elif is_pair:
        sentence = f"{scope['system']}: {gate.text} passed"
    else:
        sentence = f"{gate.text} passed with {decided.shown(decided.value)}"
    return GateResult(
        condition=gate.text,
        verdict="failed" if decided.holds else "passed",
        said=f"{about}: {sentence}" if about and not is_pair else sentence,
        name=decided.name,
        value=decided.value,
        bound=decided.bound,
        unit=decided.unit,
        about=about,
        scope=dict(scope),
    )
