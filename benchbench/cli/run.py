"""`benchbench run`."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import click

from benchbench.cli import options, progress
from benchbench.cli.data_sets import DataSetFound
from benchbench.cli.options import ServiceOptions, new_results, one_url, target_urls
from benchbench.cli.reporting import Reporting, reporting
from benchbench.cli.signatures import After, Fields, described_command
from benchbench.results.settings import OUTPUT, Encoding, Opt
from benchbench.retrieval.bm25_options import BM25Options
from benchbench.runs.run_options import RunOptions

if TYPE_CHECKING:
    from benchbench.experiment import Outcome, Progress, Targets
    from benchbench.report.layout import Layout
    from benchbench.results.result import Result
    from benchbench.tasks.criteria import Criteria


@described_command("run")
def command(
    url: Annotated[str | None, one_url],
    targets: Annotated[dict[str, str], target_urls],
    data: DataSetFound,
    bm25: BM25Options,
    service: ServiceOptions,
    settings: Annotated[dict[str, Any], Fields(RunOptions, but=("encoding",))],
    criteria: Annotated["Criteria", options.judging, After("workers")],
    out: Annotated[
        Path | None,
        Opt("Results folder.", default="results/<UTC time>-<name>", section=OUTPUT),
        After("skip_bad_lines"),
    ] = None,
    resume: Annotated[bool, Opt("Continue a run; ask failed queries again.", section=OUTPUT), After("out")] = False,
    *,
    report: Annotated[
        Reporting,
        reporting(
            "nDCG@10<0.4",
            "gold.P@5<0.6",
            "p99>300ms",
            "errors>1%",
            out=None,
            name="What this result is called.  [default: bm25]",
        ),
    ],
    encoding: Encoding = None,
) -> None:
    """Benchmark a retrieval service: send queries in batches, judge the hits, report.

    Without --url a BM25 over the data set's own collection is started on a free loopback port and measured.
    Results go to a folder that appears whole or not at all; the summary is printed.

    Examples
    --------
    benchbench run  # a small data set of ours, searched by our BM25
    benchbench run --dataset scifact  # your data, our BM25
    benchbench run --dataset scifact --url http://127.0.0.1:8000  # your service
    """
    options.begin_service(url or next(iter(targets), None), data, encoding, bm25)

    from benchbench.errors import InterruptedRunError
    from benchbench.experiment import Output, Settings, run, run_targets
    from benchbench.runs.run_folder import ResultsFolder, unfinished

    name = report.name or "-".join(targets)[:80] or ("service" if url else "bm25")
    if out is None:
        name = options.file_name(name)  # part of the folder's
    given = Settings(
        data,
        bm25=bm25,
        url=url,
        targets=targets,
        service=service.at(url, settings["concurrency"]),
        name=name,
        encoding=encoding,
        criteria=criteria,
        fail_if=report.fail_if,
        **settings,
    )
    options.tell_batch_size(given.service, settings["batch_size"], report.quiet)
    place = out or (unfinished(Path("results"), name) if resume else new_results(name))
    with ResultsFolder(place, resume, tuple(targets)) as folder:
        if resume and not report.quiet and not folder.begun:
            click.echo(f"{folder.partial} has no answers: all queries are sent", err=True)
        try:
            with progress.queries(report.quiet) as bar:
                show = _preparing(bar)
                if targets:
                    outputs = {
                        name: Output(files.append, files.journal, _note) for name, files in folder.services.items()
                    }
                    result: Outcome | Targets = run_targets(given, outputs, show)
                else:
                    result = run(given, folder.append, show, folder.journal, _note)
        except KeyboardInterrupt:
            raise InterruptedRunError("interrupted") from None
        report.describe(result)
        told: list[Layout | None] = []

        def pages(measured: "Result") -> dict[str, str]:
            if not told:
                told.append(report.early(result))
            return _pages(measured, folder.partial)

        folder.finish(result, pages)
    report.finish(result, folder.path, told=told[0])


def _pages(result: "Result", folder: Path) -> dict[str, str]:
    """Return what lies in a folder for people; several services have the page of their comparison."""
    from benchbench.cli.targets_page import compared_targets
    from benchbench.report.draw import page, pages

    compared = compared_targets(result, folder)
    return pages(result) | ({} if compared is None else page(compared))


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
