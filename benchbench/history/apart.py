"""What a reader should know of runs that are listed together: which cannot be compared, and which clocks went back."""

from collections import defaultdict
from collections.abc import Iterable, Sequence

from benchbench.comparison.comparable import comparable_parts, unlike
from benchbench.errors import visible
from benchbench.history.entry import Entry, Series
from benchbench.history.find import series_of

_SHOWN = 3  # runs that a sentence names
_DATA = "data"  # the part of a signature that is a digest of the data, as most have it


def apart(entries: Iterable[Entry]) -> list[str]:
    """Return a sentence for each series whose runs bear the name of a newer one, and cannot be compared with that."""
    named: dict[tuple[str, str], list[Series]] = defaultdict(list)
    for one in series_of(entries):
        named[one.kind, one.name].append(one)
    return [
        f"{_runs(len(other.entries))} named {visible(other.name, 60)} cannot be compared with run "
        f"{newest.entries[-1].number} of that name: {', '.join(differences(newest, other))}"
        for newest, *others in named.values()
        for other in others
    ]


def differences(one: Series, other: Series) -> list[str]:
    """Return in words why two series of one name are not one, with what the second has and the first."""
    return unlike(_parts(other), _parts(one))


def set_back(entries: Sequence[Entry]) -> list[str]:
    """Return a sentence where runs started before one that was recorded earlier: a clock was set, or a folder was old.

    Parameters
    ----------
    entries
        Of one series, in the order of recording, which is the one that counts.
    """
    late, found = "", []
    for one in entries:
        if one.started < late:
            found.append(one)
        late = max(late, one.started)
    if not found:
        return []
    several = len(found) > 1
    shown = ", ".join(f"{one.number} ({one.started})" for one in found[:_SHOWN]) + ", …" * (len(found) > _SHOWN)
    return [
        f"{_runs(len(found))} of {visible(found[0].name, 60)} started before {'ones' if several else 'one'} recorded "
        f"earlier: {shown}; runs stand in the order in which they were recorded"
    ]


def _parts(one: Series) -> dict[str, str]:
    """Return what the runs of a series share; of the data the digest, else the name."""
    parts = comparable_parts(one.signature)
    data = one.data_digest or one.data
    return parts if data in parts.values() else {_DATA: data, **parts}


def _runs(count: int) -> str:
    return f"{count:,} run{'s' * (count != 1)}"
