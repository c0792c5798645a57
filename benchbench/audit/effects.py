"""What faults cost: nDCG@k of BM25 over the data as they are, with one fault mended at a time, and with all of them.

Conventions
-----------
A query scores the nDCG@k of the embedded BM25, and 0 where nothing is relevant for it; hits with the query's own text
are removed, as a run does. Where judgments are by text, equal documents count once. Documents judged relevant are known
by their place in the collection, missing ones by a negative number.

Mending follows the advice of a check and asks nobody: it may leave judgments, queries or copies out, never make up a
judgment. The mean is over the queries that are left, so the interval of an effect resamples queries, and takes both
means of the same ones.
"""

import math
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from benchbench.audit import duplicates, gold, judgments
from benchbench.audit.check import Judged
from benchbench.audit.finding import Effect, Effects
from benchbench.audit.near_duplicates import near_groups
from benchbench.kernels.arrays import F64, I64, Bools
from benchbench.results.estimates import Estimate
from benchbench.serve.bm25 import BM25
from benchbench.significance.bootstrap import interval, resampled_means
from benchbench.tables.collection import Collection
from benchbench.tables.hashing import NO_HASH

MOST_CHARACTERS = 50_000_000  # of an indexed collection: some 30,000 abstracts, as long as the checks take
MOST_SCORES = 500_000_000  # documents times queries: each query goes over all documents once, so some seconds
_SPARE = 100  # hits below the cut-off, for those that are the query itself or copies of a hit
_RESAMPLES, _SEED, _ALPHA = 2_000, 1, 0.05
_ROUNDING = 1e-12  # of a score, which is a sum of some ten quotients


@dataclass(frozen=True, slots=True, kw_only=True)
class State:
    """Data that scores are taken over.

    Attributes
    ----------
    gains
        Per query, the grade of each document that is judged relevant, by its place.
    counts
        (queries,): whether the mean has a query.
    first
        (documents,): the place of the document that stands for each one, itself but for copies.
    """

    gains: list[dict[int, float]]
    counts: Bools
    first: I64


Mend = Callable[[Judged, State], State]


def _without(state: State, queries: Iterable[int]) -> State:
    """Return the data without some queries."""
    counts = state.counts.copy()
    counts[list(queries)] = False
    return replace(state, counts=counts)


def _judged(state: State, gains: list[dict[int, float]]) -> State:
    """Return the data with other judgments; a query that loses its last relevant document leaves."""
    emptied = [q for q, (before, after) in enumerate(zip(state.gains, gains, strict=True)) if before and not after]
    return _without(replace(state, gains=gains), emptied)


def _missing(judged: Judged, state: State) -> State:
    """Mend the ids that are only written otherwise, and leave out the judgments of other missing documents."""
    forms = judgments.written_otherwise(judged, judged.names_of(np.flatnonzero(judged.place < 0)))
    names = judged.data.queries.positives.ids

    def mended(gains: dict[int, float]) -> dict[int, float]:
        kept = {place: grade for place, grade in gains.items() if place >= 0}
        for place, grade in gains.items():
            if place < 0 and (there := forms.get(names[-1 - place])) is not None:
                kept[there] = max(grade, kept.get(there, 0.0))
        return kept

    return _judged(state, list(map(mended, state.gains)))


def _unanswerable(judged: Judged, state: State) -> State:
    return _without(state, (q for q, gains in enumerate(state.gains) if not gains))


def _equal_queries(judged: Judged, state: State) -> State:
    """Keep the first of equal queries by id, with the judgments of all."""
    gains, later = list(state.gains), list[int]()
    for group in duplicates.groups_of_queries(judged.data):
        first, *others = sorted(group, key=judged.data.queries.ids.__getitem__)
        for q in others:
            gains[first] = {place: max(_grades(gains, (first, q), place)) for place in gains[first] | gains[q]}
        later += others
    return _without(replace(state, gains=gains), later)


def _grades(gains: Sequence[dict[int, float]], queries: Iterable[int], place: int) -> list[float]:
    return [gains[q].get(place, 0.0) for q in queries]


def _one_of_each(state: State, groups: Iterable[Sequence[int]]) -> State:
    """Let the first document of each group stand for all of it."""
    first = state.first.copy()
    for group in groups:
        first[np.isin(first, group)] = first[group[0]]
    return replace(state, first=first)


