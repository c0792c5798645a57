"""Where a text stands in a statute, known from its headings and from lines that begin with their own numbers."""

import bisect
import re
from collections import deque
from functools import lru_cache
from typing import NamedTuple

from benchbench.answers.citations.numerals import NUMBER, number
from benchbench.answers.citations.places import ProvisionPlace
from benchbench.answers.citations.words import FOREIGN, Name, Words

_NUMBER = re.compile(NUMBER)
_ARTICLE, _PARAGRAPH, _ITEM = 0, 1, 2
_CAPTION = re.compile(r"[ ]*\([^\n]*\)")
_TITLE = re.compile(r"(?:\([^()\n]*\))*[ ]*\n")
_PARAGRAPH_BREAK = re.compile(r"\n\s*(?![(\s])")
_DIVISION = re.compile(rf"第[ ]?{NUMBER}[ ]?[編编章節节]")  # of a law
_BLANK = re.compile(r"[ *]*(?:\n|$)")
_NO_LEVEL = 9


class StandingRow(NamedTuple):
    """A heading of an article, a heading of the second level or above, or the own number of a line."""

    start: int
    end: int  # of the number
    level: int  # 0 to 2 for an article, a paragraph, an item; -1 where no article is named
    label: str
    own: bool  # whether it is the number of a line and no heading


@lru_cache(8)
def _heading(article: str, branch: str) -> re.Pattern[str]:
    return re.compile(
        rf"^\#{{1,6}}[ \t]+第[ ]?(?P<a>{NUMBER})[ ]?{article}(?P<of>(?:[ ]?{branch}[ ]?{NUMBER})*)|^\#{{1,2}}[ \t]",
        re.MULTILINE,
    )


def rows(text: str, words: Words) -> list[StandingRow]:
    """Return the rows of a text in the order of their places; numbers of lines only where one is of an article."""
    found = []
    if "#" in text:
        for match in _heading(words.units[0], words.branch).finditer(text):
            label = _label(match["a"], match["of"]) if match["a"] else ""
            found.append(StandingRow(*match.span(), 0 if label else -1, label, own=False))
    lines = list(words.rows.finditer(text))
    if any(match["a"] for match in lines):
        annex, article = "", False
        for match in lines:
            if match["annex"]:
                annex, article = re.sub(r"\s", "", match["annex"]), False
            elif match["a"]:
                article = True
                found.append(
                    StandingRow(match.start(), match.end(), 0, annex + _label(match["a"], match["of"]), own=True)
                )
            elif article:
                level = 1 if match["b"] else 2
                label = _label(match["b"] or match["c"], match["item_of"] or "")
                found.append(StandingRow(match.start(), match.end(), level, label, own=True))
        found.sort()
    return found


def _label(written: str, branches: str) -> str:
    return "-".join([number(written), *(number(word) for word in _NUMBER.findall(branches))])


