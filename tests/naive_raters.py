"""Slow and obvious twins of how raters are compared, in fractions and written from the definitions."""

import itertools
from collections import Counter
from collections.abc import Hashable, Sequence
from fractions import Fraction


def kappa(first: Sequence[float], second: Sequence[float], weighted: bool = False) -> Fraction | None:
    """Cohen's kappa: 1 less the disagreement that is there over the one by chance; None where there can be none."""
    grades = sorted({*first, *second})

    def weight(a: float, b: float) -> int:
        return (grades.index(a) - grades.index(b)) ** 2 if weighted else int(a != b)

    there = Fraction(sum(weight(a, b) for a, b in zip(first, second, strict=True)), len(first))
    by_chance = Fraction(sum(weight(a, b) for a in first for b in second), len(first) * len(second))
    return None if by_chance == 0 else 1 - there / by_chance


def alpha(units: Sequence[Sequence[float]]) -> Fraction | None:
    """Krippendorff's ordinal alpha; each unit has the ratings that it was given."""
    paired = [unit for unit in units if len(unit) > 1]
    ratings = [rating for unit in paired for rating in unit]
    counts = Counter(ratings)
    grades = sorted(counts)

    def distance(a: float, b: float) -> Fraction:
        low, high = sorted((a, b))
        between = sum(counts[one] for one in grades if low <= one <= high)
        return (between - Fraction(counts[a] + counts[b], 2)) ** 2

    observed = sum(
        (sum(distance(a, b) for a, b in itertools.permutations(unit, 2)) / Fraction(len(unit) - 1) for unit in paired),
        Fraction(0),
    )
    expected = sum((distance(a, b) for a, b in itertools.permutations(ratings, 2)), Fraction(0))
    return None if expected == 0 else 1 - (len(ratings) - 1) * observed / expected


def jackknife_error(values: Sequence[float]) -> float:
    """Return the standard error of a statistic by its values without each block."""
    mean = sum(values) / len(values)
    return float((sum((one - mean) ** 2 for one in values) * (len(values) - 1) / len(values)) ** 0.5)


def permutation_p(cells: Sequence[Hashable], grades: Sequence[float], values: Sequence[float]) -> float:
    """Return the share of all orders of grades within cells whose sum of products is as far from its mean."""
    by_cell: dict[Hashable, list[int]] = {}
    for place, cell in enumerate(cells):
        by_cell.setdefault(cell, []).append(place)
    found = []
    for orders in itertools.product(*(itertools.permutations(places) for places in by_cell.values())):
        total = 0.0
        for places, order in zip(by_cell.values(), orders, strict=True):
            mean = sum(values[place] for place in places) / len(places)
            total += sum(grades[taken] * (values[place] - mean) for place, taken in zip(places, order, strict=True))
        found.append(total)
    there = found[0]  # the first order is the one that there is
    return sum(abs(one) >= abs(there) - 1e-9 for one in found) / len(found)
