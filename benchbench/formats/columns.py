"""The names under which tables of judgments and hits have their columns."""

import re
from collections.abc import Sequence

from benchbench.errors import InputError
from benchbench.tables.shared_messages import or_joined

_QUERIES = ("query_id", "qid", "query", "q_id", "topic_id", "topic")
_DOCUMENTS = ("doc_id", "docid", "docno", "document_id", "corpus_id", "doc", "document", "pid", "passage_id")
_SCORES = ("score", "similarity", "sim")
_GRADES = ("relevance", "rel", "grade", "label", "judgment", "score")
_SUBTOPICS = ("subtopic", "subtopic_id", "iteration", "iter")
_MANY, _LONGEST = 20, 200  # columns, and characters of their names, that an error shows


def choose_columns(present: Sequence[str], run: bool, where: str) -> list[str]:
    """Return which columns hold query, document and value, and subtopic where qrels have one.

    Names are compared without case, blanks, hyphens and underscores.

    Raises
    ------
    InputError
        Naming the column that is missing, by all its names, and those that are there.
    """
    known = {_folded(name): name for name in reversed(present)}
    columns = []
    for wanted in (_QUERIES, _DOCUMENTS, _SCORES if run else _GRADES):
        match = _first(known, wanted)
        if match is None:
            raise InputError(f"{where}: no column {wanted[0]}; {_there(present)}{_next(known, wanted, run)}")
        columns.append(match)
    subtopic = None if run else _first(known, _SUBTOPICS)
    return columns if subtopic is None else [*columns, subtopic]


def are_names(fields: Sequence[str]) -> bool:
    """Say whether a line's fields are names of columns: one of queries, and one of documents or values."""
    known = {_folded(name): name for name in fields}
    others = (*_DOCUMENTS, *_SCORES, *_GRADES)
    return _first(known, _QUERIES) is not None and _first(known, others) is not None


def _first(known: dict[str, str], wanted: Sequence[str]) -> str | None:
    return next((known[_folded(name)] for name in wanted if _folded(name) in known), None)


def _there(present: Sequence[str]) -> str:
    there = ", ".join(map(_shown, present[:_MANY]))
    cut = len(present) > _MANY or len(there) > _LONGEST
    return f"there are {there[:_LONGEST]}{', …' if cut else ''}" if present else "there are none"


def _next(known: dict[str, str], wanted: Sequence[str], run: bool) -> str:
    """Return what to do about a missing column."""
    if not known:
        return ""
    if run and wanted is _SCORES and _first(known, _GRADES) is not None:
        return "; these are judgments, not a run"
    return f"; call it {or_joined(wanted)}"


def _shown(name: str) -> str:
    return name[:40] if name.strip() and name.isprintable() else repr(name[:40])


def _folded(name: str) -> str:
    return re.sub(r"[\s_-]", "", name).lower()
