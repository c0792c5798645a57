"""`benchbench load`."""

from collections.abc import Callable
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import TYPE_CHECKING

import click

from benchbench.cli import common, data_sets, options, progress
from benchbench.cli.numbers import Number, Time
from benchbench.cli.options import encoding, loudness, new_results, service_options
from benchbench.cli.parameters import PATH, Choice, Option, on_the_line
from benchbench.cli.project_file import Command
from benchbench.cli.reporting import Reporting, reporting
from benchbench.cli.settings_options import option
from benchbench.tables.numbers import BATCH, PLACES, RATE, REPEATS, SPEED
from benchbench.tables.settings import Depth, Workers

if TYPE_CHECKING:
    from benchbench.client.service import Service
    from benchbench.formats.datasets.data_set import DataSet
    from benchbench.loads.batches import Order
    from benchbench.loads.pacing import Arrivals
    from benchbench.loads.settings import LoadSettings
    from benchbench.loads.step import Load
    from benchbench.tables.bm25_options import BM25Options
    from benchbench.tasks.criteria import Criteria

_TIMEOUT = 10.0  # seconds; under overload every step ends that much later


_COMPARISON = "comparison"  # of the targets of a load test, a folder beside theirs


def _list_metrics(context: click.Context, parameter: click.Parameter, wanted: bool) -> None:
    if not wanted:
        return
    from benchbench.loads.metrics import METRICS

    for name, metric in METRICS.items():
        click.echo(f"{name}\n    {metric.sentence}")
    context.exit()


@click.command(cls=Command, name="load")
@options.services
@data_sets.data_set
@options.bm25
@click.option(
    "--rate",
    "rates",
    cls=Option,
    listed=True,
    instead_of=("concurrencies",),
    type=Number(RATE),
    help="Open loop: requests due per second, e.g. 50,100,200.",
)
@click.option(
    "--concurrency",
    "concurrencies",
    cls=Option,
    listed=True,
    instead_of=("rates", "find_max"),
    type=Number(PLACES),
    help="Closed loop: requests under way at once.  [default: 1,2,4,8]",
)
@click.option("--duration", type=Time(), default="30s", show_default=True, help="Time for which each step is measured.")
@click.option(
    "--warm-up",
    type=Time(),
    default="5s",
    show_default=True,
    help="Time under the same load before a step is measured.",
)
@click.option(
    "--batch-size",
    "batch_sizes",
    cls=Option,
    listed=True,
    type=Number(BATCH),
    help="Queries per request; each step is run with each value.  [default: 32, or 1 where the protocol takes one]",
)
@click.option(
    "--arrivals",
    type=Choice(["constant", "poisson"]),
    default="constant",
    show_default=True,
    help="Open loop: evenly spaced, or as independent users come.",
)
@common.seed(0)
@click.option(
    "--order",
    type=Choice(["shuffle", "sequential", "zipf"]),
    default="shuffle",
    show_default=True,
    help="Which queries are sent: all, in random order; all, in file order; or some far more often than others.",
)
@click.option(
    "--reference/--no-reference",
    default=True,
    help="Whether the queries are asked once before the first step, so that each step is compared with that.  "
    "[default: yes]",
)
@click.option(
    "--repeat",
    type=Number(REPEATS),
    default=1,
    show_default=True,
    help="How often each step is run; six give intervals that compare can use.",
)
@click.option(
    "--trace",
    cls=Option,
    type=PATH,
    instead_of=("rates", "concurrencies", "find_max", "batch_sizes"),
    help="Open loop: send one query at each time in this file (JSONL, CSV, TSV), in the place of --rate.",
)
@click.option(
    "--speed", type=Number(SPEED), default=1.0, show_default=True, help="How many times as fast a --trace is replayed."
)
@click.option(
    "--max-in-flight",
    type=Number(PLACES),
    default=256,
    show_default=True,
    help="Open loop: most requests under way at once.",
)
@option("workers", Workers, 1)
@click.option(
    "--find-max",
    cls=Option,
    instead_of=("concurrencies",),
    metavar="CONDITION",
    help="Search for the highest rate at which this holds, e.g. 'p99<200ms and errors<1%'.",
)
@option("top_k", Depth, None)
@options.judging
@options.skip_bad_lines
@common.cluster
@click.option(
    "--list-metrics",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_list_metrics,
    help="List all metrics with their definitions, and exit.",
)
@reporting(
    "p99>300ms", "nDCG@10<0.4", "errors>1%",
    out="Results folder.  [default: results/<UTC time>-<name>]",
    name="What this result is called.  [default: the folder's, or load]",
)  # fmt: skip
@encoding
@service_options
@loudness
@click.pass_context
def command(
    context: click.Context,
    url: str | None,
    targets: dict[str, str],
    data: "DataSet",
    bm25: "BM25Options",
    rates: tuple[float, ...],
    concurrencies: tuple[int, ...] | None,
    duration: float,
    warm_up: float,
    batch_sizes: tuple[int, ...],
    arrivals: "Arrivals",
    seed: int,
    order: "Order",
    reference: bool,
    repeat: int,
    trace: Path | None,
    speed: float,
    max_in_flight: int,
    workers: int,
    find_max: str | None,
    top_k: int | None,
    criteria: "Criteria",
    skip_bad_lines: bool,
    cluster: str | None,
    encoding: str | None,
    service: "Callable[[str | None, int], Service]",
    report: Reporting,
) -> None:
    """Measure latency, throughput and quality of a service under load.

    With --rate requests are sent when they are due, whatever the service does (open loop); with --concurrency
    so many are kept in flight (closed loop). Each request is sent once: there are no retries. Without --url a BM25 over
    the data set's own collection is started on a free loopback port and loaded.
    """
    options.begin_service(url or next(iter(targets), None), data, encoding, bm25)

    from benchbench.errors import InputError, InterruptedRunError
    from benchbench.load_test import LoadSettings, run
    from benchbench.loads.folder import LoadFolder
    from benchbench.report.draw import layout, pages

    if concurrencies and (rates or find_max or trace):
        raise InputError("--concurrency is a closed loop, and --rate, --find-max and --trace an open one; give either")
    for refused in ("retry_for", "retries"):
        if on_the_line(context, refused):
            named = f"--{refused.replace('_', '-')}"
            raise InputError(f"{named} is not for load: each request is sent once, and each failure counts")
    if trace is None and on_the_line(context, "speed"):
        raise InputError("--speed is that of a --trace; give one")
    if url and targets:
        raise InputError("--url is one service, and --target several; give either")
    concurrencies = concurrencies or (1, 2, 4, 8)
    settings = LoadSettings(
        dataset=data,
        bm25=bm25,
        service=service(url, max_in_flight if rates or find_max or trace else max(concurrencies)),
        rates=rates,
        concurrencies=concurrencies,
        batch_sizes=batch_sizes,
        duration=duration,
        warm_up=warm_up,
        arrivals=arrivals,
        seed=seed,
        order=order,
        reference=reference,
        repeat=repeat,
        trace=trace,
        speed=speed,
        max_in_flight=max_in_flight,
        workers=workers,
        top_k=top_k,  # type: ignore[arg-type]
        find_max=find_max,
        fail_if=report.fail_if,
        encoding=encoding,
        skip_bad_lines=skip_bad_lines,
        cluster=cluster,
        criteria=criteria,
        name=options.file_name(report.name or (report.out.resolve().name if report.out else "load")),
    )

    common.tell_batch_size(settings.service, batch_sizes, report.quiet or trace is not None)

    def announce(load: "Load", target: str = "") -> None:
        if progress.wanted(report.quiet):
            of, which = f"{target}: " if target else "", f", repeat {load.repeat} of {repeat}" if repeat > 1 else ""
            click.echo(f"{of}{load.title}{which} …", err=True)

    if targets:
        _by_turns(targets, settings, report, announce)
        return
    with LoadFolder(report.out or new_results(settings.name)) as folder:
        result = run(settings, folder.append, announce)
        report.describe(result)
        told = None
        if result.steps:
            told = report.early(result)
            folder.finish(result, lambda: pages(result, "load_summary.txt"))
        if result.interrupted:
            if result.steps and told is None:
                report.tell(result, layout(result))
            raise InterruptedRunError(f"interrupted; steps finished: {len(result.steps)}")
    report.finish(result, folder.path, told=told)


