"""What a check goes by."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from benchbench.significance.run_gate import GateSettings
from benchbench.tables.numbers import ALPHA, COUNT, DIFFERENCE, SEED, check

if TYPE_CHECKING:
    from benchbench.history.alerts.targets import Target
    from benchbench.results.gates import Gate


@dataclass(frozen=True, slots=True)
class CheckSettings:
    """What a check goes by.

    Attributes
    ----------
    alpha
        The chance that a series without a change ever alarms in quality, and the same in speed.
    planned
        Different observations that most of alpha is spent over, from the reference on.
    margin
        Least difference that matters: say whether a measure is not worse by more. Of latency a share: 0.1 is a tenth.
    cluster
        Column of the queries whose values say which belong together.
    seed
        Of the sign flips.
    every
        Check every series, and not that of the newest run.
    alerts
        Who is told that an alert began or ended.
    run
        The run to judge, as `History.one` takes it; later runs of its series do not count. None: the latest.
    conditions
        That must not hold, whatever the tests show; one that begins or ends to hold is told as an alert is.
    """

    alpha: float = 0.05
    planned: int = 60
    margin: float | None = None
    cluster: str | None = None
    seed: int = 0
    every: bool = False
    alerts: "tuple[Target, ...]" = ()
    run: str | None = None
    conditions: "tuple[Gate, ...]" = ()

    def __post_init__(self) -> None:
        """Refuse numbers that make no sense; InputError names the option."""
        check(self, alpha=ALPHA, seed=SEED)
        object.__setattr__(self, "planned", COUNT.take(self.planned, "--planned-runs"))
        if self.margin is not None:
            check(self, margin=DIFFERENCE)
        self.share(1)

    def share(self, measures: int) -> None:
        """Let so many measures share alpha; InputError where no test can have its level."""
        GateSettings(self.alpha, self.planned, measures)
