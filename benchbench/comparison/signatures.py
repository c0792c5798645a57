"""Which scores may be compared: what of their signatures must be the same."""

import re
from collections.abc import Mapping

from benchbench.errors import InputError

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
