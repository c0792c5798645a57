"""The terms that two texts share and few others have: bigrams of Chinese, Japanese and Korean, words of other scripts.

What is marked in a text is what made it match. Terms of one document in twenty are left out, for those are in nearly
every text, and all of it would be marked.
"""

import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from operator import add

from msgspec import Struct, field

# Han, kana and Hangul: scripts written without spaces, or with spaces that are not word bounds of an index.
CJK = "々〇぀-ヿㇰ-ㇿ㐀-䶿一-鿿가-힯豈-﫿\U00020000-\U0003ffff"
WINDOW = 96  # characters of a long text that are shown
_RARE = 0.05  # of the documents
_SAMPLE = 1024  # documents, at least half of them once there are so many
_LEAD = 8  # characters before the first marked one
_CUT_WORD = re.compile(r"^…\S{0,15}\s|\s\S{0,15}…$")  # at an end; longer in scripts without spaces
_WORD = re.compile(f"[^\\W_{CJK}]{{2,}}")
_RUN = re.compile(f"[{CJK}]{{2,}}")


class Sample(Struct):
    """Documents spread evenly over a collection of any size, and how many there were."""

    texts: list[str] = field(default_factory=list)
    seen: int = 0
    _every: int = 1

    def add(self, text: str) -> None:
        """See the next document."""
        if self.seen % self._every == 0:
            self.texts.append(text)
            if len(self.texts) == _SAMPLE:
                del self.texts[1::2]
                self._every *= 2
        self.seen += 1


def terms(text: str) -> set[str]:
    """Return the terms of a text."""
    lowered = _lower(text)
    words = set(_WORD.findall(lowered))
    for run in _RUN.findall(lowered):
        words.update(map(add, run, run[1:]))
    return words


def rarity(wanted: set[str], sample: Sequence[str]) -> dict[str, float]:
    """Return the inverse document frequency of those terms that few documents of a sample have."""
    counts = dict.fromkeys(wanted, 0)
    for text in sample:
        for term in _pieces(_lower(text)) & wanted:
            counts[term] += 1
    most = max(2.0, _RARE * len(sample))
    return {term: math.log((len(sample) + 1) / (count + 1)) for term, count in counts.items() if count < most}


def marked(text: str, weights: Mapping[str, float], window: int = WINDOW) -> list[str]:
    """Return the part of a text in which the terms with weights are densest: plain and marked pieces in turn.

    Parameters
    ----------
    text
        Of the document.
    weights
        Of terms of the query.
    window
        Characters that are returned of a longer text.
    """
    places = _places(_lower(text), weights)
    begin = _densest(places, weights, window) if len(text) > window else 0
    begin = max(0, min(begin, len(text) - window))
    end = min(len(text), begin + window)
    pieces, at = ["…" if begin else ""], begin
    for first, last in _spans((place, place + len(term)) for place, term in places):
        if first >= begin and last <= end:
            pieces[-1] += text[at:first]
            pieces += [text[first:last], ""]
            at = last
    pieces[-1] += text[at:end] + ("…" if end < len(text) else "")
    return pieces


def whole_words(pieces: Sequence[str]) -> tuple[str, ...]:
    """Return pieces as `marked` makes them, without a part of a word at a cut end."""
    return tuple(
        _CUT_WORD.sub("…", piece) if place in (0, len(pieces) - 1) else piece for place, piece in enumerate(pieces)
    )


def _lower(text: str) -> str:
    """Return a text in lower case, as it is where that would move its characters."""
    lowered = text.lower()
    return lowered if len(lowered) == len(text) else text


def _pieces(lowered: str) -> set[str]:
    """Return the words of a text and all pairs of its characters, the bigrams among them."""
    pieces = set(map(add, lowered, lowered[1:]))
    pieces.update(_WORD.findall(lowered))
    return pieces


def _places(lowered: str, weights: Mapping[str, float]) -> list[tuple[int, str]]:
    """Return where the terms stand, from the left."""
    if not weights:
        return []
    places = [(place, term) for term in weights if term in lowered for place in _all_of(term, lowered)]
    pairs = [(place, term) for place, term in places if _RUN.fullmatch(term)]
    if len(pairs) == len(places):
        return sorted(pairs)
    # A word stands between what is no letter of one, and one of two letters within another is no pair.
    words = [(match.start(), match.group()) for match in _WORD.finditer(lowered) if match.group() in weights]
    return sorted(pairs + words)


def _all_of(term: str, text: str) -> Iterator[int]:
    """Yield where a term stands in a text, also where it overlaps itself."""
    place = text.find(term)
    while place >= 0:
        yield place
        place = text.find(term, place + 1)


def _densest(places: Sequence[tuple[int, str]], weights: Mapping[str, float], window: int) -> int:
    """Return where the window begins that has the greatest sum of weights, each term once."""
    best, begin, total, first = 0.0, 0, 0.0, 0
    inside: dict[str, int] = {}
    for place, term in places:
        inside[term] = inside.get(term, 0) + 1
        total += weights[term] if inside[term] == 1 else 0.0
        while place + len(term) - places[first][0] > window - _LEAD:
            gone = places[first][1]
            inside[gone] -= 1
            total -= 0.0 if inside[gone] else weights[gone]
            first += 1
        if total > best + 1e-9:
            best, begin = total, places[first][0] - _LEAD
    return begin


def _spans(places: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return the stretches that touching or overlapping places make."""
    spans: list[tuple[int, int]] = []
    for first, last in places:
        if spans and first <= spans[-1][1]:
            spans[-1] = (spans[-1][0], max(last, spans[-1][1]))
        else:
            spans.append((first, last))
    return spans
