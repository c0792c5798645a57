"""Queries that are not independent: of one document or topic, or with the same answers; and splits that share some."""

import math
from collections import defaultdict
from collections.abc import Iterator

import polars as pl

from benchbench.audit.finding import SHOWN, Check, Concerned, Finding, excerpt, many, skipped, some
from benchbench.audit.judgments import Judged
from benchbench.audit.source import Audited
from benchbench.tables.groups import Groups, grouped, groups_of
from benchbench.tables.hashing import NO_HASH

_FEWEST = 5  # groups; of fewer no interval can be taken
_MOST = 0.5  # of the queries are in a group with another one


def shared_between_splits(data: Audited) -> Check:
    """Find queries whose id or text another split has too."""
    name, queries = "shared_between_splits", data.queries
    if not data.splits:
        return skipped(name, "the data set has one split")
    texts = dict(zip(queries.ids, queries.text.tolist(), strict=True))
    by_text = defaultdict(list)
    for identifier, text in texts.items():
        if text != NO_HASH:
            by_text[text].append(identifier)
    found: dict[str, set[str]] = {}
    for split, its in data.splits.items():
        found[split] = {identifier for identifier in its.ids if identifier in texts}
        for text in its.text.tolist():
            found[split].update(by_text.get(text, ()))
    shared = set().union(*found.values())
    if not shared:
        return Check(name, 0)
    places = [f"{many(len(its), 'query', 'queries')} with {split}" for split, its in sorted(found.items()) if its]
    finding = Finding(
        name,
        "error",
        f"this split shares {', '.join(places)}",
        len(shared),
        Concerned.of(shared),
        examples=[f"{split}: {some(its)}" for split, its in sorted(found.items()) if its][:SHOWN],
        effect=f"a retriever that learnt from these splits has seen {len(shared) / len(queries):.1%} of the queries",
        advice="leave the shared queries out of training, or of the test",
    )
    return Check(name, len(shared), [finding])


def correlated_queries(judged: Judged) -> Check:
    """Find columns whose values most queries share with another one, and queries with the same answers."""
    name, data = "correlated_queries", judged.data
    candidates = [*_of_columns(data.columns), *_of_answers(judged)]
    findings, concerned = [], set()
    for groups in candidates:
        shared = groups.sizes[groups.codes] > 1
        if groups.number < _FEWEST or groups.number == len(data.queries) or shared.mean() < _MOST:
            continue
        queries = [data.queries.ids[q] for q in shared.nonzero()[0].tolist()]
        concerned.update(queries)
        widest = math.sqrt(float((groups.sizes**2).sum()) / len(data.queries))
        answers = groups.column == _ANSWERS
        has = f"the same {_ANSWERS if answers else f'value of {excerpt(groups.column)}'}"
        findings.append(
            Finding(
                name,
                "note",
                f"{many(len(queries), 'query has', 'queries have')} {has} as another one ({groups.number:,} "
                f"groups, the largest of {int(groups.sizes.max()):,})",
                len(queries),
                Concerned.of(queries),
                effect=f"intervals are up to {widest:.2f} times too narrow if queries of one group score alike",
                advice="name a column with such groups, --cluster COLUMN takes it"
                if answers
                else f"take intervals by group: --cluster {excerpt(groups.column)}"
                + (", as the data set says" if data.cluster == groups.column else ""),
            )
        )
    return Check(name, len(concerned), findings)


_ANSWERS = "relevant documents"


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
