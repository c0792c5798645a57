"""What a service returned beside what the collection has: ids, texts, the same list twice, the document asked for.

Hits are those of the first pass over the queries, and those of documents that were asked for.
"""

import math
from collections import Counter
from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import Any

import numpy as np

from benchbench.audit.check import NO_COLLECTION, Judged, NotDoneError, check
from benchbench.audit.finding import SHOWN, Check, Finding, finding, many
from benchbench.audit.service import Answers, ServiceAnswers
from benchbench.kernels.arrays import Bools
from benchbench.measures.agreement import AgreementMeasure, agreement
from benchbench.tables.hashing import NO_HASH
from benchbench.tables.hits import Hits

NO_ANSWER = "the service answered nothing that can be read"


def _answers(judged: Judged) -> ServiceAnswers:
    answers: ServiceAnswers = judged.kept[ServiceAnswers]
    return answers


def service_checks(judged: Judged) -> list[tuple[Check, list[Finding]]]:
    """Return all checks of a service, in the order of `SERVICE_CHECKS`."""
    answers = _answers(judged)
    if any(why is None for part in (answers.first, answers.again, answers.known) for why in part.failed):
        return [service_check(judged) for service_check in SERVICE_CHECKS]
    first, *others = SERVICE_CHECKS
    return [first(judged), *((service_check.skipped(judged, NO_ANSWER), []) for service_check in others)]


@check("Failed queries")
def failed_queries(judged: Judged) -> Iterator[Finding]:
    """Count failed queries, by reason."""
    answers = _answers(judged)
    reasons: Counter[str] = Counter()
    queries: list[str] = []
    number = 0
    for are_queries, ids, part in (*answers.asked, (True, answers.queries, answers.again)):
        failed = [(identifier, why) for identifier, why in zip(ids, part.failed, strict=True) if why is not None]
        number += len(part.failed)
        reasons.update(why for _, why in failed)
        queries += [identifier for identifier, _ in failed if are_queries]
    total = reasons.total()
    yield finding(
        "error",
        total,
        f"{many(total, 'query')} of {number:,} that were asked failed",
        queries=queries,
        examples=[f"{many(count, 'query')}: {why}" for why, count in reasons.most_common(SHOWN)],
        effect="a failed query scores 0",
        advice="see why, before anything is measured",
    )


@check("Hits of unknown ids")
def unknown_hits(judged: Judged) -> Iterator[Finding]:
    """Find hits that the collection does not have."""
    table = judged.collection

    def wrong(answers: Answers) -> Bools:
        missing: Bools = (table.by_id.first(answers.hits.id) < 0) & (answers.hits.id != NO_HASH)
        return missing

    yield _hits(
        judged,
        wrong,
        "an id that the collection does not have",
        effect="no judgment by id can count such a hit",
        advice="let the service index this collection, or name the member that has its ids",
    )


@check("Changed texts")
def changed_texts(judged: Judged) -> Iterator[Finding]:
    """Find hits whose text is not that of the document with their id."""
    table = judged.collection
    if not any((answers.hits.text != NO_HASH).any() for _, _, answers in _answers(judged).asked):
        raise NotDoneError("the service returns no texts")

    def wrong(answers: Answers) -> Bools:
        text, place = answers.hits.text, table.by_id.first(answers.hits.id)
        there = np.maximum(place, 0)
        changed: Bools = (place >= 0) & (text != NO_HASH) & (text != table.text[there]) & (text != table.body[there])
        return changed

    yield _hits(
        judged,
        wrong,
        "another text than the document of that id",
        effect="judgments and self-retrieval by text do not see such hits",
        advice="return texts whole and unchanged, or judge with --gold id",
    )


@check("Unstable answers")
def unstable_answers(judged: Judged) -> Iterator[Finding]:
    """Find queries that got another list the second time."""
    answers = _answers(judged)
    first, again = answers.first, answers.again
    if None in first.hits.ids or None in again.hits.ids:
        raise NotDoneError("some hits have no id, so nothing says which documents they are")
    before, after = dict(first.lists()), dict(again.lists())
    both = sorted(before.keys() & after.keys())
    differ = [q for q in both if first.hits.ids[before[q]] != again.hits.ids[after[q]]]
    groups = np.array(differ, np.int64)
    alike = agreement(first.rankings(), again.rankings(), (groups, groups), [AgreementMeasure("RBO", p=0.9)])
    yield finding(
        "warning",
        len(differ),
        f"{many(len(differ), 'query')} of {len(both):,} got another list when asked twice",
        queries=[answers.queries[q] for q in differ],
        effect=f"two such lists have a rank-biased overlap of {alike.mean():.3f}: scores change from run to run"
        if differ
        else "",
        advice="measure how much with --repeat, or let the service break ties by id",
    )


@check("Documents not found")
def documents_not_found(judged: Judged) -> Iterator[Finding]:
    """Find documents that are not found by their own texts; a copy is as good."""
    ranks = _ranks(judged)
    lost = [identifier for identifier, rank in ranks if rank is None]
    yield finding(
        "error",
        len(lost),
        f"{many(len(lost), 'document')} of {len(ranks):,} {'is' if len(lost) == 1 else 'are'} not among "
        f"{judged.settings.top_k} hits when asked for by the text",
        documents=lost,
        effect="a document that cannot be found lowers every score that it is relevant for",
        advice="see whether the service has all documents, and reads queries whole",
    )


