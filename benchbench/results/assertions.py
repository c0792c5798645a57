"""Assertions on the numbers of a result: `result.assert_at_least("nDCG@10", 0.4)`.

A value that was measured over some queries is not that of all queries. At level `interval` an assertion holds when the
end of the interval that is nearer to the bound holds: the low end is at least the bound, or the high end at most. At
level `point` the value itself is compared, so that an assertion on a value near the bound holds today and fails
tomorrow, although nothing has changed.
"""

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace
from importlib import import_module
from typing import TYPE_CHECKING, Literal

from benchbench.errors import InputError, visible
from benchbench.results.checks import Refusal, about_of, chosen
from benchbench.results.gates import TIMES, Gate, kind_and_name, parse_gate

if TYPE_CHECKING:
    from benchbench.results.measured import Measured
    from benchbench.results.record import Number, Record

Level = Literal["interval", "point"]
_SIGNS = {"assert_at_least": "<", "assert_at_most": ">"}  # of what must not be
_REQUIRED = {"<": "at least", ">": "at most"}
_END = {"<": "low", ">": "high"}
_ENOUGH = 1_000_000  # times as many queries; to say more would be no help


@dataclass(frozen=True, slots=True, kw_only=True)
class Asserted:
    """One number that was asserted about.

    Attributes
    ----------
    name
        Of the number, with its task, and after the target, step or pair that it is of where there are several.
    value, low, high, n
        As measured; in `unit`, like the bound.
    required
        `at least` or `at most`.
    passed
        Whether it held.
    sentence
        What was observed and what was required.
    """

    name: str
    value: float | None
    low: float | None
    high: float | None
    n: int | None
    unit: str
    required: str
    bound: float
    level: Level
    passed: bool
    sentence: str


def asserted(result: "Measured", function: str, measure: str, bound: float | str, level: str) -> list[Asserted]:
    """Return what became of an assertion, for each target, step or pair that has such a number.

    Parameters
    ----------
    result
        What was measured.
    function
        `assert_at_least` or `assert_at_most`.
    measure, bound, level
        As `Result.assert_at_least` takes them.

    Raises
    ------
    InputError
        A name that nothing has, a bound that is none, a number without an interval at level `interval`.
    """
    if level not in ("interval", "point"):
        raise InputError(f"{function}: level is 'interval' or 'point', and not {level!r}")
    numbers = result.record.numbers
    gate = _gate(function, measure, bound)
    try:
        groups = chosen(gate, numbers)
    except InputError:
        kind, name = kind_and_name(measure.strip())
        # such as nDCG@10 for ndcg_cut_10
        reported = import_module("benchbench.measures.gate_names").reported_name(name)
        if reported == name:
            raise
        gate = _gate(function, f"{kind} {reported}", bound)
        groups = chosen(gate, numbers)
    if level == "interval":
        own_intervals = import_module("benchbench.measures.own_interval").own_intervals  # of values per query
        groups = [(scope, own_intervals(result, of_group)) for scope, of_group in groups]
    results = [_one(gate, scope, number, level) for scope, (number,) in groups]  # type: ignore[arg-type]
    why = result.refusals().get(gate.conditions[0].name)
    return results if why is None else [_refused(result, why) for result in results]


def broken(record: "Record") -> str | None:
    """Return why no number of a result can be asserted about, or None."""
    sentences = [gate.said for gate in record.gates if gate.verdict == "broken"]
    if sentences or record.status == "complete":
        return "; ".join(sentences) or None
    return (
        f"the {record.kind} has the status {record.status}: its numbers do not cover everything that was to be measured"
    )


def sentence(results: Iterable[Asserted]) -> str:
    """Return what failed."""
    return "; ".join(result.sentence for result in results if not result.passed)


def _gate(function: str, measure: str, bound: float | str) -> Gate:
    """Return the gate that fails where the assertion does, named as messages are to name it."""
    if not isinstance(measure, str) or not measure.strip():
        raise InputError(f"{function}: a measure is a text such as 'nDCG@10', and not {measure!r}")
    if isinstance(bound, bool) or not isinstance(bound, float | int | str):
        raise InputError(f"{function} {measure}: a bound is a number, or a text such as '300ms', and not {bound!r}")
    if not isinstance(bound, str) and not math.isfinite(bound):
        raise InputError(f"{function} {measure}: {bound} is not a bound")
    text = bound if isinstance(bound, str) else repr(float(bound))
    kind = kind_and_name(measure.strip())[0]
    tests = [kind.removeprefix("p_")] if kind.startswith("p_") else []
    sign = _SIGNS[function]
    try:
        gate = parse_gate(f"{measure.strip()} {sign} {text.strip()}", tests=tests, option=function)
    except InputError:
        raise InputError(
            f"{function}: {visible(measure, 100)!r} and {visible(text, 100)!r} are not the name of a number and a "
            "bound, as in ('nDCG@10', 0.4) or ('p99', '300ms')"
        ) from None
    if len(gate.conditions) != 1 or gate.conditions[0].kind in ("low", "high"):
        raise InputError(f"{function}: {visible(measure, 100)!r} is not the name of one number, such as 'nDCG@10'")
    return replace(gate, text=measure.strip())


