"""`benchbench run`."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import click

from benchbench.cli import common, data_sets, options, progress
from benchbench.cli.numbers import Number
from benchbench.cli.options import encoding, loudness, new_results, service_options
from benchbench.cli.project_file import Command
from benchbench.cli.reporting import Reporting, reporting
from benchbench.cli.settings_options import option
from benchbench.tables.numbers import COUNT, PASSES
from benchbench.tables.settings import BatchSize, Depth, Workers

if TYPE_CHECKING:
    from benchbench.client.service import Service
    from benchbench.experiment import Outcome, Progress, Targets
    from benchbench.formats.datasets.data_set import DataSet
    from benchbench.report.layout import Layout
    from benchbench.results.result import Result
    from benchbench.tables.bm25_options import BM25Options
    from benchbench.tasks.criteria import Criteria


@click.command(cls=Command, name="run")
@options.services
@data_sets.data_set
@options.bm25
@service_options
@option("batch_size", BatchSize, None)
@option("top_k", Depth, None)
@common.limit(None, "Queries to ask, drawn with --seed.  [default: all]")
@common.seed(0)
@common.concurrency(8)
@option("workers", Workers, 1)
@options.judging
@common.max_error_rate
@common.cluster
@common.give_up_after
@options.skip_bad_lines
@common.results_folder
@click.option(
    "--resume",
    is_flag=True,
    help="Continue an interrupted run of the same command; of a finished run, send the failed queries again.",
)
@click.option(
    "--chunk",
    type=Number(COUNT),
    default=4096,
    show_default=True,
    help="Queries judged and stored together; no result depends on it.",
)
@click.option(
    "--repeat",
    type=Number(PASSES),
    default=1,
    show_default=True,
    help="Passes over the queries; later ones say how much the service differs from itself.",
)
@reporting(
    "nDCG@10<0.4", "gold.P@5<0.6", "p99>300ms", "errors>1%",
    out=None, name="What this result is called.  [default: bm25, service with --url, or the targets' names]",
)  # fmt: skip
@encoding
@loudness
def command(
    url: str | None,
    targets: dict[str, str],
    data: "DataSet",
    bm25: "BM25Options",
    service: "Callable[[str | None, int], Service]",
    batch_size: int | None,
    top_k: int | None,
    limit: int | None,
    seed: int,
    concurrency: int,
    workers: int,
    criteria: "Criteria",
    max_error_rate: float,
    cluster: str | None,
    give_up_after: int,
    skip_bad_lines: bool,
    out: Path | None,
    resume: bool,
    chunk: int,
    repeat: int,
    encoding: str | None,
    report: Reporting,
) -> None:
    """Benchmark a retrieval service: send queries in batches, judge the hits, report.

    Without --url a BM25 over the data set's own collection is started on a free loopback port and measured.
    Results go to a folder that appears whole or not at all; the summary is printed.
    """
    options.begin_service(url or next(iter(targets), None), data, encoding, bm25)

    from benchbench.kernels.json_columns import walk
    from benchbench.tables.compiled_ahead import begin

    begin(walk, "benchbench.measures.aggregate", "compile_intervals")

    from benchbench.errors import InterruptedRunError
    from benchbench.experiment import Output, Settings, run, run_targets
    from benchbench.runs.folder import ResultsFolder, unfinished

    name = report.name or "-".join(targets)[:80] or ("service" if url else "bm25")
    if out is None:
        name = options.file_name(name)  # part of the folder's
    settings = Settings(
        dataset=data,
        bm25=bm25,
        url=url,
        targets=targets,
        service=service(url, concurrency),
        name=name,
        batch_size=batch_size,  # type: ignore[arg-type]
        top_k=top_k,  # type: ignore[arg-type]
        concurrency=concurrency,
        workers=workers,
        give_up_after=give_up_after,
        encoding=encoding,
        skip_bad_lines=skip_bad_lines,
        criteria=criteria,
        fail_if=report.fail_if,
        max_error_rate=max_error_rate,
        cluster=cluster,
        chunk=chunk,
        limit=limit,
        seed=seed,
        repeat=repeat,
    )
    common.tell_batch_size(settings.service, batch_size, report.quiet)
    place = out or (unfinished(Path("results"), name) if resume else new_results(name))
    with ResultsFolder(place, resume, tuple(targets)) as folder:
        if resume and not report.quiet and not folder.begun:
            click.echo(f"{folder.partial} has no answers: all queries are sent", err=True)
        try:
            with progress.queries(report.quiet) as bar:
                show = _preparing(bar)
                if targets:
                    outputs = {
                        one: Output(files.append, files.journal, _note) for one, files in folder.services.items()
                    }
                    result: Outcome | Targets = run_targets(settings, outputs, show)
                else:
                    result = run(settings, folder.append, show, folder.journal, _note)
        except KeyboardInterrupt:
            raise InterruptedRunError("interrupted") from None
        report.describe(result)
        told: list[Layout | None] = []

        def pages(one: "Result") -> dict[str, str]:
            if not told:
                told.append(report.early(result))
            return _pages(one, folder.partial)

        folder.finish(result, pages)
    report.finish(result, folder.path, told=told[0])


def _pages(result: "Result", folder: Path) -> dict[str, str]:
    """Return what lies in a folder for people; several services have the page of their comparison."""
    from benchbench.cli.targets_page import page
    from benchbench.report.draw import pages

    compared = page(result, folder)
    return pages(result) | ({} if compared is None else {"report.html": compared})


def _preparing(show: "Progress") -> "Progress":
    """Prepare the page once the queries are read: the embedded retriever starts meanwhile, and no clock runs yet."""

    def shown(done: int, total: int) -> None:
        if not done:
            from benchbench.report.render.html import prepare

            prepare()
        show(done, total)

    return shown


def _note(sentence: str) -> None:
    """Print a warning; even with --quiet."""
    click.echo(sentence, err=True)
