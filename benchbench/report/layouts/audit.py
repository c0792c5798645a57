"""What an audit found: a row per check that found something, and the findings as sentences, the worst first."""

from collections.abc import Iterator
from typing import Any

from benchbench.audit.finding import SEVERITIES, AuditDetails, Finding
from benchbench.report.blocks import PAPER, PEOPLE, SUMMARY, Facts, Table
from benchbench.report.layout import Layout
from benchbench.report.standard import standard
from benchbench.results.headline import GOOD, PARTLY, WORSE, Headline
from benchbench.results.result import Result
from benchbench.tables.shared_messages import capital, counted

_EXAMPLES = 5
_MARKS = {"error": WORSE, "warning": PARTLY}  # of the worst finding


def layout(result: Result) -> Layout:
    """Return the findings as sentences for people, and a row per check elsewhere."""
    audit = result.details_as(AuditDetails)
    documents = "no collection" if audit.documents is None else f"{audit.documents:,} documents"
    size = f"{audit.queries:,} queries, {audit.judgments:,} judgments, {documents}"
    summed = _summed(audit)
    worst = audit.findings[0].severity if audit.findings else ""
    advice = next((finding.advice for finding in audit.findings if finding.advice), "")
    verdict = Headline(
        [(_MARKS.get(worst, GOOD), f"{audit.dataset}: {summed}; {size}.")],
        [f"{capital(advice)}."] if advice else [],
    )
    nothing = [check.check for check in audit.checks if not check.skipped and not check.count]
    return standard(
        result,
        f"Audit of {audit.dataset}: {size}",
        verdict,
        [
            *_counts(audit),
            *(Facts(list(_facts(finding)), "" if n else "Findings") for n, finding in enumerate(audit.findings)),
            Table(
                ("Severity", "Finding", "Effect"),
                [(finding.severity, finding.said, finding.effect) for finding in audit.findings],
                where=PAPER,
            ),
        ],
        lead=summed,
        facts=[("Found none", ", ".join(nothing))] if nothing else [],
        rows=lambda: _rows(audit),
        lines=lambda: result.json_members()["findings"],
    )


def _summed(audit: AuditDetails) -> str:
    severities = [finding.severity for finding in audit.findings]
    counts = [counted(number, name) for name in SEVERITIES if (number := severities.count(name))]
    skipped = sum(bool(check.skipped) for check in audit.checks)
    done = f"{', '.join(counts) or 'Nothing found'} in {len(audit.checks) - skipped} checks"
    return f"{done}; {skipped} not done" if skipped else done


def _counts(audit: AuditDetails) -> list[Table]:
    """Return how often each check found something, by the names that gates have; none where nothing was found."""
    counts = {check.check: check.count or 0 for check in audit.checks}
    worst: dict[str, str] = {}
    for finding in audit.findings:
        worst.setdefault(finding.check, finding.severity)
    rows = [(name, f"{counts.get(name, 0):,}", severity) for name, severity in worst.items()]
    return [Table(("Check", "Found", "Severity"), rows, "lrl", where=PEOPLE | SUMMARY)] if rows else []


def _facts(finding: Finding) -> Iterator[tuple[str, str]]:
    yield finding.severity.capitalize(), finding.said
    if finding.effect:
        yield "  effect", finding.effect
    if finding.examples:
        yield "  such as", "; ".join(finding.examples[:_EXAMPLES])
    if finding.advice:
        yield "  advice", finding.advice


def _rows(audit: AuditDetails) -> Iterator[dict[str, Any]]:
    for check in audit.checks:
        findings = [finding for finding in audit.findings if finding.check == check.check]
        yield {
            "check": check.check,
            "count": check.count,
            "severity": findings[0].severity if findings else None,
            "queries": sum(finding.queries.count for finding in findings),
            "documents": sum(finding.documents.count for finding in findings),
            "said": "; ".join(finding.said for finding in findings) or check.skipped,
            "effect": "; ".join(finding.effect for finding in findings if finding.effect),
        }
