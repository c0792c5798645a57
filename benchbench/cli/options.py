"""Options that several commands share."""

from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import click
from click.shell_completion import CompletionItem

from benchbench.cli import data_sets
from benchbench.cli.signatures import VERBOSE, Fields, Options
from benchbench.client.protocols import BUILT_IN
from benchbench.client.reach import Reach
from benchbench.results.ranges import GRADE
from benchbench.results.settings import SERVICE, Opt, in_section
from benchbench.retrieval.bm25_options import BM25Options
from benchbench.tasks.judging_options import JudgingOptions, Tasks

if TYPE_CHECKING:
    from benchbench.client.service import Service
    from benchbench.formats.datasets.data_set import DataSet
    from benchbench.formats.qrels_runs import RunFile
    from benchbench.results.folder import Timed
    from benchbench.tasks.criteria import Criteria

Folder = Annotated[Path, Opt("Folder to write.", flags=("--out",))]
Force = Annotated[bool, Opt("Replace what exists already.")]
GroundTruth = Annotated[Path | None, Opt("Ground truth, for answers without one.")]
SourceType = Annotated[str | None, Opt("Only questions of this source type.")]
Category = Annotated[str | None, Opt("Only questions of this category.")]
AnsweredBy = Annotated[str | None, Opt("Model that answers, where answers name none.", metavar="NAME")]
ProtocolOptions = Annotated[
    tuple[str, ...],
    Opt(
        "Option of the protocol, such as index=cases.",
        flags=("--protocol-option",),
        metavar="NAME=VALUE",
        is_repeated=True,
    ),
]
Headers = Annotated[
    tuple[str, ...],
    Opt(
        "Header of every request; ${VAR} is replaced.",
        flags=("--header",),
        metavar="'NAME: VALUE'",
        is_repeated=True,
        section=SERVICE,
    ),
]


def output_format(*names: str) -> Opt:
    """Describe `--format` with the named formats."""
    return Opt("Print.", names, ("--format",))


def new_results(name: str, folder: Path = Path("results")) -> "Timed":
    """Return the folder that results go to when none is named."""
    from benchbench.results.folder import Timed

    return Timed(folder, f"-{name}" if name else "")


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


def judging(
    tasks: Annotated[Tasks, _TaskName()] = (),
    *,
    given: Annotated[dict[str, Any], Fields(JudgingOptions, but=("tasks",))],
) -> "Criteria":
    """Return how hits are judged."""
    from benchbench.errors import InputError
    from benchbench.tasks.criteria import Criteria

    if given["measures"] and given["cutoffs"]:
        raise InputError("-k are the cut-offs of the default measures, and measures of -m have their own; give either")
    return Criteria(tasks=tasks, **{**given, "cutoffs": given["cutoffs"] or None})


@in_section(SERVICE)
class ReachOptions(Options):
    """How a service is reached, whatever it is asked."""

    headers: Headers = ()
    token_env: Annotated[str | None, Opt("Variable that holds a bearer token.", metavar="VAR")] = None
    settings: Annotated[dict[str, Any], Fields(Reach)]

    def __call__(self) -> dict[str, Any]:
        """Return the options as `Service` takes them; InputError for a header that is none."""
        from benchbench.client.headers import read_headers

        return {"headers": read_headers(self.headers, self.token_env), **self.settings}


@in_section(SERVICE)
class ServiceOptions(Options):
    """How a service is asked and reached."""

    protocol: Annotated[
        str,
        Opt(
            f"{BUILT_IN[1]}, {BUILT_IN[2]}, … or a file.",
            metavar="NAME|FILE",
            completed=BUILT_IN,
        ),
    ] = "benchbench"
    protocol_options: ProtocolOptions = ()
    reach: ReachOptions

    def at(self, url: str | None, connections: int) -> "Service":
        """Return the service at a URL, None while it is not known, with so many connections; or raise InputError."""
        from benchbench.client.descriptions import profile
        from benchbench.client.service import Service

        asked = profile(self.protocol, pairs(self.protocol_options, "--protocol-option"))
        return Service(url or "", asked, connections=connections, **self.reach())


@in_section(SERVICE)
def one_url(
    url: Annotated[
        str | None,
        Opt(
            "Service to measure; without it, our BM25.",
            metavar="URL",
            instead_of=("targets",),
        ),
    ] = None,
) -> str | None:
    """Return the URL of the service; InputError where a variable that should hold it is not set."""
    return url if url is None else _not_empty(url, "--url")


@in_section(SERVICE)
def target_urls(
    targets: Annotated[
        tuple[str, ...],
        Opt(
            "One of several services, asked in turn.",
            flags=("--target",),
            metavar="NAME=URL",
            instead_of=("url",),
            is_repeated=True,
        ),
    ] = (),
) -> dict[str, str]:
    """Return the URLs of several services by their names; InputError as for one."""
    named = pairs(targets, "--target", "NAME=URL")
    return {name: _not_empty(url, f"--target {name}=") for name, url in named.items()}


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


class ScoringOptions(Options):
    """What scores of run files mean."""

    ties: Annotated[
        str,
        Opt(
            "Order of equal scores.",
            ("trec", "input", "expected"),
        ),
    ] = "trec"
    score_precision: Annotated[
        str,
        Opt(
            "Precision of the scores that rank.",
            ("double", "single"),
        ),
    ] = "double"
    no_positives: Annotated[str, Opt("A query without positives counts as.", ("zero", "skip"))] = "zero"
    rel: Annotated[float | None, Opt("Lowest grade that is relevant.", GRADE, default="1")] = None
    strict: Annotated[bool, Opt("Refuse a run that has a document twice for a query.")] = False

    def read(self, run: Path) -> "RunFile":
        """Return a run, which is read while it is scored."""
        from benchbench.formats.qrels_runs import scan_run

        return scan_run(run, self.ties, self.strict, self.score_precision)

    def described(self, *names: str) -> dict[str, Any]:
        """Return options that the record of a result has beside those that it knows itself."""
        return {name: getattr(self, name) for name in names or ("rel", "strict", "score_precision")}


def tell_batch_size(service: "Service | None", given: int | tuple[int, ...] | None, quiet: bool) -> None:
    """Say under `--verbose` that requests carry one query each, where nobody has asked for that."""
    is_verbose = click.get_current_context().meta.get(VERBOSE)
    if is_verbose and service is not None and service.profile.one_query and not given and not quiet:
        click.echo(
            f"--protocol {service.profile.name} takes one query per request, so that --batch-size is 1", err=True
        )
