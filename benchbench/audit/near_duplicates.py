"""Near-duplicates among documents and queries: MinHash signatures of shingles, compared where a band of them is equal.

Conventions
-----------
A text is the set of its runs of three words, in small letters; where most of it is Chinese, Japanese or Korean, of its
runs of five characters. Two texts are alike when the Jaccard index of their sets, as 128 permutations estimate it
(Broder 1997), is at least a threshold. Equal texts count once: other checks are about them.

Work and memory grow with the number of texts: within texts that share a band, each is compared with the first and with
the one before it.
"""

import heapq
import re
import zlib
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchbench.audit.audit_settings import AuditSettings
from benchbench.audit.check import Judged, Measured, NotDoneError, check
from benchbench.audit.duplicates import CopyEffect, couples
from benchbench.audit.finding import SHOWN, Finding, finding, many, some
from benchbench.audit.texts import WIDE
from benchbench.formats.collection import Document
from benchbench.kernels.arrays import I64
from benchbench.tables.hashing import NO_HASH

U32 = NDArray[np.uint32]

_PERMUTATIONS = 128
_WORDS, _CHARACTERS = 3, 5  # of a shingle
_AT_ONCE = 4_096  # shingles of a text that are permuted at once
_ROWS = 1 << 16  # pairs whose signatures are compared at once
_WEIGHTS = (0.1, 0.9)  # of wrong candidates, which are compared, against missed ones, when bands are chosen
_FACTOR = np.uint32(0x9E3779B1)  # odd, so that no run loses a bit of its first word
_WORD = re.compile(r"\w+")
_TAKES = "it takes the package datasketch: pip install '.[audit]' in the checkout of benchbench"


def shingles(text: str) -> U32:
    """Return hashes of the runs of words or characters of a text, each once; a shorter text is one run."""
    words = _WORD.findall(text.lower())
    joined = "".join(words)
    wide = 0 if joined.isascii() else sum(map(len, WIDE.findall(joined)))
    if 2 * wide > len(joined):
        codes, width = np.frombuffer(joined.encode("utf-32-le"), np.uint32), _CHARACTERS
    else:
        codes, width = np.array(list(map(zlib.crc32, map(str.encode, words))), np.uint32), _WORDS
    number = max(len(codes) - width + 1, min(1, len(codes)))
    runs = codes[:number].copy()
    for place in range(1, min(width, len(codes))):
        runs = runs * _FACTOR + codes[place : place + number]
    return np.unique(runs)


class Signatures:
    """Signatures of so many queries, and so many documents: those whose texts have the smallest hashes."""

    def __init__(self, hashes: Sequence[int], texts: Sequence[str], sample: int, near: float = 0.8) -> None:
        """Sign the queries, given as hashes and texts; ImportError where the library is missing."""
        from datasketch import MinHash

        self._signing = MinHash(_PERMUTATIONS, hashfunc=int)
        self._rows: dict[int, U32] = {}  # by the hash of the text
        self._sample, self.near = sample, near
        self._largest: list[int] = []  # a heap of the hashes of sampled documents, negated
        self.documents: set[int] = set()
        self.queries: set[int] = set()
        self.is_sample = False
        known = {digest: q for q, digest in enumerate(hashes) if digest != NO_HASH}
        self.all_queries = len(known)
        self.are_some_queries = 0 < sample < len(known)
        for digest in heapq.nsmallest(sample, known) if self.are_some_queries else known:
            if (signed := self._signed(texts[known[digest]])) is not None:
                self._rows[digest] = signed
                self.queries.add(digest)

    def add(self, document: Document, text: int) -> None:
        """Take a document."""
        if text == NO_HASH or text in self.documents:
            return
        full = self._sample and len(self._largest) == self._sample
        if full:
            self.is_sample = True
            if text > -self._largest[0]:
                return
        if text not in self._rows:
            signed = self._signed(document.whole)
            if signed is None:
                return
            self._rows[text] = signed
        self.documents.add(text)
        if full:
            left = -heapq.heapreplace(self._largest, -text)
            self.documents.discard(left)
            if left not in self.queries:
                del self._rows[left]
        else:
            heapq.heappush(self._largest, -text)

    def _signed(self, text: str) -> U32 | None:
        """Return the signature of a text; None where it has no word."""
        runs = shingles(text)
        if not len(runs):
            return None
        self._signing.clear()  # one for all texts: a copy would check its permutations again
        for first in range(0, len(runs), _AT_ONCE):
            self._signing.update_batch(runs[first : first + _AT_ONCE].tolist())
        signature: U32 = self._signing.hashvalues.astype(np.uint32)
        return signature

    def remark(self, documents: int) -> str:
        """Return how many of all documents and queries were compared; empty where all were."""
        sampled = [f"{len(self.documents):,} of {documents:,} documents"] * self.is_sample
        sampled += [f"{len(self.queries):,} of {self.all_queries:,} queries"] * self.are_some_queries
        return f"{' and '.join(sampled)} were compared (--sample)" if sampled else ""

    @cached_property
    def pairs(self) -> list[tuple[int, int]]:
        """Pairs of texts that are alike, by their hashes, the smaller one first."""
        from datasketch import MinHashLSH

        hashes = sorted(self._rows)
        if len(hashes) < 2:
            return []
        table = np.stack([self._rows[text] for text in hashes])
        bands = MinHashLSH(self.near, _PERMUTATIONS, _WEIGHTS)
        width, candidates = bands.r, np.empty(0, np.int64)
        for band in range(bands.b):
            candidates = np.union1d(candidates, _candidates(table[:, band * width : (band + 1) * width]))
        alike: list[tuple[int, int]] = []
        for start in range(0, len(candidates), _ROWS):
            first, second = np.divmod(candidates[start : start + _ROWS], len(hashes))
            close = (table[first] == table[second]).mean(axis=1) >= self.near
            alike += zip(first[close].tolist(), second[close].tolist(), strict=True)
        return [(hashes[first], hashes[second]) for first, second in alike]


