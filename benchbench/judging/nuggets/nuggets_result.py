"""The result of nugget scores: details, record and notes."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any

from benchbench.answers.nuggets import MEASURES
from benchbench.judging.judge_details import JudgeDetails, of_attacks, of_own, repeated
from benchbench.judging.judge_folder import tables_in_memory
from benchbench.judging.judge_result import FLIP_RATE, SPREAD
from benchbench.judging.judge_result import numbers as judge_numbers
from benchbench.judging.nuggets.tally import LowestAnswer, NuggetTally, per_query
from benchbench.results import checks
from benchbench.results.gates import Gate, as_gates
from benchbench.results.record import (
    Count,
    GateResult,
    Note,
    Number,
    Record,
    Scope,
    Subject,
    counts_of,
    failures_of,
)
from benchbench.results.result import Result
from benchbench.scores.gates import Texts, check_gates
from benchbench.scores.numbers import ScoreMean, mean_number
from benchbench.scores.result import ScoresResult, in_verdict
from benchbench.scores.tables import table_of
from benchbench.tables.shared_messages import counted

if TYPE_CHECKING:
    import polars as pl

LOWEST = "lowest_scores"
REPEATS = (FLIP_RATE, SPREAD)
OF_JUDGE = {**dict.fromkeys(("errors", "error_rate", *REPEATS), ""), "cost": "USD", "worst_cost": "USD"}  # with units
_ODD = {  # counts, with what they mean for the scores
    "missing": "{n} of a run missing: scored 0",
    "without_nuggets": "{n} to a question without any nugget: by definition all scores are 0",
    "without_vital": "{n} to a question without a vital nugget: vital scores are 0 by definition and lower the means",
    "empty": "{n} empty: not judged, supports nothing",
    "unknown_queries": "{n} to a question that the nuggets do not have: left out",
    "unassigned": "{n} without an assignment: not supported",
    "failed": "{n} with the assignment “failed”, for which no label was found: not supported",
    "unknown_assignment": "{n} with an assignment that is none of support, partial_support, not_support: not supported",
    "unknown_importance": "{n} with an importance that is neither vital nor okay: not vital",
    "without_importance": "{n} without an importance: vital, as the track's tool takes them",
    "repeated": "{n} with the text of another one of the same question: each counts",
    "beyond": "{n} of no nugget of its question: left out",
}
_NOUNS = {
    **dict.fromkeys(("missing", "without_nuggets", "without_vital", "empty", "unknown_queries"), "answer"),
    "beyond": "assignment",
}


@dataclass(frozen=True, slots=True)
class NuggetRun:
    """The scores of a run."""

    name: str
    answers: int  # that it gave
    queries: int  # that its means are over, the missing ones among them
    scores: dict[str, ScoreMean]


@dataclass(frozen=True, slots=True, kw_only=True)
class NuggetDifference:
    """A run less the baseline, over the same questions."""

    measure: str
    baseline: str
    run: str
    mean: float
    low: float | None
    high: float | None
    interval: str
    p: float  # corrected
    direction: int  # 1 or -1 where it is shown, else 0
    wins: int
    ties: int
    losses: int
    n: int


@dataclass(frozen=True, slots=True, kw_only=True)
class NuggetsDetails:
    """The JSON members of nugget scores.

    Attributes
    ----------
    main
        The measure that the track goes by.
    runs, differences
        Means of each run, and what two of them differ by.
    counts
        Of answers and nuggets, and of what was odd, by name.
    words
        Assignments that are none of ours, with how often they stand there.
    judge, rubric
        Who assigned the nuggets; empty where that is not known.
    refusal
        Why a gate may not go by the scores; empty where it may.
    run
        What the judge was asked and cost, where it was asked now.
    """

    signature: str
    main: str
    queries: int
    runs: list[NuggetRun]
    differences: list[NuggetDifference] = field(default_factory=list)
    counts: dict[str, int] = field(default_factory=dict)
    words: dict[str, int] = field(default_factory=dict)
    judge: str = ""
    rubric: str = ""
    said: str = ""  # how far the judge agrees with people
    refusal: str = ""
    is_trusted: bool = False
    compared: list[str] = field(default_factory=list)  # what a reader should know of the differences
    run: JudgeDetails | None = None
    data_digest: str = ""
    has_documents: bool = False

    @property
    def scope(self) -> Scope:
        """Return who the scores are by."""
        return {name: value for name, value in (("judge", self.judge), ("rubric", self.rubric)) if value}


def numbers(details: NuggetsDetails) -> Iterator[Number]:
    """Yield the means of each run, the differences, and what the judge failed at and cost."""
    for run in details.runs:
        scope = {**details.scope, "system": run.name}
        for name, mean in run.scores.items():
            yield mean_number(name, mean, scope, better="higher")
    for difference in details.differences:
        scope_of_pair = {**details.scope, "system": difference.run, "baseline": difference.baseline}
        mean = ScoreMean(difference.mean, difference.low, difference.high, difference.interval, difference.n)
        yield mean_number(f"Δ {difference.measure}", mean, scope_of_pair, better="higher")
        yield Number(name=f"p {difference.measure}", value=difference.p, n=difference.n, scope=scope_of_pair)
    if details.run is not None:
        yield from (
            number for number in judge_numbers(details.run) if "rubric" not in number.scope or number.name in REPEATS
        )


def parse_gates(texts: Texts, is_judged: bool = False) -> tuple[Gate, ...]:
    """Return the gates in texts; InputError for one that is malformed or names a number that will not exist."""
    of_pair = [f"{kind} {name}" for kind in ("Δ", "p") for name in MEASURES]
    gates = as_gates(texts)
    for gate in gates:
        gate.measured([*MEASURES, *of_pair, *(OF_JUDGE if is_judged else ())])
    return gates


def gated(gates: Sequence[Gate], details: NuggetsDetails, broken: GateResult | None = None) -> list[GateResult]:
    """Return the result of each gate; one on a score fails where nothing says how far to trust the judge."""
    units = OF_JUDGE if details.run is not None else {}
    return check_gates(gates, lambda: numbers(details), units, broken, refusals(details))


def refused(result: Result) -> dict[str, checks.Refusal]:
    """Return the same as `refusals` of a result of this kind, also of one that was read back."""
    return refusals(result.details_as(NuggetsDetails))


def refusals(details: NuggetsDetails) -> dict[str, checks.Refusal]:
    """Return which numbers no gate may go by: the scores, where nothing vouches for the judge."""
    if not details.refusal or details.is_trusted:
        return {}
    return dict.fromkeys(MEASURES, checks.Refusal(details.refusal, checks.TRUST))


def trust(details: NuggetsDetails) -> list[str]:
    """Return how far to trust a judge; what weighs most comes first."""
    sentences = []
    if details.run is not None and details.run.own:
        sentences.append(of_own(details.run.own))
    if details.judge and details.refusal:
        sentences.append(f"It is unknown how far to trust {details.judge}: {details.refusal}.")
    elif details.judge:
        sentences.append(f"{details.judge} agrees with people: {details.said}.")
    if details.is_trusted and details.refusal:
        sentences.append("Gates use these scores anyway: --trust-judge.")
    if details.run is not None:
        sentences += [*repeated(details.run), *details.run.cost.endpoint]
    return sentences


def notes(details: NuggetsDetails) -> list[Note]:
    """Return one sentence per thing that the scores leave out or assume; what weighs most comes first."""
    sentences = []
    for name, words in _ODD.items():
        if number := details.counts.get(name, 0):
            sentences.append(f"{words.format(n=counted(number, _NOUNS.get(name, 'nugget')))}.")
    if details.words:
        sentences.append(
            f"Assignments that are not known: {', '.join(f'{word} ({n:,})' for word, n in details.words.items())}."
        )
    if details.run is not None and details.run.attacked:
        sentences.append(of_attacks(details.run.attacked, "answer", details.run.attacks))
    return [*in_verdict(trust(details)), *(Note(text=text) for text in (*sentences, *details.compared))]


@dataclass(frozen=True, kw_only=True, repr=False)
class NuggetOutcome(ScoresResult):
    """Nugget scores of one run or of several.

    Attributes
    ----------
    tally
        Values per query and run.
    verdicts, attacks
        Rows of the judge's tables, where they are in memory.
    """

    kind = "nuggets"
    libraries = ("numpy", "orjson")

    found: NuggetsDetails
    tally: NuggetTally
    verdicts: Sequence[Mapping[str, Any]] | None = None
    attacks: Sequence[Mapping[str, Any]] | None = None

    def to_record(self) -> Record:
        """Return the record."""
        details, run, options = self.found, self.found.run, self.options
        source = str(options.get("nuggets") or options.get("assignments") or "nuggets")
        answers = str(options.get("assignments") or options.get("answers") or source)
        names = [scored.name for scored in details.runs]
        return self._record(
            notes(details),
            name=", ".join(names[:3]) + (f" and {len(names) - 3} more" if len(names) > 3 else ""),
            subject=[Subject(name=name, source=answers, signature=details.signature) for name in names],
            data=self._data("nuggets", source, details.queries),
            numbers=list(numbers(details)),
            counts=[
                *counts_of(details.counts),
                *(
                    Count(name="answers", count=scored.answers, scope={"system": scored.name})
                    for scored in details.runs
                ),
                *(_judge_counts(run) if run is not None else ()),
            ],
            failures=failures_of(run.failures if run is not None else {}),
        )

    def tables(self) -> "Mapping[str, Callable[[], pl.DataFrame]]":
        """Return the tables: values per query, the answers with low scores, and what the judge said."""
        return {
            "per_query": partial(per_query, self.tally),
            LOWEST: lambda: table_of(LowestAnswer, self.lowest),
            **tables_in_memory(self.verdicts, self.attacks),
        }

    @property
    def lowest(self) -> list[LowestAnswer]:
        """The answers with the lowest main scores, lowest first."""
        return self.tally.lowest()

    def mean(self, run: str | None = None) -> dict[str, float]:
        """Return the mean of each measure, of a run; of the only one by default."""
        scored = next(candidate for candidate in self.found.runs if run in (None, candidate.name))
        return {name: mean.value for name, mean in scored.scores.items() if mean.value is not None}


def _judge_counts(run: JudgeDetails) -> list[Count]:
    asked = {"verdicts": run.verdicts, "failed_verdicts": run.failed, "repeats": run.repeats}
    return counts_of({**asked, **run.cost.counts(), "attacked": run.attacked})