def _by_turns(
    targets: dict[str, str], settings: "LoadSettings", report: Reporting, announce: "Callable[[Load, str], None]"
) -> None:
    """Load several services, each into a folder of its own, and print how they differ."""
    from dataclasses import replace
    from functools import partial

    from benchbench.comparison.load_pairs import compare_loads
    from benchbench.comparison.stored_results import stored_load
    from benchbench.errors import InputError, InterruptedRunError, TooManyFailuresError
    from benchbench.load_test import run_by_turns
    from benchbench.loads.folder import LoadFolder
    from benchbench.report.draw import pages

    if report.fail_if or report.junit:
        raise InputError("--fail-if is about one service; `benchbench compare` has gates on the differences of several")
    if _COMPARISON in targets:
        raise InputError(f"--target {_COMPARISON} has the name of the folder of the differences; give another")
    place = report.out or next(path for path in new_results(settings.name).paths() if not path.exists())
    if place.exists():
        raise InputError(f"--out {place} exists already; name another folder")
    tests = {
        name: replace(settings, service=settings.service.at(url), name=options.file_name(name))
        for name, url in targets.items()
    }
    with ExitStack() as stack:
        stack.callback(_remove_empty, place)
        folders = {name: stack.enter_context(LoadFolder(place / one.name)) for name, one in tests.items()}
        outcomes = run_by_turns(
            tests,
            lambda name, step, requests: folders[name].append(step, requests),
            lambda name, load: announce(load, name),
        )
        for name, one in outcomes.items():
            report.describe(one)
            if one.steps:
                folders[name].finish(one, partial(pages, one, "load_summary.txt"))
        if any(one.interrupted for one in outcomes.values()):
            raise InterruptedRunError("interrupted")
    found = compare_loads([stored_load(place / one.name) for one in tests.values()], names=tuple(targets))
    report.describe(found)
    found.save(place / _COMPARISON)
    each = [(one, place / tests[name].name) for name, one in outcomes.items()]
    report.finish(found, place, [*each, (found, place / _COMPARISON)])
    broken = [f"{name}: {gate.said}" for name, one in outcomes.items() for gate in one.decided()]
    if broken:
        raise TooManyFailuresError("; ".join(broken))


def _remove_empty(folder: "Path") -> None:
    with suppress(OSError):
        folder.rmdir()


for _parameter in command.params:  # options of `service_options` that differ for load
    if _parameter.name in ("retry_for", "retries"):
        _parameter.hidden = True  # type: ignore[attr-defined]  # an option, not an argument
    elif _parameter.name == "timeout":
        _parameter.default = _TIMEOUT
