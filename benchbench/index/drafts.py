"""Drafts of ground truth from the hits of a search: a question to rewrite, a passage to check, a document cited.

They and exports are written to files that appear whole or not at all.

The question is a template, and the truth is a passage as it stands in the document. A person rewrites the question and
checks the truth before they are used.
"""

import re
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import orjson
from msgspec import structs

from benchbench.answers.citations.uk_books import CPR, book_of
from benchbench.formats.exports import Export
from benchbench.index.look import Looked
from benchbench.prepare.files import together
from benchbench.results.folder import pretty
from benchbench.serve.tokens import tokens
from benchbench.tables.documents import Document
from benchbench.tables.questions import Question

_LONGEST = 400  # characters of a passage
_SENTENCE = re.compile(r"(?<=[^\d][.;])\s+|(?<=。)")
_SOURCES = (  # by name, or else by category
    ("PD", re.compile(r"\b(?:practice direction|pd)s?\b", re.IGNORECASE)),
    ("CPR", re.compile(r"\b(?:cpr|part \d+)\b", re.IGNORECASE)),
    ("Court Guide", re.compile(r"\b(?:guide|court|division|tcc)\b", re.IGNORECASE)),
)


@dataclass(frozen=True, slots=True)
class Drafts:
    """Questions that a person has to review, and how many were left out."""

    questions: list[Question]
    repeated: int  # further chunks of a document that a question is about already
    without_text: int


def drafts(exports: Iterable[Export], source_type: str | None = None) -> Drafts:
    """Return a draft for each document of each export.

    Parameters
    ----------
    exports
        Queries with their hits.
    source_type
        Of all questions. None: by the document's name, CPR, PD, Court Guide or empty, such as for another
        book of rules.
    """
    questions: dict[str, Question] = {}
    repeated = without_text = 0
    for export in exports:
        for document in export.documents:
            name, _, _ = document.called.partition("#page=")
            question = f"What does {name} say about {export.query}?" if export.query else f"What does {name} say?"
            excerpt = passage(document.text, export.query)
            if not excerpt:
                without_text += 1
            elif question in questions:
                repeated += 1
            else:
                source = _source(document) if source_type is None else source_type
                questions[question] = Question(question, f"{excerpt} {citation(document)}", source, document.category)
    return Drafts(list(questions.values()), repeated, without_text)


def citation(document: Document) -> str:
    """Return `[Name]` or `[Name#page=Section]`; brackets in the name become round ones: they would end it."""
    return f"[{' '.join(document.called.translate(_ROUND).split())}]"


def passage(text: str, query: str) -> str:
    """Return the first paragraph with most words of the query, cut after a sentence.

    Headings and tables of contents are paragraphs only when there is nothing else.
    """
    paragraphs = [" ".join(part.translate(_ROUND).split()) for part in re.split(r"\n\s*\n", text)]
    wanted = set(tokens(query))
    prose = [part for part in paragraphs if part.endswith((".", ";", ":", "。")) and len(part) > 60] or list(
        filter(None, paragraphs)
    )
    if not prose:
        return ""
    best = max(prose, key=lambda part: len(wanted & set(tokens(part))))
    return _cut(best)


def _cut(text: str) -> str:
    if len(text) <= _LONGEST:
        return text
    end = max((match.start() for match in _SENTENCE.finditer(text, 0, _LONGEST)), default=0)
    return text[:end] if end else text[: _LONGEST - 1].rpartition(" ")[0] + " …"


def _source(document: Document) -> str:
    for text in (document.name, document.id, document.category):
        if book_of(text) not in ("", CPR):
            return ""
        for source, pattern in _SOURCES:
            if pattern.search(text):
                return source
    return ""


_ROUND = str.maketrans("[]", "()")


def document_row(document: Document) -> dict[str, Any]:
    """Return a document as JSON has it; score and text are left out when a listing has none."""
    row = asdict(document)
    absent = {"score": document.score is None, "text": not document.text}
    return {name: value for name, value in row.items() if not absent.get(name)}


def save_export(path: Path, looked: Looked, query: str, category: str | None, replace: bool = False) -> None:
    """Write the hits of a search as JSON."""
    whole = {
        "query": query,
        "category": category,
        "index": looked.shown,
        "total": looked.page.total,
        "documents": [document_row(document) for document in looked.page.documents],
    }
    _save(path, pretty(whole), replace)


def save_drafts(path: Path, drafts: Drafts) -> None:
    """Write a ground truth of drafts, one question per line."""
    _save(path, b"".join(orjson.dumps(_row(draft), option=orjson.OPT_APPEND_NEWLINE) for draft in drafts.questions))


def _save(path: Path, data: bytes, replace: bool = False) -> None:
    with together(path.parent, [path.name], replace) as parts:
        parts[path.name].write_bytes(data)


def _row(question: Question) -> dict[str, str]:
    """Return a question as a ground truth has it: without what its reader adds."""
    return {name: value for name, value in structs.asdict(question).items() if name not in ("cluster", "names")}
