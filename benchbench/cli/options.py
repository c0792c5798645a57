"""Options that several commands share."""

import functools
import math
import re
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from benchbench.cli.ci import Files

if TYPE_CHECKING:
    from benchbench.client.service import Service

_Command = TypeVar("_Command", bound=Callable[..., Any])


def loudness(command: _Command) -> _Command:
    """Add `--quiet` and `--verbose`; the command receives `quiet` (verbose is read where errors are shown)."""
    command = click.option("-v", "--verbose", is_flag=True, expose_value=False, help="Show tracebacks.")(command)
    return click.option("-q", "--quiet", is_flag=True, help="No progress, no notes on standard error.")(command)


TASKS = ("gold", "accusation", "article", "imprisonment")  # named again: `--help` imports no kernel

cutoffs = click.option(
    "-k", "cutoffs", type=int, multiple=True, default=(3, 5, 10), show_default=True, help="Cut-offs."
)
skip_bad_lines = click.option("--skip-bad-lines", is_flag=True, help="Count lines that cannot be read, and go on.")
encoding = click.option(
    "--encoding", metavar="NAME", help="Encoding of the input, e.g. gb18030. UTF encodings are detected."
)


class Time(click.ParamType):  # type: ignore[type-arg]  # a generic only since click 8.2
    """Seconds, written `30s`, `500ms`, `2m` or `30`."""

    name = "time"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """Return seconds."""
        match = _TIME.fullmatch(str(value).strip())
        seconds = float(match[1]) * _UNITS[match[2]] if match else math.inf
        if math.isinf(seconds):
            self.fail(f"{value!r} is not a time such as 30s, 500ms or 2m", param, ctx)
        return seconds


_UNITS = {"ms": 1e-3, "s": 1.0, "": 1.0, "m": 60.0, "min": 60.0}
_TIME = re.compile(r"(\d+(?:\.\d+)?) ?(ms|s|min|m|)", re.ASCII)


def new_results(name: str) -> Path:
    """Return the folder that results go to when none is named."""
    return Path("results") / f"{time.strftime('%Y%m%dT%H%M%SZ', time.gmtime())}-{name}"


def output_format(*names: str) -> Callable[[_Command], _Command]:
    """Add `--format` with the named formats; the first is the default."""
    return click.option(
        "--format", "output", type=click.Choice(names), default=names[0], show_default=True, help="What to print."
    )


def gates(*examples: str) -> Callable[[_Command], Callable[..., Any]]:
    """Add `--fail-if`, `--junit` and `--summary`.

    The command receives `fail_if` as it was written, and `ci`: the `cli.ci.Files` to write before it ends, which were
    found writable.
    """

    def decorate(command: _Command) -> Callable[..., Any]:
        @functools.wraps(command)
        def wrapped(
            *arguments: Any, fail_if: tuple[str, ...], junit: Path | None, summary: Path | None, **others: Any
        ) -> Any:
            ci = Files(junit, summary)
            ci.check(fail_if)
            return command(*arguments, fail_if=fail_if, ci=ci, **others)

        shown = ", ".join(f"'{example}'" for example in examples)
        fail_if = click.option(
            "--fail-if", multiple=True, metavar="GATE", help=f"Exit code 1 when this holds, as in {shown}."
        )
        return fail_if(_JUNIT(_SUMMARY(wrapped)))

    return decorate


_JUNIT = click.option("--junit", type=click.Path(path_type=Path), help="Write the gates as JUnit's XML.")
_SUMMARY = click.option(
    "--summary", type=click.Path(path_type=Path), help='Append Markdown, as for "$GITHUB_STEP_SUMMARY".'
)


def reach_options(command: _Command) -> _Command:
    """Add the options that say how a service is reached, whatever it is asked: `headers`, `timeout`, …"""
    for option in reversed(_REACH_OPTIONS):
        command = option(command)
    return command


def service_options(command: _Command) -> Callable[..., Any]:
    """Add the options that say how a service is asked and reached.

    The command receives `service`: called with a URL (None while it is not known) and a number of
    connections, it returns the `Service`, or raises InputError.
    """

    @functools.wraps(command)
    def wrapped(
        *arguments: Any,
        protocol: str,
        protocol_options: tuple[str, ...],
        headers: tuple[str, ...],
        token_env: str | None,
        ca_file: Path | None,
        timeout: float,
        retry_for: float,
        retries: int | None,
        max_response_mb: int,
        **others: Any,
    ) -> Any:
        def service(url: str | None, connections: int) -> "Service":
            from benchbench.client.describe import profile
            from benchbench.client.headers import read_headers
            from benchbench.client.service import Service

            return Service(
                url=url or "",
                profile=profile(protocol, pairs(protocol_options, "--protocol-option")),
                headers=read_headers(headers, token_env),
                ca_file=ca_file,
                timeout=timeout,
                retry_for=retry_for,
                retries=retries,
                max_response_mb=max_response_mb,
                connections=connections,
            )

        return command(*arguments, service=service, **others)

    wrapped = reach_options(wrapped)
    for option in reversed(_PROTOCOL_OPTIONS):
        wrapped = option(wrapped)
    return wrapped


_PROTOCOL_OPTIONS = (
    click.option(
        "--protocol",
        metavar="NAME|FILE",
        default="benchbench",
        show_default=True,
        help="How the service is asked: benchbench, legal-agent, elasticsearch, opensearch, azure-ai-search, qdrant, "
        "or a .toml or .json description.",
    ),
    click.option(
        "--protocol-option", "protocol_options", metavar="NAME=VALUE", multiple=True, help="Such as index=cases."
    ),
)
_REACH_OPTIONS = (
    click.option(
        "--header",
        "headers",
        metavar="'NAME: VALUE'",
        multiple=True,
        help="Sent with every request; ${VAR} in the value is the environment's.",
    ),
    click.option("--token-env", metavar="VAR", help="Send Authorization: Bearer with the value of this variable."),
    click.option(
        "--ca-file", type=click.Path(path_type=Path), help="Certificates to trust instead of the system's (PEM)."
    ),
    click.option(
        "--timeout",
        type=click.FloatRange(0, min_open=True),
        default=60.0,
        show_default=True,
        help="Seconds for a whole attempt.",
    ),
    click.option(
        "--retry-for",
        type=Time(),
        default="60s",
        show_default=True,
        help="An outage is waited for; before the first usable answer, 3 attempts in all. 0: nothing is tried again.",
    ),
    click.option("--retries", type=click.IntRange(0), help="Instead: try again so often, however long it takes."),
    click.option(
        "--max-response-mb", type=click.IntRange(1), default=256, show_default=True, help="Largest answer, unpacked."
    ),
)


def pairs(texts: tuple[str, ...], option: str) -> dict[str, str]:
    """Return what an option of the form NAME=VALUE was given, once a name."""
    from benchbench.errors import InputError

    pairs: dict[str, str] = {}
    for text in texts:
        name, equals, value = text.partition("=")
        if not equals or not name:
            raise InputError(f"{option} {text} is not NAME=VALUE")
        if name in pairs:
            raise InputError(f"{option} {name} is given twice")
        pairs[name] = value
    return pairs
