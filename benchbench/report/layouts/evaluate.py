"""An evaluation in three pillars: the overall score first, pillars with their sub-scores, what was left out."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from benchbench.evaluation.details import EvaluationDetails, GroupDetails, MeanDetails, ScoreDetails
from benchbench.evaluation.headline import MARKS, headline
from benchbench.report.blocks import (
    JUNIT,
    PAGE,
    PAPER,
    PEOPLE,
    SUMMARY,
    TERMINAL,
    AnyCell,
    Block,
    Cell,
    Facts,
    Gates,
    Heading,
    Layout,
    Notes,
    Table,
    Verdict,
)
from benchbench.report.layouts import signatures
from benchbench.report.render.lines import bar
from benchbench.results.figures import ends, money, value
from benchbench.results.result import Result, json_members

if TYPE_CHECKING:
    from benchbench.report.card_blocks import CardBlock
    from benchbench.report.page_blocks import PageBlock

_BAR = 10  # columns of a share
_HEAD = ("Score", "Mean", "95 % interval", "0 … 1", "Band", "Questions", "Weight")


def layout(result: Result) -> Layout:
    """Return a table of the overall score, the pillars and their sub-scores; notes, groups, and what the judge did."""
    found, record = result.details_as(EvaluationDetails), result.record
    title = f"{record.name}: {found.questions:,} questions"
    groups = (("Source type", found.source_type), ("Category", found.category))
    facts = judge_facts(found)
    blocks: list[Block] = [
        Verdict(*headline(found)),
        Heading(title, where=PAGE),
        Table(_HEAD, list(_rows_of(found, bars=True)), "lrrllrr", where=TERMINAL, keeps=[0, 0, 0, 4, 1, 2, 3]),
        Table(_paper_head(), list(_rows_of(found, bars=False)), "lrrlrr", where=PAGE | PAPER | SUMMARY),
        *(_grouped(label, of_column, found) for label, of_column in groups if of_column),
        Facts([(label, said) for label, said in notes(found)], where=TERMINAL | SUMMARY),
        Facts(facts, where=PEOPLE | SUMMARY),
        Gates(where=TERMINAL),
        Facts([signatures.row(found.signature)], where=TERMINAL),
        Facts([("Signature", found.signature)], where=PAGE),
        Gates(where=PAGE),
        Notes(found.notes, where=PAPER | JUNIT),
    ]
    return Layout(
        title,
        blocks,
        lambda: json_members(result),
        lambda: _csv(found),
        command="benchbench evaluate",
        page="cards.html",
        drawn=lambda: _page(result),
    )


def _page(result: Result) -> "Sequence[Block | PageBlock | CardBlock]":
    from benchbench.report.layouts.evaluate_page import blocks  # late: only a page needs it

    return blocks(result)


def _paper_head() -> tuple[str, ...]:
    return tuple(one for one in _HEAD if one != "0 … 1")


def _rows_of(found: EvaluationDetails, bars: bool) -> Iterator[list[AnyCell]]:
    """Yield the overall score, each pillar with its sub-scores below it, and what is reported beside."""
    yield _row(Cell("overall", strong=True), found.overall, found.overall.value, "", bars)
    for pillar in found.pillars:
        weight = f"{pillar.share:.3g}" if None not in (pillar.mean.value, found.overall.value) else "–"
        yield _row(Cell(pillar.name, strong=True), pillar.mean, pillar.mean.value, weight, bars)
        for one in found.of(pillar.name):
            yield _row(f"  {one.name}", one.mean, one.scaled, "", bars, one)
    for one in found.of(""):
        yield _row(f"{one.name} (beside)", one.mean, one.scaled, "", bars, one)


def _row(
    name: AnyCell, mean: MeanDetails, share: float | None, weight: str, bars: bool, score: ScoreDetails | None = None
) -> list[AnyCell]:
    band: AnyCell = Cell(f"{MARKS[mean.band]} {mean.band}") if mean.band else "not tested" if mean.value is None else ""
    drawn = [bar(share, _BAR, "░") if share is not None else ""] if bars else []
    n = f"{mean.n:,}" if mean.n else "0"
    if score is not None and score.failed:
        n += f" ({score.failed:,} failed)"
    return [name, figure(mean.value, score), ends(mean, 3), *drawn, band, n, weight]


def figure(mean: float | None, score: ScoreDetails | None = None) -> str:
    """Return a mean; on a scale that does not end at 1, with its end."""
    text = value(mean, 3)
    if mean is None or score is None or (score.high == 1.0 and score.low == 0.0):
        return text
    return f"{text} of {score.high:g}" if score.high is not None else f"{text} {score.unit}"


def notes(found: EvaluationDetails) -> list[tuple[str, str]]:
    """Return what the numbers leave out or assume, with labels."""
    said = [("Note", text) for text in found.notes]
    if found.cluster:
        said.append(("Cluster", f"intervals are of {found.clusters:,} groups of {found.cluster}"))
    said += [(f"Failed, {times:,}", reason) for reason, times in _reasons(found).items()]
    return said


def _reasons(found: EvaluationDetails) -> dict[str, int]:
    return {**found.failures, **({} if found.judge is None else found.judge.failures)}


def judge_facts(found: EvaluationDetails) -> list[tuple[str, str]]:
    """Return what the judge did, what that cost, how repeatable it is, and how far to trust it."""
    judge = found.judge
    if judge is None:
        return []
    cost = judge.cost
    failed = f", {judge.failed:,} failed" if judge.failed else ""
    asked = f"{cost.calls:,} calls, {cost.cached:,} verdicts from the cache"
    facts = [("Judge", f"{judge.model}: {judge.verdicts:,} verdicts{failed}; {asked}")]
    if cost.repaired:
        facts.append(("", f"{cost.repaired:,} verdicts needed a second attempt to have the right form"))
    if cost.calls:
        facts.append(("Tokens", f"{cost.tokens_in:,} in, {cost.tokens_out:,} out"))
    if cost.cost is not None:
        most = "" if cost.worst_cost in (None, cost.cost) else f", at most {money(cost.worst_cost)}"
        facts.append(("Cost", f"{money(cost.cost)}{most}"))
    for label, one in judge.repeated.items():
        if one.flip_rate is not None and one.spread is not None:
            said = f"{one.flipped:,} of {one.items:,} scores changed when asked again, by {one.spread:.3g} on average"
            facts.append(("Repeated", f"{label}: {said}"))
    known = {one.rubric: one.calibration for one in found.scores if one.rubric and one.calibration}
    facts += [("Calibration", f"{label}: {said}") for label, said in known.items()]
    return facts


def _grouped(label: str, groups: Mapping[str, GroupDetails], found: EvaluationDetails) -> Table:
    """Return the overall score and the pillars of each group."""
    pillars = [one.name for one in found.pillars if one.mean.value is not None]
    rows: list[list[AnyCell]] = []
    for name, one in groups.items():
        means = [one.pillars.get(pillar) for pillar in pillars]
        cells = [figure(None if mean is None else mean.value) for mean in means]
        rows.append([name, f"{one.questions:,}", figure(one.overall.value), ends(one.overall, 3), *cells])
    head = (label, "Questions", "Overall", "95 % interval", *pillars)
    keeps = [0, 2, 0, 0, *(1 for _ in pillars)]
    return Table(head, rows, "lrrr" + "r" * len(pillars), keeps=keeps)


def _csv(found: EvaluationDetails) -> Iterator[dict[str, Any]]:
    """Yield a row per score, of all questions and of each group."""
    scores = {one.name: one for one in found.scores}
    kinds = (("source_type", found.source_type), ("category", found.category))
    whole = {"overall": found.overall, **{one.name: one.mean for one in found.pillars}}
    whole |= {one.name: one.mean for one in found.scores}
    every: list[tuple[str, str, Mapping[str, MeanDetails]]] = [("", "", whole)]
    for column, groups in kinds:
        every += [(column, name, {"overall": one.overall, **one.pillars, **one.scores}) for name, one in groups.items()]
    for column, group, means in every:
        for name, mean in means.items():
            of = scores.get(name)
            row = {"column": column, "group": group, "score": name, "pillar": "" if of is None else of.pillar}
            counts = {"failed": of.failed, "untested": of.untested} if of is not None and not group else {}
            yield {**row, **asdict(mean), "failed": None, "untested": None, **counts}
