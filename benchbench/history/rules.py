"""Which runs of a history may be compared: one kind, the same data and the same rules."""

from collections.abc import Iterable

from benchbench.comparison.comparable import rules
from benchbench.history.entry import Run


def comparable_groups(entries: Iterable[Run]) -> list[int]:
    """Return a number per run, from 0 in their order: of runs with the same one numbers may be compared.

    They are of one kind, with the same data and by the same rules, whatever their names.
    """
    known: dict[tuple[str, str, str], int] = {}
    of_series: dict[str, int] = {}
    groups = []
    for one in entries:
        if one.series not in of_series:
            key = (one.kind, one.data_digest or one.data, rules(one.signature))
            of_series[one.series] = known.setdefault(key, len(known))
        groups.append(of_series[one.series])
    return groups
