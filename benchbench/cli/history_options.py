"""The options that commands of the history share: which store, and which of its runs."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated

from benchbench.cli.parameters import Address
from benchbench.errors import InputError, visible
from benchbench.tables.numbers import COUNT
from benchbench.tables.settings import Opt

if TYPE_CHECKING:
    from benchbench.history.alerts.targets import Target
    from benchbench.history.entry import Wanted
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


def wanted_runs(
    run_name: Annotated[str | None, Opt("Only runs of this name.", flags=("--name",))] = None,
    kind: Annotated[str | None, Opt("Only results of this kind: run, load, score, …")] = None,
    data: Annotated[
        str | None, Opt("Only those on this data set: its name, or 8 digits of its digest.", flags=("--dataset",))
    ] = None,
    tag: Annotated[
        tuple[str, ...], Opt("Only those with this tag; repeat it for more.", metavar="NAME=VALUE", is_repeated=True)
    ] = (),
    commit: Annotated[str | None, Opt("Only those of this commit: its first 4 or more digits.")] = None,
    since: Annotated[
        str | None, Opt("Only those that started then or later: 2026-11-23, in UTC.", metavar="TIME")
    ] = None,
    until: Annotated[str | None, Opt("Only those that started then or earlier.", metavar="TIME")] = None,
    signature: Annotated[str | None, Opt("Only those with this signature, whole or its 8 short digits.")] = None,
    limit: Annotated[int | None, Opt("The latest so many of these.", COUNT)] = None,
) -> "Wanted":
    """Return which runs of the store are meant."""
    from benchbench.history.entry import Wanted

    return Wanted(
        name=run_name,
        kind=kind,
        data=data,
        tags=tags_of(tag),
        commit=commit,
        since=since,
        until=until,
        signature=signature,
        limit=limit,
    )


def tags_of(given: tuple[str, ...]) -> Mapping[str, str]:
    """Return tags that were given as NAME=VALUE; InputError for others."""
    tags = {}
    for one in given:
        name, equals, value = one.partition("=")
        if not equals or not name.strip():
            raise InputError(f"--tag {visible(one, 60)} is not NAME=VALUE")
        tags[name.strip()] = value
    return tags


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


Runs = Annotated["Wanted", wanted_runs]
Alerts = Annotated["tuple[Target, ...]", alert_targets]