def _candidates(columns: U32) -> I64:
    """Return the pairs of rows to compare, each as one number: equal rows with the first of them and the one before."""
    rows = len(columns)
    packed = np.ascontiguousarray(columns).view(np.dtype((np.void, columns.shape[1] * 4))).ravel()
    order = np.argsort(packed, kind="stable")
    ordered = packed[order]
    new = np.ones(rows, np.bool_)
    new[1:] = ordered[1:] != ordered[:-1]
    first = order[np.flatnonzero(new)[np.cumsum(new) - 1]]
    later = np.flatnonzero(~new)
    with_first = first[later] * rows + order[later]
    before = order[later - 1] * rows + order[later]
    return np.union1d(with_first, before).astype(np.int64)


def signatures(hashes: Sequence[int], texts: Sequence[str], settings: AuditSettings) -> list[Signatures]:
    """Return a place for signatures; none where the library is missing."""
    try:
        return [Signatures(hashes, texts, settings.sample, settings.near)]
    except ImportError:
        return []


def _signed(judged: Judged) -> Signatures:
    if Signatures not in judged.kept:
        raise NotDoneError(_TAKES)
    signed: Signatures = judged.kept[Signatures]
    return signed


@check("Near-copies", "near_loss_nDCG@{k}", "near_loss_R@{k}")
def near_duplicates(judged: Judged) -> Iterator[Finding | Measured]:
    """Find documents that are nearly another one."""
    signed, table = _signed(judged), judged.collection
    groups = near_groups(judged)
    effect = CopyEffect(judged, groups)
    yield Measured(effect.losses, signed.remark(len(table)))
    total = sum(map(len, groups))
    if not total:
        return
    queries = judged.ids([q for q, _, _ in effect.pairs])
    differ = f"; for {many(len(queries), 'query')} one of such documents is judged lower than the other"
    shown = sorted(table.named(places) for places in groups)
    yield finding(
        "warning" if queries else "note",
        total,
        f"{many(total, 'document')} in {many(len(groups), 'group')} {'is' if total == 1 else 'are'} nearly another "
        f"document (Jaccard index {signed.near:g} or more){differ if queries else ''}",
        queries=queries,
        documents=(table.ids[place] for places in groups for place in places),
        examples=[*list(effect.examples())[:2], *map(some, shown)][:SHOWN],
        pairs=[*list(effect.couples())[:2], *couples(shown)],
        effect=effect.sentence() if queries else "near-duplicates take ranks that other documents would have",
        advice="judge them alike, or keep one of each",
    )


@check("Near-equal queries")
def near_duplicate_queries(judged: Judged) -> Iterator[Finding | Measured]:
    """Find queries that are nearly another text."""
    signed, queries = _signed(judged), judged.data.queries
    yield Measured(remark=signed.remark(len(judged.table or ())))
    with_text: dict[int, list[int]] = defaultdict(list)
    for q, text in enumerate(queries.text.tolist()):
        with_text[text].append(q)
    like: dict[int, set[int]] = defaultdict(set)  # texts that a query's is like
    for pair in signed.pairs:
        for text, other in (pair, pair[::-1]):
            if text in signed.queries:
                like[text].add(other)
    if not like:
        return

    def of_queries(texts: Iterable[int]) -> list[str]:
        return [queries.ids[q] for text in texts for q in with_text[text]]

    def of_documents(texts: Iterable[int]) -> list[str]:
        table: Any = judged.table
        return [name for text in texts for name in table.named(table.by_text.every(text))]

    parts, examples = [], []
    for what, side, named in (
        ("another query", signed.queries, of_queries),
        ("a document", signed.documents, of_documents),
    ):
        near = [text for text, others in like.items() if others & side]
        parts += [f"{many(count, 'query is', 'queries are')} nearly {what}"] if (count := len(of_queries(near))) else []
        examples += sorted(
            f"query {query} is nearly {what.split()[-1]} {some(named(like[text] & side), 3)}"
            for text in near
            for query in of_queries([text])
        )[:SHOWN]
    concerned = of_queries(like)
    documents = of_documents(set[int]().union(*like.values()) & signed.documents)
    yield finding(
        "warning" if documents else "note",
        len(concerned),
        f"{' and '.join(parts)} (Jaccard index {signed.near:g} or more)",
        queries=concerned,
        documents=documents,
        examples=examples[:SHOWN],
        effect="self-retrieval that is removed by equal texts leaves such documents in the ranking"
        if documents
        else "queries that are nearly equal count several times, and make intervals too narrow",
        advice="remove these documents or judge them" if documents else "keep one of each",
    )


def near_groups(judged: Judged) -> list[list[int]]:
    """Return the groups of documents that are nearly one another."""
    signed, table = _signed(judged), judged.collection
    own = [pair for pair in signed.pairs if signed.documents.issuperset(pair)]
    return [[place for text in texts for place in table.by_text.every(text)] for texts in _components(own)]


def _components(pairs: Sequence[tuple[int, int]]) -> list[list[int]]:
    """Return the groups of texts that pairs connect."""
    parent: dict[int, int] = {}

    def root(text: int) -> int:
        while (above := parent.setdefault(text, text)) != text:
            parent[text] = parent[above]
            text = above
        return text

    for first, second in pairs:
        low, high = sorted((root(first), root(second)))
        parent[high] = low
    groups: dict[int, list[int]] = defaultdict(list)
    for text in sorted(parent):
        groups[root(text)].append(text)
    return list(groups.values())
