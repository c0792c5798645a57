"""Queries that are not independent: of one document or topic, or with the same answers; and splits that share some."""

import math
from collections import defaultdict
from collections.abc import Iterator

import polars as pl

from benchbench.audit.check import Judged, Measured, NotDoneError, check
from benchbench.audit.finding import SHOWN, Finding, excerpt, finding, many, some
from benchbench.tables.groups import Groups, grouped, groups_of
from benchbench.tables.hashing import NO_HASH

_FEWEST = 5  # groups; of fewer no interval can be taken
_MOST = 0.5  # of the queries are in a group with another one
_ANSWERS = "relevant documents"


@check("Shared with splits")
def shared_between_splits(judged: Judged) -> Iterator[Finding]:
    """Find queries whose id or text another split has too."""
    data, queries = judged.data, judged.data.queries
    if not data.splits:
        raise NotDoneError("the data set has one split")
    texts = dict(zip(queries.ids, queries.text.tolist(), strict=True))
    by_text = defaultdict(list)
    for identifier, text in texts.items():
        if text != NO_HASH:
            by_text[text].append(identifier)
    shared = {}
    for split, its in sorted(data.splits.items()):
        ids = {identifier for identifier in its.ids if identifier in texts}
        if ids := ids.union(*(by_text.get(text, ()) for text in its.text.tolist())):
            shared[split] = ids
    concerned = set[str]().union(*shared.values())
    places = [f"{many(len(ids), 'query')} with {split}" for split, ids in shared.items()]
    yield finding(
        "error",
        len(concerned),
        f"this split shares {', '.join(places)}",
        queries=concerned,
        examples=[f"{split}: {some(ids)}" for split, ids in shared.items()][:SHOWN],
        effect=f"a retriever that learnt from these splits has seen {len(concerned) / len(queries):.1%} of the queries",
        advice="leave the shared queries out of training, or of the test",
    )


@check("Correlated queries")
def correlated_queries(judged: Judged) -> Iterator[Finding | Measured]:
    """Find columns whose values most queries share with another one, and queries with the same answers."""
    data, concerned = judged.data, set[str]()
    for groups in (*_of_columns(data.columns), *_of_answers(judged)):
        shared = groups.sizes[groups.codes] > 1
        if groups.number < _FEWEST or groups.number == len(data.queries) or shared.mean() < _MOST:
            continue
        queries = [data.queries.ids[q] for q in shared.nonzero()[0].tolist()]
        concerned.update(queries)
        widest = math.sqrt(float((groups.sizes**2).sum()) / len(data.queries))
        column = excerpt(groups.column)
        what, advice = f"value of {column}", f"take intervals by group: --cluster {column}"
        if data.cluster == groups.column:
            advice += ", as the data set says"
        if groups.column == _ANSWERS:
            what, advice = _ANSWERS, "name a column with such groups, --cluster COLUMN takes it"
        yield finding(
            "note",
            len(queries),
            f"{many(len(queries), 'query has', 'queries have')} the same {what} as another one ({groups.number:,} "
            f"groups, the largest of {int(groups.sizes.max()):,})",
            queries=queries,
            examples=(),
            effect=f"intervals are up to {widest:.2f} times too narrow if queries of one group score alike",
            advice=advice,
        )
    yield Measured(count=len(concerned))


def _of_columns(columns: pl.DataFrame) -> Iterator[Groups]:
    """Yield the groups of the columns of texts; equal numbers say little."""
    for name, kind in columns.schema.items():
        inner = kind.inner if isinstance(kind, pl.List | pl.Array) else kind
        if isinstance(inner, pl.String | pl.Categorical | pl.Enum):
            yield groups_of(columns, name)


def _of_answers(judged: Judged) -> Iterator[Groups]:
    """Yield the groups of queries with the same relevant documents."""
    positives = judged.data.queries.positives
    answers: list[int | None] = []
    for q in range(len(judged.data.queries)):
        its = positives.of(q)
        digests = positives.id[its] if judged.data.gold_by == "id" else positives.text[its]
        relevant = sorted(digests[positives.grade[its] > 0].tolist())
        answers.append(hash(tuple(relevant)) if relevant else None)
    groups = grouped(_ANSWERS, pl.Series(answers, dtype=pl.Int64))
    if groups.number < len(answers):
        yield groups
