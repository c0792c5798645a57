"""What a provision is of: a title, a guide, a direction, "that Act", "the 1980 Act", a defined abbreviation."""

import re
from typing import NamedTuple

from benchbench.answers.citations.series import Path
from benchbench.answers.citations.uk_books import BOOK, CPR, BookMention, Books, book
from benchbench.answers.citations.uk_bounds import CitationBounds
from benchbench.answers.citations.uk_forms import SPACED_TWO, opener_at
from benchbench.answers.citations.uk_guides import ABBREVIATED, GUIDE, guide
from benchbench.answers.citations.uk_titles import Title, titles


class UkSource(NamedTuple):
    """What a provision is of; kind "" is no law ("of the form"), kind "own" is the text itself ("of this Guide")."""

    kind: str
    name: str
    path: Path
    end: int

    @property
    def law(self) -> bool:
        """Return whether this is law other than the text itself."""
        return self.kind not in ("", "own")


_ROMAN_OR_NUMBER = r"(?:\d{1,3}[A-Z]{0,2}|[IVX]{1,5}[A-D]?)"
_OF = re.compile(
    r"""(?P<aside>\s{1,2}\((?=[a-z“"'‘]{0,2}[a-z]{3})[^()]{3,150}\)|\s{1,2}\([A-Z][a-z]{2}[^()]{1,150}\))?,?
    \s{1,2}(?P<word>of|to|into|in|under|OF|TO|IN|UNDER)(?:,(?!\s(?:and|or)\b))?
    \s{1,2}(?:(?P<the>[Tt]he\s[Ss]ame|[Tt]he\s[Ss]aid|[Tt]he|THE|[Tt]hat|[Tt]his|[Tt]hese|[Tt]hose|its|an?)\s{1,2})?""",
    re.VERBOSE,
)
_SPACES = frozenset(" ,\n\t")
_BEGINNINGS = frozenset("otiuOTIU(")  # signs that the words of _OF begin with
_OF_BOTH = re.compile(  # section 5 of, and paragraph 3 of Schedule 2 to, the Housing Act 1988
    r"\s(?:of|to|in),\s(?:and|or)\s[^.;\n]{1,80}?\s(?:of|to|in),\s(?:the\s|that\s)?(?=[A-Z\d])"
)
_BESIDE = re.compile(
    r"(?:(,)\s|\s[ ]?\(?(?:the\s)?)"
)  # section 33 Limitation Act 1980; section 33 (Limitation Act 1980)
_CODE = re.compile(rf"{BOOK}(?!\s?\d)")
_SCHEDULE = re.compile(
    rf"(?:Part\s({_ROMAN_OR_NUMBER})\s(?:of|to)\s(?:the\s)?)?Sch(?:edule\b|ed\b|\b)\.?(?:\s{{0,2}}([A-Z]{{0,2}}\d{{1,2}}(?:[A-Z]{{1,2}}|\s[A-HJ-Z](?=\s(?:of|to)\s))?)\b)?"
    rf"(?:,?\s(?:Part|Pt)\.?\s({_ROMAN_OR_NUMBER})\b)?"
)
_PART = re.compile(rf"Part\s{{1,2}}({_ROMAN_OR_NUMBER})\b")
_ANNEX = re.compile(r"(Annex|Appendix)\s{1,2}\(?([A-Z]|\d{1,2}[A-Z]?|[IVX]{1,4})\b\)?")
_DIRECTION = re.compile(
    r"(?:CPR\s{1,2})?(?:[Pp]ractice\s[Dd]irection|PRACTICE\sDIRECTION|PD)\s{0,2}(\d{1,3}(?:[A-Z]{1,3}\d?|"
    + SPACED_TWO
    + r"))\b(?!\.\d)"
)
_OF_A_PART = re.compile(
    r"(?:CPR\s{0,2})?(?:(?:Part|Pt\.?)\s{1,2})?(\d{1,2}[A-Z]?)\s{0,2}(?:[Pp]ractice\s[Dd]irection|PD)\b(?!\s?\d)"
)
_TO_BOOK = re.compile(r"(?:,?\s{1,2}(?:of|to|in|under))?\s{1,2}(?P<aside>\()?(?:the\s{1,2})?")
_NUMBER = re.compile(r"\d{1,2}[A-Z]?")
_GUIDE = re.compile(GUIDE)
_SHORT = re.compile(
    r"(?:(?P<year>\d{4})\s{1,2})?(?P<word>Act|ACT|Regulations|Rules|Order|"
    + BOOK
    + r"|[Pp]ractice\s[Dd]irection|PD|[Gg]uide)"
    r"(?!\w)(?!(?<!Act)(?<!ions)\s\d)(?!\s\d{4})(?:\sof\s(?P<late>1[89]\d\d|20\d\d)\b)?"
)
_ALIAS = re.compile(r"[A-Z\d][\w’'&-]*(?:\s[A-Z\d][\w’'&-]*){0,5}")
_UNKNOWN = re.compile(r"[A-Z]{3,8}(?:\s(?:1[89]|20)\d\d)?(?![\w-])(?!\s[A-Z])")
_ACTS = {"PACE", "LASPO", "TUPE"}  # most others end with the A of Act or with a year
_NO_ACT = {"CPR", "FPR", "RSC", "CCR", "USA"}
_ASIDE = re.compile(
    r"\s{0,2}\((?:as\s(?:so\s)?amended[^()]{0,40}|c(?:h|ap)?\.?\s?\d{1,3}|\d{1,3}|S\.?I\.?\s[^()]{1,20}|20\d\d"
    r"|[^()]{0,30}\b[Ee]d(?:itio)?n\b[^()]{0,20})\)|\s?\[\d{1,3}\]|,?\s(?:SI|S\.I\.)\s?\d{4}/\d{1,5}|\sc\.?\s?\d{1,3}\b"
    r"|\s20\d\d\b"
)
_DEFINITION = re.compile(r"\s{0,2}\((?P<inside>[^()\n]{2,100})\)")
_QUOTED = re.compile(r"[\"“‘'](?:the\s)?([^\"“”‘’']{2,60})[\"”’']")
_INITIALS = re.compile(r"(?:the\s)?([A-Z][A-Za-z&]{0,8}[A-Z]s?(?:\s\d{4})?)")
_MEANS = re.compile(r"[\"“‘'](?:the\s)?([^\"“”‘’'\n]{2,40})[\"”’']\s(?:means|is)\s(?:the\s)?$")
_CITED_AS = re.compile(r"\bcited\sas\s(?:the\s)?$")


