"""What an audit found: what the faults cost BM25, a row per check by harm, and what is handled, harmless or not run."""

from collections import defaultdict
from collections.abc import Iterator
from pathlib import PurePath
from typing import Any, NamedTuple

from benchbench.audit.finding import SEVERITIES, AuditDetails, Check, Effect, Finding
from benchbench.report.blocks import PAPER, PEOPLE, SUMMARY, Cell, Table
from benchbench.report.layout import Layout
from benchbench.report.standard import standard
from benchbench.results.figures import NOTHING, interval, signed, value
from benchbench.results.headline import BETTER, GOOD, PARTLY, WORSE, Headline
from benchbench.results.result import Result
from benchbench.tables.shared_messages import and_joined, capital, counted

_KINDS = 4  # of a fault that are all named: a line or two of a page
_MARKS = {"error": WORSE, "warning": PARTLY}  # of the worst finding


class Row(NamedTuple):
    """A check that found something, its findings, and its effect on BM25 where that was measured."""

    check: Check
    findings: list[Finding]
    effect: Effect | None

    @property
    def title(self) -> str:
        """What people call it; a record of an older version has the name alone."""
        return self.check.title or self.check.check.replace("_", " ").capitalize()

    @property
    def said(self) -> str:
        """What was found, the worst first; of many kinds the worst and how many others there are."""
        kinds = [finding.said for finding in self.findings]
        if len(kinds) > _KINDS:
            kinds = [kinds[0], counted(len(kinds) - 1, "more kind")]
        return and_joined(kinds) + (f": {self.times:,} in all" if len(kinds) > 1 else "")

    @property
    def times(self) -> int:
        """How often it was found."""
        return self.check.count or 0

    @property
    def advice(self) -> str:
        """What to do."""
        return next((finding.advice for finding in self.findings if finding.advice), "")


class Groups(NamedTuple):
    """Checks by what their findings do to scores; those of harm by their effect, then by severity."""

    harm: list[Row]
    handled: list[Row]  # by benchbench run
    harmless: list[Row]  # for BM25: no score changed
    others: list[Row]  # good to know
    passed: list[Check]
    skipped: list[Check]

    @property
    def found(self) -> list[Row]:
        """The checks that found something."""
        return [*self.harm, *self.handled, *self.harmless, *self.others]


def groups_of(audit: AuditDetails) -> Groups:
    """Return the checks of an audit, grouped."""
    findings = defaultdict[str, list[Finding]](list)
    for finding in audit.findings:
        findings[finding.check].append(finding)
    effects = {effect.check: effect for effect in (audit.effects.checks if audit.effects else ())}
    groups = Groups([], [], [], [], [], [])
    for check in audit.checks:
        row = Row(check, findings[check.check], effects.get(check.check))
        if check.skipped:
            groups.skipped.append(check)
        elif not row.findings:
            groups.passed.append(check)
        elif row.effect is not None:
            where = groups.handled if row.effect.is_handled else groups.harm if row.effect.value else groups.harmless
            where.append(row)
        else:
            (groups.others if row.findings[0].severity == "note" else groups.harm).append(row)
    groups.harm.sort(key=_harm)
    return groups


def _harm(row: Row) -> tuple[bool, float, int]:
    severity = SEVERITIES.index(row.findings[0].severity)
    return row.effect is None, -abs(row.effect.value) if row.effect else 0.0, severity


def layout(result: Result) -> Layout:
    """Return what the faults cost, and a row per check that found something."""
    audit = result.details_as(AuditDetails)
    groups = groups_of(audit)
    size = size_of(audit)
    return standard(
        result,
        f"Audit of {audit.dataset}: {size}",
        verdict(audit, groups),
        [
            *_harm_table(audit, groups.harm),
            Table(
                ("Severity", "Finding", "Effect"),
                [(finding.severity, finding.said, finding.effect) for finding in audit.findings],
                where=PAPER | SUMMARY,
            ),
        ],
        lead=size,
        facts=list(_facts(groups)),
        rows=lambda: _rows(audit),
        lines=lambda: result.json_members()["findings"],
        page="audit_page",
    )


def size_of(audit: AuditDetails) -> str:
    """Return how large the data are."""
    documents = "no collection" if audit.documents is None else counted(audit.documents, "document")
    return f"{counted(audit.queries, 'query')}, {counted(audit.judgments, 'judgment')}, {documents}"


def name_of(audit: AuditDetails) -> str:
    """Return what people call the data set: the last part of its path."""
    return PurePath(audit.dataset).name or audit.dataset


def verdict(audit: AuditDetails, groups: Groups) -> Headline:
    """Return what the faults cost, which errors BM25 cannot show, and what to do first."""
    cost, others = _cost(audit, groups), [row.title.lower() for row in _unmeasured(groups)]
    more = [(WORSE, f"{capital(and_joined(others))}: what that costs was not measured.")] if others else []
    return Headline([*cost.sentences, *more], cost.advice)


