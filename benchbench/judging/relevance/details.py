"""The members of the JSON of labels that a judge has made."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from benchbench.judging.details import JudgeDetails
from benchbench.judging.relevance.holes import HoleCase
from benchbench.results.estimates import Estimate

PAIRS = "pairs"  # make of the data of such a record


@dataclass(frozen=True, slots=True)
class PoolDetails:
    """The pairs that there were, and which of them the judge was asked about."""

    runs: list[str] = field(default_factory=list)
    depth: int | None = None  # hits per query and run; None where the pairs are those of a file
    pairs: int = 0  # of all runs together, each once
    labelled: int = 0  # of these, that had a label: they are not asked about
    unjudged_queries: int = 0  # pairs that are no holes, because nobody judged their query
    limited: int = 0  # left out by --limit
    asked: int = 0
    queries: int = 0  # of the pairs that were asked about
    without_document: int = 0  # whose document has no text in the collection
    without_query: int = 0  # whose query has no text


@dataclass(frozen=True, slots=True)
class LabelDetails:
    """The labels of the new file."""

    people: int = 0
    judges: dict[str, int] = field(default_factory=dict)  # that were there, by judge
    made: int = 0  # by this judge in this run
    highest: float | None = None  # grade of those that were there


@dataclass(frozen=True, slots=True)
class ComparedDetails:
    """How far the judge agrees with labels that people have made."""

    source: str = ""
    labels: int = 0
    sampled: int = 0  # asked about for the comparison alone
    n: int = 0  # pairs that both have graded
    failed: int = 0  # without a verdict
    queries: int = 0
    grades: int = 0  # different ones that people gave
    agreement: Mapping[str, Estimate] = field(default_factory=dict)  # by name: kappa, weighted_kappa, alpha, …


@dataclass(frozen=True, slots=True)
class RelevanceDetails(JudgeDetails):
    """The JSON members of labels that a judge has made."""

    judge: str = ""  # as the second column of the labels has it
    pool: PoolDetails = field(default_factory=PoolDetails)
    labels: LabelDetails = field(default_factory=LabelDetails)
    compared: ComparedDetails | None = None
    holes: list[HoleCase] = field(default_factory=list)
    ranked: list[str] = field(default_factory=list)  # runs that the judge's model has ranked itself
    left: str = ""  # why there are no best and worst cases
