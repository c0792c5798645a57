"""`benchbench evaluate`."""

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import click

from benchbench.cli import progress
from benchbench.cli.judging_options import Judging
from benchbench.cli.model_options import ModelOptions
from benchbench.cli.options import AnsweredBy, Category, SourceType, new_results
from benchbench.cli.reporting import Reporting, reporting
from benchbench.cli.screen import echo
from benchbench.cli.signatures import File, described_command
from benchbench.errors import InputError, visible
from benchbench.results.ranges import COUNT
from benchbench.results.settings import SERVICE, Cluster, Opt

if TYPE_CHECKING:
    from benchbench.evaluation.subscores import ScorePlan
    from benchbench.formats.evaluation_config import EvaluationConfig
    from benchbench.judging.judge_settings import JudgeSettings

_MODELS = ("AZURE_OPENAI_EVAL_DEPLOYMENT", "OPENAI_GPT_MODEL")  # where assistants' evaluations have their judge
_REACH = ("ca_file", "timeout", "retry_for", "retries")


@described_command("evaluate")
def command(
    config: File,
    answers: Annotated[Path | None, Opt("File of answers, instead of the configured.")] = None,
    url: Annotated[
        str | None, Opt("Assistant to ask, instead of the configuration's.", metavar="URL", section=SERVICE)
    ] = None,
    target_headers: Annotated[
        tuple[str, ...],
        Opt(
            "Header for the assistant; ${VAR} is replaced.",
            flags=("--target-header",),
            metavar="'NAME: VALUE'",
            is_repeated=True,
            section=SERVICE,
        ),
    ] = (),
    target_token_env: Annotated[
        str | None, Opt("Variable with the assistant's token.", metavar="VAR", section=SERVICE)
    ] = None,
    limit: Annotated[int | None, Opt("Questions, the first ones.", COUNT, default="all")] = None,
    source_type: SourceType = None,
    category: Category = None,
    cluster: Cluster = None,
    without_judge: Annotated[bool, Opt("Leave out what a model judges, with a note.")] = False,
    answered_by: AnsweredBy = None,
    *,
    asked: ModelOptions,
    judging: Judging,
    report: Annotated[
        Reporting,
        reporting(
            "overall<0.6",
            "low domain<0.5",
            "errors>1%",
            out="Results folder.  [default: results/…-evaluate]",
            judges=True,
        ),
    ],
) -> None:
    """Evaluate retrieval, generation and domain quality of one data set, with an overall score.

    CONFIG names the questions, and where answers and contexts come from (docs/evaluate.md). The configuration file of
    an assistant's evaluation, with testdata_path and requested_metrics, is taken as it stands. Writes a results folder:
    report.html, record.json, questions.parquet, verdicts.parquet, eval_results.jsonl.

    Examples
    --------
    benchbench evaluate evaluate.toml --model gpt-4o --dry-run  # what would it cost?
    benchbench evaluate evaluate.toml --model gpt-4o  # retrieval, generation and domain
    benchbench evaluate evaluate.toml --model gpt-4o --html evaluate.html  # as a page
    """
    from benchbench.client.headers import read_headers
    from benchbench.evaluation.asking import services_of
    from benchbench.evaluation.evaluation_folder import EvaluationFolder
    from benchbench.evaluation.evaluation_run import EvaluationSettings, chosen_rows, planned_calls, read_data, run
    from benchbench.evaluation.subscores import plan_of
    from benchbench.formats.evaluation_config import read_evaluation_config
    from benchbench.report.draw import page

    given = _with_options(read_evaluation_config(config), answers, url, cluster)
    for sentence in () if report.quiet or given.assistants is None else given.assistants.notes:
        click.echo(f"Note: {visible(sentence)}", err=True)
    data = chosen_rows(read_data(given), source_type, category, limit)
    plan = plan_of(given, data)
    plan = plan.without_judge() if without_judge else plan
    reach = {name: asked.settings[name] for name in _REACH}
    reach["headers"] = read_headers(target_headers, target_token_env)
    target, search = services_of(given, asked.settings["concurrency"], **reach)
    if given.assistants is not None and target is None and given.answers is None:
        raise InputError(f"{config} has no `target_url`; name the assistant with --url, or its answers with --answers")
    settings = EvaluationSettings(
        given,
        data,
        plan,
        judge=_judge(given, plan, judging, asked, report.quiet),
        target=target,
        search=search,
        concurrency=asked.settings["concurrency"],
        answered_by=answered_by or "",
        max_error_rate=judging.given["max_error_rate"],
        fail_if=report.fail_if,
        **judging.trust,
    )
    if judging.dry_run:
        from benchbench.report.layouts.judge import plan_layout

        echo(None, plan_layout(planned_calls(settings)), report.output)
        return
    options = {"source_type": source_type, "category": category, "limit": limit, "answered_by": answered_by}
    place = report.out or (new_results("evaluate") if given.results is None else new_results("", given.results))
    with EvaluationFolder(place) as folder:
        with progress.line(report.quiet) as show:
            outcome = run(
                settings, folder.append, lambda what, done, total: show(f"{what} {done:,} of {total:,}"), options
            )
        report.describe(outcome, others=dict.fromkeys(given.given, str(config)))
        folder.finish(outcome, page(outcome))
    report.finish(outcome, folder.path)


def _with_options(
    given: "EvaluationConfig", answers: Path | None, url: str | None, cluster: str | None
) -> "EvaluationConfig":
    """Return a configuration with what the command line says of it."""
    from msgspec.structs import replace

    if answers is not None and url is not None:
        raise InputError("--answers and --url both say where answers come from; give one of them")
    if answers is not None:
        given = replace(given, answers=answers)
    if url is not None:
        from benchbench.formats.answers_config import TargetConfig

        given = replace(given, answers=None, target=replace(given.target or TargetConfig(), url=url))
    return replace(given, cluster=cluster or given.cluster)


def _judge(
    given: "EvaluationConfig", plan: "ScorePlan", judging: Judging, options: ModelOptions, quiet: bool
) -> "JudgeSettings | None":
    """Return the judge, where something is judged; InputError that says what to set where no model is named."""
    from msgspec.structs import asdict

    if not plan.rubrics:
        if (named := options.settings["model"]) and not quiet:
            click.echo(f"Note: --model {visible(named)} is not asked: nothing of this evaluation is judged", err=True)
        return None
    usual = {name: value for name, value in asdict(given.judge).items() if value is not None}
    if "model" not in usual:
        usual |= {"model": next((os.environ[name] for name in _MODELS if os.environ.get(name)), "")}
    try:
        asked = options.chat_model(**usual)
        if not judging.dry_run and asked.endpoint.key_problem is not None:
            raise InputError(asked.endpoint.key_problem)
    except InputError as problem:
        names = ", ".join(score.name for score in plan.scores if score.rubric is not None)
        raise InputError(f"{problem}; a model judges {names}, and --without-judge leaves them out") from None
    settings = judging.settings(plan.rubrics, asked, options.priced(**usual), (), quiet)
    if settings.price is not None and (old := settings.price.warning()) and not quiet:
        click.echo(f"Note: {old}", err=True)
    return settings
