"""An audit: all checks of a data set, and of a service over it."""

import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from benchbench.audit import duplicates, gold, groups, identifiers, judgments, labels, near, texts
from benchbench.audit.audit_result import Audit
from benchbench.audit.cut_texts import TextEnds, cut_texts
from benchbench.audit.documents import Visitor, read_documents
from benchbench.audit.encodings import Damage
from benchbench.audit.judgments import Judged
from benchbench.audit.markup import Markup
from benchbench.audit.service import KnownItems, ask
from benchbench.audit.service_checks import service_checks
from benchbench.audit.settings import AuditSettings
from benchbench.audit.source import Audited
from benchbench.client.sync import run_sync
from benchbench.tables.callbacks import nothing

if TYPE_CHECKING:
    from benchbench.client.service import Service


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
    damage, markup, long = Damage(), Markup(), texts.LongTexts(settings.max_tokens)
    ends = TextEnds()
    known, gold_texts = KnownItems(settings.limit), gold.GoldTexts(data)
    by_label = labels.DocumentLabels(data.queries)
    signed = near.signatures(data.queries.text.tolist(), data.queries.texts, settings.sample)
    visitors: list[Visitor] = [
        damage,
        markup,
        long,
        ends,
        by_label,
        gold_texts,
        *([] if signed is None else [signed]),
        *([known] if service else []),
    ]
    table = read_documents(data, visitors)
    progress("Comparing")
    judged = Judged(data, table, settings.cutoff)
    checks = [
        identifiers.unreadable(data, table),
        identifiers.repeated_ids(table),
        identifiers.colliding_ids(judged),
        identifiers.unwritable_ids(data, table),
        judgments.dangling(judged),
        judgments.without_positives(judged),
        judgments.beyond_cutoff(judged),
        judgments.relevant_for_many(judged),
        judgments.outlying_grades(judged),
        gold.swapped_judgments(judged, gold_texts, table),
        gold.copied_queries(judged, gold_texts),
        duplicates.queries_in_collection(judged),
        *duplicates.duplicate_documents(judged),
        duplicates.equal_queries(data),
        *near.near_duplicates(judged, signed, settings.near),
        groups.shared_between_splits(data),
        groups.correlated_queries(judged),
        *labels.label_values(data, table, by_label),
        labels.differing_twins(data, table, by_label),
        texts.empty_texts(data, table),
        texts.extreme_lengths(judged),
        cut_texts(judged, ends),
        texts.over_limit(data, table, long),
        damage.check(data),
        markup.check(data),
    ]
    shown = None
    if service is not None:
        progress("Asking the service")
        answers = run_sync(ask(data, known, service, settings))
        shown = answers.shown
        checks += service_checks(answers, table, settings)
    return Audit(data, settings, None if table is None else len(table), checks, shown, began)