class Standing:
    """The provision whose text is being read."""

    def __init__(self, text: str, words: Words) -> None:
        found = rows(text, words)
        self.text, self.words = text, words
        self.context = ProvisionPlace()  # the provision
        self.home = ""  # the law of the last heading that named one: what 法 means in a commentary below it
        self.line = (-1, -1)  # the words of the heading that is being read
        self.level = _NO_LEVEL  # of that heading
        self.top, self.top_level = "", _NO_LEVEL  # the law named in a heading above, and the level of that
        private = [match.lastgroup for match in words.private.finditer(text)]
        self.unknown = FOREIGN if private else ""  # what an article is of where no law is known
        self.whole = "whole" in private  # whether the text is that of a contract
        self.nameless = False  # whether the text has said この法律 of a law that it does not name
        self.title = ""  # the law in the line above the first article
        self.own = deque(row for row in found if row.own)  # those to come
        self.articles = [row for row in found if row.level <= _ARTICLE]
        self.starts = [row.start for row in self.articles]
        self.kind: int | None = None  # which of the words of `Words.owns` the text has, once that was asked
        self.counted = (0, 0)  # up to where the paragraphs of the article are counted, and how many they are

    def heading(self, token: re.Match[str]) -> None:
        """Begin a heading; one of the second level or above that is no law and no article ends the law before it."""
        stop = self.text.find("\n", token.end())
        stop = len(self.text) if stop < 0 else stop
        self.line = (token.end(), token.end() + len(self.text[token.end() : stop].rstrip()))
        self.level = len(token[0].strip())
        at = bisect.bisect_left(self.starts, token.start())
        article = at < len(self.starts) and self.starts[at] == token.start() and self.articles[at].level == _ARTICLE
        if self.level <= min(2, self.top_level) and not article and not _DIVISION.match(self.text, token.end()):
            self.context, self.top, self.top_level, self.nameless = ProvisionPlace(), "", _NO_LEVEL, False

    def row(self, law: str) -> StandingRow:
        """Enter the provision whose number begins the next line; `law` is the law cited last."""
        row = self.own.popleft()
        around = self.context
        if row.level == _ARTICLE:
            around = ProvisionPlace(self.context.law or self.title or self.told(law) or self.unknown)
        self.context = around.inside(row.level, row.label)
        self.counted = (row.end, 0 if _BLANK.match(self.text, row.end) else 1)
        return row

    def told(self, law: str) -> str:
        """Return the law of an article whose number begins a line: the one given where the text has none of its own."""
        return (FOREIGN, "", FOREIGN, law)[self.sort()] if self.words.owns else self.unknown

    def sort(self) -> int:
        """Return which of the words of `Words.owns` the text has first, or their number."""
        if self.kind is None:
            kinds = (kind for kind, words in enumerate(self.words.owns) if words.search(self.text))
            own = 1 if self.articles[:1] and self.articles[0].label == "1" else len(self.words.owns)
            self.kind = next(kinds, own)
        return self.kind

    def contract(self) -> bool:
        """Return whether the text is that of a contract."""
        return bool(self.words.owns) and self.sort() == 0

    def take_name(self, name: Name, law: str) -> None:
        """Take the name of a law; a heading or a title of it alone says that this text is of that law."""
        if self.is_line(name.start, name.end):
            self.context, self.home = ProvisionPlace(law), law
        if self.line[0] <= name.start < self.line[1] and not self.top:
            self.top, self.top_level = law, self.level
        if name.opens:
            self.context, self.home, self.title = ProvisionPlace(law), law, law
        elif self.own and not self.title and not name.pointing and self.is_title(name):
            self.title = law

    def enter(self, place: ProvisionPlace, end: int) -> None:
        """Enter the provision that a heading is."""
        self.context, self.counted = place, (end, 0)

    def is_line(self, start: int, end: int) -> bool:
        """Return whether a heading is of these words alone, but for a caption in brackets."""
        first, last = self.line
        return start == first and (end == last or _CAPTION.fullmatch(self.text, end, last) is not None)

    def is_title(self, name: Name) -> bool:
        """Return whether a line is of a name alone, but for what stands in brackets."""
        before = self.text[max(0, name.start - 8) : name.start]
        line = before.rpartition("\n")[2].strip(" ○")
        return not line and (name.start < 8 or "\n" in before) and _TITLE.match(self.text, name.end) is not None

    def law(self, name: Name) -> str:
        """Return the law that this text is of; one that is no law where its article is known, and the law is not."""
        if self.context.law:
            return self.context.law
        if self.nameless and name.written.startswith("この"):
            return FOREIGN
        return FOREIGN if self.context.labels[_ARTICLE] and not self.words.owns else "" if name.alone else self.home

    def law_around(self, start: int) -> str | None:
        """Return the law of an article that stands without one; None where the text is of no known article or law."""
        if start == self.line[0]:
            return self.context.law or self.top
        own = self.context.law or self.context.labels[_ARTICLE] or self.nameless
        return self.context.law if own else None

    def beside(self, position: int, step: int, counted: list[str], label: str) -> list[str]:
        """Return the article that stands next to that of the text where the text shows it, or the one counted.

        次条 below 第三十三条 is 33-2 if the next heading is that, and 前条 below 第十五条 is 14-2 if the one before is.
        """
        at = bisect.bisect_right(self.starts, position) - 1 + step
        shown = self.articles[at].label if 0 <= at < len(self.articles) else ""
        stem = f"{counted[0] if step < 0 else label}-"
        near = shown.startswith(stem) if step < 0 else shown == f"{stem}{self.words.first}"
        return [shown] if near else counted

    def paragraph(self, position: int) -> str:
        """Return the number of the paragraph that a line of the article is in, counted on from where it was last."""
        since, count = self.counted
        count += len(_PARAGRAPH_BREAK.findall(self.text, since, position))
        self.counted = (position, count)
        return str(count)
