"""The options that commands of the history share: which store, which measures, and who is told of alerts."""

from typing import TYPE_CHECKING, Annotated

from benchbench.cli.parameters import Address
from benchbench.results.settings import Opt

if TYPE_CHECKING:
    from benchbench.history.alerts.targets import Target
    from benchbench.history.listing import Order

ADDRESS = "BENCHBENCH_HISTORY"
Store = Annotated[
    str | None,
    Opt(
        "History: a file, or a postgresql:// URL.",
        default="as set",
        metavar="FILE|URL",
        variable=ADDRESS,
    ),
    Address(),
]
Measures = Annotated[
    tuple[str, ...],
    Opt(
        "Measures as gates name them, or all.",
        flags=("-m", "--measure"),
        default="the first ones",
        metavar="MEASURE,…",
    ),
]
By = Annotated[str | None, Opt("Break down by this column of the queries.", metavar="COLUMN")]
Ordered = Annotated["Order", Opt("Order of the runs.", ("recording", "time"), ("--order",))]


def alert_targets(
    alerts: Annotated[
        tuple[str, ...],
        Opt(
            "Tell whom: stderr, a file, a URL, or env:NAME.",
            flags=("--alert",),
            metavar="TARGET",
            is_repeated=True,
        ),
    ] = (),
    alert_token_env: Annotated[str | None, Opt("Variable that holds the webhook's token.", metavar="VAR")] = None,
) -> "tuple[Target, ...]":
    """Return who is told of alerts; InputError for a target that is none."""
    from benchbench.history.alerts.targets import read_targets

    return tuple(read_targets(alerts, alert_token_env))


Alerts = Annotated["tuple[Target, ...]", alert_targets]
