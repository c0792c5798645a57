"""How provisions are written in England and Wales: the words that open them, and the labels after each."""

import re
from collections.abc import Iterator

from benchbench.answers.citations.series import Member, label, series
from benchbench.answers.citations.uk_guides import GUIDE

OPENER = re.compile(
    rf"""
    (?P<conduct>(?:Practice\s[Dd]irection|PD)s?\s{{0,2}}[-–—:]?\s{{0,2}}(?:on\s)?Pre-[Aa]ction\s[Cc]onduct
        (?:\sand\s(?:Pre-[Aa]ction\s)?Protocols)?)
    |(?P<direction>(?:CPR\s{{1,2}})?(?:[Pp]ractice\s[Dd]irections?|PRACTICE\sDIRECTIONS?|PDs?)\s{{0,2}}(?=\d))
    |(?P<code>(?:CPR|FPR|CrimPR),?\s{{0,2}}(?:(?:[Pp]arts?|Pts?\.?|[Rr]ules?|rr?\.?)\s{{0,2}})?(?=\d))
    |(?P<order>(?:RSC|CCR),?\s{{1,2}}Ord(?:er|\.)?\s{{0,2}}(?=\d))
    |(?P<guide>{GUIDE})
    |(?P<part>(?:[Pp]arts?|PARTS?|Pts?\.?)\s{{1,2}}(?=\d|[IVX]))
    |(?P<rule>(?:[Rr]ules?|RULES?|[Rr]r?\.?)\s{{0,2}}(?=\d))
    |(?P<section>(?:[Ss]ections?|SECTIONS?|[Ss]s?\.?|§§?)\s{{0,2}}(?=\d|[A-Z]\d?))
    |(?P<paragraph>(?:[Pp]aragraphs?|[Pp]aras?\.?|[Cc]hapters?)\s{{1,2}}(?=\d|[A-Z]\d?))
    |(?P<regulation>(?:[Rr]egulations?|[Rr]egs?\.?)\s{{1,2}}(?=\d))
    |(?P<article>(?:[Aa]rticles?|[Aa]rts?\.?)\s{{1,2}}(?=\d))
    |(?P<schedule>(?:Schedules?|Schs?\.?)\s{{1,2}}(?=\d))
    |(?P<annex>(?:Annex(?:es)?|ANNEX|Appendix|APPENDIX|Appendices)\s{{1,2}}(?=[A-Z\d]{{1,4}}\b))
    """,
    re.VERBOSE,
)
_LIKELY = re.compile(  # without groups, so that the words that open nothing cost little; OPENER decides
    r"\b(?:CPR|FPR|CrimPR|RSC|CCR|PD|P(?:art|ART|t|ractice|RACTICE|ara)|p(?:art|ara|ractice)|[Rr](?:ule|ULE|eg|r?\b)"
    rf"|[Ss](?:ection|ECTION|ch|s?\b)|[Cc]hapter|[Aa]rt|A(?:nnex|NNEX|ppend|PPEND)|{GUIDE})|§"
)
_PLURAL = re.compile(
    r"(?:parts|pts|rules|rr|directions|pds|sections|ss|§§|paragraphs|paras|chapters|regulations|regs"
    r"|articles|arts|schedules|schs|annexes|appendices)\.?\s*$",
    re.IGNORECASE,
)
SPACED = r"(?:[ ][A-HJ-Z]{1,2}(?!\w))?"  # "section 47 A" and "PD 57 AD", as some texts have it
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
    "rule": _RULE + SPACED,
    "direction": rf"\d{{1,3}}(?:[A-Z]{{1,3}}\d?|{SPACED})(?:\.\d{{1,3}}[A-Z]?){{0,3}}",
    "section": _PARAGRAPH + SPACED,
    "paragraph": _PARAGRAPH,
    "regulation": r"\d{1,4}[A-Z]{0,3}(?:\.\d{1,3})?" + SPACED,
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


def openers(text: str) -> Iterator[re.Match[str]]:
    """Yield the words that open a provision and stand by themselves: not the s of "claimant's 33"."""
    for likely in _LIKELY.finditer(text):
        at = likely.start()
        opener = OPENER.match(text, at)
        if opener and (at == 0 or text[at - 1] not in "'’_"):
            yield opener


def members(text: str, opener: re.Match[str]) -> list[Member]:
    """Return the labels after a word that opens a provision, the first with that word."""
    kind = opener.lastgroup or ""
    several = _PLURAL.search(opener[0]) is not None
    found = series(text, opener.end(), _FIRST[kind], (_MORE if several else _AGAIN)[kind])
    first = [one for one in found if one.start == opener.end()]
    return [Member(one.path, opener.start(), one.end) for one in first] + found[len(first) :]
