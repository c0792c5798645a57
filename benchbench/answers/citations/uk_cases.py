"""Neutral citations of the courts of the United Kingdom: [2024] EWHC 789 (Ch)."""

import re

from benchbench.answers.citations.citation import Citation
from benchbench.answers.citations.law_lists import law_lists

_LISTS = law_lists("uk")
_DIVISIONS = {name.lower(): name for name in _LISTS["divisions"].split()}
_DIVISION = "|".join(sorted(_DIVISIONS, key=len, reverse=True))
_NEUTRAL = re.compile(
    rf"""\[(?P<year>\d{{4}})\]\s{{0,3}}
    (?:(?P<appeal>EWCA)\s{{0,3}}(?P<branch>Civ|Crim)\b\.?
     |EWHC\s{{1,3}}(?P<old>Admin)(?=\s)
     |(?P<court>{"|".join(_LISTS["courts"].split())})\b)
    \s{{0,3}}(?:No\.?\s{{0,2}})?(?P<number>B?\d{{1,6}})\b
    (?:\s{{0,3}}\((?P<division>{_DIVISION})(?:\sCt|D)?\))?""",
    re.VERBOSE | re.IGNORECASE,
)
_COURTS = {name.lower(): name for name in _LISTS["courts"].split()}


def cases(text: str) -> list[Citation]:
    """Return the neutral citations of a text.

    The court with its division is the source, year and number are the path: "EWHC (Ch)", ("2024", "789"). An EWHC
    number without its division is another key than one with it. A paragraph cited after it ("at [45]") is not kept.
    """
    citations = []
    for match in _NEUTRAL.finditer(text) if "[" in text else ():
        if match["appeal"]:
            source = f"EWCA {match['branch'].capitalize()}"
        elif match["old"]:
            source = "EWHC (Admin)"
        else:
            source = _COURTS[match["court"].lower()]
        if match["division"] and not match["appeal"] and not match["old"]:
            source += f" ({_DIVISIONS[match['division'].lower()]})"
        path = (match["year"], _number(match["number"]))
        citations.append(Citation("case", source, path, match.start(), match.end()))
    return citations


def _number(written: str) -> str:
    """Return a number without zeros before it; those of the B series keep their letter."""
    return f"B{int(written[1:])}" if written[0] in "Bb" else str(int(written))
