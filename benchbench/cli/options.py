"""Options that several commands share."""

import functools
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click
from click.shell_completion import CompletionItem

from benchbench.cli import data_sets
from benchbench.cli.numbers import Number, Time
from benchbench.cli.parameters import PATH, Choice, Named, Option
from benchbench.cli.screen import VERBOSE, keep
from benchbench.cli.settings_options import option, settings_options
from benchbench.tables.bm25_options import BM25Options
from benchbench.tables.numbers import COUNT_OR_0, HITS, MEGABYTES, TIMEOUT
from benchbench.tables.settings import Encoding, SkipBadLines

if TYPE_CHECKING:
    from benchbench.client.service import Service
    from benchbench.formats.datasets.data_set import DataSet
    from benchbench.results.folder import Timed
    from benchbench.tasks.criteria import Denominator, Identity

_Command = TypeVar("_Command", bound=Callable[..., Any])


def loudness(command: _Command) -> _Command:
    """Add `--quiet` and `--verbose`; the command receives `quiet` (reports and errors read verbose themselves)."""
    command = click.option(
        "-v",
        "--verbose",
        is_flag=True,
        expose_value=False,
        callback=keep(VERBOSE),
        help="Show all notes, and tracebacks.",
    )(command)
    return click.option("-q", "--quiet", is_flag=True, help="Show no progress and no notes on standard error.")(command)


PROTOCOLS = ("benchbench", "legal-agent", "elasticsearch", "opensearch", "azure-ai-search", "qdrant")

skip_bad_lines = option("skip_bad_lines", SkipBadLines, False)
encoding = option("encoding", Encoding, None)


def new_results(name: str, folder: Path = Path("results")) -> "Timed":
    """Return the folder that results go to when none is named."""
    from benchbench.results.folder import Timed

    return Timed(folder, f"-{name}" if name else "")


force = click.option("--force", is_flag=True, help="Replace what exists already.")


def output_format(*names: str) -> Callable[[_Command], _Command]:
    """Add `--format` with the named formats; the first is the default."""
    return click.option(
        "--format", "output", type=Choice(names), default=names[0], show_default=True, help="What to print."
    )


def bm25(command: _Command) -> Callable[..., Any]:
    """Add the options of the embedded retriever; the command receives them as `bm25`."""

    @functools.wraps(command)
    def wrapped(*arguments: Any, bm25: dict[str, Any], **others: Any) -> Any:
        return command(*arguments, bm25=BM25Options(**bm25), **others)

    return settings_options(BM25Options, into="bm25")(wrapped)


def begin_service(url: str | None, data: "DataSet", encoding: str | None, bm25: BM25Options) -> None:
    """Start the embedded retriever early, where no `url` is to be asked; what is wrong with it is said later."""
    from benchbench.cli.main import main
    from benchbench.errors import InputError
    from benchbench.serve.child import begin

    if not url:
        with suppress(InputError):
            begin(data.serving(), encoding, bm25, main)


def file_name(name: str) -> str:
    """Return a `--name`; InputError when no file can have it in its name."""
    from benchbench.errors import InputError

    if Path(name).name != name:
        raise InputError(f"--name {name} cannot be part of a file name; leave out slashes")
    return name


def judging(command: _Command) -> Callable[..., Any]:
    """Add the options that say how hits are judged; the command receives them as `criteria`."""

    @functools.wraps(command)
    def wrapped(
        *arguments: Any,
        tasks: tuple[str, ...],
        task: tuple[str, ...],
        measures: tuple[str, ...],
        cutoffs: tuple[int, ...],
        self_by: "Identity | None",
        gold_by: "Identity | None",
        recall_denominator: "Denominator | None",
        max_positives: int | None,
        **others: Any,
    ) -> Any:
        from benchbench.errors import InputError
        from benchbench.measures.notation import resolve
        from benchbench.tasks.criteria import Criteria

        if measures and cutoffs:
            raise InputError(
                "-k are the cut-offs of the default measures, and measures of -m have their own; give either"
            )
        criteria = Criteria(
            tasks, cutoffs or None, self_by, gold_by, recall_denominator, max_positives,
            tuple(resolve(measures)), task,
        )  # fmt: skip
        return command(*arguments, criteria=criteria, **others)

    for one in reversed(_JUDGING_OPTIONS):
        wrapped = one(wrapped)
    return wrapped


