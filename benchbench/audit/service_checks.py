"""What a service returned beside what the collection has: ids, texts, the same list twice, the document asked for."""

import math
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from itertools import pairwise

import numpy as np

from benchbench.audit.documents import DocumentTable
from benchbench.audit.finding import SHOWN, Check, Concerned, Finding, Severity, excerpt, many, skipped
from benchbench.audit.service import Answers, ServiceAnswers
from benchbench.audit.settings import AuditSettings
from benchbench.kernels.arrays import Bools
from benchbench.measures.agreement import AgreementMeasure, agreement
from benchbench.tables.hashing import NO_HASH

_NO_COLLECTION = "there is no collection"
NO_ANSWER = "the service answered nothing that can be read"

NAMES = (
    "failed_queries",
    "unknown_hits",
    "changed_texts",
    "unstable_answers",
    "documents_not_found",
    "documents_not_first",
    "too_many_hits",
    "hits_without_id",
    "repeated_hits",
    "ascending_scores",
)


def service_checks(found: ServiceAnswers, table: DocumentTable | None, settings: AuditSettings) -> list[Check]:
    """Return all checks of a service, in the order of `NAMES`.

    Parameters
    ----------
    found
        What was asked, and what came.
    table
        What is known of the documents; None where there is no collection.
    settings
        How many hits were asked for.
    """
    checks = _Checks(found, table, settings.top_k)
    if not any(why is None for one in (found.first, found.again, found.known) for why in one.failed):
        return [checks.failed(), *(skipped(name, NO_ANSWER) for name in NAMES[1:])]
    return [
        checks.failed(),
        checks.unknown(),
        checks.changed(),
        checks.unstable(),
        *checks.known(),
        checks.too_many(),
        checks.without_id(),
        checks.repeated(),
        checks.ascending(),
    ]


