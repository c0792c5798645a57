"""What a comparison of two stored runs depends on."""

from dataclasses import dataclass
from typing import Annotated

from benchbench.tables.numbers import ALPHA
from benchbench.tables.settings import AllowDifferent, Cluster, Moved, Opt, Seed, Slices, check_described, described


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
