"""What gates may name in a comparison: differences, p-values and means, `Δ nDCG@10 < -0.01 and p < 0.05`.

A gate is about one system against the baseline.
"""

from collections.abc import Callable, Iterable, Sequence

from benchbench.errors import InputError
from benchbench.results import gates
from benchbench.results.checks import check
from benchbench.results.gates import Gate
from benchbench.results.record import GateResult, Number
from benchbench.significance.result import Comparison, Difference, Estimate
from benchbench.significance.settings import TESTS, Test

_EXAMPLE = "'Δ nDCG@10 < -0.01 and p < 0.05'"


def as_gates(given: str | Gate | Iterable[str | Gate], measured: Callable[[str], str]) -> tuple[Gate, ...]:
    """Return gates of what may be texts.

    Parameters
    ----------
    given
        As `results.gates` describes them; one may stand alone.
    measured
        Returns the name under which a measure is compared; InputError when it is not.

    Raises
    ------
    InputError
        Saying what is wrong with one, with an example of what is right.
    """
    return gates.as_gates(
        given, lambda text: gates.parse_gate(text, lambda name: (measured(name), ""), _EXAMPLE, TESTS)
    )


def verdicts(given: Sequence[Gate], comparison: Comparison) -> list[GateResult]:
    """Check each gate for each system against the baseline.

    Raises
    ------
    InputError
        When no baseline is named and there are several pairs.
    """
    pairs = {(one.baseline, one.system) for one in comparison.differences}
    if given and len(pairs) > 1 and comparison.settings.baseline is None:
        raise InputError(f"--fail-if {given[0].text} is about a system and the baseline; name that with --baseline")
    return check(given, numbers(comparison)) if given else []


def numbers(comparison: Comparison) -> list[Number]:
    """Return the means of systems, the differences of pairs, and their corrected p-values."""
    found = [_interval(one.measure, one, {"system": one.system}) for one in comparison.estimates]
    for one in comparison.differences:
        found += _of_pair(one, comparison.settings.test)
    return found


def _of_pair(one: Difference, test: Test) -> list[Number]:
    pair = {"baseline": one.baseline, "system": one.system}
    ps = {"p": one.corrected[test], **{f"p_{name}": p for name, p in one.corrected.items()}}
    return [
        _interval(f"Δ {one.measure}", one, pair),
        *(Number(name=f"{name} {one.measure}", value=p, scope=pair) for name, p in ps.items()),
    ]


def _interval(name: str, one: Estimate | Difference, scope: dict[str, str]) -> Number:
    return Number(name=name, value=one.mean, low=one.low, high=one.high, better="higher", scope=scope)
