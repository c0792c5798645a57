"""What the store says of runs and their numbers without opening a record, and which runs are wanted."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import NamedTuple

from benchbench.errors import InputError
from benchbench.results.record import Better

NO_TAGS: Mapping[str, str] = MappingProxyType({})
COMPLETE = "complete"  # the status of a run that came to its end


class MissingValuesError(InputError):
    """A run has no values per query, or their file is gone."""


class Entry(NamedTuple):
    """One stored result.

    Attributes
    ----------
    number
        The place in the order of recording, from 1; that of a deleted run is not given again.
    id
        That of the record.
    kind, name, status
        As the record has them.
    started
        UTC, ISO 8601.
    series
        A digest of what it may be compared with: runs with the same one may stand in one line.
    signature, data, data_digest
        Empty where the record has none.
    commit, branch
        The tags of these names; empty where they are not known.
    finished, added
        UTC, ISO 8601; these and what follows only where runs were read in whole.
    source
        The folder that it was added from; empty where there was none.
    values
        The file of values per query, in the folder beside the store; empty where there is none.
    tags
        Those of the record and those given when it was added.
    """

    number: int
    id: str
    kind: str
    name: str
    status: str
    started: str
    series: str
    signature: str
    data: str
    data_digest: str
    commit: str
    branch: str
    finished: str = ""
    added: str = ""
    source: str = ""
    values: str = ""
    tags: Mapping[str, str] = NO_TAGS


class StoredNumber(NamedTuple):
    """A number of a run: `scope` is JSON, `slice` is `column=value`, or None over all."""

    run: int
    measure: str
    value: float | None = None  # all that is known of it where it was not read in whole
    scope: str = "{}"
    slice: str | None = None
    low: float | None = None
    high: float | None = None
    stderr: float | None = None
    n: int | None = None
    unit: str = ""
    better: Better | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Series:
    """Runs that may be put in one line: of one kind and name, with the same data and by the same rules.

    `signature`, `data` and `data_digest` are those of the latest; `entries` are in the order of recording.
    """

    key: str
    kind: str
    name: str
    data: str
    data_digest: str
    signature: str
    entries: tuple[Entry, ...]
