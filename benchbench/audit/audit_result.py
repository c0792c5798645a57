"""An audit and its record: a number per check, what scores can be at most, and what was not done."""

from collections.abc import Iterable
from dataclasses import asdict, dataclass

import benchbench
from benchbench.audit.details import AuditDetails, Done
from benchbench.audit.finding import SEVERITIES, Check, Finding
from benchbench.audit.service_checks import NAMES as SERVICE_NAMES
from benchbench.audit.service_checks import NO_ANSWER
from benchbench.audit.settings import AuditSettings
from benchbench.audit.source import Audited
from benchbench.results.environment import environment
from benchbench.results.record import Data, Note, Number, Record, Subject, counts_of, record, settings_of
from benchbench.results.result import Result
from benchbench.results.signature import Signature

_LIBRARIES = ("msgspec", "numpy", "orjson", "polars")
_TOTALS = {"error": "errors", "warning": "warnings", "note": "notes"}
CHECKS = (
    "unreadable_records",
    "repeated_ids",
    "colliding_ids",
    "unwritable_ids",
    "dangling_judgments",
    "queries_without_positives",
    "queries_beyond_cutoff",
    "documents_relevant_for_many",
    "outlying_grades",
    "swapped_judgments",
    "queries_in_positives",
    "queries_in_collection",
    "duplicate_documents",
    "twins_judged_differently",
    "equal_queries",
    "near_duplicates",
    "near_duplicate_queries",
    "shared_between_splits",
    "correlated_queries",
    "labels_seen_once",
    "labels_without_documents",
    "twins_labelled_differently",
    "empty_texts",
    "extreme_lengths",
    "cut_texts",
    "texts_over_limit",
    "damaged_texts",
    "markup_in_texts",
)


@dataclass(frozen=True, repr=False)
class Audit(Result):
    """What was found."""

    kind = "audit"

    data: Audited
    settings: AuditSettings
    documents: int | None
    checks: list[Check]
    service: str | None
    began: float  # seconds since 1970

    @property
    def findings(self) -> list[Finding]:
        """Everything that was found, the worst first, in the order of the checks."""
        found = [one for check in self.checks for one in check.findings]
        return sorted(found, key=lambda one: SEVERITIES.index(one.severity))

    @property
    def unanswered(self) -> bool:
        """Whether a service was asked, and answered nothing that can be read."""
        return any(one.skipped == NO_ANSWER for one in self.checks)

    def to_record(self) -> Record:
        """Return the record: a number per check."""
        data, findings = self.data, self.findings
        totals = {name: sum(one.severity == severity for one in findings) for severity, name in _TOTALS.items()}
        signature = str(
            Signature(
                {
                    "near": f"{self.settings.near:g}",
                    "sample": str(self.settings.sample),
                    "k": str(self.settings.cutoff),
                    "data": data.queries.digest,
                    "version": benchbench.__version__,
                }
            )
        )
        numbers = [Number(name="findings", value=float(len(findings)), n=len(self.checks), better="lower")]
        numbers += [Number(name=name, value=float(count), better="lower") for name, count in totals.items()]
        for check in self.checks:
            count = None if check.count is None else float(check.count)
            numbers.append(Number(name=check.name, value=count, better="lower"))
        for check in self.checks:
            for name, value in check.effects.items():
                numbers.append(Number(name=name, value=value, better="lower" if "_loss_" in name else "higher"))
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
            notes=[Note(text=text) for text in notes(self)],
        )

    def details(self) -> AuditDetails:
        """Return the members of its JSON."""
        return AuditDetails(
            self.data.name,
            self.data.collection,
            self.service,
            len(self.data.queries),
            self.documents,
            len(self.data.queries.positives.ids),
            [Done(one.name, one.count, one.skipped, one.remark, dict(one.effects)) for one in self.checks],
            self.findings,
        )


def names(settings: "AuditSettings", service: bool) -> list[str]:
    """Return the names of the numbers that an audit has, before it is done."""
    k = settings.cutoff
    effects = (
        f"possible_nDCG@{k}", "possible_R", f"ceiling_P@{k}", f"ceiling_R@{k}",
        *(f"{what}_loss_{name}@{k}" for what in ("twin", "near") for name in ("nDCG", "R")),
    )  # fmt: skip
    return ["findings", *_TOTALS.values(), *CHECKS, *(SERVICE_NAMES if service else ()), *effects]


def notes(found: "Audit") -> list[str]:
    """Return what was not done, or not on everything."""
    remarks, reasons = (
        _names_by((one.name, text) for one in found.checks if (text := getattr(one, what)))
        for what in ("remark", "skipped")
    )
    return [
        *found.data.notes,
        *(f"{', '.join(its)}: {remark}" for remark, its in remarks.items()),
        *(f"{', '.join(its)} {'was' if len(its) == 1 else 'were'} not checked: {why}" for why, its in reasons.items()),
    ]


def _names_by(pairs: Iterable[tuple[str, str]]) -> dict[str, list[str]]:
    """Return the names of checks by what is said of them."""
    found: dict[str, list[str]] = {}
    for name, said in pairs:
        found.setdefault(said, []).append(name)
    return found
