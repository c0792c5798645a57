"""Three pillars from Python: a configuration and a judge in, the result out."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from benchbench.chat.model import ChatModel
from benchbench.chat.prices import Price
from benchbench.client.service import Service
from benchbench.errors import InputError
from benchbench.evaluation.asking import services_of
from benchbench.evaluation.evaluation_result import EvaluationOutcome
from benchbench.evaluation.evaluation_run import EvaluationSettings, read_data, run
from benchbench.evaluation.subscores import plan_of
from benchbench.formats.evaluation_config import EvaluationConfig, config_of, read_evaluation_config
from benchbench.judging.judge_settings import LEAST_KAPPA, JudgeSettings


def evaluate_pillars(
    config: Path | str | Mapping[str, Any],
    judge: ChatModel | None = None,
    *,
    rows: Iterable[Mapping[str, Any]] | None = None,
    price: Price | None = None,
    repeat: int = 1,
    cache: Path | str | None = None,
    max_cost: float | None = None,
    calibrations: Sequence[Path | str] = (),
    least_kappa: float = LEAST_KAPPA,
    trust_judge: bool = False,
    answered_by: str = "",
    target: Service | None = None,
    concurrency: int = 4,
    max_error_rate: float = 0.0,
    fail_if: str | Sequence[str] = (),
) -> EvaluationOutcome:
    """Evaluate retrieval, generation and domain quality of one data set.

    Parameters
    ----------
    config
        A configuration file, or its members; paths among them are relative to the current folder.
    judge
        The model that judges; without one, what it would judge is left out.
    rows
        The questions, instead of a file: mappings with the members that docs/evaluate.md names.
    price
        Of the judge's tokens; None where it is not known.
    repeat
        How many times the items of a sample are judged; once by default.
    cache
        File of what judges have said; None stores nothing.
    max_cost
        USD that the judge may cost at most.
    calibrations
        Results folders that say how far the judge agrees with people.
    least_kappa
        What the lower end of a calibration's kappa must reach, for a gate to go by a judged score.
    trust_judge
        Whether gates go by judged scores all the same.
    answered_by
        The model that answers, where the answers do not say.
    target
        The assistant's service, where headers or timeouts are needed; otherwise that of the configuration's URL.
    concurrency
        Questions in flight at once, at an assistant or a search service.
    max_error_rate
        Share of answers and verdicts that may fail.
    fail_if
        Gates, one or several, such as `"overall<0.6"`.

    Raises
    ------
    InputError
        For a configuration, data or gates that cannot be used.
    UnreachableError
        When an assistant, a search service or the judge is not there.

    Examples
    --------
    >>> rows = [{"question": "…", "answer": "…", "contexts": [{"id": "d1", "text": "…"}], "relevant": ["d1"]}]
    >>> evaluate_pillars({"language": "en"}, rows=rows).record.numbers
    """
    given = _config(config, rows is None)
    data = read_data(given, rows)
    plan = plan_of(given, data)
    settings = None
    if judge is None:
        plan = plan.without_judge()
    elif plan.rubrics:
        place = None if cache is None else Path(cache)
        settings = JudgeSettings(plan.rubrics, judge, price, repeat=repeat, cache=place, max_cost=max_cost)
    own, search = services_of(given, concurrency)
    return run(
        EvaluationSettings(
            given,
            data,
            plan,
            judge=settings,
            target=target or own,
            search=search,
            concurrency=concurrency,
            answered_by=answered_by,
            max_error_rate=max_error_rate,
            fail_if=(fail_if,) if isinstance(fail_if, str) else tuple(fail_if),
            calibrations=tuple(map(Path, calibrations)),
            least_kappa=least_kappa,
            trusts_judge=trust_judge,
        )
    )


def _config(config: Path | str | Mapping[str, Any], needs_data: bool) -> EvaluationConfig:
    if isinstance(config, Path | str):
        return read_evaluation_config(Path(config))
    if not isinstance(config, Mapping):
        raise InputError(f"config is a file or its members, and not of type {type(config).__name__}")
    return config_of(config, Path("config"), needs_data)
