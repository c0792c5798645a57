"""A profile, of scoring or of the client: one row per tool, one column per figure."""

from collections.abc import Sequence
from dataclasses import asdict
from itertools import chain
from typing import Any

from benchbench.profile.client import ClientProfile, ClientRow
from benchbench.profile.scoring_speed import MetricsProfile, ToolRow
from benchbench.profile.stages import OTHERS, Stage
from benchbench.report.blocks import EVERYWHERE, Block, Table, Text
from benchbench.report.layout import Layout
from benchbench.report.layouts.columns import Column, table_of
from benchbench.report.standard import standard
from benchbench.results.figures import NOTHING, count, span_of, time, times_as, value
from benchbench.results.headline import Headline
from benchbench.results.result import Result
from benchbench.tables.shared_messages import and_joined, counted

OURS = "benchbench"
_BOUND = "no network: "  # how the client begins that asks nothing
_TOOLS = (
    Column("Tool", lambda row: row.tool),
    Column("Whole process, s", lambda row: value(row.whole_process_s, 2), "r"),
    Column("ratio", lambda row: value(row.whole_process_ratio, 1), "r", 1),
    Column("Scoring again", lambda row: seconds(row.second_evaluation_s), "r", 2),
    Column("ratio", lambda row: value(row.second_evaluation_ratio, 1), "r", 3),
    Column("Peak, MB", lambda row: count(row.peak_mb), "r", 4),
    Column("ratio", lambda row: value(row.peak_ratio, 1), "r", 5),
    Column("Means", lambda row: _means(row)),
)
_CLIENTS = (
    Column("Answer", lambda row: f"{row.answer}, {row.bytes / 1e3:,.0f} kB"),
    Column("Client", lambda row: called(row)),
    Column("Requests/s", lambda row: count(row.requests_per_s), "r"),
    Column("Queries/s", lambda row: count(row.queries_per_s), "r", 2),
    Column("MB/s", lambda row: count(row.requests_per_s and row.requests_per_s * row.bytes / 1e6), "r", 3),
    Column("Time, ratio", lambda row: NOTHING if is_bound(row) else value(row.ratio, 1), "r", 1),
    Column("", lambda row: "not measured" if row.failure else ""),
)
_ON_TOOLS = (
    "Whole process: from its start to its exit, TREC files in memory already, twelve means printed.",
    "Scoring again: with what the tool keeps in memory, in a separate process.",
    "Peak: 10^6 bytes of the whole process; up to 20 MB of it is the process that starts the tools.",
    "Ratio: to benchbench, to which means are compared. Each tool uses as many cores as it does by default.",
)
_ON_CLIENTS = (
    "Time, ratio: how many times as long as benchbench a client takes for the same requests.",
    "Each client has one process; benchbench keeps several requests in flight and does all that it does in a run.",
    "Reference: the time of one core to parse the same answers and to hash their texts, without any request.",
    "The service runs on the same machine and shares its cores.",
)
_ON_STAGES = (
    "Transport: sending a request and reading its answer, without parsing, with as many requests in flight as above.",
    "The other stages: one core reads one answer after the other, and judges the hits by the tasks.",
)
_ON_OTHERS = (
    "orjson.loads: parsing the same bytes to Python objects. Objects: reading hit by hit from such objects.",
    "Whole client: benchbench in the table of clients. It judges nothing and sends requests while it reads answers, so "
    "it may take less than the sum.",
)


def layout(result: Result) -> Layout:
    """Return machine, workload, the table, and what its columns mean."""
    is_scoring = "tools" in result.json_members()
    profile = result.details_as(MetricsProfile) if is_scoring else result.details_as(ClientProfile)
    work, tables, about = _scoring(profile) if isinstance(profile, MetricsProfile) else _asking(profile)
    about = {"machine": str(profile.machine), "date": profile.machine.date, **about}
    rows = (*profile.rows, *getattr(profile, "stages", ()))
    title = f"benchbench profile {profile.name}"
    return standard(
        result,
        title,
        Headline([("", verdict(profile))]),
        [Text([str(profile.machine), work], where=EVERYWHERE), *tables],
        rows=lambda: [{**asdict(row), "rounds": len(row.rounds), **about} for row in rows],
        command=title,
        page="profile_page",
    )


_Shown = tuple[str, Sequence[Block], dict[str, Any]]  # the workload in words, tables, and what is the same in all rows


def _scoring(profile: MetricsProfile) -> _Shown:
    size = profile.workload
    work = (
        f"{size.queries:,} queries × {size.depth:,} hits, {size.judged:,} judged documents per query, "
        f"{len(size.measures)} measures ({', '.join(size.measures)}), median of {profile.rounds} rounds, tools in turn"
    )
    return (
        work,
        [table_of(_TOOLS, profile.tools), Text(_ON_TOOLS)],
        {name: value for name, value in asdict(size).items() if name != "measures"},
    )


def _asking(profile: ClientProfile) -> _Shown:
    size = profile.workload
    work = (
        f"{size.queries:,} queries, {size.batch_size:,} per request, {size.hits:,} hits each, from {profile.service}; "
        f"{size.concurrency:,} requests in flight (benchbench), one at a time (others); median of "
        f"{profile.rounds} rounds, clients in turn"
    )
    return (
        work,
        [table_of(_CLIENTS, profile.clients), Text(_ON_CLIENTS), *_staged(profile)],
        {"service": profile.service, **asdict(size)},
    )


