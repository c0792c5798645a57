"""Are sources cited as `[1][2][3]`, and not in a form that readers and programs misread?"""

import functools
import re

from benchbench.answers.metrics import Mark, MetricWords, Value, metric
from benchbench.tables.questions import Answer

_BRACKETS = re.compile(r"\[([^\[\]\n]{1,300})\]")
_NUMBER = re.compile(r"\d{1,3}")
_LETTER = re.compile(r"[^\W\d_]")
_LIST = re.compile(r"\d{1,3}(?:\s*(?:,|;|-|–|—|\bto\b|\band\b|&)\s*\d{1,3})+")

# Numbers without brackets, at the end of a sentence or line. They are no citation after a word that counts (Parts 44,
# 45, 46), nor at the end of a longer list (44.3, 44.4, 45, 46).
_BARE = re.compile(r"\d(?<![\w.,§-].)(?:\d{0,2}(?:,\s\d{1,3}|,\d{1,2}(?!\d)){1,30})(?=\s*(?:\.\s|\.?$))", re.MULTILINE)
_COUNTED = re.compile(
    r"(?:(?<!\w)(?:parts?|rules?|r+\.?|sections?|s+\.?|paragraphs?|paras?\.?|articles?|schedules?|annex(?:es)?|appendix|pages?|"
    r"pp?\.?|chapters?|steps?|stages?|cpr|pd|practice directions?|regulations?|regs?\.?|and|or|to|no\.?|nos\.?|"
    r"numbers?|years?|days?|of|in|on|by)|£|\$|\d,)\s*$",
    re.IGNORECASE,
)
_BEFORE = 24  # characters that the longest of these words fits in


@metric(
    "citation_format_compliance",
    "1 when every citation is [1], [1][2] or [Document#page=Section]; 0.5 when some are malformed; 0 when all are.",
    good=1.0,
    acceptable=0.8,
    needs_truth=False,
    words=MetricWords(
        "Citation format",
        "format",
        "brackets as [1] or [Document]",
        "no answer cites in brackets or as a list of numbers",
        wrong="malformed",
    ),
)
def citation_format_compliance(answer: Answer) -> Value:
    """Look for `[1, 2]`, `[1-3]` and bare `1, 2, 3`; an answer that cites nothing has nothing malformed."""
    text = answer.response
    assert text is not None
    marks: list[Mark] = []
    for written in _BRACKETS.finditer(text) if "[" in text else ():
        judged = _judged(written[1])
        if judged:
            marks.append(Mark(*written.span(), judged))
    for written in _BARE.finditer(text) if "," in text else ():
        if not _COUNTED.search(text, max(0, written.start() - _BEFORE), written.start()):
            marks.append(Mark(*written.span(), "wrong"))
    if not marks:
        return Value(1.0, expected=False)
    wrong = sum(mark.found == "wrong" for mark in marks)
    score = 1.0 if not wrong else 0.0 if wrong == len(marks) else 0.5
    return Value(score, marks=tuple(sorted(marks)))


@functools.lru_cache(4096)  # many answers cite the same documents
def _judged(written: str) -> str:
    """Return the mark of a text in brackets; empty when it is no citation."""
    inner = written.strip()
    if _LIST.fullmatch(inner):
        return "wrong"
    return "matched" if _NUMBER.fullmatch(inner) or _LETTER.search(inner) else ""
