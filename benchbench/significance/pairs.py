"""Which two systems are compared."""

from collections.abc import Iterable
from itertools import combinations

from benchbench.errors import InputError
from benchbench.significance.comparison_settings import CompareSettings
from benchbench.significance.randomization import smallest_p

Pair = tuple[int, int]  # places of baseline and system


def pairs_of(systems: tuple[str, ...], baseline: str | None) -> list[Pair]:
    """Return the pairs to compare: each other system with the baseline, or without one all.

    Raises
    ------
    InputError
        The baseline is none of the systems.
    """
    if baseline is None:
        return list(combinations(range(len(systems)), 2))
    if baseline not in systems:
        raise InputError(f"the baseline {baseline} is not among the systems compared: {', '.join(systems)}")
    place = systems.index(baseline)
    return [(place, system) for system in range(len(systems)) if system != place]


def named_pairs(systems: Iterable[str], baseline: str | None) -> list[tuple[str, str]]:
    """Return the same by name: baseline and system."""
    names = tuple(systems)
    return [(names[baseline_place], names[place]) for baseline_place, place in pairs_of(names, baseline)]


def least_p(settings: CompareSettings, units: int) -> float:
    """Return the p-value below which none of the chosen test of so many queries or groups can be."""
    if settings.test == "randomization":
        return smallest_p(units, settings.resamples)
    return 0.0 if settings.test == "t" else 2.0 ** (1 - units)  # of Wilcoxon's, all signs alike
