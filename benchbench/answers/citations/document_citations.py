"""Citations of documents, as assistants write them: [Part 36], [Part 36#page=Offers to Settle], [file.pdf#page=3]."""

import functools
import re

from benchbench.answers.citations.citation import Citation
from benchbench.answers.citations.series import Path

_BRACKET = re.compile(r"\[([^\[\]\n]{1,300})\](?!\()")
_MARK = re.compile(r"[\d\s,;–—-]+|\^?\w")  # [1], [1, 2], [1-3], [a]: a number is a mark, and a letter too
_PLACEHOLDER = re.compile(r"[A-Z0-9]+(?:_[A-Z0-9]+)+|[. …_]*")


def documents(text: str) -> list[Citation]:
    """Return the document citations of a text in order: the name is the source, the page or section the path.

    Numeric marks such as [1], placeholders such as [TENANT_ID], the year of [2024] UKSC 1 and the text of a Markdown
    link are none.
    """
    return [
        Citation("document", *named, *match.span())
        for match in (_BRACKET.finditer(text) if "[" in text else ())
        if (named := _document(match[1]))
    ]


@functools.lru_cache(4096)  # many answers cite the same documents
def _document(written: str) -> tuple[str, Path] | None:
    """Return name and path of a text in brackets; None when it is no document."""
    name, _, section = written.partition("#page=")
    name, section = " ".join(name.split()), " ".join(section.split())
    if not name or _MARK.fullmatch(name) or _PLACEHOLDER.fullmatch(name):
        return None
    return name, (section,) if section else ()


def marks(text: str) -> list[int]:
    """Return the numbers of well-formed marks in order: [1][2] has 1 and 2, [1, 2] has none."""
    return [int(match[1]) for match in re.finditer(r"\[(\d{1,3})\]", text)]


def blanked(text: str, sections_only: bool = False) -> str:
    """Return the text with its document citations blanked: [Part 36#page=Offers] names a document and no law.

    `sections_only` leaves those without "#page=" as they are, for texts that use brackets for other things too.
    """

    def blank(match: re.Match[str]) -> str:
        named = _document(match[1])
        return " " * len(match[0]) if named and (named[1] or not sections_only) else match[0]

    return _BRACKET.sub(blank, text) if "[" in text else text