class _TaskName(click.ParamType):  # type: ignore[type-arg]  # a generic only since click 8.2
    """A task of the data set; which there are is known when that has been found."""

    name = "task"

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        """Return the tasks of the data set that is named on the line."""
        from benchbench.errors import InputError
        from benchbench.formats.datasets.locate import located
        from benchbench.tasks.defined import tasks_of

        try:
            known = tasks_of(located(data_sets.named(dict(ctx.params))), ctx.params.get("task") or ())
        except InputError:
            return []
        return [CompletionItem(task.name) for task in known if task.name.startswith(incomplete)]


_JUDGING_OPTIONS = (
    click.option(
        "--tasks",
        cls=Option,
        listed=True,
        type=_TaskName(),
        metavar="TASK,…",
        help="Tasks to measure.  [default: all that the queries have labels for]",
    ),
    click.option(
        "--task",
        multiple=True,
        metavar="NAME=RULE(…)",
        help="Measure a further task, such as 'brand=equal(meta.brand)'.",
    ),
    click.option(
        "-m",
        "--measure",
        "measures",
        cls=Option,
        listed=True,
        instead_of=("cutoffs",),
        metavar="MEASURE,…",
        help="Measures as ir_measures writes them.  [default: those of the data (docs/datasets.md), at -k]",
    ),
    click.option(
        "-k",
        "--cutoff",
        "cutoffs",
        cls=Option,
        listed=True,
        instead_of=("measures",),
        type=Number(HITS),
        help="Cut-offs of the default measures.  [default: 3, 5, 10; as usual for data with qrels]",
    ),
    click.option(
        "--self",
        "self_by",
        type=Choice(["text", "id"]),
        help="What makes a hit the query itself: its text, or its id as well.  [default: as the data have it]",
    ),
    click.option(
        "--gold",
        "gold_by",
        type=Choice(["text", "id"]),
        help="What makes a hit a positive.  [default: what the task says, else text]",
    ),
    click.option(
        "--recall-denominator",
        type=Choice(["fixed", "capped", "full"]),
        help="What recall divides by: 10; the relevant documents, at most 10; or all of them.  [default: as tasks say]",
    ),
    click.option(
        "--max-positives",
        type=Number(COUNT_OR_0),
        help="Most positives per query, in file order; 0: all.  [default: what the task says]",
    ),
)


def reach_options(command: _Command) -> Callable[..., Any]:
    """Add the options that say how a service is reached, whatever it is asked.

    The command receives `reach`, which returns them as `Service` takes them, or raises InputError.
    """

    @functools.wraps(command)
    def wrapped(*arguments: Any, headers: tuple[str, ...], token_env: str | None, **others: Any) -> Any:
        given = {name: others.pop(name) for name in ("ca_file", "timeout", "retry_for", "retries", "max_response_mb")}

        def reach() -> dict[str, Any]:
            from benchbench.client.headers import read_headers

            return {"headers": read_headers(headers, token_env), **given}

        return command(*arguments, reach=reach, **others)

    for one in reversed(_REACH_OPTIONS):
        wrapped = one(wrapped)
    return wrapped


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
        reach: Callable[[], dict[str, Any]],
        **others: Any,
    ) -> Any:
        def service(url: str | None, connections: int) -> "Service":
            from benchbench.client.describe import profile
            from benchbench.client.service import Service

            asked = profile(protocol, pairs(protocol_options, "--protocol-option"))
            return Service(url or "", asked, connections=connections, **reach())

        return command(*arguments, service=service, **others)

    reached = reach_options(wrapped)
    for one in reversed(_PROTOCOL_OPTIONS):
        reached = one(reached)
    return reached


