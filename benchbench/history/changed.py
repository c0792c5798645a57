"""Something that a run has otherwise than another, as JSON and people have it."""

from collections.abc import Sequence
from typing import Literal, get_args

from msgspec import Struct

MOST = 8  # changes of a run that are listed
_LONG, _DIGITS = ("commit", "data digest"), 8  # of which the first digits tell two apart

ChangeKind = Literal["tag", "commit", "data", "setting", "version", "machine"]
KINDS: tuple[ChangeKind, ...] = get_args(ChangeKind)


class ChangedDetails(Struct, frozen=True):
    """Something that a run has otherwise than another run."""

    name: str
    before: str  # empty where the other run does not have it
    after: str
    kind: ChangeKind = "setting"


def changes_said(changes: Sequence[ChangedDetails], more: int = 0) -> str:
    """Return changes in a line: name, of a tag without that word, value before, value after."""
    said = [f"{its.name.removeprefix('tag ')} {shown(its, its.before)} → {shown(its, its.after)}" for its in changes]
    return ", ".join([*said, *([f"{more} more"] if more else [])])


def shown(change: ChangedDetails, value: str) -> str:
    """Return a value, before or after, as people read it."""
    return (value[:_DIGITS] if change.name in _LONG else value) or "not set"
