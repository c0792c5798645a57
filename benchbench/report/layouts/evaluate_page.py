"""The page of an evaluation in three pillars: the overall score, pillars and sub-scores, and each question."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from benchbench.evaluation.details import EvaluationDetails, GroupDetails, MeanDetails, ScoreDetails, advice, no_overall
from benchbench.report.blocks import Block, Facts, Table
from benchbench.report.card_blocks import (
    Box,
    CardBlock,
    HeatCell,
    HeatRow,
    HeatTable,
    MetricRow,
    MetricRows,
)
from benchbench.report.layouts.card_parts import listed, passed_gates
from benchbench.report.layouts.evaluate_cards import MOST, questions
from benchbench.report.layouts.evaluate_facts import figure, judge_facts, notes
from benchbench.report.layouts.page_parts import band, reasons_table, reproduce, settings
from benchbench.report.layouts.page_scales import capital
from benchbench.report.page_blocks import Band, Folded, Masthead, PageBlock, Section
from benchbench.results.figures import ends, moment, value
from benchbench.results.record import Record
from benchbench.results.result import Result
from benchbench.tables.shared_messages import counted

QUESTIONS, VERDICTS = "questions", "verdicts"
_BOXES = 60  # questions of which each has a box
_FEW = 3  # questions: a mean of fewer has no colour
_ROWS = 30  # groups of a kind
_SCALE = "Dot and line: the mean and its 95 % interval."
_ZONES = "Zones: ○ poor, ◐ acceptable, ● good; where the line reaches another zone, the band is open."
_SHARE = 0.05  # of answers and verdicts that failed, above which the page begins with them
_DATA = {
    "config": "configuration",
    "data": "data",
    "answers": "answers",
    "cluster": "grouped by",
    "source_type": "source type",
    "category": "category",
}
_SCORED = {"weights": "weights", "pillars": "pillars", "beside": "beside", "bands": "bands", "cutoff": "cut-off"}
_ASKED = {"contexts": "contexts", "concurrency": "questions in flight", "max_error_rate": "failures allowed"}


def blocks(result: Result) -> list[Block | PageBlock | CardBlock]:
    """Return the page."""
    found, record = result.details_as(EvaluationDetails), result.record
    rows = result.table(QUESTIONS).head(MOST).to_dicts() if QUESTIONS in result.tables() else []
    verdicts = result.table(VERDICTS).to_dicts() if VERDICTS in result.tables() else []
    pillars = [_pillar_row("Overall", "", found.overall, found, _boxes("overall", found, rows))]
    for one in found.pillars:
        boxes = _boxes(one.name, found, rows)
        pillars.append(
            _pillar_row(
                capital(one.name),
                one.missing,
                one.mean,
                found,
                boxes,
                one.share if found.overall.value is not None else None,
            )
        )
    made: list[Block | PageBlock | CardBlock] = [_verdict(found, record), *_band(found, record)]
    made += [
        Section("pillars", "Pillars", "Pillars", "The overall score is the mean of the pillars by their weights."),
        MetricRows(pillars, f"{_SCALE} {_ZONES}", [], ("Pillar", "Each question", "The overall score and its pillars")),
        Section("scores", "Sub-scores", "Sub-scores", "A pillar is the mean of its sub-scores, from 0 to 1."),
        MetricRows(
            list(_score_rows(found, rows)), _note(found), [], ("Sub-score", "Each question", "Mean of each sub-score")
        ),
    ]
    kinds = list(_heat(found))
    if kinds:
        names = [one.name for one in found.pillars if one.mean.value is not None]
        heads = [(capital(name), capital(name)) for name in ("overall", *names)]
        said = "Choose a row to see its questions. Means of one or two questions have no colour."
        made += [Section("groups", "Where it fails", "Where it fails", said), HeatTable(heads, kinds)]
    made += [Section("answers", "Questions", "Questions, worst first"), questions(found, rows, verdicts)]
    if found.judge is not None:
        made += [Section("judge", "Judge", "The judge"), Facts(judge_facts(found))]
    made += [
        Section("numbers", "Numbers", "All numbers"),
        *passed_gates(record),
        Folded("Scores", "means, intervals, how many", [_table(found)]),
        *_groups(found),
        *([Folded("Notes", counted(len(notes(found)), "note"), [Facts(notes(found))])] if notes(found) else []),
        Section("reproduce", "To reproduce", "To reproduce"),
        reproduce(
            record,
            [
                ("Data", settings(record, _DATA)),
                ("Scores", settings(record, _SCORED)),
                ("Asked", settings(record, _ASKED)),
            ],
        ),
    ]
    return made


def _verdict(found: EvaluationDetails, record: Record) -> Masthead:
    facts = [record.name, counted(found.questions, "question"), moment(record.started)]
    if found.judge is not None:
        facts.insert(2, f"judge {found.judge.model}")
    known = [one for one in found.pillars if one.mean.value is not None]
    if not known:
        sentence = "No pillar has a score."
    else:
        bands = {band: [one.name for one in known if one.mean.band == band] for band in ("poor", "acceptable", "good")}
        parts = [
            f"{listed(names)} {'is' if len(names) == 1 else 'are'} {band}" for band, names in bands.items() if names
        ]
        if found.overall.value is None:
            sentence = f"{no_overall(found)} {capital(', '.join(parts))}."
        else:
            sentence = f"Overall {value(found.overall.value, 2)}, {found.overall.band}: {', '.join(parts)}."
    return Masthead(
        "evaluate",
        facts,
        found.signature,
        sentence,
        [_interval(found.overall)],
        advice(found),
    )


def _interval(mean: MeanDetails) -> str:
    if mean.low is None or mean.high is None:
        return ""
    doubt = f"; it may be {' or '.join(mean.reached)}" if mean.reached else ""
    return f"95 % interval {ends(mean, 2)}{doubt}."


def _band(found: EvaluationDetails, record: Record) -> list[Band]:
    """Return the gates that failed, and what failed where that is more than a few."""
    reasons = found.all_failures
    total, asked = sum(reasons.values()), found.questions + (found.judge.verdicts if found.judge else 0)
    if total <= _SHARE * asked and all(one.failure is None for one in record.gates):
        return []
    lost = f"{total:,} answers and verdicts failed" if total > 1 else "one answer or verdict failed" if total else ""
    return band(record, lost, reasons_table(reasons, "Times"))


def _pillar_row(
    title: str,
    missing: str,
    mean: MeanDetails,
    found: EvaluationDetails,
    boxes: Sequence[Box],
    share: float | None = None,
) -> MetricRow:
    if mean.value is None:
        return MetricRow(title, missing or "no pillar has a score", "", "", "", None, None, None, None, (), (0, 0, 0))
    said = f"weight {share:.3g}, " if share is not None else ""
    zones = (found.acceptable, min(found.good, 0.985))
    return MetricRow(
        title,
        f"{said}{counted(mean.n, 'question')}",
        value(mean.value, 2),
        mean.band,
        _doubt(mean),
        mean.value,
        mean.low,
        mean.high,
        zones,
        boxes,
        (0, 0, 0),
    )


def _doubt(mean: MeanDetails) -> str:
    if mean.reached:
        return f"may be {' or '.join(mean.reached)}"
    return "not in doubt" if mean.low is not None and mean.band else ""


def _score_rows(found: EvaluationDetails, rows: Sequence[Mapping[str, Any]]) -> Iterator[MetricRow]:
    for one in found.scores:
        if one.low is not None and one.high is not None:
            yield _score_row(one, found, rows, (one.low, one.high))


def _score_row(
    one: ScoreDetails, found: EvaluationDetails, rows: Sequence[Mapping[str, Any]], scale: tuple[float, float]
) -> MetricRow:
    title = f"{one.title}" + ("" if one.pillar else " (beside)")
    if one.mean.value is None:
        return MetricRow(title, one.why_untested, "", "", "", None, None, None, None, (), (0, 0, 0))
    low, high = scale

    def place(value: float | None) -> float | None:
        return None if value is None else (value - low) / (high - low)

    over = [one.pillar] if one.pillar else []
    over.append(f"of {counted(one.mean.n, 'question')}")
    over += [f"{one.failed:,} failed"] if one.failed else []
    over += [f"at most {value(one.most, 2)} by any ranking"] if one.most is not None and one.most < 0.9995 else []
    zones = None
    if one.good is not None and one.acceptable is not None and one.mean.band:
        zones = (place(one.acceptable) or 0.0, min(place(one.good) or 0.0, 0.985))
    return MetricRow(
        title,
        f"{one.said}; {', '.join(over)}" if one.said else ", ".join(over),
        value(one.mean.value, 2),
        one.mean.band,
        _doubt(one.mean),
        place(one.mean.value),
        place(one.mean.low),
        place(one.mean.high),
        zones,
        _boxes(one.name, found, rows, scale),
        one.states,
    )


def _boxes(
    name: str, found: EvaluationDetails, rows: Sequence[Mapping[str, Any]], scale: tuple[float, float] = (0.0, 1.0)
) -> list[Box]:
    """Return a box per question that has the score, worst first; none where they are many."""
    known = [row for row in rows if row.get(name) is not None]
    if len(known) > _BOXES or len(rows) != found.questions:
        return []
    low, high = scale
    return [
        Box(
            row["number"],
            "right" if row[name] >= high else "wrong" if row[name] <= low else "partial",
            f"question {row['number']}: {value(row[name], 2)}, {row['question'][:99]}",
        )
        for row in sorted(known, key=lambda row: (row[name], row["number"]))
    ]


def _note(found: EvaluationDetails) -> str:
    parts = [_SCALE, _ZONES]
    if found.cluster:
        parts.append(f"Intervals are over {found.clusters:,} groups by {found.cluster}.")
    numbers = [f"{one.title} {figure(one.mean.value, one)}" for one in found.scores if one.high is None and one.mean.n]
    return " ".join([*parts, *([f"Beside: {'; '.join(numbers)}."] if numbers else [])])


def _heat(found: EvaluationDetails) -> Iterator[tuple[str, list[HeatRow]]]:
    names = [one.name for one in found.pillars if one.mean.value is not None]
    for column, label in (("source_type", "Source type"), ("category", "Category")):
        groups: Mapping[str, GroupDetails] = getattr(found, column)
        if len(groups) < 2:
            continue
        ranked = sorted(
            groups.items(), key=lambda item: 2.0 if item[1].overall.value is None else item[1].overall.value
        )
        rows = [
            HeatRow(
                name,
                column,
                one.questions,
                [_cell("Overall", one.overall, one), *(_cell(capital(p), one.pillars.get(p), one) for p in names)],
            )
            for name, one in ranked[:_ROWS]
        ]
        more = len(ranked) - len(rows)
        yield (f"{label}, the {_ROWS} worst of {len(ranked):,}" if more else label), rows


def _cell(title: str, mean: MeanDetails | None, group: GroupDetails) -> HeatCell:
    if mean is None or mean.value is None:
        return HeatCell("–", "", "", True, f"{title}: no value")
    of = f"of {mean.n:,}" if mean.n != group.questions else ""
    return HeatCell(
        value(mean.value, 2),
        mean.band,
        of,
        mean.n < _FEW,
        f"{title}: {value(mean.value, 2)} of {counted(mean.n, 'question')}",
    )


def _table(found: EvaluationDetails) -> Table:
    head = ("Score", "Mean", "95 % interval", "Band", "Questions", "Failed", "Not tested", "Interval")
    rows = [
        ["overall", figure(found.overall.value), ends(found.overall, 3), found.overall.band, f"{found.overall.n:,}"]
    ]
    rows[0] += ["", "", found.overall.interval]
    for pillar in found.pillars:
        mean = pillar.mean
        rows.append([pillar.name, figure(mean.value), ends(mean, 3), mean.band, f"{mean.n:,}", "", "", mean.interval])
    for one in found.scores:
        mean = one.mean
        counts = [f"{mean.n:,}", f"{one.failed:,}", f"{one.untested:,}"]
        rows.append([one.name, figure(mean.value, one), ends(mean, 3), mean.band, *counts, mean.interval])
    return Table(head, rows, "lrrlrrrl")


def _groups(found: EvaluationDetails) -> list[Folded]:
    folded = []
    for label, groups in (("Source types", found.source_type), ("Categories", found.category)):
        rows = [
            [group, name, figure(mean.value), ends(mean, 3), f"{mean.n:,}", mean.band]
            for group, one in groups.items()
            for name, mean in {"overall": one.overall, **one.pillars, **one.scores}.items()
        ]
        if rows:
            head = (label, "Score", "Mean", "95 % interval", "Questions", "Band")
            folded.append(Folded(label, f"{len(groups):,}", [Table(head, rows, "llrrrl", grouped=True)]))
    return folded
