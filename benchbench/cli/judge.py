"""`benchbench judge relevance|answers|nuggets|agreement`: each command is in a file of its own."""

from collections.abc import Callable, Sequence
from pathlib import Path

import click

from benchbench.cli.groups import LateGroup

_PLACES = {name: f"judge_{name}:command" for name in ("relevance", "answers", "nuggets", "agreement")}


def named(runs: Sequence[Path], *ways: Callable[[Path], str]) -> dict[str, Path]:
    """Return runs by name: the first way of naming them that tells them apart."""
    from benchbench.comparison.run_names import run_names

    return dict(zip(run_names((), [list(map(way, runs)) for way in ways]), runs, strict=True)) if runs else {}


@click.group(cls=LateGroup, places=_PLACES, name="judge")
def command() -> None:
    """Labels and verdicts by a language model, and how far to trust them."""
