"""Citations of the law of England and Wales: provisions and neutral citations of cases."""

import re
from bisect import bisect_right

from benchbench.answers.citations.citation import Citation
from benchbench.answers.citations.document_citations import blanked
from benchbench.answers.citations.uk_cases import cases
from benchbench.answers.citations.uk_provisions import provisions

_SENTENCE = re.compile(r"\[(?=[^\[\]\n]{20,300}\.\])")  # [Or where paragraph 9 applies.] names no document
_EMPHASIS = re.compile(r"\*{1,3}(?=[^\s*])|(?<=[^\s*])\*{1,3}|(?<!\w)_{1,2}(?=[^\W_])|(?<=[^\W_])_{1,2}(?!\w)|`")


def extract(text: str) -> list[Citation]:
    """Return the citations of a text in the order of their places; the signs of **emphasis** are passed over."""
    plain, places = _plain(blanked(_SENTENCE.sub("(", text) if "[" in text else text))
    citations = sorted([*provisions(plain), *cases(plain)], key=lambda citation: (citation.start, citation.end))
    if not places:
        return citations
    return [one._replace(start=_back(places, one.start), end=_back(places, one.end - 1) + 1) for one in citations]


def _plain(text: str) -> tuple[str, list[tuple[int, int]]]:
    """Return the text without signs of emphasis, and places in it with how much was left out before each."""
    pieces, places, position, short = [], [], 0, 0
    for sign in _EMPHASIS.finditer(text) if "*" in text or "_" in text or "`" in text else ():
        pieces.append(text[position : sign.start()])
        position = sign.end()
        short += len(sign[0])
        places.append((position - short, short))
    return "".join([*pieces, text[position:]]), places


def _back(places: list[tuple[int, int]], place: int) -> int:
    at = bisect_right(places, (place, 1 << 60)) - 1
    return place + places[at][1] if at >= 0 else place
