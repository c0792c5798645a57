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
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchbench.audit.finding import SHOWN, Check, Concerned, Finding, many, skipped, some
from benchbench.audit.judgments import Judged, TwinEffect
from benchbench.audit.texts import WIDE
from benchbench.formats.collection import Document
from benchbench.kernels.arrays import I64
from benchbench.tables.hashing import NO_HASH

U32 = NDArray[np.uint32]

DOCUMENTS, QUERIES = "near_duplicates", "near_duplicate_queries"

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

    def __init__(self, hashes: Sequence[int], texts: Sequence[str], sample: int) -> None:
        """Sign the queries, given as hashes and texts; ImportError where the library is missing."""
        from datasketch import MinHash

        self._signing = MinHash(_PERMUTATIONS, hashfunc=int)
        self._rows: dict[int, U32] = {}  # by the hash of the text
        self._sample = sample
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
        found: U32 = self._signing.hashvalues.astype(np.uint32)
        return found

    def pairs(self, threshold: float) -> list[tuple[int, int]]:
        """Return pairs of texts that are alike, by their hashes, the smaller one first."""
        from datasketch import MinHashLSH

        hashes = sorted(self._rows)
        if len(hashes) < 2:
            return []
        table = np.stack([self._rows[one] for one in hashes])
        bands = MinHashLSH(threshold, _PERMUTATIONS, _WEIGHTS)
        width, found = bands.r, np.empty(0, np.int64)
        for band in range(bands.b):
            found = np.union1d(found, _candidates(table[:, band * width : (band + 1) * width]))
        alike: list[tuple[int, int]] = []
        for first in range(0, len(found), _ROWS):
            one, other = np.divmod(found[first : first + _ROWS], len(hashes))
            close = (table[one] == table[other]).mean(axis=1) >= threshold
            alike += zip(one[close].tolist(), other[close].tolist(), strict=True)
        return [(hashes[one], hashes[other]) for one, other in alike]


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


def signatures(hashes: Sequence[int], texts: Sequence[str], sample: int) -> Signatures | None:
    """Return a place for signatures; None where the library is missing."""
    try:
        return Signatures(hashes, texts, sample)
    except ImportError:
        return None


def near_duplicates(judged: Judged, signed: Signatures | None, threshold: float) -> tuple[Check, Check]:
    """Find documents, and queries, that are nearly another text."""
    numbers = (f"near_loss_nDCG@{judged.cutoff}", f"near_loss_R@{judged.cutoff}")
    if signed is None:
        return skipped(DOCUMENTS, _TAKES, **dict.fromkeys(numbers)), skipped(QUERIES, _TAKES)
    pairs = signed.pairs(threshold)
    sampled = [
        f"{len(its):,} of {total:,} {what}"
        for its, total, what, some_only in (
            (signed.documents, len(judged.table or ()), "documents", signed.is_sample),
            (signed.queries, signed.all_queries, "queries", signed.are_some_queries),
        )
        if some_only
    ]
    remark = f"{' and '.join(sampled)} were compared (--sample)" if sampled else ""
    own = [(one, other) for one, other in pairs if {one, other} <= signed.documents]
    first = (
        _documents(judged, own, threshold, remark)
        if judged.table is not None
        else skipped(DOCUMENTS, "there is no collection", **dict.fromkeys(numbers))
    )
    return first, _queries(judged, signed, pairs, threshold, remark)


