"""Lengths of texts: those that are empty, those far from all others, and those that models cut."""

import heapq
import math
import re
from array import array
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from benchbench.audit.documents import DocumentTable
from benchbench.audit.finding import SHOWN, Check, Concerned, Finding, many, skipped
from benchbench.audit.judgments import Judged
from benchbench.audit.source import Audited
from benchbench.formats.collection import Document, mostly_empty
from benchbench.kernels.arrays import I64

WIDE = re.compile("[々〇぀-ヿㇰ-ㇿ㐀-䶿一-鿿가-힯豈-﫿\U00020000-\U0003ffff]+")
_PER_TOKEN = 4  # characters of a token, as they are in English; a character of Chinese, Japanese or Korean is a token
_FEWEST = 20  # texts; of fewer, none is far from the others
_FAR = 3.0  # interquartile ranges, of logarithms
_LEAST = math.log(2)  # of such a range
_QUANTILES = (0, 25, 50, 75, 100)


def tokens(text: str) -> int:
    """Return about how many tokens a text has."""
    wide = 0 if text.isascii() else sum(map(len, WIDE.findall(text)))
    return wide + math.ceil((len(text) - wide) / _PER_TOKEN)


@dataclass
class LongTexts:
    """Counts the documents with more tokens than a limit."""

    limit: int
    count: int = 0
    longest: list[tuple[int, str]] = field(default_factory=list)  # a heap of tokens and ids

    def add(self, document: Document, text: int) -> None:
        """Take a document."""
        whole = document.whole
        if len(whole) <= self.limit or (found := tokens(whole)) <= self.limit:
            return
        self.count += 1
        self.note(found, document.id)

    def note(self, found: int, identifier: str) -> None:
        """Keep the longest."""
        heapq.heappush(self.longest, (found, identifier))
        if len(self.longest) > SHOWN:
            heapq.heappop(self.longest)


def over_limit(data: Audited, table: DocumentTable | None, documents: LongTexts) -> Check:
    """Say how many texts are longer than models usually read."""
    name, limit = "texts_over_limit", documents.limit
    queries = LongTexts(limit)
    for identifier, text in zip(data.queries.ids, data.queries.texts, strict=True):
        if len(text) > limit and (found := tokens(text)) > limit:
            queries.count += 1
            queries.note(found, identifier)
    total = documents.count + queries.count
    if not total:
        return Check(name, 0)
    parts = [
        f"{many(one.count, noun, several)} of {count:,}"
        for one, noun, several, count in (
            (documents, "document", "", 0 if table is None else len(table)),
            (queries, "query", "queries", len(data.queries)),
        )
        if one.count
    ]
    shown = [
        f"{kind} {identifier}: about {found:,} tokens"
        for kind, one in (("document", documents), ("query", queries))
        for found, identifier in sorted(one.longest, key=lambda each: (-each[0], each[1]))
    ]
    finding = Finding(
        name,
        "note",
        f"{' and '.join(parts)} {'has' if total == 1 else 'have'} more than about {limit:,} tokens "
        f"({limit * _PER_TOKEN:,} characters, of Chinese, Japanese or Korean {limit:,})",
        total,
        examples=shown[:SHOWN],
        effect="a model with this limit does not read their ends",
        advice="cut long documents into passages, or say which limit the retriever has",
    )
    return Check(name, total, [finding])


def empty_texts(data: Audited, table: DocumentTable | None) -> Check:
    """Find documents and queries without a text."""
    name = "empty_texts"
    queries = [
        identifier for identifier, text in zip(data.queries.ids, data.queries.texts, strict=True) if not text.strip()
    ]
    places = [] if table is None else np.flatnonzero(table.lengths == 0).tolist()
    total = len(queries) + len(places)
    if not total:
        return Check(name, 0)
    documents = [] if table is None else table.named(places)
    parts = [many(len(documents), "document")] * bool(documents) + [many(len(queries), "query", "queries")] * bool(
        queries
    )
    finding = Finding(
        name,
        "error" if table is not None and mostly_empty(len(documents), len(table)) else "warning",
        f"{' and '.join(parts)} {'has' if total == 1 else 'have'} no text",
        total,
        Concerned.of(queries),
        Concerned.of(documents),
        [f"query {one}" for one in sorted(queries)[:SHOWN]] + [f"document {one}" for one in documents[:SHOWN]],
        "nothing finds a document without a text, and a query without one finds anything",
        "leave them out, or name the member that has the text",
    )
    return Check(name, total, [finding])


