"""`benchbench load`."""

from collections.abc import Callable
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import click

from benchbench.cli import options, progress
from benchbench.cli.data_sets import DataSetFound
from benchbench.cli.options import ReachOptions, ServiceOptions, new_results, one_url, target_urls
from benchbench.cli.parameters import on_the_line
from benchbench.cli.reporting import Reporting, reporting
from benchbench.cli.signatures import After, Fields, at_once, described_command
from benchbench.client.reach import Reach
from benchbench.loads.load_options import CONCURRENCIES, StepOptions
from benchbench.results.ranges import COUNT_OR_0
from benchbench.results.settings import Encoding, Opt, Timeout
from benchbench.retrieval.bm25_options import BM25Options

if TYPE_CHECKING:
    from benchbench.loads.load_settings import LoadSettings
    from benchbench.loads.step import Load
    from benchbench.tasks.criteria import Criteria

_COMPARISON = "comparison"  # of the targets of a load test, a folder beside theirs


def _list_metrics() -> None:
    from benchbench.loads.metrics import METRICS

    for name, metric in METRICS.items():
        click.echo(f"{name}\n    {metric.sentence}")


@dataclass(frozen=True, slots=True, kw_only=True)
class _ReachOnce(Reach):
    """How a service is reached, where each request is sent once."""

    timeout: Timeout = 10.0  # under overload every step ends that much later
    retry_for: Annotated[float, Opt("Not for load.", is_time=True, is_hidden=True)] = 60.0
    retries: Annotated[int | None, Opt("Not for load.", COUNT_OR_0, is_hidden=True)] = None


class _ReachOptions(ReachOptions):
    """The options of that."""

    settings: Annotated[dict[str, Any], Fields(_ReachOnce)]


class _LoadedService(ServiceOptions):
    """How a service is asked, where each request is sent once."""

    reach: _ReachOptions


@described_command(
    "load", (at_once("--list-metrics", "List all metrics with their definitions, and exit.", _list_metrics), "cluster")
)
def command(
    context: click.Context,
    url: Annotated[str | None, one_url],
    targets: Annotated[dict[str, str], target_urls],
    data: DataSetFound,
    bm25: BM25Options,
    settings: Annotated[dict[str, Any], Fields(StepOptions, but=("encoding",))],
    criteria: Annotated["Criteria", options.judging, After("top_k")],
    report: Annotated[
        Reporting,
        reporting(
            "p99>300ms",
            "nDCG@10<0.4",
            "errors>1%",
            out="Results folder.  [default: results/<UTC time>-<name>]",
            name="What this result is called.  [default: the folder's, or load]",
        ),
    ],
    encoding: Encoding = None,
    *,
    service: _LoadedService,
) -> None:
    """Measure latency, throughput and quality of a service under load.

    With --rate requests are sent when they are due, whatever the service does (open loop); with --concurrency
    so many are kept in flight (closed loop). Each request is sent once: there are no retries. Without --url a BM25 over
    the data set's own collection is started on a free loopback port and loaded.

    Examples
    --------
    benchbench load --url http://127.0.0.1:8000 --rate 10,20,40  # an open loop
    benchbench load --url http://127.0.0.1:8000 --concurrency 1,4,16  # a closed loop
    benchbench load --url http://127.0.0.1:8000 --find-max 'p99<300ms'  # the highest rate
    """
    options.begin_service(url or next(iter(targets), None), data, encoding, bm25)

    from benchbench.errors import InputError, InterruptedRunError
    from benchbench.load_test import LoadSettings, run
    from benchbench.loads.load_result import LoadFolder
    from benchbench.report.draw import layout, pages

    is_open = bool(settings["rates"] or settings["find_max"] or settings["trace"])
    if settings["concurrencies"] and is_open:
        raise InputError("--concurrency is a closed loop, and --rate, --find-max and --trace an open one; give either")
    for refused in ("retry_for", "retries"):
        if on_the_line(context, refused):
            named = f"--{refused.replace('_', '-')}"
            raise InputError(f"{named} is not for load: each request is sent once, and each failure counts")
    if settings["trace"] is None and on_the_line(context, "speed"):
        raise InputError("--speed is that of a --trace; give one")
    if url and targets:
        raise InputError("--url is one service, and --target several; give either")
    settings["concurrencies"] = settings["concurrencies"] or CONCURRENCIES
    given = LoadSettings(
        data,
        service.at(url, settings["max_in_flight"] if is_open else max(settings["concurrencies"])),
        bm25=bm25,
        fail_if=report.fail_if,
        encoding=encoding,
        criteria=criteria,
        name=options.file_name(report.name or (report.out.resolve().name if report.out else "load")),
        **settings,
    )
    options.tell_batch_size(given.service, settings["batch_sizes"], report.quiet or given.trace is not None)

    def announce(load: "Load", target: str = "") -> None:
        if progress.wanted(report.quiet):
            of, which = (
                f"{target}: " if target else "",
                f", repeat {load.repeat} of {given.repeat}" if given.repeat > 1 else "",
            )
            click.echo(f"{of}{load.title}{which} …", err=True)

    if targets:
        _by_turns(targets, given, report, announce)
        return
    with LoadFolder(report.out or new_results(given.name)) as folder:
        result = run(given, folder.append, announce)
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
    from benchbench.loads.load_result import LoadFolder
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
        folders = {name: stack.enter_context(LoadFolder(place / test.name)) for name, test in tests.items()}
        outcomes = run_by_turns(
            tests,
            lambda name, step, requests: folders[name].append(step, requests),
            lambda name, load: announce(load, name),
        )
        for name, outcome in outcomes.items():
            report.describe(outcome)
            if outcome.steps:
                folders[name].finish(outcome, partial(pages, outcome, "load_summary.txt"))
        if any(outcome.interrupted for outcome in outcomes.values()):
            raise InterruptedRunError("interrupted")
    compared = compare_loads([stored_load(place / test.name) for test in tests.values()], names=tuple(targets))
    report.describe(compared)
    compared.save(place / _COMPARISON)
    each = [(outcome, place / tests[name].name) for name, outcome in outcomes.items()]
    report.finish(compared, place, [*each, (compared, place / _COMPARISON)])
    broken = [f"{name}: {gate.said}" for name, outcome in outcomes.items() for gate in outcome.decided()]
    if broken:
        raise TooManyFailuresError("; ".join(broken))


def _remove_empty(folder: "Path") -> None:
    with suppress(OSError):
        folder.rmdir()
