"""Texts of relevant documents beside their queries: a query copied from one, and judgments of two queries swapped.

Conventions
-----------
Words are runs of letters and digits, and pairs of neighbours where a text is Chinese, Japanese or Korean. A document
covers so much of a query as the words that both have weigh of all its words; a word weighs log(1 + queries / queries
that have it), and one that many queries have says nothing and is left out.
"""

import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from statistics import median
from typing import NamedTuple

import numpy as np

from benchbench.audit.check import Judged, check
from benchbench.audit.finding import SHOWN, Finding, Shown, excerpt, finding, many
from benchbench.audit.source import Audited
from benchbench.audit.texts import WIDE
from benchbench.formats.collection import Document
from benchbench.kernels.arrays import F64, I64
from benchbench.tables.hashing import NO_HASH, id_hash, text_hash

_WORD = re.compile(r"\w+")
_FEWEST_WORDS = 5  # of a query that is copied: shorter ones, such as names, stand in what they are about
_RARE = 0.01  # of the queries may be copied: one of 300 of SciFact is a sentence of its abstract
_COMMON, _MOST_QUERIES = 0.1, 50  # share and number of queries that may have a word which says something
_OTHER, _SHARED = 0.15, 2  # of a query, and words of it, that the other's documents cover at least
_GAIN, _GAINS = 0.05, 0.5  # how much more than its own they cover: of each query, and of both together
# No two of 2,026 queries of SciFact, CACM, contracts and three sets of criminal cases gain as much: 0.40 at most. Of
# 200 swapped pairs of SciFact 154 are found, of CACM, whose queries have many relevant documents, 37.


def words(text: str) -> list[str]:
    """Return the words of a text in their order."""
    parts: list[str] = []
    for word in _WORD.findall(text.casefold()):
        if word.isascii() or not WIDE.search(word) or len(word) == 1:
            parts.append(word)
        else:
            parts += [word[place : place + 2] for place in range(len(word) - 1)]
    return parts


class _Cover(NamedTuple):
    """How much of a query a document covers, and how many words both have."""

    share: float
    words: int


class GoldTexts:
    """Sees each document, and keeps of those that are relevant for a query what they share with all queries."""

    def __init__(self, data: Audited) -> None:
        """Index the words of the queries."""
        self.copies: dict[int, str] = {}  # query -> a relevant document that holds it
        self.covers: dict[str, dict[int, _Cover]] = {}  # relevant document -> queries that it covers
        self._by_text = data.gold_by == "text"
        self._queries = _relevant(data)
        if not self._queries:
            return
        self._texts = [" ".join(words(text)) for text in data.queries.texts]
        self._own = set(data.queries.text.tolist())
        bags = [set(text.split()) for text in self._texts]
        having = Counter(word for bag in bags for word in bag)
        most = max(1, min(_MOST_QUERIES, math.floor(_COMMON * len(bags))))
        self._weight = {word: math.log1p(len(bags) / count) for word, count in having.items() if count <= most}
        places: dict[str, list[int]] = defaultdict(list)
        whole = np.zeros(len(bags))
        for q, bag in enumerate(bags):
            for word in bag & self._weight.keys():
                places[word].append(q)
                whole[q] += self._weight[word]
        self._places: dict[str, I64] = {word: np.array(rows, np.int64) for word, rows in places.items()}
        self._whole: F64 = np.maximum(whole, np.finfo(np.float64).tiny)

    def add(self, document: Document, text: int) -> None:
        """Take a document."""
        if not self._queries:
            return
        queries = self._queries.get(id_hash(document.id), [])
        if self._by_text:
            body = text_hash(document.text) if document.title and document.text.strip() else text
            queries = [*queries, *self._queries.get(text, []), *self._queries.get(body, [])]
        if queries and text not in self._own:
            self._look(document, sorted(set(queries)))

    def _look(self, document: Document, queries: list[int]) -> None:
        its_words = words(document.whole)
        whole = f" {' '.join(its_words)} "
        for q in queries:
            text = self._texts[q]
            if text.count(" ") >= _FEWEST_WORDS - 1 and f" {text} " in whole:
                self.copies.setdefault(q, document.id)
        known = [word for word in dict.fromkeys(its_words) if word in self._places]
        covers: dict[int, _Cover] = {}
        if known:
            lists = [self._places[word] for word in known]
            weights = np.repeat([self._weight[word] for word in known], [len(rows) for rows in lists])
            which, at = np.unique(np.concatenate(lists), return_inverse=True)
            shares = np.bincount(at, weights) / self._whole[which]
            pairs = zip(which.tolist(), shares.tolist(), np.bincount(at).tolist(), strict=True)
            covers = {q: _Cover(share, count) for q, share, count in pairs}
        kept = {q: its for q, its in covers.items() if q in queries or (its.share >= _OTHER and its.words >= _SHARED)}
        self.covers[document.id] = dict.fromkeys(queries, _Cover(0.0, 0)) | kept


