"""`benchbench load`."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from benchbench.cli import options, progress
from benchbench.cli.ci import Files, end
from benchbench.cli.options import TASKS, Time, encoding, loudness, new_results, output_format, service_options

if TYPE_CHECKING:
    from benchbench.client.service import Service
    from benchbench.load.pacing import Arrivals
    from benchbench.load.step import Load
    from benchbench.measures.gates import Gate

_TIMEOUT = 10.0  # seconds; under overload every step ends that much later


class _Several(click.ParamType):  # type: ignore[type-arg]  # a generic only since click 8.2
    """Comma-separated values of another type, each once, in their order."""

    def __init__(self, kind: "click.ParamType[Any]", name: str) -> None:
        self.kind, self.name = kind, name

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> tuple[Any, ...]:
        if isinstance(value, tuple):
            return value
        return tuple(dict.fromkeys(self.kind.convert(one.strip(), param, ctx) for one in str(value).split(",")))


def _list_metrics(context: click.Context, parameter: click.Parameter, wanted: bool) -> None:
    if not wanted:
        return
    from benchbench.load.metrics import METRICS

    for name, sentence in METRICS.items():
        click.echo(f"{name}\n    {sentence}")
    context.exit()


def _condition(text: str, option: str) -> "Gate":
    from benchbench.errors import InputError
    from benchbench.measures.gates import parse_gate

    try:
        return parse_gate(text)
    except InputError as error:
        raise InputError(str(error).replace("--fail-if", option)) from None


@click.command(name="load")
@click.option("--url", required=True, help="Service to load.")
@click.option("--dataset", default="synthetic-cases", show_default=True, help="Tiered file, folder, or name.")
@click.option(
    "--rate",
    "rates",
    type=_Several(click.FloatRange(0, min_open=True), "rates"),
    default=(),
    help="Open loop: requests due a second, e.g. 50,100,200.",
)
@click.option(
    "--concurrency",
    "concurrencies",
    type=_Several(click.IntRange(1), "numbers"),
    help="Closed loop: requests kept in flight.  [default: 1,2,4,8]",
)
@click.option("--duration", type=Time(), default="30s", show_default=True, help="Of each step, warm-up not counted.")
@click.option("--warm-up", type=Time(), default="5s", show_default=True, help="Before each step, under its load.")
@click.option(
    "--batch-size",
    "batch_sizes",
    type=_Several(click.IntRange(1), "numbers"),
    default="32",
    show_default=True,
    help="Queries a request; several make the steps that many times.",
)
@click.option(
    "--arrivals",
    type=click.Choice(["constant", "poisson"]),
    default="constant",
    show_default=True,
    help="Open loop: evenly spaced, or as independent users come.",
)
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True, help="Of Poisson arrivals.")
@click.option(
    "--max-in-flight", type=click.IntRange(1), default=256, show_default=True, help="Open loop: most requests at once."
)
@click.option(
    "--workers",
    type=click.IntRange(1),
    default=1,
    show_default=True,
    help="Processes that share the requests in flight, and so at most as many.",
)
@click.option("--find-max", metavar="CONDITION", help="Search the highest rate at which it holds, e.g. 'p99<200ms'.")
@options.gates("p99>300ms", "nDCG@10<0.4", "errors>1%")
@click.option("--top-k", type=click.IntRange(1), default=20, show_default=True, help="Hits to ask for.")
@click.option(
    "--tasks",
    type=_Several(click.Choice(TASKS), "tasks"),
    default=",".join(TASKS),
    help=f"Comma-separated, of {', '.join(TASKS)}.  [default: all]",
)
@options.cutoffs
@options.skip_bad_lines
@click.option("--out", type=click.Path(path_type=Path), help="Results folder.  [default: results/<UTC time>-load]")
@click.option(
    "--list-metrics", is_flag=True, is_eager=True, expose_value=False, callback=_list_metrics, help="Define them, end."
)
@output_format("text", "json", "jsonl", "csv", "markdown", "latex")
@encoding
@service_options
@loudness
@click.pass_context
def command(
    context: click.Context,
    url: str,
    dataset: str,
    rates: tuple[float, ...],
    concurrencies: tuple[int, ...] | None,
    duration: float,
    warm_up: float,
    batch_sizes: tuple[int, ...],
    arrivals: "Arrivals",
    seed: int,
    max_in_flight: int,
    workers: int,
    find_max: str | None,
    fail_if: tuple[str, ...],
    ci: Files,
    top_k: int,
    tasks: tuple[str, ...],
    cutoffs: tuple[int, ...],
    skip_bad_lines: bool,
    out: Path | None,
    output: str,
    encoding: str | None,
    quiet: bool,
    service: "Callable[[str | None, int], Service]",
) -> None:
    """Measure latency, throughput and quality of a service under load.

    With --rate requests are sent when they are due, whatever the service does (open loop); with --concurrency
    so many are kept in flight (closed loop). Each request is sent once: there are no retries.
    """
    from benchbench.errors import InputError, InterruptedRunError, WorkerError
    from benchbench.formats.card import locate
    from benchbench.load_test import Settings, run
    from benchbench.report.load import FORMATS
    from benchbench.report.load_ci import checked
    from benchbench.report.load_folder import LoadFolder
    from benchbench.tasks.criteria import Criteria

    if concurrencies and (rates or find_max):
        raise InputError("--concurrency is a closed loop, and --rate and --find-max an open one; give either")
    for option in ("retry_for", "retries"):
        if context.get_parameter_source(option) is click.core.ParameterSource.COMMANDLINE:
            named = f"--{option.replace('_', '-')}"
            raise InputError(f"{named} is not for load: each request is sent once, and each failure counts")
    concurrencies = concurrencies or (1, 2, 4, 8)
    settings = Settings(
        dataset=locate(dataset),
        service=service(url, max_in_flight if rates or find_max else max(concurrencies)),
        rates=rates,
        concurrencies=concurrencies,
        batch_sizes=batch_sizes,
        duration=duration,
        warm_up=warm_up,
        arrivals=arrivals,
        seed=seed,
        max_in_flight=max_in_flight,
        workers=workers,
        top_k=top_k,
        find_max=None if find_max is None else _condition(find_max, "--find-max"),
        fail_if=tuple(_condition(text, "--fail-if") for text in fail_if),
        encoding=encoding,
        skip_bad_lines=skip_bad_lines,
        criteria=Criteria(tuple(name for name in TASKS if name in tasks), cutoffs),
    )
    path = out or new_results("load")

    def announce(load: "Load") -> None:
        if progress.wanted(quiet):
            click.echo(f"{load.title} …", err=True)

    with LoadFolder(path) as folder:
        try:
            outcome = run(settings, folder.append, announce)
        except WorkerError as error:
            kept = folder.partial / "requests"
            raise WorkerError(f"{error}; the requests of the steps that were finished are in {kept}") from None
        folder.finish(outcome)
        if outcome.interrupted:
            if outcome.steps:
                click.echo(FORMATS[output](outcome), nl=False)
            raise InterruptedRunError(f"interrupted; steps finished: {len(outcome.steps)}, kept in {folder.partial}")
    found = checked(outcome)
    ci.write(found)
    click.echo(FORMATS[output](outcome), nl=False)
    if not quiet:
        click.echo(f"Results in {path}", err=True)
    end(found.cases)


for _parameter in command.params:  # what `service_options` offers and load has differently
    if _parameter.name in ("retry_for", "retries"):
        _parameter.hidden = True  # type: ignore[attr-defined]  # an option, not an argument
    elif _parameter.name == "timeout":
        _parameter.default = _TIMEOUT
