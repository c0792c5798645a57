"""Who judged: the second column of TREC qrels, where it names a judge.

A judge is called MODEL/RUBRIC.LANGUAGE@VERSION, such as `gpt-4o/relevance.zh@1`. Whatever else stands there is a
subtopic, or nothing that counts.
"""

import re
from collections.abc import Mapping, Sequence

import numpy as np
from msgspec.structs import replace

from benchbench.kernels.arrays import Bytes
from benchbench.tables.rows import Rows

_JUDGE = re.compile(r"\S+/[^\s/]+\.[A-Za-z-]+@[^\s/]+")
_NOBODY = "0"  # what stands there where people judged
_SPACE = 0x20


def is_judge(field: str) -> bool:
    """Say whether a second column names a judge."""
    return _JUDGE.fullmatch(field) is not None


def second_fields(rows: Rows) -> dict[int, str]:
    """Return the different second columns of judgments that were read from TREC text, by their hashes."""
    hashes, first = np.unique(rows.subtopic, return_index=True)
    return {
        hashed: _field_before(rows.text, int(rows.start[row]))
        for hashed, row in zip(hashes.tolist(), first, strict=True)
    }


def told_apart(rows: Rows) -> tuple[Rows, dict[str, int]]:
    """Return judgments of TREC text without the names of judges, and how many each judge has made.

    What a judge has judged is of the subtopic that the others are of, where that is one.
    """
    if not rows.subtopic.size:
        return rows, {}
    alike = bool((rows.subtopic == rows.subtopic[0]).all())
    if alike and not is_judge(_field_before(rows.text, int(rows.start[0]))):
        return rows, {}
    fields = second_fields(rows)
    judges = {hashed: field for hashed, field in fields.items() if is_judge(field)}
    if not judges:
        return rows, {}
    people = [hashed for hashed in fields if hashed not in judges]
    instead = people[0] if len(people) == 1 else _hash_of(_NOBODY)
    subtopic, counts = rows.subtopic.copy(), dict[str, int]()
    for hashed, field in judges.items():
        its = rows.subtopic == np.uint64(hashed)
        subtopic[its] = instead
        counts[field] = int(its.sum())
    return replace(rows, subtopic=subtopic), dict(sorted(counts.items()))


def added(parts: Sequence[Mapping[str, int]]) -> dict[str, int]:
    """Return the counts of several parts together, by the names of the judges."""
    return {
        name: sum(part.get(name, 0) for part in parts) for name in sorted({name for part in parts for name in part})
    }


def said(judges: Mapping[str, int], labels: int) -> str:
    """Return a sentence on how many of so many labels judges have made."""
    made = sum(judges.values())
    names = ", ".join(name if len(judges) == 1 else f"{name} ({count:,})" for name, count in judges.items())
    return (
        f"{made:,} of {labels:,} labels are not people's but those of {names}, and gates use them "
        "too; `benchbench judge agreement` measures how far to trust them"
    )


def _field_before(text: Bytes, place: int) -> str:
    """Return the field that stands before a place of a text."""
    stop = place
    while stop and text[stop - 1] <= _SPACE:
        stop -= 1
    start = stop
    while start and text[start - 1] > _SPACE:
        start -= 1
    return bytes(text[start:stop]).decode(errors="replace")


def _hash_of(field: str) -> np.uint64:
    from benchbench.kernels.spans import hash_spans

    text = np.frombuffer(field.encode(), np.uint8)
    return np.uint64(hash_spans(text, np.zeros(1, np.uint64), np.full(1, text.size, np.uint64))[0])
