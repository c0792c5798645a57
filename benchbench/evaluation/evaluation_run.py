"""An evaluation in three pillars from end to end: answers, contexts, what needs no judge, the judge, the result."""

import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, replace
from types import MappingProxyType
from typing import Any

from msgspec.structs import asdict

import benchbench
from benchbench.answering.asking import assistant_of, of_kind
from benchbench.answers.judges.prompt import Item
from benchbench.answers.summary import digest
from benchbench.client.service import Service
from benchbench.errors import InputError, InterruptedRunError
from benchbench.evaluation.asking import asked, with_contexts
from benchbench.evaluation.evaluation_result import EvaluationOutcome, check, parse_gates
from benchbench.evaluation.relevance import with_labels, with_named_documents
from benchbench.evaluation.score_matrix import Cells, judged_items, measured, note_attacks, take
from benchbench.evaluation.scores import details
from benchbench.evaluation.subscores import ScorePlan
from benchbench.formats.evaluation_config import EvaluationConfig
from benchbench.formats.evaluation_rows import EvaluationRows, Row, answered, read_rows, rows_of
from benchbench.judging.agreement.calibration import calibration_setting
from benchbench.judging.asking import lacks
from benchbench.judging.dry_run import Planned, planned
from benchbench.judging.judge_details import JudgeDetails, of_attacks, of_own
from benchbench.judging.judge_run import JudgeRun
from benchbench.judging.judge_settings import JudgeSettings, JudgeTrust
from benchbench.judging.names import same_model
from benchbench.judging.verdict import Verdict
from benchbench.results.settings import Concurrency, MaxErrorRate, described
from benchbench.results.signature import Signature
from benchbench.tables.callbacks import nothing
from benchbench.tables.hashing import content_digest
from benchbench.tables.questions import Question

_NO_MORE: Mapping[str, Any] = MappingProxyType({})
Progress = Callable[[str, int, int], None]


@described
@dataclass(frozen=True)
class EvaluationSettings(JudgeTrust):
    """Everything that an evaluation depends on.

    Attributes
    ----------
    config
        What the configuration says.
    data
        The questions that are evaluated.
    plan
        What is measured.
    judge
        The judge, its rubrics those of the plan; None where the plan has none.
    target
        The assistant's service, where one is asked.
    search
        The service that finds contexts, where one is asked.
    answered_by
        The model that answers, where the answers do not say it. (`--answered-by`)
    fail_if
        Gates. (`--fail-if`)
    """

    config: EvaluationConfig
    data: EvaluationRows
    plan: ScorePlan
    _: KW_ONLY
    judge: JudgeSettings | None = None
    target: Service | None = None
    search: Service | None = None
    concurrency: Concurrency = 4
    answered_by: str = ""
    max_error_rate: MaxErrorRate = 0.0
    fail_if: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        """Check every value, before anything is asked."""
        super().__post_init__()
        if self.plan.rubrics and self.judge is None:
            raise InputError("the plan has judged sub-scores, but there is no judge; use `plan.without_judge()`")
        gates = parse_gates(self.fail_if, self.plan)
        object.__setattr__(self, "fail_if", tuple(gate.text for gate in gates))

    def shown(self) -> dict[str, Any]:
        """Return the settings as JSON values, without secrets."""
        config, plan = self.config, self.plan
        return {
            "config": str(config.path),
            "data": None if config.data is None else str(config.data),
            "questions": len(self.data.rows),
            "answers": None if config.answers is None else str(config.answers),
            "qrels": None if config.qrels is None else str(config.qrels),
            "cutoff": config.cutoff,
            "pillars": {name: [score.name for score in plan.of(name)] for name in plan.weights},
            "beside": [score.name for score in plan.of("")],
            "weights": dict(plan.weights),
            "bands": asdict(config.bands),
            "contexts": None if config.contexts is None else config.contexts.shown(),
            "cluster": config.cluster or None,
            **({} if self.target is None else {"target": self.target.shown()}),
            **({} if self.search is None else {"search": self.search.shown()}),
            **({} if self.judge is None else {"judge": self.judge.shown()}),
            **super().shown(),
            "concurrency": self.concurrency,
            "max_error_rate": self.max_error_rate,
            "fail_if": list(self.fail_if),
        }


