"""An audit: all checks of a data set, and of a service over it, and the record of what they found."""

import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import takewhile
from typing import TYPE_CHECKING, Any

import numpy as np

import benchbench
from benchbench.audit import damage, duplicates, gold, groups, identifiers, judgments, labels, near_duplicates, texts
from benchbench.audit.audit_settings import AuditSettings
from benchbench.audit.check import Judged
from benchbench.audit.documents import Visitor, document_texts, read_documents
from benchbench.audit.effects import EFFECTS, INTERVAL, MENDINGS, effects, why_not
from benchbench.audit.finding import SEVERITIES, AuditDetails, Check, Effect, Effects, Finding, Pair, Shown, beginning
from benchbench.audit.service import KnownItems, ServiceAnswers, ask
from benchbench.audit.service_checks import NO_ANSWER, SERVICE_CHECKS, service_checks
from benchbench.audit.source import Audited
from benchbench.client.sync import run_sync
from benchbench.results.environment import environment
from benchbench.results.estimates import Estimate
from benchbench.results.record import Data, Note, Number, Record, Subject, counts_of, in_record, record, settings_of
from benchbench.results.result import Result
from benchbench.results.signature import Signature
from benchbench.tables.callbacks import nothing
from benchbench.tables.hashing import id_hash

if TYPE_CHECKING:
    from benchbench.client.service import Service

_LIBRARIES = ("msgspec", "numpy", "orjson", "polars")
TOTALS = {"error": "errors", "warning": "warnings", "note": "notes"}
CHECKS = (
    identifiers.unreadable_records, identifiers.repeated_ids, identifiers.colliding_ids, identifiers.unwritable_ids,
    judgments.dangling_judgments, judgments.queries_without_positives, judgments.queries_beyond_cutoff,
    judgments.documents_relevant_for_many, judgments.outlying_grades, gold.swapped_judgments, gold.queries_in_positives,
    duplicates.queries_in_collection, duplicates.duplicate_documents, duplicates.twins_judged_differently,
    duplicates.equal_queries, near_duplicates.near_duplicates, near_duplicates.near_duplicate_queries,
    groups.shared_between_splits,
    groups.correlated_queries, labels.labels_seen_once, labels.labels_without_documents,
    labels.twins_labelled_differently, texts.empty_texts, texts.extreme_lengths, texts.cut_texts,
    texts.texts_over_limit, damage.damaged_texts, damage.markup_in_texts,
)  # fmt: skip


@dataclass(frozen=True, repr=False, kw_only=True)
class Audit(Result):
    """What was found."""

    kind = "audit"

    data: Audited
    settings: AuditSettings
    documents: int | None
    checks: list[Check]
    findings: list[Finding]  # the worst first, in the order of the checks
    effects: Effects | None  # on BM25; None where they were not measured
    why_no_effects: str
    service: str | None
    began: float  # seconds since 1970

    @property
    def unanswered(self) -> bool:
        """Whether a service was asked, and answered nothing that can be read."""
        return any(check.skipped == NO_ANSWER for check in self.checks)

    def to_record(self) -> Record:
        """Return the record: a number per check."""
        data = self.data
        parts = {
            "near": f"{self.settings.near:g}",
            "sample": str(self.settings.sample),
            "k": str(self.settings.cutoff),
            "data": data.queries.digest,
            "version": benchbench.__version__,
        }
        signature = str(Signature(parts))
        severities: list[str] = [finding.severity for finding in self.findings]
        totals = [Check(check=name, count=severities.count(severity)) for severity, name in TOTALS.items()]
        numbers = [
            Number(name="findings", value=float(len(self.findings)), n=len(self.checks), better="lower"),
            *(
                Number(
                    name=check.check,
                    value=None if check.count is None else float(check.count),
                    better="lower",
                    failed=in_record(check.skipped),
                )
                for check in (*totals, *self.checks)
            ),
            *(
                Number(name=name, value=value, better="lower" if "_loss_" in name else "higher")
                for check in self.checks
                for name, value in check.effects.items()
            ),
            *_effect_numbers(self.effects, self.settings.cutoff),
        ]
        counts = {"queries": len(data.queries), **data.queries.judged, "documents": self.documents or 0}
        return record(
            "audit",
            self.began,
            name=data.name,
            subject=[
                Subject(name=data.name, source=data.source, signature=signature),
                *([Subject(name="service", source=self.service)] if self.service else []),
            ],
            data=Data(
                name=data.name,
                make=data.make,
                source=data.source,
                digest=data.queries.digest or None,
                queries=len(data.queries),
                documents=self.documents,
            ),
            signature=signature,
            settings=settings_of(asdict(self.settings)),
            environment=environment(_LIBRARIES),
            numbers=numbers,
            counts=counts_of(counts),
            notes=[
                *(Note(text=text) for text in notes(self)),
                *(Note(text=text, shown="verbose") for text in not_done(self)),
            ],
        )

    def details(self) -> AuditDetails:
        """Return the members of its JSON."""
        return AuditDetails(
            dataset=self.data.name,
            collection=self.data.collection,
            service=self.service,
            queries=len(self.data.queries),
            documents=self.documents,
            judgments=len(self.data.queries.positives.ids),
            checks=self.checks,
            effects=self.effects,
            findings=self.findings,
        )


