"""An evaluation of answers: one row per metric; then one row per source type and category."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict
from typing import Any

from benchbench.answering.answers_details import AnswersDetails, band_of, headline, over_all, plain, where_expected
from benchbench.answers.summary import Line
from benchbench.report.blocks import EVERYWHERE, Block, Facts, Table, Text, Verdict
from benchbench.report.layout import Layout, page_of
from benchbench.report.layouts.score_parts import ScoreRow, group_tables, score_tables
from benchbench.report.standard import standard
from benchbench.results.figures import value
from benchbench.results.result import Result
from benchbench.scores.names import COLUMNS, UNTESTED
from benchbench.scores.numbers import GroupMeans, ScoreMean

_MEANS = "Means with bands are over answers whose reference has something to match."
_DOCUMENTS = 10  # of a ground truth, in the text


def layout(result: Result) -> Layout:
    """Return a table over all answers, and one table per kind of groups."""
    details, record = result.details_as(AnswersDetails), result.record
    metrics = details.metrics
    names = sorted(record.settings["metrics"].value, key=lambda name: not metrics[name].band)  # with bands first
    whole = GroupMeans("all", details.answers, {name: _tested(line) for name, line in metrics.items()})
    legend = [_MEANS] if any(line.band_expected for line in metrics.values()) else []
    return standard(
        result,
        f"{record.name}: {details.answers:,} answers",
        headline(details, record.name),
        [
            *score_tables("Metric", list(rows_of(details)), ("Answers", "Mean over all"), (0, 3)),
            Text(legend, where=EVERYWHERE),
            *group_tables(details.group_means(_tested), "Answers", {name: plain(name) for name in names}, whole),
        ],
        facts=[("Answers", f"{details.answers:,}")],
        failed="question",
        rows=lambda: _rows(details),
        command=f"benchbench answers {'run' if 'url' in record.settings else 'score'}",
        drawn=page_of("answers_page", result),
    )


def analysed(analysis: Mapping[str, Any]) -> Layout:
    """Return the layout of the counts of a ground truth."""
    length, asked = analysis["truth_length"], f"{analysis['questions']:,}"
    groups = [[group[name] or "–" for name in COLUMNS] + [f"{group['questions']:,}"] for group in analysis["groups"]]
    facts = [
        ("Truths", f"{length['least']:,} to {length['most']:,} characters, median {length['median']:,.0f}"),
        ("", f"{analysis['citing_nothing']:,} cite no law, {analysis['naming_no_document']:,} name no document"),
    ]
    cited = [[citation["law"], citation["kind"], f"{citation['citations']:,}"] for citation in analysis["citations"]]
    named = [[name, f"{n:,}"] for name, n in list(analysis["documents"].items())[:_DOCUMENTS]]
    more = len(analysis["documents"]) - len(named)
    blocks: list[Block] = [
        Verdict([("", f"{asked} questions of {len(groups):,} groups by source type and category.")]),
        Table(("Source type", "Category", "Questions"), [*groups, ["all", "", asked]], "llr"),
        Facts(facts),
        *([Table(("Law", "Kind", "Citations"), cited, "llr")] if cited else []),
        *([Table(("Document", "Truths"), named, "lr")] if named else []),
        Text([f"… and {more:,} more (--format json has all)"] if more else []),
    ]
    return Layout("", blocks, lambda: analysis, list)


def _tested(line: Line) -> ScoreMean:
    """Return a mean over the answers where something was expected, if that is known."""
    return where_expected(line) if line.band_expected or line.band == UNTESTED else over_all(line)


def rows_of(details: AnswersDetails, mean_of: Callable[[Line], ScoreMean] = _tested) -> Iterator[ScoreRow]:
    """Yield a row per metric."""
    for name, line in details.metrics.items():
        mean = mean_of(line)
        is_share = line.most is not None and (line.least or 0.0) >= 0.0 and line.most <= 1.0 and bool(line.band)
        over = value(line.mean, 3) if mean.n and mean.n != line.answers else ""
        aside = [f"{line.answers:,}", f"{line.nulls:,}", value(line.least, 3), value(line.most, 3)]
        yield ScoreRow(name, mean, mean.value if is_share else None, [f"{mean.n:,}", over], aside, band=band_of(line))


def _rows(details: AnswersDetails) -> Iterator[dict[str, Any]]:
    for (column, group), of_group in details.groups():
        for name, line in of_group.metrics.items():
            yield {"column": column, "group": group, "metric": name, **asdict(line)}
