"""How wide a report is printed, and whether in colours: as options, the environment and the terminal say."""

import os
import sys
from typing import TYPE_CHECKING

import click

from benchbench.cli.parameters import Choice
from benchbench.cli.signatures import VERBOSE, Made, keep

if TYPE_CHECKING:
    from benchbench.report.layout import Layout
    from benchbench.report.render.screen import Screen
    from benchbench.results.result import Result

_COLOR, _WIDE = "benchbench.color", "benchbench.wide"  # in a context's `meta`
_NARROWEST = 20


def output(*names: str) -> Made:
    """Return `--format` with the named formats, the first by default, `--color` and `--wide`, which `screen` reads."""
    return Made(
        lambda: [
            click.Option(
                ["--format", "output"], type=Choice(names), default=names[0], show_default=True, help="What to print."
            ),
            click.Option(
                ["--color"],
                type=Choice(["auto", "always", "never"]),
                default="auto",
                show_default=True,
                expose_value=False,
                callback=keep(_COLOR),
                help="Whether text has colours; auto: on a terminal, unless NO_COLOR is set.",
            ),
            click.Option(
                ["--wide"],
                is_flag=True,
                expose_value=False,
                callback=keep(_WIDE),
                help="Print every table and note, 120 columns wide.",
            ),
        ]
    )


def screen() -> "Screen":
    """Return what the text of the command that runs is drawn for."""
    from benchbench.report.render.screen import WIDE, Screen

    context = click.get_current_context(silent=True)
    meta = {} if context is None else context.meta
    whole = bool(meta.get(_WIDE))
    wanted = max(_columns(), WIDE) if whole else _columns()
    colours = _has_colours(meta.get(_COLOR, "auto"))
    return Screen(wanted, colours, not _takes("▲─█"), bool(meta.get(VERBOSE)), whole)


def echo(result: "Result | None", drawn: "Layout", form: str) -> None:
    """Print a report."""
    from benchbench.report.draw import rendered

    on = screen() if form == "text" else None
    click.echo(rendered(result, drawn, form, on), nl=False, color=None if on is None else on.colours)


def _columns() -> int:
    """Return the columns of the terminal, or 80; `COLUMNS` comes before it."""
    from benchbench.report.render.screen import USUAL

    given = os.environ.get("COLUMNS", "")
    if given.isascii() and given.isdecimal() and int(given) > 0:
        return max(int(given), _NARROWEST)
    try:
        there = os.get_terminal_size(sys.stdout.fileno()).columns
    except (OSError, ValueError):  # it is no terminal
        there = 0
    return max(there, _NARROWEST) if there else USUAL


def _has_colours(asked: str) -> bool:
    """Say whether text has colours, as https://no-color.org and https://bixense.com/clicolors have it."""
    if asked != "auto":
        return asked == "always"
    given = os.environ.get
    if given("NO_COLOR"):
        return False
    if any(given(name, "") not in ("", "0") for name in ("FORCE_COLOR", "CLICOLOR_FORCE")):
        return True
    return sys.stdout.isatty() and given("TERM") != "dumb" and given("CLICOLOR") != "0"


def _takes(signs: str) -> bool:
    """Say that standard output can have these characters."""
    try:
        signs.encode(sys.stdout.encoding or "utf-8")
    except (UnicodeEncodeError, LookupError):
        return False
    return True