class UkSources:
    """The sources that a text names, and which of them a word at a place means."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.bounds = CitationBounds(text)
        self.titles = titles(text)
        self.books = Books(text, self.titles)
        self.last: dict[str, str] = {}
        self._at = {title.start: title for title in self.titles}
        self._years: dict[str, str] = {}  # Act 1980 -> the title named last, or first of those that come
        self._defined: dict[str, tuple[str, str]] = {}
        self._first = set(ABBREVIATED)  # first words of what is defined
        self.schedules: dict[str, UkSource] = {}  # numbers of Schedules that were cited -> what they are of
        self.shared: set[int] = set()  # titles that stand after the last of several provisions of them
        self.own: dict[str, str] = {}  # kind -> the title of the text itself
        for title in reversed(self.titles):
            self._years[" ".join(title.name.split()[-2:])] = title.name
        for title in self.titles:
            self._learn_title(title)
        if text.lstrip()[:2] == "PR" and (direction := _DIRECTION.match(text.lstrip())):
            self.own["practice direction"] = _numbered(direction[1])

    def _learn_title(self, title: Title) -> None:
        if title.kind == "european":
            self.learn(title.kind, title.name, title.end)
        if title.kind not in ("act", "instrument") or not title.name:
            return
        *words, year = title.name.split() if title.name[-4:].isdigit() else (*title.name.split(), "")
        for among in (re.sub(r"\([^()]*\)", "", " ".join(words)).split(), words):
            initials = "".join(word.strip("(")[0] for word in among if word.strip("(")[:1].isupper())
            if year:
                self._defined.setdefault(f"{initials} {year}", (title.kind, title.name))
            if len(initials) > 2:
                self._defined.setdefault(initials, (title.kind, title.name))
            self._first.add(initials)
        if means := _MEANS.search(self.text, max(0, title.start - 60), title.start):
            self._define(means[1], title.kind, title.name)
        line = self.text.rfind("\n", 0, title.start) + 1 if title.start < 80 else -1
        alone = (
            line == 0
            and self.text[: title.start].strip() in ("", "The")
            and self.text[title.end : title.end + 1] == "\n"
        )
        if alone or _CITED_AS.search(self.text, max(0, title.start - 20), title.start):
            self.own[title.kind] = title.name
        self.learn(title.kind, title.name, title.end)

    def _define(self, alias: str, kind: str, name: str) -> None:
        words = alias.split()
        if words:
            self._defined[" ".join(words)] = (kind, name)
            self._first.add(words[0])

    def learn(self, kind: str, name: str, end: int) -> int:
        """Learn what a bracket after a name defines, and return where that and other asides after the name end."""
        for _ in range(3):
            if aside := _ASIDE.match(self.text, end):
                end = aside.end()
            elif definition := _DEFINITION.match(self.text, end):
                aliases = _QUOTED.findall(definition["inside"])
                if not aliases and (initials := _INITIALS.fullmatch(definition["inside"])):
                    aliases = [initials[1]]
                if not aliases:
                    break
                for alias in aliases:
                    self._define(alias, kind, name)
                end = definition.end()
            else:
                break
        return end

    def name(self, kind: str, name: str) -> None:
        """Remember what was named last."""
        self.last[kind] = name
        if kind in ("act", "instrument") and name[-4:].isdigit():
            self._years[" ".join(name.split()[-2:])] = name

    def after(self, position: int, word: str = "", nested: bool = False) -> UkSource | None:
        """Return the source after "of", "to" or "in": None without such a word, kind "" when it is no law."""
        if self.text[position : position + 3].lstrip(" ,\n")[:1] not in _BEGINNINGS:
            return None
        opening = _OF.match(self.text, position)
        if opening is None:
            both = _OF_BOTH.match(self.text, position)
            source = self.written(both.end(), "", nested=True) if both else None
            if both is None or source is None or not source.law:
                return None
            self.shared.add(both.end())
            return source._replace(end=position)
        source = self.written(opening.end(), (opening["the"] or "").lower(), nested)
        if (
            source is None
            and word == "section"
            and not opening["aside"]
            and (unknown := _unknown(self.text, opening.end()))
        ):
            source = UkSource("act", unknown[0], (), unknown.end())
        if source is not None:
            return None if opening["aside"] and not source.law else source
        return UkSource("", "", (), position) if opening["word"].lower() == "of" and not opening["aside"] else None

    def beside(self, position: int, comma: bool, word: str) -> UkSource | None:
        """Return the source that follows a provision with no word between; after a comma, only a title may."""
        if self.text[position : position + 1] not in _SPACES or (between := _BESIDE.match(self.text, position)) is None:
            return None
        if between[1] and not comma:
            return None
        at = between.end()
        if (title := self._at.get(at)) and (word != "section" or title.kind != "european"):
            return UkSource(title.kind, title.name, (), title.end)
        if word in ("rule", "part") and (code := _CODE.match(self.text, at)):
            return UkSource("rule", book(code[0]), (), code.end())
        if word in ("rule", "part") and (named := self.books.at(at)):
            return UkSource(named.kind, named.name, (), named.end)
        if between[1] or word not in ("section", "paragraph", "annex", "regulation"):
            return None
        source = self._alias(at)
        if source is None and word != "regulation" and self.text[at : at + 1] != "P":
            source = self._guide(at)
        elif source is None and word != "regulation":
            source = self._direction(at)
        if source is None and word == "section" and (unknown := _unknown(self.text, at)):
            return UkSource("act", unknown[0], (), unknown.end())
        return source

    def written(self, at: int, the: str, nested: bool) -> UkSource | None:
        """Return the source that is written at a place, after "the", "that" or "this"."""
        if title := self._at.get(at):
            return UkSource(title.kind, title.name, (), title.end)
        short = _SHORT.match(self.text, at)
        if short and the in ("this", "these"):
            return self._own(short)
        if not nested and (source := self._larger(at)):
            return source
        source = self._direction(at) or self._guide(at) or self._alias(at)
        if source is None and not short and (named := self.books.at(at)):
            return UkSource(named.kind, named.name, (), named.end)
        return source or (self._short(short, the) if short else None)

    def _own(self, short: re.Match[str]) -> UkSource:
        kind = _kind(short)
        if kind == "rule":
            near = self.books.around(short.start(), short.end())
            return UkSource(near.kind if near else "rule", near.name if near else CPR, (), short.end())
        if kind in ("act", "instrument") or kind in self.own:
            return UkSource(kind, self.own.get(kind, ""), (), short.end())
        return UkSource("own", "", (), short.end())

    def _larger(self, at: int) -> UkSource | None:
        """Return a Schedule, a Part of an Act, or an annex, with what it belongs to."""
        if schedule := _SCHEDULE.match(self.text, at):
            whole = self.after(schedule.end(), nested=True)
            if whole is None and schedule[2] and not foreign(self.text, schedule.end()):
                whole = self.recent_act(at, schedule.end()) or self.schedules.get(schedule[2])
                whole = whole and whole._replace(path=(), end=schedule.end())
            if whole is None or whole.kind not in ("act", "instrument"):
                return UkSource("", "", (), at)
            part = schedule[1] or schedule[3]
            path = (
                f"Schedule {schedule[2].replace(' ', '')}" if schedule[2] else "Schedule",
                *((f"Part {part}",) if part else ()),
            )
            return UkSource(whole.kind, whole.name, path, whole.end)
        if part_of := _PART.match(self.text, at):
            whole = self.after(part_of.end(), nested=True)
            if whole and whole.kind in ("act", "instrument"):
                return UkSource(whole.kind, whole.name, (f"Part {part_of[1]}",), whole.end)
        if annex := _ANNEX.match(self.text, at):
            whole = self.after(annex.end(), nested=True)
            if whole and whole.kind:
                name = whole.name if whole.law else ""
                return UkSource(annex[1].lower(), name, (annex[2],), whole.end)
        return None

    def recent_act(self, start: int, end: int) -> UkSource | None:
        """Return the Act or instrument cited in the same sentence or the one before, or the one that the text is."""
        if self.bounds.enactment:
            kind = "instrument" if self.bounds.instrument else "act"
            return UkSource(kind, self.own.get(kind, ""), (), end)
        kind, name, place = self._cited
        if not name or self.bounds.sentences(place, start) > 1 or self.bounds.headings(place, start):
            return None
        return UkSource(kind, name, (), end)

    _cited: tuple[str, str, int] = ("", "", 0)

    def cited(self, kind: str, name: str, end: int) -> None:
        """Remember the Act or instrument that was cited last, and where."""
        self._cited = (kind, name, end)

    def _direction(self, at: int) -> UkSource | None:
        if self.text[at : at + 1] not in ("C", "P", "p"):
            return None
        if direction := _DIRECTION.match(self.text, at):
            return self.numbered(direction[1], at, direction.end())
        if of_a_part := _OF_A_PART.match(self.text, at):
            return self.numbered(of_a_part[1], at, of_a_part.end())
        opener = opener_at(self.text, at)
        return self.direction(opener) if opener and opener.lastgroup in ("titled", "supplement") else None

    def direction(self, opener: re.Match[str]) -> UkSource | None:
        """Return the direction that an opener names by its title or by the Part that it supplements."""
        if opener.lastgroup == "titled":
            for name in (
                "Insolvency Proceedings",
                "Civil Recovery Proceedings",
                "Directors Disqualification Proceedings",
            ):
                if name.split()[0] in opener[0]:
                    return UkSource("practice direction", f"PD {name}", (), opener.end())
            return UkSource("practice direction", "PD Pre-Action Conduct", (), opener.end())
        number = _NUMBER.match(self.text, opener.end())
        return self.numbered(number[0], opener.start(), number.end()) if number else None

    def numbered(self, number: str, start: int, end: int) -> UkSource:
        """Return the direction with a number: PD 12J of the CPR, FPR PD 12J of another book, "" of one not named."""
        books = self.books.directing
        to = _TO_BOOK.match(self.text, end) if books.others else None
        named = books.at(to.end()) if to else None
        if to and named and not to["aside"]:
            end = named.end
        if named is None and not self.text.startswith("CPR", start):
            named = books.before(start) or books.around(start, end)
        if self.text[start : start + 4].upper() == "CRIM":  # CrimPD 5A
            named = BookMention("rule", "CrimPR", start, start)
        name = _numbered(number)
        if named and named.other:
            name = f"{named.name} {name}" if named.name else ""
        return UkSource("practice direction", name, (), end)

    def direction_of_part(self, at: int) -> UkSource | None:
        """Return the direction that "Part 32 Practice Direction" or "CPR 32 PD" at a place names."""
        ahead = self.text[at : at + 40]
        match = _OF_A_PART.match(self.text, at) if "PD" in ahead or "irection" in ahead else None
        return self.numbered(match[1], at, match.end()) if match else None

    def _guide(self, at: int) -> UkSource | None:
        named = _GUIDE.match(self.text, at)
        return UkSource("guide", guide(named[0]), (), named.end()) if named else None

    def _alias(self, at: int) -> UkSource | None:
        """Return the source of an abbreviation that the text defines, or that consists of the initials of a title."""
        words = _ALIAS.match(self.text, at)
        if words is None or words[0].split(None, 1)[0] not in self._first:
            return None
        ends = [words.end(), *(space.start() for space in reversed(list(re.finditer(r"\s", words[0]))))]
        for end in (ends[0], *(at + place for place in ends[1:])):
            alias = " ".join(self.text[at:end].split())
            if source := self._defined.get(alias):
                return UkSource(*source, (), end)
            if named := ABBREVIATED.get(alias):
                return UkSource("guide", named, (), end)
        return None

    def abbreviation(self, at: int) -> UkSource | None:
        """Return the source of an abbreviation at a place; that of one that nothing defines has its letters as name."""
        if source := self._alias(at):
            return source
        if short := _SHORT.match(self.text, at):
            return self._short(short, "the")
        unknown = _unknown(self.text, at)
        return UkSource("act", unknown[0], (), unknown.end()) if unknown else None

    def _short(self, short: re.Match[str], the: str) -> UkSource | None:
        """Return the source that "the 1980 Act", "that Act" or "the Guide" refers to."""
        kind = _kind(short)
        word = short["word"].split()[0].capitalize()
        if year := short["year"] or short["late"]:
            name = self._years.get(f"{word} {year}", "")
            self.last[kind if kind != "rule" else "instrument"] = name
            return UkSource("instrument" if kind == "rule" else kind, name, (), short.end())
        if kind == "rule":
            instrument = self.last.get("instrument")
            others = instrument is not None and (
                "Rules" in instrument or (not instrument and the in ("those", "the same"))
            )
            last = self.books.last(short.start()) if the in ("those", "the same") else None
            if last and last.other:
                return UkSource(last.kind, last.name, (), short.end())
            if word == "Rules" and others:
                return UkSource("instrument", instrument or "", (), short.end())
            if word != "Rules":
                return UkSource("rule", book(short["word"]), (), short.end())
            near = self.books.around(short.start(), short.end())
            return UkSource(near.kind if near else "rule", near.name if near else CPR, (), short.end())
        name = self.last.get(kind, "")
        if kind in ("guide", "practice direction") and not name:
            name = self.own.get(kind, "")
        return UkSource(kind, name, (), short.end()) if name or kind in ("act", "instrument") else None


def foreign(text: str, position: int) -> bool:
    """Return whether "of" or "to" follows, which says what a provision is of."""
    opening = _OF.match(text, position)
    return opening is not None and opening["word"].lower() in ("of", "to") and not opening["aside"]


def _unknown(text: str, at: int) -> re.Match[str] | None:
    unknown = _UNKNOWN.match(text, at) if not text[max(0, at - 12) : at].isupper() else None
    if unknown is None or unknown[0].split()[0] in _NO_ACT:
        return None
    return unknown if unknown[0][-1] == "A" or unknown[0][-1].isdigit() or unknown[0] in _ACTS else None


def _kind(short: re.Match[str]) -> str:
    word = short["word"].split()[0].capitalize()
    kinds = {"Act": "act", "Practice": "practice direction", "Pd": "practice direction", "Guide": "guide"}
    return "rule" if word == "Rules" or book(short["word"]) else kinds.get(word, "instrument")


def _numbered(written: str) -> str:
    return f"PD {written.replace(' ', '')}"
