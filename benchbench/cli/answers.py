"""`benchbench answers run|score|analyze`."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from benchbench.cli import common, progress
from benchbench.cli.ci import Files, end
from benchbench.cli.numbers import Number
from benchbench.cli.options import gates, loudness, new_results, output_format, reach_options
from benchbench.cli.parameters import PATH, Option
from benchbench.cli.project_file import Group
from benchbench.errors import visible
from benchbench.tables.numbers import WORKERS

if TYPE_CHECKING:
    from benchbench.answers.metrics import Metric
    from benchbench.answers.summary import Summary
    from benchbench.results.record import GateResult

_FORMATS = ("text", "json", "jsonl", "csv", "markdown", "latex")


def _list_metrics(context: click.Context, parameter: click.Parameter, wanted: bool) -> None:
    if not wanted:
        return
    from benchbench.answering.scoring import all_metrics

    for one in all_metrics():
        click.echo(f"{one.name}\n    {one.explanation}")
    context.exit()


_metrics = click.option(
    "-m",
    "--measure",
    "metrics",
    cls=Option,
    listed=True,
    metavar="METRIC",
    help="Metrics to compute.  [default: those for English law]",
)
_metrics_from = click.option(
    "--metrics-from",
    multiple=True,
    type=PATH,
    help="A Python file that registers metrics of your own; it is run.",
)
_gates = gates("statute_citation_accuracy<0.5", "latency>2s", "errors>1%")
_list = click.option(
    "--list-metrics",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_list_metrics,
    help="List all metrics with their definitions, and exit.",
)


@click.group(cls=Group, name="answers")
def command() -> None:
    """Evaluate the answers of an assistant: citations, terminology, format, sources, four-choice questions."""


@command.command(name="run")
@click.option("--config", type=PATH, required=True, help="JSON, as docs/answers.md describes it.")
@click.option(
    "--url",
    "targeturl",
    cls=Option,
    old=("--targeturl",),
    metavar="URL",
    help="Assistant to ask, instead of the file's target_url.",
)
@common.limit(None, "Questions to ask, the first ones.  [default: all]", "--numquestions", name="numquestions")
@click.option("--resultsdir", type=PATH, help="Folder for results, instead of the file's results_dir.")
@click.option("--source-type", help="Only questions of this source type.")
@click.option("--category", help="Only questions of this category.")
@_metrics
@_metrics_from
@_list
@common.concurrency(4)
@common.max_error_rate
@_gates
@reach_options
@output_format(*_FORMATS)
@loudness
def run(
    config: Path,
    targeturl: str | None,
    numquestions: int | None,
    resultsdir: Path | None,
    source_type: str | None,
    category: str | None,
    metrics: tuple[str, ...],
    metrics_from: tuple[Path, ...],
    concurrency: int,
    max_error_rate: float,
    fail_if: tuple[str, ...],
    ci: Files,
    headers: tuple[str, ...],
    token_env: str | None,
    ca_file: Path | None,
    timeout: float,
    retry_for: float,
    retries: int | None,
    max_response_mb: int,
    output: str,
    quiet: bool,
) -> None:
    """Ask an assistant the questions of a ground truth, and score what it says.

    Writes RESULTSDIR/<UTC time>/: eval_results.jsonl, summary.json, config.json.
    """
    from benchbench.answering import asking
    from benchbench.answering.gates import parse_gates
    from benchbench.answering.scoring import chosen, load_metrics
    from benchbench.client.assistant import ASSISTANT, Assistant, path
    from benchbench.client.headers import read_headers
    from benchbench.client.service import Service
    from benchbench.errors import InputError, InterruptedRunError
    from benchbench.formats.answers import read_ground_truth
    from benchbench.formats.answers_config import read_config
    from benchbench.report.answers_ci import checked
    from benchbench.report.answers_folder import AnswersFolder

    given = read_config(config)
    _note(given.notes, quiet)
    load_metrics(metrics_from)
    wanted = chosen(metrics or given.metrics)
    parse_gates(fail_if, wanted)
    if given.testdata is None:
        raise InputError(f"{config} has no `testdata_path`; it names the file of questions to ask")
    url = targeturl or given.url
    if url is None:
        raise InputError(f"{config} has no `target_url`; name the assistant with --url")
    questions = [
        one
        for one in read_ground_truth(given.testdata)
        if source_type in (None, one.source_type) and category in (None, one.category)
    ][:numquestions]
    if not questions:
        raise InputError(
            f"no question of {given.testdata} has that source type and category; `benchbench answers analyze` lists "
            "those that it has"
        )
    assistant = Assistant(
        path(given.answer, "target_response_answer_jmespath"),
        path(given.context, "target_response_context_jmespath"),
        given.parameters,
    )
    service = Service(
        url,
        ASSISTANT,
        read_headers(headers, token_env),
        ca_file,
        timeout,
        retry_for,
        retries,
        max_response_mb,
        concurrency,
    )
    settings = asking.Settings(questions, service, assistant, wanted, concurrency, fail_if)
    place = resultsdir or given.results
    with AnswersFolder(new_results("answers") if place is None else new_results("", place), wanted) as folder:
        with progress.line(quiet) as show:
            outcome = asking.run(
                settings, folder.append, lambda done, total: show(f"Asked {done:,} of {total:,} questions")
            )
        told = outcome.gates
        options = {
            **service.shown(),
            "config": str(config),
            "testdata": str(given.testdata),
            "questions": len(questions),
            "source_type": source_type,
            "category": category,
            "concurrency": concurrency,
            "metrics": [one.name for one in wanted],
            "fail_if": fail_if,
            "target_parameters": dict(given.parameters),
            "target_response_answer_jmespath": given.answer,
            "target_response_context_jmespath": given.context,
        }
        folder.finish(outcome.summary, told, options, outcome.complete)
        if not outcome.complete:
            raise InterruptedRunError("interrupted")
    found = checked("benchbench answers run", outcome.subject, outcome.summary, told, max_error_rate)
    ci.write(found)
    _print(outcome.summary, wanted, told, output)
    if not quiet:
        click.echo(f"Results in {folder.path}", err=True)
    end(found.cases)


@command.command(name="score")
@click.argument("answers", type=PATH)
@click.option("--ground-truth", type=PATH, help="Ground truth, for answers that do not have it with them.")
@_metrics
@_metrics_from
@_list
@_gates
@click.option("--out", type=PATH, help="Folder for eval_results.jsonl and summary.json.")
@click.option(
    "--workers",
    type=Number(WORKERS),
    help="Processes that share the answers, from 4,000 on; the result is the same.  [default: one a core, at most 8]",
)
@output_format(*_FORMATS)
@loudness
def score(
    answers: Path,
    ground_truth: Path | None,
    metrics: tuple[str, ...],
    metrics_from: tuple[Path, ...],
    fail_if: tuple[str, ...],
    ci: Files,
    out: Path | None,
    workers: int | None,
    output: str,
    quiet: bool,
) -> None:
    """Score stored ANSWERS: JSON lines with question, answer and truth, such as an eval_results.jsonl.

    They are read as a stream: memory does not grow with the file.
    """
    from benchbench.answering.gates import parse_gates
    from benchbench.answering.scoring import Task, chosen, load_metrics
    from benchbench.answering.stored import scored
    from benchbench.formats.answers import read_ground_truth
    from benchbench.report.answers import line
    from benchbench.report.answers_ci import checked

    load_metrics(metrics_from)
    wanted = chosen(metrics)
    truths = None if ground_truth is None else {one.question: one for one in read_ground_truth(ground_truth)}
    task = Task(metrics, metrics_from, truths, line if out else None)
    if out is None:
        outcome = scored(answers, task, fail_if, workers)
    else:
        from benchbench.report.answers_folder import AnswersFolder

        parse_gates(fail_if, wanted)  # before there is a folder
        with AnswersFolder(out, wanted) as folder:
            outcome = scored(answers, task, fail_if, workers, folder.write)
            shown = {
                "answers": str(answers),
                "ground_truth": None if ground_truth is None else str(ground_truth),
                "metrics": [one.name for one in wanted],
                "fail_if": fail_if,
            }
            folder.finish(outcome.summary, outcome.gates, shown)
    summary, told = outcome.summary, outcome.gates
    if summary.unanswered and not quiet:
        some = "1 question" if summary.unanswered == 1 else f"{summary.unanswered:,} questions"
        have = "has" if summary.unanswered == 1 else "have"
        click.echo(f"{some} of {ground_truth} {have} no answer in {answers}", err=True)
    found = checked("benchbench answers score", answers.name, summary, told)
    ci.write(found)
    _print(summary, wanted, told, output)
    end(found.cases)


@command.command(name="analyze")
@click.argument("ground_truth", type=PATH)
@output_format("text", "json")
@loudness
def analyze(ground_truth: Path, output: str, quiet: bool) -> None:
    """Show what a GROUND_TRUTH has: questions by source type and category, lengths, and what its truths cite."""
    from benchbench.answering.analysis import analysis
    from benchbench.formats.answers import read_ground_truth
    from benchbench.report import analysis as report

    found = analysis(read_ground_truth(ground_truth))
    click.echo({"text": report.text, "json": report.json}[output](found), nl=False)


def _print(summary: "Summary", metrics: "Sequence[Metric]", told: "Sequence[GateResult]", output: str) -> None:
    from benchbench.report import answers as report

    formats: dict[str, Callable[[], str]] = {
        "text": lambda: report.text(summary, metrics, told),
        "json": lambda: report.json(summary, told),
        "jsonl": lambda: report.json_lines(summary),
        "csv": lambda: report.comma_separated(summary),
        "markdown": lambda: report.markdown(summary),
        "latex": lambda: report.latex(summary),
    }
    click.echo(formats[output](), nl=False)


def _note(sentences: Sequence[str], quiet: bool) -> None:
    for sentence in () if quiet else sentences:
        click.echo(f"Note: {visible(sentence)}", err=True)
