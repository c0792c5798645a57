"""Conditions under which a result counts as failed: `nDCG@10<0.4`, `p99>300ms`, `Δ nDCG@10 < -0.01 and p < 0.05`.

A gate is one or several conditions joined by `and`; each is a name, a comparison and a bound. It fails when all of them
hold. A condition on a number without a value holds.

Names
-----
`M`
    A number as the record names it; of a task as `task.M`, or `M` alone, which is the gold task's where there is one,
    else that of the only task that has it.
`Δ M` (`delta M`, `d M`)
    The mean difference, system minus baseline.
`low M`, `high M`
    The ends of the interval: of the difference where there is one, else of the number.
`p M`, `p_TEST M`
    The corrected p-value of the chosen test, and of another; without M, of the gate's only measure. With a margin,
    `p_equivalent M` and `p_not_inferior M` are those of being beyond it.
`changed M`, `found M`, `lost M`
    The share of queries with another value, and the number of those that have one above 0 only with the system, or only
    with the baseline.
`need M`
    How many queries would show the difference that was asked for.
`design_effect M`
    Of queries in groups.
`worst M`, `best M`
    The mean difference if the unjudged hits of the baseline were relevant, and of the system.
`spread M`
    The largest mean of several passes less the smallest.
`change M`, `drift M`
    In a trend, the latest value less that of the run before, and the slope per run.

A bound may have a unit: `ms` or `s` of a time, which needs one; `%` of a share or a count of errors, then their rate.

`results.checks` says which numbers these are where there are several of a name.
"""

import re
from collections.abc import Callable, Collection, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass

from benchbench.errors import InputError, said_of
from benchbench.results.ranges import BOUND
from benchbench.tables.shared_messages import cutoff_that_adds, not_among

ERRORS, ERROR_RATE = "errors", "error_rate"
FAIL_IF = "--fail-if"

_CONDITION = re.compile(
    r"\s*(?P<name>[^<>]+?)\s*(?P<sign><=|>=|<|>)\s*"
    r"(?P<bound>[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?)\s*(?P<unit>ms|s|%)?\s*",
    re.ASCII,
)
TIMES = {"ms": 1.0, "s": 1e3}  # milliseconds
_OF_PAIR = ("changed", "found", "lost", "need", "design_effect")  # kinds called as they are
_FURTHER = (
    "worst",
    "best",
    "spread",
    "change",
    "drift",
)  # kinds too, before a name: alone they may be the name of a number
_KINDS = {"Δ": "Δ", "∆": "Δ", "delta": "Δ", "d": "Δ", "low": "low", "high": "high", "p": "p",
          **{kind: kind for kind in _OF_PAIR}}  # two look like delta  # fmt: skip
_OF_KIND = re.compile(rf"(?P<kind>Δ|p(?:_\w+)?|{'|'.join((*_OF_PAIR, *_FURTHER))}) (?P<name>.+)")  # a number's name
GOLD = "gold"  # the task of a name without one
_LONGEST = 400  # characters
_EXAMPLES = "'nDCG@10<0.4' or 'p99>300ms'"

Named = Callable[[str], tuple[str, str | None]]  # the unit is None where it is not known before it is measured


@dataclass(frozen=True, slots=True)
class Condition:
    """One comparison; `bound` and `unit` are as they were written."""

    kind: str  # Δ, low, high, p, p_TEST, changed, …, or empty for the number itself
    name: str
    sign: str
    bound: float
    unit: str

    def at(self, unit: str) -> float:
        """Return the bound in the unit of a value; InputError where it cannot be in that one."""
        if unit in TIMES:
            if self.unit not in TIMES:
                written = f"{self._stated}{self.sign}{self.bound:g}"
                raise InputError(f"{self._stated} is a time; write {written}ms, or s")
            return self.bound * TIMES[self.unit] / TIMES[unit]
        if self.unit in TIMES or (self.unit and unit):
            raise InputError(f"{self._stated} is not measured in {self.unit}")
        return self.bound / 100 if self.unit else self.bound

    def among(self, names: Collection[str], final: bool = False) -> str:
        """Return which of the names of numbers this one is about; InputError with what there is, as `Gate.measured`."""
        full_names: dict[str, str] = {}
        for kind in ("Δ", "") if self.kind in ("low", "high") else (self.kind,):
            full_names = {name: full for full in names for its_kind, name in [kind_and_name(full)] if its_kind == kind}
            for name in (self.name, f"{GOLD}.{self.name}"):
                if name in full_names:
                    return full_names[name]
            alike = [name for name in full_names if _in_any_case(name) == _in_any_case(self.name)]
            if len(alike) == 1:
                return full_names[alike[0]]
            of_tasks = [name for name in full_names if name.partition(".")[2] == self.name]
            if len(of_tasks) > 1:
                several = ", ".join(of_tasks)
                raise InputError(f"{self.name} is measured for several tasks; name one of {several}")
            if of_tasks:
                return full_names[of_tasks[0]]
        adds = "" if final else cutoff_that_adds(self.name, full_names)
        raise InputError(not_among(self._stated, "measured", names, adds))

    @property
    def _stated(self) -> str:
        return f"{self.kind} {self.name}".lstrip()