def read_data(config: EvaluationConfig, rows: Iterable[Mapping[str, Any]] | None = None) -> EvaluationRows:
    """Return the questions of a configuration, or `rows` of them, with the answers of its file of them.

    Raises
    ------
    InputError
        For files that cannot be read, naming file and line.
    """
    if rows is not None:
        data = rows_of(enumerate(rows, 1), "rows", config.cluster)
    elif config.data is None:
        raise InputError(f"{config.path} has no `testdata_path`; it names the file of questions")
    else:
        data = read_rows(config.data, config.cluster)
    if config.answers is None:
        return data
    return replace(data, rows=list(answered(data.rows, config.answers)))


def chosen_rows(
    data: EvaluationRows, source_type: str | None, category: str | None, limit: int | None
) -> EvaluationRows:
    """Return the first questions of a source type and a category; InputError where there is none."""
    return replace(data, rows=of_kind(data.rows, data.name, source_type, category, limit))


def run(
    settings: EvaluationSettings,
    sink: Callable[[Row], None] = nothing,
    progress: Progress = nothing,
    options: Mapping[str, Any] = _NO_MORE,
) -> EvaluationOutcome:
    """Evaluate a data set.

    Parameters
    ----------
    settings
        What to run.
    sink
        Called with each row that an assistant has answered, as they come.
    progress
        Called with what is done, and how much of it is done and there is in all.
    options
        Further settings for the record.

    Raises
    ------
    InputError, UnreachableError
        Before anything was answered.
    InterruptedRunError
        When Ctrl-C stopped the judge; its verdicts are in the cache.
    """
    began, config, data = time.time(), settings.config, settings.data
    notes = list(settings.plan.left_out)
    judging = None
    if settings.judge is not None:  # a calibration that cannot be read is refused before anything is paid
        judging = JudgeRun(settings.judge, settings, nothing, nothing)
    searches: Mapping[int, str] = {}
    names: frozenset[str] = frozenset()
    if settings.target is not None:
        assert config.target is not None
        rows = asked(
            data.rows,
            settings.target,
            assistant_of(config.target),
            settings.concurrency,
            sink,
            lambda done, total: progress("Asked", done, total),
        )
        data = replace(data, rows=rows)
    if config.contexts is not None:
        searched = with_contexts(
            data, config.contexts, settings.search, lambda done, total: progress("Searched", done, total)
        )
        data, searches, names = replace(data, rows=searched.rows), searched.failures, searched.names
        notes.append(searched.about[0].upper() + searched.about[1:])
    if config.qrels is not None:
        rows, more = with_labels(data.rows, config.qrels)
        data = replace(data, rows=rows)
        notes += more
    rows, more = with_named_documents(data.rows, names)
    data = replace(data, rows=rows)
    notes += more
    cells = measured(settings.plan, data.rows, searches)
    judge, digested = None, _digest(data.rows)
    if judging is not None:
        _ask(settings, judging, cells, progress)
        judge = judging.details(JudgeDetails, digested)
        notes += _about_judge(settings, judge.model, cells)
    name = config.name or (config.data.name if config.data else data.name)
    signature = str(_signature(settings, cells, digested))
    named = {"name": name, "signature": signature, "data_digest": digested}
    members = details(cells, config, judge, notes, named)
    known = {} if judging is None else judging.known
    bound = calibration_setting([calibration for calibration in known.values() if calibration is not None])
    return EvaluationOutcome(
        found=members,
        cells=cells,
        subject=_subject(settings, data),
        gates=check(parse_gates(settings.fail_if, settings.plan), members, settings.max_error_rate),
        options={**settings.shown(), **bound, **options},
        began=began,
    )