def _copies(judged: Judged, state: State) -> State:
    return _one_of_each(state, judged.collection.copies)


def _near_copies(judged: Judged, state: State) -> State:
    return _one_of_each(state, near_groups(judged))


def _swapped(judged: Judged, state: State) -> State:
    gains = list(state.gains)
    for one, other in gold.swapped_pairs(judged):
        gains[one], gains[other] = gains[other], gains[one]
    return replace(state, gains=gains)


def _outlying(judged: Judged, state: State) -> State:
    """Lower grades that are far above all others to the highest of those."""
    steps = judgments.grade_step(judged)
    most = steps[0] if steps else math.inf
    return replace(state, gains=[{place: min(grade, most) for place, grade in its.items()} for its in state.gains])


def _copied_queries(judged: Judged, state: State) -> State:
    return _without(state, judged.seen_by(gold.GoldTexts).copies)


def _own_answers(judged: Judged, state: State) -> State:
    """Leave out the judgments of documents that are the query itself."""
    own = _own_places(judged)
    kept = [{place: grade for place, grade in its.items() if place not in own[q]} for q, its in enumerate(state.gains)]
    return _judged(state, kept)


def _empty(judged: Judged, state: State) -> State:
    """Leave out queries without a text, and judgments of documents without one."""
    lengths = judged.collection.lengths
    kept = [{place: grade for place, grade in its.items() if place < 0 or lengths[place]} for its in state.gains]
    blank = [q for q, text in enumerate(judged.data.queries.texts) if not text.strip()]
    return _without(_judged(state, kept), blank)


MENDINGS: dict[str, Mend] = {
    "dangling_judgments": _missing,
    "swapped_judgments": _swapped,
    "outlying_grades": _outlying,
    "queries_in_collection": _own_answers,
    "equal_queries": _equal_queries,
    "queries_in_positives": _copied_queries,
    "queries_without_positives": _unanswerable,
    "empty_texts": _empty,
    "twins_judged_differently": _copies,
    "duplicate_documents": _copies,
    "near_duplicates": _near_copies,
}
_SAME = {"duplicate_documents": "twins_judged_differently"}  # mended alike, and counted there
EFFECTS = ("bm25_nDCG@{k}", "mended_nDCG@{k}", "loss_nDCG@{k}")  # names of numbers
INTERVAL = "BCa bootstrap over queries"


def _own_places(judged: Judged) -> list[set[int]]:
    """Return, of each query, the documents with its text."""
    table = judged.collection
    return [set(table.with_text(text)) if text != NO_HASH else set() for text in judged.data.queries.text.tolist()]


def _as_it_is(judged: Judged) -> State:
    positives, places = judged.data.queries.positives, judged.place.tolist()
    gains = [dict[int, float]() for _ in judged.data.queries.ids]
    for row, (q, grade) in enumerate(zip(judged.query.tolist(), positives.grade.tolist(), strict=True)):
        if grade > 0:
            place = places[row] if places[row] >= 0 else -1 - row
            gains[q][place] = max(grade, gains[q].get(place, 0.0))
    state = State(
        gains=gains, counts=np.ones(len(gains), np.bool_), first=np.arange(len(judged.collection), dtype=np.int64)
    )
    return _copies(judged, state) if judged.data.gold_by == "text" else state


class Scoring:
    """Scores of one ranking per query."""

    def __init__(self, judged: Judged, texts: Sequence[str]) -> None:
        """Rank the documents, given by their texts in their order, for all queries."""
        ids, queries = judged.collection.ids, judged.data.queries
        order = sorted(range(len(ids)), key=ids.__getitem__)  # so that the order of files decides no tie
        bm25 = BM25(Collection([ids[place] for place in order], [texts[place] for place in order], ()))
        places = np.array(order, np.int64)
        self.retriever = bm25.about
        self._order = np.argsort(np.array(queries.ids, object), kind="stable")
        self._cutoff, self._own = judged.cutoff, _own_places(judged)
        depth = judged.cutoff + _SPARE
        self._hits = [places[bm25.search(text, depth)[0]].tolist() for text in queries.texts]

    def counts(self, state: State) -> Bools:
        """Say of each query, in the order of ids, whether the mean has it."""
        counts: Bools = state.counts[self._order]
        return counts

    def scores(self, state: State, with_self: bool = False) -> F64:
        """Return the score of each query, in the order of ids; `with_self` leaves the query itself among its hits."""
        first, scores = state.first, np.zeros(len(self._hits))
        for q in np.flatnonzero(state.counts).tolist():
            gains = defaultdict[int, float](float)
            for place, grade in state.gains[q].items():
                stands = int(first[place]) if place >= 0 else place
                gains[stands] = max(grade, gains[stands])
            if not gains:
                continue
            hits = dict.fromkeys(int(first[hit]) for hit in self._hits[q] if with_self or hit not in self._own[q])
            ranked = [gains.get(hit, 0.0) for hit in list(hits)[: self._cutoff]]
            scores[q] = judgments.ndcg(np.array(ranked), np.array(list(gains.values())), self._cutoff)
        ordered: F64 = scores[self._order]
        return ordered


