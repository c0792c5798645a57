"""A profile, of scoring or of the client: one row per tool, one column per figure."""

from collections.abc import Sequence
from dataclasses import asdict
from itertools import chain
from typing import Any

from benchbench.profile.client import ClientProfile
from benchbench.profile.scoring_speed import MetricsProfile, ToolRow
from benchbench.profile.stages import Stage
from benchbench.report.blocks import EVERYWHERE, Block, Table, Text
from benchbench.report.layout import Layout
from benchbench.report.layouts.columns import Column, table_of
from benchbench.report.standard import standard
from benchbench.results.figures import NOTHING, count, value
from benchbench.results.headline import Headline
from benchbench.results.result import Result

_TOOLS = (
    Column("Tool", lambda row: row.tool),
    Column("Whole process, s", lambda row: value(row.whole_process_s, 2), "r"),
    Column("x ours", lambda row: value(row.whole_process_ratio, 1), "r", 1),
    Column("Second evaluation, s", lambda row: value(row.second_evaluation_s), "r", 2),
    Column("x ours", lambda row: value(row.second_evaluation_ratio, 1), "r", 3),
    Column("Peak, MB", lambda row: count(row.peak_mb), "r", 4),
    Column("x ours", lambda row: value(row.peak_ratio, 1), "r", 5),
    Column("Means", lambda row: _means(row)),
)
_CLIENTS = (
    Column("Answer", lambda row: f"{row.answer}, {row.bytes / 1e3:,.0f} kB"),
    Column("Client", lambda row: row.client),
    Column("Requests/s", lambda row: count(row.requests_per_s), "r"),
    Column("Queries/s", lambda row: count(row.queries_per_s), "r", 2),
    Column("MB/s", lambda row: count(row.requests_per_s and row.requests_per_s * row.bytes / 1e6), "r", 3),
    Column("Time, x ours", lambda row: value(row.ratio, 2), "r", 1),
    Column("", lambda row: "not measured" if row.failure else ""),
)
_ON_TOOLS = (
    "Whole process: from its start to its exit, TREC files in memory already, twelve means printed.",
    "Second evaluation: of what the tool keeps in memory after the first, in a separate process.",
    "Peak: 10^6 bytes of the whole process; about 20 MB may be the process that starts the tools.",
    "Each tool uses as many cores as it does by default. Means: how close they are to ours.",
)
_ON_CLIENTS = (
    "Time, x ours: how many times as long as benchbench a client takes for the same requests.",
    "Each client has one process; benchbench keeps several requests in flight, and does all that it does in a run.",
    "No network: the time of one core to parse the same answers and to hash their texts, without any request.",
    "The service runs on the same machine and shares its cores.",
)
_ON_STAGES = (
    "Transport: a request is made and sent, and its answer read and dropped, with as many requests in flight as above.",
    "The others: our client reads one answer after the other on one core, and the hits are judged by the tasks.",
    "Sum: of the stages above it. Beside it: orjson.loads, the same bytes parsed to Python objects, and nothing else; "
    "objects, the answer read hit by hit from such objects, as our client reads an unusual one, without a request; and "
    "whole client, benchbench in the table above, which judges nothing, for one answer.",
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
        f"{size.queries:,} queries x {size.depth:,} hits, {size.judged:,} judged, {len(size.measures)} measures "
        f"({', '.join(size.measures)}), median of {profile.rounds} in turn"
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
        f"{size.concurrency:,} requests in flight (benchbench); median of {profile.rounds} in turn"
    )
    return (
        work,
        [table_of(_CLIENTS, profile.clients), Text(_ON_CLIENTS), *_staged(profile)],
        {"service": profile.service, **asdict(size)},
    )


def _staged(profile: ClientProfile) -> list[Block]:
    """Return a table with a row per stage and two columns per answer; none where stages were not measured."""
    answers = {row.answer: row.bytes for row in profile.stages}
    cells = {(row.stage, row.answer): row for row in profile.stages if not row.failure}
    if not answers:
        return []
    head = ["Stage"]
    for answer, size in answers.items():
        head += [f"{answer}, {size / 1e3:,.0f} kB: µs", "µs/hit"]
    rows = []
    for stage in dict.fromkeys(stage for stage, _ in cells):
        figures = [cells.get((stage, answer)) for answer in answers]
        rows.append([stage, *chain.from_iterable(map(_times, figures))])
    return [Table(head, rows, "l" + "rr" * len(answers)), Text(_ON_STAGES)]


def verdict(profile: MetricsProfile | ClientProfile) -> str:
    """Return how many times as long as benchbench each of the others takes."""
    if isinstance(profile, MetricsProfile):
        others = [(row.tool, row.whole_process_ratio) for row in profile.tools]
    else:
        others = [(f"{row.client} ({row.answer})", row.ratio) for row in profile.clients]
    ratios = [f"{name} {ratio:,.1f}" for name, ratio in others if ratio is not None and ratio != 1.0]
    start = f"{profile.name.capitalize()}: times as long as benchbench takes: "
    return f"{start}{', '.join(ratios)}." if ratios else f"{profile.name.capitalize()}: benchbench was measured alone."


def _means(row: ToolRow) -> str:
    if row.failure:
        return "not measured"
    if row.agrees is None:
        return NOTHING
    return f"agree to {row.tolerance:.0e}" if row.agrees else f"differ by {row.largest_difference:.0e}"


def _times(row: Stage | None) -> tuple[str, str]:
    if row is None:
        return NOTHING, NOTHING
    return value(row.us_per_answer, 1), value(row.us_per_hit, 3)
