"""The page of an evaluation of answers: which metrics are in which band, where it fails, each answer by its truth."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from benchbench.answering.answers_details import AnswersDetails, MetricDetails, plain, where_expected
from benchbench.answering.answers_result import answered, definitions
from benchbench.report.blocks import Facts
from benchbench.report.card_blocks import AnswerCard, CardFault, Filter, MetricRow, MetricRows
from benchbench.report.layouts import items_page
from benchbench.report.layouts.answers import rows_of
from benchbench.report.layouts.card_parts import pieces
from benchbench.report.layouts.items_page import AnyBlock, Compared, Items, Row
from benchbench.report.layouts.page_parts import band, head, reasons_table
from benchbench.report.page_blocks import Band, Folded, Masthead, Section
from benchbench.results.figures import count, share, value
from benchbench.results.record import Record
from benchbench.results.result import Result
from benchbench.scores.names import BANDS
from benchbench.scores.numbers import ScoreMean
from benchbench.tables.shared_messages import and_joined, capital, counted

TABLE = "worst_answers"
_BEYOND, _FAILED, _NONE = "beyond", "failed", "none"
_SYMBOLS = {"missed": "∅", "wrong": "✗", "low": "✗", "unexpected": "+"}
_OPTIONS = {
    "Answers": ("url", "answers", "testdata", "ground_truth", "concurrency", "retries", "timeout"),
    "Scores": ("metrics", "metrics_from", "cluster", "source_type", "category", "max_error_rate"),
}


class _Accuracies:
    """The metrics by which answers are right or wrong, with their means where something was expected, worst first.

    Attributes
    ----------
    known
        What is known of every metric.
    means
        Of the accuracies; last those of which nothing was expected.
    tested, unsure
        The names of the others, and of those among them whose interval reaches into another band.
    """

    def __init__(self, details: AnswersDetails) -> None:
        lines = details.metrics
        self.known = {name: metric for name, metric in definitions(details).items() if name in lines}
        means = {name: where_expected(lines[name], metric) for name, metric in self.known.items() if not metric.figure}
        self.means: dict[str, ScoreMean] = dict(sorted(means.items(), key=lambda item: _place(item[1])))
        self.tested = [name for name, mean in self.means.items() if mean.value is not None]
        self.unsure = [name for name in self.tested if self.means[name].band and self.means[name].reached]


def _place(mean: ScoreMean) -> tuple[int, float]:
    """Return where a metric stands: the lowest band first, in it the lowest mean."""
    if mean.value is None:
        return len(BANDS) + 1, 0.0
    return BANDS.index(mean.band) if mean.band in BANDS else len(BANDS), mean.value


def blocks(result: Result) -> list[AnyBlock]:
    """Return the page."""
    details, record = result.details_as(AnswersDetails), result.record
    metrics = _Accuracies(details)
    known = metrics.known
    rows = result.table(TABLE).to_dicts() if TABLE in result.tables() else []
    drawn = [_row(name, known[name], mean, details, rows) for name, mean in metrics.means.items()]
    words = "Means over the answers for which the reference has something to match."
    means: list[AnyBlock] = [
        Section("metrics", "Metrics", "Metrics", words),
        MetricRows(drawn, _note(details, metrics, drawn), list(_figures(details, known))),
    ]
    has_answers = details.nulls < details.answers
    compared = {name: Compared(known[name].title, known[name].short) for name in metrics.tested if has_answers}
    groups = details.group_means(where_expected)
    more = ("Answers", "Mean over all", "All answers", "Unanswered", "Minimum", "Maximum")
    titles = {name: known[name].title if name in known else capital(plain(name)) for name in details.metrics}
    table = items_page.numbers_table(rows_of(details, where_expected), "Metric", more, titles)
    return items_page.page(
        record,
        "answer",
        [_verdict(details, record, metrics), *_bands(details, record)],
        means=means if has_answers else [],
        compared=compared,
        groups=groups,
        items=_items(details, metrics, rows),
        more=[],
        numbers=[
            Folded("Metrics", "means, intervals, minimum and maximum", [table]),
            *items_page.group_folds(groups, "answer", "Metric", titles),
            Folded("Counts", counted(details.answers, "answer"), [_counts(details)]),
        ],
        options=_OPTIONS,
    )


def _verdict(details: AnswersDetails, record: Record, metrics: _Accuracies) -> Masthead:
    of_data = f" of {record.data.name}" if record.data.name else ""
    about = [record.name, counted(details.answers, "question") + of_data]
    return head("answers", record, about, _sentence(details, metrics), _pieces(details, metrics))


def _sentence(details: AnswersDetails, metrics: _Accuracies) -> str:
    """Return which metrics are in which band."""
    if details.answers and details.nulls == details.answers:
        reason, times = next(iter(details.failures.items()))
        return f"No question has an answer: {reason}{'' if times == details.answers else f', {times:,} times'}."
    means, known = metrics.means, metrics.known
    bands: list[str] = []
    for band_ in BANDS:
        tested = [name for name in metrics.tested if means[name].band == band_ and name not in metrics.unsure]
        titles = [_name(known[name]) for name in tested]
        if titles:
            verb = "" if bands else "are " if _are_several(titles) else "is "
            bands.append(f"{and_joined(titles)} {verb}{band_}")
    if metrics.unsure:
        bands.append("the rest is uncertain" if bands else "no band is certain")
    bands += [_scored(means[name], known[name]) for name in metrics.tested if not means[name].band]
    if not bands and not means:
        return f"{counted(details.answers, 'answer')}: the metrics measure, and none says what is right."
    if not bands:
        return f"{counted(details.answers - details.nulls, 'answer')}, of which no metric expected anything."
    faulty = ""
    if details.definitions:
        have = "has" if details.faulty == 1 else "have"
        of_all = f"{details.faulty:,} of {counted(details.answers - details.nulls, 'answer')}"
        faulty = f"{of_all} {have} a fault{_most_often(details)}; "
    return f"{faulty}{', '.join(bands)}." if faulty else f"{capital(', '.join(bands))}."


def _most_often(details: AnswersDetails) -> str:
    """Return which of several kinds of faults most answers have."""
    kinds = [fault for fault in details.faults if fault.metric]
    most = max(kinds, key=lambda fault: fault.answers, default=None)
    return "" if most is None or len(kinds) == 1 else f", most often “{most.said}” ({most.answers:,})"


def _scored(mean: ScoreMean, metric: MetricDetails) -> str:
    """Return the mean of a metric without bands in words."""
    return (
        f"{share(mean.value)} of {_name(metric)} are right"
        if metric.is_share
        else f"{_name(metric)} {value(mean.value)} of 1"
    )


def _name(metric: MetricDetails) -> str:
    """Return a metric's title as it stands within a sentence: acronyms and names keep their capitals."""
    title = metric.short if " and " in metric.title else metric.title
    word = title.split(" ")[0]
    return title if word[1:] != word[1:].lower() or word in ("Japanese", "Chinese") else title[:1].lower() + title[1:]


