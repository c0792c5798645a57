"""Lists and ranges of labels: "33, 34 and 36(1)(a) to (c)" names five provisions."""

import functools
import re
from typing import NamedTuple

LONGEST_RANGE = 100  # a range of more members is a slip or an attack: its two ends count, and nothing between

Path = tuple[str, ...]


class SeriesMember(NamedTuple):
    """One label of a series: its path, and where it stands; the members of a range share the place of the range."""

    path: Path
    start: int
    end: int


_BRACKET = r"\((?:\d{1,3}[A-Z]{0,2}|[A-Za-z]|aa|bb|cc|dd|ee|ff|gg|[ivx]{2,5})\)"  # (2), (1A), (a), (iv); not (the)
_BRACKETS = re.compile(rf"{_BRACKET}(?:[ \t]?{_BRACKET}){{0,5}}")
_JOINT = re.compile(
    r"\s{0,2}(?=[,ao&t–—-])(?:(?P<comma>,)\s{0,2}(?:(?:and|or)\s{1,2})?|(?:and/or|and|or|&)\s{1,2}|(?P<range>(?:to|through)\s{1,2}|[-–—]\s?))"
)
_PARTS = re.compile(r"\d+(?:[A-Za-z]+\d*)?|[A-Za-z]+")


def label(number: str, before: str = "") -> re.Pattern[str]:
    """Return the pattern of a label, a number and up to six brackets, as group 1; `before` is a word before it."""
    return re.compile(rf"{before}({number}(?!\w|\.\d)(?:[ \t]?{_BRACKET}){{0,6}})")


@functools.lru_cache(4096)
def split(text: str) -> Path:
    """Return the path of a label: "24.2(3)(a)" is ("24", "2", "3", "a")."""
    return tuple(_PARTS.findall(text.replace(" ", "")))


def series(
    text: str, start: int, form: re.Pattern[str], further: re.Pattern[str] | None, begin: int
) -> list[SeriesMember]:
    """Return the labels that stand at `start`, joined by commas, "and", "or" and "to"; none when there is no label.

    `further` is the form of the second label and of those after it; None allows none. The place of the first label
    begins at `begin`. Brackets alone go on where the label before them left off: "3.4(2)(a) and (b)" has 3.4(2)(b).
    """
    first = form.match(text, start)
    if first is None:
        return []
    members = [SeriesMember(split(first[1]), begin, first.end())]
    written = first[1]  # the last one that is not of brackets alone
    commas = True  # after an "and", a comma ends the list: "rules 3.4 and 3.5, 14 days before"
    while joint := _JOINT.match(text, members[-1].end):
        if joint["comma"] and not commas:
            break
        commas = joint["comma"] is not None and joint[0].strip() == ","
        last = members[-1]
        if further and (more := further.match(text, joint.end())):
            path: Path | None = split(more[1])
            written = more[1]
        elif more := _BRACKETS.match(text, joint.end()):
            fixed = len(split(written.partition("(")[0]))  # how many labels stand outside brackets
            path = _sibling(last.path, fixed, split(more[0]))
        else:
            break
        if path is None:
            break
        if joint["range"]:
            members[-1:] = [SeriesMember(one, last.start, more.end()) for one in between(last.path, path)]
        else:
            members.append(SeriesMember(path, more.start(), more.end()))
    return members


def between(low: Path, high: Path) -> list[Path]:
    """Return the paths from one to the other where they count up in the last label, and otherwise the two ends."""
    if len(low) == len(high) and low[:-1] == high[:-1]:
        one, other = low[-1], high[-1]
        if one.isdecimal() and other.isdecimal() and len(other) < 10 and 0 < int(other) - int(one) < LONGEST_RANGE:
            return [(*low[:-1], str(number)) for number in range(int(one), int(other) + 1)]
        stem = one[:-1]
        if stem == other[:-1] and one[-1:].isalpha() and one[-1:] < other[-1:]:
            return [(*low[:-1], stem + chr(code)) for code in range(ord(one[-1]), ord(other[-1]) + 1)]
    return [low, high]


def _sibling(path: Path, fixed: int, brackets: Path) -> Path | None:
    """Return the path with its tail, from the label of the brackets' sort that is in brackets, replaced by them."""
    sort = _sort(brackets[0])
    same = [at for at in range(fixed, len(path)) if _sort(path[at]) == sort]
    if not same:
        return None
    roman = set(brackets[0]) <= set("ivx")
    return (*path[: same[-1 if roman else 0]], *brackets)


def _sort(name: str) -> str:
    return "number" if name[0].isdigit() else "lower" if name.islower() else "upper"
