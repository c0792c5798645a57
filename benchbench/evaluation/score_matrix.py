"""The sub-scores of every question: a value, a failure with its reason, or nothing where nothing was to be tested."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field

import numpy as np

from benchbench.answers.faults import Fault, faults
from benchbench.answers.judges.attacks import Attack, attacks
from benchbench.answers.judges.prompt import Item
from benchbench.answers.metrics import Mark, Metric, Value
from benchbench.evaluation.retrieval import retrieved
from benchbench.evaluation.subscores import CHOICES, CITATIONS, ScorePlan, SubScore
from benchbench.formats.evaluation_rows import Row
from benchbench.judging.asking import lacks
from benchbench.judging.verdict import Verdict
from benchbench.kernels.arrays import F64
from benchbench.tables.questions import Answer, Question

NO_ANSWER = "no answer"
_LETTERS = frozenset("abcd")


@dataclass(slots=True)
class Cells:
    """Values and failures; `values` has a row per sub-score of the plan and a column per question, NaN where none is.

    Attributes
    ----------
    plan, rows
        What is measured, of which questions.
    searches
        Why the search for the contexts of a question failed, by its number.
    values
        (scores, questions), each row on the scale of its sub-score.
    failures
        Of each sub-score, the reason by the number of the question.
    marks
        Of each question, places in its answer, and in its truth for what is missed.
    faults
        Of each question, what metrics found wrong, each with the name of its sub-score.
    verdicts
        The first verdict on each question by each rubric, as they came.
    attacks
        What looks like an instruction to the judge, by the number of the question.
    most
        Mean of the best possible rankings, by the name of a measure.
    notes
        Sentences on what the values leave out.
    """

    plan: ScorePlan
    rows: Sequence[Row]
    searches: Mapping[int, str]
    _: KW_ONLY
    values: F64
    failures: list[dict[int, str]]
    marks: list[list[Mark]]
    faults: list[list[tuple[str, Fault]]]
    verdicts: list[Verdict] = field(default_factory=list)
    attacks: dict[int, list[Attack]] = field(default_factory=dict)
    most: Mapping[str, float] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)

    @property
    def answered(self) -> int:
        """Return the number of questions with an answer."""
        return sum(row.answer is not None for row in self.rows)

    @property
    def reasons(self) -> Counter[str]:
        """Return why there is no answer, or are no contexts, and of how many questions."""
        counts = Counter(f"no answer: {row.failure}" for row in self.rows if row.answer is None and row.failure)
        counts.update(f"no contexts: {reason}" for reason in self.searches.values())
        return counts


def measured(plan: ScorePlan, rows: Sequence[Row], searches: Mapping[int, str]) -> Cells:
    """Return everything that needs no judge; the parameters are the attributes of `Cells`."""
    values = np.full((len(plan.scores), len(rows)), np.nan)
    cells = Cells(
        plan,
        rows,
        searches,
        values=values,
        failures=[{} for _ in plan.scores],
        marks=[[] for _ in rows],
        faults=[[] for _ in rows],
    )
    measures = {number: score.measure for number, score in enumerate(plan.scores) if score.measure is not None}
    if measures:
        retrieval = retrieved(rows, list(measures.values()))
        cells.values[list(measures)] = retrieval.values
        cells.most = {
            str(measure): float(most) for measure, most in zip(measures.values(), retrieval.most, strict=True)
        }
        cells.notes += retrieval.notes
        for number in measures:
            cells.failures[number].update(searches)
    for number, one in enumerate(plan.scores):
        if one.metric is not None:
            _metric(cells, number, one)
    return cells


def _metric(cells: Cells, number: int, score: SubScore) -> None:
    """Fill the row of a metric of answers."""
    assert score.metric is not None
    searches = cells.searches
    for place, row in enumerate(cells.rows):
        if score.name == CITATIONS and (row.contexts is None or place in searches):
            if place in searches:
                cells.failures[number][place] = searches[place]
            continue
        if not _has_truth(score, row):
            continue
        if row.answer is None:
            if row.failure is not None:
                cells.failures[number][place] = NO_ANSWER
            continue
        answer = _answer(row, with_ids=score.name == CITATIONS)
        value = score.metric.value(answer)
        if value.expected and value.score == value.score:
            cells.values[number, place] = value.score
            cells.faults[place] += [(score.name, fault) for fault in _faults(answer, score.metric, value)]
        cells.marks[place] += value.marks


def _faults(answer: Answer, metric: Metric, value: Value) -> list[Fault]:
    """Return what a metric found wrong, each in words."""
    words = {"wrong": metric.words.wrong, "missed": metric.words.missed, "low": metric.words.low}
    named = metric.words.title or metric.name.replace("_", " ")
    return [
        fault._replace(said=f"{words[fault.found] or f'{named}: {fault.found}'} {fault.said}".rstrip())
        for fault in faults(answer, [metric], [value])
        if fault.found in words
    ]


def _has_truth(score: SubScore, row: Row) -> bool:
    if score.name == CHOICES:
        return bool(row.choices) and row.truth.strip().lower() in _LETTERS
    return bool(row.truth.strip()) or not (score.metric and score.metric.needs_truth)


def _answer(row: Row, with_ids: bool) -> Answer:
    """Return the answer as metrics take it; the ids of documents may cite law as well as their texts."""
    texts = [context.text for context in row.contexts or ()]
    texts += [context.id for context in row.contexts or () if with_ids]
    asked = Question(row.question, row.truth, row.source_type, row.category)
    return Answer(asked, row.answer, tuple(texts), row.latency)


def items(rows: Sequence[Row]) -> list[Item]:
    """Return what a judge is asked about: every question with an answer; the key is its id."""
    answered = []
    for row in rows:
        if row.answer is not None:
            fields = {
                "question": row.question,
                "answer": row.answer,
                "contexts": [context.text for context in row.contexts or () if context.text],
                "truth": row.reference,
                "relations": [dict(relationship) for relationship in row.relationships],
            }
            answered.append(Item(row.id, fields))
    return answered


def judged_items(plan: ScorePlan, rows: Sequence[Row]) -> list[Item]:
    """Return the items that one of the rubrics has all fields for."""
    return [item for item in items(rows) if any(lacks(rubric, item) is None for rubric in plan.rubrics)]


def note_attacks(cells: Cells, asked: Sequence[Item]) -> None:
    """Note what in the items looks like an instruction to the judge."""
    places = {row.id: place for place, row in enumerate(cells.rows)}
    for item in asked:
        if suspicious := attacks(item):
            cells.attacks[places[item.key]] = suspicious


def is_unscored(verdict: Verdict) -> bool:
    """Say that a verdict is right and has nothing to score, such as an answer without a statement."""
    return verdict.score is None and verdict.failure is None


def take(cells: Cells, verdicts: Sequence[tuple[Item, Verdict]]) -> None:
    """Fill the rows of judged sub-scores with the first verdicts on items that have what their rubric needs."""
    places = {row.id: place for place, row in enumerate(cells.rows)}
    by_rubric: dict[str, list[tuple[int, Verdict]]] = {}
    for item, verdict in verdicts:
        by_rubric.setdefault(verdict.rubric, []).append((places[item.key], verdict))
        cells.verdicts.append(verdict)
    for number, score in enumerate(cells.plan.scores):
        if score.rubric is None:
            continue
        for place, verdict in by_rubric.get(score.rubric.label, ()):
            if verdict.score is not None:
                cells.values[number, place] = verdict.score
            elif not is_unscored(verdict):
                cells.failures[number][place] = verdict.failure or "no verdict"
        for place, row in enumerate(cells.rows):
            if row.failure is not None and _could_be_judged(score, row):
                cells.failures[number][place] = NO_ANSWER
            elif place in cells.searches and "contexts" in score.rubric.needs:
                cells.failures[number][place] = cells.searches[place]


def _could_be_judged(score: SubScore, row: Row) -> bool:
    """Say that a question without an answer has the rest of what a rubric needs."""
    assert score.rubric is not None
    has = {"truth": bool(row.truth.strip()), "relations": bool(row.relationships)}
    return all(has.get(need, True) for need in score.rubric.needs)
