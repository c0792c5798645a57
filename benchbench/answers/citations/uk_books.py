"""Books of rules, those of the CPR and of other courts and tribunals, and which one a place stands under.

A rule or a Part without a book is one of the Civil Procedure Rules, except where its sentence or the heading above it
names another book: "the Family Procedure Rules apply, and rule 30.3 says".
"""

import functools
import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable
from typing import NamedTuple

from benchbench.answers.citations.uk_titles import Title, first_word

CPR = "CPR"
_WRITTEN = {  # RSC and CCR are Schedules of the CPR, so that they are no other book
    CPR: r"CPR|C\.P\.R\.?|Civil\s{1,2}Procedure\s{1,2}Rules",
    "FPR": r"FPR|F\.P\.R\.?|Family\s{1,2}Procedure\s{1,2}Rules",
    "CrimPR": r"(?:Crim|CRIM)\.?\s?P\.?\s?[Rr](?!\w)\.?|Cr\.?\s?P\.?R(?!\w)\.?|Criminal\s{1,2}Procedure\s{1,2}Rules",
    "COPR": r"C[Oo]P\s?R|C\.[Oo]\.P\.R\.?|Court\s{1,2}of\s{1,2}Protection\s{1,2}Rules",
}
BOOK = rf"(?:{'|'.join(_WRITTEN.values())})(?![^\W\d])"  # CPR11 has a rule
_DIRECTING = (CPR, "FPR", "CrimPR", "COPR")  # books with numbered practice directions
_KNOWN = re.compile("|".join(f"({written})" for written in _WRITTEN.values()), re.IGNORECASE)

_IN_NAME = re.compile(rf"(?<!\w){BOOK}(?!\w)", re.IGNORECASE)
_RULES_IN_NAME = re.compile(r"\b([^\W\d]+)\s[Rr]ules(?=,?\s(?:of\s)?(?:19|20)\d\d\b|,?\s(?:[Pp]art|[Rr]ule|r)\s\d)")
_NAMED = re.compile(
    rf"(?<!\w)(?P<known>{BOOK})|(?<=[\w)]\s)(?P<rules>Rules)\b(?P<of>\sof\sProcedure\b)?(?P<year>,?\s(?:of\s)?(?:19|20)\d\d\b)?(?!\s\d|\s[A-Z])"
    r"|\b(?P<dated>(?:19|20)\d\d)\sRules\b"
    r"|\b(?P<letters>[A-Z][A-Za-z]{0,6}R(?:\s(?:19|20)\d\d)?)(?=,?\s(?:[Rr]ules?\s|rr?\.?\s?|Parts?\s|Pt\.?\s)\d)"
    r"|\b(?P<small>(?:family|criminal|tribunals?|insolvency|arbitration|probate|employment)\s(?:procedure\s)?rules)\b"
)
_NO_LETTERS = frozenset(("OR", "FOR", "PER", "ADR", "ECHR", "GDPR", "PR", "CCR"))
_NO_NAME = frozenset(  # "General Rules about costs", "the Court Rules" name no book
    ("General", "Special", "Procedural", "Procedure", "Court", "Courts", "New", "Old", "Current", "Previous", "Main")
)
_ENDS = re.compile(
    r"[.!?;][)\]”\"'’]{0,3}\s{1,3}(?=[A-Z“\"'‘(•])|\n(?=\s{0,4}(?:[•*–-]|\(?\w{1,3}[.)]|\|)\s)|\n[ \t]*(?=\n)|\n(?=#)"
)
_HEADING = re.compile(r"^[ \t]{0,3}(?P<level>#{1,6})[ \t].*$|^(?P<line>[^\n|•]{3,100})$", re.MULTILINE)
_PLAIN = 7  # the level of a heading that is a line of its own, below those of Markdown


class BookMention(NamedTuple):
    """A book that a text names; `name` is empty where the text does not say which one."""

    kind: str  # "rule" or "instrument"
    name: str
    start: int
    end: int

    @property
    def other(self) -> bool:
        """Return whether it is another book than the Civil Procedure Rules."""
        return self.name != CPR


def book(written: str) -> str:
    """Return the first book that a text names by one of its common names: "Crim PR" is CrimPR; "" when none is."""
    match = _KNOWN.search(written)
    return list(_WRITTEN)[match.lastindex - 1] if match and match.lastindex else ""


def book_of(document: str) -> str:
    """Return the book that the name of a document has: "Family Procedure Rules Part 12" is of FPR; "" without one."""
    if known := _IN_NAME.search(document):
        return book(known[0])
    other = _RULES_IN_NAME.search(document)
    return document[: other.end()].casefold() if other else ""


