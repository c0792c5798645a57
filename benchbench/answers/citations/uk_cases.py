"""Neutral citations of the courts of the United Kingdom: [2024] EWHC 789 (Ch)."""

import re

from benchbench.answers.citations.citation import Citation

_REPORTED = (
    *("Ch", "Comm", "TCC", "QB", "KB", "Pat", "Admin", "Fam", "IPEC", "Costs", "SCCO", "Admlty", "Mercantile", "Comml"),
    *("AAC", "IAC", "LC", "TC", "GRC", "PC", "B", "HMT", "HESC", "T1", "T2", "T3"),
)
_DIVISIONS = {name.lower(): name for name in _REPORTED}
_DIVISION = "|".join(sorted(_DIVISIONS, key=len, reverse=True))
_NEUTRAL = re.compile(
    rf"""\[(?P<year>\d{{4}})\]\s{{0,3}}
    (?:(?P<appeal>EWCA)\s{{0,3}}(?P<branch>Civ|Crim)\b\.?
     |EWHC\s{{1,3}}(?P<old>Admin)(?=\s)
     |(?P<court>EWHC|UKSC|UKHL|UKPC|EWFC|EWCOP|EWCC|UKUT|UKFTT|UKEAT|EAT|UKSIAC|UKIPTrib|CAT
        |CSIH|CSOH|HCJAC|SAC|NICA|NIQB|NIKB|NICh|NIFam|NICC)\b)
    \s{{0,3}}(?:No\.?\s{{0,2}})?(?P<number>B?\d{{1,6}})\b
    (?:\s{{0,3}}\((?P<division>{_DIVISION})(?:\sCt|D)?\))?""",
    re.VERBOSE | re.IGNORECASE,
)
_COURTS = {name.lower(): name for name in ("UKIPTrib", "NICh", "NIFam")}


def cases(text: str) -> list[Citation]:
    """Return the neutral citations of a text.

    The court with its division is the source, year and number are the path: "EWHC (Ch)", ("2024", "789"). An EWHC
    number without its division is another key than one with it. A paragraph cited after it ("at [45]") is not kept.
    """
    found = []
    for match in _NEUTRAL.finditer(text) if "[" in text else ():
        if match["appeal"]:
            source = f"EWCA {match['branch'].capitalize()}"
        elif match["old"]:
            source = "EWHC (Admin)"
        else:
            source = _COURTS.get(match["court"].lower(), match["court"].upper())
        if match["division"] and not match["appeal"] and not match["old"]:
            source += f" ({_DIVISIONS[match['division'].lower()]})"
        path = (match["year"], _number(match["number"]))
        found.append(Citation("case", source, path, match.start(), match.end()))
    return found


def _number(written: str) -> str:
    """Return a number without zeros before it; those of the B series keep their letter."""
    return f"B{int(written[1:])}" if written[0] in "Bb" else str(int(written))
