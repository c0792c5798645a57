"""What gates may name in a comparison: differences, p-values and means, `Δ nDCG@10 < -0.01 and p < 0.05`.

A gate is about one system against the baseline.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial

from benchbench.errors import InputError
from benchbench.results import gates
from benchbench.results.checks import check
from benchbench.results.gates import Gate
from benchbench.results.record import GateResult, Number, Scope
from benchbench.significance.comparison_settings import TESTS, CompareSettings
from benchbench.significance.result import Comparison, PairedDifference, SliceDifference, SystemMean
from benchbench.significance.shares import WILSON, share_interval

_OF_MARGIN = ("equivalent", "not_inferior")
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
        given, lambda text: gates.parse_gate(text, lambda name: (measured(name), ""), _EXAMPLE, (*TESTS, *_OF_MARGIN))
    )


def verdicts(given: Sequence[Gate], comparison: Comparison, others: Sequence[Number] = ()) -> list[GateResult]:
    """Check each gate for each system against the baseline; `others` are numbers that the comparison does not make.

    Raises
    ------
    InputError
        When no baseline is named and there are several pairs.
    """
    pairs = {(difference.baseline, difference.system) for difference in comparison.differences}
    if given and len(pairs) > 1 and comparison.settings.baseline is None:
        raise InputError(f"--fail-if {given[0].text} is about a system and the baseline; name that with --baseline")
    return check(given, [*numbers(comparison), *others]) if given else []


def numbers(comparison: Comparison) -> list[Number]:
    """Return the differences of pairs, their corrected p-values, the means of systems, and the same of slices."""
    queries, test = len(comparison.paired.queries), comparison.settings.test
    level = f"{100 * (1 - comparison.settings.alpha):g} %"

    def mean(
        name: str, difference: SystemMean | PairedDifference | SliceDifference, scope: Scope, n: int = queries
    ) -> Number:
        return Number(
            name=name,
            value=difference.mean,
            low=difference.low,
            high=difference.high,
            interval=f"{difference.interval}, {level}",
            n=n,
            better="higher",
            scope=scope,
        )

    made = [mean(f"Δ {difference.measure}", difference, _pair(difference)) for difference in comparison.differences]
    for difference in comparison.differences:
        ps = {"p": difference.corrected[test], **{f"p_{name}": p for name, p in difference.corrected.items()}}
        made += [
            Number(name=f"{name} {difference.measure}", value=p, n=queries, scope=_pair(difference))
            for name, p in ps.items()
        ]
        made += _of_pair(difference, comparison.settings, queries)
    made += [mean(estimate.measure, estimate, {"system": estimate.system}) for estimate in comparison.estimates]
    for part in comparison.slices:
        scope = {**_pair(part), "slice": f"{part.column}={part.value}"}
        made.append(mean(f"Δ {part.measure}", part, scope, part.queries))
        made.append(Number(name=f"p {part.measure}", value=part.corrected, n=part.queries, scope=scope))
    return made


def _of_pair(difference: PairedDifference, settings: CompareSettings, queries: int) -> Iterator[Number]:
    """Yield how many queries changed and flipped, and what was asked for besides."""
    made = partial(Number, n=queries, scope=_pair(difference))
    if difference.changed is not None:
        share = partial(made, name=f"changed {difference.measure}", value=difference.changed / queries)
        if settings.cluster is None:  # Wilson's interval is of independent queries
            low, high = share_interval(difference.changed, queries, settings.alpha)
            share = partial(share, low=low, high=high, interval=f"{WILSON}, {100 * (1 - settings.alpha):g} %")
        yield share()
    for name, count in (("found", difference.found), ("lost", difference.lost)):
        if count is not None:
            yield made(name=f"{name} {difference.measure}", value=float(count))
    if difference.design_effect is not None:
        yield made(name=f"design_effect {difference.measure}", value=difference.design_effect)
    if settings.need is not None:
        needed = None if difference.need is None else float(difference.need)
        yield made(
            name=f"need {difference.measure}", value=needed, unit="queries" if settings.cluster is None else "groups"
        )
    if difference.margin is not None:
        yield made(name=f"p_equivalent {difference.measure}", value=difference.margin.equivalent)
        yield made(name=f"p_not_inferior {difference.measure}", value=difference.margin.not_inferior)


def _pair(difference: PairedDifference | SliceDifference) -> Scope:
    return {"system": difference.system, "baseline": difference.baseline}
