"""Stored answers, judged: scores by rubric, what they cost, and how far to trust them."""

import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any

import benchbench
from benchbench.answers.judges.attacks import attacks_of
from benchbench.answers.judges.prompt import Item
from benchbench.formats.ground_truth import Reading, ground_truth, refuse_ground_truth
from benchbench.judging.agreement.calibration import Calibration, calibration_setting
from benchbench.judging.asking import judged
from benchbench.judging.details import JudgeDetails, RubricDetails, rubric_details, run_members
from benchbench.judging.dry_run import Planned, planned
from benchbench.judging.gates import (
    LEAST_KAPPA,
    calibration_details,
    calibrations_of,
    check,
    parse_gates,
    refused_already,
)
from benchbench.judging.judge_result import JudgeOutcome
from benchbench.judging.lowest_scores import LowestScores
from benchbench.judging.received import AttackSink, Received, Sink
from benchbench.judging.repeats import Sample
from benchbench.judging.score_counts import ScoreTally
from benchbench.judging.settings import JudgeSettings
from benchbench.judging.spending import Spent
from benchbench.judging.stored_answers import Rows, StoredAnswers, check_needs, groups_of
from benchbench.judging.verdict import Verdict
from benchbench.results.signature import Signature
from benchbench.scores.names import COLUMNS
from benchbench.tables.callbacks import nothing
from benchbench.tables.questions import Question, by_name

_AT_ONCE = 64  # items that are looked through for attacks together
_NO_MORE: Mapping[str, Any] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class AnswersToJudge:
    """Which answers are judged, and what is known of who answered and who judges.

    Attributes
    ----------
    answers
        A file of JSON lines, or rows: `question`, `answer`, and where there are any `context`, `truth`, `model`,
        `source_type`, `category`.
    truths
        A ground truth, a file or rows, of answers that have no truth with them.
    answered_by
        The model that answers, where the answers do not say.
    cluster
        Member of the questions that says which belong together, for the intervals.
    limit
        Answers to judge at most, the first ones.
    calibrations
        Results folders that say how far the judge agrees with people.
    least_kappa
        What the lower end of kappa's interval must reach, for a gate to go by a score.
    trusts_judge
        Whether gates go by scores all the same.
    """

    answers: Path | str | Rows
    truths: Path | str | Iterable[Mapping[str, Any] | Question] | None = None
    answered_by: str | None = None
    cluster: str = ""
    limit: int | None = None
    calibrations: Sequence[Path] = ()
    least_kappa: float = LEAST_KAPPA
    trusts_judge: bool = False

    @property
    def labels(self) -> list[str]:
        """Return what verdicts are grouped by: their table has a column of each."""
        return [*COLUMNS, *([self.cluster] if self.cluster else [])]

    def source(self, model: str) -> StoredAnswers:
        """Return the answers as items for a judge; InputError for a ground truth that cannot be read."""
        known = None
        if self.truths is not None:
            known = by_name(ground_truth(self.truths, Reading(False, self.cluster)))
        given = Path(self.answers) if isinstance(self.answers, str) else self.answers
        if isinstance(given, Path):
            refuse_ground_truth(given)
        return StoredAnswers(given, known, model, self.answered_by, self.cluster, self.limit)

    def shown(self) -> dict[str, Any]:
        """Return what is given as JSON values."""
        return {
            "answers": str(self.answers) if isinstance(self.answers, Path | str) else "answers",
            "ground_truth": str(self.truths) if isinstance(self.truths, Path | str) else None,
            "answered_by": self.answered_by,
            "cluster": self.cluster or None,
            "limit": self.limit,
            "calibration_folders": [str(one) for one in self.calibrations],
            "least_kappa": self.least_kappa,
            "trust_judge": self.trusts_judge,
        }


