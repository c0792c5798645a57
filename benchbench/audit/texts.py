"""Lengths of texts: those that are empty, those far from all others, and those that models cut."""

import heapq
import math
import re
from array import array
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np

from benchbench.audit.check import check
from benchbench.audit.finding import SHOWN, Finding, finding, many
from benchbench.audit.judged import Judged, NotDoneError
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
    """Counts the texts with more tokens than a limit."""

    limit: int
    count: int = 0
    longest: list[tuple[int, str]] = field(default_factory=list)  # a heap of tokens and ids

    def add(self, document: Document, text: int) -> None:
        """Take a document."""
        self.take(document.id, document.whole)

    def take(self, identifier: str, text: str) -> None:
        """Count a text, and keep the longest."""
        if len(text) <= self.limit or (length := tokens(text)) <= self.limit:
            return
        self.count += 1
        heapq.heappush(self.longest, (length, identifier))
        if len(self.longest) > SHOWN:
            heapq.heappop(self.longest)


@check()
def texts_over_limit(judged: Judged) -> Iterator[Finding]:
    """Say how many texts are longer than models usually read."""
    documents: LongTexts = judged.kept[LongTexts]
    limit, queries = documents.limit, LongTexts(documents.limit)
    for identifier, text in zip(judged.data.queries.ids, judged.data.queries.texts, strict=True):
        queries.take(identifier, text)
    parts, shown = [], []
    for long, noun, nouns, all_texts in (
        (documents, "document", "documents", len(judged.table or ())),
        (queries, "query", "queries", len(judged.data.queries)),
    ):
        parts += [f"{many(long.count, noun, nouns)} of {all_texts:,}"] * bool(long.count)
        longest = sorted(long.longest, key=lambda entry: (-entry[0], entry[1]))
        shown += [f"{noun} {identifier}: about {length:,} tokens" for length, identifier in longest]
    total = documents.count + queries.count
    yield finding(
        "note",
        total,
        f"{' and '.join(parts)} {'has' if total == 1 else 'have'} more than about {limit:,} tokens "
        f"({limit * _PER_TOKEN:,} characters, of Chinese, Japanese or Korean {limit:,})",
        examples=shown[:SHOWN],
        effect="a model with this limit does not read their ends",
        advice="cut long documents into passages, or say which limit the retriever has",
    )


@check()
def empty_texts(judged: Judged) -> Iterator[Finding]:
    """Find documents and queries without a text."""
    table, texts = judged.table, judged.data.queries.texts
    queries = judged.ids([q for q, text in enumerate(texts) if not text.strip()])
    documents = [] if table is None else table.named(np.flatnonzero(table.lengths == 0).tolist())
    total = len(queries) + len(documents)
    parts = [many(len(documents), "document")] * bool(documents)
    parts += [many(len(queries), "query", "queries")] * bool(queries)
    yield finding(
        "error" if table is not None and mostly_empty(len(documents), len(table)) else "warning",
        total,
        f"{' and '.join(parts)} {'has' if total == 1 else 'have'} no text",
        queries=queries,
        documents=documents,
        examples=[f"query {query}" for query in queries[:SHOWN]]
        + [f"document {document}" for document in documents[:SHOWN]],
        effect="nothing finds a document without a text, and a query without one finds anything",
        advice="leave them out, or name the member that has the text",
    )


@check()
def extreme_lengths(judged: Judged) -> Iterator[Finding]:
    """Find texts whose lengths are far from those of the others, and say which of the short ones are relevant."""
    data, table = judged.data, judged.table
    if table is None and len(data.queries) < _FEWEST:
        raise NotDoneError(f"there is no collection, and there are fewer than {_FEWEST} queries")
    queries = np.array(array("q", map(len, data.queries.texts)), np.int64)
    sides: list[tuple[str, str, Sequence[str], I64]] = [("query", "queries", data.queries.ids, queries)]
    if table is not None:
        sides.append(("document", "documents", table.ids, table.lengths))
    for noun, nouns, ids, lengths in sides:
        far = _far(lengths)
        if not len(far):
            continue
        least, low, middle, high, most = np.percentile(lengths[lengths > 0], _QUANTILES).astype(np.int64).tolist()
        cut = cut_short(judged, far[lengths[far] < middle]) if noun == "document" else {}
        names = [ids[row] for row in far.tolist()]
        shown = sorted(far.tolist(), key=lambda row: (row not in cut, -abs(math.log(lengths[row] / middle)), ids[row]))
        yield finding(
            "note",
            len(far),
            f"{many(len(far), noun, nouns)} of {len(lengths):,} {'is' if len(far) == 1 else 'are'} far shorter or "
            f"longer than the others: half have {low:,} to {high:,} characters, all {least:,} to {most:,}"
            f"{relevant_of_cut(cut, 'the short ones')}",
            queries=names if noun == "query" else (),
            documents=names if noun == "document" else (),
            examples=[
                f"{noun} {ids[row]}: {many(int(lengths[row]), 'character')}{', judged relevant' * (row in cut)}"
                for row in shown[:SHOWN]
            ],
            effect=effect_of_cut(cut),
            advice="look at them: such texts are often headings, tables, several documents in one, or cut short",
        )


def cut_short(judged: Judged, short: I64) -> dict[int, set[int]]:
    """Return those of some documents that are judged relevant, each with the queries that they are relevant for."""
    queries: dict[int, set[int]] = defaultdict(set)
    rows = np.flatnonzero((judged.data.queries.positives.grade > 0) & np.isin(judged.place, short))
    for place, q in zip(judged.place[rows].tolist(), judged.query[rows].tolist(), strict=True):
        queries[place].add(q)
    return dict(queries)


def relevant_of_cut(cut: dict[int, set[int]], which: str) -> str:
    """Return how many are judged relevant, as the end of a sentence."""
    return f"; {len(cut):,} of {which} {'is' if len(cut) == 1 else 'are'} judged relevant" if cut else ""


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
