"""The page of an evaluation of answers: which metrics are in which band, where it fails, each answer by its truth."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from benchbench.answering.answers_result import answered, definitions
from benchbench.answering.details import AnswersDetails, MetricDetails, where_expected
from benchbench.report.blocks import Facts
from benchbench.report.card_blocks import AnswerCard, Fault, Filter, MetricRow, MetricRows
from benchbench.report.layouts import items_page
from benchbench.report.layouts.answers import rows_of
from benchbench.report.layouts.card_parts import listed, pieces
from benchbench.report.layouts.items_page import AnyBlock, Compared, Items, Row
from benchbench.report.layouts.page_parts import band, reasons_table
from benchbench.report.layouts.page_scales import capital
from benchbench.report.page_blocks import Band, Folded, Masthead, Section
from benchbench.results.figures import count, moment, rounded, share, value
from benchbench.results.record import Record
from benchbench.results.result import Result
from benchbench.scores.names import BANDS
from benchbench.scores.numbers import ScoreMean
from benchbench.tables.shared_messages import counted

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
    tested
        The names of the others.
    """

    def __init__(self, found: AnswersDetails) -> None:
        self.known = {name: one for name, one in definitions(found).items() if name in found.metrics}
        means = {name: where_expected(found.metrics[name], one) for name, one in self.known.items() if not one.figure}
        self.means: dict[str, ScoreMean] = dict(sorted(means.items(), key=lambda item: _place(item[1])))
        self.tested = [name for name, mean in self.means.items() if mean.value is not None]


def _place(mean: ScoreMean) -> tuple[int, float]:
    """Return where a metric stands: the lowest band first, in it the lowest mean."""
    if mean.value is None:
        return len(BANDS) + 1, 0.0
    return BANDS.index(mean.band) if mean.band in BANDS else len(BANDS), mean.value


def blocks(result: Result) -> list[AnyBlock]:
    """Return the page."""
    found, record = result.details_as(AnswersDetails), result.record
    metrics = _Accuracies(found)
    known = metrics.known
    rows = result.table(TABLE).to_dicts() if TABLE in result.tables() else []
    means: list[AnyBlock] = [
        Section("metrics", "Metrics", "Metrics", "Means over the answers of which something was expected."),
        MetricRows(
            [_row(name, known[name], mean, found, rows) for name, mean in metrics.means.items()],
            _note(found, metrics),
            list(_figures(found, known)),
        ),
    ]
    has_answers = found.nulls < found.answers
    compared = {name: Compared(known[name].title, known[name].short) for name in metrics.tested if has_answers}
    groups = found.group_means(where_expected)
    more = ("Answers", "Mean over all", "All answers", "Null", "Least", "Most")
    table = items_page.numbers_table(rows_of(found, where_expected), "Metric", more)
    return items_page.page(
        record,
        "answer",
        [_verdict(found, record, metrics), *_bands(found, record)],
        means if has_answers else [],
        compared,
        groups,
        _items(found, metrics, rows),
        [],
        [
            Folded("Metrics", "means where something was expected, intervals, ends", [table]),
            *items_page.group_folds(groups, "answer", "Metric"),
            Folded("Counts", counted(found.answers, "answer"), [_counts(found)]),
        ],
        _OPTIONS,
    )


def _verdict(found: AnswersDetails, record: Record, metrics: _Accuracies) -> Masthead:
    of = f" of {record.data.name}" if record.data.name else ""
    facts = [record.name, counted(found.answers, "question") + of, moment(record.started)]
    return Masthead("answers", facts, found.signature, _sentence(found, metrics), _pieces(found, metrics))


