"""`benchbench run`."""

import contextlib
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from benchbench.cli.options import encoding, loudness, output_format

if TYPE_CHECKING:
    from benchbench.tasks.criteria import Denominator, Identity

_TASKS = ("gold", "accusation", "article", "imprisonment")


def _tasks(context: click.Context, parameter: click.Parameter, value: str | None) -> tuple[str, ...]:
    names = tuple(name.strip() for name in value.split(",")) if value else _TASKS
    for name in names:
        if name not in _TASKS:
            raise click.BadParameter(f"{name!r} is not one of {', '.join(_TASKS)}")
    return tuple(name for name in _TASKS if name in names)


@click.command(name="run")
@click.option("--url", help="Service to measure. Without it, the data set's collection is served and measured.")
@click.option("--dataset", default="synthetic-cases", show_default=True, help="Tiered file, folder, or name.")
@click.option("--collection", type=click.Path(path_type=Path), help="Collection to serve when there is no --url.")
@click.option(
    "--protocol",
    type=click.Choice(["benchbench", "legal-agent"]),
    default="benchbench",
    show_default=True,
    help="How the service wants to be asked.",
)
@click.option("--batch-size", type=int, default=32, show_default=True, help="Queries a request.")
@click.option("--top-k", type=int, default=20, show_default=True, help="Hits to ask for, before removals.")
@click.option("--concurrency", type=int, default=8, show_default=True, help="Requests under way at once.")
@click.option("--tasks", callback=_tasks, help=f"Comma-separated, of {', '.join(_TASKS)}.  [default: all]")
@click.option("-k", "cutoffs", type=int, multiple=True, default=(3, 5, 10), show_default=True, help="Cut-offs.")
@click.option(
    "--self",
    "self_by",
    type=click.Choice(["text", "id"]),
    default="text",
    show_default=True,
    help="What makes a hit the query itself.",
)
@click.option(
    "--gold",
    "gold_by",
    type=click.Choice(["text", "id"]),
    default="text",
    show_default=True,
    help="What makes a hit a positive.",
)
@click.option(
    "--recall-denominator",
    type=click.Choice(["fixed", "capped", "full"]),
    default="fixed",
    show_default=True,
    help="10; the relevant cases, at most 10; or all of them.",
)
@click.option("--max-positives", type=int, default=10, show_default=True, help="Positives a query, in file order.")
@click.option("--timeout", type=click.FloatRange(0, min_open=True), default=60.0, show_default=True, help="Seconds.")
@click.option("--retries", type=click.IntRange(0), default=3, show_default=True, help="After transient failures.")
@click.option("--max-response-mb", type=click.IntRange(1), default=256, show_default=True, help="Largest answer.")
@click.option(
    "--max-error-rate",
    type=click.FloatRange(0, 1),
    default=0.0,
    show_default=True,
    help="Share of queries that may fail before the exit code is 4.",
)
@click.option("--skip-bad-lines", is_flag=True, help="Count lines that cannot be read, and go on.")
@click.option("--out", type=click.Path(path_type=Path), help="Results folder.  [default: results/<UTC time>-<name>]")
@click.option("--name", default="bm25", show_default=True, help="What this run is called.")
@output_format("text", "json", "jsonl", "csv", "markdown", "latex")
@encoding
@loudness
def command(
    url: str | None,
    dataset: str,
    collection: Path | None,
    protocol: str,
    batch_size: int,
    top_k: int,
    concurrency: int,
    tasks: tuple[str, ...],
    cutoffs: tuple[int, ...],
    self_by: "Identity",
    gold_by: "Identity",
    recall_denominator: "Denominator",
    max_positives: int,
    timeout: float,
    retries: int,
    max_response_mb: int,
    max_error_rate: float,
    skip_bad_lines: bool,
    out: Path | None,
    name: str,
    output: str,
    encoding: str | None,
    quiet: bool,
) -> None:
    """Benchmark a retrieval service: send queries in batches, judge the hits, report.

    Without --url a BM25 over the data set's own collection is started on a free loopback port and measured.
    Results go to a folder that appears whole or not at all; the summary is printed.
    """
    from benchbench.errors import InputError, InterruptedRunError, TooManyFailuresError
    from benchbench.experiment import Settings, run
    from benchbench.formats.card import locate
    from benchbench.report.folder import ResultsFolder
    from benchbench.report.print import FORMATS
    from benchbench.tasks.criteria import Criteria

    data = locate(dataset)
    if collection is not None:
        data = replace(data, collection=collection)
    settings = Settings(
        dataset=data,
        url=url,
        protocol=protocol,
        name=name,
        batch_size=batch_size,
        top_k=top_k,
        concurrency=concurrency,
        timeout=timeout,
        retries=retries,
        max_response_mb=max_response_mb,
        encoding=encoding,
        skip_bad_lines=skip_bad_lines,
        criteria=Criteria(tasks, cutoffs, self_by, gold_by, recall_denominator, max_positives),
    )
    if Path(name).name != name:
        raise InputError(f"--name {name} cannot be part of a file name")
    path = out or Path("results") / f"{time.strftime('%Y%m%dT%H%M%SZ', time.gmtime())}-{name}"
    with ResultsFolder(path) as folder:
        try:
            with _progress(quiet) as progress:
                outcome = run(settings, folder.append, progress)
        except KeyboardInterrupt:
            raise InterruptedRunError(f"interrupted; what had been received is in {folder.partial}") from None
        folder.finish(outcome, max_error_rate)
    click.echo(FORMATS[output](outcome), nl=False)
    if not quiet:
        click.echo(f"Results in {path}", err=True)
    failed = outcome.counts["failed"]
    if failed > max_error_rate * outcome.counts["queries"]:
        raise TooManyFailuresError(
            f"{failed:,} of {outcome.counts['queries']:,} queries failed, mostly: {next(iter(outcome.failures))}; "
            f"see {path / 'requests.parquet'}"
        )


@contextlib.contextmanager
def _progress(quiet: bool) -> Iterator[Callable[[int, int], None]]:
    """Show a bar with rate and time left, on a terminal only."""
    if quiet or not sys.stderr.isatty():
        yield lambda done, total: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("queries, {task.fields[rate]}/s,"),
        TimeRemainingColumn(),
        TextColumn("left"),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("Starting", total=None, rate="-")
        started = time.perf_counter()

        def show(done: int, total: int) -> None:
            nonlocal started
            if done == 0:
                started = time.perf_counter()
            rate = done / (time.perf_counter() - started) if done else 0.0
            bar.update(task, description="Searching", completed=done, total=total, rate=f"{rate:,.0f}")

        yield show
