"""Options that stand in several commands, one by one: each with one name and one meaning."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

import click

from benchbench.cli.numbers import Number
from benchbench.cli.parameters import PATH, Choice, Option
from benchbench.cli.screen import VERBOSE
from benchbench.cli.settings_options import option
from benchbench.tables.numbers import COUNT, GRADE, HITS, Range
from benchbench.tables.settings import USUAL_GIVE_UP_AFTER, Cluster, Concurrency, GiveUpAfter, MaxErrorRate, Seed

if TYPE_CHECKING:
    from benchbench.client.service import Service

_Command = TypeVar("_Command", bound=Callable[..., Any])


def limit(default: int | None, text: str, *old: str, name: str = "limit") -> Callable[[_Command], _Command]:
    """Add `--limit`, which the command receives as `name`; `text` says of what."""
    shown = default is not None
    return click.option(
        "--limit", name, cls=Option, old=old, type=Number(COUNT), default=default, show_default=shown, help=text
    )


def top_k(default: int, allowed: Range = HITS, *old: str, name: str = "top_k") -> Callable[[_Command], _Command]:
    """Add `--top-k`, which the command receives as `name`."""
    return click.option(
        "--top-k", name, cls=Option, old=old, type=Number(allowed), default=default, show_default=True,
        help="Hits to ask for per query.",
    )  # fmt: skip


def concurrency(default: int) -> Callable[[_Command], _Command]:
    """Add `--concurrency`."""
    return option("concurrency", Concurrency, default)


def seed(default: int) -> Callable[[_Command], _Command]:
    """Add `--seed`."""
    return option("seed", Seed, default)


repeat = click.option(
    "--repeat", "rounds", cls=Option, old=("--rounds",), type=Number(COUNT), default=3, show_default=True,
    help="How many times each is measured.",
)  # fmt: skip
max_error_rate = option("max_error_rate", MaxErrorRate, 0.0)
give_up_after = option("give_up_after", GiveUpAfter, USUAL_GIVE_UP_AFTER)
cluster = option("cluster", Cluster, None)
results_folder = click.option("--out", type=PATH, help="Results folder.  [default: results/<UTC time>-<name>]")


def tell_batch_size(service: "Service | None", given: int | tuple[int, ...] | None, quiet: bool) -> None:
    """Say under `--verbose` that requests carry one query each, where nobody has asked for that."""
    is_verbose = click.get_current_context().meta.get(VERBOSE)
    if is_verbose and service is not None and service.profile.one_query and not given and not quiet:
        click.echo(
            f"--protocol {service.profile.name} takes one query per request, so that --batch-size is 1", err=True
        )


def scoring(command: _Command) -> _Command:
    """Add what scores of run files mean: `ties`, `score_precision`, `no_positives`, `rel`, `strict`."""
    for one in reversed(_SCORING_OPTIONS):
        command = one(command)
    return command


_SCORING_OPTIONS = (
    click.option(
        "--ties",
        type=Choice(["trec", "input", "expected"]),
        default="trec",
        show_default=True,
        help="Order of equal scores: by document id as in trec_eval, as in the file, or the mean over all orders.",
    ),
    click.option(
        "--score-precision",
        type=Choice(["double", "single"]),
        default="double",
        show_default=True,
        help="Of the scores that rank: 64 bits as in trec_eval 10, or 32 as in trec_eval 9 and pytrec_eval.",
    ),
    click.option(
        "--no-positives",
        type=Choice(["zero", "skip"]),
        default="zero",
        show_default=True,
        help="What a query judged without a relevant document counts as.",
    ),
    click.option(
        "--rel",
        type=Number(GRADE),
        help="Lowest grade that is relevant, for measures that set no rel themselves.  [default: 1]",
    ),
    click.option("--strict", is_flag=True, help="Refuse a run that has a document twice for a query."),
)