def _one(gate: Gate, scope: dict[str, str], number: "Number", level: Level) -> Asserted:
    (condition,) = gate.conditions
    if number.unit in TIMES and condition.unit not in TIMES:
        raise InputError(
            f"{gate.option} {gate.text}: this is a time; write the bound with its unit, as in '{condition.bound:g}ms'"
        )
    (bound,) = gate.bounds([number.unit])
    at_least = condition.sign == "<"
    end = number.low if at_least else number.high
    if level == "interval" and number.value is not None and end is None:
        raise InputError(
            f"{gate.option} {gate.text}: this number has no interval; use level='point' to compare the value itself"
        )
    tested = number.value if level == "point" else end
    passed = number.value is not None and tested is not None and (tested >= bound if at_least else tested <= bound)
    about, task = about_of({name: label for name, label in scope.items() if name != "task"}), number.scope.get("task")
    kind, name = kind_and_name(number.name)
    named = f"{about + ': ' if about else ''}{kind + ' ' if kind else ''}{task + '.' if task else ''}{name}"
    return Asserted(
        name=named,
        **{member: getattr(number, member) for member in ("value", "low", "high", "n", "unit")},
        required=_REQUIRED[condition.sign],
        bound=bound,
        level=level,
        passed=passed,
        sentence=_said(visible(named), number, condition.sign, bound, level, passed),
    )


def _refused(result: Asserted, why: Refusal) -> Asserted:
    way_out = f" ({why.way_out}, where it was judged)" if why.way_out else ""
    return replace(result, passed=False, sentence=f"{result.name} cannot be gone by: {why.why}{way_out}")


def _said(named: str, number: "Number", sign: str, bound: float, level: Level, passed: bool) -> str:
    unit = f" {number.unit}" if number.unit else ""
    over = "" if number.n is None else f", n = {number.n:,}"
    required = f"required {_REQUIRED[sign]} {_digits(bound, number.value)}{unit}"
    if number.value is None:
        return f"{named} has no value, {required}"
    if level == "point":
        return f"{named} is {_digits(number.value, bound)}{unit}{over}, {required}"
    ends = f"[{_digits(number.low, bound)}, {_digits(number.high, bound)}]"
    words = (
        f"{named} is {_digits(number.value, bound)}{unit} {ends} ({number.interval or 'interval'}{over}), {required}"
    )
    end = number.low if sign == "<" else number.high
    if passed or end is None:
        return words
    words_of_end = f"{words}: the {_END[sign]} end of the interval is {_digits(end, bound)}{unit}"
    return words_of_end + _enough(number, number.value, end, bound, sign)


def _enough(number: "Number", value: float, end: float, bound: float, sign: str) -> str:
    """Return what would be enough: another value with the same interval, or the same value over more queries.

    The width of an interval of a mean shrinks with the square root of the number that it is taken over.
    """
    unit = f" {number.unit}" if number.unit else ""
    less = "least" if sign == "<" else "most"
    needed = bound + (value - end)
    words = f"; with an interval as wide, a value of at {less} {_digits(needed, bound)}{unit} would be enough"
    distance, width = abs(value - bound), abs(value - end)
    if number.n is None or (value < bound if sign == "<" else value > bound) or width > math.sqrt(_ENOUGH) * distance:
        return words
    more = math.ceil(round(number.n * (width / distance) ** 2, 6))
    return f"{words}, or this value over about {_round_up(more):,} instead of {number.n:,}"


def _round_up(count: int) -> int:
    """Return a number of two digits and zeros that is not smaller: more would not be meant."""
    step: int = 10 ** max(0, len(str(count)) - 2)
    return -(-count // step) * step


def _digits(value: float | None, other: float | None) -> str:
    """Return a value with as many digits as tell it from the one that it is compared with."""
    if value is None:
        return "…"
    short = f"{value:.4g}"
    return repr(value) if other is not None and value != other and short == f"{other:.4g}" else short
