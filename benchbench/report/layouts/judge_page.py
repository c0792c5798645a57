"""The page of a run of a judge: scores, how far to trust them, where they are lowest and why, and what it all cost."""

from collections.abc import Mapping, Sequence
from itertools import groupby
from operator import itemgetter

from benchbench.judging.details import JudgeDetails, RubricDetails, trust
from benchbench.judging.judge_result import LOWEST
from benchbench.report.blocks import Facts, Table
from benchbench.report.card_blocks import AnswerCard, Fault, Filter, MetricRow, MetricRows, Piece
from benchbench.report.layouts import items_page
from benchbench.report.layouts.card_parts import attacks, histogram, judge_bands
from benchbench.report.layouts.items_page import AnyBlock, Compared, Items, Row
from benchbench.report.layouts.judge import parts, rows_of
from benchbench.report.layouts.judge_facts import facts, flips, plain
from benchbench.report.layouts.page_scales import capital
from benchbench.report.page_blocks import Folded, Masthead, Panels, Section
from benchbench.results.figures import moment, money, value
from benchbench.results.record import Record
from benchbench.results.result import Result
from benchbench.tables.shared_messages import counted

_OPTIONS = {"Judged": ("answers", "ground_truth", "cluster", "answered_by", "limit"), "Judge": items_page.ASKED}


def blocks(result: Result) -> list[AnyBlock]:
    """Return the page."""
    found, record = result.details_as(JudgeDetails), result.record
    rows = _numbered(result.table(LOWEST).to_dicts()) if LOWEST in result.tables() else []
    cost, several = found.cost, found.group_means()
    figures = [(money(cost.cost), f"for {counted(cost.calls, 'call')}, {cost.cached:,} verdicts from the cache")]
    note = items_page.note(any(one.score.band for one in found.rubrics))
    more = ("Scale", "Judged", "Failed", "Flips", "Nothing to score", "Least", "Most")
    warning = "The judge is the model that answers" if found.own else ""
    return items_page.page(
        record,
        "answer",
        [_verdict(found, record), *judge_bands(record, found, "verdict", warning, trust(found)[:1])],
        [
            Section("scores", "Scores", "Scores", "From end to end of the scale of each rubric."),
            MetricRows(
                [_row(one, rows) for one in found.rubrics],
                note,
                figures if cost.cost is not None else [],
                ("Rubric", "Each answer", "Mean of each rubric"),
            ),
            Panels([histogram(one) for one in found.rubrics if one.histogram], 2),
        ],
        {one.label: Compared(capital(plain(one.name)), one.name, one.scale) for one in found.rubrics},
        several,
        _items(found, rows),
        [
            Section("trust", "Trust", "How far to trust this judge"),
            _trust(found),
            *_refusals(found),
            *attacks(result, found),
        ],
        [
            Folded(
                "Rubrics",
                f"{len(found.rubrics)}",
                [items_page.numbers_table(rows_of(found), "Rubric", more)],
            ),
            *(Folded("Parts", f"{len(one.rows)}", [one]) for one in parts(found)),
            *items_page.group_folds(several, "answer", "Rubric"),
            Folded("Counts and cost", counted(found.cost.calls, "call"), [Facts(facts(found))]),
        ],
        _OPTIONS,
    )


def _verdict(found: JudgeDetails, record: Record) -> Masthead:
    said = []
    for one in found.rubrics:
        low, high = one.scale
        score = "no score" if one.score.mean is None else f"{value(one.score.mean, 2)} of {high:g}"
        score += f" (from {low:g})" if low and one.score.mean is not None else ""
        said.append(f"{plain(one.name)} {score}{f', {one.score.band}' if one.score.band else ''}")
    of = f" of {record.data.name}" if record.data.name else ""
    return Masthead(
        "judge",
        [found.model, counted(found.items, "answer") + of, moment(record.started)],
        found.signature,
        f"{capital('; '.join(said))}.",
        [" ".join(trust(found)[bool(found.own) :][:1])],
    )


def _row(one: RubricDetails, rows: Sequence[Row]) -> MetricRow:
    (low, high), own = one.scale, [row for row in rows if row["rubric"] == one.label]
    known = "not calibrated" if one.calibration.refusal else one.calibration.said
    said = f"{one.label}: scale {low:g} to {high:g}, {counted(one.judged, 'answer')}; {known}"
    each = items_page.boxes(
        ((row["score"], items_page.state_of(row["scaled"]), row) for row in own if len(own) == one.judged), "answer"
    )
    without = f"{one.failed:,} failed, {one.unscored:,} with nothing to score"
    title = capital(plain(one.name))
    return items_page.metric_row(
        title, said if one.judged else without, one.mean, (one.good, one.acceptable), one.scale, each
    )


def _trust(found: JudgeDetails) -> Table:
    rows = []
    for one in found.rubrics:
        again = one.repeats
        spread = "–" if again.spread is None else f"{again.spread:.3g}, at most {again.most or 0.0:.3g}"
        rows.append(
            [
                one.label,
                one.calibration.said or "none",
                "no" if one.calibration.refusal else "yes",
                f"{again.items:,} × {again.attempts}" if again.items else "–",
                flips(one),
                spread,
            ]
        )
    head = ("Rubric", "Agreement with people", "Usable for gates", "Judged again", "Score changed", "Spread")
    return Table(head, rows, "lllrrr")


def _refusals(found: JudgeDetails) -> list[Facts]:
    rows = [(one.label, one.calibration.refusal) for one in found.rubrics if one.calibration.refusal]
    return [Facts(rows)] if rows else []


def _numbered(rows: Sequence[Row]) -> list[Row]:
    """Return verdicts, the lowest first, with the numbers of their answers, in the order of their lowest verdicts."""
    ranked = sorted(rows, key=itemgetter("scaled"))
    numbers = {item: number for number, item in enumerate(dict.fromkeys(row["item"] for row in ranked), 1)}
    return [{**row, "number": numbers[row["item"]]} for row in ranked]


def _items(found: JudgeDetails, rows: Sequence[Row]) -> Items:
    number = itemgetter("number")
    of_items = [list(some) for _, some in groupby(sorted(rows, key=number), number)]
    texts = [[some[0]["question"], some[0]["answer"], *(one["rationale"] for one in some)] for some in of_items]
    judged = found.items - found.nulls
    many, said = items_page.shown_items(of_items, texts, judged, "answer")
    keys = {one.label: f"r{place}" for place, one in enumerate(found.rubrics)}
    cards = [_card(some, keys) for some in of_items[:many]]
    filters = [Filter(key, "", label, sum(key in one.keys for one in cards)) for label, key in keys.items()]
    return Items(cards, filters if len(keys) > 1 and cards else [], many, said)


def _card(rows: Sequence[Row], keys: Mapping[str, str]) -> AnswerCard:
    first, name = rows[0], {row["rubric"]: row["rubric"].partition(".")[0] for row in rows}
    reasons = [f"{name[row['rubric']]}: {row['rationale']}" if len(keys) > 1 else row["rationale"] for row in rows]
    why = "\n\n".join(one for one in reasons if one)
    return items_page.card(
        {**first, "truth": why},
        [keys.get(row["rubric"], "r") for row in rows],
        [Fault("wrong", text) for row in rows for text in row["faults"]],
        [Piece(first["answer"])],
        [Piece(why)],
        [(name[row["rubric"]], f"{row['score']:.3g}") for row in rows],
        titles=("Answer", "Why, in the judge's words"),
        faultless="",
    )
