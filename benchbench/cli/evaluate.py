"""`benchbench evaluate`."""

import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from benchbench.cli import common, progress
from benchbench.cli.judging_options import Judging, judging_options
from benchbench.cli.model_options import model_options
from benchbench.cli.options import loudness, new_results
from benchbench.cli.parameters import PATH
from benchbench.cli.project_file import Command
from benchbench.cli.reporting import Reporting, reporting
from benchbench.cli.screen import echo
from benchbench.errors import InputError, visible

if TYPE_CHECKING:
    from benchbench.client.service import Service
    from benchbench.evaluation.run import EvaluationSettings
    from benchbench.evaluation.subscores import Plan
    from benchbench.formats.evaluation_config import EvaluationConfig
    from benchbench.judging.settings import JudgeSettings

_MODELS = ("AZURE_OPENAI_EVAL_DEPLOYMENT", "OPENAI_GPT_MODEL")  # where assistants' evaluations have their judge
_REACH = ("ca_file", "timeout", "retry_for", "retries")


@click.command(cls=Command, name="evaluate")
@click.argument("config", type=PATH)
@click.option("--answers", type=PATH, help="File of answers, instead of the configuration's answers or target.")
@click.option("--url", metavar="URL", help="Assistant to ask, instead of the configuration's.")
@click.option(
    "--target-header",
    "target_headers",
    metavar="'NAME: VALUE'",
    multiple=True,
    help="Header of requests to the assistant or the search service; ${VAR} is read from the environment.",
)
@click.option("--target-token-env", metavar="VAR", help="Send them Authorization: Bearer with this variable's value.")
@common.limit(None, "Questions, the first ones.  [default: all]")
@click.option("--source-type", help="Only questions of this source type.")
@click.option("--category", help="Only questions of this category.")
@common.cluster
@click.option("--without-judge", is_flag=True, help="Leave out what a model judges, and say so.")
@click.option("--answered-by", metavar="NAME", help="Model that answers, where the answers have no `model`.")
@model_options
@judging_options
@reporting(
    "overall<0.6",
    "low domain<0.5",
    "errors>1%",
    out="Results folder.  [default: results/<UTC time>-evaluate, or in the configuration's]",
    judges=True,
)
@loudness
def command(
    config: Path,
    answers: Path | None,
    url: str | None,
    target_headers: tuple[str, ...],
    target_token_env: str | None,
    limit: int | None,
    source_type: str | None,
    category: str | None,
    cluster: str | None,
    without_judge: bool,
    answered_by: str | None,
    model: Callable[..., Any],
    price: Callable[..., Any],
    judging: Judging,
    report: Reporting,
) -> None:
    """Evaluate retrieval, generation and domain quality of one data set, with an overall score.

    CONFIG names the questions, and where answers and contexts come from (docs/evaluate.md). The configuration file of
    an assistant's evaluation, with testdata_path and requested_metrics, is taken as it stands. Writes a results folder:
    report.html, record.json, questions.parquet, verdicts.parquet, eval_results.jsonl.
    """
    from benchbench.evaluation.folder import EvaluationFolder
    from benchbench.evaluation.run import (
        EvaluationSettings,
        chosen_rows,
        planned_calls,
        read_data,
        run,
    )
    from benchbench.evaluation.subscores import plan_of
    from benchbench.formats.evaluation_config import read_evaluation_config
    from benchbench.report.draw import page

    given = _with_options(read_evaluation_config(config), answers, url, cluster)
    for sentence in () if report.quiet else given.notes:
        click.echo(f"Note: {visible(sentence)}", err=True)
    data = chosen_rows(read_data(given), source_type, category, limit)
    plan = plan_of(given, data)
    plan = plan.without_judge() if without_judge else plan
    target, search = _services(given, target_headers, target_token_env)
    if given.is_assistants and target is None and given.answers is None:
        raise InputError(f"{config} has no `target_url`; name the assistant with --url, or its answers with --answers")
    settings = EvaluationSettings(
        given,
        data,
        plan,
        _judge(given, plan, judging, model, price, report.quiet),
        target,
        search,
        _option("concurrency"),
        judging.calibrations,
        judging.least_kappa,
        judging.trust_judge,
        answered_by or "",
        judging.given["max_error_rate"],
        report.fail_if,
    )
    if judging.dry_run:
        from benchbench.report.layouts.judge import plan_layout

        echo(None, plan_layout(planned_calls(settings)), report.output)
        return
    options = {"source_type": source_type, "category": category, "limit": limit, "answered_by": answered_by}
    with EvaluationFolder(report.out or _place(given)) as folder:
        outcome = _run(run, settings, folder.append, report.quiet, options)
        report.describe(outcome, others=dict.fromkeys(given.given, str(config)))
        folder.finish(outcome, page(outcome))
    report.finish(outcome, folder.path)


