"""Which runs of a store are wanted."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated

from benchbench.errors import InputError, visible
from benchbench.results.ranges import COUNT
from benchbench.results.settings import Opt, described


@described
@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """Which runs of a store; what is None or empty is no condition.

    A commit and the digest of data may be named by their first characters: 4 of a commit, 8 of a digest. A time without
    a zone is UTC, and a date means the whole day.
    """

    name: Annotated[str | None, Opt("Only runs of this name.")] = None
    kind: Annotated[str | None, Opt("Only results of this kind: run, load, score, …")] = None
    data: Annotated[str | None, Opt("Only those on this data set: name or digest.", flags=("--dataset",))] = None
    tags: Annotated[
        tuple[str, ...] | Mapping[str, str],
        Opt("Only those with this tag; repeat it for more.", None, ("--tag",), metavar="NAME=VALUE", is_repeated=True),
    ] = ()
    commit: Annotated[str | None, Opt("Only those of this commit: 4 digits or more.")] = None
    since: Annotated[str | None, Opt("Only those since then: 2026-11-23, in UTC.", metavar="TIME")] = None
    until: Annotated[str | None, Opt("Only those that started then or earlier.", metavar="TIME")] = None
    signature: Annotated[str | None, Opt("Only those with this signature: 8 digits.")] = None
    limit: Annotated[int | None, Opt("The latest so many of these.", COUNT)] = None

    def __post_init__(self) -> None:
        """Read tags that were given as NAME=VALUE; InputError for others."""
        if not isinstance(self.tags, Mapping):
            object.__setattr__(self, "tags", dict(map(_tag, self.tags)))

    @property
    def tag_values(self) -> Mapping[str, str]:
        """The value that each of the tags must have."""
        return self.tags if isinstance(self.tags, Mapping) else {}


def _tag(given: str) -> tuple[str, str]:
    name, equals, value = given.partition("=")
    if not equals or not name.strip():
        raise InputError(f"--tag {visible(given, 60)} is not NAME=VALUE")
    return name.strip(), value


ALL = Wanted()
