"""Stored answers, judged: scores by rubric, what they cost, and how far to trust them."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any

from benchbench.answers.judges.prompt import Item
from benchbench.formats.ground_truth import Reading, ground_truth, refuse_ground_truth
from benchbench.judging.details import JudgeDetails
from benchbench.judging.dry_run import Planned, planned
from benchbench.judging.gates import check, parse_gates, refused_already
from benchbench.judging.judge_result import JudgeOutcome
from benchbench.judging.judge_run import AttackSink, JudgeRun, Sink
from benchbench.judging.lowest_scores import LowestScores
from benchbench.judging.settings import JudgeSettings, JudgeTrust
from benchbench.judging.stored_answers import Rows, StoredAnswers, check_needs, groups_of
from benchbench.judging.verdict import Verdict
from benchbench.scores.names import COLUMNS
from benchbench.tables.callbacks import nothing
from benchbench.tables.questions import Answer, Question, by_name
from benchbench.tables.settings import described

_NO_MORE: Mapping[str, Any] = MappingProxyType({})


@described
@dataclass(frozen=True)
class AnswersToJudge(JudgeTrust):
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
    """

    answers: Path | str | Rows
    truths: Path | str | Iterable[Mapping[str, Any] | Question] | None = None
    answered_by: str | None = None
    cluster: str = ""
    limit: int | None = None

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
            **super().shown(),
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
    check_needs(settings.rubrics)
    gates = parse_gates(settings.fail_if, settings.rubrics)
    run = JudgeRun(settings, given, sink, attack_sink)
    source, lowest = given.source(run.model), LowestScores(settings.rubrics)

    def take(item: Item, verdict: Verdict) -> None:
        answer: Answer = item.about
        run.tally.add(verdict, groups_of(answer), answer.asked.cluster)
        lowest.add(int(item.key), item, verdict, answer.asked.source_type, answer.asked.category)

    run.ask(source, take, progress)
    found = run.details(
        JudgeDetails,
        source.data_digest,
        given.cluster,
        signature=run.signature(
            items=f"{source.items} (null {source.nulls})", data=source.data_digest, answers=source.answers_digest
        ),
        items=source.items,
        nulls=source.nulls,
        own=list(source.own),
        clusters=len(source.clusters),
    )
    results = check(gates, found, settings.max_error_rate)
    return run.outcome(JudgeOutcome, options, found=found, gates=results, lowest=lowest.rows())


def warnings(given: AnswersToJudge, settings: JudgeSettings) -> list[str]:
    """Return what somebody should know before anything is paid: which gates will be refused."""
    if given.trusts_judge or not settings.fail_if:
        return []
    model, gates = settings.model.name, parse_gates(settings.fail_if, settings.rubrics)
    return refused_already(gates, settings.rubrics, model, given.known(settings.rubrics, model), given.least_kappa)


def planned_answers(given: AnswersToJudge, settings: JudgeSettings) -> Planned:
    """Return what judging stored answers would ask and cost; nothing is sent."""
    check_needs(settings.rubrics)
    parse_gates(settings.fail_if, settings.rubrics)
    return planned(settings, given.source(settings.model.name))
