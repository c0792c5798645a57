"""The sub-scores that pillars are made of: measures of retrieval, metrics of answers, and verdicts of a judge.

A name is one of `JUDGED`, `citation_accuracy`, a metric of answers (`answers.metrics`), or a measure as
`measures.notation` reads it.
"""

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, replace

from msgspec.structs import asdict

from benchbench.answering.scoring import chosen
from benchbench.answers.judges.rubric import Rubric, rubric
from benchbench.answers.metrics import METRICS, Metric, band
from benchbench.errors import InputError
from benchbench.formats.answers_config import AnswersConfig
from benchbench.formats.evaluation_config import LANGUAGES, PILLARS, EvaluationConfig
from benchbench.formats.evaluation_rows import EvaluationRows, Row
from benchbench.measures.catalog import CATALOG
from benchbench.measures.notation import Measure, resolve
from benchbench.tables.shared_messages import not_among

CITATIONS = "citation_accuracy"
_KANA, _HAN = re.compile(r"[\u3040-\u30ff]"), re.compile(r"[\u3400-\u9fff]")
_LOOKED_AT = 100  # questions that show the language
CHOICES = "choice_accuracy"
JUDGED = {  # sub-score -> rubric
    "faithfulness": "faithfulness",
    "answer_relevance": "answer_relevance",
    "correctness": "correctness",
    "groundedness": "groundedness",
    "relevance": "relevance_1_5",
    "legal_reasoning": "legal_reasoning",
    "relationship_understanding": "law_relations",
    "gpt_groundedness": "groundedness",
    "gpt_relevance": "relevance_1_5",
}
_SUPPORT = {"jp": "japanese_citation_support", "uk": "uk_citation_support", "cn": "chinese_citation_support"}
_GENERATION, _DOMAIN = (
    ("faithfulness", "answer_relevance"),
    (CITATIONS, "legal_reasoning", "relationship_understanding"),
)
_NEEDS = "no question has what it needs"
_BESIDE = ("correctness", CHOICES)
_TITLES = {
    "faithfulness": ("Faithfulness", "share of the answer's statements that the contexts support"),
    "answer_relevance": ("Answer relevance", "does the answer address the question"),
    "correctness": ("Correctness", "the answer compared with the reference"),
    "groundedness": ("Groundedness", "is the answer based on its contexts, from 1 to 5"),
    "relevance": ("Relevance", "does the answer address the question, from 1 to 5"),
    "legal_reasoning": ("Legal reasoning", "mean of five aspects, from structure to interpretation"),
    "relationship_understanding": (
        "Relations between laws",
        "share of the expected relations that the answer identifies",
    ),
    CITATIONS: ("Citation accuracy", "share of the law cited that is in the retrieved documents"),
    CHOICES: ("Four-choice accuracy", "chooses the letter of the reference"),
}
_UNTESTED = {
    "correctness": "no question has a reference answer",
    "relationship_understanding": "no question lists expected relations",
}
_MEASURES = {
    "R": ("Recall", "share of relevant documents that are retrieved"),
    "P": ("Precision", "share of retrieved documents that are relevant"),
    "nDCG": ("nDCG", "ranked relevance as a share of the ideal"),
    "RR": ("MRR", "1 / rank of the first relevant document"),
}


@dataclass(frozen=True, slots=True)
class SubScore:
    """One score per question.

    Attributes
    ----------
    name
        As configurations, records and gates have it.
    pillar
        That it is part of; empty for one that is reported beside.
    title, said
        For people.
    measure, metric, rubric
        What makes it; one of the three.
    scale
        Lowest and highest value; None of numbers without ends, such as seconds.
    good, acceptable
        Where bands begin, on the scale; None without bands.
    unit
        Of numbers that are no shares.
    untested
        Why nothing was to be tested, where that is so of every question.
    """

    name: str
    pillar: str
    title: str
    said: str = ""
    _: KW_ONLY
    measure: Measure | None = None
    metric: Metric | None = None
    rubric: Rubric | None = None
    scale: tuple[float, float] | None = (0.0, 1.0)
    good: float | None = None
    acceptable: float | None = None
    unit: str = ""
    untested: str = _NEEDS

    def scaled(self, value: float) -> float:
        """Return a value on the scale from 0 to 1."""
        assert self.scale is not None
        low, high = self.scale
        return (value - low) / (high - low)

    def band(self, mean: float) -> str:
        """Return `good`, `acceptable` or `poor`; empty where there are no bands."""
        if self.rubric is not None and self.rubric.good is not None:
            return self.rubric.band(mean)
        return band(mean, self.good, self.acceptable)


