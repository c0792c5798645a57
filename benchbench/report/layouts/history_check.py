"""A check of the latest run: what is worse first, what to do second, then what each verdict rests on."""

from collections.abc import Iterator, Sequence
from typing import Any

from benchbench.history.check.check_record import condition
from benchbench.history.check.details import CheckDetails, MeasureDetails
from benchbench.history.check.words import called, headline, reference, sure, tested, what_counts
from benchbench.report.blocks import JUNIT, PAGE, PAPER, PEOPLE, SUMMARY, Block, Facts, Gates, Heading, Notes, Verdict
from benchbench.report.layout import Layout, page_of
from benchbench.report.layouts.history_check_facts import facts, moved, verdicts
from benchbench.results.result import Result


def layout(result: Result) -> Layout:
    """Return the verdicts, the queries and slices that moved, and what the verdicts rest on."""
    found, record = result.details_as(CheckDetails), result.record
    own = {condition(one) for series in found.series for one in series.measures}
    others = any(one.condition not in own for one in record.gates)
    several = len(found.series) > 1
    title = f"History of {', '.join(called(one) for one in found.series)}" if len(found.series) < 4 else "History"
    blocks: list[Block] = [
        Verdict(*headline(found), own=frozenset(own)),
        Heading(title, where=PAGE),
        *(verdicts(one, several) for one in found.series),
        *(block for one in found.series for block in moved(one, several)),
        *(Facts(list(facts(one, found)), where=PEOPLE | SUMMARY) for one in found.series),
        *([Facts(_said("Alert", found.alerts) + _said("Note", found.notes))] if found.alerts or found.notes else []),
        *([Gates()] if others else []),
        Notes([*found.alerts, *notes(found)], where=PAPER | JUNIT),
    ]
    return Layout(
        title,
        blocks,
        result.json_members,
        lambda: _rows(found),
        notes=[*found.alerts, *notes(found)],
        command="benchbench history check",
        drawn=page_of("history_check_page", result),
    )


def notes(found: CheckDetails) -> list[str]:
    """Return what stands below tables where no facts do."""
    several = len(found.series) > 1
    said = []
    for series in found.series:
        of = f"{called(series)}: " if several else ""
        said += [f"{of}{_with_p(one)}" for one in series.measures]
        said += [f"{of}Level: {level}." for level in [what_counts(series, found)] if level]
        said += [f"{of}Reference: {reference(series)}.", f"{of}Tested: {tested(series, found)}."]
        said += [f"{of}{one}." for one in series.left_out]
    return said + found.notes


def _with_p(found: MeasureDetails) -> str:
    return f"{found.sentence.removesuffix('.')} ({said})." if (said := sure(found)) else found.sentence


def _said(label: str, sentences: Sequence[str]) -> list[tuple[str, str]]:
    return [("" if place else label, one) for place, one in enumerate(sentences)]


def _rows(found: CheckDetails) -> Iterator[dict[str, Any]]:
    """Yield the rows of CSV: a row per measure."""
    of_test = ("difference", "low", "high", "p_queries", "p_runs")
    for series in found.series:
        for measure in series.measures:
            yield {
                "series": called(series),
                "run": series.judged.number,
                **{name: getattr(measure, name) for name in ("measure", "verdict", "reference", "value")},
                **{name: getattr(measure.decided, name, None) for name in of_test},
                "window": measure.decided and measure.decided.runs,
                **{name: getattr(measure, name) for name in ("level", "tested", "planned")},
                "since": measure.since and measure.since.number,
                "commit": measure.since and measure.since.commit,
                "before_commit": measure.before and measure.before.commit,
            }
