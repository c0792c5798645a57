"""The page of an evaluation of answers: which metrics are in which band, where it fails, each answer by its truth."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from benchbench.answering.answers_result import answered, definitions
from benchbench.answering.details import AnswersDetails, GroupDetails, MetricDetails
from benchbench.answers.summary import Line
from benchbench.report.blocks import Block, Facts, Table
from benchbench.report.card_blocks import (
    AnswerCard,
    AnswerList,
    Box,
    CardBlock,
    Fault,
    Filter,
    HeatCell,
    HeatRow,
    HeatTable,
    MetricRow,
    MetricRows,
)
from benchbench.report.layouts.answers_words import tested_ones, verdict
from benchbench.report.layouts.card_parts import held, language, passed_gates, pieces
from benchbench.report.layouts.page_parts import band, reasons_table, reproduce, settings
from benchbench.report.page_blocks import Band, Folded, PageBlock, Section
from benchbench.results.figures import count, interval, rounded, share, value
from benchbench.results.record import Record
from benchbench.results.result import Result
from benchbench.scores.names import BANDS
from benchbench.tables.shared_messages import counted

TABLE = "worst_answers"
_BOXES = 60  # answers of which each has a box
_FEW = 3  # answers: a mean of fewer has no colour
_ROWS = 30  # groups of a kind
_SHARE = 0.05  # of questions without an answer, above which the page begins with them
_BEYOND, _FAILED, _NONE = "beyond", "failed", "none"
_SYMBOLS = {"missed": "∅", "wrong": "✗", "low": "✗", "unexpected": "+"}
_ASKED = {
    "url": "URL",
    "answers": "answers",
    "testdata": "ground truth",
    "ground_truth": "ground truth",
    "concurrency": "questions in flight",
    "retries": "retries",
    "timeout": "time limit, s",
}
_SCORED = {
    "metrics": "metrics",
    "metrics_from": "metrics from",
    "cluster": "grouped by",
    "source_type": "source type",
    "category": "category",
    "max_error_rate": "failures allowed",
}


def blocks(result: Result) -> list[Block | PageBlock | CardBlock]:
    """Return the page."""
    found, record = result.details_as(AnswersDetails), result.record
    known = definitions(found)
    accuracies = _ranked(found, known)
    rows = result.table(TABLE).to_dicts() if TABLE in result.tables() else []
    made: list[Block | PageBlock | CardBlock] = [verdict(found, record, known, accuracies)]
    made += _band(found, record)
    if found.nulls < found.answers:
        made += [
            Section("metrics", "Metrics", "Metrics", "Means over the answers of which something was expected."),
            MetricRows(
                [_row(name, known[name], found, rows) for name in accuracies],
                _note(found, known, accuracies),
                list(_figures(found, known)),
            ),
        ]
        kinds = list(_heat(found, known, accuracies))
        if kinds:
            heads = [(known[name].title, known[name].short) for name in tested_ones(found, accuracies)]
            said = "Choose a row to see its answers. Means of one or two answers have no colour."
            made += [Section("groups", "Where it fails", "Where it fails", said), HeatTable(heads, kinds)]
    made += [Section("answers", "Answers", "Answers, worst first"), _answers(found, known, accuracies, rows)]
    made += [
        Section("numbers", "Numbers", "All numbers"),
        *passed_gates(record),
        Folded("Metrics", "means, intervals, ends", [_table(found.metrics, known)]),
        *_groups(found, known),
        Folded("Counts", counted(found.answers, "answer"), [_counts(found)]),
        Section("reproduce", "To reproduce", "To reproduce"),
        reproduce(record, [("Answers", settings(record, _ASKED)), ("Scores", settings(record, _SCORED))]),
    ]
    return made


def _ranked(found: AnswersDetails, known: Mapping[str, MetricDetails]) -> list[str]:
    """Return the accuracies: the lowest band first, in it the lowest mean; last those of which nothing was expected."""

    def place(name: str) -> tuple[int, float]:
        line = found.metrics[name]
        if line.mean_expected is None:
            return len(BANDS) + 1, 0.0
        band = BANDS.index(line.band_expected) if line.band_expected in BANDS else len(BANDS)
        return band, line.mean_expected

    return sorted((name for name, one in known.items() if not one.figure and name in found.metrics), key=place)


def _band(found: AnswersDetails, record: Record) -> list[Band]:
    """Return that a run was interrupted; and what failed, where that is more than a few questions for one reason."""
    cut = []
    if record.status == "interrupted":
        whole = found.answers + found.unanswered
        cut = [Band(f"✂ Interrupted: {found.answers:,} of {counted(whole, 'question')} were asked", [], "")]
    many = found.answers and (len(found.failures) > 1 or found.nulls / found.answers > _SHARE)
    if not many and all(one.failure is None for one in record.gates):
        return cut
    lost = f"{counted(found.nulls, 'question')} got no answer" if found.nulls else ""
    return [*cut, *band(record, lost, reasons_table(found.failures, "Questions"))]


def _row(name: str, one: MetricDetails, found: AnswersDetails, rows: Sequence[Mapping[str, Any]]) -> MetricRow:
    line = found.metrics[name]
    if line.mean_expected is None:
        return MetricRow(one.title, one.untested or one.said, "", "", "", None, None, None, None, (), (0, 0, 0))
    said = one.said
    if line.expected != line.answers:
        said = f"of {counted(line.expected, 'answer')}; over all {line.answers:,}, {value(line.mean, 2)}"
    reached = [band for band in one.reached(line) if band != line.band_expected]
    doubt = f"may be {' or '.join(reached)}" if reached else "not in doubt" if line.low_expected is not None else ""
    zones = None if one.good is None or one.acceptable is None else (one.acceptable, min(one.good, 0.985))
    boxes: list[Box] = []
    if line.expected <= _BOXES and len(rows) == found.answers:
        scored = [(score, row) for row in rows for score in row["scores"] if score["metric"] == name]
        scored.sort(key=lambda pair: (pair[0]["score"], pair[1]["number"]))
        boxes = [
            Box(
                row["number"],
                score["state"],
                f"answer {row['number']}: {value(score['score'], 2)}, {row['question'][:99]}",
            )
            for score, row in scored
        ]
    return MetricRow(
        one.title,
        said,
        value(line.mean_expected, 2),
        line.band_expected,
        doubt if line.band_expected else "",
        line.mean_expected,
        line.low_expected,
        line.high_expected,
        zones,
        boxes,
        (line.wrong, line.partial, line.right),
    )


def _note(found: AnswersDetails, known: Mapping[str, MetricDetails], names: Sequence[str]) -> str:
    lines = [found.metrics[name] for name in names]
    parts = ["Dot and line: the mean and its 95 % interval."]
    if any(one.band_expected for one in lines):
        parts.append("Zones: ○ poor, ◐ acceptable, ● good; where the line reaches another zone, the band is open.")
    if any(one.expected not in (0, one.answers) for one in lines):
        parts.append("Over all, an answer of which nothing was expected counts as 1.")
    if found.cluster:
        parts.append(f"Intervals are over {found.clusters:,} groups by {found.cluster}.")
    return " ".join(parts)


def _figures(found: AnswersDetails, known: Mapping[str, MetricDetails]) -> Iterator[tuple[str, str]]:
    """Yield the means of metrics that are no accuracies, with their words."""
    for name, one in known.items():
        mean = found.metrics[name].mean_expected if one.figure and name in found.metrics else None
        if mean is not None:
            text = share(mean) if one.is_share else count(mean) if abs(mean) >= 100 else rounded(mean, 2)
            yield text, one.figure


def _heat(
    found: AnswersDetails, known: Mapping[str, MetricDetails], names: Sequence[str]
) -> Iterator[tuple[str, list[HeatRow]]]:
    tested = tested_ones(found, names)
    for column, label in (("source_type", "Source type"), ("category", "Category")):
        groups: Mapping[str, GroupDetails] = getattr(found, column)
        if len(groups) < 2 or not tested:
            continue
        ranked = sorted(groups.items(), key=lambda item: _lowest(item[1], tested))
        rows = [
            HeatRow(name, column, one.answers, [_cell(one, known[metric], metric) for metric in tested])
            for name, one in ranked[:_ROWS]
        ]
        more = len(ranked) - len(rows)
        yield (f"{label}, the {_ROWS} worst of {len(ranked):,}" if more else label), rows


def _lowest(group: GroupDetails, names: Sequence[str]) -> float:
    means = [mean for name in names if name in group.metrics if (mean := group.metrics[name].mean_expected) is not None]
    return sum(means) / len(means) if means else 2.0


def _cell(group: GroupDetails, one: MetricDetails, name: str) -> HeatCell:
    line = group.metrics.get(name, Line(None))
    if line.mean_expected is None:
        return HeatCell("–", "", "", True, f"{one.title}: nothing expected")
    of = f"of {line.expected:,}" if line.expected != group.answers else ""
    told = f"{one.title}: {value(line.mean_expected, 2)} of {counted(line.expected, 'answer')}"
    return HeatCell(value(line.mean_expected, 2), line.band_expected, of, line.expected < _FEW, told)


def _answers(
    found: AnswersDetails, known: Mapping[str, MetricDetails], names: Sequence[str], rows: Sequence[Mapping[str, Any]]
) -> AnswerList:
    shown = rows[: held(rows, ((one["question"], one["answer"], one["truth"]) for one in rows))]
    said = []
    if not shown and found.answers:
        said.append("This result holds no answers: score its eval_results.jsonl again for them.")
    elif len(shown) < found.answers:
        said.append(
            f"The page holds the {len(shown):,} worst of {counted(found.answers, 'answer')}; buttons count all."
        )
    faultless = found.answers - found.nulls - found.faulty
    filters = [
        Filter(_key(one.metric, one.found), _SYMBOLS[one.found], one.said, one.answers)
        for one in found.faults
        if one.found in _SYMBOLS
    ]
    if found.nulls:
        filters.append(Filter(_FAILED, "!", "no answer", found.nulls))
    if faultless and found.definitions:
        filters.append(Filter(_NONE, "✓", "no fault", faultless))
    kinds = {(one.metric, one.found): one.said for one in found.faults}
    cards = [_card(one, known, names, kinds) for one in shown]
    there = {piece.mark for one in cards for piece in (*one.answer, *one.truth)}
    marks = [one for one in ("matched", "wrong", "missed", "unexpected") if one in there]
    return AnswerList(filters if cards else [], cards, marks, "answers", found.answers, said)


def _key(metric: str, found: str) -> str:
    return f"{metric}-{found}" if metric else _BEYOND


def _card(
    row: Mapping[str, Any],
    known: Mapping[str, MetricDetails],
    names: Sequence[str],
    kinds: Mapping[tuple[str, str], str],
) -> AnswerCard:
    keys = list(dict.fromkeys(_key(one["metric"], one["found"]) for one in row["faults"]))
    if row["failure"] is not None:
        keys.append(_FAILED)
    elif not set(keys) - {_BEYOND}:
        keys.append(_NONE)
    scores = {one["metric"]: one["score"] for one in row["scores"]}
    lang = language(row["question"], row["answer"], row["truth"])
    cut = [f"{row[name]:,} characters left out" if row[name] else "" for name in ("answer_left_out", "truth_left_out")]
    return AnswerCard(
        row["number"],
        row["question"],
        keys,
        row["source_type"],
        row["category"],
        [_fault(one, kinds) for one in row["faults"]],
        pieces(row["answer"] or "", row["answer_marks"]),
        pieces(row["truth"], row["truth_marks"]),
        row["failure"] or "",
        cut,
        [(known[name].short, value(scores[name], 2)) for name in names if name in scores],
        (_lang(row["question"], lang), _lang(row["answer"], lang), _lang(row["truth"], lang)),
    )


def _lang(text: str | None, lang: str) -> str:
    return lang if language(text) else ""


def _fault(one: Mapping[str, Any], kinds: Mapping[tuple[str, str], str]) -> Fault:
    said = kinds.get((one["metric"], one["found"]), one["found"])
    said = f"{said} {one['said']}".rstrip()
    return Fault(one["found"], f"{one['text']}: {said}" if one["text"] else said)


def _table(metrics: Mapping[str, Line], known: Mapping[str, MetricDetails]) -> Table:
    head = ("Metric", "Mean", "95 % interval", "Expected", "Band", "Over all", "Answers", "Null", "Least", "Most")
    rows = [
        [
            name,
            value(one.mean_expected, 3),
            interval(one.low_expected, one.high_expected, 3),
            f"{one.expected:,}",
            one.band_expected or one.band,
            value(one.mean, 3),
            f"{one.answers:,}",
            f"{one.nulls:,}",
            value(one.least, 3),
            value(one.most, 3),
        ]
        for name, one in metrics.items()
    ]
    return Table(head, rows, "lrrrlrrrrr", caption="Mean and interval are where something was expected")


def _groups(found: AnswersDetails, known: Mapping[str, MetricDetails]) -> list[Folded]:
    folded = []
    for label, groups in (("Source types", found.source_type), ("Categories", found.category)):
        rows = [
            [
                group,
                name,
                value(line.mean_expected, 3),
                interval(line.low_expected, line.high_expected, 3),
                f"{line.expected:,}",
                line.band_expected,
            ]
            for group, one in groups.items()
            for name, line in one.metrics.items()
            if name in known
        ]
        if rows:
            head = (label, "Metric", "Mean", "95 % interval", "Expected", "Band")
            folded.append(Folded(label, f"{len(groups):,}", [Table(head, rows, "llrrrl", grouped=True)]))
    return folded


def _counts(found: AnswersDetails) -> Facts:
    return Facts(
        [
            ("Answers", answered(found)),
            *([("Unanswered", f"{found.unanswered:,} of the ground truth")] if found.unanswered else []),
            *((f"Failed, {times:,}", reason) for reason, times in found.failures.items()),
            *([("Groups", f"{found.clusters:,} by {found.cluster}")] if found.cluster else []),
        ]
    )