@check("Documents not first")
def documents_not_first(judged: Judged) -> Iterator[Finding]:
    """Find documents that are found by their own texts, but not first; a copy is as good."""
    ranks = _ranks(judged)
    late = [identifier for identifier, rank in ranks if rank]
    yield finding(
        "note",
        len(late),
        f"{many(len(late), 'document')} of {len(ranks):,} {'is' if len(late) == 1 else 'are'} not the first hit when "
        "asked for by the text",
        documents=late,
        advice="usual for short texts and for passages of one document; see whether it is meant",
    )


def _ranks(judged: Judged) -> list[tuple[str, int | None]]:
    """Return the documents that were asked for and answered, each with its rank from 0, or that of a copy."""
    answers, table = _answers(judged), judged.table
    hits = answers.known.hits
    if not answers.items:
        raise NotDoneError(NO_COLLECTION)
    if None not in answers.known.failed:
        raise NotDoneError(NO_ANSWER)

    def is_document(at: int, identifier: str, digest: int) -> bool:
        if hits.ids[at] == identifier or hits.text[at] == digest:
            return True
        place = -1 if table is None else int(table.by_id.first(hits.id[at : at + 1])[0])
        return table is not None and place >= 0 and int(table.text[place]) == digest

    ranks: list[tuple[str, int | None]] = []
    for number, its in answers.known.lists():
        identifier, digest, _ = answers.items[number]
        places = range(its.start, its.stop)
        ranks.append((identifier, next((at - its.start for at in places if is_document(at, identifier, digest)), None)))
    return ranks


@check("Too many hits")
def too_many_hits(judged: Judged) -> Iterator[Finding]:
    """Count the hits beyond those that were asked for."""
    total = sum(answers.hits.faults.get("beyond_top_k", 0) for _, _, answers in _answers(judged).asked)
    yield finding(
        "warning",
        total,
        f"{many(total, 'hit')} came beyond the {judged.settings.top_k} asked for",
        effect="they are cut",
        advice="let the service keep to what it is asked for",
    )


@check("Hits without an id")
def hits_without_id(judged: Judged) -> Iterator[Finding]:
    """Count the hits without an id."""
    yield _lists(
        judged,
        lambda hits, its: hits.ids[its].count(None),
        lambda total: f"{many(total, 'hit has', 'hits have')} no id",
        effect="they cannot be judged by id",
        advice="return the ids of the collection",
    )


@check("Repeated hits")
def repeated_hits(judged: Judged) -> Iterator[Finding]:
    """Count the hits that an earlier one of their list has the id of."""

    def repeated(hits: Hits, its: slice) -> int:
        named = [identifier for identifier in hits.ids[its] if identifier is not None]
        return len(named) - len(set(named))

    yield _lists(
        judged,
        repeated,
        lambda total: f"{many(total, 'hit repeats', 'hits repeat')} a document of the same list",
        effect="repeated hits are removed before ranks are given, so lists get shorter",
        advice="return each document once",
    )


@check("Ascending scores")
def ascending_scores(judged: Judged) -> Iterator[Finding]:
    """Count the lists in which a score is higher than the one before it; missing ones are passed over."""

    def ascends(hits: Hits, its: slice) -> int:
        scores = [score for score in hits.score[its].tolist() if not math.isnan(score)]
        return any(after > before for before, after in pairwise(scores))

    yield _lists(
        judged,
        ascends,
        lambda total: f"in {many(total, 'list')} a hit has a higher score than one before it",
        effect="the order of the response is the ranking here; tools that sort by score have another one",
        advice="return the best hit first",
    )


SERVICE_CHECKS = (
    failed_queries, unknown_hits, changed_texts, unstable_answers, documents_not_found, documents_not_first,
    too_many_hits, hits_without_id, repeated_hits, ascending_scores,
)  # fmt: skip


def _hits(judged: Judged, wrong: Callable[[Answers], Bools], said: str, **members: Any) -> Finding:
    """Return that hits have something wrong, with the queries that got such, and their ids."""
    total, queries, ids = 0, list[str](), set[str]()
    for are_queries, asked, answers in _answers(judged).asked:
        is_wrong = wrong(answers)
        for number, its in answers.lists():
            places = (np.flatnonzero(is_wrong[its]) + its.start).tolist()
            total += len(places)
            ids.update(str(answers.hits.ids[at]) for at in places)
            queries += [asked[number]] * (are_queries and bool(places))
    said = f"{many(total, 'hit has', 'hits have')} {said}"
    return finding("error", total, said, queries=queries, documents=ids, **members)


def _lists(judged: Judged, count: Callable[[Hits, slice], int], said: Callable[[int], str], **members: Any) -> Finding:
    """Return the sum of a count over lists, with the queries where it is not 0."""
    total, queries = 0, list[str]()
    for are_queries, asked, answers in _answers(judged).asked:
        for number, its in answers.lists():
            times = count(answers.hits, its)
            total += times
            queries += [asked[number]] * (are_queries and times > 0)
    return finding("warning", total, said(total), queries=queries, **members)
