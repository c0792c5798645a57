"""The members of an evaluation in three pillars, as JSON has them, and what it comes to."""

from collections.abc import Iterator
from dataclasses import dataclass, field

from benchbench.judging.judge_details import CostDetails
from benchbench.judging.verdict import Repeatability
from benchbench.results.figures import estimate, value
from benchbench.results.headline import OPEN, Headline
from benchbench.scores.names import COLUMNS, MARKS
from benchbench.scores.numbers import GroupMeans, Groups, ScoreMean
from benchbench.tables.shared_messages import and_joined, counted

OVERALL = "overall"
NO_MEAN = ScoreMean(None)


@dataclass(frozen=True, slots=True, kw_only=True)
class SubScoreDetails:
    """A sub-score."""

    name: str
    title: str
    said: str
    pillar: str  # empty for one that is in no pillar
    mean: ScoreMean  # on its own scale
    scaled: float | None  # the mean from 0 to 1, as the pillar takes it
    failed: int  # questions without a value that should have one; in no mean
    untested: int  # questions where nothing was to be tested
    states: tuple[int, int, int]  # values at the lowest end of the scale, between, and at the highest
    low: float | None = 0.0  # of the scale; None of numbers without ends
    high: float | None = 1.0
    good: float | None = None
    acceptable: float | None = None
    unit: str = ""
    rubric: str = ""  # label of the rubric that a judge went by
    calibration: str = ""  # what is known of the judge, or that nothing is
    refusal: str = ""  # why a gate may not go by it; empty where it may
    most: float | None = None  # mean of the best possible rankings
    why_untested: str = ""  # where there is no mean

    @property
    def is_lost(self) -> bool:
        """Whether everything that was to be scored failed."""
        return self.mean.value is None and self.failed > 0


@dataclass(frozen=True, slots=True)
class PillarDetails:
    """A pillar; its mean is that of the means of its sub-scores, from 0 to 1."""

    name: str
    mean: ScoreMean
    weight: float  # as configured
    share: float  # of the overall score; 0 where it has no mean
    missing: str = ""  # why it has none


@dataclass(frozen=True, slots=True)
class GroupScores:
    """The questions of a source type or a category."""

    questions: int
    overall: ScoreMean
    pillars: dict[str, ScoreMean]
    scores: dict[str, ScoreMean]

    def means(self) -> dict[str, ScoreMean]:
        """Return the overall score, the pillars and the sub-scores by name."""
        return {OVERALL: self.overall, **self.pillars, **self.scores}


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgedDetails:
    """What the judge did and cost."""

    model: str
    rubrics: dict[str, str] = field(default_factory=dict)  # digests by label
    verdicts: int = 0
    failed: int = 0
    failures: dict[str, int] = field(default_factory=dict)
    unscored: int = 0  # verdicts that had nothing to score
    repeats: int = 0  # further attempts
    repeated: dict[str, Repeatability] = field(default_factory=dict)  # how repeatable scores are, by rubric
    cost: CostDetails = field(default_factory=CostDetails)
    is_trusted: bool = False  # gates go by scores that nothing vouches for


@dataclass(frozen=True, slots=True, kw_only=True)
class EvaluationDetails:
    """The members of an evaluation."""

    name: str = ""
    signature: str = ""
    data_digest: str = ""
    questions: int = 0
    answered: int = 0
    overall: ScoreMean = NO_MEAN
    pillars: list[PillarDetails] = field(default_factory=list)
    scores: list[SubScoreDetails] = field(default_factory=list)
    source_type: dict[str, GroupScores] = field(default_factory=dict)
    category: dict[str, GroupScores] = field(default_factory=dict)
    judge: JudgedDetails | None = None
    failures: dict[str, int] = field(default_factory=dict)  # of answers and searches
    cluster: str = ""
    clusters: int = 0
    good: float = 0.8
    acceptable: float = 0.5
    notes: list[str] = field(default_factory=list)

    @property
    def all_failures(self) -> dict[str, int]:
        """Return how often answers, searches and verdicts failed, by reason."""
        return {**self.failures, **({} if self.judge is None else self.judge.failures)}

    def groups(self) -> Iterator[tuple[str, str, GroupScores]]:
        """Yield all questions, and then those of each source type and category, with column and name."""
        pillars, scores = ({one.name: one.mean for one in some} for some in (self.pillars, self.scores))
        yield "", "", GroupScores(self.questions, self.overall, pillars, scores)
        for column in COLUMNS:
            for name, group in getattr(self, column).items():
                yield column, name, group

    def group_means(self) -> Groups:
        """Return the means of each source type and category."""
        return {
            column: [GroupMeans(name, one.questions, one.means()) for name, one in getattr(self, column).items()]
            for column in COLUMNS
        }

    def of(self, pillar: str) -> list[SubScoreDetails]:
        """Return the sub-scores of a pillar; those beside for the empty name."""
        return [score for score in self.scores if score.pillar == pillar]


def headline(details: EvaluationDetails) -> Headline:
    """Return what a report begins with."""
    questions = counted(details.questions, "question")
    pillars = [
        f"{pillar.name} {value(pillar.mean.value, 3)} {pillar.mean.band}"
        for pillar in details.pillars
        if pillar.mean.value is not None
    ]
    if not pillars:
        return Headline([(OPEN, f"{details.name}: {questions}, and no pillar has a score.")], advice(details))
    if details.overall.value is None:
        sentence = f"{details.name}: {no_overall(details)} Of {questions}: {and_joined(pillars)}."
        return Headline([(OPEN, sentence)], advice(details))
    one = details.overall
    beginning = f"{details.name}: overall {estimate(one.value, one.low, one.high, 3)}, {one.band}"
    sentence = f"{beginning}, over {questions}: {and_joined(pillars)}."
    return Headline([(MARKS[details.overall.band], sentence)], advice(details))


def advice(details: EvaluationDetails) -> list[str]:
    """Return what a reader must know before the scores are gone by."""
    sentences = []
    if details.answered < details.questions:
        many = details.questions - details.answered
        has, is_ = ("has", "is") if many == 1 else ("have", "are")
        left = "left out of all scores of answers"
        sentences.append(f"{many:,} of {details.questions:,} questions {has} no answer and {is_} {left}.")
    judge = details.judge
    if judge is not None and judge.failed:
        are = "is" if judge.failed == 1 else "are"
        sentences.append(f"{judge.failed:,} of {judge.verdicts:,} verdicts failed and {are} left out of the means.")
    reasons = dict.fromkeys(score.refusal for score in details.scores if score.refusal)
    if reasons:
        sentences.append(f"It is unknown how far to trust the judged scores: {'; '.join(reasons)}.")
    return sentences


def no_overall(details: EvaluationDetails) -> str:
    """Return why there is no overall score though some pillars have one."""
    missing = [pillar for pillar in details.pillars if pillar.missing and pillar.weight > 0.0]
    if not missing:
        return "No overall score: no pillar with a value has a weight."
    has = "has" if len(missing) == 1 else "have"
    reasons = dict.fromkeys(pillar.missing for pillar in missing)
    names = and_joined([pillar.name for pillar in missing])
    return f"No overall score, for {names} {has} no value ({'; '.join(reasons)})."
