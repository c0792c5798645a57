"""Gates on scores: the names that they may have are known before anything is asked, and paid."""

from collections.abc import Callable, Iterable, Mapping, Sequence

from benchbench.errors import InputError
from benchbench.results import checks, gates
from benchbench.results.checks import NO_REFUSALS, Refusals
from benchbench.results.gates import Gate
from benchbench.results.record import GateResult, Number
from benchbench.tables.shared_messages import not_among

Texts = str | Gate | Iterable[str | Gate]


def parse_gates(
    texts: Texts, units: Mapping[str, str], examples: str, adds: Callable[[str], str] = lambda name: ""
) -> tuple[Gate, ...]:
    """Return the gates in texts.

    Parameters
    ----------
    texts
        One or several.
    units
        The unit of each number that there will be, by name.
    examples
        Gates that are right, for messages.
    adds
        Returns the option that would add a number of that name; empty for none.

    Raises
    ------
    InputError
        When one is malformed, or names a number that is not measured; the message lists those that are.
    """

    def named(name: str) -> tuple[str, str]:
        if name not in units:
            raise InputError(not_among(name, "measured", list(units), adds(name)))
        return name, units[name]

    parsed = gates.as_gates(texts, lambda text: gates.parse_gate(text, named, examples))
    for gate in parsed:
        gate.measured(list(units))
    return parsed


def check_gates(
    conditions: Sequence[Gate],
    numbers: Callable[[], Iterable[Number]],
    units: Mapping[str, str],
    broken: GateResult | None = None,
    refusals: Refusals = NO_REFUSALS,
) -> list[GateResult]:
    """Return the result of each gate; before them, that too much failed.

    Parameters
    ----------
    conditions
        The gates.
    numbers
        Makes what they are about.
    units
        Of numbers that there may be or not: a gate on one without a value fails.
    broken
        That too much failed.
    refusals
        Numbers that no gate may go by.
    """
    there = list(numbers()) if conditions else []
    known = {number.name for number in there}
    there += [Number(name=name, value=None, unit=unit) for name, unit in units.items() if name not in known]
    return [*([broken] if broken else []), *checks.check(conditions, there, refusals)]