def _staged(profile: ClientProfile) -> list[Block]:
    """Return tables with a row per stage, and per what they compare with, and two columns per answer.

    None where stages were not measured.
    """
    answers = {row.answer: row.bytes for row in profile.stages}
    cells = {(row.stage, row.answer): row for row in profile.stages if not row.failure}
    if not answers:
        return []
    head = [""]
    for answer, size in answers.items():
        head += [f"{answer}, {size / 1e3:,.0f} kB: µs", "µs/hit"]
    made: list[Block] = []
    for name, is_other, texts in (("Stage", False, _ON_STAGES), ("Other way", True, _ON_OTHERS)):
        rows = []
        for stage in dict.fromkeys(stage for stage, _ in cells if (stage in OTHERS) == is_other):
            figures = [cells.get((stage, answer)) for answer in answers]
            rows.append([stage, *chain.from_iterable(map(_times, figures))])
        if rows:
            made += [Table([name, *head[1:]], rows, "l" + "rr" * len(answers)), Text(texts)]
    return made


def is_bound(row: ClientRow) -> bool:
    """Say that a row is no client: it asks nothing, and parses and hashes alone."""
    return row.client.startswith(_BOUND)


def called(row: ClientRow) -> str:
    """Return what people call a client."""
    return f"reference: {row.client.removeprefix(_BOUND)}" if is_bound(row) else row.client


def request_time(row: ClientRow) -> float | None:
    """Return the milliseconds of a request: wall time over requests."""
    return 1e3 / row.requests_per_s if row.requests_per_s else None


def verdict(profile: MetricsProfile | ClientProfile) -> str:
    """Return how long benchbench takes, and how many times as fast as each of the others that is."""
    if isinstance(profile, MetricsProfile):
        return _scoring_verdict(profile)
    times = [request_time(row) for row in profile.clients if row.client == OURS]
    ties, ratios = tied(profile), dict[str, list[float]]()
    for row in profile.clients:
        if row.client != OURS and row.ratio is not None and not is_bound(row):
            ratios.setdefault(row.client, []).extend([] if row.answer in ties else [row.ratio])
    ways = {name: f"{span_of(of, 1, value)} times as" if of else "about as" for name, of in ratios.items()}
    faster = [f"{way} fast as {name}" for name, way in ways.items()]
    took = f"benchbench takes {span_of([ms for ms in times if ms is not None])} ms per request"
    flight = f", with {counted(profile.workload.concurrency, 'request')} in flight against 1"
    return f"{took}, {and_joined(faster)}{flight}." if faster else f"{took}; no other client was measured."


def tied(profile: ClientProfile) -> list[str]:
    """Return the kinds of answer for which the rounds of benchbench and of another client overlap."""
    ours = {row.answer: row.rounds for row in profile.clients if row.client == OURS}
    others = [row for row in profile.clients if row.client != OURS and not is_bound(row)]
    return list(dict.fromkeys(row.answer for row in others if overlap(ours.get(row.answer, ()), row.rounds)))


def overlap(ours: Sequence[float], theirs: Sequence[float]) -> bool:
    """Say that the ranges of two sets of rounds overlap, so that neither is surely faster."""
    return bool(ours and theirs) and min(ours) <= max(theirs) and min(theirs) <= max(ours)


def _scoring_verdict(profile: MetricsProfile) -> str:
    (ours,) = (row for row in profile.tools if row.tool == OURS)
    took = f"benchbench scores this run in {seconds(ours.whole_process_s)}"
    others = [
        f"{_compared(row, ours)} as {row.tool} ({seconds(row.whole_process_s)})"
        for row in profile.tools
        if row.tool != OURS and row.whole_process_ratio is not None
    ]
    return f"{took}, {and_joined(others)}." if others else f"{took}; no other tool was measured."


def _compared(row: ToolRow, ours: ToolRow) -> str:
    """Return how many times as fast, or where it is slower as long; the same where the ranges of rounds overlap."""
    ratio = row.whole_process_ratio or 1.0
    if overlap(*([turn.whole_process_s for turn in tool.rounds] for tool in (ours, row))):
        return "about as fast"
    return f"{times_as(ratio)} fast" if ratio >= 1.0 else f"{times_as(1.0 / ratio)} long"


def seconds(number: float | None) -> str:
    """Return a time, in milliseconds where it is short."""
    if number is None:
        return NOTHING
    return time(1e3 * number) if number < 0.1 else f"{value(number, 2)} s"


def _means(row: ToolRow) -> str:
    if row.failure:
        return "not measured"
    if row.tool == OURS:
        return "reference"
    if row.agrees is None:
        return NOTHING
    return f"agree within {row.tolerance:.6f}" if row.agrees else f"differ by {row.largest_difference:.0e}"


def _times(row: Stage | None) -> tuple[str, str]:
    if row is None:
        return NOTHING, NOTHING
    return value(row.us_per_answer, 1), value(row.us_per_hit, 3)
