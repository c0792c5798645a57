"""An audit: all checks of a data set, and of a service over it."""

import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from benchbench.audit import duplicates, gold, groups, identifiers, judgments, labels, near, texts
from benchbench.audit.audit_result import TOTALS, Audit
from benchbench.audit.cut_texts import TextEnds, cut_texts
from benchbench.audit.documents import Visitor, read_documents
from benchbench.audit.encodings import Damage, damaged_texts
from benchbench.audit.judged import Judged
from benchbench.audit.markup import Markup, markup_in_texts
from benchbench.audit.service import KnownItems, ServiceAnswers, ask
from benchbench.audit.service_checks import SERVICE_CHECKS, service_checks
from benchbench.audit.settings import AuditSettings
from benchbench.audit.source import Audited
from benchbench.client.sync import run_sync
from benchbench.tables.callbacks import nothing

if TYPE_CHECKING:
    from benchbench.client.service import Service

CHECKS = (
    identifiers.unreadable_records, identifiers.repeated_ids, identifiers.colliding_ids, identifiers.unwritable_ids,
    judgments.dangling_judgments, judgments.queries_without_positives, judgments.queries_beyond_cutoff,
    judgments.documents_relevant_for_many, judgments.outlying_grades, gold.swapped_judgments, gold.queries_in_positives,
    duplicates.queries_in_collection, duplicates.duplicate_documents, duplicates.twins_judged_differently,
    duplicates.equal_queries, near.near_duplicates, near.near_duplicate_queries, groups.shared_between_splits,
    groups.correlated_queries, labels.labels_seen_once, labels.labels_without_documents,
    labels.twins_labelled_differently, texts.empty_texts, texts.extreme_lengths, cut_texts, texts.texts_over_limit,
    damaged_texts, markup_in_texts,
)  # fmt: skip


def audit(
    data: Audited,
    settings: AuditSettings | None = None,
    service: "Service | None" = None,
    progress: Callable[[str], None] = nothing,
) -> Audit:
    """Do all checks, in one pass over the documents.

    Parameters
    ----------
    data
        The data set.
    settings
        What to look at, and how closely.
    service
        Is asked too, where there is one.
    progress
        Called with what is done.

    Raises
    ------
    InputError, UnreachableError
        When the collection cannot be read, or the service cannot be reached.
    """
    began, settings = time.time(), settings or AuditSettings()
    if service is not None:
        settings.batch_of(service)
    progress("Reading the collection")
    signed = near.signatures(data.queries.text.tolist(), data.queries.texts, settings)
    known = KnownItems(settings.limit)
    visitors: list[Visitor] = [
        Damage(), Markup(), texts.LongTexts(settings.max_tokens), TextEnds(), labels.DocumentLabels(data.queries),
        gold.GoldTexts(data), *signed, *([known] if service else []),
    ]  # fmt: skip
    table = read_documents(data, visitors)
    progress("Comparing")
    kept: dict[type, Any] = {type(visitor): visitor for visitor in visitors}
    judged = Judged(data, table, settings, kept)
    checks, shown = [check(judged) for check in CHECKS], None
    if service is not None:
        progress("Asking the service")
        answers = kept[ServiceAnswers] = run_sync(ask(data, known, service, settings))
        shown = answers.shown
        checks += service_checks(judged)
    documents = None if table is None else len(table)
    return Audit(data=data, settings=settings, documents=documents, checks=checks, service=shown, began=began)


def names(settings: AuditSettings, service: bool) -> list[str]:
    """Return the names of the numbers that an audit has, before it is done."""
    checks = [*CHECKS, *(SERVICE_CHECKS if service else ())]
    effects = [name for check in checks for name in check.effects(settings.cutoff)]
    return ["findings", *TOTALS.values(), *(check.name for check in checks), *effects]
