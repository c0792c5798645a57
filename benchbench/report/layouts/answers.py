"""An evaluation of answers: one row per metric; then one row per source type and category."""

from collections.abc import Iterator, Mapping
from dataclasses import asdict
from typing import Any

from benchbench.answering.analysis import AnswersAnalysis
from benchbench.answering.answers_result import notes, remarks
from benchbench.answering.details import AnswersDetails, GroupDetails, band_of, headline, plain
from benchbench.answers.summary import Line
from benchbench.report.blocks import (
    PAPER,
    SUMMARY,
    TERMINAL,
    AnyCell,
    Block,
    Cell,
    Facts,
    Gates,
    Notes,
    Table,
    Text,
    Verdict,
)
from benchbench.report.layout import Layout, page_of
from benchbench.report.layouts import signatures
from benchbench.report.render.lines import bar
from benchbench.results.figures import interval, value
from benchbench.results.measured import json_members
from benchbench.results.result import Result
from benchbench.scores.names import MARKS, UNTESTED

_HEAD = ("Metric", "Mean", "95 % interval", "Answers", "Expected", "Mean where expected", "Band")
_MEANS = "Means of metrics with bands are over answers whose truth has something to find."
_BAR = 10  # columns of a share
_DOCUMENTS = 10  # of a ground truth, in the text
_FEW = 3  # metrics that groups show with their intervals; more make the table too wide


def layout(result: Result) -> Layout:
    """Return a table over all answers, notes on what its means leave out, and one table per kind of groups."""
    found, record = result.details_as(AnswersDetails), result.record
    command = "run" if "url" in record.settings else "score"
    names = record.settings["metrics"].value
    title = f"{record.name}: {found.answers:,} answers"
    said = remarks(found)
    groups = (("Source type", found.source_type), ("Category", found.category))
    blocks: list[Block] = [
        Verdict(*headline(found, record.name)),
        _terminal(found),
        Text([_MEANS] if any(one.band_expected for one in found.metrics.values()) else [], where=TERMINAL),
        Gates(where=TERMINAL),
        Facts(said, where=TERMINAL),
        Table(_HEAD, [_cells(name, one) for name, one in found.metrics.items()], "lrrrrrl", where=PAPER | SUMMARY),
        Facts(said, where=SUMMARY),
        *(_grouped(label, of_column, found, names) for label, of_column in groups if of_column),
        Facts([signatures.row(found.signature)], where=TERMINAL),
        Notes(notes(found)),
    ]
    return Layout(
        title,
        blocks,
        lambda: json_members(result),
        lambda: _rows(found),
        command=f"benchbench answers {command}",
        page="cards.html",
        drawn=page_of("answers_page", result),
    )


def analysed(found: AnswersAnalysis) -> Layout:
    """Return the layout of the counts of a ground truth."""
    least, median, most = found.truth_length
    groups = [[source or "–", category or "–", f"{n:,}"] for (source, category), n in found.groups.items()]
    facts = [
        ("Truths", f"{least:,} to {most:,} characters, median {median:,.0f}"),
        ("", f"{found.citing_nothing:,} cite no law, {found.naming_no_document:,} name no document"),
    ]
    cited = [[law, kind, f"{n:,}"] for (law, kind), n in found.citations.items()]
    named = [[name, f"{n:,}"] for name, n in list(found.documents.items())[:_DOCUMENTS]]
    more = len(found.documents) - len(named)
    said = f"{found.questions:,} questions of {len(found.groups):,} groups by source type and category."
    blocks: list[Block] = [
        Verdict([("", said)]),
        Table(("Source type", "Category", "Questions"), [*groups, ["all", "", f"{found.questions:,}"]], "llr"),
        Facts(facts),
        *([Table(("Law", "Kind", "Citations"), cited, "llr")] if cited else []),
        *([Table(("Document", "Truths"), named, "lr")] if named else []),
        Text([f"… and {more:,} more (--format json has all)"] if more else []),
    ]
    members = {
        "questions": found.questions,
        "groups": [{"source_type": s, "category": c, "questions": n} for (s, c), n in found.groups.items()],
        "truth_length": {"least": least, "median": median, "most": most},
        "citations": [{"law": law, "kind": kind, "citations": n} for (law, kind), n in found.citations.items()],
        "documents": found.documents,
        "citing_nothing": found.citing_nothing,
        "naming_no_document": found.naming_no_document,
    }
    return Layout("", blocks, lambda: members, list)


def _terminal(found: AnswersDetails) -> Table:
    """Return a row per metric, of the answers where something was expected; shares drawn as bars."""
    rows: list[list[AnyCell]] = []
    for name, one in found.metrics.items():
        mean, ends, tested = _tested(one)
        is_share = one.most is not None and (one.least or 0.0) >= 0.0 and one.most <= 1.0 and bool(one.band)
        band = band_of(one)
        shown = Cell(f"{MARKS[band]} {band}") if band else ""
        over_all = value(one.mean, 3) if tested and tested != one.answers else ""
        rows.append(
            [name, value(mean, 3), ends, bar(mean, _BAR, "░") if is_share else "", shown, f"{tested:,}", over_all]
        )
    head = ["Metric", "Mean", "95 % interval", "0 … 1", "Band", "Answers", "Mean over all"]
    return Table(head, rows, "lrrllrr", where=TERMINAL, keeps=[0, 0, 3, 2, 0, 0, 4])


def _tested(one: Line) -> tuple[float | None, str, int]:
    """Return a mean, its interval and how many answers it is over: those where something was expected, if known."""
    if one.band_expected or one.band == UNTESTED:
        return one.mean_expected, interval(one.low_expected, one.high_expected, 3), one.expected
    return one.mean, interval(one.low, one.high, 3), one.answers


def _cells(name: str, one: Line) -> list[str]:
    expected = "" if one.expected == one.answers else f"{one.expected:,}"
    where = value(one.mean_expected, 3) if expected and one.mean_expected is not None else ""
    return [name, value(one.mean, 3), interval(one.low, one.high, 3), f"{one.answers:,}", expected, where, one.band]


def _grouped(label: str, groups: Mapping[str, GroupDetails], found: AnswersDetails, names: list[str]) -> Table:
    few = len(names) <= _FEW
    rows = []
    for group, one in [*groups.items(), ("all", GroupDetails(found.answers, found.metrics))]:
        tested = [_tested(one.metrics[name]) for name in names]
        cells = [[value(mean, 3), ends][: 1 + few] for mean, ends, _ in tested]
        rows.append([group, f"{one.answers:,}", *(cell for pair in cells for cell in pair)])
    heads = [head for name in names for head in (plain(name), "95 % interval")[: 1 + few]]
    needed = sorted(names, key=lambda name: not found.metrics[name].band)  # what has bands is left out last
    keeps = [0, 0, *(2 * needed.index(name) + part for name in names for part in range(1 + few))]
    return Table((label, "Answers", *heads), rows, "lr" + "r" * len(heads), where=TERMINAL, keeps=keeps)


def _rows(found: AnswersDetails) -> Iterator[dict[str, Any]]:
    for (column, group), of_group in found.groups():
        for name, one in of_group.metrics.items():
            yield {"column": column, "group": group, "metric": name, **asdict(one)}