def _pieces(details: AnswersDetails, metrics: _Accuracies) -> list[str]:
    """Return what the verdict is based on, plain and strong parts in turn."""
    scored, tested, known = details.answers - details.nulls, metrics.tested, metrics.known
    untested = [name for name in metrics.means if name not in tested] if scored else []
    strong, reason = "", ""
    if untested:
        titles = [_name(known[name]) for name in untested]
        strong = f"{capital(and_joined(titles))} {'were' if _are_several(titles) else 'was'} not tested"
        reasons = [known[name].untested for name in untested if known[name].untested]
        reason = f": {'; '.join(reasons)}. " if reasons and len(untested) < 3 else ". "
    if details.nulls and scored:
        have, are = ("has", "is") if details.nulls == 1 else ("have", "are")
        reason += f"{capital(counted(details.nulls, 'question'))} {have} no answer and {are} left out of the means. "
    if details.unanswered:
        have = "has" if details.unanswered == 1 else "have"
        reason += f"{counted(details.unanswered, 'question')} of the ground truth {have} no answer at all. "
    if metrics.unsure:
        ranges = [f"{_name(known[name])} ({items_page.bands_of(metrics.means[name])})" for name in metrics.unsure]
        reason += f"Uncertain bands: {and_joined(ranges)}."
    beyond = sum(fault.answers for fault in details.faults if not fault.metric)
    first = f"Citations that are not in the reference: {counted(beyond, 'answer')}. " if beyond else ""
    return [first, strong, reason.rstrip()] if strong else [first + reason.rstrip()]


def _are_several(titles: Sequence[str]) -> bool:
    return len(titles) > 1 or (titles[0].endswith("s") and not titles[0].endswith("ss"))


def _bands(details: AnswersDetails, record: Record) -> list[Band]:
    """Return that a run was interrupted; and what failed, where that is more than a few questions for one reason."""
    cut = []
    if record.status == "interrupted":
        whole = details.answers + details.unanswered
        cut = [Band(f"✂ Interrupted: {details.answers:,} of {counted(whole, 'question')} were asked", [], "")]
    often = details.answers and (len(details.failures) > 1 or details.nulls / details.answers > items_page.MANY_FAILED)
    if not often and all(gate.failure is None for gate in record.gates):
        return cut
    lost = f"{counted(details.nulls, 'question')} got no answer" if details.nulls else ""
    return [*cut, *band(record, lost, reasons_table(details.failures, "Questions"))]


