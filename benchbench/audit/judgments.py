"""Judgments beside the collection: which are of documents that do not exist, and what scores can be at most.

Conventions
-----------
A query's gain of a document is its grade; nDCG@k divides by the discounted gains of all documents judged relevant, best
first, and R@k by their number, whether they exist or not. Means are over the queries with a relevant document.
"""

import math
import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from benchbench.audit.documents import DocumentTable
from benchbench.audit.finding import SHOWN, Check, Concerned, Finding, many, skipped, some
from benchbench.audit.source import Audited
from benchbench.kernels.arrays import F64, I64
from benchbench.tables.hashing import NO_HASH

_MANY, _MANY_SHARE, _MANY_TIMES = 10, 0.05, 5.0  # queries, of all, and times the mean: in SciFact, CACM and two sets of
# criminal cases no document reaches all three, though in each some are relevant for four queries or more
_GRADE_TIMES, _GRADE_SHARE = 10.0, 0.05  # times the next lower grade, and of the judgments: scales of 1 and 10 are used
_ZEROS = re.compile(r"(?<!\d)0+(?=\d)")  # in front of a number


@dataclass(frozen=True)
class Judged:
    """The judgments of a data set, each with its query and its document.

    Attributes
    ----------
    data
        The data set.
    table
        Its documents; None where there is no collection.
    cutoff
        The k of what scores can be.
    """

    data: Audited
    table: DocumentTable | None
    cutoff: int

    @cached_property
    def query(self) -> I64:
        """The query of each judgment."""
        offsets = self.data.queries.positives.offsets
        return np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))

    @cached_property
    def place(self) -> I64:
        """The document of each judgment, or -1: by text where texts decide and it has one, else by id."""
        assert self.table is not None
        positives = self.data.queries.positives
        by_id = self.table.by_id.first(positives.id)
        if self.data.gold_by == "id":
            return by_id
        return np.where(positives.text == NO_HASH, by_id, self.table.of_text(positives.text))

    @cached_property
    def relevant(self) -> I64:
        """How many documents are judged relevant for each query."""
        grades = self.data.queries.positives.grade > 0
        return np.bincount(self.query[grades], minlength=len(self.data.queries))

    @property
    def answerable(self) -> int:
        """How many queries have a relevant document."""
        return int(np.count_nonzero(self.relevant))

    def mean_loss(self, losses: Mapping[int, float]) -> float:
        """Return 1 less the mean of what some queries lose."""
        return 1.0 - self.mean(losses)

    def mean(self, values: Mapping[int, float]) -> float:
        """Return the mean of what some queries have; the others have 0. The order of queries changes no bit of it."""
        return math.fsum(values.values()) / self.answerable

    def ids(self, queries: I64 | Sequence[int]) -> list[str]:
        """Return the ids of some queries, each once, in order."""
        return sorted({self.data.queries.ids[q] for q in np.asarray(queries, np.int64).tolist()})

    def names_of(self, rows: I64) -> list[str]:
        """Return the document ids of some judgments."""
        names = self.data.queries.positives.ids
        return [names[row] for row in rows.tolist()]


def ndcg(gains: F64, ideal: F64, k: int) -> float:
    """Return the discounted gains of a ranking over those of the ideal one, both cut at k."""
    discounts = 1.0 / np.log2(np.arange(2, k + 2))
    best = np.sort(ideal)[::-1][:k]
    return float(gains[:k] @ discounts[: len(gains[:k])] / (best @ discounts[: len(best)]))


