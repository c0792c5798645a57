"""The analysis of a ground truth, printed."""

import orjson

from benchbench.answering.analysis import Analysis
from benchbench.report.columns import paged, plain

_SHOWN = 10  # documents in the text


def text(found: Analysis) -> str:
    """Return tables for people."""
    rows = [[source or "–", category or "–", f"{n:,}"] for (source, category), n in found.groups.items()]
    least, median, most = found.truth_length
    lines = [
        plain(["Source type", "Category", "Questions"], [*rows, ["all", "", f"{found.questions:,}"]]),
        "",
        f"Truths      {least:,} to {most:,} characters, median {median:,.0f}",
        f"            {found.citing_nothing:,} cite no law, {found.naming_no_document:,} name no document",
    ]
    if found.citations:
        cited = [[name, kind, f"{n:,}"] for (name, kind), n in found.citations.items()]
        lines += ["", plain(["Law", "Kind", "Citations"], cited)]
    if found.documents:
        named = [[name, f"{n:,}"] for name, n in list(found.documents.items())[:_SHOWN]]
        lines += ["", plain(["Document", "Truths"], named)]
        if len(found.documents) > _SHOWN:
            lines.append(f"… and {len(found.documents) - _SHOWN:,} more (--format json has all)")
    return paged(lines)


def json(found: Analysis) -> str:
    """Return everything as one JSON value."""
    least, median, most = found.truth_length
    shown = {
        "questions": found.questions,
        "groups": [{"source_type": s, "category": c, "questions": n} for (s, c), n in found.groups.items()],
        "truth_length": {"least": least, "median": median, "most": most},
        "citations": [{"law": law, "kind": kind, "citations": n} for (law, kind), n in found.citations.items()],
        "documents": found.documents,
        "citing_nothing": found.citing_nothing,
        "naming_no_document": found.naming_no_document,
    }
    return orjson.dumps(shown, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE).decode()