def extreme_lengths(judged: Judged) -> Check:
    """Find texts whose lengths are far from those of the others, and say which of the short ones are relevant."""
    name, data, table = "extreme_lengths", judged.data, judged.table
    if table is None and len(data.queries) < _FEWEST:
        return skipped(name, f"there is no collection, and there are fewer than {_FEWEST} queries")
    findings, total = [], 0
    queries = np.array(array("q", map(len, data.queries.texts)), np.int64)
    sides: list[tuple[str, str, Sequence[str], I64]] = [("query", "queries", data.queries.ids, queries)]
    if table is not None:
        sides.append(("document", "documents", table.ids, table.lengths))
    for one, several, ids, lengths in sides:
        far = _far(lengths)
        if not len(far):
            continue
        total += len(far)
        found = np.percentile(lengths[lengths > 0], _QUANTILES).astype(np.int64).tolist()
        cut = cut_short(judged, far[lengths[far] < found[2]]) if one == "document" else {}
        shown = sorted(
            far.tolist(), key=lambda row: (row not in cut, -abs(math.log(lengths[row] / found[2])), ids[row])
        )[:SHOWN]
        concerned = Concerned.of(ids[row] for row in far.tolist())
        empty = Concerned()
        findings.append(
            Finding(
                name,
                "note",
                f"{many(len(far), one, several)} of {len(lengths):,} {'is' if len(far) == 1 else 'are'} far shorter or "
                f"longer than the others: half have {found[1]:,} to {found[3]:,} characters, all {found[0]:,} to "
                f"{found[4]:,}{said_of_cut(cut, 'the short ones')}",
                len(far),
                concerned if one == "query" else empty,
                empty if one == "query" else concerned,
                [
                    f"{one} {ids[row]}: {many(int(lengths[row]), 'character')}{', judged relevant' * (row in cut)}"
                    for row in shown
                ],
                effect_of_cut(cut),
                "look at them: such texts are often headings, tables, several documents in one, or cut short",
            )
        )
    return Check(name, total, findings)


def cut_short(judged: Judged, short: I64) -> dict[int, set[int]]:
    """Return those of some documents that are judged relevant, each with the queries that they are relevant for."""
    found: dict[int, set[int]] = defaultdict(set)
    rows = np.flatnonzero((judged.data.queries.positives.grade > 0) & np.isin(judged.place, short))
    for place, q in zip(judged.place[rows].tolist(), judged.query[rows].tolist(), strict=True):
        found[place].add(q)
    return dict(found)


def said_of_cut(cut: dict[int, set[int]], of: str) -> str:
    """Return how many are judged relevant, as the end of a sentence."""
    return f"; {len(cut):,} of {of} {'is' if len(cut) == 1 else 'are'} judged relevant" if cut else ""


def effect_of_cut(cut: dict[int, set[int]]) -> str:
    """Return for how many queries a relevant document may have lost its words."""
    if not cut:
        return ""
    queries = many(len(set().union(*cut.values())), "query", "queries")
    return f"for {queries} a relevant document may have lost the words that it would be found by"


def _far(lengths: I64) -> I64:
    """Return the rows whose lengths are, as logarithms, three interquartile ranges beyond the quartiles."""
    there = np.flatnonzero(lengths > 0)
    if len(there) < _FEWEST:
        return there[:0]
    logs = np.log(lengths[there])
    low, high = np.percentile(logs, (25, 75))
    reach = _FAR * max(high - low, _LEAST)
    far: I64 = there[(logs < low - reach) | (logs > high + reach)]
    return far