protocol_option = click.option(
    "--protocol-option",
    "protocol_options",
    metavar="NAME=VALUE",
    multiple=True,
    help="Option of the protocol, such as index=cases.",
)
_PROTOCOL_OPTIONS = (
    click.option(
        "--protocol",
        type=Named(*PROTOCOLS),
        metavar="NAME|FILE",
        default="benchbench",
        show_default=True,
        help=f"How the service is asked: {', '.join(PROTOCOLS)}, or a .toml or .json description.",
    ),
    protocol_option,
)
header = click.option(
    "--header",
    "headers",
    metavar="'NAME: VALUE'",
    multiple=True,
    help="Header of every request; ${VAR} in the value is read from the environment.",
)
ca_file = click.option("--ca-file", type=PATH, help="Certificates to trust instead of the system's (PEM).")
retries = click.option("--retries", type=Number(COUNT_OR_0), help="Further attempts, instead of --retry-for.")


def retry_for(default: str) -> Callable[[_Command], _Command]:
    """Add `--retry-for`."""
    return click.option(
        "--retry-for",
        type=Time(),
        default=default,
        show_default=True,
        help="Time that an outage may take; before the first usable answer, 3 attempts in all. 0: no second attempt.",
    )


def timeout(default: float) -> Callable[[_Command], _Command]:
    """Add `--timeout`."""
    return click.option(
        "--timeout",
        type=Number(TIMEOUT),
        default=default,
        show_default=True,
        help="Seconds for a whole attempt.",
    )


_REACH_OPTIONS = (
    header,
    click.option("--token-env", metavar="VAR", help="Send Authorization: Bearer with the value of this variable."),
    ca_file,
    timeout(60.0),
    retry_for("60s"),
    retries,
    click.option(
        "--max-response-mb",
        type=Number(MEGABYTES),
        default=256,
        show_default=True,
        help="Largest answer in MB, unpacked.",
    ),
)


def services(command: _Command) -> _Command:
    """Add the options that name the service, or several: `url` and `targets`, URLs by name."""
    url = click.option(
        "--url",
        cls=Option,
        instead_of=("targets",),
        metavar="URL",
        callback=lambda context, parameter, value: value if value is None else _not_empty(value, "--url"),
        help="Service to measure. Without it, the data set's collection is served and measured.",
    )
    targets = click.option(
        "--target",
        "targets",
        cls=Option,
        instead_of=("url",),
        metavar="NAME=URL",
        multiple=True,
        callback=lambda context, parameter, values: {
            name: _not_empty(url, f"--target {name}=") for name, url in pairs(values, "--target", "NAME=URL").items()
        },
        help="Service to measure, instead of --url; repeat it to compare several, in turn.",
    )
    return url(targets(command))


def _not_empty(url: str, option: str) -> str:
    """Return a URL; InputError where a variable that should hold it is not set."""
    if not url.strip():
        from benchbench.errors import InputError

        raise InputError(f"{option} is empty; is the variable set that should hold the URL?")
    return url


def pairs(texts: tuple[str, ...], option: str, form: str = "NAME=VALUE") -> dict[str, str]:
    """Return what an option of the form NAME=VALUE was given, once a name."""
    from benchbench.errors import InputError

    pairs: dict[str, str] = {}
    for text in texts:
        name, equals, value = text.partition("=")
        if not equals or not name or not (value or form == "NAME=VALUE"):
            raise InputError(f"{option} {text} is not {form}" if text.strip() else f"an empty {option} is not {form}")
        if name in pairs:
            raise InputError(f"{option} {name} is given twice")
        pairs[name] = value
    return pairs
