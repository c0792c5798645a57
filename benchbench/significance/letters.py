"""Compact letter display: systems that share a letter are not measurably different (Piepho 2004).

A letter is a group of systems of which no two differ. Piepho's insertion lists all greatest groups, of which there may
be 3^(n/3). Here groups grow one by one until every pair that does not differ shares one (the clique growing of Gramm,
Guo, Hüffner, Niedermeier and Piepho 2007): no more groups than pairs, and none of them is part of another.
"""

from collections.abc import Iterable, Sequence
from string import ascii_letters

from benchbench.significance.result import PairedDifference

MANY = 4  # systems: from here on a table with letters has fewer rows than there are pairs (6)


def tie_groups(systems: int, different: Iterable[tuple[int, int]]) -> list[list[int]]:
    """Return groups of systems of which no two differ, so that two systems share a group if and only if they are tied.

    Parameters
    ----------
    systems
        How many there are; their places, from 0, are best in the order of a table.
    different
        Places of two systems that differ measurably, in any order.

    Returns
    -------
    list
        Places in each group, ascending; groups by their first member, then by the next.
    """
    everyone = (1 << systems) - 1
    tied = [everyone & ~(1 << place) for place in range(systems)]  # a bit for each system that is tied with this one
    for a, b in different:
        tied[a] &= ~(1 << b)
        tied[b] &= ~(1 << a)
    open_pairs = list(tied)  # … with which it shares no group yet
    groups: list[list[int]] = []
    for first in range(systems):
        alone = not tied[first]
        while open_pairs[first] or alone:
            alone = False
            group, candidates = [first], tied[first]
            while candidates:
                pool = candidates & open_pairs[first] or candidates
                member = (pool & -pool).bit_length() - 1
                group.append(member)
                candidates &= tied[member]
            members = sum(1 << place for place in group)
            for place in group:
                open_pairs[place] &= ~members
            groups.append(sorted(group))
    return sorted(groups)


def tie_letters(systems: Sequence[str], differences: Iterable[PairedDifference]) -> dict[str, str]:
    """Return the letters of each system in one measure; past z and Z, numbers of groups with commas.

    Parameters
    ----------
    systems
        In the order of the table: the first has the letter a.
    differences
        Of all pairs of these systems in one measure.
    """
    places = {system: place for place, system in enumerate(systems)}
    different = [(places[each.baseline], places[each.system]) for each in differences if each.significant]
    groups = tie_groups(len(systems), different)
    by_letter = len(groups) <= len(ascii_letters)
    names: list[list[str]] = [[] for _ in systems]
    for number, group in enumerate(groups):
        for place in group:
            names[place].append(ascii_letters[number] if by_letter else f"{number + 1}")
    return {system: ("" if by_letter else ",").join(names[place]) for system, place in places.items()}


def rank_span(low: int, high: int) -> str:
    """Return the ranks that the tests leave open, as 1–3, or one rank."""
    return f"{low}" if low == high else f"{low}–{high}"
