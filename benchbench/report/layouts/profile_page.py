"""The page of a profile: tools, or clients and stages, as bars with their ratios to benchbench."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from benchbench.profile.client import ClientProfile
from benchbench.profile.scoring_speed import MetricsProfile
from benchbench.report.blocks import Block, Facts, Table, Text
from benchbench.report.card_blocks import MeanRow, Means
from benchbench.report.layouts.page_parts import band, head, passed_gates, reproduce
from benchbench.report.layouts.profile import OURS, called, is_bound, request_time, seconds, tied, verdict
from benchbench.report.page_blocks import Folded, PageBlock, Section
from benchbench.results.figures import count, rounded, span_of, value
from benchbench.results.result import Result
from benchbench.tables.shared_messages import and_joined, counted

_WIDEST = 98.0  # percent of the scale, so that the dot at its end is whole


_STAGES = (("Stages", "Stages of reading an answer"), ("Others", "Other ways to read an answer"))


class _Bar(NamedTuple):
    """A figure, what it is compared with, and its value in each round."""

    name: str
    ratio: str
    figure: float | None
    rounds: Sequence[float]
    group: str = ""  # of bars that are compared, where there are several


def blocks(result: Result, shared: Sequence[Block]) -> list[Block | PageBlock | Means]:
    """Return the page: bars of what people compare, then the tables, those of clients and tools folded."""
    record = result.record
    is_scoring = "tools" in result.json_members()
    profile = result.details_as(MetricsProfile) if is_scoring else result.details_as(ClientProfile)
    sentence = next(block for block in shared if isinstance(block, Text))
    facts = [block for block in shared if isinstance(block, Facts)]
    second = _second_of_tools(profile) if isinstance(profile, MetricsProfile) else _second_of_clients(profile)
    made: list[Block | PageBlock | Means] = [
        head("profile", record, [profile.name], verdict(profile), [second], sentence.lines[1:]),
        *band(record),
    ]
    spread = f" Medians of {profile.rounds} rounds; the line goes from the lowest to the highest. Lower is better."
    sections = _tools(profile) if isinstance(profile, MetricsProfile) else _clients(profile)
    for place, (heading, how, rows) in enumerate(sections):
        if rows:
            made += [
                Section(f"part{place}", heading, heading, f"{how}{'' if place else spread}"),
                Means(rows, caption="Medians, and the range of the rounds"),
            ]
    tables = [block for block in shared if isinstance(block, Table)]
    about = [block for block in shared if isinstance(block, Text) and block is not sentence]
    first, *stages = zip(tables, about, strict=False)
    for (table, text), (name, heading) in zip(stages, _STAGES, strict=False):
        made += [Section(name.lower(), name, heading), table, text]
    made.append(Section("numbers", "Numbers", "All numbers"))
    made.append(Folded(f"By {first[0].head[0].lower()}", "", first))
    made += [*passed_gates(record), *facts, *reproduce(record, [])]
    return made


def _second_of_tools(profile: MetricsProfile) -> str:
    """Return the second evaluation, and whether all tools compute the same means."""
    again = [(row.tool, row.second_evaluation_s) for row in profile.tools if row.second_evaluation_s is not None]
    times = ", ".join(f"{tool} {seconds(took)}" for tool, took in again)
    said = [f"Scoring again, with the data in memory: {times}."] if again else []
    differing = [row.tool for row in profile.tools if row.agrees is False]
    if differing:
        said.append(f"The means of {and_joined(differing)} differ.")
    elif any(row.agrees and row.tool != OURS for row in profile.tools):
        said.append(f"All means agree within {max(row.tolerance for row in profile.tools):.6f}.")
    return " ".join(said)


def _second_of_clients(profile: ClientProfile) -> str:
    bounds = [ms for row in profile.clients if is_bound(row) and (ms := request_time(row)) is not None]
    least = f" Parsing and hashing alone, on one core, take {span_of(bounds)} ms." if bounds else ""
    answers = and_joined(tied(profile))
    overlapping = f" Of {answers} the ranges of the rounds overlap: a tie." if answers else ""
    return f"Time per request is wall time divided by requests.{overlapping}{least}"


def _tools(profile: MetricsProfile) -> Iterator[tuple[str, str, list[MeanRow]]]:
    for heading, how, unit, member in (
        ("Whole process", "From its start to its exit, with TREC files in memory already.", "s", "whole_process"),
        ("Scoring again", "With what a tool keeps in memory.", "s", "second_evaluation"),
        ("Peak memory", "Of the whole process; up to 20 MB of it is the process that starts the tools.", "MB", "peak"),
    ):
        name = f"{member}_{unit.lower()}"
        bars = []
        for row in profile.tools:
            rounds = [figure for turn in row.rounds if (figure := getattr(turn, name)) is not None]
            bars.append(_Bar(row.tool, _times(getattr(row, f"{member}_ratio")), getattr(row, name), rounds))
        yield heading, how, _rows(unit, bars)


def _clients(profile: ClientProfile) -> Iterator[tuple[str, str, list[MeanRow]]]:
    requests = profile.workload.queries / profile.workload.batch_size
    bars = []
    for row in profile.clients:
        ratio, rounds = "" if is_bound(row) else _times(row.ratio), [1e3 * took / requests for took in row.rounds]
        bars.append(_Bar(called(row), ratio, request_time(row), rounds, f"{row.answer}, {row.bytes / 1e3:,.0f} kB"))
    flight = counted(profile.workload.concurrency, "request")
    how = f"Wall time divided by requests; benchbench keeps {flight} in flight, the other clients 1."
    yield "Time per request", how, _rows("ms", bars)


def _times(ratio: float | None) -> str:
    return "" if ratio is None or ratio == 1.0 else f"{value(ratio, 1)} × benchbench"


def _text(figure: float, unit: str) -> str:
    return seconds(figure) if unit == "s" else f"{count(figure) if unit == 'MB' else rounded(figure, 3)} {unit}"


def _rows(unit: str, bars: Sequence[_Bar]) -> list[MeanRow]:
    """Return a bar per figure, on one scale from 0."""
    known = [bar for bar in bars if bar.figure is not None]
    most = max((end for bar in known for end in (bar.figure or 0.0, *bar.rounds)), default=0.0) or 1.0
    rows = []
    for name, ratio, figure, rounds, group in known:
        low, high = (_WIDEST * end(rounds) / most if rounds else None for end in (min, max))
        text = _text(figure or 0.0, unit).replace(" ", "\u00a0")
        ends = span_of(rounds, shown=lambda figure, _: _text(figure or 0.0, unit)) if rounds else ""
        about = ", ".join(filter(None, [ratio, ends]))
        hint, series = f"{group} {name} {text} {about}".strip(), name if group else ""
        rows.append(MeanRow(group or name, about, text, _WIDEST * (figure or 0.0) / most, low, high, hint, series))
    return rows