def _effect_numbers(effects: Effects | None, k: int) -> Iterator[Number]:
    """Yield what BM25 scores as the data are and once they are mended, and what all faults cost, and each of them."""
    before, after, loss = (name.format(k=k) for name in EFFECTS)
    if effects is None:
        yield from (Number(name=name, value=None) for name in (before, after, loss))
        return
    yield Number(name=before, value=effects.before, n=effects.queries, better="higher")
    yield Number(name=after, value=effects.after, n=effects.left, better="higher")
    numbers: list[tuple[Estimate | Effect, dict[str, str]]] = [(effects.loss, {})]
    for effect, scope in numbers + [(effect, {"check": effect.check}) for effect in effects.checks]:
        yield Number(
            name=loss,
            value=effect.value,
            low=effect.low,
            high=effect.high,
            interval=INTERVAL,
            n=effects.queries,
            better="lower",
            scope=scope,
        )


def notes(audit: Audit) -> list[str]:
    """Return what was not done on everything."""
    remarks = defaultdict[str, list[str]](list)
    for check in audit.checks:
        remarks[check.remark].append(check.title)
    return [
        *audit.data.notes,
        *filter(None, [audit.why_no_effects]),
        *(f"{', '.join(titles)}: {remark}" for remark, titles in remarks.items() if remark),
    ]


def not_done(audit: Audit) -> list[str]:
    """Return which checks were not done, and why."""
    reasons = defaultdict[str, list[str]](list)
    for check in audit.checks:
        reasons[check.skipped].append(check.title)
    return [f"not checked: {', '.join(titles)}, because {why}" for why, titles in reasons.items() if why]


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
    signed = near_duplicates.signatures(data.queries.text.tolist(), data.queries.texts, settings)
    known = KnownItems(settings.limit)
    visitors: list[Visitor] = [
        damage.Damage(), damage.Markup(), texts.LongTexts(settings.max_tokens), texts.TextEnds(),
        labels.DocumentLabels(data.queries), gold.GoldTexts(data), *signed, *([known] if service else []),
    ]  # fmt: skip
    table = read_documents(data, visitors)
    progress("Comparing")
    kept: dict[type, Any] = {type(visitor): visitor for visitor in visitors}
    judged = Judged(data, table, settings, kept)
    done, shown = [check(judged) for check in CHECKS], None
    whole, measured, why = None, None, why_not(judged)
    faults = [check.check for check, _ in done if check.count]
    if not why and not MENDINGS.keys().isdisjoint(faults):
        progress("Ranking with BM25")
        whole = document_texts(data)
        measured = effects(judged, whole, faults)
    if service is not None:
        progress("Asking the service")
        answers = kept[ServiceAnswers] = run_sync(ask(data, known, service, settings))
        shown = answers.shown
        done += service_checks(judged)
    findings = [finding for _, found_by_check in done for finding in found_by_check]
    return Audit(
        data=data,
        settings=settings,
        documents=None if table is None else len(table),
        checks=[check for check, _ in done],
        findings=[
            replace(finding, pairs=[_with_texts(judged, whole, pair) for pair in finding.pairs])
            for finding in sorted(findings, key=lambda finding: SEVERITIES.index(finding.severity))
        ],
        effects=measured,
        why_no_effects=why,
        service=shown,
        began=began,
    )


def _with_texts(judged: Judged, texts: Sequence[str] | None, pair: Pair) -> Pair:
    """Return an example with what stands in its texts, two documents from shortly before the first difference on."""
    whole = [_text(judged, texts, shown) for shown in pair]
    are_near = len(set(whole)) > 1 and {shown.noun for shown in pair} == {"document"}
    same = sum(1 for _ in takewhile(lambda letters: len(set(letters)) == 1, zip(*whole, strict=False)))
    return tuple(replace(shown, text=beginning(text, same * are_near)) for shown, text in zip(pair, whole, strict=True))


def _text(judged: Judged, texts: Sequence[str] | None, shown: Shown) -> str:
    """Return the text of a query or a document; empty where it is not known."""
    if shown.noun == "query":
        return judged.data.queries.texts[judged.place_of_query[shown.id]]
    place = int(judged.collection.by_id.first(np.array([id_hash(shown.id)], np.uint64))[0])
    return "" if texts is None or place < 0 else texts[place]


def names(settings: AuditSettings, service: bool) -> list[str]:
    """Return the names of the numbers that an audit has, before it is done."""
    checks = [*CHECKS, *(SERVICE_CHECKS if service else ())]
    effects = [name for check in checks for name in check.effects(settings.cutoff)]
    measured = [name.format(k=settings.cutoff) for name in EFFECTS]
    return ["findings", *TOTALS.values(), *(check.name for check in checks), *effects, *measured]