def dangling(judged: Judged) -> Check:
    """Find judgments of documents that do not exist, and what an ideal ranking of the others still scores."""
    name, k = "dangling_judgments", judged.cutoff
    numbers: tuple[str, ...] = (f"possible_nDCG@{k}", "possible_R")
    if judged.table is None:
        return skipped(name, "there is no collection", **dict.fromkeys(numbers))
    grades, missing = judged.data.queries.positives.grade, judged.place < 0
    rows = np.flatnonzero(missing)
    lost_ndcg: dict[int, float] = {}
    lost_recall: dict[int, float] = {}
    for q in np.unique(judged.query[rows]).tolist():
        its = judged.data.queries.positives.of(q)
        gains, there = np.maximum(grades[its], 0.0), ~missing[its]
        if gains.any():
            lost_ndcg[q] = 1.0 - ndcg(np.sort(gains[there])[::-1], gains, k)
            lost_recall[q] = 1.0 - float(np.count_nonzero(gains[there]) / np.count_nonzero(gains))
    most = [judged.mean_loss(lost) if judged.answerable else None for lost in (lost_ndcg, lost_recall)]
    effects = dict(zip(numbers, most, strict=True))
    if not len(rows):
        return Check(name, 0, effects=effects)
    concerned, documents = judged.ids(judged.query[rows]), judged.names_of(rows)
    counts = np.bincount(judged.query[rows], minlength=len(judged.data.queries))
    worst = sorted(np.flatnonzero(counts).tolist(), key=lambda q: (-counts[q], judged.data.queries.ids[q]))[:SHOWN]
    finding = Finding(
        name,
        "error",
        f"{many(len(rows), 'judgment')} of {many(len(concerned), 'query', 'queries')} "
        f"{'names a document that does' if len(rows) == 1 else 'name documents that do'} not exist",
        len(rows),
        Concerned.of(concerned),
        Concerned.of(documents),
        [
            f"query {judged.data.queries.ids[q]}: {counts[q]:,} of {many(_judgments(judged, q), 'judgment')} "
            f"({some(judged.names_of(rows[judged.query[rows] == q]), 3)})"
            for q in worst
        ],
        _at_most(judged, most),
        f"{_written_otherwise(judged, documents)}complete the collection, or leave these judgments out and say so",
    )
    return Check(name, len(rows), [finding], effects=effects)


def _at_most(judged: Judged, most: Sequence[float | None]) -> str:
    if most[0] is None or most[1] is None:
        return ""
    of = f"over {judged.answerable:,} queries"
    return f"a perfect retriever has nDCG@{judged.cutoff} {most[0]:.4f} and recall {most[1]:.4f}, {of}"


def _written_otherwise(judged: Judged, missing: Sequence[str]) -> str:
    """Return how many of the ids that do not exist are other forms of one that does."""
    assert judged.table is not None
    forms: dict[str, set[str]] = defaultdict(set)
    for one in missing:
        forms[_plain(one)].add(one)
    there = {form: one for one in judged.table.ids if (form := _plain(one)) in forms}
    count = sum(len(forms[form]) for form in there)
    if not count:
        return ""
    form = min(there)
    return (
        f"{many(count, 'id differs', 'ids differ')} only in leading zeros, case or .0 from one that exists "
        f"({min(forms[form])}, {there[form]}): mend them; "
    )


def _plain(identifier: str) -> str:
    return _ZEROS.sub("", identifier.strip().casefold()).removesuffix(".0")


def _judgments(judged: Judged, q: int) -> int:
    its = judged.data.queries.positives.of(q)
    return int(its.stop - its.start)


def without_positives(judged: Judged) -> Check:
    """Find queries for which nothing is relevant."""
    name = "queries_without_positives"
    queries = np.flatnonzero(judged.relevant == 0)
    if not judged.answerable:  # data of labels alone
        return skipped(name, "no query has a judgment")
    if not len(queries):
        return Check(name, 0)
    concerned = judged.ids(queries)
    share = judged.answerable / len(judged.data.queries)
    finding = Finding(
        name,
        "warning",
        f"{many(len(queries), 'query', 'queries')} of {len(judged.data.queries):,} "
        f"{'has' if len(queries) == 1 else 'have'} no document judged relevant",
        len(queries),
        Concerned.of(concerned),
        examples=concerned[:SHOWN],
        effect=f"they score 0: where they count, no mean is above {share:.4f}",
        advice="leave them out for every system alike, or judge them",
    )
    return Check(name, len(queries), [finding])