def planned_calls(settings: EvaluationSettings) -> Planned:
    """Return what the judge would be asked and what that would cost; nothing is sent.

    Raises
    ------
    InputError
        Where answers or contexts have to be asked for first, or there is no judge.
    """
    config, data = settings.config, settings.data
    if settings.judge is None:
        raise InputError("no judge is asked, so there is nothing to plan")
    if settings.target is not None or settings.search is not None:
        what = "the answers of an assistant" if settings.target is not None else "contexts of a service"
        raise InputError(f"--dry-run sends no request, so {what} are unknown; give a file of answers with --answers")
    if config.contexts is not None:
        data = replace(data, rows=with_contexts(data, config.contexts, None, nothing).rows)
    return planned(settings.judge, judged_items(settings.plan, data.rows))


def _subject(settings: EvaluationSettings, data: EvaluationRows) -> str:
    if settings.target is not None:
        return str(settings.target.shown()["url"])
    return str(settings.config.answers or data.name)


def _ask(settings: EvaluationSettings, run: JudgeRun, cells: Cells, progress: Progress) -> None:
    """Ask the judge about every question that has an answer, and fill the judged rows."""
    items, plan = judged_items(settings.plan, cells.rows), settings.plan
    note_attacks(cells, items)
    verdicts: list[tuple[Item, Verdict]] = []
    there = {(item.key, rubric.label) for item in items for rubric in plan.rubrics if lacks(rubric, item) is None}

    def keep(item: Item, verdict: Verdict) -> None:
        if (item.key, verdict.rubric) in there:
            verdicts.append((item, verdict))
            run.tally.add(verdict)
            progress("Judged", len(verdicts), len(there))

    run.ask(items, keep, nothing)
    if not run.spent.is_complete:
        has_cache = settings.judge is not None and settings.judge.cache
        raise InterruptedRunError(
            f"interrupted after {len(verdicts):,} of {len(there):,} verdicts"
            + ("; they are in the cache, and the next run does not ask for them again" if has_cache else "")
        )
    take(cells, verdicts)
    cells.notes += [*run.spent.notes, *([run.spent.problem] if run.spent.problem else [])]


def _about_judge(settings: EvaluationSettings, judge: str, cells: Cells) -> list[str]:
    """Return what a reader must know of the judge: that it judges itself, and what looks like an attack."""
    models = dict.fromkeys(filter(None, [*(row.model for row in cells.rows), settings.answered_by]))
    own = [model for model in models if same_model(model, judge)]
    sentences = [of_own(own)] if own else []
    if cells.attacks:
        kinds = Counter(attack.kind for of_question in cells.attacks.values() for attack in of_question)
        sentences.append(of_attacks(len(cells.attacks), "question", dict(kinds.most_common())))
    return sentences


def _digest(rows: Sequence[Row]) -> str:
    """Return the digest of the questions with their truths, as runs of judges over stored answers have it."""
    return digest(Question(row.question, row.truth, row.source_type, row.category) for row in rows)


def _answers_digest(rows: Sequence[Row]) -> str:
    """Return a digest of the answers and their contexts; the order of the questions does not matter."""
    each = (
        repr((row.question, row.answer, [(context.id, context.text) for context in row.contexts or ()])) for row in rows
    )
    return f"{sum(content_digest(text.encode()).intdigest() for text in each) % (1 << 128):032x}"


def _signature(settings: EvaluationSettings, cells: Cells, digested: str) -> Signature:
    """Return the line that makes two overall scores comparable."""
    plan, judge = settings.plan, settings.judge
    parts = {
        name: f"{weight:g}({','.join(score.name for score in plan.of(name))})" for name, weight in plan.weights.items()
    }
    judges = {} if judge is None else {"judge": judge.model.name}
    if judge is not None:
        judges["rubrics"] = ",".join(f"{rubric.label}#{rubric.digest[:8]}" for rubric in judge.rubrics)
    contexts = settings.config.contexts
    return Signature(
        {
            **parts,
            **judges,
            "contexts": "as given" if contexts is None else f"top {contexts.top_k}",
            "failed": "left out",
            "questions": f"{len(cells.rows)} (answered {cells.answered})",
            "data": digested,
            "answers": _answers_digest(cells.rows),
            "version": benchbench.__version__,
        }
    )
