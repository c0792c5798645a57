"""The page of a run of a judge: scores, how far to trust them, where they are lowest and why, and what it all cost."""

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import groupby
from operator import itemgetter

from benchbench.judging.judge_details import JudgeDetails, RubricDetails, called, plain, score_in_words, trust
from benchbench.judging.judge_result import LOWEST
from benchbench.report.blocks import Facts, Table, Text
from benchbench.report.card_blocks import AnswerCard, CardFault, Filter, MetricRow, MetricRows, Piece
from benchbench.report.layouts import items_page
from benchbench.report.layouts.card_parts import attacks, histograms, judge_bands
from benchbench.report.layouts.columns import Column, table_of
from benchbench.report.layouts.items_page import AnyBlock, Compared, Items, Row
from benchbench.report.layouts.judge import parts, rows_of
from benchbench.report.layouts.judge_facts import facts
from benchbench.report.layouts.page_parts import head
from benchbench.report.page_blocks import Folded, Masthead, Section
from benchbench.results.figures import money, value
from benchbench.results.record import Record
from benchbench.results.result import Result
from benchbench.tables.shared_messages import and_joined, capital, counted

_OPTIONS = {"Judged": ("answers", "ground_truth", "cluster", "answered_by", "limit"), "Judge": items_page.ASKED}


def blocks(result: Result) -> list[AnyBlock]:
    """Return the page."""
    details, record = result.details_as(JudgeDetails), result.record
    rows = _numbered(result.table(LOWEST).to_dicts()) if LOWEST in result.tables() else []
    cost, several = details.cost, details.group_means()
    figures = [(money(cost.cost), f"for {counted(cost.calls, 'call')}, {cost.cached:,} verdicts from the cache")]
    scores = [_row(rubric, rows) for rubric in details.rubrics]
    scales = {rubric.scale for rubric in details.rubrics}
    (low, high) = details.rubrics[0].scale
    ends = (f"{low:g}", f"{high:g}") if len(scales) == 1 else ("lowest", "highest")
    titles = {rubric.label: called(details, rubric) for rubric in details.rubrics}
    more = ("Scale", "Judged", "Failed", "Changed on repeat", "Nothing to score", "Minimum", "Maximum")
    warning = "The judge is the model that answers" if details.own else ""
    return items_page.page(
        record,
        "answer",
        [_verdict(details, record), *judge_bands(record, details, "verdict", warning, trust(details)[:1])],
        means=[
            Section("scores", "Scores", "Scores"),
            MetricRows(
                scores,
                items_page.note(scores, "answer"),
                figures if cost.cost is not None else [],
                ("Rubric", "Each answer", "Mean of each rubric"),
                ends,
            ),
            histograms(details.rubrics, "answer", "score"),
        ],
        compared={
            rubric.label: Compared(capital(plain(rubric.name)), plain(rubric.name), rubric.scale)
            for rubric in details.rubrics
        },
        groups=several,
        items=_items(details, rows),
        more=[
            Section("trust", "Trust", "How far to trust this judge"),
            _trust(details),
            *([Text(told)] if (told := trust(details)[bool(details.own) + 1 :]) else []),
            *attacks(result, details),
        ],
        numbers=[
            Folded(
                "Rubrics",
                f"{len(details.rubrics)}",
                [items_page.numbers_table(rows_of(details), "Rubric", more)],
            ),
            *(Folded("Parts", f"{len(part.rows)}", [part]) for part in parts(details)),
            *items_page.group_folds(several, "answer", "Rubric", titles),
            Folded("Counts and cost", counted(details.cost.calls, "call"), [Facts(facts(details))]),
        ],
        options=_OPTIONS,
    )


def _verdict(details: JudgeDetails, record: Record) -> Masthead:
    scored = [rubric for rubric in details.rubrics if rubric.scaled is not None]
    scored.sort(key=lambda rubric: rubric.scaled or 0.0)
    scores = [(plain(rubric.name), score_in_words(rubric)) for rubric in scored]
    title = f"{details.model} gave no score."
    if scores:
        lowest = f" the lowest of {len(scores)} scores:" if len(scores) > 1 else ""
        title = f"{capital(scores[0][0])} is{lowest} {scores[0][1]}."
    more = f"{capital(and_joined([' '.join(score) for score in scores[1:]]))}. " if len(scores) > 1 else ""
    unanswered = f"{counted(details.nulls, 'question')} without an answer" if details.nulls else ""
    judged = f"{details.items - details.nulls:,} of {counted(details.items, 'answer')} judged"
    of_data = f" of {record.data.name}" if record.data.name else ""
    return head(
        "judge",
        record,
        [details.model, counted(details.items, "answer") + of_data],
        title,
        [f"{more}{capital(', '.join(filter(None, (judged, unanswered))))}."],
        trust(details)[bool(details.own) :][:1],
    )


