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
        "The history: a file, or postgresql://USER:PASSWORD@HOST/DATABASE.",
        default="$BENCHBENCH_HISTORY, or results/history.db",
        metavar="FILE|URL",
        variable=ADDRESS,
    ),
    Address(),
]
Measures = Annotated[
    tuple[str, ...],
    Opt(
        "Measures as gates name them, such as nDCG@10 or p99; all: every one.",
        flags=("-m", "--measure"),
        default="the first ones",
        metavar="MEASURE,…",
    ),
]
By = Annotated[
    str | None, Opt("Break down by slices of this column of the queries, such as a category.", metavar="COLUMN")
]
Ordered = Annotated[
    "Order", Opt("Order in which runs were recorded, or in which they started.", ("recording", "time"), ("--order",))
]


def alert_targets(
    alerts: Annotated[
        tuple[str, ...],
        Opt(
            "Who is told when something becomes worse, and when that ends: stderr, a file, a URL, or env:NAME with "
            "one.",
            flags=("--alert",),
            metavar="TARGET",
            is_repeated=True,
        ),
    ] = (),
    alert_token_env: Annotated[
        str | None, Opt("Send the webhook Authorization: Bearer with this variable's value.", metavar="VAR")
    ] = None,
) -> "tuple[Target, ...]":
    """Return who is told of alerts; InputError for a target that is none."""
    from benchbench.history.alerts.targets import read_targets

    return tuple(read_targets(alerts, alert_token_env))


Alerts = Annotated["tuple[Target, ...]", alert_targets]
