"""The options that commands of the history share: which store, and which of its runs."""

import functools
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

import click

from benchbench.cli.numbers import Number
from benchbench.cli.parameters import Address
from benchbench.errors import InputError, visible
from benchbench.tables.numbers import COUNT

ADDRESS = "BENCHBENCH_HISTORY"
_Command = TypeVar("_Command", bound=Callable[..., Any])


def store_option(command: _Command) -> _Command:
    """Add `--store`; the command receives it as `store`, which may have a password."""
    return click.option(
        "--store",
        type=Address(),
        metavar="FILE|URL",
        envvar=ADDRESS,
        help="The history: a file, or postgresql://USER:PASSWORD@HOST/DATABASE.  [default: $BENCHBENCH_HISTORY, or "
        "results/history.db]",
    )(command)


def selection_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options that say which runs; the command receives them as `wanted`, a `history.entry.Wanted`."""

    @functools.wraps(command)
    def wrapped(
        *arguments: Any,
        run_name: str | None,
        kind: str | None,
        data: str | None,
        tag: tuple[str, ...],
        commit: str | None,
        since: str | None,
        until: str | None,
        signature: str | None,
        limit: int | None,
        **others: Any,
    ) -> Any:
        from benchbench.history.entry import Wanted

        when: dict[str, Any] = {"since": since, "until": until, "limit": limit}
        wanted = Wanted(
            name=run_name, kind=kind, data=data, tags=tags_of(tag), commit=commit, signature=signature, **when
        )
        return command(*arguments, wanted=wanted, **others)

    added = [
        click.option("--name", "run_name", help="Only runs of this name."),
        click.option("--kind", help="Only results of this kind: run, load, score, …"),
        click.option("--dataset", "data", help="Only those on this data set: its name, or 8 digits of its digest."),
        click.option(
            "--tag", multiple=True, metavar="NAME=VALUE", help="Only those with this tag; repeat it for more."
        ),
        click.option("--commit", help="Only those of this commit: its first 4 or more digits."),
        click.option("--since", metavar="TIME", help="Only those that started then or later: 2026-11-23, in UTC."),
        click.option("--until", metavar="TIME", help="Only those that started then or earlier."),
        click.option("--signature", help="Only those with this signature, whole or its 8 short digits."),
        click.option("--limit", type=Number(COUNT), help="The latest so many of these."),
    ]
    for option in reversed(added):
        wrapped = option(wrapped)
    return wrapped


def tags_of(given: tuple[str, ...]) -> Mapping[str, str]:
    """Return tags that were given as NAME=VALUE; InputError for others."""
    tags = {}
    for one in given:
        name, equals, value = one.partition("=")
        if not equals or not name.strip():
            raise InputError(f"--tag {visible(one, 60)} is not NAME=VALUE")
        tags[name.strip()] = value
    return tags


def alert_options(command: _Command) -> _Command:
    """Add `--alert` and `--alert-token-env`; the command receives them as `alerts` and `alert_token_env`."""
    token = click.option(
        "--alert-token-env", metavar="VAR", help="Send the webhook Authorization: Bearer with this variable's value."
    )
    return click.option(
        "--alert",
        "alerts",
        multiple=True,
        metavar="TARGET",
        help="Who is told when something becomes worse, and when that ends: stderr, a file, a URL, or env:NAME with "
        "one.",
    )(token(command))
