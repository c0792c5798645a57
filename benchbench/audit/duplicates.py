"""Equal texts: queries in the collection, documents under several ids, queries under several ids.

And what a retriever loses that cannot tell the copies of a document apart, where they are judged differently.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence

import numpy as np

from benchbench.audit.check import Judged, Measured, check
from benchbench.audit.finding import SHOWN, Finding, Pair, Shown, finding, many, some
from benchbench.audit.judgments import ndcg
from benchbench.audit.source import Audited
from benchbench.kernels.arrays import I64
from benchbench.tables.hashing import NO_HASH


@check("Queries as documents")
def queries_in_collection(judged: Judged) -> Iterator[Finding]:
    """Find queries whose text a document has, and those that are judged relevant for themselves."""
    queries, table, ids = judged.data.queries, judged.collection, judged.data.queries.ids
    copied = np.flatnonzero(table.of_text(queries.text) >= 0).tolist()
    if not copied:
        return
    documents = {q: table.with_text(int(queries.text[q])) for q in copied}
    own = sum(_are_positives(judged, q, places) for q, places in documents.items())
    itself = many(own, "query is judged relevant for itself", "queries are judged relevant for themselves")
    yield finding(
        "error" if own else "note",
        len(copied),
        f"the texts of {many(len(copied), 'query')} of {len(queries):,} are documents of the collection"
        + (f"; {itself}" if own else ""),
        queries=judged.ids(copied),
        documents=(name for places in documents.values() for name in table.named(places)),
        examples=[
            f"query {ids[q]} is document {some(table.named(documents[q]))}"
            for q in sorted(copied, key=lambda q: ids[q])[:SHOWN]
        ],
        pairs=[
            (Shown("query", ids[q]), Shown("document", table.named(documents[q])[0]))
            for q in sorted(copied, key=lambda q: ids[q])[:SHOWN]
        ],
        effect=f"{len(copied) / len(queries):.1%} of the queries find themselves first where self-retrieval is not "
        "removed",
        advice="leave these judgments out: a query that is its own answer measures nothing"
        if own
        else "nothing for benchbench run, which removes these hits; other tools may not",
    )


def _are_positives(judged: Judged, q: int, places: list[int]) -> bool:
    its = judged.data.queries.positives.of(q)
    relevant = judged.data.queries.positives.grade[its] > 0
    return bool(np.isin(judged.place[its][relevant], places).any())


@check("Copies")
def duplicate_documents(judged: Judged) -> Iterator[Finding]:
    """Find documents with the text of another one."""
    table = judged.collection
    groups = table.copies
    extra = sum(map(len, groups)) - len(groups)
    yield finding(
        "note",
        extra,
        f"{many(len(groups), 'text')} {'stands' if len(groups) == 1 else 'stand'} under several ids: "
        f"{many(extra, 'document is a copy of another', 'documents are copies of others')}",
        documents=(table.ids[place] for places in groups for place in places),
        examples=[some(names) for names in sorted(table.named(places) for places in groups)[:SHOWN]],
        pairs=couples(table.named(places) for places in groups),
        effect="copies take ranks that other documents would have",
        advice="keep one of each, or judge hits by text",
    )


@check("Copies not judged", "twin_loss_nDCG@{k}", "twin_loss_R@{k}")
def twins_judged_differently(judged: Judged) -> Iterator[Finding | Measured]:
    """Find relevant documents with a copy that is judged lower for one query."""
    table, ids = judged.collection, judged.data.queries.ids
    if judged.data.gold_by == "text":
        remark = "judgments are by text, so equal texts are judged alike" if judged.answerable else ""
        yield Measured([None, None], remark)
        return
    effect = CopyEffect(judged, table.copies)
    yield Measured(effect.losses)
    queries = {ids[q] for q, _, _ in effect.pairs}
    if queries:
        yield finding(
            "error",
            len(queries),
            f"{many(len(queries), 'query has', 'queries have')} a relevant document whose copy under another id is "
            "judged lower, or not at all",
            queries=queries,
            documents=(table.ids[place] for _, *places in effect.pairs for place in places),
            examples=list(effect.examples())[:SHOWN],
            pairs=effect.couples(),
            effect=effect.sentence(),
            advice="judge copies alike, or keep one of each",
        )


@check("Equal queries")
def equal_queries(judged: Judged) -> Iterator[Finding]:
    """Find queries with the text of another one, and say which of them are judged differently."""
    data, ids = judged.data, judged.data.queries.ids
    groups = groups_of_queries(data)
    if not groups:
        return
    extra = sum(map(len, groups)) - len(groups)
    differing = [group for group in groups if len({_judgments(data, q) for q in group}) > 1]
    named = sorted(judged.ids(group) for group in differing or groups)
    differ = f"; {many(len(differing), 'of them is', 'of them are')} judged differently" if differing else ""
    yield finding(
        "warning" if differing else "note",
        extra,
        f"{many(len(groups), 'query text')} {'stands' if len(groups) == 1 else 'stand'} under several ids{differ}",
        queries=(ids[q] for group in groups for q in group),
        examples=map(some, named[:SHOWN]),
        pairs=[(Shown("query", names[0]), Shown("query", names[1])) for names in named],
        effect="no retriever can be right for both of two equal queries with other judgments"
        if differing
        else "equal queries count several times in every mean, and make intervals too narrow",
        advice="keep one of each",
    )


def groups_of_queries(data: Audited) -> list[list[int]]:
    """Return the queries that share a text, each group in their order."""
    by_text: dict[int, list[int]] = defaultdict(list)
    for q, text in enumerate(data.queries.text.tolist()):
        if text != NO_HASH:
            by_text[text].append(q)
    return [group for group in by_text.values() if len(group) > 1]


def _judgments(data: Audited, q: int) -> frozenset[tuple[int, float]]:
    """Return what is judged for a query, whatever the order."""
    positives = data.queries.positives
    its = positives.of(q)
    names = positives.text if data.gold_by == "text" else positives.id
    names = np.where(names[its] == NO_HASH, positives.id[its], names[its])
    return frozenset(zip(names.tolist(), positives.grade[its].tolist(), strict=True))


def couples(groups: Iterable[list[str]]) -> list[Pair]:
    """Return the first two documents of each group."""
    return [(Shown("document", names[0]), Shown("document", names[1])) for names in sorted(groups)]


class CopyEffect:
    """What a retriever loses that cannot tell the documents of a group apart.

    Its ranking is ideal but for groups: those with a relevant document stand in the order of their best grades, and
    within each one the lowest grade comes first. A document that nobody judged has no gain.
    """

    def __init__(self, judged: Judged, groups: Sequence[Sequence[int]]) -> None:
        """Take the documents of each group."""
        self._judged, self._groups = judged, groups
        self._lost_ndcg: dict[int, float] = {}
        self._lost_recall: dict[int, float] = {}
        self.pairs: list[tuple[int, int, int]] = []  # query, a relevant document, one of its group with another grade
        group = np.full(len(judged.collection), -1, np.int64)
        for number, members in enumerate(groups):
            group[members] = number
        known = np.where(judged.place >= 0, group[judged.place], -1)
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
            members = [place for place in self._groups[group] if not self._is_query(q, place)]
            if not members:
                continue
            given = [grade.get(place, 0.0) for place in members]
            if min(given) < max(given):
                lower = next(place for place, gain in zip(members, given, strict=True) if gain < max(given))
                self.pairs.append((q, members[given.index(max(given))], lower))
            lists.append(sorted(given))
        if not any(given[0] < given[-1] for given in lists):
            return
        ordered = sorted([*alone, *lists], key=lambda given: (-given[-1], given))
        ranked = np.array([gain for given in ordered for gain in given])
        relevant = int(np.count_nonzero(gains))
        self._lost_ndcg[q] = 1.0 - ndcg(ranked, gains, k)
        self._lost_recall[q] = (min(k, relevant) - int(np.count_nonzero(ranked[:k]))) / relevant

    def _is_query(self, q: int, place: int) -> bool:
        """Say whether a document is a copy of the query, which is removed before it is ranked."""
        table = self._judged.collection
        return int(self._judged.data.queries.text[q]) in (int(table.text[place]), int(table.body[place]))

    @property
    def losses(self) -> list[float | None]:
        """The mean losses in nDCG and recall at the cut-off; None where no query has a relevant document."""
        known = self._judged.answerable
        return [self._judged.mean(lost) if known else None for lost in (self._lost_ndcg, self._lost_recall)]

    def sentence(self) -> str:
        """Return the effect in a sentence."""
        k, (ndcg_loss, recall_loss) = self._judged.cutoff, self.losses
        return (
            f"a perfect retriever that returns the lower-judged one first loses {ndcg_loss:.3f} in nDCG@{k} and "
            f"{recall_loss:.3f} in R@{k}, over {self._judged.answerable:,} queries"
        )

    def couples(self) -> Iterator[Pair]:
        """Yield relevant documents, each next to its copy, in the order of queries."""
        for q, higher, lower in self._in_order():
            query, names = self._judged.data.queries.ids[q], self._judged.collection.ids
            yield (
                Shown("document", names[higher], f"relevant for query {query}"),
                Shown("document", names[lower], "judged lower, or not at all"),
            )

    def _in_order(self) -> list[tuple[int, int, int]]:
        ids, documents = self._judged.data.queries.ids, self._judged.collection.ids
        return sorted(self.pairs, key=lambda pair: (ids[pair[0]], documents[pair[1]]))

    def examples(self) -> Iterator[str]:
        """Yield what is judged differently, in the order of queries."""
        ids, documents = self._judged.data.queries.ids, self._judged.collection.ids
        for q, higher, lower in self._in_order():
            yield f"query {ids[q]}: {documents[higher]} is judged higher than {documents[lower]}"
