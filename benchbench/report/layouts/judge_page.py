"""The page of a run of a judge: scores, how far to trust them, where they are lowest and why, and what it all cost."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from benchbench.judging.details import GroupScores, JudgeDetails, RubricDetails
from benchbench.judging.headline import trust
from benchbench.judging.judge_result import LOWEST
from benchbench.report.blocks import Block, Facts, Table
from benchbench.report.card_blocks import (
    AnswerCard,
    AnswerList,
    CardBlock,
    Fault,
    Filter,
    HeatCell,
    HeatRow,
    HeatTable,
    Mean,
    Means,
    Piece,
)
from benchbench.report.layouts.card_parts import attacks, held, language, listed, passed_gates
from benchbench.report.layouts.judge_facts import facts, flips, plain
from benchbench.report.layouts.page_parts import band, reasons_table, reproduce, settings
from benchbench.report.layouts.page_scales import capital
from benchbench.report.page_blocks import (
    Axis,
    Band,
    Folded,
    Masthead,
    PageBlock,
    Panel,
    Panels,
    Plot,
    Section,
    Stem,
    Tile,
    Tiles,
)
from benchbench.results.figures import ends, estimate, moment, money, value
from benchbench.results.record import Record
from benchbench.results.result import Result
from benchbench.scores.names import COLUMNS
from benchbench.tables.shared_messages import counted

_TILES = 4
_FEW = 3  # items: a mean of fewer has no colour
_ROWS = 30  # groups of a kind
_JUDGED = {
    "answers": "answers",
    "ground_truth": "ground truth",
    "cluster": "grouped by",
    "answered_by": "answered by",
    "limit": "answers at most",
}
_ASKED = {
    "model": "model",
    "url": "URL",
    "rubric": "rubrics",
    "temperature": "temperature",
    "seed": "seed of the sample",
    "max_tokens": "tokens of an answer at most",
    "structured": "structured output",
    "concurrency": "requests at once",
    "repeat": "times judged",
    "repeat_sample": "items judged again",
    "max_cost": "cost at most, USD",
    "cache": "cache",
}


def blocks(result: Result) -> list[Block | PageBlock | CardBlock]:
    """Return the page."""
    found, record = result.details_as(JudgeDetails), result.record
    made: list[Block | PageBlock | CardBlock] = [_verdict(found, record), *_bands(found, record), Tiles(_tiles(found))]
    made += [
        Section(
            "scores", "Scores", "Scores", "Dot and line: the mean and its 95 % interval, from end to end of the scale."
        ),
        Means([_mean(one) for one in found.rubrics if one.score.mean is not None]),
        Panels([histogram(one) for one in found.rubrics if one.histogram], 2),
    ]
    kinds = list(_heat(found))
    if kinds:
        made.append(Section("groups", "By group", "By group", "Choose a row to see its answers with low scores."))
        made.append(HeatTable([(capital(plain(one.name)), one.name) for one in found.rubrics], kinds))
    made += [Section("trust", "Trust", "How far to trust this judge"), _trust(found), *_refusals(found)]
    made += [Section("lowest", "Lowest", "Lowest scores, and why"), _lowest(result, found)]
    made += attacks(result, found)
    made += [
        Section("numbers", "Numbers", "All numbers"),
        *passed_gates(record),
        Folded("Rubrics", f"{len(found.rubrics)}", [_numbers(found.rubrics)]),
        *_parts(found),
        *_groups(found),
        Folded("Counts and cost", counted(found.cost.calls, "call"), [Facts(facts(found))]),
        Section("reproduce", "To reproduce", "To reproduce"),
        reproduce(record, [("Judged", settings(record, _JUDGED)), ("Judge", settings(record, _ASKED))]),
    ]
    return made


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


def _bands(found: JudgeDetails, record: Record) -> Iterator[Band]:
    if record.status == "interrupted":
        yield Band(f"✂ Interrupted after {counted(found.verdicts, 'verdict')}", [], "")
    if found.own:
        yield Band("The judge is the model that answers", [], "bad", trust(found)[:1])
    lost = f"{counted(found.failed, 'verdict')} failed" if found.failed else ""
    yield from band(record, lost, reasons_table(found.failures, "Verdicts"))


def _tiles(found: JudgeDetails) -> list[Tile]:
    tiles = []
    for one in found.rubrics[: _TILES - 1]:
        line = one.score
        span = None
        if one.scaled is not None and line.low is not None and line.high is not None:
            span = 100 * _scaled(one, line.low), 100 * one.scaled, 100 * _scaled(one, line.high)
        tiles.append(
            Tile(
                plain(one.name),
                [value(line.mean, 2)],
                f"of {one.scale[1]:g}",
                ends(line, 3),
                f"{line.band + ', ' if line.band else ''}{counted(one.judged, 'item')}",
                span,
            )
        )
    cost = found.cost
    said = f"{counted(cost.calls, 'call')}, {cost.cached:,} verdicts from the cache"
    tiles.append(Tile("cost", [money(cost.cost)], "", "", said))
    return tiles


def _scaled(one: RubricDetails, value: float) -> float:
    low, high = one.scale
    return (value - low) / (high - low)


def _mean(one: RubricDetails) -> Mean:
    line, (low, high) = one.score, one.scale
    band = f"{line.band}, " if line.band else ""
    said = f"{band}scale {low:g} to {high:g}, {counted(one.judged, 'item')}; {_known(one)}"
    told = f"{one.label}: {estimate(line.mean, line.low, line.high, 3)}"
    return Mean(
        one.label,
        said,
        value(line.mean, 2),
        100 * (one.scaled or 0.0),
        None if line.low is None else 100 * _scaled(one, line.low),
        None if line.high is None else 100 * _scaled(one, line.high),
        told,
    )


def _known(one: RubricDetails) -> str:
    return "not calibrated" if one.calibration.refusal else one.calibration.said


def histogram(one: RubricDetails) -> Panel:
    """Return how many scores there are of each size."""
    low, high = one.scale
    most = max(bin_.scores for bin_ in one.histogram)
    width = one.histogram[0].high - one.histogram[0].low
    stems = [
        Stem((bin_.low + bin_.high) / 2, float(bin_.scores), f"{bin_.scores:,}" if bin_.scores else "")
        for bin_ in one.histogram
    ]
    step = (high - low) / (len(one.histogram) - 1 if not width else 5)
    ticks = [(low + step * place, f"{low + step * place:g}") for place in range(round((high - low) / step) + 1)]
    margin = 0.5 if not width else 0.0
    said = ", ".join(f"{bin_.scores:,} from {bin_.low:g} to {bin_.high:g}" for bin_ in one.histogram if bin_.scores)
    plot = Plot(
        f"Scores by {one.label}: {said}",
        Axis(low - margin, high + margin, ticks),
        Axis(0.0, most * 1.2, []),
        stems,
        160,
    )
    return Panel(one.label, f"{counted(one.judged, 'score')}", [plot])


def _heat(found: JudgeDetails) -> Iterator[tuple[str, list[HeatRow]]]:
    for column in COLUMNS:
        names = list(dict.fromkeys(name for one in found.rubrics for name in getattr(one, column)))
        if len(names) < 2:
            continue
        rows = []
        for name in names[:_ROWS]:
            groups: list[GroupScores | None] = [getattr(one, column).get(name) for one in found.rubrics]
            items = max((one.items for one in groups if one is not None), default=0)
            cells = [_cell(one, group, items) for one, group in zip(found.rubrics, groups, strict=True)]
            rows.append(HeatRow(name, column, items, cells))
        label = capital(column.replace("_", " "))
        yield (f"{label}, {_ROWS} of {len(names):,}" if len(names) > _ROWS else label), rows


def _cell(one: RubricDetails, group: GroupScores | None, items: int) -> HeatCell:
    if group is None or group.score.mean is None:
        return HeatCell("–", "", "", True, f"{one.label}: no score")
    of = f"of {group.items:,}" if group.items != items else ""
    told = f"{one.label}: {value(group.score.mean, 2)} of {counted(group.items, 'item')}"
    return HeatCell(value(group.score.mean, 2), group.score.band, of, group.items < _FEW, told)


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
    head = ("Rubric", "Agreement with people", "May a gate go by it", "Judged again", "Score changed", "Spread")
    return Table(head, rows, "lllrrr")


def _refusals(found: JudgeDetails) -> list[Facts]:
    rows = [(one.label, one.calibration.refusal) for one in found.rubrics if one.calibration.refusal]
    return [Facts(rows)] if rows else []


def _lowest(result: Result, found: JudgeDetails) -> AnswerList:
    rows = result.table(LOWEST).to_dicts() if LOWEST in result.tables() else []
    by_item: dict[str, list[dict[str, Any]]] = {}
    for row in sorted(rows, key=lambda row: row["scaled"]):
        by_item.setdefault(row["item"], []).append(row)
    texts = [[some[0]["question"], some[0]["answer"], *(one["rationale"] for one in some)] for some in by_item.values()]
    kept = list(by_item.items())[: held(rows, texts)]
    labels = [one.label for one in found.rubrics]
    cards = [_card(number, some, labels) for number, (_, some) in enumerate(kept, 1)]
    filters = [
        Filter(_key(labels, label), "", label, sum(any(one["rubric"] == label for one in some) for _, some in kept))
        for label in labels
    ]
    said = []
    if found.items and len(kept) < found.items:
        said.append(f"The page holds the {len(kept):,} lowest of {counted(found.items - found.nulls, 'answer')}.")
    return AnswerList(filters if len(labels) > 1 and cards else [], cards, [], "answers", len(kept), said)


def _key(labels: Sequence[str], label: str) -> str:
    return f"r{labels.index(label)}" if label in labels else "r"


def _card(number: int, rows: Sequence[Mapping[str, Any]], labels: Sequence[str]) -> AnswerCard:
    first = rows[0]
    lang = language(first["question"], first["answer"])
    name = {row["rubric"]: row["rubric"].partition(".")[0] for row in rows}
    reasons = [f"{name[row['rubric']]}: {row['rationale']}" if len(labels) > 1 else row["rationale"] for row in rows]
    return AnswerCard(
        number,
        first["question"],
        [_key(labels, row["rubric"]) for row in rows],
        first["source_type"],
        first["category"],
        [Fault("wrong", text) for row in rows for text in row["faults"]],
        [Piece(first["answer"])],
        [Piece("\n\n".join(one for one in reasons if one))],
        "",
        ("", ""),
        [(name[row["rubric"]], f"{row['score']:.3g}") for row in rows],
        (lang, lang, language(*reasons)),
        ("Answer", "Why, in the judge's words"),
        "",
    )


def _numbers(rubrics: Sequence[RubricDetails]) -> Table:
    head = ("Rubric", "Mean", "95 % interval", "Scale", "Band", "Judged", "Nothing to score", "Failed", "Least", "Most")
    rows = [
        [
            one.label,
            value(one.score.mean, 3),
            ends(one.score, 3),
            f"{one.scale[0]:g} to {one.scale[1]:g}",
            one.score.band,
            f"{one.judged:,}",
            f"{one.unscored:,}",
            f"{one.failed:,}",
            value(one.score.least, 3),
            value(one.score.most, 3),
        ]
        for one in rubrics
    ]
    return Table(head, rows, "lrrllrrrrr")


def _parts(found: JudgeDetails) -> list[Folded]:
    rows = [
        [one.label, name, value(line.mean, 3), ends(line, 3), f"{line.n:,}"]
        for one in found.rubrics
        for name, line in one.parts.items()
    ]
    head = ("Rubric", "Part", "Mean", "95 % interval", "Items")
    return [Folded("Parts", f"{len(rows)}", [Table(head, rows, "llrrr", grouped=True)])] if rows else []


def _groups(found: JudgeDetails) -> Iterator[Folded]:
    for column in COLUMNS:
        rows = [
            [name, one.label, value(group.score.mean, 3), ends(group.score, 3), f"{group.items:,}", group.score.band]
            for one in found.rubrics
            for name, group in getattr(one, column).items()
        ]
        if rows:
            title = capital(column.replace("_", " "))
            head = (title, "Rubric", "Mean", "95 % interval", "Judged", "Band")
            yield Folded(title, listed(sorted({str(row[0]) for row in rows}))[:80], [Table(head, rows, "llrrrl")])
