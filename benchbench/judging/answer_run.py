"""A judge scores stored answers by rubric: the scores, what they cost, and how far to trust them.

A rubric that needs a field that an answer does not have fails for this answer, with the reason.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchbench.answers.judges.prompt import Item
from benchbench.answers.judges.rubric import Rubric
from benchbench.answers.summary import Group, digest
from benchbench.errors import InputError
from benchbench.formats.ground_truth import Reading, answers_of, ground_truth, refuse_ground_truth
from benchbench.formats.lines import json_chunks, row_chunks
from benchbench.judging.dry_run import Planned, planned
from benchbench.judging.judge_details import JudgeDetails
from benchbench.judging.judge_result import JudgeOutcome, check, parse_gates, refused_already
from benchbench.judging.judge_run import AttackSink, JudgeRun, Sink
from benchbench.judging.judge_settings import JudgeSettings, JudgeTrust
from benchbench.judging.lowest_scores import LowestScores
from benchbench.judging.names import same_model
from benchbench.judging.verdict import Verdict
from benchbench.results.settings import described
from benchbench.scores.names import COLUMNS
from benchbench.tables.callbacks import nothing
from benchbench.tables.hashing import content_digest
from benchbench.tables.questions import ALONE, Answer, Question, by_name

FIELDS = ("question", "answer", "contexts", "truth")  # that stored answers can have
_CHUNK = 64  # lines
_DIGESTS = 1 << 128

Rows = Iterable[Mapping[str, Any]]


def check_needs(rubrics: Sequence[Rubric]) -> None:
    """Raise InputError for a rubric that needs what stored answers never have."""
    for rubric in rubrics:
        beyond = [name for name in rubric.needs if name not in FIELDS]
        if beyond:
            command = "relevance" if "document" in beyond else "nuggets" if "nuggets" in beyond else ""
            advice = f"; `benchbench judge {command}` has it" if command else ""
            raise InputError(f"--rubric {rubric.name} needs {beyond[0]}, which stored answers do not have{advice}")


class StoredAnswers:
    """The answers of a file or of rows, with counts that are complete once all were read."""

    def __init__(self, given: "AnswersToJudge", judge: str) -> None:
        """Read nothing yet but the ground truth; `judge` is the name of the judge's model."""
        self.items = self.nulls = 0
        self.own: dict[str, None] = {}  # models that answer and are the judge
        self.clusters: set[str] = set()
        self._given, self._judge, self._reading = given, judge, Reading(False, given.cluster)
        self._truths = None if given.truths is None else by_name(ground_truth(given.truths, self._reading))
        self._source = Path(given.answers) if isinstance(given.answers, str) else given.answers
        if isinstance(self._source, Path):
            refuse_ground_truth(self._source)
        self._questions = self._responses = 0  # sums of digests: the order of the answers does not matter

    @property
    def name(self) -> str:
        """Return what messages call the answers."""
        return str(self._source) if isinstance(self._source, Path) else "answers"

    def __iter__(self) -> Iterator[Item]:
        """Yield the answers that are not null."""
        for number, answer in self._answers():
            self._questions = (self._questions + int(digest([answer.asked]), 16)) % _DIGESTS
            content = repr((answer.asked.question, answer.response, answer.context)).encode(errors="surrogatepass")
            self._responses = (self._responses + content_digest(content).intdigest()) % _DIGESTS
            self.items += 1
            if answer.response is None:
                self.nulls += 1
                continue
            self._note(answer)
            yield Item(str(number), _fields(answer), self._labels(answer), answer)
        if not self.items:
            raise InputError(f"{self.name} has no answer in it")
        if self._reading.cluster and all(cluster.startswith(ALONE) for cluster in self.clusters):
            raise InputError(f"no question of {self.name} has a member {self._reading.cluster} to group by")

    @property
    def data_digest(self) -> str:
        """Return a digest of the questions with their truths; their order does not matter."""
        return f"{self._questions:032x}"

    @property
    def answers_digest(self) -> str:
        """Return a digest of the answers, null ones included; their order does not matter."""
        return f"{self._responses:032x}"

    def _answers(self) -> Iterator[tuple[int, Answer]]:
        source, left = self._source, self._given.limit
        chunks = json_chunks(source, _CHUNK) if isinstance(source, Path) else row_chunks(source, _CHUNK, self.name)
        for chunk in chunks:
            for answer in answers_of(chunk, self._truths, self._reading):
                if left == 0:
                    return
                left = None if left is None else left - 1
                yield answer

    def _labels(self, answer: Answer) -> dict[str, str | None]:
        """Return what an answer is grouped by; None where it has no such group."""
        asked, member = answer.asked, self._reading.cluster
        labels = {name: getattr(asked, name) or None for name in COLUMNS}
        if member:
            labels.setdefault(member, None if asked.cluster.startswith(ALONE) else asked.cluster)
        return labels

    def _note(self, answer: Answer) -> None:
        by = answer.model or self._given.answered_by or ""
        if by not in self.own and same_model(by, self._judge):
            self.own[by] = None
        if self._reading.cluster:
            self.clusters.add(answer.asked.cluster)


def groups_of(answer: Answer) -> list[Group]:
    """Return source type and category of an answer, where it has them."""
    return [(name, value) for name in COLUMNS if (value := getattr(answer.asked, name))]


def _fields(answer: Answer) -> dict[str, Any]:
    fields: dict[str, Any] = {"question": answer.asked.question, "answer": answer.response}
    if answer.context:
        fields["contexts"] = list(answer.context)
    if answer.truth:
        fields["truth"] = answer.truth
    return fields


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
    options: Mapping[str, Any] | None = None,
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
    source, lowest = StoredAnswers(given, run.model), LowestScores(settings.rubrics)

    def take(item: Item, verdict: Verdict) -> None:
        answer: Answer = item.about
        run.tally.add(verdict, groups_of(answer), answer.asked.cluster)
        lowest.add(int(item.key), item, verdict, answer.asked.source_type, answer.asked.category)

    run.ask(source, take, progress)
    details = run.details(
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
    results = check(gates, details, settings.max_error_rate)
    return run.outcome(JudgeOutcome, options, found=details, gates=results, lowest=lowest.rows())


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
    return planned(settings, StoredAnswers(given, settings.model.name))