def _run(
    run: Callable[..., Any], settings: "EvaluationSettings", keep: Callable[..., None], quiet: bool, options: Any
) -> Any:
    with progress.line(quiet) as show:
        return run(settings, keep, lambda what, done, total: show(f"{what} {done:,} of {total:,}"), options)


def _with_options(
    given: "EvaluationConfig", answers: Path | None, url: str | None, cluster: str | None
) -> "EvaluationConfig":
    """Return a configuration with what the command line says of it."""
    if answers is not None and url is not None:
        raise InputError("--answers and --url both say where answers come from; give one of them")
    if answers is not None:
        given = replace(given, answers=answers)
    if url is not None:
        from benchbench.formats.answers_config import AnswersConfig

        given = replace(given, answers=None, target=replace(given.target or AnswersConfig(), url=url))
    return replace(given, cluster=cluster or given.cluster)


def _services(
    given: "EvaluationConfig", headers: tuple[str, ...], token_env: str | None
) -> "tuple[Service | None, Service | None]":
    """Return the assistant to ask, where answers come from one, and the search service, where contexts do."""
    from benchbench.client.describe import profile
    from benchbench.client.headers import read_headers
    from benchbench.client.service import Service
    from benchbench.evaluation.answers import service_of

    reach = {name: _option(name) for name in _REACH}
    reach["headers"] = read_headers(headers, token_env)
    target = search = None
    if given.answers is None and given.target is not None and given.target.url is not None:
        target = service_of(given.target.url, _option("concurrency"), **reach)
    if given.contexts is not None and given.contexts.service is not None:
        asked = profile(given.contexts.protocol, {})
        search = Service(given.contexts.service, asked, connections=_option("concurrency"), **reach)
    return target, search


def _option(name: str) -> Any:
    """Return the value of an option that the judge's endpoint shares with the other services."""
    return click.get_current_context().params[name]


def _judge(
    given: "EvaluationConfig",
    plan: "Plan",
    judging: Judging,
    model: Callable[..., Any],
    price: Callable[..., Any],
    quiet: bool,
) -> "JudgeSettings | None":
    """Return the judge, where something is judged; InputError that says what to set where no model is named."""
    if not plan.rubrics:
        if (named := _option("model")) and not quiet:
            click.echo(f"Note: --model {visible(named)} is not asked: nothing of this evaluation is judged", err=True)
        return None
    usual = dict(given.judge)
    if "model" not in usual:
        usual |= {"model": next((os.environ[name] for name in _MODELS if os.environ.get(name)), "")}
    try:
        asked = model(**usual)
        if not judging.dry_run and asked.endpoint.key_problem is not None:
            raise InputError(asked.endpoint.key_problem)
    except InputError as problem:
        names = ", ".join(one.name for one in plan.scores if one.rubric is not None)
        raise InputError(f"{problem}; a model judges {names}, and --without-judge leaves them out") from None
    settings = judging.settings(plan.rubrics, asked, price(**usual), (), quiet)
    if settings.price is not None and (old := settings.price.warning()) and not quiet:
        click.echo(f"Note: {old}", err=True)
    return settings


def _place(given: "EvaluationConfig") -> Any:
    return new_results("evaluate") if given.results is None else new_results("", given.results)
