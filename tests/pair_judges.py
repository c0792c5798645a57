"""Scripted judges of pairs of query and document for tests, and files of these."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from chat_server import Script, verdicts

Grades = Mapping[tuple[str, str], int]


def by_words(grades: Grades) -> Script:
    """Grade pairs whose texts say their ids, as `query <q1>` and `document <d7>`."""

    def verdict(asked: str) -> dict[str, Any]:
        query, document = (asked.partition(f"{what} <")[2].partition(">")[0] for what in ("query", "document"))
        return {"rationale": f"{query} and {document}", "relevance": grades.get((query, document), 0)}

    return verdicts(verdict)


def beir(folder: Path, queries: int = 6, documents: int = 12) -> Path:
    """Write queries and documents as BEIR has them, without judgments; texts say their ids."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, what, count in (("queries", "query", queries), ("corpus", "document", documents)):
        letter = what[0]
        lines = (
            json.dumps({"_id": f"{letter}{n}", "title": "", "text": f"{what} <{letter}{n}> on theft"})
            for n in range(count)
        )
        (folder / f"{name}.jsonl").write_text("".join(f"{line}\n" for line in lines))
    return folder


def run_file(path: Path, hits: Mapping[str, list[str]], tag: str = "t") -> Path:
    """Write a run of TREC text: the documents of each query, best first."""
    rows = ((q, d, n) for q, found in hits.items() for n, d in enumerate(found))
    path.write_text("".join(f"{q} Q0 {d} {n + 1} {100 - n} {tag}\n" for q, d, n in rows))
    return path


def qrels_file(path: Path, grades: Grades, judge: str = "0") -> Path:
    """Write judgments of TREC text."""
    path.write_text("".join(f"{q} {judge} {d} {grade}\n" for (q, d), grade in grades.items()))
    return path
