"""An audit and its record: a number per check, what scores can be at most, and what was not done."""

from dataclasses import asdict, dataclass

import benchbench
from benchbench.audit.check import Check
from benchbench.audit.details import AuditDetails, Done
from benchbench.audit.finding import SEVERITIES, Finding
from benchbench.audit.service_checks import NO_ANSWER
from benchbench.audit.settings import AuditSettings
from benchbench.audit.source import Audited
from benchbench.results.environment import environment
from benchbench.results.record import Data, Note, Number, Record, Subject, counts_of, in_record, record, settings_of
from benchbench.results.result import Result
from benchbench.results.signature import Signature

_LIBRARIES = ("msgspec", "numpy", "orjson", "polars")
TOTALS = {"error": "errors", "warning": "warnings", "note": "notes"}


@dataclass(frozen=True, repr=False, kw_only=True)
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
        findings = [finding for check in self.checks for finding in check.findings]
        return sorted(findings, key=lambda finding: SEVERITIES.index(finding.severity))

    @property
    def unanswered(self) -> bool:
        """Whether a service was asked, and answered nothing that can be read."""
        return any(check.skipped == NO_ANSWER for check in self.checks)

    def to_record(self) -> Record:
        """Return the record: a number per check."""
        data, findings = self.data, self.findings
        parts = {
            "near": f"{self.settings.near:g}",
            "sample": str(self.settings.sample),
            "k": str(self.settings.cutoff),
            "data": data.queries.digest,
            "version": benchbench.__version__,
        }
        signature = str(Signature(parts))
        severities: list[str] = [finding.severity for finding in findings]
        totals = {name: severities.count(severity) for severity, name in TOTALS.items()}
        found = {**totals, **{check.name: check.count for check in self.checks}}
        skipped = {check.name: check.skipped for check in self.checks if check.skipped}
        effects = {name: value for check in self.checks for name, value in check.effects.items()}
        numbers = [
            Number(name="findings", value=float(len(findings)), n=len(self.checks), better="lower"),
            *(
                Number(
                    name=name,
                    value=None if count is None else float(count),
                    better="lower",
                    failed=in_record(skipped.get(name, "")),
                )
                for name, count in found.items()
            ),
            *(
                Number(name=name, value=value, better="lower" if "_loss_" in name else "higher")
                for name, value in effects.items()
            ),
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
            notes=[Note(text=text) for text in notes(self)],
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
            checks=[
                Done(check.name, check.count, check.skipped, check.remark, dict(check.effects)) for check in self.checks
            ],
            findings=self.findings,
        )


def notes(audit: Audit) -> list[str]:
    """Return what was not done, or not on everything."""
    remarks: dict[str, list[str]] = {}
    reasons: dict[str, list[str]] = {}
    for check in audit.checks:
        for by_text, text in ((remarks, check.remark), (reasons, check.skipped)):
            if text:
                by_text.setdefault(text, []).append(check.name)
    return [
        *audit.data.notes,
        *(f"{', '.join(names)}: {remark}" for remark, names in remarks.items()),
        *(
            f"{', '.join(names)} {'was' if len(names) == 1 else 'were'} not checked: {why}"
            for why, names in reasons.items()
        ),
    ]
