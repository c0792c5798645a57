"""Results of `index`: cited documents that it has or not, hits of queries, listings."""

from collections.abc import Mapping, Sequence
from typing import Any

from benchbench.index.drafts import document_row
from benchbench.index.look import Looked, ProbesDetails
from benchbench.index.validate import Cited, ValidationDetails
from benchbench.report.blocks import EVERYWHERE, PAGE, PAPER, SUMMARY, TERMINAL, Block, Table, Text, Verdict
from benchbench.report.layout import Layout
from benchbench.report.standard import standard
from benchbench.results.headline import GOOD, WORSE, Headline
from benchbench.results.result import Result
from benchbench.tables.documents import Document

_NO_CATEGORY = "(none)"
_OPENING = 60  # characters of a text in a table
_KEEPS = {"Category": 1}  # columns that a narrow terminal leaves out


def layout(result: Result) -> Layout:
    """Return the layout of a validation, or of queries that were tried."""
    return _validation(result) if "citations" in result.json_members() else _probes(result)


def _validation(result: Result) -> Layout:
    """Say whether every cited document is there; people are shown only those that are not."""
    check = result.details_as(ValidationDetails)
    doubtful = [cited for cited in check.citations if cited["near"] or not cited["found"]]
    summary = f"{check.cited - check.missing:,} of {check.cited:,} cited documents are among the {check.documents:,}"
    table = [
        {
            "Cited": _written(cited),
            "Questions": ", ".join(map(str, cited["questions"])),
            "In the index": _state(cited),
            "Nearest": _nearest(cited),
        }
        for cited in doubtful
    ]
    flat = [
        {
            **cited,
            "questions": " ".join(map(str, cited["questions"])),
            "ids": "; ".join(cited["ids"]),
            "near": _nearest(cited),
        }
        for cited in check.citations
    ]
    return standard(
        result,
        f"{check.index}: {check.cited:,} cited documents",
        Headline([(WORSE if check.missing else GOOD, f"{check.index}: {summary}.")]),
        [*(Text(_lines(cited), where=TERMINAL) for cited in doubtful), *_tables(table, PAGE | PAPER | SUMMARY)],
        lead=f"{summary} of the index",
        rows=lambda: flat,
        lines=lambda: check.citations,
        command="benchbench index validate",
    )


def _probes(result: Result) -> Layout:
    """Return the hits of each query of a test."""
    test = result.details_as(ProbesDetails)
    table = [
        {
            "Query": query["query"],
            "Hits": f"{query['total']:,}",
            "Best": _cut(query["documents"][0]) if query["documents"] else "NOTHING",
        }
        for query in test.queries
    ]
    nothing = sum(not query["documents"] for query in test.queries)
    text = f"{nothing:,} of {len(test.queries):,} queries find nothing." if nothing else "Every query finds something."
    return standard(
        result,
        f"{test.index}: {len(test.queries):,} queries",
        Headline([(WORSE if nothing else GOOD, f"{test.index}: {text}")]),
        _tables(table),
        rows=lambda: [{**query, "documents": "; ".join(query["documents"])} for query in test.queries],
        lines=lambda: test.queries,
        command="benchbench index test",
    )


def documents(looked: Looked, **asked: Any) -> Layout:
    """Return the layout of a listing, or of the hits of a search; JSON has the texts whole."""
    rows = [document_row(document) for document in looked.page.documents]
    whole = {"index": looked.shown, **asked, "total": looked.page.total, "documents": rows}
    sentence = f"{looked.shown}: {len(rows):,} of {looked.page.total:,} {'hits' if 'query' in asked else 'documents'}."
    tables = _tables([_shown(document) for document in looked.page.documents])
    return Layout("", [Verdict([("", sentence)]), *tables], lambda: whole, lambda: rows)


def categories(looked: Looked) -> Layout:
    """Return the layout of the number of documents of each category, the largest first."""
    counts = sorted((looked.page.categories or {}).items(), key=lambda item: (-item[1], item[0]))
    rows = [{"category": name or None, "documents": n} for name, n in counts]
    shown = [{"Category": name or _NO_CATEGORY, "Documents": f"{n:,}"} for name, n in counts]
    whole = {"index": looked.shown, "total": looked.page.total, "categories": rows}
    number = "1 category" if len(counts) == 1 else f"{len(counts):,} categories"
    sentence = f"{looked.shown}: {looked.page.total:,} documents in {number}."
    return Layout("", [Verdict([("", sentence)]), *_tables(shown)], lambda: whole, lambda: rows)


def _tables(rows: Sequence[Mapping[str, str]], where: frozenset[str] = EVERYWHERE) -> list[Block]:
    """Return a table with the columns of all rows; none of no rows."""
    head = list(dict.fromkeys(name for row in rows for name in row))
    keeps = [_KEEPS.get(name, 0) for name in head]
    table = Table(head, [[row.get(name, "") for name in head] for row in rows], where=where, keeps=keeps)
    return [table] if rows else []


def _lines(cited: Cited) -> list[str]:
    asked = f"question{'s' if len(cited['questions']) > 1 else ''} {', '.join(map(str, cited['questions']))}"
    near = [f"    {near['level']:<11}  {near['as']}" for near in cited["near"]]
    return [f"{_written(cited)}, {asked}: {_state(cited)}", *(near or ["    nothing resembles it"])]


def _written(cited: Cited) -> str:
    return f"[{cited['name']}#page={cited['section']}]" if cited["section"] else f"[{cited['name']}]"


def _state(cited: Cited) -> str:
    if cited["found"]:
        return "taken for the first of these"
    other = any(near["level"] == "exact" for near in cited["near"])
    return "the document is there, but has no such section" if other else "missing"


def _nearest(cited: Cited) -> str:
    return "; ".join(f"{near['as']} ({near['level']})" for near in cited["near"])


def _shown(document: Document) -> dict[str, str]:
    shown = {} if document.score is None else {"Score": f"{document.score:.2f}"}
    shown |= {"Document": _cut(document.called), "Category": document.category or _NO_CATEGORY, "Id": _cut(document.id)}
    return {**shown, "Opening": _cut(" ".join(document.text.split()))} if document.text else shown


def _cut(text: str) -> str:
    return text if len(text) <= _OPENING else text[: _OPENING - 1] + "…"
