"""The measures of a run and of a load test where none are named.

What they are follows the data: those of the Chinese seed for tiered data, those that the field reports for judgments
in files of their own, and those that need no judgments for labels.
"""

from collections.abc import Iterable, Sequence
from typing import Literal

from benchbench.measures.catalog import CATALOG
from benchbench.measures.notation import Measure, resolve
from benchbench.tables.shared_messages import AT_EACH_CUTOFF

Kind = Literal["tiered", "judgments", "labels"]

MICRO = ("microP", "microR", "microF1")
_BY_KIND: dict[Kind, tuple[tuple[str, ...], tuple[int, ...]]] = {  # names, and the ranks at which they are cut off
    "tiered": ((*AT_EACH_CUTOFF, *MICRO), (3, 5, 10)),
    "judgments": (("nDCG", "R", "AP", "RR"), (10,)),
    "labels": (("P", "R", "Success", "nDCG", "RR"), (3, 5, 10)),
}
_DEEPER = {"R": 100, "AP": 100}  # of judgments, as BEIR and TREC report them


def default_measures(cutoffs: Iterable[int]) -> tuple[Measure, ...]:
    """Return the measures at some cut-offs, in the order of the report."""
    return tuple(Measure(name, (), k) for k in cutoffs for name in (*AT_EACH_CUTOFF, *MICRO))


def measures_for(kind: Kind, ranks: Sequence[int] = ()) -> tuple[Measure, ...]:
    """Return the measures of a kind of data, at some ranks instead of its own where there are any."""
    names, own = _BY_KIND[kind]
    if kind == "tiered":
        return default_measures(ranks or own)
    at = [(name, k) for k in ranks or own for name in names]
    if kind == "judgments" and not ranks:
        at = [(name, _DEEPER.get(name, k)) for name, k in at]
    return tuple(Measure(name, (), k) for name, k in at)


def default_cutoffs(measures: Sequence[Measure], averaged: bool = False) -> tuple[int, ...]:
    """Return the cut-offs at which these are the default measures, or those `averaged`; none of another list."""
    ranks = tuple(
        int(measure.cutoff) for measure in measures if measure.name == AT_EACH_CUTOFF[0] and measure.cutoff is not None
    )
    wanted = averaged_measures(default_measures(ranks)) if averaged else default_measures(ranks)
    return ranks if wanted == tuple(measures) else ()


def averaged_measures(measures: Sequence[Measure]) -> tuple[Measure, ...]:
    """Return what load tests and repeats report of some measures: micro averages only where they were asked for."""
    by_default = bool(default_cutoffs(measures))
    return tuple(measure for measure in measures if not (by_default and CATALOG[measure.name].aggregate == "micro"))


def deepest_cutoff(measures: Iterable[Measure]) -> int | None:
    """Return the deepest rank at which a measure is cut off; None where none is."""
    ranks = [
        measure.cutoff
        for measure in measures
        if measure.cutoff is not None and CATALOG[measure.name].cutoff_type == "rank"
    ]
    return int(max(ranks)) if ranks else None


def leading(names: Sequence[str]) -> str:
    """Return the measure to show where there is room for one: nDCG at the deepest rank, else the first."""
    name = f"nDCG@{deepest_cutoff(resolve(names))}"
    return name if name in names else names[0]
