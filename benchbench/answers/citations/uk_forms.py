"""How provisions are written in England and Wales: the words that open them, and the labels after each."""

import functools
import re
from collections.abc import Iterator

from benchbench.answers.citations.series import LONGEST_RANGE, Path, SeriesMember, between, label, series
from benchbench.answers.citations.uk_books import BOOK
from benchbench.answers.citations.uk_guides import GUIDE, NAMES

_FORMS = {  # what a word opens -> the signs it begins with, and how it is written; the first that fits decides
    "titled": (  # a direction with a title and no number
        "P",
        r"""(?:Practice\s[Dd]irections?|PD)\s{0,2}[-–—:]?\s{0,2}\(?(?:[Oo]n\s)?
        (?:Pre-[Aa]ction\s[Cc]onduct(?:\sand\s(?:Pre-[Aa]ction\s)?Protocols)?
        |Insolvency\sProceedings|Civil\sRecovery\sProceedings|Directors\sDisqualification\sProceedings)\)?
        |PD-?\s?PAC\b""",
    ),
    "supplement": (
        "Pp",
        r"""(?:[Pp]ractice\s[Dd]irection|PD)(?:\s{0,2}[-–—:,]\s{0,2}[A-Z](?:[^.;:\n]|etc\.){0,80}?)?,?\s{1,2}
        (?:supplementing|supplement(?:al|ary)\sto|accompanying|to)\s{1,2}(?:CPR\s)?(?:Part|Pt\.?)\s{1,2}(?=\d)""",
    ),
    "direction": (
        "CPp",
        r"(?:CPR\s{1,2}|C(?:rim|RIM)\.?\s?(?=PD))?"
        r"(?:[Pp]ractice\s[Dd]irections?|PRACTICE\sDIRECTIONS?|PDs?)(?:[ \t]{0,2}|\n)(?=\d)",
    ),
    "code": (
        "CF",
        rf"""{BOOK.replace(" ", "[ ]")}(?:\s{{1,2}}(?:1998|20\d\d))?,?\s{{0,2}}
        (?:(?:[Pp]arts?|Pts?\.?|[Rr]ules?|[Rr]r?\.?)\s{{0,2}})?(?:\$\s{{0,3}})?(?=\d)""",
    ),
    "order": ("CR", r"(?:RSC|CCR),?\s{1,2}Ord(?:er|\.)?\s{0,2}(?=\d)"),
    "guide": ("".join({name[0] for name in NAMES}), GUIDE),
    "part": ("Pp", r"(?:[Pp]arts?|PARTS?|Pts?\.?)\s{1,2}(?=\d|[IVX])"),
    "rule": ("Rr", r"(?!R\d)(?:[Rr]ules?|RULES?|[Rr]r?\.?)\s{0,2}(?:\$\s{0,3})?(?=\d)"),  # R2 is the second respondent
    "inner": (  # subsection (2) of section 33
        "SsPp",
        r"(?:[Ss]ub-?\s?(?:[Ss]ection|[Pp]aragraph|[Rr]ule)s?|[Pp]aragraphs?|[Pp]aras?\.?)\s{1,2}(?=\(\w)",
    ),
    "section": (  # S3 is many things, and so is a capital right after the sign: SE1, sPart
        "Ss§",
        r"(?!S\d|S\.\s?I\b)(?:(?:[Ss]ub-?\s?)?[Ss]ections?|SECTIONS?|[Ss]ect?s?\.|[Ss]s?\.?|§§?)(?:\s{0,2}(?=\d)|(?:\s{1,2}|(?<=[.§]))(?=[A-Z]\d?))",
    ),
    "paragraph": ("PpCc", r"(?:[Pp]aragraphs?|[Pp]aras?\.?|[Cc]hapters?)(?:\s{1,2}|(?<=\.))(?=\d|[A-Z]\d?)"),
    "regulation": ("Rr", r"(?:[Rr]egulations?|[Rr]egs?\.?)\s{1,2}(?=\d)"),
    "article": ("Aa", r"(?:[Aa]rticles?|[Aa]rts?\.?)\s{1,2}(?=\d)"),
    "only": (
        "S",
        r"Schedule(?=,?\s{1,2}(?:Parts?|[Pp]aragraphs?|[Pp]aras?\.?)\s{1,2}[\dIVX]|\s{1,2}to\s(?:the|that)\s)",
    ),
    "schedule": ("S", r"(?:Schedules?|Sch(?:ed)?s?\.?)(?:\s{1,2}|(?<=\.))(?=\d|[A-Z]{1,2}\d)"),
    "annex": ("A", r"(?:Annex(?:es)?|ANNEX|Appendix|APPENDIX|Appendices)\s{1,2}(?=\(?[A-Z\d]{1,4}\b)"),
}
_OPENERS = {  # by the first sign, so that few of the forms are tried
    sign: re.compile(
        "|".join(f"(?P<{kind}>{form})" for kind, (signs, form) in _FORMS.items() if sign in signs), re.VERBOSE
    )
    for sign in {sign for signs, _ in _FORMS.values() for sign in signs}
}
_WORD_BEGINNINGS = (  # signs, and what follows them where they begin a word that may open something
    ("C", r"PR|\.P|rim|RIM|r\.?[ ]?P|[Oo]P|\.[Oo]|CR|hapters?\s|ivil|ourt\sof"),
    ("F", r"PR|\.P|amily"),
    ("P", r"D|arts?\s|ARTS?\s|ts?\b|ractice\s|RACTICE\s|ara"),
    ("R", r"SC|ule|ULE|eg|\b|r(?:\b|\d)"),
    ("S", r"ection|ECTION|ec|ub|ch|\b|s(?:\b|\d)"),
    ("A", r"rt|nnex|NNEX|ppend|PPEND"),
    ("p", r"arts?\s|ara|ractice\s"),
    ("r", r"ule|eg|r?(?:\b|\d)"),
    ("s", r"ec|ub|s?(?:\b|\d)"),
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
_NO_LABEL = r"(?!PD|(?:UK|EU|HM|KC|QC|LJ|MR)(?!\w))"
_DOTTED_PARAGRAPH = rf"{_NO_LABEL}[A-Z]{{0,2}}\d{{1,4}}[A-Z]{{0,3}}(?:\.\d{{1,3}}[A-Z]{{0,2}}){{1,4}}"
_PARAGRAPH = rf"{_NO_LABEL}(?:[A-Z]{{1,2}}\d{{0,3}}|\d{{1,4}}[A-Z]{{0,3}})(?:\.\d{{1,3}}[A-Z]{{0,2}}){{0,4}}"
_WORDS = {  # what may stand again before the second label: "Part 44 to Part 47"
    "code": r"(?:CPR\s{1,2})?(?:(?:[Pp]arts?|Pt|[Rr]ules?|rr?\.?)\s{0,2})",
    "part": r"(?:CPR\s{1,2})?(?:[Pp]arts?|Pt)\s{1,2}",
    "rule": r"(?:CPR\s{1,2})?(?:[Rr]ules?|rr?\.?)\s{0,2}",
    "direction": r"(?:[Pp]ractice\s[Dd]irection|PD)\s{0,2}",
    "section": r"(?:[Ss]ections?|[Ss]s?\.?)\s{0,2}",
    "paragraph": r"(?:[Pp]aragraphs?|[Pp]aras?\.?)\s{1,2}",
    "regulation": r"(?:[Rr]egulations?|[Rr]egs?\.?)\s{1,2}",
    "article": r"(?:[Aa]rticles?|[Aa]rts?\.?)\s{1,2}",
    "schedule": r"(?:Schedules?|Sch(?:ed)?s?\.?)\s{1,2}",
    "inner": r"(?:[Ss]ub-?(?:section|paragraph|rule)|[Pp]aragraph)\s{1,2}",
    "order": r"(?:RSC|CCR)\s{1,2}Ord(?:er|\.)?\s{0,2}",
    "annex": r"(?:Annex|Appendix)\s{1,2}",
}
_NUMBERS = {
    "code": _RULE,
    "part": r"(?:\d{1,2}[A-Z]?(?:\.\d{1,3}[A-Z]{0,2})?|[IVX]{1,5}[A-D]?)(?:[ ][A-HJ-Z](?=\s(?:of|OF|\(|-)|[,.;)]))?",
    "rule": _RULE + _SPACED,
    "direction": rf"\d{{1,3}}(?:[A-Z]{{1,3}}\d?|{SPACED_TWO})(?:\.\d{{1,3}}[A-Z]?){{0,3}}",
    "section": rf"(?:[IVX]{{1,5}}|{_PARAGRAPH})" + _SPACED,
    "inner": r"(?=\()",
    "paragraph": _PARAGRAPH,
    "regulation": r"(?!20\d\d)\d{1,4}[A-Z]{0,3}(?:\.\d{1,3})?" + _SPACED,
    "article": r"\d{1,4}[A-Z]{0,3}",
    "order": r"\d{1,2}[A-Z]?",
    "schedule": r"[A-Z]{0,2}\d{1,2}(?:[A-Z]{1,2}|[ ][A-HJ-Z](?=[ ](?:of|to)[ ]))?",
    "annex": r"(?:(?=\([A-Z\d]{1,2}\))|[A-Z]|\d{1,2}[A-Z]?|[IVX]{1,4})",
}
_FIRST = {kind: label(number) for kind, number in _NUMBERS.items()}
_AGAIN = {kind: label(number, _WORDS[kind]) for kind, number in _NUMBERS.items()}
_MORE = {kind: label(number, f"(?:{_WORDS[kind]})?") for kind, number in _NUMBERS.items()}
_VERBS = "apply|are|and|or|deal|provide|require|govern|contain|set|give|make|allow|permit|state|mean|say|do|have"
# "CPR 3.4 and 3.5" is a list, "rule 3.4 and 14 days" is none, and "CPR 8.5 and 6 set out" has rule 8.6
_ALONE = rf"\d{{1,2}}[A-Z]?(?=[-–—),;.](?!\d)|\s(?:{_VERBS})\b|\s{{0,2}}$)"
for _kind in ("code", "rule"):
    _AGAIN[_kind] = label(rf"(?:{_DOTTED}|\d{{1,2}}[A-Z]?(?=\(\d)|{_ALONE})", f"(?:{_WORDS[_kind]})?")
_POINT = label(r"(?:[A-Z]\.?\d{1,2}(?:\.\d{1,3}){0,3}|\d{1,3}(?:\.\d{1,3}){1,3})")
_BELOW = label(_DOTTED_PARAGRAPH, rf"(?:{_WORDS['paragraph']})?")  # "PD 63.6.1-6.3": paragraphs of a direction
_DIRECTION = re.compile(r"\d{1,3}(?:[A-Z]{1,3}\d?|" + SPACED_TWO + r")\.")
_COMMA = re.compile(r",\s{1,2}(?:and\s)?")
_UNIT = re.compile(r"\s(?:clear|working|business|days?|weeks?|months?|years?|hours?|pages?|copies|per)\b")
_GOES_ON = re.compile(r"(?:\s{1,2}(?:and|or|to|&)\s{1,2}|,\s{1,2})(?=[\dA-Z(])|(?P<range>[-–—])(?=\d)")


def opener_at(text: str, at: int) -> re.Match[str] | None:
    """Return the word at a place that opens a provision; its kind is the match's `lastgroup`."""
    form = _OPENERS.get(text[at : at + 1])
    return form.match(text, at) if form else None


def likely(text: str) -> Iterator[int]:
    """Yield where `opener_at` is worth a try: words that stand by themselves, and not the s of "claimant's 33"."""
    for beginning in _LIKELY.finditer(text):
        at = beginning.start()
        before = text[at - 1] if at else " "
        if before not in "'’_" or (before != "_" and not text[at - 2 : at - 1].isalnum()):
            yield at


@functools.lru_cache(256)
def _several(word: str) -> bool:
    return _PLURAL.search(word) is not None


def members(text: str, opener: re.Match[str]) -> list[SeriesMember]:
    """Return the labels after a word that opens a provision, the first with that word."""
    kind, start, end = opener.lastgroup or "", *opener.span()
    labels = series(text, end, _FIRST[kind], (_MORE if _several(opener[0]) else _AGAIN)[kind], start)
    if (kind == "code" or _several(opener[0])) and len(labels) > 1 and labels[-1].start == labels[-2].start:
        labels += _after_range(text, labels[-1].end, (_AGAIN if kind in ("code", "rule") else _MORE)[kind])
    if kind in ("code", "rule"):
        return _rules(labels, 10 if _several(opener[0]) else 3)
    if (
        kind == "direction"
        and labels
        and not _several(opener[0])
        and len(labels[0].path) > 1
        and (stem := _DIRECTION.match(text, end))
    ):
        inside = series(text, stem.end(), _FIRST["paragraph"], _BELOW, start)
        number = labels[0].path[0]  # "PD 51O.13 and 14.3 below" has 13
        inside = [member for member in inside if member.path[0] == inside[0].path[0]]
        return [SeriesMember((number, *member.path), member.start, member.end) for member in inside] or labels
    return labels


def longer(text: str, opener: re.Match[str], labels: list[SeriesMember]) -> list[SeriesMember]:
    """Return the labels with those after "and" though the word is singular: "section 2 and 5 of the Act".

    They count only where a source follows, which the caller knows; a range without spaces ("s 11-14") counts always.
    """
    kind = opener.lastgroup or ""
    if not labels or kind in ("code", "rule", "part", "direction", "order"):
        return labels
    joint = _GOES_ON.match(text, labels[-1].end)
    return series(text, opener.end(), _FIRST[kind], _MORE[kind], opener.start()) if joint else labels


def _after_range(text: str, end: int, form: re.Pattern[str]) -> list[SeriesMember]:
    """Return the labels after a range and a comma: "sections 1 to 3, 6 and 9"."""
    comma = _COMMA.match(text, end)
    more = series(text, comma.end(), form, form, comma.end()) if comma else []
    return [] if more and _UNIT.match(text, more[0].end) else more


def points(text: str, at: int, start: int) -> list[SeriesMember]:
    """Return the places in a guide that stand after its name without a word: "Guide, D8.2 and F5.4"."""
    return series(text, at, _POINT, _POINT, start)


def _rules(labels: list[SeriesMember], gap: int) -> list[SeriesMember]:
    """Return rules with a number alone after a dotted one in the same Part: "rules 6.32 and 33", "CPR 44.13-17"."""
    last: Path = ()
    for at, member in enumerate(labels):
        if len(last) > 1 and last[1].isdecimal() and len(member.path) == 1 and member.path[0].isdecimal():
            more = int(member.path[0]) - int(last[1])
            if at and labels[at - 1].start == member.start and 0 < more < LONGEST_RANGE:
                paths = between(last, (last[0], *member.path))
                labels[at - 1 : at + 1] = [SeriesMember(path, member.start, member.end) for path in paths]
                return labels
            if not 0 < more <= gap:
                return labels if gap > 3 else labels[:at]
            labels[at] = member._replace(path=(last[0], *member.path))
        last = labels[at].path
    return labels
