"""Titles of Acts and of statutory instruments, found in running text without a list of them."""

import re
from functools import cache
from typing import NamedTuple

from benchbench.answers.citations.law_lists import law_lists


class Title(NamedTuple):
    """One title: its kind, its normalised name, and where it stands."""

    kind: str  # "act", "instrument", "european", or "rule" for the Civil Procedure Rules and their sisters
    name: str
    start: int
    end: int


LONGEST = 160  # characters of a title before its last word; the longest in force have some 130
_NEAR = 40  # characters that most titles have before it
_LINE = 40  # characters that a line has at least when it is wrapped; a shorter one is a heading, and no title goes on

_YEAR = r"(?P<{}>1[2-9]\d\d|20\d\d)(?=\d{{0,2}}(?!\w))"  # with the number of a footnote: "Limitation Act 19801"
_LAST = re.compile(
    rf"(?P<word>Act|Measure|Regulations|Rules|Order)(?!\w)(?:,?\s{{1,2}}(?:of\s)?{_YEAR.format('year')})?"
)
_LAST_IN_CAPITALS = re.compile(rf"(?P<word>ACT|REGULATIONS|RULES),?\s{{1,2}}{_YEAR.format('year')}")
_UNDER = re.compile(
    r"(?:\s\([^()\n]{1,80}\)){1,3}\s(?:\w{1,30}\s){0,4}"
)  # Proceeds of Crime Act 2002 (Appeals) Order 2003
_WORD = re.compile(r"etc\.|\([^()\n]{1,60}\)|[\w'’-]+,?|&|[^\s\w]")
_RULES = {
    "Civil Procedure Rules": "CPR",
    "Family Procedure Rules": "FPR",
    "Criminal Procedure Rules": "CrimPR",
    "Court of Protection Rules": "COPR",
}
_EUROPEAN = re.compile(
    r"(?P<sort>Regulation|Directive)\s{1,2}\((?P<by>EU|EC|EEC)\)\s{1,2}(?:No\.?\s{0,2})?(?P<number>\d{1,4}/\d{1,4})"
    r"|(?P<data>(?:UK\s)?(?:GDPR|General\sData\sProtection\sRegulation))\b"
    r"|Directive\s{1,2}(?:No\.?\s{0,2})?(?P<directive>\d{2,4}/\d{1,4}/(?:EU|EC|EEC))"
)
_NUMBER = re.compile(r"(?:S\.\s?I\.?|SI)\s{0,2}(?:[Nn]os?\.?\s{0,2})?(?P<number>(?:19|20)\d\d/\d{1,5})\b")
_CHAPTER = re.compile(r"c(?<=\b\d{4}\sc)\.?\s?\d{1,3}\b")
_CAPITAL_NEXT = re.compile(r"\s[A-Z(]")
_YEAR_BEFORE = re.compile(r"\b(1[2-9]\d\d|20\d\d)\s$")


@cache
def _words(name: str) -> frozenset[str]:
    return frozenset(law_lists("uk")[name].split())


def titles(text: str) -> list[Title]:
    """Return the titles of a text in order: Acts with and without a year, instruments with one or by their number.

    An Act without its year takes the year of the same Act elsewhere in the text. An Act cited by its chapter alone
    (1984 c. 28) has the empty name.
    """
    kept: list[Title] = []
    floor = 0
    ends = _LAST.finditer(text)
    if ("ACT" in text or "RULES" in text or "REGULATIONS" in text) and _LAST_IN_CAPITALS.search(text):
        ends = iter(sorted([*ends, *_LAST_IN_CAPITALS.finditer(text)], key=lambda match: match.start()))
    for match in ends:
        word, year = match.groups()
        capitals = word.isupper()
        if year is None and word not in ("Act", "Regulations", "Rules"):
            continue
        if kept and year and _UNDER.fullmatch(text, kept[-1].end, match.start()):
            start: int | None = kept.pop().start
        elif kept and year and text.startswith(") ", kept[-1].end) and match.start() == kept[-1].end + 2:
            within = kept.pop()  # Family Proceedings Courts (Children Act 1989) Rules 1991
            floor = kept[-1].end if kept else 0
            start = first_word(text, max(floor, within.start - LONGEST), match.start(), capitals)
        else:
            start = first_word(text, max(floor, match.start() - LONGEST), match.start(), capitals)
        if start is None:
            continue
        name = " ".join(text[start : match.start() + len(word)].replace("’", "'").split())
        name = _in_small_letters(name) if capitals else name.replace("(no ", "(No ")
        if year is None and (before := _YEAR_BEFORE.search(text, max(floor, start - 6), start)):
            year = before[1]  # the 1980 Limitation Act
        if code := next((_RULES[end] for end in _RULES if name.endswith(end)), None) if word == "Rules" else None:
            kept.append(Title("rule", code, start, match.end()))
        elif year or word in ("Act", "Regulations") or _alone(text, start, match.end()):
            kind = "act" if word.capitalize() in ("Act", "Measure") else "instrument"
            kept.append(Title(kind, f"{name} {year}" if year else name, start, match.end()))
        else:
            continue
        floor = match.end()
    kept += _numbered(text, kept)
    if not kept:
        return kept
    kept.sort(key=lambda title: title.start)
    dated = {title.name[:-5]: title.name for title in reversed(kept) if title.name[-4:].isdigit()}
    return [Title(one.kind, dated.get(one.name, one.name), one.start, one.end) for one in kept]


