"""Lengths of texts: those that are empty, those far from all others, those that models cut, and those that were cut.

Many of the last end within a sentence at one length, and hardly any is longer.
"""

import heapq
import math
import re
from array import array
from collections import Counter, defaultdict
from collections.abc import Iterator

import numpy as np

from benchbench.audit.check import Judged, NotDoneError, check
from benchbench.audit.documents import TextVisitor
from benchbench.audit.finding import SHOWN, Concerned, Finding, both, finding, many
from benchbench.formats.collection import Document, mostly_empty
from benchbench.kernels.arrays import I64

WIDE = re.compile("[々〇぀-ヿㇰ-ㇿ㐀-䶿一-鿿가-힯豈-﫿\U00020000-\U0003ffff]+")
_PER_TOKEN = 4  # characters of a token, as they are in English; a character of Chinese, Japanese or Korean is a token
_FEWEST = 20  # texts; of fewer, none is far from the others
_FAR = 3.0  # interquartile ranges, of logarithms
_LEAST = math.log(2)  # of such a range
_QUANTILES = (0, 25, 50, 75, 100)
_ENDS = tuple(".!?。！？｡\"'”’»）)】」』;；")  # of a sentence that is whole
_FEWEST_CUT, _SHARE = 10, 0.02  # texts of the one length, and of all
_LONGER = 0.01  # of all, at most: what many do not keep is no limit
_UNFINISHED = 0.75  # of those at the length; of sentences that are cut anywhere, one in sixty ends with its full stop
_LEAST_CUT = 50  # characters: many titles and codes have one length
_WITHIN = 1 / 3  # of those at the length: where so many begin within a sentence too, they are the parts of longer texts
_OPEN, _SMALL, _CASED = 1, 2, 4  # ends within a sentence, begins within one, has capitals


def tokens(text: str) -> int:
    """Return about how many tokens a text has."""
    wide = 0 if text.isascii() else sum(map(len, WIDE.findall(text)))
    return wide + math.ceil((len(text) - wide) / _PER_TOKEN)


class LongTexts(TextVisitor):
    """Counts the texts with more tokens than a limit, and keeps the longest."""

    def __init__(self, limit: int) -> None:
        """Begin without any."""
        self.limit, self.counts = limit, Counter[str]()
        self.longest = defaultdict[str, list[tuple[int, str]]](list)  # heaps of tokens and ids

    def take(self, noun: str, identifier: str, text: str) -> None:
        """Count a text of a document or a query."""
        if len(text) <= self.limit or (length := tokens(text)) <= self.limit:
            return
        self.counts[noun] += 1
        heapq.heappush(self.longest[noun], (length, identifier))
        if len(self.longest[noun]) > SHOWN:
            heapq.heappop(self.longest[noun])


@check("Long texts")
def texts_over_limit(judged: Judged) -> Iterator[Finding]:
    """Say how many texts are longer than models usually read."""
    long: LongTexts = judged.kept[LongTexts]
    counts, limit, total = long.counts, long.limit, long.counts.total()
    sides = dict(reversed(judged.sides.items()))
    parts = [f"{many(counts[noun], noun)} of {len(ids):,}" for noun, ids in sides.items() if counts[noun]]
    longest = {noun: sorted(long.longest[noun], key=lambda entry: (-entry[0], entry[1])) for noun in sides}
    yield finding(
        "note",
        total,
        f"{' and '.join(parts)} {'has' if total == 1 else 'have'} more than about {limit:,} tokens "
        f"({limit * _PER_TOKEN:,} characters; {limit:,} in Chinese, Japanese or Korean)",
        queries=Concerned(left_out=counts["query"]),
        documents=Concerned(left_out=counts["document"]),
        examples=(f"{noun} {name}: about {length:,} tokens" for noun in sides for length, name in longest[noun]),
        effect="models with this limit ignore the rest",
        advice="cut long documents into passages, or give the limit of the retriever with --max-tokens",
    )


@check("Empty texts")
def empty_texts(judged: Judged) -> Iterator[Finding]:
    """Find documents and queries without a text."""
    table, texts = judged.table, judged.data.queries.texts
    queries = judged.ids([q for q, text in enumerate(texts) if not text.strip()])
    documents = [] if table is None else table.named(np.flatnonzero(table.lengths == 0).tolist())
    total = len(queries) + len(documents)
    yield finding(
        "error" if table is not None and mostly_empty(len(documents), len(table)) else "warning",
        total,
        f"{both(len(documents), len(queries))} {'has' if total == 1 else 'have'} no text",
        queries=queries,
        documents=documents,
        examples=[f"query {query}" for query in queries[:SHOWN]]
        + [f"document {document}" for document in documents[:SHOWN]],
        effect="nothing finds a document without a text, and a query without one finds anything",
        advice="leave them out, or name the member that has the text",
    )


