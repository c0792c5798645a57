"""Texts with tags of HTML that a converter left in them."""

import re

from benchbench.audit.finding import SHOWN, Check, Concerned, Finding, excerpt, many
from benchbench.audit.source import Audited
from benchbench.formats.collection import Document

_NAMES = (
    "a|b|blockquote|body|br|center|code|dd|div|dl|dt|em|font|form|h[1-6]|head|hr|html|i|img|li|link|meta|ol|p|pre|"
    "script|section|span|strong|style|sub|sup|table|tbody|td|th|thead|title|tr|u|ul"
)
_VALUE = r"""(?:"[^"<>]*"|'[^'<>]*'|[^\s"'<>]+)"""
_TAG = re.compile(rf"</?(?:{_NAMES})(?:\s+[\w:-]+\s*=\s*{_VALUE})*\s*/?>", re.IGNORECASE)  # and no "a<b and b > c"
_FEWEST = 2  # tags: one may be what a text is about, such as "the tag <br>"
_KEPT = 200  # examples that are looked at; the first by id are shown


class Markup:
    """Counts texts with tags."""

    def __init__(self) -> None:
        """Begin without any."""
        self._counts = {"document": 0, "query": 0}
        self._kept: dict[str, list[tuple[str, str]]] = {"document": [], "query": []}
        self._characters = [0, 0]  # in tags, and in all, of these texts

    def add(self, document: Document, text: int) -> None:
        """Take a document."""
        self.take("document", document.id, document.whole)

    def take(self, what: str, identifier: str, text: str) -> None:
        """Take a text of a document or a query."""
        if "<" not in text:
            return
        tags = list(_TAG.finditer(text))
        if len(tags) < _FEWEST:
            return
        self._counts[what] += 1
        self._characters[0] += sum(len(one[0]) for one in tags)
        self._characters[1] += len(text)
        kept, begin = self._kept[what], max(0, tags[0].start() - 10)
        kept.append((identifier, excerpt(("…" if begin else "") + text[begin : begin + 60])))
        if len(kept) > 2 * _KEPT:
            kept.sort()
            del kept[_KEPT:]

    def check(self, data: Audited) -> Check:
        """Say what was found in documents, and in the queries."""
        name = "markup_in_texts"
        for identifier, text in zip(data.queries.ids, data.queries.texts, strict=True):
            self.take("query", identifier, text)
        total = sum(self._counts.values())
        if not total:
            return Check(name, 0)
        kept = {what: sorted(found)[:_KEPT] for what, found in self._kept.items()}
        parts = [
            many(self._counts[what], what, several)
            for what, several in (("document", ""), ("query", "queries"))
            if self._counts[what]
        ]
        ids = {what: Concerned.of(identifier for identifier, _ in found) for what, found in kept.items()}
        finding = Finding(
            name,
            "warning",
            f"{' and '.join(parts)} {'has' if total == 1 else 'have'} tags of HTML",
            total,
            Concerned(ids["query"].ids, self._counts["query"] - len(kept["query"])),
            Concerned(ids["document"].ids, self._counts["document"] - len(kept["document"])),
            [f"{what} {identifier}: {shown}" for what, found in kept.items() for identifier, shown in found][:SHOWN],
            f"{self._characters[0] / self._characters[1]:.1%} of the characters of these texts are tags, which search "
            "by words indexes and models read",
            "take the text out of the markup, on both sides alike",
        )
        return Check(name, total, [finding])
