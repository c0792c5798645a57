"""Exports and drafts, written to files that appear whole or not at all."""

from dataclasses import asdict
from pathlib import Path
from typing import Any

import orjson

from benchbench.index.drafts import Drafts
from benchbench.index.look import Looked
from benchbench.prepare.files import together
from benchbench.results.folder import pretty
from benchbench.tables.documents import Document
from benchbench.tables.questions import Question


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
    return {name: value for name, value in asdict(question).items() if name not in ("cluster", "names")}