def _row(rubric: RubricDetails, rows: Sequence[Row]) -> MetricRow:
    (low, high), lowest = rubric.scale, [row for row in rows if row["rubric"] == rubric.label]
    agreement = "" if rubric.calibration.refusal else f"; {rubric.calibration.said}"
    words = f"Scale {low:g} to {high:g}, {counted(rubric.judged, 'answer')}{agreement}"
    bands = rubric.good, rubric.acceptable
    scored = ((row["score"], row) for row in lowest if len(lowest) == rubric.judged)
    boxes = items_page.boxes(scored, "answer", bands, rubric.scale)
    without = f"{rubric.failed:,} failed, {rubric.unscored:,} with nothing to score"
    title = capital(plain(rubric.name))
    return items_page.metric_row(title, words if rubric.judged else without, rubric.mean, bands, rubric.scale, boxes)


def _trust(details: JudgeDetails) -> Table:
    columns = (
        Column("Rubric", lambda rubric: capital(called(details, rubric))),
        Column("Agreement with people", lambda rubric: rubric.calibration.said or "not measured"),
        Column("Usable for gates", lambda rubric: "no" if rubric.calibration.refusal else "yes"),
    )
    return table_of(columns, details.rubrics)


def _numbered(rows: Sequence[Row]) -> list[Row]:
    """Return verdicts, the lowest first, with the numbers of their answers, the lowest mean first."""
    of_items: dict[str, list[float]] = {}
    for row in rows:
        of_items.setdefault(row["item"], []).append(row["scaled"])
    ranked = sorted(of_items, key=lambda item: sum(of_items[item]) / len(of_items[item]))
    numbers = {item: number for number, item in enumerate(ranked, 1)}
    return [{**row, "number": numbers[row["item"]]} for row in sorted(rows, key=itemgetter("scaled"))]


def _items(details: JudgeDetails, rows: Sequence[Row]) -> Items:
    number = itemgetter("number")
    of_items = [list(item) for _, item in groupby(sorted(rows, key=number), number)]
    texts = [[item[0]["question"], item[0]["answer"], *(verdict["rationale"] for verdict in item)] for item in of_items]
    judged = details.items - details.nulls
    kept, page_notes = items_page.shown_items(of_items, texts, judged, "answer")
    keys = {rubric.label: f"r{place}" for place, rubric in enumerate(details.rubrics)}
    names = {rubric.label: capital(called(details, rubric)) for rubric in details.rubrics}
    cards = [_card(item, keys, names) for item in of_items[:kept]]
    counts = Counter(key for card in cards for key in card.keys)
    filters = [
        Filter(key, "", f"{called(details, rubric)} below {sum(rubric.scale) / 2:g}", counts[key])
        for rubric, key in zip(details.rubrics, keys.values(), strict=True)
        if counts[key]
    ]
    return Items(cards, filters, kept, page_notes, order="By the mean of the rubrics." if len(keys) > 1 else "")


def _card(rows: Sequence[Row], keys: Mapping[str, str], names: Mapping[str, str]) -> AnswerCard:
    """Return the card of an answer, with its verdicts in the order of the rubrics."""
    first, order = rows[0], list(keys)
    ordered = sorted((row for row in rows if row["rubric"] in keys), key=lambda row: order.index(row["rubric"]))
    return items_page.card(
        {**first, "truth": ""},
        [keys[row["rubric"]] for row in ordered if row["scaled"] < 0.5],
        [CardFault("wrong", f"{names[row['rubric']]}: {text}") for row in ordered for text in row["faults"]],
        [Piece(first["answer"])],
        [],
        [],
        faultless="",
        verdicts=[(names[row["rubric"]], value(row["score"]), row["rationale"]) for row in ordered],
    )