@dataclass(frozen=True, slots=True)
class ScorePlan:
    """What is measured.

    Attributes
    ----------
    scores
        All sub-scores, those of pillars first, in the order of pillars.
    weights
        Of pillars, their sum 1 over those that can have a score.
    left_out
        Sentences on what was asked for and is not measured.
    asked
        The pillars without which there is no overall score: those with a weight and sub-scores, whether these can be
        measured or not. By default those of `scores`.
    """

    scores: tuple[SubScore, ...]
    weights: Mapping[str, float]
    left_out: tuple[str, ...] = ()
    asked: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        """Take the pillars of the scores for those that were asked for."""
        if not self.asked:
            there = {score.pillar for score in self.scores}
            asked = tuple(pillar for pillar in PILLARS if pillar in there and self.weights.get(pillar, 0.0) > 0.0)
            object.__setattr__(self, "asked", asked)

    def of(self, pillar: str) -> list[SubScore]:
        """Return the sub-scores of a pillar."""
        return [score for score in self.scores if score.pillar == pillar]

    def share(self, pillar: str) -> float:
        """Return what a pillar weighs in the overall score; 0 for one that is not part of it."""
        total = sum(self.weights[one] for one in self.asked)
        return self.weights[pillar] / total if pillar in self.asked and total > 0.0 else 0.0

    @property
    def rubrics(self) -> list[Rubric]:
        """Return the rubrics that a judge is asked by, each once."""
        return list({score.rubric.label: score.rubric for score in self.scores if score.rubric is not None}.values())

    def without(self, names: Collection[str]) -> "ScorePlan":
        """Return the plan without some scores."""
        return replace(self, scores=tuple(score for score in self.scores if score.name not in names))

    def without_judge(self) -> "ScorePlan":
        """Return the plan without what a model judges, and what that leaves out in a sentence."""
        names = [score.name for score in self.scores if score.rubric is not None]
        if not names:
            return self
        left_out = f"Without a judge, {', '.join(names)} {'is' if len(names) == 1 else 'are'} left out"
        kept = tuple(score for score in self.scores if score.rubric is None)
        if not kept:
            raise InputError(f"{left_out}, and nothing else is to be measured; name a model with --model")
        return replace(self, scores=kept, left_out=(*self.left_out, left_out))


def plan_of(config: EvaluationConfig, data: EvaluationRows) -> ScorePlan:
    """Return what is measured: the language is that of the configuration, or that of the questions.

    What is reported beside by default is left out where no question has a truth, or choices.
    """
    language = config.language or language_of(data.rows)
    plan = plan_scores(config, language, config.law or LANGUAGES[language])
    if config.beside is not None or config.assistants is not None:
        return plan
    there = {"correctness": any(row.truth for row in data.rows), CHOICES: any(row.choices for row in data.rows)}
    return plan.without([score.name for score in plan.of("") if not there.get(score.name, True)])


def language_of(rows: Sequence[Row]) -> str:
    """Return the language of questions by their signs: ja, zh, or en for any other."""
    text = "".join(row.question for row in rows[:_LOOKED_AT])
    return "ja" if _KANA.search(text) else "zh" if _HAN.search(text) else "en"


def plan_scores(config: EvaluationConfig, language: str, law: str) -> ScorePlan:
    """Return what a configuration asks for.

    Parameters
    ----------
    config
        The configuration.
    language
        Of rubrics: ja, en or zh.
    law
        Whose law is cited: jp, uk or cn.

    Raises
    ------
    InputError
        For a name that is no sub-score, or stands twice.
    """
    if config.assistants is not None:
        return _of_assistants(config, config.assistants, language, law)
    k = config.cutoff
    usual = {
        "retrieval": (f"R@{k}", f"P@{k}", f"nDCG(gains='exp')@{k}", "RR"),
        "generation": _GENERATION,
        "domain": _DOMAIN,
    }
    named = {name: usual[name] if own is None else dict.fromkeys(own) for name, own in asdict(config.pillars).items()}
    beside = _BESIDE if config.beside is None else tuple(dict.fromkeys(config.beside))
    asked = {name for names in named.values() for name in names}
    if config.beside is None:
        beside = tuple(name for name in beside if name not in asked)
    scores = [_score(name, pillar, config, language, law) for pillar in PILLARS for name in named[pillar]]
    scores += [_score(name, "", config, language, law) for name in beside]
    _check_once(scores, config)
    return ScorePlan(tuple(scores), asdict(config.weights))