def beyond_cutoff(judged: Judged) -> Check:
    """Find queries with more relevant documents than a cut-off holds, and say how high P and R can be."""
    name, k = "queries_beyond_cutoff", judged.cutoff
    numbers: tuple[str, ...] = (f"ceiling_P@{k}", f"ceiling_R@{k}")
    relevant = judged.relevant[judged.relevant > 0]
    if not len(relevant):
        return Check(name, 0, effects=dict.fromkeys(numbers))
    held = np.minimum(relevant, k)
    precision, recall = (math.fsum(held / whole) / len(relevant) for whole in (np.full(len(held), k), relevant))
    effects: dict[str, float | None] = dict(zip(numbers, (precision, recall), strict=True))
    queries = np.flatnonzero(judged.relevant > k)
    if not len(queries):
        return Check(name, 0, effects=effects)
    most = sorted(queries.tolist(), key=lambda q: (-judged.relevant[q], judged.data.queries.ids[q]))[:SHOWN]
    finding = Finding(
        name,
        "note",
        f"{many(len(queries), 'query', 'queries')} of {len(relevant):,} {'has' if len(queries) == 1 else 'have'} "
        f"more than {k} relevant documents",
        len(queries),
        Concerned.of(judged.ids(queries)),
        examples=[f"query {judged.data.queries.ids[q]}: {judged.relevant[q]:,} relevant documents" for q in most],
        effect=f"R@{k} cannot be above {recall:.4f}, nor P@{k} above {precision:.4f}",
        advice="read R at a deeper cut-off, or with --recall-denominator capped",
    )
    return Check(name, len(queries), [finding], effects=effects)


def relevant_for_many(judged: Judged) -> Check:
    """Find documents that are relevant for far more queries than others."""
    name = "documents_relevant_for_many"
    if not judged.answerable:
        return skipped(name, "no query has a judgment")
    positives = judged.data.queries.positives
    texts = positives.text if judged.data.gold_by == "text" else np.full(len(positives.id), NO_HASH, np.uint64)
    rows = np.flatnonzero(positives.grade > 0)
    keys = np.where(texts == NO_HASH, positives.id, texts)[rows]
    _, first, group, counts = np.unique(keys, return_index=True, return_inverse=True, return_counts=True)
    least = max(_MANY, _MANY_SHARE * judged.answerable, _MANY_TIMES * float(counts.mean()))
    groups = np.flatnonzero(counts >= least)
    if not len(groups):
        return Check(name, 0)
    names = dict(zip(groups.tolist(), judged.names_of(rows[first[groups]]), strict=True))
    shown = sorted(names, key=lambda one: (-counts[one], names[one]))
    finding = Finding(
        name,
        "warning",
        f"{many(len(groups), 'document is', 'documents are')} relevant for {int(counts[groups].min()):,} queries or "
        f"more each, and a relevant one on average for {counts.mean():.1f}",
        len(groups),
        Concerned.of(judged.ids(judged.query[rows[np.isin(group, groups)]])),
        Concerned.of(names.values()),
        [f"{names[one]}: {many(int(counts[one]), 'query', 'queries')}" for one in shown[:SHOWN]],
        f"a system that returns {names[shown[0]]} first for whatever is asked has Success@1 "
        f"{counts[shown[0]] / judged.answerable:.4f}",
        "look whether it answers these queries, or is a default of the annotators",
    )
    return Check(name, len(groups), [finding])


def outlying_grades(judged: Judged) -> Check:
    """Find the few grades that are many times as high as all others."""
    name = "outlying_grades"
    grade = judged.data.queries.positives.grade
    grades, counts = np.unique(grade[grade > 0], return_counts=True)
    above = np.cumsum(counts[::-1])[::-1]  # so many judgments have this grade or a higher one
    steps = np.flatnonzero((grades[1:] >= _GRADE_TIMES * grades[:-1]) & (above[1:] <= _GRADE_SHARE * counts.sum()))
    if not len(steps):
        return Check(name, 0)
    usual, lowest = float(grades[steps[0]]), float(grades[steps[0] + 1])
    rows = np.flatnonzero(grade >= lowest)
    ids, k = judged.data.queries.ids, judged.cutoff
    concerned = Concerned.of(judged.ids(judged.query[rows]))
    finding = Finding(
        name,
        "error",
        f"{many(len(rows), 'judgment has a grade', 'judgments have grades')} of {lowest:g} or more, and all others "
        f"have {usual:g} at most",
        len(rows),
        concerned,
        Concerned.of(judged.names_of(rows)),
        [
            f"query {ids[judged.query[row]]}: {judged.data.queries.positives.ids[row]} has {grade[row]:g}"
            for row in rows.tolist()[:SHOWN]
        ],
        f"nDCG@{k} of {many(concerned.count, 'query', 'queries')} is that of one document: it gains at least "
        f"{lowest / usual:,.0f} times as much as any other",
        "correct the grade, or say what it means",
    )
    return Check(name, len(rows), [finding])