def _row(name: str, metric: MetricDetails, mean: ScoreMean, details: AnswersDetails, rows: Sequence[Row]) -> MetricRow:
    line = details.metrics[name]
    words = metric.untested or metric.said if mean.value is None else metric.said
    if mean.value is not None and line.expected != line.answers:
        words = f"{counted(line.expected, 'answer')}; {value(line.mean)} over all {line.answers:,}"
    has_boxes = len(rows) == details.answers
    pairs = [(score, row) for row in rows if has_boxes for score in row["scores"] if score["metric"] == name]
    single = {row["number"]: score["state"] for score, row in pairs}
    boxes = items_page.boxes(((score["score"], row) for score, row in pairs), "answer", states=single)
    states = (line.wrong, line.partial, line.right)
    bands = metric.good, metric.acceptable
    return items_page.metric_row(metric.title, words, mean, bands, boxes=boxes, states=states)


def _note(details: AnswersDetails, metrics: _Accuracies, rows: Sequence[MetricRow]) -> str:
    lines = [details.metrics[name] for name in metrics.means]
    counts_as_1 = any(line.expected not in (0, line.answers) for line in lines)
    return items_page.note(
        rows,
        "answer",
        "Over all answers, one whose reference has nothing to match counts as 1." if counts_as_1 else "",
        f"Intervals are over {details.clusters:,} groups by {details.cluster}." if details.cluster else "",
    )


def _figures(details: AnswersDetails, known: Mapping[str, MetricDetails]) -> Iterator[tuple[str, str]]:
    """Yield the means of metrics that are no accuracies, with their words."""
    for name, metric in known.items():
        mean = details.metrics[name].mean_expected if metric.figure else None
        if mean is not None:
            text = share(mean) if metric.is_share else count(mean) if abs(mean) >= 100 else value(mean, 1)
            yield text, metric.figure


def _items(details: AnswersDetails, metrics: _Accuracies, rows: Sequence[Row]) -> Items:
    texts = ((row["question"], row["answer"], row["truth"]) for row in rows)
    kept, page_notes = items_page.shown_items(rows, texts, details.answers, "answer", "; buttons count all.")
    if not kept and details.answers:
        page_notes = ["This result holds no answers: score its eval_results.jsonl again for them."]
    faultless = details.answers - details.nulls - details.faulty
    filters = [
        Filter(_key(fault.metric, fault.found), _SYMBOLS[fault.found], fault.said, fault.answers)
        for fault in details.faults
        if fault.found in _SYMBOLS
    ]
    if details.nulls:
        filters.append(Filter(_FAILED, "!", "no answer", details.nulls))
    if faultless and details.definitions:
        filters.append(Filter(_NONE, "✓", "no fault", faultless))
    kinds = {(fault.metric, fault.found): fault.said for fault in details.faults}
    shorts = {name: metrics.known[name].short for name in metrics.means}
    cards = [_card(row, shorts, kinds) for row in rows[:kept]]
    return Items(cards, filters if cards else [], details.answers, page_notes)


def _key(metric: str, kind: str) -> str:
    return f"{metric}-{kind}" if metric else _BEYOND


def _card(row: Row, shorts: Mapping[str, str], kinds: Mapping[tuple[str, str], str]) -> AnswerCard:
    keys = list(dict.fromkeys(_key(fault["metric"], fault["found"]) for fault in row["faults"]))
    if row["failure"] is not None:
        keys.append(_FAILED)
    elif not set(keys) - {_BEYOND}:
        keys.append(_NONE)
    scores = {score["metric"]: score["score"] for score in row["scores"]}
    cut = [f"{row[name]:,} characters left out" if row[name] else "" for name in ("answer_left_out", "truth_left_out")]
    return items_page.card(
        row,
        keys,
        [_fault(fault, kinds) for fault in row["faults"]],
        pieces(row["answer"] or "", row["answer_marks"]),
        pieces(row["truth"], row["truth_marks"]),
        [(short, value(scores[name])) for name, short in shorts.items() if name in scores],
        failure=row["failure"] or "",
        cut=cut,
    )


def _fault(fault: Mapping[str, Any], kinds: Mapping[tuple[str, str], str]) -> CardFault:
    words = kinds.get((fault["metric"], fault["found"]), fault["found"])
    words = f"{words} {fault['said']}".rstrip()
    return CardFault(fault["found"], f"{fault['text']}: {words}" if fault["text"] else words)


def _counts(details: AnswersDetails) -> Facts:
    return Facts(
        [
            ("Answers", answered(details)),
            *([("Unanswered", f"{details.unanswered:,} of the ground truth")] if details.unanswered else []),
            *((f"Failed, {times:,}", reason) for reason, times in details.failures.items()),
            *([("Groups", f"{details.clusters:,} by {details.cluster}")] if details.cluster else []),
        ]
    )
