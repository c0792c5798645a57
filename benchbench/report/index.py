"""What was seen in an index, printed."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import orjson

from benchbench.index.drafts import Drafts
from benchbench.index.look import Looked, Probe
from benchbench.index.validate import Cited, Validation
from benchbench.prepare.files import together
from benchbench.report.columns import plain
from benchbench.report.escape import comma_rows, markdown_row
from benchbench.tables.documents import Document

NO_CATEGORY = "(none)"
_OPENING = 60  # characters of a text in a table

Row = Mapping[str, Any]  # a column a member


def documents(looked: Looked, output: str, **asked: Any) -> str:
    """Return a listing, or the hits of a search; JSON has the texts whole."""
    rows = [_row(one) for one in looked.page.documents]
    whole = {"index": looked.shown, **asked, "total": looked.page.total, "documents": rows}
    return _printed(output, whole, rows, [_shown(one) for one in looked.page.documents])


def categories(looked: Looked, output: str) -> str:
    """Return the number of documents of each category, the largest first."""
    counts = sorted((looked.page.categories or {}).items(), key=lambda one: (-one[1], one[0]))
    rows = [{"category": name or None, "documents": n} for name, n in counts]
    shown = [{"Category": name or NO_CATEGORY, "Documents": f"{n:,}"} for name, n in counts]
    whole = {"index": looked.shown, "total": looked.page.total, "categories": rows}
    return _printed(output, whole, rows, shown)


def probes(shown: str, tested: Sequence[Probe], output: str) -> str:
    """Return what each query of a test found."""
    rows: list[dict[str, Any]] = [
        {"query": one.query, "total": one.page.total, "documents": [document.called for document in one.page.documents]}
        for one in tested
    ]
    table = [
        {
            "Query": one.query,
            "Hits": f"{one.page.total:,}",
            "Best": _cut(one.page.documents[0].called) if one.page.documents else "NOTHING",
        }
        for one in tested
    ]
    flat = [{**row, "documents": "; ".join(row["documents"])} for row in rows] if output == "csv" else rows
    return _printed(output, {"index": shown, "queries": rows}, flat, table)


def validation(found: Validation, shown: str, output: str) -> str:
    """Return whether every cited document is there; text and Markdown show only those that are not."""
    rows = [_cited(one) for one in found.cited]
    whole = {
        "index": shown,
        "documents": found.documents,
        "questions": found.questions,
        "cited": len(rows),
        "missing": len(found.missing),
        "citing_none": found.citing_none,
        "citations": rows,
    }
    if output == "csv":
        for row, one in zip(rows, found.cited, strict=True):
            near = "; ".join(f"{other.written} ({other.level})" for other in one.near)
            row.update(questions=_numbers(one.questions, " "), ids="; ".join(row["ids"]), near=near)
    doubtful = [one for one in found.cited if one.near or not one.found]
    if output == "text":
        return "".join([*map(_block, doubtful), *(f"{one}\n" for one in _sentences(found))])
    table = [
        {
            "Cited": one.written,
            "Questions": _numbers(one.questions),
            "In the index": _state(one),
            "Nearest": "; ".join(f"{near.written} ({near.level})" for near in one.near),
        }
        for one in doubtful
    ]
    return _printed(output, whole, rows, table)


def _block(one: Cited) -> str:
    asked = f"question{'s' if len(one.questions) > 1 else ''} {_numbers(one.questions)}"
    near = [f"    {near.level:<11}  {near.written}\n" for near in one.near] or ["    nothing resembles it\n"]
    return "".join([f"{one.written}, {asked}: {_state(one)}\n", *near, "\n"])


def _state(one: Cited) -> str:
    if one.found:
        return "taken for the first of these"
    other = any(near.level == "exact" for near in one.near)
    return "the document is there, but has no such section" if other else "missing"


def _sentences(found: Validation) -> list[str]:
    there = len(found.cited) - len(found.missing)
    said = [f"{there:,} of {len(found.cited):,} cited documents are among the {found.documents:,} of the index"]
    unchecked = sum(not one.section_checked for one in found.cited)
    if unchecked:
        said.append(f"Sections not checked, because the index has no sections of their documents: {unchecked:,}")
    if found.citing_none:
        some = _numbers(found.citing_none[:10]) + (", …" if len(found.citing_none) > 10 else "")
        said.append(f"Truths that cite no document: {len(found.citing_none):,} (questions {some})")
    return said


def save_export(path: Path, looked: Looked, query: str, category: str | None, replace: bool = False) -> None:
    """Write the hits of a search as JSON; the file appears whole or not at all."""
    whole = {
        "query": query,
        "category": category,
        "index": looked.shown,
        "total": looked.page.total,
        "documents": [_row(one) for one in looked.page.documents],
    }
    _save(path, orjson.dumps(whole, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE), replace)


def save_drafts(path: Path, drafts: Drafts) -> None:
    """Write a ground truth of drafts, a question a line; the file appears whole or not at all."""
    _save(path, b"".join(orjson.dumps(asdict(one), option=orjson.OPT_APPEND_NEWLINE) for one in drafts.questions))


def _save(path: Path, data: bytes, replace: bool = False) -> None:
    with together(path.parent, [path.name], replace) as parts:
        parts[path.name].write_bytes(data)


def _row(one: Document) -> dict[str, Any]:
    row = asdict(one)
    absent = {"score": one.score is None, "text": not one.text}  # of a listing
    return {name: value for name, value in row.items() if not absent.get(name)}


def _shown(one: Document) -> dict[str, str]:
    shown = {} if one.score is None else {"Score": f"{one.score:.2f}"}
    shown |= {"Document": _cut(one.called), "Category": one.category or NO_CATEGORY, "Id": _cut(one.id)}
    return {**shown, "Opening": _cut(" ".join(one.text.split()))} if one.text else shown


def _cited(one: Cited) -> dict[str, Any]:
    near = [{"name": n.document.called, "id": n.document.id, "as": n.written, "level": n.level} for n in one.near]
    return {
        "name": one.name,
        "section": one.section or None,
        "questions": list(one.questions),
        "found": bool(one.found),
        "ids": [document.id for document in one.found],
        "section_checked": one.section_checked,
        "near": near,
    }


def _numbers(questions: Sequence[int], between: str = ", ") -> str:
    return between.join(map(str, questions))


def _cut(text: str) -> str:
    return text if len(text) <= _OPENING else text[: _OPENING - 1] + "…"


def _printed(output: str, whole: Any, rows: Sequence[Row], table: Sequence[Mapping[str, str]]) -> str:
    formats: dict[str, Callable[[], str]] = {
        "text": lambda: f"{plain(*_columns(table))}\n" if table else "",
        "json": lambda: orjson.dumps(whole, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE).decode(),
        "jsonl": lambda: "".join(orjson.dumps(row).decode() + "\n" for row in rows),
        "csv": lambda: _comma_separated(rows),
        "markdown": lambda: _markdown(table),
    }
    return formats[output]()


def _columns(table: Sequence[Mapping[str, str]]) -> tuple[list[str], list[list[str]]]:
    head = list(dict.fromkeys(name for row in table for name in row))
    return head, [[row.get(name, "") for name in head] for row in table]


def _comma_separated(rows: Sequence[Row]) -> str:
    if not rows:
        return ""
    head = list(dict.fromkeys(name for row in rows for name in row))
    return comma_rows([head, *([row.get(name, "") for name in head] for row in rows)])


def _markdown(table: Sequence[Mapping[str, str]]) -> str:
    if not table:
        return ""
    head, body = _columns(table)
    lines: Iterable[Sequence[str]] = [head, ["---"] * len(head), *body]
    return "".join(map(markdown_row, lines))
