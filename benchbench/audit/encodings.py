"""Texts that were damaged on their way: wrong encodings, control characters, entities, several forms of a character."""

import re
import unicodedata
from collections import Counter
from html.entities import html5

from benchbench.audit.finding import SHOWN, Check, Concerned, Finding, excerpt, many
from benchbench.audit.source import Audited
from benchbench.formats.collection import Document

_KEPT = 200  # examples of a kind of damage that are looked at; the first by id are shown

# What the bytes 80 to BF are in windows-1252, and in latin-1.
_AFTER = "\x80-\xbf€‚ƒ„…†‡ˆ‰Š‹ŒŽ‘’“”•–—˜™š›œžŸ"
_MOJIBAKE = re.compile(
    f"â€[{_AFTER}]"  # quotes and dashes
    f"|(?<=[a-zà-ÿ])[ÃÅÄ][{_AFTER}]|[ÃÅÄ][{_AFTER}](?=[a-zà-ÿÃÅÄ])"  # accented letters beside small ones
    "|Â[\xa0£°§©®±·µ«]"
    f"|(?:[ã-é][{_AFTER}]{{2}}){{2}}"  # Chinese, Japanese
    f"|(?:[ÐÑ][{_AFTER}]){{2}}"  # Cyrillic
    "|锟斤拷"  # U+FFFD, read as GBK
)
_CONTROL = re.compile("[\x00-\x08\x0b\x0e-\x1f\x7f-\x84\x86-\x9f]")
_SURROGATE = re.compile("[\ud800-\udfff]")
_ENTITY = re.compile(r"&(?:#(?:\d{1,7}|[xX][0-9a-fA-F]{1,6})|[a-zA-Z][a-zA-Z0-9]{1,31});")

KINDS = {  # of damage, the worst first
    "replaced": "have characters that were lost (U+FFFD)",
    "mojibake": "were decoded with a wrong encoding, as in Ã© for é",
    "surrogates": "have half a surrogate pair, which is no character",
    "controls": "have control characters",
    "entities": "have HTML entities such as &amp;",
    "unnormalised": "are not in the normal form NFC",
}
_SEVERE = ("replaced", "mojibake", "surrogates")


def damages(text: str) -> dict[str, str]:
    """Return the kinds of damage of a text, each with what stands where it is."""
    found = {}
    if not text.isascii():
        if (place := text.find("\ufffd")) >= 0:
            found["replaced"] = _around(text, place)
        for kind, pattern in (("mojibake", _MOJIBAKE), ("surrogates", _SURROGATE)):
            if match := pattern.search(text):
                found[kind] = _around(text, match.start())
    if match := _CONTROL.search(text):
        found["controls"] = _around(text, match.start())
    if "&" in text:
        match = next((one for one in _ENTITY.finditer(text) if one[0][1] == "#" or one[0][1:] in html5), None)
        if match:
            found["entities"] = _around(text, match.start())
    if not text.isascii() and not unicodedata.is_normalized("NFC", text):
        normal = unicodedata.normalize("NFC", text)
        same = (place for place, (one, other) in enumerate(zip(text, normal, strict=False)) if one != other)
        found["unnormalised"] = _around(text, next(same, len(normal)))
    return found


def _around(text: str, place: int) -> str:
    begin = max(0, place - 20)
    return excerpt(("…" if begin else "") + text[begin : place + 40])


class Damage:
    """Counts damaged texts, and keeps the first of each kind by id."""

    def __init__(self) -> None:
        """Begin without any."""
        self.texts = 0
        self.counts: Counter[str] = Counter()
        self._kept: dict[str, list[tuple[str, str, str]]] = {kind: [] for kind in KINDS}

    def add(self, document: Document, text: int) -> None:
        """Take a document."""
        self.take("document", document.id, document.whole)

    def take(self, what: str, identifier: str, text: str) -> None:
        """Take a text of a document or a query."""
        found = damages(text)
        self.texts += bool(found)
        for kind, shown in found.items():
            self.counts[kind] += 1
            kept = self._kept[kind]
            kept.append((what, identifier, shown))
            if len(kept) > 2 * _KEPT:
                kept.sort()
                del kept[_KEPT:]

    def check(self, data: Audited) -> Check:
        """Say what was found in documents, and in the queries."""
        name = "damaged_texts"
        for identifier, text in zip(data.queries.ids, data.queries.texts, strict=True):
            self.take("query", identifier, text)
        return Check(name, self.texts, [self._finding(name, kind) for kind in KINDS if self.counts[kind]])

    def _finding(self, name: str, kind: str) -> Finding:
        count, kept = self.counts[kind], sorted(self._kept[kind])[:_KEPT]
        of = {what: [identifier for each, identifier, _ in kept if each == what] for what in ("query", "document")}
        said = KINDS[kind] if count > 1 else _singular(KINDS[kind])
        return Finding(
            name,
            "warning" if kind in _SEVERE else "note",
            f"{many(count, 'text')} {said}",
            count,
            Concerned.of(of["query"]),
            Concerned(Concerned.of(of["document"]).ids, count - len(kept)),
            [f"{what} {identifier}: {shown}" for what, identifier, shown in kept[:SHOWN]],
            "words with such characters are not found by what a person types",
            "read the files with the --encoding that they have" if kind in _SEVERE else "clean both sides alike",
        )


def _singular(said: str) -> str:
    first, rest = said.split(" ", 1)
    return f"{ {'have': 'has', 'were': 'was', 'are': 'is'}[first] } {rest}".strip()
