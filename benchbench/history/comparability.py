"""Which runs of a history may be compared, and in words why others may not, failed, or stand in another order."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from itertools import pairwise

from benchbench.comparison.comparable import comparable_parts, rules, unlike
from benchbench.errors import visible
from benchbench.history.entry import COMPLETE, Entry, Series
from benchbench.tables.shared_messages import and_joined, counted, few

_SHOWN = 4  # sentences
_DIGEST = re.compile(r"\b([0-9a-f]{8})[0-9a-f]{8,}\b")  # its first digits tell two apart
_DATA = "data"  # the part of a signature that is a digest of the data, as most have it


def incomparable(runs: Iterable[Entry]) -> list[str]:
    """Return a sentence for each series whose runs bear the name of a newer one, and cannot be compared with that.

    Of many series the last says only how many there are.
    """
    ordered = sorted(runs, key=lambda entry: entry.number)
    many = Counter(entry.series for entry in ordered)
    named: dict[tuple[str, str], list[Entry]] = defaultdict(list)
    for last in sorted({entry.series: entry for entry in ordered}.values(), key=lambda entry: -entry.number):
        named[last.kind, last.name].append(last)
    pairs = [(newest, other) for newest, *others in named.values() for other in others]
    sentences = [
        f"{counted(many[other.series], 'run')} named {visible(other.name, 60)} cannot be compared with run "
        f"{newest.number} of that name: {', '.join(differences(newest, other))}"
        for newest, other in pairs[:_SHOWN]
    ]
    more = sum(many[other.series] for _, other in pairs[_SHOWN:])
    if more:
        sentences.append(f"{counted(more, 'run')} more cannot be compared with the latest of their names")
    return sentences


def differences(newer: Entry | Series, other: Entry | Series) -> list[str]:
    """Return in words why two series of one name are not one, with what the second has and the first."""
    return [_DIGEST.sub(r"\1", difference) for difference in unlike(_parts(other), _parts(newer))]


def _parts(of_series: Entry | Series) -> dict[str, str]:
    """Return what the runs of a series share; of the data the digest, else the name."""
    parts = comparable_parts(of_series.signature)
    data = of_series.data_digest or of_series.data
    return parts if data in parts.values() else {_DATA: data, **parts}


def comparable_groups(entries: Iterable[Entry]) -> list[int]:
    """Return a number per run, from 0 in their order: of runs with the same one numbers may be compared.

    They are of one kind, with the same data and by the same rules, whatever their names.
    """
    known: dict[tuple[str, str, str], int] = {}
    of_series: dict[str, int] = {}
    groups = []
    for entry in entries:
        if entry.series not in of_series:
            key = (entry.kind, entry.data_digest or entry.data, rules(entry.signature))
            of_series[entry.series] = known.setdefault(key, len(known))
        groups.append(of_series[entry.series])
    return groups


def apart(series: Series, other: Series) -> str:
    """Return what differs between two series of one name."""
    return and_joined([visible(reason, 200) for reason in differences(series, other)]) or "they may not be compared"


def clocks(entries: Sequence[Entry]) -> list[str]:
    """Return where the order of recording is not that of time."""
    back = [after.number for before, after in pairwise(entries) if after.started < before.started]
    if not back:
        return []
    return [
        f"{listed_runs(back)} began before the run recorded before {'it' if len(back) == 1 else 'them'}: a clock went "
        "back, or older runs were added later; what counts is the order of recording"
    ]


def failed(entries: Sequence[Entry]) -> list[str]:
    """Return the runs that are in no reference and in no window because they did not end well."""
    sentences = []
    for status in dict.fromkeys(entry.status for entry in entries if entry.status != COMPLETE):
        its = [entry for entry in entries if entry.status == status]
        verb = ended(its[0]) if len(its) == 1 else ended(its[0]).replace("was", "were")
        sentences.append(
            f"{listed_runs([entry.number for entry in its])} {verb}, and {'is' if len(its) == 1 else 'are'} left out"
        )
    return sentences


def ended(entry: Entry) -> str:
    """Return how a run that is left out ended."""
    return "was interrupted" if entry.status == "interrupted" else "failed"


def listed_runs(numbers: Sequence[int]) -> str:
    """Return numbers of runs, the first few."""
    return f"run{'s' * (len(numbers) > 1)} {few([str(number) for number in numbers])}"
