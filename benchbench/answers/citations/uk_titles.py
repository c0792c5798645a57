"""Titles of Acts and of statutory instruments, found in running text without a list of them."""

import re
from typing import NamedTuple


class Title(NamedTuple):
    """One title: its kind, its normalised name, and where it stands."""

    kind: str  # "act", "instrument", "european", or "rule" for the Civil Procedure Rules and their sisters
    name: str
    start: int
    end: int


LONGEST = 160  # characters of a title before its last word; the longest in force have some 130
_NEAR = 40  # characters that most titles have before it

_LAST = re.compile(  # a year may have the number of a footnote at its end: "Limitation Act 19801"
    r"(?P<word>Act|Measure|Regulations|Rules|Order)(?!\w)(?:,?\s{1,2}(?P<year>1[2-9]\d\d|20\d\d)(?=\d{0,2}(?!\w)))?"
)
_UNDER = re.compile(r"\s\([^()\n]{1,80}\)\s(?:\w{1,30}\s){0,4}")  # Proceeds of Crime Act 2002 (Appeals) Order 2003
_WORD = re.compile(r"\([^()\n]{1,60}\)|[\w'’-]+,?|&|[^\s\w]")
_JOINING = {"of", "and", "for", "in", "to", "on", "with", "by", "from", "or", "etc", "&", "against", "as", "at", "the"}
_NEVER_FIRST = set(
    re.findall(
        r"\w+",
        """
        The A An This That These Those Under See In By And Or Of For To If When Where Section Sections
        Part Parts Schedule Rule Rules Paragraph Regulation Regulations Article Pursuant With Both
        Although While Since As At From On However Thus Therefore Per Cf Also Is Are Does Did Has Have
        Was Were Can May Must Should What Which Why How Because Before After Unless Until Neither Either
        Each Every Any Some No Not It Its
        """,
    )
)
_RULES = {"Civil Procedure Rules": "CPR", "Family Procedure Rules": "FPR", "Criminal Procedure Rules": "CrimPR"}
_EUROPEAN = re.compile(
    r"(?P<sort>Regulation|Directive)\s{1,2}\((?P<by>EU|EC|EEC)\)\s{1,2}(?:No\.?\s{0,2})?(?P<number>\d+/\d+)"
)


def titles(text: str) -> list[Title]:
    """Return the titles of a text in order: Acts with and without a year, instruments with one.

    An Act without its year takes the year of the same Act elsewhere in the text.
    """
    found: list[Title] = []
    floor = 0
    for match in _LAST.finditer(text):
        if match["year"] is None and match["word"] not in ("Act", "Regulations", "Rules"):
            continue
        if found and match["year"] and _UNDER.fullmatch(text, found[-1].end, match.start()):
            start: int | None = found.pop().start
        else:
            start = _first_word(text, max(floor, match.start() - LONGEST), match.start())
        if start is None:
            continue
        name = " ".join(text[start : match.end("word")].replace("’", "'").split())
        if name in _RULES:
            found.append(Title("rule", _RULES[name], start, match.end()))
        elif match["year"] or match["word"] in ("Act", "Regulations"):
            kind = "act" if match["word"] in ("Act", "Measure") else "instrument"
            found.append(Title(kind, f"{name} {match['year']}" if match["year"] else name, start, match.end()))
        else:
            continue
        floor = match.end()
    for match in _EUROPEAN.finditer(text) if "(E" in text else ():
        name = f"{match['sort']} ({match['by']}) {match['number']}"
        found.append(Title("european", name, match.start(), match.end()))
    if not found:
        return found
    found.sort(key=lambda title: title.start)
    dated = {title.name[:-5]: title.name for title in reversed(found) if title.name[-4:].isdigit()}
    return [Title(one.kind, dated.get(one.name, one.name), one.start, one.end) for one in found]


def _first_word(text: str, floor: int, end: int) -> int | None:
    """Return where the title that goes on at `end` begins: its words are capitalised, or join capitalised ones."""
    near = text.rfind(" ", floor, max(floor, end - _NEAR)) + 1
    if near > floor and ")" not in text[near:end]:  # words are the same from there as from further back
        begin, whole = _first_of(text, near, floor, end)
        if whole:
            return begin
    return _first_of(text, floor, floor, end)[0]


def _first_of(text: str, start: int, floor: int, end: int) -> tuple[int | None, bool]:
    """Return where the title begins among the words from `start`, and whether it can begin no earlier."""
    begin, after = None, end
    for word in reversed(list(_WORD.finditer(text, start, end))):
        name = word[0].rstrip(",")
        if (
            not name
            or text.count("\n", word.end(), after) > 1
            or (word.start() > 0 and text[word.start() - 1].isalnum())
        ):
            break
        after = word.start()
        if name[0] == "(" or (name in _JOINING and name != "the"):
            continue
        if name == "the":
            people = text.startswith("the People", word.start())
            if not people and text[max(floor, word.start() - 8) : word.start()].lower() != "against ":
                break
        elif name[0].isupper() and name not in _NEVER_FIRST:
            begin = word.start()
        else:
            break
    else:
        return begin, False
    return begin, True