@dataclass(frozen=True, slots=True)
class Gate:
    """Conditions that must not all hold."""

    text: str
    conditions: tuple[Condition, ...]
    option: str = FAIL_IF  # that it was given with

    def measured(self, names: Collection[str], final: bool = False) -> tuple[str, ...]:
        """Return which of the names of numbers the conditions are about, `task.M` for a number of a task.

        Parameters
        ----------
        names
            Of the numbers that there are, or will be.
        final
            Whether they are those of a result, so that no option can add one.

        Raises
        ------
        InputError
            With what there is, when one is none of them or could be several.
        """
        with said_of(f"{self.option} {self.text}"):
            return tuple(condition.among(names, final) for condition in self.conditions)

    def bounds(self, units: Iterable[str]) -> tuple[float, ...]:
        """Return the bounds in the units of the values; InputError where one cannot be in that unit."""
        with said_of(f"{self.option} {self.text}"):
            return tuple(condition.at(unit) for condition, unit in zip(self.conditions, units, strict=True))


def parse_gate(
    text: str, named: Named | None = None, examples: str = _EXAMPLES, tests: Collection[str] = (), option: str = FAIL_IF
) -> Gate:
    """Return the gate that a text states.

    Parameters
    ----------
    text
        As above.
    named
        Returns how a number is named, and the unit of its values, by the name as it was written; InputError for none.
        Without it, names are taken as they are, and have no unit.
    examples
        Gates that are right, for the message.
    tests
        What may stand behind `p_`.
    option
        The option that the text was given with, for messages.

    Raises
    ------
    InputError
        Saying what is wrong with it, with an example of what is right.
    """
    if not isinstance(text, str):
        raise InputError(f"a gate is a text such as {examples}, and not of type {type(text).__name__}")
    stated = text.strip()
    parts = re.split(r"\s+and\s+", stated, flags=re.IGNORECASE) if len(text) <= _LONGEST else []
    matches = [match for part in parts if (match := _CONDITION.fullmatch(part))]
    if not matches or len(matches) < len(parts):
        raise InputError(f"{option} {text[:_LONGEST]!r} is not name, comparison and bound, as in {examples}")
    with said_of(f"{option} {stated}"):
        return Gate(stated, _conditions(matches, named, tests), option)


def as_gates(given: str | Gate | Iterable[str | Gate], parse: Callable[[str], Gate] = parse_gate) -> tuple[Gate, ...]:
    """Return gates of what may be texts; one may stand alone.

    Raises
    ------
    InputError
        As `parse`, and for what is neither a text nor a gate.
    """
    several = [given] if isinstance(given, str | Gate) else given
    if not isinstance(several, Iterable):
        raise InputError(f"fail_if has gates such as 'nDCG@10<0.4', and is not of type {type(given).__name__}")
    gates = []
    for gate in several:
        if not isinstance(gate, str | Gate):
            raise InputError(f"a gate is a text such as 'nDCG@10<0.4', and not of type {type(gate).__name__}")
        gates.append(gate if isinstance(gate, Gate) else parse(gate))
    return tuple(gates)


def _conditions(matches: Sequence[re.Match[str]], named: Named | None, tests: Collection[str]) -> tuple[Condition, ...]:
    stated = [(match, *_stated(match, named, tests)) for match in matches]
    only = {name: unit for _, _, name, unit in stated if name}
    conditions = []
    for match, kind, name, unit in stated:
        if not name and len(only) != 1:
            raise InputError(f"name the measure, as in '{kind} nDCG@10 {match['sign']} 0.05'")
        meant, its_unit = (name, unit) if name else next(iter(only.items()))
        bound = BOUND.read(match["bound"], "the bound")
        condition = Condition(kind, meant, match["sign"], bound, match["unit"] or "")
        its_unit = "" if kind.startswith("p") else its_unit
        if its_unit is not None:
            condition.at(its_unit)
        conditions.append(condition)
    return tuple(conditions)


def _stated(match: re.Match[str], named: Named | None, tests: Collection[str]) -> tuple[str, str, str | None]:
    """Return kind, name and unit of what a condition is about; the name is empty where only a kind is written."""
    kind, name = _kind(match["name"], tests)
    name = ERROR_RATE if name == ERRORS and match["unit"] == "%" else name
    if named is None:
        return kind, name, None
    if name:
        return kind, *named(name)
    with suppress(InputError):
        whole, unit = named(match["name"])  # a measure may be called as a kind is
        if unit is not None:
            return "", whole, unit
    return kind, "", ""


def _in_any_case(name: str) -> tuple[str, str, str]:
    """Return the parts of a name, its task as it is whatever its case."""
    task, dot, rest = name.partition(".")
    return task.casefold() if dot else task, dot, rest


def _kind(name: str, tests: Collection[str]) -> tuple[str, str]:
    first, _, rest = name.replace("Δ", "Δ ").replace("∆", "∆ ").partition(" ")
    low = first.lower()
    if low in _FURTHER and rest.strip():
        return low, rest.strip()
    kind = low if low in {f"p_{test}" for test in tests} else _KINDS.get(first) or _KINDS.get(low)
    return ("", name) if kind is None else (kind, rest.strip())


def kind_and_name(name: str) -> tuple[str, str]:
    """Return the two parts of a number's name: `Δ` and `nDCG@10`; the first is empty for the number itself."""
    match = _OF_KIND.fullmatch(name)
    return (match["kind"], match["name"]) if match else ("", name)
