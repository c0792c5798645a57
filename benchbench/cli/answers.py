"""`benchbench answers run|score|analyze`."""

from contextlib import nullcontext
from pathlib import Path
from typing import Annotated

import click

from benchbench.cli import progress
from benchbench.cli.groups import Group
from benchbench.cli.options import Category, GroundTruth, ReachOptions, SourceType, new_results
from benchbench.cli.reporting import Reporting, reporting
from benchbench.cli.screen import echo
from benchbench.cli.screen import output as printed_as
from benchbench.cli.signatures import File, at_once, described_command
from benchbench.errors import visible
from benchbench.results.ranges import COUNT, WORKERS
from benchbench.results.settings import OUTPUT, SERVICE, Cluster, Concurrency, MaxErrorRate, Opt


def _list_metrics() -> None:
    from benchbench.answering.scoring import all_metrics

    for metric in all_metrics():
        click.echo(f"{metric.name}\n    {metric.explanation}")


Metrics = Annotated[
    tuple[str, ...],
    Opt("Metrics to compute.", flags=("-m", "--measure"), default="those for English law", metavar="METRIC"),
]
MetricsFrom = Annotated[tuple[Path, ...], Opt("Python file that registers metrics; it runs.", is_repeated=True)]
Report = Annotated[Reporting, reporting("statute_citation_accuracy<0.5", "latency>2s", "errors>1%", out=None)]
_LIST = (at_once("--list-metrics", "List all metrics with their definitions, and exit.", _list_metrics), "metrics_from")


@click.group(cls=Group, name="answers")
def command() -> None:
    """Evaluate the answers of an assistant: citations, terminology, format, sources, four-choice questions."""


@described_command("run", _LIST, within=command)
def run(
    config: Annotated[Path, Opt("JSON file, as docs/answers.md describes it.")],
    targeturl: Annotated[
        str | None,
        Opt(
            "Assistant to ask, instead of the file's target_url.",
            flags=("--url",),
            metavar="URL",
            old=("--targeturl",),
            section=SERVICE,
        ),
    ] = None,
    numquestions: Annotated[
        int | None, Opt("Questions to ask, the first ones.", COUNT, ("--limit",), "all", old=("--numquestions",))
    ] = None,
    resultsdir: Annotated[Path | None, Opt("Folder for results folders.")] = None,
    out: Annotated[Path | None, Opt("Results folder.", default="<UTC time> in --resultsdir", section=OUTPUT)] = None,
    source_type: SourceType = None,
    category: Category = None,
    metrics: Metrics = (),
    metrics_from: MetricsFrom = (),
    concurrency: Concurrency = 4,
    max_error_rate: MaxErrorRate = 0.0,
    cluster: Cluster = None,
    *,
    reach: ReachOptions,
    report: Report,
) -> None:
    """Ask an assistant the questions of a ground truth, and score its answers.

    Writes a results folder: report.html, eval_results.jsonl, record.json, summary.json, config.json.

    Examples
    --------
    benchbench answers run --config config.json  # ask the assistant, and score
    benchbench answers run --config config.json --limit 10  # ten questions
    benchbench answers run --config config.json --html answers.html  # as a page
    """
    from benchbench.answering import asking
    from benchbench.answering.answers_folder import AnswersFolder
    from benchbench.answering.answers_result import parse_gates
    from benchbench.answering.scoring import chosen, load_metrics, need_truths
    from benchbench.chat.assistant import ASSISTANT
    from benchbench.client.service import Service
    from benchbench.errors import InputError, InterruptedRunError
    from benchbench.formats.answers_config import read_config
    from benchbench.formats.ground_truth import Reading, read_ground_truth
    from benchbench.report.draw import page

    if out is not None and resultsdir is not None:
        raise InputError("--out names the results folder, and --resultsdir the folder that holds it: give one")
    given = read_config(config)
    left_out = [
        f"{config}: {name} needs a model as a judge, and is left out; `benchbench evaluate` has it"
        for name in given.judged
    ]
    for sentence in () if report.quiet else (*given.notes, *left_out):
        click.echo(f"Note: {visible(sentence)}", err=True)
    load_metrics(metrics_from)
    wanted = chosen(metrics or given.metrics)
    parse_gates(report.fail_if, wanted)
    if given.testdata is None:
        raise InputError(f"{config} has no `testdata_path`; it names the file of questions to ask")
    url = targeturl or given.url
    if url is None:
        raise InputError(f"{config} has no `target_url`; name the assistant with --url")
    questions = read_ground_truth(given.testdata, Reading(need_truths(wanted), cluster or ""))
    settings = asking.AnswersSettings(
        asking.of_kind(questions, given.testdata, source_type, category, numquestions),
        Service(url, ASSISTANT, connections=concurrency, **reach()),
        asking.assistant_of(given.target),
        wanted,
        concurrency,
        report.fail_if,
        max_error_rate,
        cluster,
    )
    options = {
        "config": str(config),
        "testdata": str(given.testdata),
        "source_type": source_type,
        "category": category,
        "metrics_from": list(map(str, metrics_from)),
        "target_response_answer_jmespath": given.answer,
        "target_response_context_jmespath": given.context,
    }
    inside = resultsdir or given.results
    place = out or (new_results("answers") if inside is None else new_results("", inside))
    with AnswersFolder(place, wanted) as folder:
        with progress.line(report.quiet) as show:
            outcome = asking.run(
                settings, folder.append, lambda done, total: show(f"Asked {done:,} of {total:,} questions"), options
            )
        report.describe(outcome, others=dict.fromkeys(given.settings, str(config)))
        folder.finish(outcome, page(outcome))
        if not outcome.complete:
            raise InterruptedRunError("interrupted")
    report.finish(outcome, folder.path)


