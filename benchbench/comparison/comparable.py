"""Which results may be compared: what of their signatures must be the same, whatever kind of result they are of.

A signature has rules, such as what counts as a positive; what was measured with, such as the judgments; and what came
out, such as a digest of the run. Results are comparable when the first two are alike.
"""

import re
from collections.abc import Mapping

from benchbench.errors import InputError
from benchbench.results.record import Record
from benchbench.results.signature import Signature, parts_of, short
from benchbench.tables.hashing import content_digest

MATTERS = {  # part of a signature -> what differs, in words
    "data": "other data",
    "qrels": "other judgments",
    "self": "another rule for self-retrievals",
    "gold": "another rule for positives",
    "recall": "another denominator of recall",
    "positives": "another number of positives",
    "sample": "another sample of the queries",
    "ties": "another order of ties",
    "precision": "another precision of scores",
    "failed": "another value for failed queries",
    "missing": "another treatment of queries that a run lacks",
    "no positives": "another treatment of queries without a relevant document",
    "version": "another version",
}  # measures bear their parameters and cut-offs in their names, so the lists of them may differ
_TASK = re.compile(r"[^,()]+(?:\([^()]*\))?")  # `gold` or `brand=equal(meta.brand)`
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


def differences(signatures: Mapping[str, Mapping[str, str]], allow: bool) -> list[str]:
    """Return a sentence for each system whose scores were made otherwise than those of the first.

    Parameters
    ----------
    signatures
        Parts of the signature of each system. What was run, how many queries came back, and the last number of the
        version do not matter.
    allow
        Whether that is a note, or an error.

    Raises
    ------
    InputError
        Unless it is allowed.
    """
    (first, wanted), *others = signatures.items()
    wanted_rules = rules_of_tasks(wanted)
    notes = []
    for system, parts in others:
        differing = [
            f"{words} ({name}:{parts.get(name, '-')} and {name}:{wanted.get(name, '-')})"
            for name, words in MATTERS.items()
            if _value(wanted, name) != _value(parts, name)
        ]
        differing += [
            f"another rule for task {name} ({rule} and {wanted_rules[name]})"
            for name, rule in rules_of_tasks(parts).items()
            if wanted_rules.get(name, rule) != rule
        ]
        shown = ", ".join(differing)
        if shown and not allow:
            raise InputError(
                f"the scores of {system} and {first} are not comparable: {shown}; make them alike, or add "
                "--allow-different"
            )
        notes += [f"{system} was scored otherwise than {first}: {shown}"] * bool(shown)
    return notes


def _value(parts: Mapping[str, str], name: str) -> str | None:
    value = parts.get(name)
    return release(value) if name == "version" and value else value


def release(version: str) -> str:
    """Return the first two numbers of a version; scores do not change with the last."""
    return ".".join(version.split(".")[:2])


def rules_of_tasks(parts: Mapping[str, str]) -> dict[str, str]:
    """Return what a signature says of each task, by name."""
    return {rule.partition("=")[0]: rule for rule in _TASK.findall(parts.get("tasks", ""))}
