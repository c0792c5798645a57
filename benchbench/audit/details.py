"""The members of `summary.json` and `--format json` of an audit."""

from dataclasses import dataclass, field

from benchbench.audit.finding import Finding


@dataclass(frozen=True, slots=True)
class Done:
    """A check in the JSON: how often it found something, or why it was not done."""

    check: str
    count: int | None
    skipped: str = ""
    remark: str = ""
    effects: dict[str, float | None] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditDetails:
    """The members of its JSON."""

    dataset: str
    collection: str
    service: str | None
    queries: int
    documents: int | None
    judgments: int
    checks: list[Done]
    findings: list[Finding]
