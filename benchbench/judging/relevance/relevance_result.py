"""The result of judging for relevance: labels, what they are worth, and what they cost."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from benchbench.judging.judge_details import JudgeDetails
from benchbench.judging.judge_details import trust as judge_trust
from benchbench.judging.judge_result import JudgeOutcome, scope
from benchbench.judging.judge_result import notes as judge_notes
from benchbench.judging.judge_result import numbers as judge_numbers
from benchbench.judging.relevance.holes import AFTER, BEFORE, HoleCase, numbers_of
from benchbench.results.estimates import Estimate
from benchbench.results.figures import estimate, share, signed
from benchbench.results.headline import GOOD, PARTLY, WORSE, Headline
from benchbench.results.record import Note, Number, Record, counts_of
from benchbench.scores.result import in_verdict
from benchbench.tables.shared_messages import and_joined, counted

if TYPE_CHECKING:
    import polars as pl

    from benchbench.formats.qrels_runs import Qrels


_FIRST_COUNTS = ("pairs", "labelled", "unjudged_queries")
PAIRS = "pairs"  # make of the data of such a record


@dataclass(frozen=True, slots=True, kw_only=True)
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


@dataclass(frozen=True, slots=True, kw_only=True)
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


@dataclass(frozen=True, slots=True, kw_only=True)
class RelevanceDetails(JudgeDetails):
    """The JSON members of labels that a judge has made."""

    judge: str = ""  # as the second column of the labels has it
    pool: PoolDetails = field(default_factory=PoolDetails)
    labels: LabelDetails = field(default_factory=LabelDetails)
    compared: ComparedDetails | None = None
    holes: list[HoleCase] = field(default_factory=list)
    ranked: list[str] = field(default_factory=list)  # runs that the judge's model has ranked itself
    left: str = ""  # why there are no best and worst cases


LABELS = "labels"  # the table


@dataclass(frozen=True, kw_only=True, repr=False)
class RelevanceOutcome(JudgeOutcome):
    """The result of judging for relevance.

    Attributes
    ----------
    agreement
        The numbers of how far the judge agrees with people; empty where there was nothing to compare with.
    labels
        `query`, `document`, `grade`, `judge` (null where people judged), `rationale`, `is_new`; None where a folder
        has them.
    """

    libraries = ("aiohttp", "jsonschema_rs", "orjson", "polars")

    agreement: tuple[Number, ...] = ()
    labels: "pl.DataFrame | None" = None

    @property
    def of_pairs(self) -> RelevanceDetails:
        """The details."""
        assert isinstance(self.found, RelevanceDetails)
        return self.found

    @property
    def qrels(self) -> "Qrels":
        """The labels as judgments, where they are in memory."""
        from benchbench.formats.qrels_runs import Qrels

        return Qrels.from_frame(self.table(LABELS).select("query", "document", "grade"))

    def to_record(self) -> Record:
        """Return the record."""
        details, name = self.of_pairs, self.options.get("dataset") or self.options.get("queries")
        pool, labels = details.pool, details.labels
        counts = {
            **{name: getattr(pool, name) for name in _FIRST_COUNTS},
            "left_out_by_limit": pool.limited,
            **{name: getattr(pool, name) for name in ("asked", "without_document", "without_query")},
            "labels_by_people": labels.people,
            "labels_by_judges": sum(labels.judges.values()),
            "labels_made": labels.made,
        }
        return self._of_judge(
            notes(details),
            source=details.judge,
            data=self._data(PAIRS, name, pool.queries),
            numbers=list(numbers(details, self.agreement)),
            counts=counts_of({**counts, **self._asked()}),
        )

    def tables(self) -> "Mapping[str, Callable[[], pl.DataFrame]]":
        """Return the tables that are in memory: verdicts, attacks, labels."""
        made = dict(super().tables())
        if self.labels is not None:
            made[LABELS] = lambda: self.labels  # type: ignore[assignment,return-value]
        return made


def numbers(details: RelevanceDetails, agreement: tuple[Number, ...]) -> Iterator[Number]:
    """Yield the numbers: the mean grade, agreement with people, best and worst cases, and costs."""
    yield from judge_numbers(details)
    yield from agreement
    yield from numbers_of(details.holes, scope(details, details.rubrics[0]))


def notes(details: RelevanceDetails) -> list[Note]:
    """Return one sentence per thing that the labels leave out or assume; what weighs most comes first."""
    sentences, pool = list[str](), details.pool
    if pool.limited:
        sentences.append(f"{pool.limited:,} pairs are not judged because of --limit; --seed decides which.")
    if pool.unjudged_queries:
        sentences.append(
            f"{pool.unjudged_queries:,} unjudged hits are of queries without a judgment, which "
            "comparisons leave out; they are not judged."
        )
    if pool.without_document:
        sentences.append(
            f"{pool.without_document:,} of {pool.asked:,} pairs have a document without a text; they failed."
        )
    if pool.without_query:
        sentences.append(f"{pool.without_query:,} of {pool.asked:,} pairs have a query without a text; they failed.")
    if details.left:
        sentences.append(details.left)
    return [*in_verdict(against(details)), *judge_notes(details), *(Note(text=text) for text in sentences)]


def against(details: RelevanceDetails) -> list[str]:
    """Return reasons to doubt the labels."""
    sentences = []
    if details.ranked:
        sentences.append(
            f"The judge has ranked what it judges ({and_joined(details.ranked)}). A model rates its own choice "
            "higher, so these labels favour that run; use another judge."
        )
    return sentences + ([" ".join(mixed)] if (mixed := mixed_scales(details)) else [])


def mixed_scales(details: RelevanceDetails) -> list[str]:
    """Return that new and existing labels have different scales, and what to do; nothing where they have one."""
    highest, top = details.labels.highest, details.rubrics[0].scale[1]
    if highest is None or highest == top or not details.labels.made:
        return []
    return [
        f"Not usable: existing labels go up to {highest:g}, new ones up to {top:g}.",
        f"Judge again with --rubric relevance --scale {max(1, round(highest))}.",
    ]


_CASES = 2  # that the first sentences have


def headline(details: RelevanceDetails) -> Headline:
    """Return how many labels were made and what differences they settle, and below what speaks against them."""
    mixed = " ".join(mixed_scales(details))
    reasons = [sentence for sentence in against(details) if sentence != mixed]
    sentences = [*([(WORSE, mixed)] if mixed else []), _made(details), *_settled(details)]
    return Headline(sentences, [*reasons, *trust(details)])


def trust(details: RelevanceDetails) -> list[str]:
    """Return how far to trust the labels; what weighs most comes first."""
    told = compared(details)
    return [*([told] if told else []), *judge_trust(details, not is_of_one_grade(details))]


def is_of_one_grade(details: RelevanceDetails) -> bool:
    """Whether people gave all compared pairs the same grade: kappa is then 0 or undefined, whatever the judge says."""
    return details.compared is not None and details.compared.n > 0 and details.compared.grades == 1


def compared(details: RelevanceDetails) -> str:
    """Return how far the judge agrees with people; empty where nothing was compared."""
    if details.compared is None:
        return ""
    agreed = details.compared
    if not agreed.n:
        return f"No label of {agreed.source} could be compared: {counted(agreed.failed, 'pair')} failed."
    kappa = agreed.agreement.get("kappa")
    over = f"{counted(agreed.n, 'pair')} of {counted(agreed.queries, 'query')}"
    if is_of_one_grade(details):
        same = agreed.agreement.get("agreement")
        alike = ""
        if same is not None and same.value is not None and not mixed_scales(details):
            alike = f" The judge gives {share(same.value, 1)} of them that grade."
        return (
            f"Trust is unknown: people gave all {over} the same grade, so agreement beyond chance cannot be measured."
            f"{alike} Labels of several grades can show it: --compare-with QRELS."
        )
    agreement = "no kappa"
    if kappa is not None and kappa.value is not None:
        agreement = f"kappa {estimate(kappa.value, kappa.low, kappa.high)}"
    return f"Compared with {agreed.source}: {agreement} over {over}."


def pairs_of(details: RelevanceDetails) -> list[tuple[HoleCase, HoleCase | None]]:
    """Return each case before with that after."""
    after = {(case.measure, case.baseline, case.system): case for case in details.holes if case.labels == AFTER}
    before = [case for case in details.holes if case.labels == BEFORE]
    return [(case, after.get((case.measure, case.baseline, case.system))) for case in before]


def undecided(details: RelevanceDetails) -> str:
    """Return that the new labels settle no difference of two systems; empty where there are others, or one is."""
    pairs = {(case.system, case.baseline) for case in details.holes}
    if len(pairs) != 1 or any(mark == GOOD for mark, _ in _settled(details)):
        return ""
    ((system, baseline),) = pairs
    return f"{counted(details.labels.made, 'new label')} cannot settle whether {system} or {baseline} is better."


def _made(details: RelevanceDetails) -> tuple[str, str]:
    pool, labels = details.pool, details.labels
    were = labels.people + sum(labels.judges.values())
    kept = f"; {counted(were, 'existing label')} kept" if were else ""
    if not pool.asked:
        return GOOD, f"Nothing to judge: all {counted(pool.pairs, 'pair')} have a label."
    mark = GOOD if labels.made == pool.asked else PARTLY if labels.made else WORSE
    failed = f", of {counted(pool.asked, 'pair')} asked about" if labels.made < pool.asked else ""
    left = f"; {counted(pool.limited, 'unlabelled pair')} left out by the limit" if pool.limited else ""
    return mark, f"{counted(labels.made, 'new label')} by {details.model}{failed}{kept}{left}."


def _settled(details: RelevanceDetails) -> list[tuple[str, str]]:
    settled: list[tuple[str, str]] = []
    for _, after in pairs_of(details):
        if after is None:
            continue
        is_settled = after.worst * after.best > 0 or not after.width
        begin = f"{'Settled' if is_settled else 'Undecided'} in {after.measure}: {after.system} − {after.baseline}"
        hits = "whatever the hits without a label are" if is_settled else "depending on the hits without a label"
        sentence = f"{begin} is between {signed(after.worst)} and {signed(after.best)}, {hits}."
        settled.append((GOOD if is_settled else PARTLY, sentence))
    return settled[:_CASES]
