"""Judgments beside the collection: which are of documents that do not exist, and what scores can be at most.

Conventions
-----------
A query's gain of a document is its grade; nDCG@k divides by the discounted gains of all documents judged relevant, best
first, and R@k by their number, whether they exist or not. Means are over the queries with a relevant document.
"""

import math
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from benchbench.audit.check import Judged, Measured, NotDoneError, check
from benchbench.audit.finding import SHOWN, Finding, Pair, Shown, finding, many, some
from benchbench.kernels.arrays import F64
from benchbench.tables.hashing import NO_HASH

_MANY, _MANY_SHARE, _MANY_TIMES = 10, 0.05, 5.0  # queries, of all, and times the mean: in SciFact, CACM and two sets of
# criminal cases no document reaches all three, though in each some are relevant for four queries or more
_GRADE_TIMES, _GRADE_SHARE = 10.0, 0.05  # times the next lower grade, and of the judgments: scales of 1 and 10 are used
_ZEROS = re.compile(r"(?<!\d)0+(?=\d)")  # in front of a number


def ndcg(gains: F64, ideal: F64, k: int) -> float:
    """Return the discounted gains of a ranking over those of the ideal one, both cut at k."""
    discounts = 1.0 / np.log2(np.arange(2, k + 2))
    best = np.sort(ideal)[::-1][:k]
    return float(gains[:k] @ discounts[: len(gains[:k])] / (best @ discounts[: len(best)]))


@check("Missing documents", "possible_nDCG@{k}", "possible_R")
def dangling_judgments(judged: Judged) -> Iterator[Finding | Measured]:
    """Find judgments of documents that do not exist, and what an ideal ranking of the others still scores."""
    missing, positives, ids = judged.place < 0, judged.data.queries.positives, judged.data.queries.ids
    rows = np.flatnonzero(missing)
    queries = judged.query[rows]
    lost_ndcg: dict[int, float] = {}
    lost_recall: dict[int, float] = {}
    for q in np.unique(queries).tolist():
        its = positives.of(q)
        gains, there = np.maximum(positives.grade[its], 0.0), ~missing[its]
        if gains.any():
            lost_ndcg[q] = 1.0 - ndcg(np.sort(gains[there])[::-1], gains, judged.cutoff)
            lost_recall[q] = 1.0 - float(np.count_nonzero(gains[there]) / np.count_nonzero(gains))
    known = judged.answerable
    most = [1.0 - judged.mean(lost) if known else None for lost in (lost_ndcg, lost_recall)]
    yield Measured(most)
    if not len(rows):
        return
    concerned, documents = judged.ids(queries), judged.names_of(rows)
    forms = {name: judged.collection.ids[place] for name, place in written_otherwise(judged, documents).items()}
    lacking, judgments = np.bincount(queries, minlength=len(ids)), np.diff(positives.offsets)
    worst = sorted(np.flatnonzero(lacking).tolist(), key=lambda q: (-lacking[q], ids[q]))[:SHOWN]
    fault = "names a document that does not exist" if len(rows) == 1 else "name documents that do not exist"
    if forms.keys() >= set(documents):
        fault = "writes an id" if len(rows) == 1 else "write ids"
        fault += " in another form than the collection"
    yield finding(
        "error",
        len(rows),
        f"{many(len(rows), 'judgment')} of {many(len(concerned), 'query')} {fault}",
        queries=concerned,
        documents=documents,
        examples=[
            f"query {ids[q]}: {lacking[q]:,} of {many(int(judgments[q]), 'judgment')} "
            f"({some(judged.names_of(rows[queries == q]), 3)})"
            for q in worst
        ],
        pairs=[
            (
                Shown("query", ids[q]),
                Shown("document", forms[name], f"{name} → {forms[name]}")
                if name in forms
                else Shown("document", name, "missing"),
            )
            for q in worst
            for name in judged.names_of(rows[queries == q])[:1]
        ],
        effect=f"no retriever can be above nDCG@{judged.cutoff} {most[0]:.3f} or recall {most[1]:.3f}, over "
        f"{known:,} queries"
        if known
        else "",
        advice=_advice(forms, documents),
    )


def written_otherwise(judged: Judged, missing: Sequence[str]) -> dict[str, int]:
    """Return those of the missing ids that differ only in form from one that exists, each with that document."""
    forms: dict[str, set[str]] = defaultdict(set)
    for identifier in missing:
        forms[_plain(identifier)].add(identifier)
    there = {form: place for place, name in enumerate(judged.collection.ids) if (form := _plain(name)) in forms}
    return {identifier: place for form, place in there.items() for identifier in forms[form]}


def _advice(forms: Mapping[str, str], missing: Sequence[str]) -> str:
    lost = [name for name in missing if name not in forms]
    first = min(forms, default="")
    judgments = many(len(missing) - len(lost), "judgment")
    parts = [f"rename {many(len(forms), 'id')} in {judgments}: {first} → {forms[first]}"] if forms else []
    if lost:
        documents = many(len(set(lost)), "missing document")
        parts.append(f"restore {documents}, or leave out {many(len(lost), 'judgment')}")
    return "; ".join(parts)


def _plain(identifier: str) -> str:
    return _ZEROS.sub("", identifier.strip().casefold()).removesuffix(".0")


def _refuse_no_judgment(judged: Judged) -> None:
    if not judged.answerable:  # data of labels alone
        raise NotDoneError("no query has a judgment")


