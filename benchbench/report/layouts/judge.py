"""A run of a judge: scores by rubric, how far to trust them, and what they cost."""

from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

from benchbench.judging.details import JudgeDetails, RubricDetails
from benchbench.judging.dry_run import Planned
from benchbench.judging.headline import headline, trust
from benchbench.judging.judge_result import notes
from benchbench.judging.relevance.details import PAIRS
from benchbench.report.blocks import (
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
    Notes,
    Table,
    Text,
    Verdict,
)
from benchbench.report.layout import Layout, page_of
from benchbench.report.layouts import signatures
from benchbench.report.layouts.judge_facts import facts, flips
from benchbench.report.render.lines import bar
from benchbench.results.figures import ends, money, value
from benchbench.results.measured import json_members
from benchbench.results.result import Result
from benchbench.scores.names import COLUMNS, MARKS
from benchbench.tables.shared_messages import counted

_BAR = 10  # columns
_HEAD = ("Rubric", "Mean", "95 % interval", "Scale", "Band", "Judged", "Failed", "Flips")


def layout(result: Result) -> Layout:
    """Return the scores first, how far to trust them second, then numbers, failures, attacks and costs."""
    if result.record.data.make == PAIRS:
        from benchbench.report.layouts import judge_relevance  # late: it uses this one

        return judge_relevance.layout(result)
    found, record = result.details_as(JudgeDetails), result.record
    title = f"{record.name}: {counted(found.items, 'item')} by {counted(len(found.rubrics), 'rubric')}"
    blocks: list[Block] = [
        Verdict(*headline(found)),
        Table(_HEAD, list(map(_drawn, found.rubrics)), "lrrllrrr", where=TERMINAL, keeps=[0, 0, 1, 4, 2, 3, 0, 2]),
        *_parts(found, TERMINAL),
        *_groups(found),
        Gates(where=TERMINAL),
        Facts(facts(found), where=TERMINAL),
        Heading(title, where=PAGE),
        Text(trust(found), where=PAGE | SUMMARY),
        Table(_HEAD, list(map(_written, found.rubrics)), "lrrrlrrr", where=PAGE | PAPER | SUMMARY),
        *_parts(found, PAGE | PAPER),
        Facts(facts(found), where=PAGE | SUMMARY),
        Facts([signatures.row(found.signature)], where=TERMINAL),
        Facts([("Signature", found.signature)], where=PAGE),
        Gates(where=PAGE),
        Notes(notes(found)),
    ]
    return Layout(
        title,
        blocks,
        lambda: json_members(result),
        lambda: _rows(found),
        command="benchbench judge",
        page="cards.html",
        drawn=page_of("judge_page", result),
    )


def plan_layout(plan: Planned) -> Layout:
    """Return the layout of what a run would ask and cost."""
    price = plan.price
    rows = [
        ["Calls", f"{plan.calls:,}", f"{plan.most_calls:,}"],
        ["Tokens in", f"{plan.tokens_in:,}", f"{plan.most_tokens_in:,}"],
        ["Tokens out", f"{plan.tokens_out:,}", f"{plan.most_tokens_out:,}"],
        ["Cost", money(plan.cost), money(plan.most_cost)],
    ]
    told = (
        "The price of this model is not known; give it with --price IN,OUT."
        if price is None
        else f"{price['input']:g} and {price['output']:g} US dollars per million tokens in and out, {price['source']}"
        + (f" on {price['date']}" if price["date"] else "")
    )
    lacking = [(f"Lacking, {count:,}", reason) for reason, count in plan.lacking.items()]
    calls, verdicts = counted(plan.calls, "time"), counted(plan.verdicts, "verdict")
    asked = f"{plan.model} would be asked {calls} for {verdicts}."
    blocks: list[Block] = [
        Verdict([("", asked)], [f"{plan.cached:,} are stored already. Nothing was sent."]),
        Table(("", "Estimated", "At most"), rows, "lrr"),
        Facts([("Items", f"{plan.items:,}"), ("Price", told), *lacking]),
    ]
    members = asdict(plan)
    return Layout("", blocks, lambda: members, lambda: [members])


def _row(one: RubricDetails, scale: str, band: AnyCell) -> list[AnyCell]:
    """Return the row of a rubric: the scale is drawn or written, and so is the band."""
    counts = [f"{one.judged:,}", f"{one.failed:,}", flips(one)]
    return [one.label, value(one.score.mean, 3), ends(one.score, 3), scale, band, *counts]


def _drawn(one: RubricDetails) -> list[AnyCell]:
    band = one.score.band
    scale = "" if one.scaled is None else bar(one.scaled, _BAR, "░")
    return _row(one, scale, Cell(f"{MARKS[band]} {band}") if band else "")


def _written(one: RubricDetails) -> list[AnyCell]:
    low, high = one.scale
    return _row(one, f"{low:g} to {high:g}", one.score.band)


def _parts(found: JudgeDetails, where: frozenset[str]) -> list[Table]:
    rows = [
        [one.label, name, value(line.mean, 3), ends(line, 3), f"{line.n:,}"]
        for one in found.rubrics
        for name, line in one.parts.items()
    ]
    head = ("Rubric", "Part", "Mean", "95 % interval", "Items")
    return [Table(head, rows, "llrrr", grouped=True, where=where, keeps=[0, 0, 0, 1, 2])] if rows else []


def _groups(found: JudgeDetails) -> Iterator[Table]:
    for column in COLUMNS:
        names = list(dict.fromkeys(name for one in found.rubrics for name in getattr(one, column)))
        if not names:
            continue
        rows = []
        for name in names:
            lines = [
                getattr(one, column)[name].score if name in getattr(one, column) else None for one in found.rubrics
            ]
            items = max(line.n for line in lines if line is not None)
            rows.append([name, f"{items:,}", *(value(None if line is None else line.mean, 3) for line in lines)])
        head = (column.replace("_", " ").capitalize(), "Judged", *(one.name for one in found.rubrics))
        yield Table(head, rows, "lr" + "r" * len(found.rubrics), where=PEOPLE)


def _rows(found: JudgeDetails) -> Iterator[dict[str, Any]]:
    for one in found.rubrics:
        lines = [
            ("", "", one.name, one.score),
            *(("", "", f"{one.name}_{name}", line) for name, line in one.parts.items()),
        ]
        lines += [
            (column, name, one.name, group.score) for column in COLUMNS for name, group in getattr(one, column).items()
        ]
        for column, group, metric, line in lines:
            yield {
                "judge": found.model,
                "rubric": one.label,
                "column": column,
                "group": group,
                "metric": metric,
            } | asdict(line)
