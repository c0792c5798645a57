"""TREC qrels and run files, as any other tool of the field reads them.

An id is one field of a line there. What a reader somewhere takes for white space, for the begin of a comment or for
no text at all is percent-encoded (`token`), in qrels and runs alike, so that every tool matches them. Reading does not
decode: in a file of another tool `%41` is an id.
"""

import re
from collections.abc import Collection, Iterator
from urllib.parse import unquote

from benchbench.kernels.judge import Judged
from benchbench.tables.hits import Hits
from benchbench.tables.queries import Queries

_UNSAFE = re.compile("[\\s%\\x00-\\x1f\\x7f-\\x9f\\ufeff]|\\A#")


def token(identity: str) -> str:
    """Return an id as one TREC field; different ids stay different.

    `%`, a `#` at the beginning, control characters, white space of any script and byte order marks become `%XX` for
    each byte of their UTF-8.
    """
    return _UNSAFE.sub(_percent, identity)


def identity_of(field: str) -> str:
    """Return the id that `token` wrote as this field."""
    return unquote(field)


def _percent(unsafe: re.Match[str]) -> str:
    return "".join(f"%{byte:02X}" for byte in unsafe[0].encode())


def gold_qrels(queries: Queries) -> Iterator[str]:
    """Yield the gold task's judgments as lines: the positives with their gain as grade."""
    positives = queries.positives
    for q, query in enumerate(queries.ids):
        for p in range(positives.offsets[q], positives.offsets[q + 1]):
            yield f"{token(query)} 0 {token(positives.ids[p])} {positives.gain[p]:.0f}\n"


def gold_run(queries: Queries, first: int, hits: Hits, judged: Judged) -> str:
    """Return the kept hits of queries `first`, `first + 1`, … as lines of a run.

    A hit that is a positive bears the positive's id, since the service may know it by another one. The
    score falls with the rank, because trec_eval would break the service's own ties by document id.
    """
    offsets, names = queries.positives.offsets, queries.positives.ids
    base = int(offsets[first])
    lines: list[str] = []
    start = 0
    for q, count in enumerate(hits.counts, first):
        last = start + count
        query = token(queries.ids[q])
        own_names = set(names[offsets[q] : offsets[q + 1]])
        ranks = judged.rank[start:last].tolist()
        depth = max(ranks, default=0)
        for rank, positive, identity in zip(
            ranks, judged.positive[start:last].tolist(), hits.ids[start:last], strict=True
        ):
            if rank == 0:
                continue
            if positive >= 0:
                document = names[base + positive]
            else:
                document = identity or _free(f"rank{rank}", hits.ids[start:last])
                if document in own_names:  # it is named like a positive, and is not it
                    document = _free(f"{document}#{rank}", own_names.union(hits.ids[start:last]))
            lines.append(f"{query} Q0 {token(document)} {rank} {depth - rank + 1} benchbench\n")
        start = last
    return "".join(lines)


def _free(name: str, taken: Collection[str | None]) -> str:
    """Return a name that is not taken, this one where it can be."""
    while name in taken:
        name += "#"
    return name