def _check_once(scores: Sequence[SubScore], config: EvaluationConfig) -> None:
    seen: set[str] = set()
    for score in scores:
        if score.name in seen:
            raise InputError(f"{config.path}: {score.name} is in two places; let one pillar have it, or `beside`")
        seen.add(score.name)


def _of_assistants(config: EvaluationConfig, own: AnswersConfig, language: str, law: str) -> ScorePlan:
    """Return the plan of an assistant's configuration: judged metrics are generation, accuracies with bands domain."""
    scores, left_out = [], []
    for name in own.judged:
        if name in JUDGED:
            scores.append(_score(name, "generation", config, language, law))
        else:
            known = ", ".join(name for name in JUDGED if name.startswith("gpt_"))
            left_out.append(f"{config.path}: there is no rubric for {name}, which is left out; there are {known}")
    metrics = chosen(own.metrics) if own.metrics or not own.judged else []
    for metric in metrics:
        scores.append(_of_metric(metric, "domain" if metric.good is not None else "", metric.name))
    order = {pillar: number for number, pillar in enumerate((*PILLARS, ""))}
    ordered = sorted(scores, key=lambda score: order[score.pillar])
    return ScorePlan(tuple(ordered), asdict(config.weights), tuple(left_out))


def _score(name: str, pillar: str, config: EvaluationConfig, language: str, law: str) -> SubScore:
    if name in JUDGED:
        return _judged(name, pillar, config, language)
    if name == CITATIONS:
        one = _of_metric(METRICS[_SUPPORT[law]], pillar, name)
    elif name in METRICS:
        one = _of_metric(METRICS[name], pillar, name)
    else:
        return _measured(name, pillar, config)
    if one.scale is not None and one.good is None:
        one = replace(one, good=config.bands.good, acceptable=config.bands.acceptable)
    if pillar and one.scale is None:
        raise InputError(
            f"{config.path}: {name} is not a share, so it cannot be part of a pillar; put it into `beside`"
        )
    return one


def _judged(name: str, pillar: str, config: EvaluationConfig, language: str) -> SubScore:
    made = rubric(JUDGED[name], language)
    low, high = made.scale
    title, said = _TITLES[name.removeprefix("gpt_")]
    good, acceptable = made.good, made.acceptable
    if good is None:
        good, acceptable = (low + share * (high - low) for share in (config.bands.good, config.bands.acceptable))
    why = _UNTESTED.get(name, _NEEDS)
    return SubScore(
        name, pillar, title, said, rubric=made, scale=(low, high), good=good, acceptable=acceptable, untested=why
    )


def _of_metric(metric: Metric, pillar: str, name: str) -> SubScore:
    plain = metric.name.replace("_", " ").capitalize()
    title, said = _TITLES.get(name, (metric.words.title or plain, metric.words.said or metric.words.figure))
    return SubScore(
        name,
        pillar,
        title,
        said,
        metric=metric,
        scale=None if metric.unit else (0.0, 1.0),
        good=metric.good,
        acceptable=metric.acceptable,
        unit=metric.unit,
        untested=metric.words.untested or _NEEDS,
    )


def _measured(name: str, pillar: str, config: EvaluationConfig) -> SubScore:
    if not any(sign in name for sign in "@(") and name.lower() not in {one.lower() for one in CATALOG}:
        raise InputError(f"{config.path}: {not_among(name, 'known', list(names()))}, and measures such as R@5")
    measures = resolve(name)
    if len(measures) != 1:
        raise InputError(f"{config.path}: {name} stands for several measures; name them one by one")
    if pillar not in ("retrieval", ""):
        raise InputError(f"{config.path}: {name} is a measure of retrieval, and not of {pillar}")
    measure = measures[0]
    title, said = _MEASURES.get(measure.name, (measure.name, ""))
    title += f"@{measure.cutoff}" if measure.cutoff is not None else ""
    if dict(measure.params).get("gains") == "exp":
        said += ", gain 2^grade − 1"
    return SubScore(str(measure), pillar, title, said, measure=measure)


def names() -> Iterable[str]:
    """Return the names of sub-scores that are no measures of retrieval."""
    return [*(name for name in JUDGED if not name.startswith("gpt_")), CITATIONS, *sorted(METRICS)]
