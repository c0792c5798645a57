"""A run of a judge: scores by rubric, how far to trust them, and what they cost."""

from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

from benchbench.judging.dry_run import Planned
from benchbench.judging.judge_details import JudgeDetails, called, headline, plain
from benchbench.judging.relevance.relevance_result import PAIRS
from benchbench.report.blocks import Block, Facts, Table, Verdict
from benchbench.report.layout import Layout, page_of
from benchbench.report.layouts.judge_facts import facts, flips
from benchbench.report.layouts.score_parts import ScoreRow, group_tables, score_tables
from benchbench.report.standard import standard
from benchbench.results.figures import ends, money, value
from benchbench.results.result import Result
from benchbench.tables.shared_messages import counted


def layout(result: Result) -> Layout:
    """Return the scores first, how far to trust them second, then numbers, failures, attacks and costs."""
    if result.record.data.make == PAIRS:
        from benchbench.report.layouts import judge_relevance  # late: it uses this one

        return judge_relevance.layout(result)
    details, record = result.details_as(JudgeDetails), result.record
    return standard(
        result,
        f"{record.name}: {counted(details.items, 'item')} by {counted(len(details.rubrics), 'rubric')}",
        headline(details),
        [
            *score_tables("Rubric", rows_of(details), ("Scale", "Judged", "Failed", "Changed"), (4, 3, 0, 2)),
            *parts(details),
            *group_tables(
                details.group_means(), "Judged", {rubric.label: called(details, rubric) for rubric in details.rubrics}
            ),
        ],
        facts=facts(details),
        failed="verdict",
        rows=lambda: _rows(details),
        command="benchbench judge",
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
    price_words = (
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
        Facts([("Items", f"{plan.items:,}"), ("Price", price_words), *lacking]),
    ]
    members = asdict(plan)
    return Layout("", blocks, lambda: members, lambda: [members])


def rows_of(details: JudgeDetails) -> list[ScoreRow]:
    """Return a row per rubric."""
    rows = []
    for rubric in details.rubrics:
        (low, high), line = rubric.scale, rubric.score
        cells = [f"{low:g} to {high:g}", f"{rubric.judged:,}", f"{rubric.failed:,}", flips(rubric)]
        aside = [f"{rubric.unscored:,}", value(line.least, 3), value(line.most, 3)]
        rows.append(ScoreRow(called(details, rubric), rubric.mean, rubric.scaled, cells, aside))
    return rows


def parts(details: JudgeDetails) -> list[Table]:
    """Return the means of the parts of scores, where rubrics have some."""
    rows = [
        [called(details, rubric), plain(name), value(line.mean, 3), ends(line, 3), f"{line.n:,}"]
        for rubric in details.rubrics
        for name, line in rubric.parts.items()
    ]
    head = ("Rubric", "Part", "Mean", "95 % interval", "Items")
    return [Table(head, rows, "llrrr", grouped=True, keeps=[0, 0, 0, 1, 2])] if rows else []


def _rows(details: JudgeDetails) -> Iterator[dict[str, Any]]:
    for rubric in details.rubrics:
        lines = [
            ("", "", rubric.name, rubric.score),
            *(("", "", f"{rubric.name}_{name}", line) for name, line in rubric.parts.items()),
        ]
        lines += [(column, name, rubric.name, group.score) for column, name, group in rubric.groups()]
        for column, group, metric, line in lines:
            yield {
                "judge": details.model,
                "rubric": rubric.label,
                "column": column,
                "group": group,
                "metric": metric,
            } | asdict(line)
