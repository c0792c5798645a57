"""An evaluation of answers: one row per metric; then one row per source type and category."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict
from typing import Any

from benchbench.answering.details import AnswersDetails, band_of, headline, over_all, plain, where_expected
from benchbench.answers.summary import Line
from benchbench.report.blocks import EVERYWHERE, Block, Facts, Table, Text, Verdict
from benchbench.report.layout import Layout, page_of
from benchbench.report.layouts.score_parts import ScoreRow, group_tables, score_tables
from benchbench.report.standard import standard
from benchbench.results.figures import value
from benchbench.results.result import Result
from benchbench.scores.names import UNTESTED
from benchbench.scores.numbers import GroupMeans, ScoreMean

_MEANS = "Means of metrics with bands are over answers whose truth has something to find."
_DOCUMENTS = 10  # of a ground truth, in the text


def layout(result: Result) -> Layout:
    """Return a table over all answers, and one table per kind of groups."""
    found, record = result.details_as(AnswersDetails), result.record
    names = sorted(record.settings["metrics"].value, key=lambda name: not found.metrics[name].band)  # with bands first
    whole = GroupMeans("all", found.answers, {name: _tested(line) for name, line in found.metrics.items()})
    return standard(
        result,
        f"{record.name}: {found.answers:,} answers",
        headline(found, record.name),
        [
            *score_tables("Metric", list(rows_of(found)), ("Answers", "Mean over all"), (0, 3)),
            Text([_MEANS] if any(one.band_expected for one in found.metrics.values()) else [], where=EVERYWHERE),
            *group_tables(found.group_means(_tested), "Answers", {name: plain(name) for name in names}, whole),
        ],
        facts=[("Answers", f"{found.answers:,}")],
        failed="question",
        rows=lambda: _rows(found),
        command=f"benchbench answers {'run' if 'url' in record.settings else 'score'}",
        drawn=page_of("answers_page", result),
    )


def analysed(found: Mapping[str, Any]) -> Layout:
    """Return the layout of the counts of a ground truth."""
    length, asked = found["truth_length"], f"{found['questions']:,}"
    groups = [[one["source_type"] or "–", one["category"] or "–", f"{one['questions']:,}"] for one in found["groups"]]
    facts = [
        ("Truths", f"{length['least']:,} to {length['most']:,} characters, median {length['median']:,.0f}"),
        ("", f"{found['citing_nothing']:,} cite no law, {found['naming_no_document']:,} name no document"),
    ]
    cited = [[one["law"], one["kind"], f"{one['citations']:,}"] for one in found["citations"]]
    named = [[name, f"{n:,}"] for name, n in list(found["documents"].items())[:_DOCUMENTS]]
    more = len(found["documents"]) - len(named)
    blocks: list[Block] = [
        Verdict([("", f"{asked} questions of {len(groups):,} groups by source type and category.")]),
        Table(("Source type", "Category", "Questions"), [*groups, ["all", "", asked]], "llr"),
        Facts(facts),
        *([Table(("Law", "Kind", "Citations"), cited, "llr")] if cited else []),
        *([Table(("Document", "Truths"), named, "lr")] if named else []),
        Text([f"… and {more:,} more (--format json has all)"] if more else []),
    ]
    return Layout("", blocks, lambda: found, list)


def _tested(one: Line) -> ScoreMean:
    """Return a mean over the answers where something was expected, if that is known."""
    return where_expected(one) if one.band_expected or one.band == UNTESTED else over_all(one)


def rows_of(found: AnswersDetails, mean_of: Callable[[Line], ScoreMean] = _tested) -> Iterator[ScoreRow]:
    """Yield a row per metric."""
    for name, one in found.metrics.items():
        mean = mean_of(one)
        is_share = one.most is not None and (one.least or 0.0) >= 0.0 and one.most <= 1.0 and bool(one.band)
        over = value(one.mean, 3) if mean.n and mean.n != one.answers else ""
        aside = [f"{one.answers:,}", f"{one.nulls:,}", value(one.least, 3), value(one.most, 3)]
        yield ScoreRow(name, mean, mean.value if is_share else None, [f"{mean.n:,}", over], aside, band=band_of(one))


def _rows(found: AnswersDetails) -> Iterator[dict[str, Any]]:
    for (column, group), of_group in found.groups():
        for name, one in of_group.metrics.items():
            yield {"column": column, "group": group, "metric": name, **asdict(one)}
