"""What an audit found: findings with the worst first, what was checked, and what was not."""

from collections.abc import Iterator
from typing import Any

from benchbench.audit.details import AuditDetails
from benchbench.audit.finding import Finding
from benchbench.report.blocks import PAGE, PAPER, PEOPLE, SUMMARY, Block, Facts, Gates, Heading, Notes, Table, Verdict
from benchbench.report.layout import Layout
from benchbench.results.headline import GOOD, PARTLY, WORSE, Headline
from benchbench.results.measured import json_members
from benchbench.results.result import Result

_EXAMPLES = 5


def layout(result: Result) -> Layout:
    """Return the findings as sentences for people, and a row per check elsewhere."""
    found = result.details_as(AuditDetails)
    documents = "no collection" if found.documents is None else f"{found.documents:,} documents"
    title = f"Audit of {found.dataset}: {found.queries:,} queries, {found.judgments:,} judgments, {documents}"
    done = [one for one in found.checks if not one.skipped]
    nothing = [one.check for one in done if not one.count]
    notes = [note.text for note in result.record.notes]
    blocks: list[Block] = [
        Verdict(*_verdict(found, len(done))),
        Heading(title, _summed(found, len(done)), where=PAGE),
        *_counts(found),
        *(Facts(list(_facts(one)), "" if number else "Findings") for number, one in enumerate(found.findings)),
        Facts(
            [
                *([("Found none", ", ".join(nothing))] if nothing else []),
                *(("Note" if number == 0 else "", one) for number, one in enumerate(notes)),
            ],
            "Checks",
        ),
        Table(
            ("Severity", "Finding", "Effect"),
            [(one.severity, one.said, one.effect) for one in found.findings],
            where=PAPER,
        ),
        Notes(notes),
        Gates(),
    ]
    return Layout(
        title,
        blocks,
        lambda: json_members(result),
        lambda: _rows(found),
        lambda: json_members(result)["findings"],
        command="benchbench audit",
    )


def _verdict(found: AuditDetails, done: int) -> Headline:
    """Return how many findings there are, and what to do about the worst."""
    mark = {"error": WORSE, "warning": PARTLY}.get(found.findings[0].severity, GOOD) if found.findings else GOOD
    documents = "no collection" if found.documents is None else f"{found.documents:,} documents"
    over = f"{found.queries:,} queries, {found.judgments:,} judgments, {documents}"
    advice = next((one.advice for one in found.findings if one.advice), "")
    return Headline(
        [(mark, f"{found.dataset}: {_summed(found, done)}; {over}.")],
        [f"{advice[:1].upper()}{advice[1:]}."] if advice else [],
    )


def _summed(found: AuditDetails, done: int) -> str:
    severities = [one.severity for one in found.findings]
    parts = [
        f"{count} {name}{'s' if count != 1 else ''}"
        for name in ("error", "warning", "note")
        if (count := severities.count(name))
    ]
    skipped = len(found.checks) - done
    return f"{', '.join(parts) or 'Nothing found'} in {done} checks" + (f"; {skipped} not done" if skipped else "")


def _counts(found: AuditDetails) -> list[Block]:
    """Return how often each check found something, by the names that gates have; none where nothing was found."""
    counts = {one.check: one.count or 0 for one in found.checks}
    worst: dict[str, str] = {}
    for one in found.findings:
        worst.setdefault(one.check, one.severity)
    rows = [(name, f"{counts.get(name, 0):,}", severity) for name, severity in worst.items()]
    return [Table(("Check", "Found", "Severity"), rows, "lrl", where=PEOPLE | SUMMARY)] if rows else []


def _facts(one: Finding) -> Iterator[tuple[str, str]]:
    yield one.severity.capitalize(), one.said
    if one.effect:
        yield "  effect", one.effect
    if one.examples:
        yield "  such as", "; ".join(one.examples[:_EXAMPLES])
    if one.advice:
        yield "  advice", one.advice


def _rows(found: AuditDetails) -> Iterator[dict[str, Any]]:
    for check in found.checks:
        said = [one for one in found.findings if one.check == check.check]
        yield {
            "check": check.check,
            "count": check.count,
            "severity": said[0].severity if said else None,
            "queries": sum(one.queries.count for one in said),
            "documents": sum(one.documents.count for one in said),
            "said": "; ".join(one.said for one in said) or check.skipped,
            "effect": "; ".join(one.effect for one in said if one.effect),
        }
