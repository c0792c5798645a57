"""What gates may name in a comparison: differences, p-values and means, `Δ nDCG@10 < -0.01 and p < 0.05`.

A gate is about one system against the baseline.
"""

from collections.abc import Callable, Iterable, Sequence

from benchbench.errors import InputError
from benchbench.results import gates
from benchbench.results.checks import check
from benchbench.results.gates import Gate
from benchbench.results.record import GateResult, Number, Scope
from benchbench.significance.result import Comparison, Difference, Estimate, Slice
from benchbench.significance.settings import TESTS

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
    """Return the differences of pairs, their corrected p-values, the means of systems, and the same of slices."""
    queries, test = len(comparison.paired.queries), comparison.settings.test
    level = f"{100 * (1 - comparison.settings.alpha):g} %"

    def mean(name: str, one: Estimate | Difference | Slice, scope: Scope, n: int = queries) -> Number:
        return Number(
            name=name,
            value=one.mean,
            low=one.low,
            high=one.high,
            interval=f"{one.interval}, {level}",
            n=n,
            better="higher",
            scope=scope,
        )

    found = [mean(f"Δ {one.measure}", one, _pair(one)) for one in comparison.differences]
    for one in comparison.differences:
        ps = {"p": one.corrected[test], **{f"p_{name}": p for name, p in one.corrected.items()}}
        found += [Number(name=f"{name} {one.measure}", value=p, n=queries, scope=_pair(one)) for name, p in ps.items()]
        if one.design_effect is not None:
            named = f"design_effect {one.measure}"
            found.append(Number(name=named, value=one.design_effect, n=queries, scope=_pair(one)))
    found += [mean(one.measure, one, {"system": one.system}) for one in comparison.estimates]
    for part in comparison.slices:
        scope = {**_pair(part), "slice": f"{part.column}={part.value}"}
        found.append(mean(f"Δ {part.measure}", part, scope, part.queries))
        found.append(Number(name=f"p {part.measure}", value=part.corrected, n=part.queries, scope=scope))
    return found


def _pair(one: Difference | Slice) -> Scope:
    return {"system": one.system, "baseline": one.baseline}