def _relevant(data: Audited) -> dict[int, list[int]]:
    """Return the queries that each hash of an id, or of a text where texts decide, is relevant for."""
    positives, queries = data.queries.positives, defaultdict[int, list[int]](list)
    for q in range(len(data.queries)):
        its = positives.of(q)
        for identifier, text, grade in zip(
            positives.id[its].tolist(), positives.text[its].tolist(), positives.grade[its].tolist(), strict=True
        ):
            if grade > 0:
                queries[text if data.gold_by == "text" and text != NO_HASH else identifier].append(q)
    return dict(queries)


@check("Copied queries")
def queries_in_positives(judged: Judged) -> Iterator[Finding]:
    """Find queries whose words stand in a row in a document that is relevant for them."""
    ids, copies = judged.data.queries.ids, judged.seen_by(GoldTexts).copies
    if len(copies) > _RARE * judged.answerable:
        yield finding(
            "warning",
            len(copies),
            f"{many(len(copies), 'query stands', 'queries stand')} word for word in a document judged relevant, of "
            f"{judged.answerable:,} with such a document",
            queries=judged.ids(list(copies)),
            documents=copies.values(),
            examples=[
                f"query {ids[q]} in {copies[q]}: {excerpt(judged.data.queries.texts[q])}"
                for q in sorted(copies, key=lambda q: ids[q])[:SHOWN]
            ],
            pairs=[
                (Shown("query", ids[q]), Shown("document", copies[q]))
                for q in sorted(copies, key=lambda q: ids[q])[:SHOWN]
            ],
            effect=f"for {len(copies) / judged.answerable:.1%} of the queries any search by words finds the answer, as "
            "it would not for a person's question",
            advice="write these queries anew, or report them apart",
        )


@check("Swapped judgments")
def swapped_judgments(judged: Judged) -> Iterator[Finding]:
    """Find pairs of queries that the other's relevant documents cover far better than their own."""
    ids, pairs, relevant = judged.data.queries.ids, swapped_pairs(judged), _documents_by_query(judged)
    if not pairs:
        return
    queries = judged.ids([q for pair in pairs for q in pair])
    yield finding(
        "error",
        len(pairs),
        f"the judgments of {many(len(pairs), 'pair of queries', 'pairs of queries')} seem to be swapped: each query "
        "shares more words with the other's relevant documents than with its own",
        queries=queries,
        documents=(document for pair in pairs for q in pair for document in relevant[q]),
        examples=[f"queries {first} and {second}" for first, second in sorted(map(judged.ids, pairs))[:SHOWN]],
        pairs=[
            (Shown("query", ids[q]), Shown("document", relevant[other][0], f"judged for query {ids[other]}"))
            for pair in pairs
            for q, other in (pair, pair[::-1])
        ],
        effect=f"a good retriever scores about 0 for {len(queries) / judged.answerable:.1%} of the queries",
        advice="swap the judgments back",
    )


def swapped_pairs(judged: Judged) -> list[tuple[int, int]]:
    """Return the pairs of queries whose judgments seem to be swapped, the clearest first."""
    covers, relevant = judged.seen_by(GoldTexts).covers, _documents_by_query(judged)
    own = {q: max(covers[document][q].share for document in documents) for q, documents in relevant.items()}
    others: dict[int, dict[int, float]] = defaultdict(dict)  # query -> other query -> how much of that it covers
    for q, documents in relevant.items():
        for document in documents:
            for other, cover in covers[document].items():
                if other in own and document not in relevant[other]:
                    others[q][other] = max(cover.share, others[q].get(other, 0.0))

    usual = median(own.values()) if own else 0.0
    low = {q for q, share in own.items() if share < usual}  # where most share no word with their own, that says nothing
    gains = {
        (q, other): (others[q][other] - own[other], others[other][q] - own[q])
        for q in low
        for other in others[q]
        if q < other and other in low and q in others[other]
    }
    swapped = [pair for pair, both in gains.items() if min(both) >= _GAIN and sum(both) >= _GAINS]
    pairs: list[tuple[int, int]] = []
    for pair in sorted(swapped, key=lambda pair: (-sum(gains[pair]), pair)):
        if low.issuperset(pair):  # a query is swapped with one other
            pairs.append(pair)
            low.difference_update(pair)
    return pairs


def _documents_by_query(judged: Judged) -> dict[int, list[str]]:
    """Return the relevant documents of each query that were seen."""
    table, covers = judged.collection, judged.seen_by(GoldTexts).covers
    documents: dict[int, list[str]] = defaultdict(list)
    rows = np.flatnonzero((judged.place >= 0) & (judged.data.queries.positives.grade > 0))
    for q, place in zip(judged.query[rows].tolist(), judged.place[rows].tolist(), strict=True):
        if q in covers.get(table.ids[place], ()):
            documents[q].append(table.ids[place])
    return documents
