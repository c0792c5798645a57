"""Sentences on what a check leaves out: runs that failed, clocks that went back, series that stand apart."""

from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

from benchbench.errors import visible
from benchbench.history.comparability import differences
from benchbench.history.entry import COMPLETE
from benchbench.tables.shared_messages import and_joined, few

if TYPE_CHECKING:
    from benchbench.history.entry import Entry, Series


def apart(series: "Series", other: "Series") -> str:
    """Return what differs between two series of one name."""
    return and_joined([visible(one, 200) for one in differences(series, other)]) or "they may not be compared"


def clocks(entries: "Sequence[Entry]") -> list[str]:
    """Return where the order of recording is not that of time."""
    back = [after.number for before, after in pairwise(entries) if after.started < before.started]
    if not back:
        return []
    return [
        f"{listed_runs(back)} began before the run recorded before {'it' if len(back) == 1 else 'them'}: a clock went "
        "back, or older runs were added later; what counts is the order of recording"
    ]


def failed(entries: "Sequence[Entry]") -> list[str]:
    """Return the runs that are in no reference and in no window because they did not end well."""
    found = []
    for status in dict.fromkeys(one.status for one in entries if one.status != COMPLETE):
        its = [one for one in entries if one.status == status]
        verb = ended(its[0]) if len(its) == 1 else ended(its[0]).replace("was", "were")
        found.append(
            f"{listed_runs([one.number for one in its])} {verb}, and {'is' if len(its) == 1 else 'are'} left out"
        )
    return found


def ended(entry: "Entry") -> str:
    """Return how a run that is left out ended."""
    return "was interrupted" if entry.status == "interrupted" else "failed"


def listed_runs(numbers: Sequence[int]) -> str:
    """Return numbers of runs, the first few."""
    return f"run{'s' * (len(numbers) > 1)} {few([str(number) for number in numbers])}"