@described_command("score", _LIST, within=command)
def score(
    answers: File,
    ground_truth: GroundTruth = None,
    metrics: Metrics = (),
    metrics_from: MetricsFrom = (),
    out: Annotated[Path | None, Opt("Results folder, with a page.", default="none", section=OUTPUT)] = None,
    workers: Annotated[
        int | None,
        Opt(
            "Processes that share the answers.",
            WORKERS,
            default="one per core",
        ),
    ] = None,
    cluster: Cluster = None,
    *,
    report: Report,
) -> None:
    """Score stored ANSWERS: JSON lines with question, answer and truth, such as an eval_results.jsonl.

    They are read as a stream: memory does not grow with the file.

    Examples
    --------
    benchbench answers score answers.jsonl  # score stored answers
    benchbench answers score answers.jsonl --ground-truth truth.jsonl  # with a ground truth
    benchbench answers score answers.jsonl --html answers.html  # as a page
    """
    from benchbench.answering.answers_folder import AnswersFolder, line
    from benchbench.answering.answers_result import parse_gates
    from benchbench.answering.per_answer import PerAnswer
    from benchbench.answering.scoring import ScoringTask, chosen, load_metrics
    from benchbench.answering.stored import scored, truths_of
    from benchbench.report.draw import page
    from benchbench.tables.shared_messages import counted

    load_metrics(metrics_from)
    wanted = chosen(metrics)
    source, truths = None if ground_truth is None else str(ground_truth), truths_of(ground_truth, wanted, cluster or "")
    parse_gates(report.fail_if, wanted)  # before there is a folder
    with nullcontext() if out is None else AnswersFolder(out, wanted) as folder:
        has_page = folder is not None or report.html is not None
        table = folder.table if folder else None if report.recording is None else PerAnswer()
        has_table = table is not None
        task = ScoringTask(metrics, metrics_from, truths, line if folder else None, cluster or "", has_page, has_table)
        outcome = scored(answers, task, report.fail_if, workers, folder.write if folder else len, source, table)
        report.describe(outcome)
        if folder:
            folder.finish(outcome, page(outcome))
    unanswered = outcome.found.unanswered
    if unanswered and not report.quiet:
        have = "has" if unanswered == 1 else "have"
        click.echo(f"{counted(unanswered, 'question')} of {ground_truth} {have} no answer in {answers}", err=True)
    report.finish(outcome, recorded=[(outcome, folder.path)] if folder else ())


@described_command("analyze", within=command)
def analyze(ground_truth: File, output: Annotated[str, printed_as("text", "json")]) -> None:
    """Show the questions of a GROUND_TRUTH by source type and category, their lengths, and what the truths cite."""
    from benchbench.answering.analysis import analysis
    from benchbench.formats.ground_truth import read_ground_truth
    from benchbench.report.layouts.answers import analysed

    counts = analysis(read_ground_truth(ground_truth))
    echo(None, analysed(counts), output)
