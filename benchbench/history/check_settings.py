"""What a check of the history, and a comparison of two of its runs, go by."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

from benchbench.results.ranges import ALPHA, COUNT, DIFFERENCE
from benchbench.results.settings import AllowDifferent, Cluster, Moved, Opt, Seed, Slices, check_described, described

if TYPE_CHECKING:
    from benchbench.history.alerts.targets import Target
    from benchbench.results.gates import Gate


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

    run: Annotated[str | None, Opt("The run to judge: its number or id.", None, (), "the latest", "RUN")] = None
    every: Annotated[bool, Opt("Check every series, not only the newest.", None, ("--all",))] = False
    alpha: Annotated[float, Opt("Chance of a false alarm over all runs.", ALPHA)] = 0.05
    planned: Annotated[int, Opt("Runs that alpha is spent over.", COUNT, ("--planned-runs",))] = 60
    margin: Annotated[
        float | None,
        Opt(
            "Least loss that matters; of latency a share.",
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
    changed: Annotated[str | None, Opt("Show every query that changed in this.", metavar="MEASURE")] = None
    moved: Moved = 5
    allow_different: AllowDifferent = False

    def __post_init__(self) -> None:
        """Refuse what cannot be; InputError names the option."""
        check_described(self)