class TwinEffect:
    """What a retriever loses that cannot tell the documents of a group apart.

    Its ranking is ideal but for groups: those with a relevant document stand in the order of their best grades, and
    within each one the lowest grade comes first. A document that nobody judged has no gain.
    """

    def __init__(self, judged: Judged, group: I64, members: Callable[[int], Sequence[int]]) -> None:
        """Take the group of each document, -1 for none, and what lists the documents of a group."""
        self._judged, self._group, self._members = judged, group, members
        self.lost_ndcg: dict[int, float] = {}
        self.lost_recall: dict[int, float] = {}
        self.pairs: list[tuple[int, int, int]] = []  # query, a relevant document, one of its group with another grade
        self._look()

    def _look(self) -> None:
        judged, places = self._judged, self._judged.place
        known = np.where(places >= 0, self._group[places], -1)
        for q in np.unique(judged.query[(known >= 0) & (judged.data.queries.positives.grade > 0)]).tolist():
            self._look_at(q, known)

    def _look_at(self, q: int, known: I64) -> None:
        judged, k = self._judged, self._judged.cutoff
        its = judged.data.queries.positives.of(q)
        gains = np.maximum(judged.data.queries.positives.grade[its], 0.0)
        its_places, its_groups = judged.place[its].tolist(), known[its].tolist()
        grade = {place: float(gain) for place, gain in zip(its_places, gains, strict=True) if place >= 0}
        alone = [[float(gain)] for gain, group in zip(gains, its_groups, strict=True) if group < 0 and gain > 0]
        lists = []
        for group in sorted({group for group, gain in zip(its_groups, gains, strict=True) if group >= 0 and gain > 0}):
            members = [one for one in self._members(group) if not self._is_query(q, one)]
            if not members:
                continue
            given = [grade.get(one, 0.0) for one in members]
            if min(given) < max(given):
                best = members[given.index(max(given))]
                self.pairs += [(q, best, one) for one, its in zip(members, given, strict=True) if its < max(given)][:1]
            lists.append(sorted(given))
        if not any(one[0] < one[-1] for one in lists):
            return
        ranked = np.array([gain for one in sorted([*alone, *lists], key=lambda one: (-one[-1], one)) for gain in one])
        relevant = int(np.count_nonzero(gains))
        self.lost_ndcg[q] = 1.0 - ndcg(ranked, gains, k)
        self.lost_recall[q] = (min(k, relevant) - int(np.count_nonzero(ranked[:k]))) / relevant

    def _is_query(self, q: int, place: int) -> bool:
        """Say whether a document is a copy of the query, which is removed before it is ranked."""
        table = self._judged.table
        assert table is not None
        return int(self._judged.data.queries.text[q]) in (int(table.text[place]), int(table.body[place]))

    def said(self) -> str:
        """Return the effect in a sentence."""
        judged, k = self._judged, self._judged.cutoff
        lost = {name: judged.mean(values) for name, values in self.lost().items()}
        return (
            f"a perfect retriever that returns the lower-judged one first loses {lost[f'nDCG@{k}']:.4f} in "
            f"nDCG@{k} and {lost[f'R@{k}']:.4f} in R@{k}, over {judged.answerable:,} queries"
        )

    def lost(self) -> dict[str, dict[int, float]]:
        """Return what queries lose, by measure."""
        return {f"nDCG@{self._judged.cutoff}": self.lost_ndcg, f"R@{self._judged.cutoff}": self.lost_recall}

    def effects(self, front: str) -> dict[str, float | None]:
        """Return the mean losses as numbers."""
        judged = self._judged
        return {
            f"{front}_{name}": judged.mean(values) if judged.answerable else None
            for name, values in self.lost().items()
        }

    def examples(self) -> Iterator[str]:
        """Yield who is judged differently, in the order of queries."""
        judged = self._judged
        assert judged.table is not None
        ids = judged.data.queries.ids
        for q, one, other in sorted(self.pairs, key=lambda pair: (ids[pair[0]], judged.table.ids[pair[1]])):  # type: ignore[union-attr]
            yield f"query {ids[q]}: {judged.table.ids[one]} is judged higher than {judged.table.ids[other]}"
