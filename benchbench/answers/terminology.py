"""Does the answer use UK legal terms, and not the US ones?"""

import re
from collections.abc import Sequence
from functools import cache

from benchbench.answers.citations.law_lists import law_lists
from benchbench.answers.metrics import Mark, MetricWords, Value, metric
from benchbench.tables.questions import Answer

_POWER = re.compile(r"\bpowers?\s+of\s+$", re.IGNORECASE)  # a power of attorney is one in England, too …
_GENERAL = r"(?![\s-]+general)"  # … and so is the Attorney General
_BEFORE = 30  # characters that "powers of" fits in, with line breaks


def _pattern(terms: Sequence[str]) -> re.Pattern[str]:
    spelled = "|".join(re.escape(term) + r"s?\b" + (_GENERAL if term == "attorney" else "") for term in terms)
    return re.compile(rf"\b(?:{spelled})".replace(r"\ ", r"\s+"), re.IGNORECASE)


@cache
def _terms() -> list[tuple[int, bool, str, re.Pattern[str]]]:
    """Return the number of a concept, whether these are its UK terms, the beginning of one of them, and all of them."""
    return [
        (number, law == "uk", first, _pattern(concept[law]))
        for number, concept in enumerate(law_lists("uk")["concepts"])
        for law in concept
        for first in sorted({term.split()[0].casefold() for term in concept[law]})
    ]


def _power(text: str, at: int) -> bool:
    return text[at : at + 8].casefold() == "attorney" and bool(_POWER.search(text, max(0, at - _BEFORE), at))


_Places = dict[tuple[int, bool], list[tuple[int, int]]]  # by the number of a concept and whether in UK terms


def _places(text: str) -> _Places:
    """Return where a text has terms; patterns are tried only where a term's first word stands."""
    folded = text.casefold()
    aligned = len(folded) == len(text)  # "ß" becomes "ss", which moves places
    places: _Places = {}
    for number, uk, first, pattern in _terms():
        if first not in folded:
            continue
        if not aligned:
            spans = [match.span() for match in pattern.finditer(text) if not _power(text, match.start())]
            if (number, uk) not in places and spans:
                places[number, uk] = spans
            continue
        at = folded.find(first)
        while at >= 0:
            if (one := pattern.match(text, at)) and not _power(text, at):
                places.setdefault((number, uk), []).append(one.span())
            at = folded.find(first, at + len(first))
    return places


@metric(
    "legal_terminology_accuracy",
    "Share of the truth's UK legal terms that the answer uses; US terms in their place, or besides, count against it.",
    good=0.9,
    acceptable=0.7,
    words=MetricWords(
        "UK terminology",
        "terms",
        "uses the terms of the reference",
        "no reference answer has a UK term, and no answer a US one",
        "term missed",
        "US term",
    ),
)
def legal_terminology_accuracy(answer: Answer) -> Value:
    """Score each concept that the truth names in UK terms, and each that the answer names in US ones.

    A concept counts 1 when the answer names it in UK terms only, 0.5 when in both, else 0. The score is their mean, 1
    when there is no concept. US terms are not wrong for a concept that the truth itself names in US terms.
    """
    assert answer.response is not None
    truth, response = _places(answer.truth), _places(answer.response)
    points: list[float] = []
    marks: list[Mark] = []
    named = {number for number, uk in truth if uk}
    strange = {number for number, uk in response if not uk} - {number for number, uk in truth if not uk}
    for number in sorted(named | strange):
        expected = truth.get((number, True), ())
        right = sorted(response.get((number, True), ()))
        wrong = sorted(response[number, False]) if number in strange else []
        points.append(0.0 if not right or not expected else 0.5 if wrong else 1.0)
        marks += [Mark(*place, "matched") for place in right if expected]
        marks += [Mark(*place, "wrong", f"for {law_lists('uk')['concepts'][number]['uk'][0]}") for place in wrong]
        if expected and not right:
            marks.append(Mark(*min(expected), "missed"))
    score = sum(points) / len(points) if points else 1.0
    return Value(score, expected=bool(points), marks=tuple(marks))
