"""What the commands of the history go by: which runs are wanted, and the settings of a check and of a comparison."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

from benchbench.errors import InputError, visible
from benchbench.tables.numbers import ALPHA, COUNT, DIFFERENCE
from benchbench.tables.settings import (
    AllowDifferent,
    Cluster,
    Moved,
    Opt,
    Seed,
    Slices,
    check_described,
    described,
)

if TYPE_CHECKING:
    from benchbench.history.alerts.targets import Target
    from benchbench.results.gates import Gate


@described
@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """Which runs of a store; what is None or empty is no condition.

    A commit and the digest of data may be named by their first characters: 4 of a commit, 8 of a digest. A time without
    a zone is UTC, and a date means the whole day.
    """

    name: Annotated[str | None, Opt("Only runs of this name.")] = None
    kind: Annotated[str | None, Opt("Only results of this kind: run, load, score, …")] = None
    data: Annotated[
        str | None, Opt("Only those on this data set: its name, or 8 digits of its digest.", flags=("--dataset",))
    ] = None
    tags: Annotated[
        tuple[str, ...] | Mapping[str, str],
        Opt("Only those with this tag; repeat it for more.", None, ("--tag",), metavar="NAME=VALUE", is_repeated=True),
    ] = ()
    commit: Annotated[str | None, Opt("Only those of this commit: its first 4 or more digits.")] = None
    since: Annotated[str | None, Opt("Only those that started then or later: 2026-11-23, in UTC.", metavar="TIME")] = (
        None
    )
    until: Annotated[str | None, Opt("Only those that started then or earlier.", metavar="TIME")] = None
    signature: Annotated[str | None, Opt("Only those with this signature, whole or its 8 short digits.")] = None
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


@described
@dataclass(frozen=True, slots=True, kw_only=True)
class CheckSettings:
    """What a check goes by.

    Attributes
    ----------
    alerts
        Who is told that an alert began or ended.
    conditions
        That must not hold, whatever the tests show; one that begins or ends to hold is told as an alert is.
    """

    run: Annotated[
        str | None, Opt("The run to judge: its number or id. Later runs do not count.", None, (), "the latest", "RUN")
    ] = None
    every: Annotated[bool, Opt("Check every series, and not only that of the newest run.", None, ("--all",))] = False
    alpha: Annotated[float, Opt("Chance of any false alarm over all planned runs.", ALPHA)] = 0.05
    planned: Annotated[
        int, Opt("Runs that alpha is spent over, from the reference on.", COUNT, ("--planned-runs",))
    ] = 60
    margin: Annotated[
        float | None,
        Opt(
            "Least difference that matters: say whether a measure is not worse by more; of latency a share, as 0.1.",
            DIFFERENCE,
        ),
    ] = None
    cluster: Cluster = None
    seed: Seed = 0
    alerts: "tuple[Target, ...]" = ()
    conditions: "tuple[Gate, ...]" = ()

    def __post_init__(self) -> None:
        """Refuse numbers that make no sense; InputError names the option."""
        check_described(self)
        self.share(1)

    def share(self, measures: int) -> None:
        """Let so many measures share alpha; InputError where no test can have its level."""
        from benchbench.significance.run_gate import GateSettings  # which a command's help needs not

        GateSettings(self.alpha, self.planned, measures)


@described
@dataclass(frozen=True, slots=True, kw_only=True)
class DiffSettings:
    """What a comparison of two stored runs depends on.

    Queries are grouped as in the runs where no cluster is named.

    Attributes
    ----------
    measures
        As gates name them; by default the first ones of the gold task.
    """

    measures: tuple[str, ...] = ()
    alpha: Annotated[float, Opt("Chance of an error that a verdict accepts.", ALPHA)] = 0.05
    seed: Seed = 0
    slices: Slices = ()
    cluster: Cluster = None
    changed: Annotated[
        str | None, Opt("Show every query whose value of this measure is another.", metavar="MEASURE")
    ] = None
    moved: Moved = 5
    allow_different: AllowDifferent = False

    def __post_init__(self) -> None:
        """Refuse what cannot be; InputError names the option."""
        check_described(self)