@check("Unusual lengths")
def extreme_lengths(judged: Judged) -> Iterator[Finding]:
    """Find texts whose lengths are far from those of the others, and say which of the short ones are relevant."""
    data, table = judged.data, judged.table
    if table is None and len(data.queries) < _FEWEST:
        raise NotDoneError(f"there is no collection, and there are fewer than {_FEWEST} queries")
    of_queries = np.array(array("q", map(len, data.queries.texts)), np.int64)
    for noun, ids in judged.sides.items():
        lengths = of_queries if table is None or noun == "query" else table.lengths
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
            f"{many(len(far), noun)} of {len(lengths):,} {'is' if len(far) == 1 else 'are'} far shorter or "
            f"longer than the others: half have {low:,} to {high:,} characters, all {least:,} to {most:,}"
            f"{relevant_of_cut(cut, 'the short ones')}",
            queries=names if noun == "query" else (),
            documents=names if noun == "document" else (),
            examples=[
                f"{noun} {ids[row]}: {many(int(lengths[row]), 'character')}{', judged relevant' * (row in cut)}"
                for row in shown
            ],
            effect=effect_of_cut(cut),
            advice="look at them: they are often headings, tables, or several documents in one",
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
    queries = many(len(set().union(*cut.values())), "query")
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


class TextEnds(TextVisitor):
    """Keeps of each text its length, and whether it ends and begins as a sentence does."""

    def __init__(self) -> None:
        """Begin without any."""
        self.lengths = {noun: array("i") for noun in ("query", "document")}  # in characters
        self._flags = {noun: array("b") for noun in self.lengths}

    def add(self, document: Document, text: int) -> None:
        """Take a document, without its title."""
        self.take("document", document.id, document.text)

    def take(self, noun: str, identifier: str, text: str) -> None:
        """Take a text."""
        self.lengths[noun].append(len(text))
        is_open = not text.endswith(_ENDS) or text.endswith("...")
        small = text[:1].islower() or text[:1].isspace()
        self._flags[noun].append(_OPEN * is_open | _SMALL * small | _CASED * (not text.islower()))

    def cut(self, noun: str) -> I64:
        """Return the rows of those that were cut, which have one length; none where texts of this kind may be so."""
        lengths, flags = np.asarray(self.lengths[noun], np.int64), np.asarray(self._flags[noun])
        there = np.sort(lengths[lengths > 0])
        if len(there) < _FEWEST_CUT:
            return lengths[:0]
        which, counts = np.unique(there[-1 - int(_LONGER * len(there)) :], return_counts=True)
        length = which[counts.argmax()]
        rows: I64 = np.flatnonzero(lengths == length)
        still_open = rows[flags[rows] & _OPEN > 0]
        few = len(rows) < max(_FEWEST_CUT, _SHARE * len(there)) or len(still_open) < _UNFINISHED * len(rows)
        are_parts = (flags[lengths > 0] & _CASED).any() and (flags[rows] & _SMALL > 0).mean() > _WITHIN
        return rows[:0] if length < _LEAST_CUT or few or are_parts else still_open


@check("Cut texts")
def cut_texts(judged: Judged) -> Iterator[Finding]:
    """Find texts that were cut, and say which of them are relevant."""
    ends: TextEnds = judged.kept[TextEnds]
    for noun, ids in judged.sides.items():
        rows, lengths = ends.cut(noun), ends.lengths[noun]
        if not len(rows):
            continue
        relevant = cut_short(judged, rows) if noun == "document" else {}
        names = [ids[row] for row in rows.tolist()]
        shown = sorted(rows.tolist(), key=lambda row: (row not in relevant, ids[row]))
        yield finding(
            "warning",
            len(rows),
            f"{many(len(rows), noun)} of {len(lengths):,} end within a sentence after exactly "
            f"{lengths[rows[0]]:,} characters, and hardly any is longer: they seem to be cut"
            f"{relevant_of_cut(relevant, 'them')}",
            queries=names if noun == "query" else (),
            documents=names if noun == "document" else (),
            examples=[f"{noun} {ids[row]}{', judged relevant' * (row in relevant)}" for row in shown],
            effect=effect_of_cut(relevant),
            advice="take the whole texts, or say how much of each the retriever has",
        )