def _cost(audit: AuditDetails, groups: Groups) -> Headline:
    passed = f"{len(groups.passed)} of {counted(len(groups.found) + len(groups.passed), 'check')} passed"
    name = name_of(audit)
    if not audit.findings:
        return Headline([(GOOD, f"{name} has no fault: {passed}, nothing was found in {size_of(audit)}.")])
    first = next((row.advice for row in groups.found if row.advice), "")
    advice = [f"Start: {first}."] if first and groups.harm else [f"{capital(first)}."] if first else []
    effects, worst = audit.effects, audit.findings[0].severity
    if effects is None:
        errors = [row.title.lower() for row in groups.harm if row.findings[0].severity == "error"]
        bad = f"{counted(len(errors), 'serious fault')} ({and_joined(errors)})" if errors else "no serious fault"
        skipped = f", {len(groups.skipped)} more could not run" if groups.skipped else ""
        return Headline([(_MARKS.get(worst, GOOD), f"{name} has {bad}: {passed}{skipped}.")], advice)
    loss, measure = effects.loss, effects.measure
    change, low, high = loss.value or 0.0, loss.low or 0.0, loss.high or 0.0
    scores = f"{value(effects.before, 3)} now, {value(effects.after, 3)} after repair"
    if low > 0.0:
        return Headline([(WORSE, f"Faults in {name} cost BM25 {value(change, 3)} {measure}: {scores}.")], advice)
    if high < 0.0:
        return Headline([(BETTER, f"Faults in {name} raise BM25 by {value(-change, 3)} {measure}: {scores}.")], advice)
    if not change:
        text = f"Faults in {name} do not change {measure} of BM25, {value(effects.before, 3)}."
    else:
        text = (
            f"Repairing {name} changes {measure} of BM25 by {signed(change, 3)} ({signed_ends(low, high)}): {scores}."
        )
    return Headline([(_MARKS.get(worst, GOOD), text)], advice)


def _harm_table(audit: AuditDetails, rows: list[Row]) -> list[Table]:
    if not rows:
        return []
    measure = audit.effects.measure if audit.effects else ""
    if not measure:
        body: list[list[str | Cell]] = [
            [row.title, f"{row.times:,}", row.findings[0].severity, capital(row.advice)] for row in rows
        ]
        return [Table(("Check", "Found", "Severity", "What to do"), body, "lrll", where=PEOPLE)]
    body = [
        [
            row.title,
            f"{row.times:,}",
            *(effect_cells(row.effect) if row.effect else (NOTHING, NOTHING)),
            row.advice,
        ]
        for row in rows
    ]
    head = ("Check", "Found", measure, "95 % interval", "What to do")
    return [Table(head, body, "lrrrl", where=PEOPLE)]


def effect_cells(effect: Effect) -> tuple[Cell, str]:
    """Return an effect, red where it surely costs something, and its interval."""
    tone = "bad" if effect.low > 0.0 and not effect.is_handled else ""
    return Cell(signed(effect.value, 3), tone=tone), ends_of(effect)


def ends_of(effect: Effect) -> str:
    """Return the interval of an effect; none where all resamples agree."""
    return NOTHING if effect.low == effect.high else signed_ends(effect.low, effect.high)


def signed_ends(low: float, high: float) -> str:
    """Return the ends of an interval with their signs; one that rounds to 0 has none."""
    return interval(low, high, 3, _signed_end)


def _signed_end(end: float | None, digits: int) -> str:
    return signed(end, digits) if round(end or 0.0, digits) else value(0.0, digits)


def _unmeasured(groups: Groups) -> list[Row]:
    """Return the errors whose effect BM25 cannot show, such as those of a service."""
    return [row for row in groups.harm if row.effect is None and row.findings[0].severity == "error"]


def _facts(groups: Groups) -> Iterator[tuple[str, str]]:
    for row in _unmeasured(groups):
        first = row.findings[0]
        yield row.title, ": ".join([first.said, *first.examples[:1]])
    for row in groups.handled:
        yield "Handled", f"{row.findings[0].said} ({signed(row.effect.value if row.effect else None, 3)})"
    for label, rows in (("No effect", groups.harmless), ("Also found", groups.others)):
        if rows:
            yield label, ", ".join(f"{row.title.lower()} ({row.times:,})" for row in rows)
    if groups.passed:
        yield "Passed", counted(len(groups.passed), "check")
    if groups.skipped:
        yield "Not run", not_run(groups.skipped)
    if groups.harm or groups.handled or groups.harmless or groups.others:
        yield "Examples", "next to each other on the page: --html audit.html, or --out DIR"


def not_run(skipped: list[Check]) -> str:
    """Return how many checks were not done, and why."""
    return f"{counted(len(skipped), 'check')}: {'; '.join(dict.fromkeys(check.skipped for check in skipped))}"


def _rows(audit: AuditDetails) -> Iterator[dict[str, Any]]:
    effects = {effect.check: effect for effect in (audit.effects.checks if audit.effects else ())}
    for check in audit.checks:
        findings = [finding for finding in audit.findings if finding.check == check.check]
        effect = effects.get(check.check)
        yield {
            "check": check.check,
            "count": check.count,
            "severity": findings[0].severity if findings else None,
            "queries": sum(finding.queries.count for finding in findings),
            "documents": sum(finding.documents.count for finding in findings),
            "bm25_loss": effect.value if effect else None,
            "bm25_loss_low": effect.low if effect else None,
            "bm25_loss_high": effect.high if effect else None,
            "said": "; ".join(finding.said for finding in findings) or check.skipped,
            "effect": "; ".join(finding.effect for finding in findings if finding.effect),
        }