def _numbered(text: str, named: list[Title]) -> list[Title]:
    """Return what is named by a number and not by a title: SI 1998/2940, Directive 2001/29/EC, 1984 c. 28."""
    numbered = []
    european = (
        "(EU)" in text
        or "(EC)" in text
        or "(EEC)" in text
        or "/E" in text
        or "GDPR" in text
        or "Data Protection Reg" in text
    )
    for match in _EUROPEAN.finditer(text) if european else ():
        name = f"Directive {match['directive']}"
        if match["data"]:
            name = "UK GDPR" if match["data"].startswith("UK") else "GDPR"
        elif match["sort"]:
            name = f"{match['sort']} ({match['by']}) {match['number']}"
        numbered.append(Title("european", name, match.start(), match.end()))
    ends = {title.end for title in named}
    for match in _NUMBER.finditer(text) if "SI " in text or "S.I" in text else ():
        if not any(
            match.start() - gap in ends for gap in range(1, 5)
        ):  # "… Regulations 2013 (SI 2013/1894)" has a title
            numbered.append(Title("instrument", f"SI {match['number']}", match.start(), match.end()))
    for match in _CHAPTER.finditer(text) if " c." in text else ():
        if not any(match.start() - gap in ends for gap in range(1, 4)):
            numbered.append(Title("act", "", match.start() - 5, match.end()))
    return numbered


def _in_small_letters(name: str) -> str:
    """Return a title that is written in capitals as statutes have it: PARTNERSHIP ACT 1890."""
    words = [word.lower() if word.lower() in _words("joining") else word.title() for word in name.split()]
    return " ".join(words).replace("'S ", "'s ")


def _alone(text: str, start: int, end: int) -> bool:
    """Return whether Rules without a year are named as such: "the Insolvency Rules", not "General Rules about"."""
    named = text[max(0, start - 4) : start].lower() == "the " and "Rules" not in text[start : start + 5]
    whole = text.count("(", start, end) == text.count(")", start, end)
    return named and whole and _CAPITAL_NEXT.match(text, end) is None


def first_word(text: str, floor: int, end: int, capitals: bool) -> int | None:
    """Return where the title that goes on at `end` begins: its words are capitalised, or join capitalised ones."""
    near = text.rfind(" ", floor, max(floor, end - _NEAR)) + 1
    if near > floor and ")" not in text[near:end]:  # words are the same from there as from further back
        begin, whole = _first_of(text, near, floor, end, capitals)
        if whole:
            return begin
    return _first_of(text, floor, floor, end, capitals)[0]


def _first_of(text: str, start: int, floor: int, end: int, capitals: bool) -> tuple[int | None, bool]:
    """Return where the title begins among the words from `start`, and whether it can begin no earlier."""
    joining, never_first = _words("joining"), _words("never_first")
    begin, after = None, end
    for word in reversed(list(_WORD.finditer(text, start, end))):
        name = word[0].rstrip(",")
        if (
            name in ("", "(")
            or _parted(text, word.end(), after)
            or (word.start() > 0 and text[word.start() - 1].isalnum())
        ):
            break
        after = word.start()
        if capitals and name[0] != "(" and not name.isupper():
            break
        name = name.lower() if capitals and name.lower() in joining else name
        if name[0] == "(" or (name in joining and name != "the"):
            continue
        if name == "the":
            people = text[word.start() + 4 : word.start() + 10].lower() == "people"
            if not people and text[max(floor, word.start() - 8) : word.start()].lower() != "against ":
                break
        elif name[0].isupper() and (name.capitalize() if capitals else name) not in never_first:
            begin = word.start()
        else:
            break
    else:
        return begin, False
    return begin, True


def _parted(text: str, end: int, start: int) -> bool:
    """Return whether the lines between two words part them: an empty line does, and one after a short line."""
    if "\n" not in (between := text[end:start]):
        return False
    wrapped = end - text.rfind("\n", max(0, end - _LINE), end) > _LINE or text.endswith((" and", " of", " or"), 0, end)
    return between.count("\n") > 1 or not wrapped
