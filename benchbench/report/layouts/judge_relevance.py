"""Labels by a judge: how many there are, what they settle, how far to trust them, and what they cost."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from benchbench.judging.headline import many
from benchbench.judging.holes import Case
from benchbench.judging.relevance_details import RelevanceDetails
from benchbench.judging.relevance_headline import headline, pairs_of, trust
from benchbench.judging.relevance_outcome import notes
from benchbench.report.blocks import (
    PAGE,
    PAPER,
    SUMMARY,
    TERMINAL,
    AnyCell,
    Block,
    Facts,
    Gates,
    Heading,
    Layout,
    Notes,
    Table,
    Text,
    Verdict,
)
from benchbench.report.render.lines import bar
from benchbench.results.result import Result, json_members
from benchbench.results.signature import short

if TYPE_CHECKING:
    from benchbench.report.card_blocks import CardBlock
    from benchbench.report.page_blocks import PageBlock

_BAR = 20  # columns
_NAMES = {
    "kappa": "Cohen's kappa",
    "weighted_kappa": "weighted kappa",
    "alpha": "Krippendorff's alpha",
    "agreement": "same grade",
    "bias": "judge higher by",
}


def layout(result: Result) -> Layout:
    """Return the labels first, then what differences they settle, their grades, agreement with people, and costs."""
    found, record = result.details_as(RelevanceDetails), result.record
    title = f"{record.name}: {many(found.labels.made, 'label')}"
    everywhere = TERMINAL | PAGE | PAPER | SUMMARY
    blocks: list[Block] = [
        Verdict(*headline(found)),
        Heading(title, where=PAGE),
        Text([sentence for _, sentence in headline(found).found], where=SUMMARY),
        Text(trust(found), where=PAGE | SUMMARY),
        *holes(found, everywhere),
        *grades(found, everywhere),
        *agreement(found, everywhere),
        Gates(where=TERMINAL),
        Facts(facts(found), where=TERMINAL | PAGE | SUMMARY),
        Facts([("Signature", short(found.signature))], where=TERMINAL),
        Facts([("Signature", found.signature)], where=PAGE),
        Gates(where=PAGE),
        Notes(notes(found)),
    ]
    return Layout(
        title,
        blocks,
        lambda: json_members(result),
        lambda: _rows(found),
        command="benchbench judge relevance",
        page="cards.html",
        drawn=lambda: _page(result),
    )


def _page(result: Result) -> "Sequence[Block | PageBlock | CardBlock]":
    from benchbench.report.layouts.judge_relevance_page import blocks  # late: only a page needs it

    return blocks(result)


def holes(found: RelevanceDetails, where: frozenset[str]) -> list[Table]:
    """Return the differences before and after, each with its worst and its best case."""
    rows: list[list[AnyCell]] = [
        [
            one.measure,
            f"{one.system} - {one.baseline}",
            signed(one.mean),
            _ends(one),
            "–" if after is None else signed(after.mean),
            "–" if after is None else _ends(after),
        ]
        for one, after in pairs_of(found)
    ]
    head = ["Measure", "Difference", "Before", "Worst and best", "After", "Worst and best"]
    if len({row[1] for row in rows}) == 1:
        head, rows = [head[0], *head[2:]], [[row[0], *row[2:]] for row in rows]
    return [Table(head, rows, "llrrrr"[6 - len(head) :], where=where)] if rows else []


def grades(found: RelevanceDetails, where: frozenset[str]) -> list[Table]:
    """Return how many labels have each grade."""
    made = found.labels.made
    rows: list[list[AnyCell]] = [
        [f"{one.low:g}", f"{one.scores:,}", f"{100 * one.scores / made:.1f} %", bar(one.scores / made, _BAR, "░")]
        for one in found.rubrics[0].histogram
        if made
    ]
    drawn = Table(("Grade", "Labels", "Share", ""), rows, "rrrl", where=where & TERMINAL)
    plain = Table(("Grade", "Labels", "Share"), [row[:3] for row in rows], "rrr", where=where - TERMINAL)
    return [one for one in (drawn, plain) if rows and one.where]


def agreement(found: RelevanceDetails, where: frozenset[str]) -> list[Table]:
    """Return how far the judge agrees with people."""
    if found.compared is None or not found.compared.n:
        return []
    rows: list[list[AnyCell]] = []
    for name, one in found.compared.agreement.items():
        kind, _, cut = name.partition("@")
        said = _NAMES.get(kind, kind) + (f", from grade {cut} on" if cut else "")
        ends = "" if one.low is None or one.high is None else f"{one.low:.3f} to {one.high:.3f}"
        rows.append([said, "–" if one.value is None else f"{one.value:.3f}", ends])
    return [Table(("Judge and people", "Value", "95 % interval"), rows, "lrr", where=where)]


def facts(found: RelevanceDetails) -> list[tuple[str, str]]:
    """Return labelled sentences: the pairs, the labels, and what the run has sent."""
    from benchbench.report.layouts.judge import facts as of_judge

    pool, labels, its = found.pool, found.labels, found.compared
    source = "a file of pairs"
    if pool.depth:
        source = f"the first {many(pool.depth, 'hit')} of {many(len(pool.runs), 'run')}"
    said = [("Pairs", f"{pool.pairs:,} of {source}; {pool.labelled:,} have a label already, {pool.asked:,} are judged")]
    if pool.unjudged_queries:
        said.append(("", f"{pool.unjudged_queries:,} are of queries that nobody judged, and are no holes"))
    if pool.limited:
        said.append(("", f"{pool.limited:,} left out by --limit"))
    were = [f"{labels.people:,} by people", *(f"{count:,} by {name}" for name, count in labels.judges.items())]
    said.append(("Labels", f"{', '.join(were)}; {labels.made:,} made by {found.judge}"))
    if its is not None:
        asked = f"{its.sampled:,} asked about for this alone, {its.failed:,} failed"
        said.append(("Compared", f"{its.n:,} of {its.labels:,}, {its.source}; {asked}"))
    return [*said, *(row for row in of_judge(found) if row[0] not in ("Items", "Cluster"))]


def signed(value: float) -> str:
    """Return a difference with its sign and four decimals."""
    return f"{value:+.4f}"


def _ends(one: Case) -> str:
    return f"{signed(one.worst)} to {signed(one.best)}"


def _rows(found: RelevanceDetails) -> Iterator[dict[str, Any]]:
    of = {"judge": found.model, "rubric": found.rubrics[0].label}
    line = found.rubrics[0].score
    nothing = {"baseline": None, "system": None, "labels": None}
    yield {**of, **nothing, "metric": found.rubrics[0].name, "value": line.mean, "low": line.low, "high": line.high}
    for name, one in (found.compared.agreement if found.compared else {}).items():
        yield {**of, **nothing, "metric": name, **asdict(one)}
    for case in found.holes:
        its = {"baseline": case.baseline, "system": case.system, "labels": case.labels}
        yield {**of, **its, "metric": f"Δ {case.measure}", "value": case.mean, "low": case.worst, "high": case.best}
