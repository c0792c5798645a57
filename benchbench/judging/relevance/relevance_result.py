"""The result of judging for relevance: labels, what they are worth, and what they cost."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from benchbench.judging.judge_result import JudgeOutcome, scope
from benchbench.judging.judge_result import notes as judge_notes
from benchbench.judging.judge_result import numbers as judge_numbers
from benchbench.judging.relevance.details import PAIRS, RelevanceDetails
from benchbench.judging.relevance.holes import numbers_of
from benchbench.results.record import Note, Number, Record, counts_of
from benchbench.scores.result import in_verdict
from benchbench.tables.shared_messages import and_joined

if TYPE_CHECKING:
    import polars as pl

    from benchbench.formats.qrels_runs import Qrels

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
        found, name = self.of_pairs, self.options.get("dataset") or self.options.get("queries")
        pool, labels = found.pool, found.labels
        counts = {
            "pairs": pool.pairs,
            "labelled": pool.labelled,
            "unjudged_queries": pool.unjudged_queries,
            "left_out_by_limit": pool.limited,
            "asked": pool.asked,
            "without_document": pool.without_document,
            "without_query": pool.without_query,
            "labels_by_people": labels.people,
            "labels_by_judges": sum(labels.judges.values()),
            "labels_made": labels.made,
        }
        return self._of_judge(
            notes(found),
            source=found.judge,
            data=self._data(PAIRS, name, pool.queries),
            numbers=list(numbers(found, self.agreement)),
            counts=counts_of({**counts, **self._asked()}),
        )

    def tables(self) -> "Mapping[str, Callable[[], pl.DataFrame]]":
        """Return the tables that are in memory: verdicts, attacks, labels."""
        made = dict(super().tables())
        if self.labels is not None:
            made[LABELS] = lambda: self.labels  # type: ignore[assignment,return-value]
        return made


def numbers(found: RelevanceDetails, agreement: tuple[Number, ...]) -> Iterator[Number]:
    """Yield the numbers: the mean grade, agreement with people, best and worst cases, and costs."""
    yield from judge_numbers(found)
    yield from agreement
    yield from numbers_of(found.holes, scope(found, found.rubrics[0]))


def notes(found: RelevanceDetails) -> list[Note]:
    """Return one sentence per thing that the labels leave out or assume; what weighs most comes first."""
    said, pool = list[str](), found.pool
    if pool.limited:
        said.append(f"{pool.limited:,} pairs are not judged, because of --limit; which ones, --seed has drawn.")
    if pool.unjudged_queries:
        said.append(
            f"{pool.unjudged_queries:,} unjudged hits are of queries without a judgment, which no comparison counts; "
            "they are not judged."
        )
    if pool.without_document:
        said.append(f"{pool.without_document:,} of {pool.asked:,} pairs have a document without a text; they failed.")
    if pool.without_query:
        said.append(f"{pool.without_query:,} of {pool.asked:,} pairs have a query without a text; they failed.")
    if found.left:
        said.append(found.left)
    return [*in_verdict(against(found)), *judge_notes(found), *(Note(text=text) for text in said)]


def against(found: RelevanceDetails) -> list[str]:
    """Return what speaks against the labels."""
    said, one = [], found.rubrics[0]
    if found.ranked:
        said.append(
            f"The judge has ranked what it judges ({and_joined(found.ranked)}): a model rates its own choice higher, "
            "so that these labels favour that run. Take another judge."
        )
    highest, top = found.labels.highest, one.scale[1]
    if highest is not None and highest != top and found.labels.made:
        said.append(
            f"The labels that there were go up to {highest:g}, and the judge's up to {top:g}: one grade means two "
            f"things in this file. --rubric relevance --scale {max(1, round(highest))} makes them alike."
        )
    return said
