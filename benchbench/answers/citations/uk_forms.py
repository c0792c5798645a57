"""How provisions are written in England and Wales: the words that open them, and the labels after each."""

import functools
import re
from collections.abc import Iterator

from benchbench.answers.citations.series import Member, label, series
from benchbench.answers.citations.uk_guides import GUIDE, NAMES

_FORMS = {  # what a word opens -> the signs it begins with, and how it is written; the first that fits decides
    "conduct": (
        "P",
        r"""(?:Practice\s[Dd]irection|PD)s?\s{0,2}[-–—:]?\s{0,2}(?:on\s)?Pre-[Aa]ction\s[Cc]onduct
        (?:\sand\s(?:Pre-[Aa]ction\s)?Protocols)?""",
    ),
    "direction": (
        "CPp",
        r"(?:CPR\s{1,2})?(?:[Pp]ractice\s[Dd]irections?|PRACTICE\sDIRECTIONS?|PDs?)\s{0,2}(?=\d)",
    ),
    "code": ("CF", r"(?:CPR|FPR|CrimPR),?\s{0,2}(?:(?:[Pp]arts?|Pts?\.?|[Rr]ules?|rr?\.?)\s{0,2})?(?=\d)"),
    "order": ("CR", r"(?:RSC|CCR),?\s{1,2}Ord(?:er|\.)?\s{0,2}(?=\d)"),
    "guide": ("".join({name[0] for name in NAMES}), GUIDE),
    "part": ("Pp", r"(?:[Pp]arts?|PARTS?|Pts?\.?)\s{1,2}(?=\d|[IVX])"),
    "rule": ("Rr", r"(?!R\d)(?:[Rr]ules?|RULES?|[Rr]r?\.?)\s{0,2}(?=\d)"),  # R2 is the second respondent
    "section": (  # S3 is many things, and so is a capital right after the sign: SE1, sPart
        "Ss§",
        r"(?!S\d)(?:[Ss]ections?|SECTIONS?|[Ss]s?\.?|§§?)(?:\s{0,2}(?=\d)|(?:\s{1,2}|(?<=[.§]))(?=[A-Z]\d?))",
    ),
    "paragraph": ("PpCc", r"(?:[Pp]aragraphs?|[Pp]aras?\.?|[Cc]hapters?)\s{1,2}(?=\d|[A-Z]\d?)"),
    "regulation": ("Rr", r"(?:[Rr]egulations?|[Rr]egs?\.?)\s{1,2}(?=\d)"),
    "article": ("Aa", r"(?:[Aa]rticles?|[Aa]rts?\.?)\s{1,2}(?=\d)"),
    "schedule": ("S", r"(?:Schedules?|Schs?\.?)\s{1,2}(?=\d)"),
    "annex": ("A", r"(?:Annex(?:es)?|ANNEX|Appendix|APPENDIX|Appendices)\s{1,2}(?=[A-Z\d]{1,4}\b)"),
}
_OPENERS = {  # by the first sign, so that few of the forms are tried
    sign: re.compile(
        "|".join(f"(?P<{kind}>{form})" for kind, (signs, form) in _FORMS.items() if sign in signs), re.VERBOSE
    )
    for sign in {sign for signs, _ in _FORMS.values() for sign in signs}
}
_WORD_BEGINNINGS = (  # signs, and what follows them where they begin a word that may open something
    ("C", r"PR|rimPR|CR|hapters?\s"),
    ("F", r"PR"),
    ("P", r"D|arts?\s|ARTS?\s|ts?\b|ractice\s|RACTICE\s|ara"),
    ("R", r"SC|ule|ULE|eg|\b|r(?:\b|\d)"),
    ("S", r"ection|ECTION|ch|\b|s(?:\b|\d)"),
    ("A", r"rt|nnex|NNEX|ppend|PPEND"),
    ("p", r"arts?\s|ara|ractice\s"),
    ("r", r"ule|eg|r?(?:\b|\d)"),
    ("s", r"ection|s?(?:\b|\d)"),
    ("c", r"hapters?\s"),
    ("a", r"rt"),
)
# Without groups, so that the words that open nothing cost little, and with a literal first in each branch, so that
# the engine skips to the few signs that any begins with; the forms decide.
_LIKELY = re.compile(
    "|".join(
        [rf"{sign}(?<=\b{sign})(?:{rest})" for sign, rest in _WORD_BEGINNINGS]
        + [rf"{name[0]}(?<=\b{name[0]}){name[1:]}" for name in NAMES]
        + ["§"]
    )
)
_PLURAL = re.compile(
    r"(?:parts|pts|rules|rr|directions|pds|sections|ss|§§|paragraphs|paras|chapters|regulations|regs"
    r"|articles|arts|schedules|schs|annexes|appendices)\.?\s*$",
    re.IGNORECASE,
)
_YEAR_NEXT = r"(?!\w)(?![ ]\d{4})"  # section 5 B 1980 has the initial of an Act
_SPACED = rf"(?:[ ][A-HJ-Z]{_YEAR_NEXT})?"  # "section 47 A", as some texts have it
SPACED_TWO = rf"(?:[ ](?!(?:OF|AS|BY|OR|IN|TO|UK|EU|HM|AN|IS)\b)[A-HJ-Z]{{1,2}}{_YEAR_NEXT})?"  # "PD 57 AD"
_RULE = r"\d{1,2}[A-Z]{0,2}(?:\.\d{1,3}[A-Z]{0,2})?"
_DOTTED = r"\d{1,2}[A-Z]{0,2}\.\d{1,3}[A-Z]{0,2}"
_PARAGRAPH = r"(?:[A-Z]{1,2}\d{0,3}|\d{1,4}[A-Z]{0,3})(?:\.\d{1,3}[A-Z]{0,2}){0,4}"
_WORDS = {  # what may stand again before the second label: "Part 44 to Part 47"
    "code": r"(?:CPR\s{1,2})?(?:(?:[Pp]arts?|Pt|[Rr]ules?|rr?\.?)\s{0,2})",
    "part": r"(?:CPR\s{1,2})?(?:[Pp]arts?|Pt)\s{1,2}",
    "rule": r"(?:CPR\s{1,2})?(?:[Rr]ules?|rr?\.?)\s{0,2}",
    "direction": r"(?:(?:CPR\s)?(?:[Pp]ractice\s[Dd]irection|PD)\s{0,2})",
    "section": r"(?:[Ss]ections?|[Ss]s?\.?)\s{0,2}",
    "paragraph": r"(?:[Pp]aragraphs?|[Pp]aras?\.?)\s{1,2}",
    "regulation": r"(?:[Rr]egulations?|[Rr]egs?\.?)\s{1,2}",
    "article": r"(?:[Aa]rticles?|[Aa]rts?\.?)\s{1,2}",
    "schedule": r"(?:Schedules?|Schs?\.?)\s{1,2}",
    "order": r"(?:RSC|CCR)\s{1,2}Ord(?:er|\.)?\s{0,2}",
    "annex": r"(?:Annex|Appendix)\s{1,2}",
}
_NUMBERS = {
    "code": _RULE,
    "part": r"(?:\d{1,2}[A-Z]?(?:\.\d{1,3}[A-Z]{0,2})?|[IVX]{1,5})",
    "rule": _RULE + _SPACED,
    "direction": rf"\d{{1,3}}(?:[A-Z]{{1,3}}\d?|{SPACED_TWO})(?:\.\d{{1,3}}[A-Z]?){{0,3}}",
    "section": _PARAGRAPH + _SPACED,
    "paragraph": _PARAGRAPH,
    "regulation": r"\d{1,4}[A-Z]{0,3}(?:\.\d{1,3})?" + _SPACED,
    "article": r"\d{1,4}[A-Z]{0,3}",
    "order": r"\d{1,2}[A-Z]?",
    "schedule": r"\d{1,2}[A-Z]{0,2}",
    "annex": r"(?:[A-Z]|\d{1,2}[A-Z]?|[IVX]{1,4})",
}
_FIRST = {kind: label(number) for kind, number in _NUMBERS.items()}
_AGAIN = {kind: label(number, _WORDS[kind]) for kind, number in _NUMBERS.items()}
_MORE = {kind: label(number, f"(?:{_WORDS[kind]})?") for kind, number in _NUMBERS.items()}
for _kind in ("code", "rule"):  # "CPR 3.4 and 3.5" is a list, "rule 3.4 and 14 days" is none
    _AGAIN[_kind] = label(_DOTTED, f"(?:{_WORDS[_kind]})?")


def opener_at(text: str, at: int) -> re.Match[str] | None:
    """Return the word at a place that opens a provision; its kind is the match's `lastgroup`."""
    form = _OPENERS.get(text[at : at + 1])
    return form.match(text, at) if form else None


def likely(text: str) -> Iterator[int]:
    """Yield where `opener_at` is worth a try: words that stand by themselves, and not the s of "claimant's 33"."""
    for found in _LIKELY.finditer(text):
        at = found.start()
        if at == 0 or text[at - 1] not in "'’_":
            yield at


@functools.lru_cache(256)
def _several(word: str) -> bool:
    return _PLURAL.search(word) is not None


def members(text: str, opener: re.Match[str]) -> list[Member]:
    """Return the labels after a word that opens a provision, the first with that word."""
    kind, start, end = opener.lastgroup or "", *opener.span()
    return series(text, end, _FIRST[kind], (_MORE if _several(opener[0]) else _AGAIN)[kind], start)