class Books:
    """The books that a text names, in the order of their places."""

    def __init__(self, text: str, titles: Iterable[Title]) -> None:
        self._text = text
        self._titles = [
            BookMention(title.kind, title.name, title.start, title.end)
            for title in titles
            if title.kind == "rule" or (title.kind == "instrument" and " Rules" in title.name)
        ]

    @functools.cached_property
    def named(self) -> list[BookMention]:
        """Return all of them; an instrument that amends the Civil Procedure Rules counts as these."""
        mentions = list(self._titles)
        places = {at for one in mentions for at in range(one.start, one.end)}
        mentions += [
            one for match in _NAMED.finditer(self._text) if match.start() not in places and (one := self._at(match))
        ]
        mentions = [
            one._replace(kind="rule", name=CPR) if one.name.startswith("Civil Procedure") else one for one in mentions
        ]
        return sorted(mentions, key=lambda mention: mention.start)

    def _at(self, match: re.Match[str]) -> BookMention | None:
        if match["known"]:
            return BookMention("rule", book(match[0]), *match.span())
        if match["small"]:
            name = {"family": "FPR", "criminal": "CrimPR"}.get(match[0].split()[0], "")
            return BookMention("rule", name, *match.span())
        if match["dated"]:
            return BookMention("rule", CPR if match["dated"] == "1998" else "", *match.span())
        if letters := match["letters"]:
            capitals = sum(sign.isupper() for sign in letters)
            return BookMention("rule", letters, *match.span()) if capitals > 1 and letters not in _NO_LETTERS else None
        start = first_word(self._text, max(0, match.start() - 80), match.start(), capitals=False)
        if start is None or self._text[start : match.start()].split()[-1] in _NO_NAME:
            return None
        name = " ".join(self._text[start : match.end()].replace(",", "").split())
        return BookMention("instrument", name, start, match.end())

    @functools.cached_property
    def others(self) -> bool:
        """Return whether the text names any book but the Civil Procedure Rules."""
        return any(mention.other for mention in self.named)

    @functools.cached_property
    def directing(self) -> "Books":
        """Those that have practice directions of their own: the Insolvency Rules 2016 have no PD 12."""
        books = Books(self._text, ())
        books.named = [mention for mention in self.named if mention.name in _DIRECTING]
        return books

    def last(self, start: int) -> BookMention | None:
        """Return the book named last before a place, in whatever sentence: "those Rules"."""
        at = bisect_left(self._starts, start) - 1
        return self.named[at] if at >= 0 else None

    def before(self, start: int) -> BookMention | None:
        """Return the book whose name ends right before a place: "UT Rules, " before "rule 15"."""
        near = self.last(start)
        return near if near and near.end <= start and self._text[near.end : start].strip(" ,\n") == "" else None

    def at(self, place: int) -> BookMention | None:
        """Return the book whose name begins at a place."""
        at = bisect_left(self._starts, place)
        return self.named[at] if at < len(self.named) and self.named[at].start == place else None

    def around(self, start: int, end: int) -> BookMention | None:
        """Return the book of what stands at a place without one; None where nothing says that it is not the CPR.

        The one named last before it in its sentence; one without a name where the sentence names another book behind
        it only; else that of the nearest heading above that names one.
        """
        if not self.others:
            return None
        ends = self._sentences
        at = bisect_right(ends, start)
        begin, stop = (ends[at - 1] if at else 0), (ends[at] if at < len(ends) else len(self._text))
        inside = [
            mention
            for mention in self.named[bisect_left(self._starts, begin - 40) :][:50]
            if mention.end > begin and mention.start < stop
        ]
        if any(member.other for member in inside):
            before = [member for member in inside if member.start < start]
            return before[-1] if before else BookMention("rule", "", start, end)
        if inside:
            return None
        return self._above(start)

    def _above(self, start: int) -> BookMention | None:
        open_levels = _PLAIN + 1
        for heading, level, one in reversed(self._headings[: bisect_left(self._headings, (start,))]):
            if level < open_levels:
                if one is not None:
                    return one if heading < start else None
                open_levels = level
        return None

    @functools.cached_property
    def _starts(self) -> list[int]:
        return [mention.start for mention in self.named]

    @functools.cached_property
    def _sentences(self) -> list[int]:
        names = [(mention.start, mention.end) for mention in self.named]
        ends = (match.end() for match in _ENDS.finditer(self._text))  # Crim. PR ends no sentence
        return [
            end
            for end in ends
            if not any(low < end < high for low, high in names[bisect_left(names, (end - 40,)) :][:8])
        ]

    @functools.cached_property
    def _headings(self) -> list[tuple[int, int, BookMention | None]]:
        """Return place, level and book of each heading; a line of its own is one where it names a book."""
        headings: list[tuple[int, int, BookMention | None]] = []
        for match in _HEADING.finditer(self._text):
            at = bisect_left(self._starts, match.start())
            one = self.named[at] if at < len(self.named) and self.named[at].start < match.end() else None
            if match["level"]:
                headings.append((match.start(), len(match["level"]), one))
            elif one and match[0].rstrip()[-1] not in ".;,":
                headings.append((match.start(), _PLAIN, one))
        return headings
