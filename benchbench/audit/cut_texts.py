"""Texts that were cut: many end within a sentence at one length, and hardly any is longer."""

from array import array
from collections.abc import Iterator, Sequence

import numpy as np

from benchbench.audit.check import check
from benchbench.audit.finding import SHOWN, Finding, finding, many
from benchbench.audit.judged import Judged
from benchbench.audit.texts import cut_short, effect_of_cut, relevant_of_cut
from benchbench.formats.collection import Document
from benchbench.kernels.arrays import I64

_ENDS = tuple(".!?。！？｡\"'”’»）)】」』;；")  # of a sentence that is whole
_FEWEST, _SHARE = 10, 0.02  # texts of the one length, and of all
_LONGER = 0.01  # of all, at most: what many do not keep is no limit
_UNFINISHED = 0.75  # of those at the length; of sentences that are cut anywhere, one in sixty ends with its full stop
_LEAST = 50  # characters: many titles and codes have one length
_WITHIN = 1 / 3  # of those at the length: where so many begin within a sentence too, they are the parts of longer texts
_OPEN, _SMALL, _CASED = 1, 2, 4  # ends within a sentence, begins within one, has capitals


class TextEnds:
    """Keeps of each text its length, and whether it ends and begins as a sentence does."""

    def __init__(self) -> None:
        """Begin without any."""
        self._lengths, self._flags = array("i"), array("b")

    def add(self, document: Document, text: int) -> None:
        """Take a document."""
        self.take(document.text)

    def take(self, text: str) -> None:
        """Take a text."""
        self._lengths.append(len(text))
        is_open = not text.endswith(_ENDS) or text.endswith("...")
        small = text[:1].islower() or text[:1].isspace()
        self._flags.append(_OPEN * is_open | _SMALL * small | _CASED * (not text.islower()))

    @property
    def lengths(self) -> Sequence[int]:
        """Of each text, in characters."""
        return self._lengths

    def cut(self) -> I64:
        """Return the rows of those that were cut, which have one length; none where texts of this kind may be so."""
        lengths, flags = np.asarray(self._lengths, np.int64), np.asarray(self._flags)
        there = np.sort(lengths[lengths > 0])
        if len(there) < _FEWEST:
            return lengths[:0]
        which, counts = np.unique(there[-1 - int(_LONGER * len(there)) :], return_counts=True)
        length = which[counts.argmax()]
        rows: I64 = np.flatnonzero(lengths == length)
        still_open = rows[flags[rows] & _OPEN > 0]
        few = len(rows) < max(_FEWEST, _SHARE * len(there)) or len(still_open) < _UNFINISHED * len(rows)
        are_parts = (flags[lengths > 0] & _CASED).any() and (flags[rows] & _SMALL > 0).mean() > _WITHIN
        return rows[:0] if length < _LEAST or few or are_parts else still_open


@check()
def cut_texts(judged: Judged) -> Iterator[Finding]:
    """Find texts that were cut, and say which of them are relevant."""
    queries, data, table = TextEnds(), judged.data, judged.table
    for text in data.queries.texts:
        queries.take(text)
    sides: list[tuple[str, str, Sequence[str], TextEnds]] = [("query", "queries", data.queries.ids, queries)]
    if table is not None:
        sides.append(("document", "documents", table.ids, judged.kept[TextEnds]))
    for noun, nouns, ids, ends in sides:
        rows, lengths = ends.cut(), ends.lengths
        if not len(rows):
            continue
        relevant = cut_short(judged, rows) if noun == "document" else {}
        names = [ids[row] for row in rows.tolist()]
        shown = sorted(rows.tolist(), key=lambda row: (row not in relevant, ids[row]))[:SHOWN]
        yield finding(
            "warning",
            len(rows),
            f"{many(len(rows), noun, nouns)} of {len(lengths):,} end within a sentence after exactly "
            f"{lengths[rows[0]]:,} characters, and hardly any is longer: they seem to be cut"
            f"{relevant_of_cut(relevant, 'them')}",
            queries=names if noun == "query" else (),
            documents=names if noun == "document" else (),
            examples=[f"{noun} {ids[row]}{', judged relevant' * (row in relevant)}" for row in shown],
            effect=effect_of_cut(relevant),
            advice="take the whole texts, or say how much of each the retriever has",
        )
