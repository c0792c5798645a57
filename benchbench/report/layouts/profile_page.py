"""The page of a profile: tools, or clients and stages, as bars with their ratios to benchbench."""

from collections.abc import Iterator, Sequence

from benchbench.profile.client import ClientProfile
from benchbench.profile.scoring_speed import MetricsProfile
from benchbench.report.blocks import Block, Facts, Table, Text
from benchbench.report.card_blocks import MeanRow, Means
from benchbench.report.layouts.page_parts import band, head, passed_gates, reproduce
from benchbench.report.layouts.profile import verdict
from benchbench.report.page_blocks import Folded, PageBlock, Section
from benchbench.results.figures import time, value
from benchbench.results.result import Result

_Bar = tuple[str, float | None, float | None]  # name, figure, ratio to that of benchbench


def blocks(result: Result, shared: Sequence[Block]) -> list[Block | PageBlock | Means]:
    """Return the page; of what other formats have it folds the tables, each with the texts on its columns."""
    record = result.record
    is_scoring = "tools" in result.json_members()
    profile = result.details_as(MetricsProfile) if is_scoring else result.details_as(ClientProfile)
    sentence = next(block for block in shared if isinstance(block, Text))
    facts = [block for block in shared if isinstance(block, Facts)]
    made: list[Block | PageBlock | Means] = [
        head("profile", record, [profile.name], verdict(profile), notes=sentence.lines),
        *band(record),
    ]
    sections = _tools(profile) if isinstance(profile, MetricsProfile) else _clients(profile)
    for place, (heading, how, unit, bars) in enumerate(sections):
        if rows := _rows(unit, bars):
            made += [Section(f"part{place}", heading, heading, how), Means(rows)]
    tables = [block for block in shared if isinstance(block, Table)]
    about = [block for block in shared if isinstance(block, Text) and block is not sentence]
    made.append(Section("numbers", "Numbers", "All numbers"))
    made += [Folded(f"By {table.head[0].lower()}", "", [table, *about[at : at + 1]]) for at, table in enumerate(tables)]
    made += [*passed_gates(record), *facts, *reproduce(record, [])]
    return made


def _tools(profile: MetricsProfile) -> Iterator[tuple[str, str, str, list[_Bar]]]:
    tools = profile.tools
    yield (
        "Whole process",
        "From its start to its exit: shorter is better.",
        "s",
        [(tool.tool, tool.whole_process_s, tool.whole_process_ratio) for tool in tools],
    )
    yield (
        "Second evaluation",
        "Of what a tool keeps in memory after the first.",
        "s",
        [(tool.tool, tool.second_evaluation_s, tool.second_evaluation_ratio) for tool in tools],
    )
    yield (
        "Peak memory",
        "Of the whole process: less is better.",
        "MB",
        [(tool.tool, tool.peak_mb, tool.peak_ratio) for tool in tools],
    )


def _clients(profile: ClientProfile) -> Iterator[tuple[str, str, str, list[_Bar]]]:
    for answer in dict.fromkeys(row.answer for row in profile.clients):
        rows = [row for row in profile.clients if row.answer == answer]
        bars: list[_Bar] = [
            (row.client, 1e3 / row.requests_per_s if row.requests_per_s else None, row.ratio) for row in rows
        ]
        how = f"Time per request, answers of {rows[0].bytes / 1e3:,.0f} kB: shorter is better."
        yield f"Clients, {answer}", how, "ms", bars
    for answer in dict.fromkeys(row.answer for row in profile.stages):
        stages: list[_Bar] = [(row.stage, row.us_per_answer, None) for row in profile.stages if row.answer == answer]
        yield f"Stages, {answer}", "Time of each stage per answer.", "µs", stages


def _rows(unit: str, bars: Sequence[_Bar]) -> list[MeanRow]:
    """Return a bar per figure, on one scale from 0."""
    known = [(name, figure, ratio) for name, figure, ratio in bars if figure is not None]
    most = max((figure for _, figure, _ in known), default=0.0)
    rows = []
    for name, figure, ratio in known:
        text = time(1e3 * figure) if unit == "s" else f"{value(figure, 3 if figure < 1 else 1)} {unit}"
        times = "" if ratio is None or ratio == 1.0 else f"{value(ratio, 1)} × benchbench"
        hint = f"{name} {text} {times}".strip()
        rows.append(MeanRow(name, times, text, 100 * figure / (most or 1.0), None, None, hint))
    return rows
