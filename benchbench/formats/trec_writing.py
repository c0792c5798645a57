"""TREC qrels and run files, as any other tool of the field reads them.

An id is one field of a line there. What a reader somewhere takes for white space, for the begin of a comment or for
no text at all is percent-encoded (`token`), in qrels and runs alike, so that every tool matches them. Reading does not
decode: in a file of another tool `%41` is an id.
"""

import re
from collections.abc import Collection, Iterator
from typing import NamedTuple
from urllib.parse import unquote

from benchbench.kernels.judge_hits import Judged
from benchbench.tables.fields import called
from benchbench.tables.hashing import NO_HASH
from benchbench.tables.hits import Hits
from benchbench.tables.queries import Positives, Queries

UNSAFE = re.compile("[\\s%\\x00-\\x1f\\x7f-\\x9f\\ufeff]|\\A#")


def token(identity: str) -> str:
    """Return an id as one TREC field; different ids stay different.

    `%`, a `#` at the beginning, control characters, white space of any script and byte order marks become `%XX` for
    each byte of their UTF-8.
    """
    return UNSAFE.sub(_percent, identity)


def identity_of(field: str) -> str:
    """Return the id that `token` wrote as this field."""
    return unquote(field)


def _percent(unsafe: re.Match[str]) -> str:
    return "".join(f"%{byte:02X}" for byte in unsafe[0].encode())


def gold_qrels(queries: Queries, full: bool = False) -> Iterator[str]:
    """Yield the gold task's judgments as lines, with their grades.

    `full`: those that are left out as well, behind those of their query that count.
    """
    parts = [queries.positives] if queries.left_out is None or not full else [queries.positives, queries.left_out]
    for q, query in enumerate(queries.ids):
        for positives in parts:
            for p in range(positives.offsets[q], positives.offsets[q + 1]):
                yield f"{token(query)} 0 {token(positives.ids[p])} {called(float(positives.grade[p]))}\n"


class GoldRun(NamedTuple):
    """Lines of a run; and how many hits have the id of a positive of their query, and are not it by their text."""

    lines: str
    namesakes: int


def gold_run(queries: Queries, first: int, hits: Hits, judged: Judged, by_text: bool) -> GoldRun:
    """Return the kept hits of queries `first`, `first + 1`, … as lines of a run.

    A hit that is a positive, one that is left out too, bears the positive's id, since the service may know it by
    another one. The score falls with the rank, because trec_eval would break the service's own ties by document id.
    """
    offsets, names, left_out = queries.positives.offsets, queries.positives.ids, queries.left_out
    base = int(offsets[first])
    lines: list[str] = []
    namesakes = start = 0
    for q, count in enumerate(hits.counts, first):
        last = start + count
        query = token(queries.ids[q])
        own_names = set(names[offsets[q] : offsets[q + 1]])
        others: dict[int, str] = {}
        ranks = judged.rank[start:last].tolist()
        if left_out is not None and left_out.offsets[q] < left_out.offsets[q + 1]:
            own_names |= set(left_out.ids[left_out.of(q)])
            others = _left_out(left_out, q, hits, range(start, last), judged, by_text)
        depth = max(ranks, default=0)
        for place, (rank, positive, identity) in enumerate(
            zip(ranks, judged.positive[start:last].tolist(), hits.ids[start:last], strict=True), start
        ):
            if rank == 0:
                continue
            if positive >= 0:
                document = names[base + positive]
            elif place in others:
                document = others[place]
            else:
                document = identity or _free(f"rank{rank}", hits.ids[start:last])
                if document in own_names:  # it is named like a positive, and is not it
                    document = _free(f"{document}#{rank}", own_names.union(hits.ids[start:last]))
                    namesakes += 1
            lines.append(f"{query} Q0 {token(document)} {rank} {depth - rank + 1} benchbench\n")
        start = last
    return GoldRun("".join(lines), namesakes)


def _free(name: str, taken: Collection[str | None]) -> str:
    """Return a name that is not taken, this one where it can be."""
    while name in taken:
        name += "#"
    return name


def _left_out(positives: Positives, q: int, hits: Hits, places: range, judged: Judged, by_text: bool) -> dict[int, str]:
    """Return the ids of positives that are left out, by the hits that are them: the first of each, as in `judge`."""
    span = positives.of(q)
    texts, ids, names = positives.text[span].tolist(), positives.id[span].tolist(), positives.ids[span]
    names_of_hits: dict[int, str] = {}
    taken: set[int] = set()
    for place in places:
        if judged.rank[place] == 0 or judged.positive[place] >= 0:
            continue
        text, identity = hits.text[place], hits.id[place]
        compared, wanted = (texts, text) if by_text and text != NO_HASH else (ids, identity)
        if wanted != NO_HASH:
            number = next((n for n, value in enumerate(compared) if value == wanted and n not in taken), None)
            if number is not None:
                taken.add(number)
                names_of_hits[place] = names[number]
    return names_of_hits