class _Checks:
    """The checks; hits are those of the first pass over the queries, and those of documents that were asked for."""

    def __init__(self, found: ServiceAnswers, table: DocumentTable | None, top_k: int) -> None:
        self._found, self._table, self._top_k = found, table, top_k
        items = [identifier for identifier, _, _ in found.items]
        self._asked: tuple[tuple[bool, list[str], Answers], ...] = (
            (True, found.queries, found.first),
            (False, items, found.known),
        )

    def failed(self) -> Check:
        """Count failed queries, by reason."""
        reasons: Counter[str] = Counter()
        queries: list[str] = []
        for are_queries, ids, answers in (*self._asked, (True, self._found.queries, self._found.again)):
            failed = [(identifier, why) for identifier, why in zip(ids, answers.failed, strict=True) if why is not None]
            reasons.update(why for _, why in failed)
            queries += [identifier for identifier, _ in failed] if are_queries else []
        total = reasons.total()
        asked = sum(len(one.failed) for one in (self._found.first, self._found.again, self._found.known))
        return _check(
            "failed_queries",
            "error",
            total,
            f"{many(total, 'query', 'queries')} of {asked:,} that were asked failed",
            queries=queries,
            examples=[f"{many(count, 'query', 'queries')}: {why}" for why, count in reasons.most_common(SHOWN)],
            effect="a failed query scores 0",
            advice="see why, before anything is measured",
        )

    def unknown(self) -> Check:
        """Find hits that the collection does not have."""
        name, table = "unknown_hits", self._table
        if table is None:
            return skipped(name, _NO_COLLECTION)

        def wrong(answers: Answers) -> Bools:
            named = answers.hits.id
            missing: Bools = (table.by_id.first(named) < 0) & (named != NO_HASH)
            return missing

        total, queries, ids = self._hits(wrong)
        return _check(
            name,
            "error",
            total,
            f"{many(total, 'hit has', 'hits have')} an id that the collection does not have",
            queries=queries,
            documents=ids,
            effect="no judgment by id can count such a hit",
            advice="let the service index this collection, or name the member that has its ids",
        )

    def changed(self) -> Check:
        """Find hits whose text is not that of the document with their id."""
        name, table = "changed_texts", self._table
        if table is None:
            return skipped(name, _NO_COLLECTION)
        if not any((answers.hits.text != NO_HASH).any() for _, _, answers in self._asked):
            return skipped(name, "the service returns no texts")

        def wrong(answers: Answers) -> Bools:
            text, place = answers.hits.text, table.by_id.first(answers.hits.id)
            there = np.maximum(place, 0)
            changed: Bools = (
                (place >= 0) & (text != NO_HASH) & (text != table.text[there]) & (text != table.body[there])
            )
            return changed

        total, queries, ids = self._hits(wrong)
        return _check(
            name,
            "error",
            total,
            f"{many(total, 'hit has', 'hits have')} another text than the document of that id",
            queries=queries,
            documents=ids,
            effect="judgments and self-retrieval by text do not see such hits",
            advice="return texts whole and unchanged, or judge with --gold id",
        )

    def unstable(self) -> Check:
        """Find queries that got another list the second time."""
        first, again, ids = self._found.first, self._found.again, self._found.queries
        if None in first.hits.ids or None in again.hits.ids:
            return skipped("unstable_answers", "some hits have no id, so nothing says which documents they are")
        lists = dict(first.lists()), dict(again.lists())
        both = sorted(lists[0].keys() & lists[1].keys())
        differ = [q for q in both if first.hits.ids[lists[0][q]] != again.hits.ids[lists[1][q]]]
        groups = np.array(differ, np.int64)
        alike = agreement(first.rankings(), again.rankings(), (groups, groups), [AgreementMeasure("RBO", p=0.9)])
        return _check(
            "unstable_answers",
            "warning",
            len(differ),
            f"{many(len(differ), 'query', 'queries')} of {len(both):,} got another list when asked twice",
            queries=[ids[q] for q in differ],
            effect=f"two such lists have a rank-biased overlap of {alike.mean():.3f}: scores change from run to run"
            if differ
            else "",
            advice="measure how much with --repeat, or let the service break ties by id",
        )

    def known(self) -> tuple[Check, Check]:
        """Find documents that are not found, or not found first, by their own texts; a copy is as good."""
        names, found = ("documents_not_found", "documents_not_first"), self._found
        if not found.items:
            return skipped(names[0], _NO_COLLECTION), skipped(names[1], _NO_COLLECTION)
        if None not in found.known.failed:
            return skipped(names[0], NO_ANSWER), skipped(names[1], NO_ANSWER)
        lost, late = [], []
        for number, its in found.known.lists():
            identifier, digest, _ = found.items[number]
            ranks = [at - its.start for at in range(its.start, its.stop) if self._is(at, identifier, digest)]
            if not ranks:
                lost.append(identifier)
            elif ranks[0]:
                late.append(identifier)
        asked = sum(why is None for why in found.known.failed)
        when = "when asked for by the text"
        return _check(
            names[0],
            "error",
            len(lost),
            f"{many(len(lost), 'document')} of {asked:,} {'is' if len(lost) == 1 else 'are'} not among "
            f"{self._top_k} hits {when}",
            documents=lost,
            effect="a document that cannot be found lowers every score that it is relevant for",
            advice="see whether the service has all documents, and reads queries whole",
        ), _check(
            names[1],
            "note",
            len(late),
            f"{many(len(late), 'document')} of {asked:,} {'is' if len(late) == 1 else 'are'} not the first hit {when}",
            documents=late,
            advice="usual for short texts and for passages of one document; see whether it is meant",
        )

    def _is(self, at: int, identifier: str, digest: int) -> bool:
        """Say whether a hit is a document, or a copy of it."""
        hits, table = self._found.known.hits, self._table
        if hits.ids[at] == identifier or hits.text[at] == digest:
            return True
        place = -1 if table is None else int(table.by_id.first(hits.id[at : at + 1])[0])
        return table is not None and place >= 0 and int(table.text[place]) == digest

    def too_many(self) -> Check:
        """Count the hits beyond those that were asked for."""
        total = sum(answers.hits.faults.get("beyond_top_k", 0) for _, _, answers in self._asked)
        return _check(
            "too_many_hits",
            "warning",
            total,
            f"{many(total, 'hit')} came beyond the {self._top_k} asked for",
            effect="they are cut",
            advice="let the service keep to what it is asked for",
        )

    def without_id(self) -> Check:
        """Count the hits without an id."""
        total, queries = self._lists(lambda answers, its: answers.hits.ids[its].count(None))
        return _check(
            "hits_without_id",
            "warning",
            total,
            f"{many(total, 'hit has', 'hits have')} no id",
            queries=queries,
            effect="they cannot be judged by id",
            advice="return the ids of the collection",
        )

    def repeated(self) -> Check:
        """Count the hits that an earlier one of their list has the id of."""
        total, queries = self._lists(lambda answers, its: _repeated(answers.hits.ids[its]))
        return _check(
            "repeated_hits",
            "warning",
            total,
            f"{many(total, 'hit repeats', 'hits repeat')} a document of the same list",
            queries=queries,
            effect="repeated hits are removed before ranks are given, so lists get shorter",
            advice="return each document once",
        )

    def ascending(self) -> Check:
        """Count the lists whose scores do not fall."""
        total, queries = self._lists(lambda answers, its: int(_ascends(answers.hits.score[its].tolist())))
        return _check(
            "ascending_scores",
            "warning",
            total,
            f"in {many(total, 'list')} a hit has a higher score than one before it",
            queries=queries,
            effect="the order of the response is the ranking here; tools that sort by score have another one",
            advice="return the best hit first",
        )

    def _hits(self, wrong: Callable[[Answers], Bools]) -> tuple[int, list[str], set[str]]:
        """Return how many hits are wrong, the queries that have such, and the ids."""
        total, queries, ids = 0, list[str](), set[str]()
        for are_queries, asked, answers in self._asked:
            is_wrong = wrong(answers)
            for number, its in answers.lists():
                places = (np.flatnonzero(is_wrong[its]) + its.start).tolist()
                total += len(places)
                ids.update(str(answers.hits.ids[at]) for at in places)
                queries += [asked[number]] * (are_queries and bool(places))
        return total, queries, ids

    def _lists(self, count: Callable[[Answers, slice], int]) -> tuple[int, list[str]]:
        """Return the sum of a count over lists, and the queries where it is not 0."""
        found = [(one, count(answers, its)) for one, its, answers in self._each()]
        return sum(times for _, times in found), [one for one, times in found if times and one is not None]

    def _each(self) -> Iterator[tuple[str | None, slice, Answers]]:
        """Yield each list with the id of its query, None for a document that was asked for."""
        for are_queries, asked, answers in self._asked:
            for number, its in answers.lists():
                yield asked[number] if are_queries else None, its, answers


def _check(
    name: str,
    severity: Severity,
    total: int,
    said: str,
    *,
    queries: Collection[str] = (),
    documents: Collection[str] = (),
    examples: Sequence[str] = (),
    effect: str = "",
    advice: str = "",
) -> Check:
    """Return a check with a finding where there is something; examples are the first queries, or else documents."""
    if not total:
        return Check(name, 0)
    asked, found = Concerned.of(queries), Concerned.of(documents)
    named = [f"query {one}" for one in asked.ids] or [f"document {one}" for one in found.ids]
    shown = examples or [excerpt(one) for one in named[:SHOWN]]
    finding = Finding(name, severity, said, total, asked, found, list(shown), effect, advice)
    return Check(name, total, [finding])


def _repeated(ids: Sequence[str | None]) -> int:
    named = [one for one in ids if one is not None]
    return len(named) - len(set(named))


def _ascends(scores: Sequence[float]) -> bool:
    """Say whether a score is higher than the one before it; missing ones are passed over."""
    return any(after > before for before, after in pairwise(one for one in scores if not math.isnan(one)))
