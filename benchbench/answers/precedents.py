"""Does the answer cite the documents that the truth cites, by the same name or a similar one?

Names are compared at four levels. The share of expected documents found at each level is reported separately, because
only the first level is certain:

exact
    The same name after normalising: 1.0. A document cited with another page or section is the same document.
containment
    One name is in the other, at word boundaries: 0.95.
overlap
    At least half of the words of both are shared, and their numbers do not differ: 0.75 to 0.9, by the share.
topic
    Both speak of one of the topics in `citations/uk.toml`: 0.75.

Documents of different books of rules do not fit: Part 12 of the Family Procedure Rules is not CPR Part 12, and a
numbered Part, rule or direction without a book is of the CPR.

Names with the titles of sections behind them are compared too: `[Offers to Settle]` is in
`[Part 36#page=Offers to Settle]`. Whether pages and sections agree is reported apart.
"""

import functools
import re
import unicodedata
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from benchbench.answers.citations import document_citations
from benchbench.answers.citations.citation import Citation
from benchbench.answers.citations.law_lists import law_lists
from benchbench.answers.citations.uk_books import CPR, book_of
from benchbench.answers.metrics import Mark, MetricWords, Value, metric
from benchbench.tables.questions import Answer

LEVELS = ("exact", "containment", "overlap", "topic")
PAGE = "precedent_page"  # the share of pages and sections that agree

_MARK = re.compile(r"\[(\d{1,3})\]")
_ENDING = re.compile(r"[.](pdf|html?|docx?|md|txt)$", re.IGNORECASE)
_NUMBERED = re.compile(r"\b(?:part|pt|rules?|rr?|practice direction|pd)\s?\d")
_STOP = frozenset(("the", "and", "for", "with", "about", "from", "into", "under", "general", "rules", "practice"))


class _Document(NamedTuple):
    """A cited document, name and section normalised."""

    name: str
    section: str

    @property
    def titled(self) -> str:
        """The name with the title of the section; the number of a page says nothing about the document."""
        return self.name if self.section.isdecimal() else f"{self.name} {self.section}".strip()


_Places = list[tuple[int, int]]


@metric(
    "precedent_matching",
    "How well the answer cites the documents that the truth cites, at four levels of certainty.",
    good=0.7,
    acceptable=0.5,
    parts=[*(f"precedent_{level}" for level in LEVELS), PAGE],
    words=MetricWords(
        "Sources",
        "sources",
        "cites the documents of the reference",
        "no reference answer cites a document",
        "source not cited",
    ),
)
def precedent_matching(answer: Answer) -> Value:
    """Score each document that the truth cites by the best level at which the answer cites it; the mean of them.

    `precedent_page` is the share of the truth's documents with a page or section that the answer cites with the same
    name and the same page or section; a truth without any has no such number. `[n]` in the answer stands for the
    n-th document of the context, when that begins with a name and a colon.
    """
    assert answer.response is not None
    expected = _named(document_citations.documents(answer.truth))
    cited = {**_named(document_citations.documents(answer.response)), **_numbered(answer)}
    levels = dict.fromkeys(LEVELS, 0)
    if not expected:
        return Value(1.0, expected=False, parts=_parts(levels, 1))
    matched: set[str] = set()
    total = 0.0
    marks: list[Mark] = []
    for document, places in expected.items():
        score, level, other = max(((*_fit(document, other), other) for other in cited), default=(0.0, "", document))
        total += score
        if level:
            levels[level] += 1
            matched.add(other.name)
        else:
            marks += [Mark(*place, "missed") for place in places]
    marks += [
        Mark(*place, "matched" if document.name in matched else "unexpected")
        for document, places in cited.items()
        for place in places
    ]
    placed = [document for document in expected if document.section]
    parts = _parts(levels, len(expected))
    if placed:
        parts[PAGE] = sum(document in cited for document in placed) / len(placed)
    return Value(total / len(expected), parts=parts, marks=tuple(sorted(marks, key=lambda mark: mark.start)))


def _parts(levels: dict[str, int], expected: int) -> dict[str, float]:
    return {f"precedent_{level}": number / expected for level, number in levels.items()}


def _fit(expected: _Document, cited: _Document) -> tuple[float, str]:
    """Return how well two citations fit, by their names alone or with the titles of their sections behind them."""
    by_name = compare(expected.name, cited.name) if expected.name and cited.name else (0.0, "")
    return max(by_name, compare(expected.titled, cited.titled))


@functools.lru_cache(1 << 14)  # many answers cite the same documents
def compare(expected: str, cited: str) -> tuple[float, str]:
    """Return how well two normalised names fit, and at which level; 0 and no level where they do not."""
    if expected == cited:
        return 1.0, "exact"
    if _books_differ(expected, cited):
        return 0.0, ""
    if _within(expected, cited) or _within(cited, expected):
        return 0.95, "containment"
    one, other = _words(expected), _words(cited)
    shared = len(one & other) / len(one | other) if one | other else 0.0
    if shared >= 0.5 and _numbers_fit(one, other):
        return 0.75 + 0.3 * (shared - 0.5), "overlap"
    if any(_speaks(expected, topic) and _speaks(cited, topic) for topic in law_lists("uk")["topics"]):
        return 0.75, "topic"
    return 0.0, ""


@functools.lru_cache(1 << 12)
def normalised(name: str) -> str:
    """Return a name without case, punctuation and file ending."""
    text = unicodedata.normalize("NFKC", _ENDING.sub("", name)).casefold()
    return " ".join(re.findall(r"[^\W_]+(?:\.\d+)*", text))


def _named(citations: Iterable[Citation]) -> dict[_Document, _Places]:
    named: dict[_Document, _Places] = {}
    for citation in citations:
        document = _Document(normalised(citation.source), normalised(" ".join(citation.path)))
        if any(document):
            named.setdefault(document, []).append((citation.start, citation.end))
    return named


def _numbered(answer: Answer) -> dict[_Document, _Places]:
    named: dict[_Document, _Places] = {}
    for mark in _MARK.finditer(answer.response or ""):
        number = int(mark[1])
        if 1 <= number <= len(answer.context):
            name, colon, _ = answer.context[number - 1][:300].partition(":")
            source, _, section = name.partition("#page=")
            document = _Document(normalised(source), normalised(section))
            if colon and any(document):
                named.setdefault(document, []).append(mark.span())
    return named


def _within(part: str, whole: str) -> bool:
    return f" {part} " in f" {whole} "


def _words(name: str) -> frozenset[str]:
    return frozenset(word for word in name.split() if (len(word) > 2 or word[0].isdecimal()) and word not in _STOP)


def _numbers_fit(one: frozenset[str], other: frozenset[str]) -> bool:
    """Return whether all numbers of one are in the other: Part 44 is never Part 36."""
    mine, others = ({word for word in words if word[0].isdecimal()} for words in (one, other))
    return mine <= others or others <= mine


def _books_differ(one: str, other: str) -> bool:
    mine, others = ((book_of(name) or (CPR if _NUMBERED.search(name) else "")) for name in (one, other))
    return mine != others and "" not in (mine, others)


def _speaks(name: str, topic: Sequence[str]) -> bool:
    return any(_within(" ".join(re.findall(r"[^\W_]+", term)), name) for term in topic)
