"""UK legal terms where they belong, and US ones where they do not."""

import re
from dataclasses import dataclass

from benchbench.answers.metrics import Mark, Value, metric
from benchbench.tables.answers import Answer


@dataclass(frozen=True, slots=True)
class Concept:
    """What one jurisdiction calls so, and another otherwise; terms are singular, in any case of letters."""

    uk: tuple[str, ...]
    us: tuple[str, ...] = ()


CONCEPTS = (
    Concept(("claimant",), ("plaintiff",)),
    Concept(("solicitor", "barrister"), ("attorney", "lawyer")),
    Concept(("judgment",), ("judgement",)),
    Concept(("disclosure",), ("discovery",)),
    Concept(("Part 36 offer",), ("settlement offer",)),
    Concept(("QOCS", "qualified one-way costs shifting")),
    Concept(("witness statement",), ("deposition",)),
    Concept(("interim injunction",), ("preliminary injunction", "temporary restraining order")),
)

_NOT_US = r"(?<!power of )(?<!powers of )"  # a power of attorney is one in England, too …
_NOR_US = r"(?!s? general)"  # … and so is the Attorney General


def _pattern(terms: tuple[str, ...]) -> re.Pattern[str]:
    spelled = "|".join(
        _NOT_US + re.escape(term) + r"s?\b" + _NOR_US if term == "attorney" else re.escape(term) + r"s?\b"
        for term in terms
    )
    return re.compile(rf"\b(?:{spelled})".replace(r"\ ", r"\s+"), re.IGNORECASE)


class _Terms:
    """Terms to look for; a text that has none of their first words, as most have not, is not searched."""

    def __init__(self, terms: tuple[str, ...]) -> None:
        self._firsts = tuple({term.split()[0].casefold() for term in terms})
        self._pattern = _pattern(terms)

    def places(self, text: str, folded: str) -> list[tuple[int, int]]:
        """Return where they stand in a text, of which `folded` is the same without case."""
        if not any(first in folded for first in self._firsts):
            return []
        return [found.span() for found in self._pattern.finditer(text)]


_TERMS = [(_Terms(concept.uk), _Terms(concept.us)) for concept in CONCEPTS]


@metric(
    "legal_terminology_accuracy",
    "Share of the truth's UK legal terms that the answer uses; US terms in their place, or besides, count against it.",
    good=0.9,
    acceptable=0.7,
)
def legal_terminology_accuracy(answer: Answer) -> Value:
    """Score each concept that the truth names in UK terms, and each that the answer names in US ones.

    A concept counts 1 when the answer names it in UK terms only, 0.5 when in both, else 0; the score is their
    mean, 1 where there is none.
    """
    assert answer.response is not None
    truth, response = answer.truth.casefold(), answer.response.casefold()
    points: list[float] = []
    marks: list[Mark] = []
    for uk, us in _TERMS:
        expected = uk.places(answer.truth, truth)
        right = uk.places(answer.response, response)
        wrong = us.places(answer.response, response)
        if not expected and not wrong:
            continue
        points.append(0.0 if not right or not expected else 0.5 if wrong else 1.0)
        marks += [Mark(*place, "matched") for place in right if expected]
        marks += [Mark(*place, "wrong") for place in wrong]
        if not right:
            marks += [Mark(*place, "missed") for place in expected[:1]]
    score = sum(points) / len(points) if points else 1.0
    return Value(score, expected=bool(points), marks=tuple(marks))