def _sentence(found: AnswersDetails, metrics: _Accuracies) -> str:
    """Return which metrics are in which band."""
    if found.answers and found.nulls == found.answers:
        reason, times = next(iter(found.failures.items()))
        return f"No question has an answer: {reason}{'' if times == found.answers else f', {times:,} times'}."
    means, known = metrics.means, metrics.known
    said: list[str] = []
    for band_ in BANDS:
        titles = [_name(known[name]) for name in metrics.tested if means[name].band == band_]
        if titles:
            verb = "" if said else "are " if _are_several(titles) else "is "
            said.append(f"{listed(titles)} {verb}{band_}")
    said += [_scored(means[name], known[name]) for name in metrics.tested if not means[name].band]
    if not said and not means:
        return f"{counted(found.answers, 'answer')}: the metrics measure, and none says what is right."
    if not said:
        return f"{counted(found.answers - found.nulls, 'answer')}, of which no metric expected anything."
    return f"{capital(', '.join(said))}."


def _scored(mean: ScoreMean, one: MetricDetails) -> str:
    """Return the mean of a metric without bands in words."""
    return (
        f"{share(mean.value)} of {_name(one)} are right"
        if one.is_share
        else f"{_name(one)} {value(mean.value, 2)} of 1"
    )


def _name(one: MetricDetails) -> str:
    """Return a metric's title as it stands within a sentence: acronyms and names keep their capitals."""
    title = one.short if " and " in one.title else one.title
    word = title.split(" ")[0]
    return title if word[1:] != word[1:].lower() or word in ("Japanese", "Chinese") else title[:1].lower() + title[1:]


def _pieces(found: AnswersDetails, metrics: _Accuracies) -> list[str]:
    """Return what the verdict rests on, plain and strong parts in turn."""
    given, tested, known = found.answers - found.nulls, metrics.tested, metrics.known
    said = ""
    if given and tested and found.definitions:
        said = f"{found.faulty:,} of {counted(given, 'answer')} {'has' if found.faulty == 1 else 'have'} a fault. "
    untested = [name for name in metrics.means if name not in tested] if given else []
    strong, reason = "", ""
    if untested:
        titles = [_name(known[name]) for name in untested]
        strong = f"{capital(listed(titles))} {'were' if _are_several(titles) else 'was'} not tested"
        reasons = [known[name].untested for name in untested if known[name].untested]
        reason = f": {'; '.join(reasons)}. " if reasons and len(untested) < 3 else ". "
    if found.nulls and given:
        reason += f"{capital(counted(found.nulls, 'question'))} {'has' if found.nulls == 1 else 'have'} no answer and "
        reason += f"{'is' if found.nulls == 1 else 'are'} in no mean. "
    if found.unanswered:
        have = "has" if found.unanswered == 1 else "have"
        reason += f"{counted(found.unanswered, 'question')} of the ground truth {have} no answer at all. "
    banded = [name for name in tested if metrics.means[name].band]
    sure = [_name(known[name]) for name in banded if not metrics.means[name].reached]
    if 0 < len(sure) < len(banded):
        are = "band" if len(sure) == 1 else "bands", "is" if len(sure) == 1 else "are"
        reason += f"Only the {are[0]} of {listed(sure)} {are[1]} not in doubt."
    elif banded and not sure:
        reason += "With so few answers, every band is in doubt."
    return [said, strong, reason.rstrip()] if strong else [f"{said}{reason}".rstrip()]


def _are_several(titles: Sequence[str]) -> bool:
    return len(titles) > 1 or (titles[0].endswith("s") and not titles[0].endswith("ss"))


def _bands(found: AnswersDetails, record: Record) -> list[Band]:
    """Return that a run was interrupted; and what failed, where that is more than a few questions for one reason."""
    cut = []
    if record.status == "interrupted":
        whole = found.answers + found.unanswered
        cut = [Band(f"✂ Interrupted: {found.answers:,} of {counted(whole, 'question')} were asked", [], "")]
    many = found.answers and (len(found.failures) > 1 or found.nulls / found.answers > items_page.MANY_FAILED)
    if not many and all(one.failure is None for one in record.gates):
        return cut
    lost = f"{counted(found.nulls, 'question')} got no answer" if found.nulls else ""
    return [*cut, *band(record, lost, reasons_table(found.failures, "Questions"))]


