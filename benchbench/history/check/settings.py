"""What a check goes by."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

from benchbench.tables.numbers import ALPHA, COUNT, DIFFERENCE
from benchbench.tables.settings import Cluster, Opt, Seed, check_described, described

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
