"""Where the sentences, paragraphs and headings of a text end, and what it says of itself."""

import functools
import re
from bisect import bisect_left

_SENTENCE = re.compile(
    r"[.!?][)\]”\"'’]{0,3}\s{1,3}(?=[A-Z“\"'‘(•])|\n(?=\s{0,4}(?:[•*–-]|\(?\w{1,3}[.)])\s)|\n[ \t]*(?=\n)"
)
_PARAGRAPH = re.compile(r"\n[ \t]*(?=\n)")
_HEADING = re.compile(r"^#{1,6}\s", re.MULTILINE)
_NUMBER = re.compile(r"\n[ \t]{0,4}(\d{1,3})\.\d{1,3}(?:\.\d{1,3})?\.?\s")
_SUBSECTION = re.compile(r"^\s{0,4}(?:\d{1,3}[A-Z]?[.\s—–-]{0,3})?\(\d{1,2}[A-Z]?\)\s", re.MULTILINE)

FAR = 1500  # characters: what is further apart is in no neighbouring sentence


class CitationBounds:
    """Count ends between two places, and tell whose provisions those without a source are."""

    def __init__(self, text: str) -> None:
        self._text = text

    @functools.cached_property
    def numbers(self) -> frozenset[str]:
        """Return the first numbers of the paragraphs of the text: 9 when they are 9.1, 9.2."""
        return frozenset(_NUMBER.findall("\n" + self._text))

    @functools.cached_property
    def paragraphs_of_its_own(self) -> bool:
        """Return whether the text is a direction or a guide: it speaks of itself."""
        return any(
            f"his {word}" in self._text for word in ("Practice Direction", "practice direction", "Guide", "guide")
        )

    @functools.cached_property
    def enactment(self) -> bool:
        """Return whether the text speaks as an Act or an instrument does."""
        text = self._text
        speaks = "his Act" in text or "his section" in text or "his Schedule" in text or "his regulation" in text
        if any(word in text for word in ("his rule", "ractice direction", "ractice Direction", "CPR")):
            return False  # the Rules have numbered paragraphs too
        return (speaks or self.instrument) and _SUBSECTION.search(text) is not None

    @property
    def instrument(self) -> bool:
        """Return whether the text speaks of itself as Regulations or as an Order."""
        return "hese Regulations" in self._text or "his Order" in self._text

    def sentence(self, place: int) -> int:
        """Return where the sentence around a place begins, and no more than 300 characters before it."""
        ends = [end.start() for end in _SENTENCE.finditer(self._text, max(0, place - 300), place + 1)]
        return ends[-1] if ends else max(0, place - 300)

    def sentences(self, start: int, end: int) -> int:
        """Return how many sentences and items of lists end between two places."""
        return self._count(_SENTENCE, start, end)

    def paragraphs(self, start: int, end: int) -> int:
        """Return how many paragraphs end between two places."""
        return self._count(_PARAGRAPH, start, end)

    def headings(self, start: int, end: int) -> int:
        """Return how many headings stand between two places."""
        return bisect_left(self._headings, end) - bisect_left(self._headings, start)

    def _count(self, ends: re.Pattern[str], start: int, end: int) -> int:
        return sum(1 for _ in ends.finditer(self._text, start, end + 1)) if end - start < FAR else FAR

    @functools.cached_property
    def _headings(self) -> list[int]:
        return [match.start() for match in _HEADING.finditer(self._text)] if "#" in self._text else []