def _row(name: str, one: MetricDetails, mean: ScoreMean, found: AnswersDetails, rows: Sequence[Row]) -> MetricRow:
    line = found.metrics[name]
    said = one.untested or one.said if mean.value is None else one.said
    if mean.value is not None and line.expected != line.answers:
        said = f"of {counted(line.expected, 'answer')}; over all {line.answers:,}, {value(line.mean, 2)}"
    has_boxes = len(rows) == found.answers
    pairs = [(score, row) for row in rows if has_boxes for score in row["scores"] if score["metric"] == name]
    each = items_page.boxes(((score["score"], score["state"], row) for score, row in pairs), "answer")
    states = (line.wrong, line.partial, line.right)
    return items_page.metric_row(one.title, said, mean, (one.good, one.acceptable), boxes=each, states=states)


def _note(found: AnswersDetails, metrics: _Accuracies) -> str:
    lines = [found.metrics[name] for name in metrics.means]
    counts_as_1 = any(one.expected not in (0, one.answers) for one in lines)
    return items_page.note(
        any(one.band_expected for one in lines),
        "Over all, an answer of which nothing was expected counts as 1." if counts_as_1 else "",
        f"Intervals are over {found.clusters:,} groups by {found.cluster}." if found.cluster else "",
    )


def _figures(found: AnswersDetails, known: Mapping[str, MetricDetails]) -> Iterator[tuple[str, str]]:
    """Yield the means of metrics that are no accuracies, with their words."""
    for name, one in known.items():
        mean = found.metrics[name].mean_expected if one.figure else None
        if mean is not None:
            text = share(mean) if one.is_share else count(mean) if abs(mean) >= 100 else rounded(mean, 2)
            yield text, one.figure


def _items(found: AnswersDetails, metrics: _Accuracies, rows: Sequence[Row]) -> Items:
    texts = ((one["question"], one["answer"], one["truth"]) for one in rows)
    many, said = items_page.shown_items(rows, texts, found.answers, "answer", "; buttons count all.")
    if not many and found.answers:
        said = ["This result holds no answers: score its eval_results.jsonl again for them."]
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
    shorts = {name: metrics.known[name].short for name in metrics.means}
    cards = [_card(one, shorts, kinds) for one in rows[:many]]
    return Items(cards, filters if cards else [], found.answers, said)


def _key(metric: str, found: str) -> str:
    return f"{metric}-{found}" if metric else _BEYOND


def _card(row: Row, shorts: Mapping[str, str], kinds: Mapping[tuple[str, str], str]) -> AnswerCard:
    keys = list(dict.fromkeys(_key(one["metric"], one["found"]) for one in row["faults"]))
    if row["failure"] is not None:
        keys.append(_FAILED)
    elif not set(keys) - {_BEYOND}:
        keys.append(_NONE)
    scores = {one["metric"]: one["score"] for one in row["scores"]}
    cut = [f"{row[name]:,} characters left out" if row[name] else "" for name in ("answer_left_out", "truth_left_out")]
    return items_page.card(
        row,
        keys,
        [_fault(one, kinds) for one in row["faults"]],
        pieces(row["answer"] or "", row["answer_marks"]),
        pieces(row["truth"], row["truth_marks"]),
        [(short, value(scores[name], 2)) for name, short in shorts.items() if name in scores],
        failure=row["failure"] or "",
        cut=cut,
    )


def _fault(one: Mapping[str, Any], kinds: Mapping[tuple[str, str], str]) -> Fault:
    said = kinds.get((one["metric"], one["found"]), one["found"])
    said = f"{said} {one['said']}".rstrip()
    return Fault(one["found"], f"{one['text']}: {said}" if one["text"] else said)


def _counts(found: AnswersDetails) -> Facts:
    return Facts(
        [
            ("Answers", answered(found)),
            *([("Unanswered", f"{found.unanswered:,} of the ground truth")] if found.unanswered else []),
            *((f"Failed, {times:,}", reason) for reason, times in found.failures.items()),
            *([("Groups", f"{found.clusters:,} by {found.cluster}")] if found.cluster else []),
        ]
    )
