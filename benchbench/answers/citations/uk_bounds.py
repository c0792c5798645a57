"""Where the sentences, paragraphs and headings of a text end, and what it says of itself."""

import re
from bisect import bisect_left

_SENTENCE = re.compile(r"[.!?][)\]”\"'’]{0,3}\s{1,3}(?=[A-Z“\"'‘(•])|\n(?=\s{0,4}(?:[•*–-]|\(?\w{1,3}[.)])\s)|\n[ \t]*(?=\n)")
_PARAGRAPH = re.compile(r"\n[ \t]*(?=\n)")
_HEADING = re.compile(r"^#{1,6}\s", re.MULTILINE)
_NUMBER = re.compile(r"^[ \t]{0,4}(\d{1,3})\.\d{1,3}(?:\.\d{1,3})?\.?\s", re.MULTILINE)
_ENACTMENT = re.compile(r"\b[Tt]his (?:Act|section|Schedule)\b|\b[Tt]hese (?:Regulations|Rules)\b|\b[Tt]his (?:regulation|Order)\b")
_SUBSECTION = re.compile(r"^\s{0,4}(?:\d{1,3}[A-Z]?[.\s—–-]{0,3})?\(\d{1,2}[A-Z]?\)\s", re.MULTILINE)


class Bounds:
    """Count ends between two places, and tell whose provisions those without a source are."""

    def __init__(self, text: str) -> None:
        self._sentences = [match.start() for match in _SENTENCE.finditer(text)]
        self._paragraphs = [match.start() for match in _PARAGRAPH.finditer(text)]
        self._headings = [match.start() for match in _HEADING.finditer(text)]
        self.numbers = frozenset(_NUMBER.findall(text))  # 9 when paragraphs of the text have the numbers 9.1, 9.2
        self.enactment = _ENACTMENT.search(text) is not None and _SUBSECTION.search(text) is not None

    def sentences(self, start: int, end: int) -> int:
        """Return how many sentences and items of lists end between two places."""
        return _count(self._sentences, start, end)

    def paragraphs(self, start: int, end: int) -> int:
        """Return how many paragraphs end between two places."""
        return _count(self._paragraphs, start, end)

    def headings(self, start: int, end: int) -> int:
        """Return how many headings stand between two places."""
        return _count(self._headings, start, end)


def _count(places: list[int], start: int, end: int) -> int:
    return bisect_left(places, end) - bisect_left(places, start)
