"""What in the texts of an item looks like an instruction to the judge.

Nothing is done about it here: the prompt makes data of it, the form of the verdict never changes, and a report lists
it. A text without a finding may be an attack all the same, and one with a finding may only speak of attacks.
"""

import re
from collections.abc import Iterator, Sequence, Set
from typing import Any, NamedTuple

from benchbench.answers.judges.attack_patterns import HIDDEN, WIDE, needles, patterns
from benchbench.answers.judges.prompt import Item
from benchbench.errors import visible

_EXCERPT = 120  # characters
_AROUND = 20
_MOST = 20  # findings of a field
_SEVERAL = 8  # items from which it is worth while to look for all needles in one pass over all texts
_LONG = 20_000  # characters of a text that is looked through by itself: where a needle is found once is enough

_WIDTHLESS = "\u00ad\u180e\u200b-\u200f\u2060-\u2064\ufeff"
_BETWEEN = re.compile(rf"(?:[a-z][{_WIDTHLESS}]){{3}}", re.IGNORECASE)  # of words taken apart
_STRING = re.compile(
    rf"[{_WIDTHLESS}]{{8}}|[\U000e0100-\U000e01ef]{{4}}|(?<![\U0001f3f4\U000e0020-\U000e007f])[\U000e0020-\U000e007f]{{2}}"
)
_TURNED = re.compile("[\u202d\u202e\u2066-\u2069]")
_RIGHT_TO_LEFT = re.compile("[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]")
_UNSEEN = re.compile(rf"[{_WIDTHLESS}\u202a-\u202e\u2066-\u2069\U000e0000-\U000e01ef\ufe00-\ufe0f]+")
_LIKE = str.maketrans(  # letters of other scripts that look like Latin ones, and full-width characters
    {chr(code): chr(code - 0xFEE0) for code in range(0xFF01, 0xFF5F)}
    | {"\u3000": " ", "’": "'", "‘": "'"}
    | dict(zip("аеорсухіјѕԁһӏгпАЕОРСУХІЈЅТКМВН", "aeopcyxijsdhlrnaeopcyxijstkmbh", strict=True))
    | dict(zip("αορντικεΑΒΕΖΗΙΚΜΝΟΡΤΥΧ", "aopvtikeabezhikmnoptyx", strict=True))
)


class Attack(NamedTuple):
    """A place that looks like an instruction to the judge."""

    field: str  # of the item: "document", or "contexts.2" for the second
    start: int  # in characters of the text as it is
    end: int
    kind: str  # "instruction", "persona", "role", "delimiter", "verdict" or "hidden"
    excerpt: str  # visible, with a little around it


def attacks(item: Item) -> list[Attack]:
    """Return what looks like an instruction to the judge, by field and place; places of one kind do not overlap.

    Known are orders to set instructions aside or to give a grade, finished verdicts, special tokens and headings of
    other roles, copies of delimiters, and text that is hidden or taken apart, in English, Japanese and Chinese.
    """
    return attacks_of([item])[0]


def attacks_of(items: Sequence[Item]) -> list[list[Attack]]:
    """Return what `attacks` says of each item; many at once take a fraction of the time."""
    texts = [[text for name, value in item.fields.items() for text in _texts(name, value)] for item in items]
    plain = [_plain(text) for of_item in texts for _, text in of_item]
    there = _needles_of_many(plain) if len(items) >= _SEVERAL else map(_needles_of, plain)
    rest = zip(plain, there, strict=True)
    return [[attack for field, text in of_item for attack in _found(field, text, *next(rest))] for of_item in texts]


def _texts(name: str, value: Any) -> Iterator[tuple[str, str]]:
    if isinstance(value, str):
        yield name, value
    elif isinstance(value, dict):
        for inner in value.values():
            yield from _texts(name, inner)
    elif isinstance(value, list | tuple):
        for number, inner in enumerate(value, start=1):
            yield from _texts(f"{name}.{number}", inner)


def _found(field: str, text: str, plain: str, there: Set[str]) -> list[Attack]:
    kept: list[Attack] = []
    ends: dict[str, int] = {}
    for start, end, kind in sorted({*_matches(plain, there), *_hidden(text)}):
        if start >= ends.get(kind, 0) and len(kept) < _MOST:
            ends[kind] = end
            shown = text[max(start - _AROUND, 0) : end + _AROUND]
            kept.append(Attack(field, start, end, kind, visible(shown, _EXCERPT)))
    return kept


def _matches(plain: str, there: Set[str]) -> Iterator[tuple[int, int, str]]:
    if not there:
        return
    for pattern in patterns():
        if not pattern.needles.isdisjoint(there):
            for match in pattern.regex.finditer(plain):
                yield *match.span(), pattern.kind


def _needles_of(plain: str) -> Set[str]:
    return {needle for needle in needles(not plain.isascii() and max(plain) >= WIDE) if needle in plain}


def _needles_of_many(plain: Sequence[str]) -> Iterator[Set[str]]:
    """Yield the needles that each text has."""
    import polars as pl

    short = [text if len(text) < _LONG else "" for text in plain]
    try:
        column = pl.Series(short, dtype=pl.String)
    except UnicodeEncodeError:  # half a character
        yield from map(_needles_of, plain)
        return
    every = pl.Series(sorted(needles(True))).implode()
    for text, there in zip(plain, column.str.extract_many(every, overlapping=True).to_list(), strict=True):
        yield set(there) if len(text) < _LONG else _needles_of(text)


def _plain(text: str) -> str:
    """Return a text of the same length in lower case, with plain letters."""
    if text.isascii():
        return text.lower()
    text = text.translate(_LIKE)
    lower = text.lower()
    return lower if len(lower) == len(text) else "".join(sign.lower()[:1] for sign in text)


def _without_unseen(text: str) -> tuple[str, list[int]]:
    """Return what is seen of a text, and where each of its characters is."""
    seen: list[str] = []
    places: list[int] = []
    last = 0
    for unseen in _UNSEEN.finditer(text):
        seen.append(text[last : unseen.start()])
        places += range(last, unseen.start())
        last = unseen.end()
    return "".join((*seen, text[last:])), [*places, *range(last, len(text))]


def _hidden(text: str) -> Iterator[tuple[int, int, str]]:
    """Yield what is not seen and takes words apart, spells something or turns it round, and what it hides."""
    if text.isascii() or not _UNSEEN.search(text):
        return
    for pattern in (_BETWEEN, _STRING):
        for match in pattern.finditer(text):
            yield *match.span(), HIDDEN
    if not _RIGHT_TO_LEFT.search(text):
        for match in _TURNED.finditer(text):
            yield *match.span(), HIDDEN
    seen, places = _without_unseen(text)
    plain = _plain(seen)
    for start, end, kind in _matches(plain, _needles_of(plain)):
        yield places[start], places[end - 1] + 1, kind
