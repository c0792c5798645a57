"""Which results may stand in one line: what of a signature must be the same, whatever kind of result it is of.

A signature has rules, such as what counts as a positive; what was measured with, such as the judgments; and what came
out, such as a digest of the run. Results are comparable when the first two are alike.
"""

import re
from collections.abc import Mapping

from benchbench.comparison.signatures import MATTERS, release, rules_of_tasks
from benchbench.results.record import Record
from benchbench.results.signature import Signature, parts_of, short
from benchbench.tables.hashing import content_digest

# digests and counts of what was measured
_CAME_OUT = {"run", "load", "answers", "predictions", "assignments", "items", "pairs"}
_IN_NAMES = {"measures", "metrics", "k"}  # measures bear their parameters and cut-offs in their names
_COUNTED = {"queries", "questions"}  # `200 (scored 198, failed 2)`: how many were asked, not what became of them
_WORDS = {
    **MATTERS,
    "tasks": "other rules of tasks",
    "top_k": "another number of hits asked for",
    "queries": "another number of queries",
    "questions": "another number of questions",
    "rubrics": "other rubrics",
}
_ASKED = re.compile(r"\d+")


def comparable_parts(signature: str) -> dict[str, str]:
    """Return the parts of a signature that two results must share to be comparable.

    Of the version it is the first two numbers, of tasks the rules that were written for them, of queries how many were
    asked. A part that no version has had so far counts whole.
    """
    parts = {name: value for name, value in parts_of(signature).items() if name not in _CAME_OUT | _IN_NAMES}
    if "version" in parts:
        parts["version"] = release(parts["version"])
    if "tasks" in parts:
        parts["tasks"] = ",".join(sorted(rule for name, rule in rules_of_tasks(parts).items() if rule != name))
    for name in _COUNTED & parts.keys():
        asked = _ASKED.match(parts[name])
        parts[name] = asked.group() if asked else ""
    return {name: value for name, value in sorted(parts.items()) if value}


def rules(signature: str) -> str:
    """Return 8 digits of what makes numbers of a signature comparable; empty where it says nothing.

    What came out, such as the digest of a run's hits, is not in it: runs with the same digits may be compared.
    """
    parts = comparable_parts(signature)
    return short(str(Signature(parts))) if parts else ""


def series_parts(record: Record) -> dict[str, str]:
    """Return all that two records must share to be put in one line: kind, name, data, and parts of their signatures.

    Of the data it is the digest, else the name.
    """
    data = record.data
    return {
        "record kind": record.kind,
        "record name": record.name,
        "record data": data.digest or data.name or data.source or "",
        **comparable_parts(record.signature),
    }


def series_key(record: Record) -> str:
    """Return a digest of `series_parts`."""
    parts = series_parts(record)
    return str(content_digest(repr(sorted(parts.items())).encode(errors="replace")).hexdigest())


def unlike(first: Mapping[str, str], second: Mapping[str, str]) -> list[str]:
    """Return in words which of two results' comparable parts differ, with both values."""
    return [
        f"{_WORDS.get(name, f'another {name}')} ({name}:{first.get(name, '-')} and {name}:{second.get(name, '-')})"
        for name in sorted({**first, **second})
        if first.get(name) != second.get(name)
    ]