def judge_answers(
    given: AnswersToJudge,
    settings: JudgeSettings,
    sink: Sink | None = None,
    attack_sink: AttackSink | None = None,
    progress: Callable[[int], None] = nothing,
    options: Mapping[str, Any] = _NO_MORE,
) -> JudgeOutcome:
    """Judge stored answers by every rubric.

    Parameters
    ----------
    given
        The answers.
    settings
        Judge and rubrics.
    sink, attack_sink
        Called with each item and its verdict, or what looks like an attack in it. Without them the result has both
        as tables, in memory.
    progress
        Called with the number of verdicts so far.
    options
        Further settings for the record.

    Raises
    ------
    InputError
        For answers, gates, a calibration or a cache that cannot be used.
    UnreachableError
        When nothing answers at the judge's address.
    """
    began = time.time()
    check_needs(settings.rubrics)
    gates = parse_gates(settings.fail_if, settings.rubrics)
    model = settings.model.name
    calibrations = calibrations_of(settings.rubrics, model, given.calibrations)
    source = given.source(model)
    tally, lowest = ScoreTally(settings.rubrics), LowestScores(settings.rubrics)
    received = Received(sink, attack_sink)
    waiting: Counter[str] = Counter()
    unseen: list[Item] = []

    def look() -> None:
        for item, some in zip(unseen, attacks_of(unseen), strict=True):
            received.attack(item, some)
        unseen.clear()

    def take(item: Item, verdict: Verdict) -> None:
        received.verdict(item, verdict)
        if verdict.attempt > 1:
            return
        answer = source.answer(item)
        tally.add(verdict, groups_of(answer), answer.asked.cluster)
        lowest.add(int(item.key), item, verdict, answer.asked.source_type, answer.asked.category)
        waiting[item.key] += 1
        if waiting[item.key] == len(settings.rubrics):
            del waiting[item.key]
            source.forget(item)
            unseen.append(item)
            if len(unseen) == _AT_ONCE:
                look()

    spent, sample = judged(settings, source, take, progress)
    look()
    found = _details(given, settings, source, tally, spent, received, sample, calibrations)
    results = check(gates, found, settings.max_error_rate)
    bound = [one for one in calibrations.values() if one is not None]
    return JudgeOutcome(
        found=found,
        complete=spent.is_complete,
        gates=results,
        options={**settings.shown(), **given.shown(), **calibration_setting(bound), **options},
        began=began,
        lowest=lowest.rows(),
        verdicts=received.verdicts,
        attacks=received.attacks,
    )


def warnings(given: AnswersToJudge, settings: JudgeSettings) -> list[str]:
    """Return what somebody should know before anything is paid: which gates will be refused."""
    if given.trusts_judge or not settings.fail_if:
        return []
    model = settings.model.name
    calibrations = calibrations_of(settings.rubrics, model, given.calibrations)
    gates = parse_gates(settings.fail_if, settings.rubrics)
    return refused_already(gates, settings.rubrics, model, calibrations, given.least_kappa)


def _details(
    given: AnswersToJudge,
    settings: JudgeSettings,
    source: StoredAnswers,
    tally: ScoreTally,
    spent: Spent,
    received: Received,
    sample: Sample,
    calibrations: Mapping[str, Calibration | None],
) -> JudgeDetails:
    model, data = settings.model.name, source.data_digest
    rubrics: list[RubricDetails] = [
        rubric_details(
            tally.by_label[one.label],
            sample.of(one.label),
            calibration_details(calibrations[one.label], model, one, data, given.least_kappa),
            given.cluster,
        )
        for one in settings.rubrics
    ]
    return JudgeDetails(
        **run_members(settings, spent, received),
        signature=_signature(settings, source),
        data_digest=data,
        items=source.items,
        nulls=source.nulls,
        rubrics=rubrics,
        own=list(source.own),
        cluster=given.cluster,
        clusters=len(source.clusters),
        is_trusted=given.trusts_judge,
    )


def _signature(settings: JudgeSettings, source: StoredAnswers) -> str:
    sampling = {name: value for name, value in settings.model.sampling().items() if name not in ("model", "url")}
    return str(
        Signature(
            {
                "judge": settings.model.name,
                "sampling": ",".join(f"{name}={value}" for name, value in sampling.items()),
                "rubrics": ",".join(f"{one.label}#{one.digest[:12]}" for one in settings.rubrics),
                "failed": "left out",
                "items": f"{source.items} (null {source.nulls})",
                "data": source.data_digest,
                "answers": source.answers_digest,
                "version": benchbench.__version__,
            }
        )
    )


def planned_answers(given: AnswersToJudge, settings: JudgeSettings) -> Planned:
    """Return what judging stored answers would ask and cost; nothing is sent."""
    check_needs(settings.rubrics)
    parse_gates(settings.fail_if, settings.rubrics)
    return planned(settings, given.source(settings.model.name))