def _rise(before: F64, after: F64, counts: Bools) -> Estimate:
    """Return how much the mean rises, where `after` has the queries that count, with its interval."""
    kept = counts.astype(np.float64)
    share = kept.mean()
    mean = float((after * kept).sum() / kept.sum())
    rows = np.stack([before, after * kept, kept])
    drawn = resampled_means(rows[None], _RESAMPLES, _SEED)[0]
    means = np.divide(drawn[1], drawn[2], out=np.full(_RESAMPLES, mean), where=drawn[2] > 0)
    linear = kept * (after - mean) / share + mean - before  # as a sum over queries, for how the means are skewed
    low, high = interval(linear, means - drawn[0], _ALPHA, _ROUNDING)
    value, low, high = (0.0 if abs(end) < _ROUNDING else end for end in (mean - float(before.mean()), low, high))
    return Estimate(value, low, high)


def why_not(judged: Judged) -> str:
    """Return why effects cannot be measured; empty where they can be."""
    table = judged.table
    if table is None or not judged.answerable:
        return "effects on BM25 take a collection and judgments"
    characters, scores = int(table.lengths.sum()), len(table) * len(judged.data.queries)
    if characters > MOST_CHARACTERS or scores > MOST_SCORES:
        return (
            f"effects on BM25 were not measured: {len(table):,} documents of {characters:,} characters and "
            f"{len(judged.data.queries):,} queries are too many to rank here"
        )
    return ""


def effects(judged: Judged, texts: Sequence[str], faults: Iterable[str]) -> Effects:
    """Measure what faults cost.

    Parameters
    ----------
    judged
        The data, of which `why_not` gives no reason against it.
    texts
        Of the documents, in their order.
    faults
        The checks that have found something.
    """
    state, scoring = _as_it_is(judged), Scoring(judged, texts)
    before, faults = scoring.scores(state), set(faults)
    found = [name for name in MENDINGS if name in faults and _SAME.get(name) not in faults]
    single = []
    for name in found:
        mended = MENDINGS[name](judged, state)
        if mended.counts.any():
            rise = _rise(before, scoring.scores(mended), scoring.counts(mended))
            single.append((name, rise, bool(rise.value)))
    single.sort(key=lambda effect: -(effect[1].value or 0.0))
    checks, everything = list[Effect](), state
    for name, rise, changes in single:
        mended = MENDINGS[name](judged, everything)
        after: float | None = None
        if changes and mended.counts.any():
            everything, after = mended, _mean(scoring.scores(mended), scoring.counts(mended))
        checks.append(_effect(name, rise, after))
    own = next((effect for effect in checks if effect.check == "queries_in_collection"), None)
    if own is not None and not own.value:
        checks.remove(own)
        rise = _rise(scoring.scores(state, with_self=True), before, scoring.counts(state))
        checks.append(_effect(own.check, rise, None, is_handled=True))
    mended_scores = scoring.scores(everything)
    return Effects(
        measure=f"nDCG@{judged.cutoff}",
        retriever=scoring.retriever,
        before=float(before.mean()),
        after=_mean(mended_scores, scoring.counts(everything)),
        queries=len(before),
        left=int(np.count_nonzero(everything.counts)),
        loss=_rise(before, mended_scores, scoring.counts(everything)),
        checks=checks,
    )


def _mean(scores: F64, counts: Bools) -> float:
    return float(scores[counts].mean())


def _effect(check: str, rise: Estimate, after: float | None, is_handled: bool = False) -> Effect:
    value, low, high = (number or 0.0 for number in (rise.value, rise.low, rise.high))
    return Effect(check=check, value=value, low=low, high=high, after=after, is_handled=is_handled)