def _documents(judged: Judged, pairs: Sequence[tuple[int, int]], threshold: float, remark: str) -> Check:
    table = judged.table
    assert table is not None
    group = np.full(len(table), -1, np.int64)
    lists = [[place for text in texts for place in table.by_text.every(text)] for texts in _components(pairs)]
    for number, places in enumerate(lists):
        group[places] = number
    effect = TwinEffect(judged, group, lambda number: lists[number])
    effects = effect.effects("near_loss")
    total = sum(map(len, lists))
    if not total:
        return Check(DOCUMENTS, 0, remark=remark, effects=effects)
    concerned = sorted({judged.data.queries.ids[q] for q, _, _ in effect.pairs})
    differ = (
        f"; for {many(len(concerned), 'query', 'queries')} one of such documents is judged lower than the other"
        if concerned
        else ""
    )
    shown = sorted(table.named(places) for places in lists)
    finding = Finding(
        DOCUMENTS,
        "warning" if concerned else "note",
        f"{many(total, 'document')} in {many(len(lists), 'group')} {'is' if total == 1 else 'are'} nearly another "
        f"document (Jaccard index {threshold:g} or more){differ}",
        total,
        Concerned.of(concerned),
        Concerned.of(table.ids[place] for places in lists for place in places),
        [*list(effect.examples())[:2], *(some(one) for one in shown)][:SHOWN],
        effect.said() if concerned else "near-duplicates take ranks that other documents would have",
        "judge them alike, or keep one of each",
    )
    return Check(DOCUMENTS, total, [finding], remark=remark, effects=effects)


def _queries(
    judged: Judged, signed: Signatures, pairs: Sequence[tuple[int, int]], threshold: float, remark: str
) -> Check:
    queries = judged.data.queries
    of_text: dict[int, list[int]] = defaultdict(list)
    for q, text in enumerate(queries.text.tolist()):
        of_text[text].append(q)
    like: dict[int, set[int]] = defaultdict(set)  # texts that a query's is like
    for one, other in pairs:
        for text, its in ((one, other), (other, one)):
            if text in signed.queries:
                like[text].add(its)
    near_queries = {text for text, its in like.items() if its & signed.queries}
    near_documents = {text for text, its in like.items() if its & signed.documents}
    if not like:
        return Check(QUERIES, 0, remark=remark)
    parts, examples = [], []
    for texts, what, side in (
        (near_queries, "another query", signed.queries),
        (near_documents, "a document", signed.documents),
    ):
        count = sum(len(of_text[text]) for text in texts)
        parts += [f"{many(count, 'query is', 'queries are')} nearly {what}"] if count else []
        lines = []
        for text in texts:
            names = _names(judged, sorted(like[text] & side), of_text, side is signed.queries)
            lines += [f"query {queries.ids[q]} is nearly {what.split()[-1]} {some(names, 3)}" for q in of_text[text]]
        examples += sorted(lines)[:SHOWN]
    concerned = [queries.ids[q] for text in near_queries | near_documents for q in of_text[text]]
    finding = Finding(
        QUERIES,
        "warning" if near_documents else "note",
        " and ".join(parts) + f" (Jaccard index {threshold:g} or more)",
        len(concerned),
        Concerned.of(concerned),
        Concerned.of(
            name
            for text in near_documents
            for name in _names(judged, sorted(like[text] & signed.documents), of_text, False)
        ),
        examples[:SHOWN],
        "self-retrieval that is removed by equal texts leaves such documents in the ranking"
        if near_documents
        else "queries that are nearly equal count several times, and make intervals too narrow",
        "remove these documents or judge them" if near_documents else "keep one of each",
    )
    return Check(QUERIES, len(concerned), [finding], remark=remark)


def _names(judged: Judged, texts: Sequence[int], of_text: dict[int, list[int]], are_queries: bool) -> list[str]:
    if are_queries:
        return sorted(judged.data.queries.ids[q] for text in texts for q in of_text[text])
    table: Any = judged.table
    return sorted(name for text in texts for name in table.named(table.by_text.every(text)))


def _components(pairs: Sequence[tuple[int, int]]) -> list[list[int]]:
    """Return the groups of texts that pairs connect."""
    parent: dict[int, int] = {}

    def root(text: int) -> int:
        while (above := parent.setdefault(text, text)) != text:
            parent[text] = parent[above]
            text = above
        return text

    for one, other in pairs:
        low, high = sorted((root(one), root(other)))
        parent[high] = low
    groups: dict[int, list[int]] = defaultdict(list)
    for text in sorted(parent):
        groups[root(text)].append(text)
    return list(groups.values())