@check("No relevant document")
def queries_without_positives(judged: Judged) -> Iterator[Finding]:
    """Find queries for which nothing is relevant."""
    _refuse_no_judgment(judged)
    queries, total = judged.ids(np.flatnonzero(judged.relevant == 0)), len(judged.data.queries)
    count = total - judged.answerable
    yield finding(
        "warning",
        count,
        f"{many(count, 'query')} of {total:,} {'has' if count == 1 else 'have'} no document judged relevant",
        queries=queries,
        examples=queries[:SHOWN],
        pairs=[_with_lowest(judged, name) for name in queries[:SHOWN]],
        effect=f"they score 0: where they count, no mean is above {judged.answerable / total:.3f}",
        advice="leave them out for every system, or judge them",
    )


def _with_lowest(judged: Judged, query: str) -> Pair:
    """Return a query for which nothing is relevant with a document that was judged for it, if there is one."""
    its = judged.data.queries.positives.of(judged.place_of_query[query])
    names = judged.data.queries.positives.ids[its.start : its.stop]
    grades = judged.data.queries.positives.grade[its].tolist()
    return Shown("query", query), *(Shown("document", names[0], f"judged {grade:g}") for grade in grades[:1])


@check("Many relevant", "ceiling_P@{k}", "ceiling_R@{k}")
def queries_beyond_cutoff(judged: Judged) -> Iterator[Finding | Measured]:
    """Find queries with more relevant documents than a cut-off holds, and say how high P and R can be."""
    k, ids, relevant = judged.cutoff, judged.data.queries.ids, judged.relevant[judged.relevant > 0]
    if not len(relevant):
        yield Measured([None, None])
        return
    held = np.minimum(relevant, k)
    precision, recall = (math.fsum(held / whole) / len(relevant) for whole in (np.full(len(held), k), relevant))
    yield Measured([precision, recall])
    queries = np.flatnonzero(judged.relevant > k).tolist()
    most = sorted(queries, key=lambda q: (-judged.relevant[q], ids[q]))[:SHOWN]
    few = f". P@{k} is at most {precision:.3f}, since other queries have fewer than {k}" if precision < 1.0 else ""
    yield finding(
        "note",
        len(queries),
        f"{many(len(queries), 'query')} of {len(relevant):,} {'has' if len(queries) == 1 else 'have'} "
        f"more than {k} relevant documents",
        queries=judged.ids(queries),
        examples=[f"query {ids[q]}: {judged.relevant[q]:,} relevant documents" for q in most],
        effect=f"R@{k} is at most {recall:.3f}{few}",
        advice="report recall at a deeper cut-off, or use --recall-denominator capped",
    )


@check("Relevant for many")
def documents_relevant_for_many(judged: Judged) -> Iterator[Finding]:
    """Find documents that are relevant for far more queries than others."""
    _refuse_no_judgment(judged)
    positives = judged.data.queries.positives
    texts = positives.text if judged.data.gold_by == "text" else np.full(len(positives.id), NO_HASH, np.uint64)
    rows = np.flatnonzero(positives.grade > 0)
    keys = np.where(texts == NO_HASH, positives.id, texts)[rows]
    _, first, group, counts = np.unique(keys, return_index=True, return_inverse=True, return_counts=True)
    least = max(_MANY, _MANY_SHARE * judged.answerable, _MANY_TIMES * float(counts.mean()))
    groups = np.flatnonzero(counts >= least)
    if not len(groups):
        return
    names = dict(zip(groups.tolist(), judged.names_of(rows[first[groups]]), strict=True))
    shown = sorted(names, key=lambda number: (-counts[number], names[number]))
    yield finding(
        "warning",
        len(groups),
        f"{many(len(groups), 'document is', 'documents are')} relevant for {int(counts[groups].min()):,} queries or "
        f"more each, and a relevant one on average for {counts.mean():.1f}",
        queries=judged.ids(judged.query[rows[np.isin(group, groups)]]),
        documents=names.values(),
        examples=[f"{names[number]}: {many(int(counts[number]), 'query')}" for number in shown[:SHOWN]],
        effect=f"a system that returns {names[shown[0]]} first for whatever is asked has Success@1 "
        f"{counts[shown[0]] / judged.answerable:.3f}",
        advice="look whether it answers these queries, or is a default of the annotators",
    )


@check("Outlying grades")
def outlying_grades(judged: Judged) -> Iterator[Finding]:
    """Find the few grades that are many times as high as all others."""
    grade, ids = judged.data.queries.positives.grade, judged.data.queries.ids
    step = grade_step(judged)
    if step is None:
        return
    usual, lowest = step
    rows = np.flatnonzero(grade >= lowest)
    queries, documents = judged.ids(judged.query[rows]), judged.names_of(rows)
    yield finding(
        "error",
        len(rows),
        f"{many(len(rows), 'judgment has a grade', 'judgments have grades')} of {lowest:g} or more, and all others "
        f"have {usual:g} at most",
        queries=queries,
        documents=documents,
        examples=[
            f"query {ids[judged.query[row]]}: {document} has {grade[row]:g}"
            for row, document in zip(rows.tolist()[:SHOWN], documents, strict=False)
        ],
        effect=f"nDCG@{judged.cutoff} of {many(len(queries), 'query')} is that of one document: it gains at "
        f"least {lowest / usual:,.0f} times as much as any other",
        advice="correct the grade, or say what it means",
    )


def grade_step(judged: Judged) -> tuple[float, float] | None:
    """Return the highest usual grade and the lowest of the few far above it; None where there are none."""
    grade = judged.data.queries.positives.grade
    grades, counts = np.unique(grade[grade > 0], return_counts=True)
    above = np.cumsum(counts[::-1])[::-1]  # so many judgments have this grade or a higher one
    steps = np.flatnonzero((grades[1:] >= _GRADE_TIMES * grades[:-1]) & (above[1:] <= _GRADE_SHARE * counts.sum()))
    return (float(grades[steps[0]]), float(grades[steps[0] + 1])) if len(steps) else None
