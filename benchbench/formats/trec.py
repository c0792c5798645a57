"""TREC qrels and run files, as any other tool of the field reads them."""

from collections.abc import Iterator

from benchbench.kernels.judge import Judged
from benchbench.tables.hits import Hits
from benchbench.tables.queries import Queries


def token(identity: str) -> str:
    """Return an id as one TREC field: white space and `%` percent-encoded, so that ids stay distinct."""
    if not any(c.isspace() or c == "%" for c in identity):
        return identity
    return "".join("".join(f"%{byte:02X}" for byte in c.encode()) if c.isspace() or c == "%" else c for c in identity)


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
                document = identity or f"rank{rank}"
                if document in own_names:
                    document = f"{document}#{rank}"  # it is named like a positive, and is not it
            lines.append(f"{query} Q0 {token(document)} {rank} {depth - rank + 1} benchbench\n")
        start = last
    return "".join(lines)
