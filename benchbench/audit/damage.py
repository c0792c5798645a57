"""Texts that were damaged on their way.

They have wrong encodings, control characters, entities, several forms of a character, or tags that a converter left.
"""

import re
import unicodedata
from collections.abc import Iterator
from html.entities import html5

from benchbench.audit.check import Judged, Measured, check
from benchbench.audit.documents import TextVisitor
from benchbench.audit.finding import Concerned, Examples, Finding, around, both, finding, many

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

_NAMES = (
    "a|b|blockquote|body|br|center|code|dd|div|dl|dt|em|font|form|h[1-6]|head|hr|html|i|img|li|link|meta|ol|p|pre|"
    "script|section|span|strong|style|sub|sup|table|tbody|td|th|thead|title|tr|u|ul"
)
_VALUE = r"""(?:"[^"<>]*"|'[^'<>]*'|[^\s"'<>]+)"""
_TAG = re.compile(rf"</?(?:{_NAMES})(?:\s+[\w:-]+\s*=\s*{_VALUE})*\s*/?>", re.IGNORECASE)  # and no "a<b and b > c"
_FEWEST = 2  # tags: one may be what a text is about, such as "the tag <br>"

KINDS = {  # of damage, the worst first
    "replaced": "have characters that were lost (U+FFFD)",
    "mojibake": "were decoded with a wrong encoding, as in Ã© for é",
    "surrogates": "have half a surrogate pair, which is not a character",
    "controls": "have control characters",
    "entities": "have HTML entities such as &amp;",
    "unnormalised": "are not in the normal form NFC",
}
_SEVERE = {
    "replaced": "take the damaged texts from their source: this file does not have the lost characters",
    "mojibake": "export the damaged texts again, or repair them (Ã© to é)",
    "surrogates": "export the damaged texts again: characters were lost before this file was written",
}  # and what to do
_MOST = 0.5  # of the texts beyond ASCII: where more were decoded wrongly, all of the file may have been, and here


def damages(text: str) -> dict[str, str]:
    """Return the kinds of damage of a text, each with what stands where it is."""
    kinds = {}
    if not text.isascii():
        if (place := text.find("\ufffd")) >= 0:
            kinds["replaced"] = around(text, place)
        for kind, pattern in (("mojibake", _MOJIBAKE), ("surrogates", _SURROGATE)):
            if match := pattern.search(text):
                kinds[kind] = around(text, match.start())
    if match := _CONTROL.search(text):
        kinds["controls"] = around(text, match.start())
    if "&" in text:
        entities = _ENTITY.finditer(text)
        match = next((match for match in entities if match[0][1] == "#" or match[0][1:] in html5), None)
        if match:
            kinds["entities"] = around(text, match.start())
    if not text.isascii() and not unicodedata.is_normalized("NFC", text):
        normal = unicodedata.normalize("NFC", text)
        pairs = enumerate(zip(text, normal, strict=False))
        kinds["unnormalised"] = around(
            text, next((place for place, (given, wanted) in pairs if given != wanted), len(normal))
        )
    return kinds


class Damage(TextVisitor):
    """Counts damaged texts, and keeps the first of each kind by id."""

    def __init__(self) -> None:
        """Begin without any."""
        self.texts = self.beyond_ascii = 0
        self.kinds = {kind: Examples() for kind in KINDS}

    def take(self, noun: str, identifier: str, text: str) -> None:
        """Take a text of a document or a query."""
        kinds = damages(text)
        self.texts += bool(kinds)
        self.beyond_ascii += not text.isascii()
        for kind, shown in kinds.items():
            self.kinds[kind].add(noun, identifier, shown)


@check("Damaged texts")
def damaged_texts(judged: Judged) -> Iterator[Finding | Measured]:
    """Say what was found in documents, and in the queries."""
    damage: Damage = judged.kept[Damage]
    yield Measured(count=damage.texts)
    effect = "typed queries cannot match these words"  # said once, of the worst kind
    for kind, examples in damage.kinds.items():
        kept, severe = examples.first(), kind in _SEVERE
        advice = _SEVERE.get(kind, "clean documents and queries in the same way")
        if kind == "mojibake" and examples.count > _MOST * damage.beyond_ascii:
            advice = "read the files with their own --encoding"
        documents = Concerned.of(identifier for what, identifier, _ in kept if what == "document")
        yield finding(
            "warning" if severe else "note",
            examples.count,
            f"{many(examples.count, 'text')} {KINDS[kind] if examples.count > 1 else _singular(KINDS[kind])}",
            queries=(identifier for what, identifier, _ in kept if what == "query"),
            documents=Concerned(documents.ids, examples.count - len(kept)),
            examples=(f"{what} {identifier}: {shown}" for what, identifier, shown in kept),
            effect=effect,
            advice=advice,
        )
        effect = "" if examples.count else effect


def _singular(plural: str) -> str:
    verb, rest = plural.split(" ", 1)
    return f"{ {'have': 'has', 'were': 'was', 'are': 'is'}[verb] } {rest}".strip()


class Markup(TextVisitor):
    """Counts texts with tags."""

    def __init__(self) -> None:
        """Begin without any."""
        self.documents, self.queries = Examples(), Examples()
        self.in_tags, self.characters = 0, 0  # of these texts

    def take(self, noun: str, identifier: str, text: str) -> None:
        """Take a text of a document or a query."""
        if "<" not in text:
            return
        tags = list(_TAG.finditer(text))
        if len(tags) < _FEWEST:
            return
        self.in_tags += sum(len(tag[0]) for tag in tags)
        self.characters += len(text)
        side = self.documents if noun == "document" else self.queries
        side.add(noun, identifier, around(text, max(tags[0].start(), 10), 10, 50))


@check("Texts with HTML tags")
def markup_in_texts(judged: Judged) -> Iterator[Finding]:
    """Say what was found in documents, and in the queries."""
    markup: Markup = judged.kept[Markup]
    documents, queries = markup.documents, markup.queries
    total = documents.count + queries.count
    if total:
        first = [*documents.first(), *queries.first()]
        yield finding(
            "warning",
            total,
            f"{both(documents.count, queries.count)} {'has' if total == 1 else 'have'} tags of HTML",
            queries=queries.concerned(),
            documents=documents.concerned(),
            examples=(f"{noun} {identifier}: {text}" for noun, identifier, text in first),
            effect=f"{markup.in_tags / markup.characters:.1%} of the characters of these texts are tags, which search "
            "by words indexes and models read",
            advice="strip the tags from documents and queries",
        )
