"""Texts with tags of HTML that a converter left in them."""

import re
from collections.abc import Iterator

from benchbench.audit.check import check
from benchbench.audit.finding import SHOWN, Examples, Finding, around, finding, many
from benchbench.audit.judged import Judged
from benchbench.formats.collection import Document

_NAMES = (
    "a|b|blockquote|body|br|center|code|dd|div|dl|dt|em|font|form|h[1-6]|head|hr|html|i|img|li|link|meta|ol|p|pre|"
    "script|section|span|strong|style|sub|sup|table|tbody|td|th|thead|title|tr|u|ul"
)
_VALUE = r"""(?:"[^"<>]*"|'[^'<>]*'|[^\s"'<>]+)"""
_TAG = re.compile(rf"</?(?:{_NAMES})(?:\s+[\w:-]+\s*=\s*{_VALUE})*\s*/?>", re.IGNORECASE)  # and no "a<b and b > c"
_FEWEST = 2  # tags: one may be what a text is about, such as "the tag <br>"


class Markup:
    """Counts texts with tags."""

    def __init__(self) -> None:
        """Begin without any."""
        self.documents, self.queries = Examples(), Examples()
        self.in_tags, self.characters = 0, 0  # of these texts

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
        self.in_tags += sum(len(tag[0]) for tag in tags)
        self.characters += len(text)
        side = self.documents if what == "document" else self.queries
        side.add(what, identifier, around(text, max(tags[0].start(), 10), 10, 50))


@check()
def markup_in_texts(judged: Judged) -> Iterator[Finding]:
    """Say what was found in documents, and in the queries."""
    markup: Markup = judged.kept[Markup]
    for identifier, text in zip(judged.data.queries.ids, judged.data.queries.texts, strict=True):
        markup.take("query", identifier, text)
    documents, queries = markup.documents, markup.queries
    total = documents.count + queries.count
    if total:
        parts = [many(documents.count, "document")] * bool(documents.count)
        parts += [many(queries.count, "query", "queries")] * bool(queries.count)
        shown = [*documents.first(), *queries.first()][:SHOWN]
        yield finding(
            "warning",
            total,
            f"{' and '.join(parts)} {'has' if total == 1 else 'have'} tags of HTML",
            queries=queries.concerned(),
            documents=documents.concerned(),
            examples=[f"{what} {identifier}: {text}" for what, identifier, text in shown],
            effect=f"{markup.in_tags / markup.characters:.1%} of the characters of these texts are tags, which search "
            "by words indexes and models read",
            advice="take the text out of the markup, on both sides alike",
        )
