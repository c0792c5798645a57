"""The profile of scoring as a table: tools down, figures across."""

from typing import Any

from benchbench.profile.metrics import Profile, Row
from benchbench.report.sheet import Sheet, figure

_HEAD = ("Tool", "Whole process, s", "x ours", "Second evaluation, s", "x ours", "Peak, MB", "x ours", "Means")
_NOTES = (
    "Whole process: from its start to its exit, TREC files in memory already, twelve means printed.",
    "Second evaluation: of what the tool keeps in memory after the first, in a process of its own.",
    "Peak: 10^6 bytes of the whole process; one of some 20 MB may be that of the process that starts the tools.",
    "Each tool uses the cores that it uses by itself. Means: how close they are to ours.",
)


def sheet(profile: Profile) -> Sheet:
    """Return what is printed of a profile."""
    size = profile.workload
    return Sheet(
        str(profile.machine),
        f"{size.queries:,} queries x {size.depth:,} hits, {size.judged:,} judged, {len(profile.measures)} measures "
        f"({', '.join(profile.measures)}), median of {profile.rounds} in turn",
        _HEAD,
        "lrrrrrrl",
        _body(profile),
        _NOTES,
        {
            "machine": profile.machine._asdict(),
            "workload": size._asdict() | {"measures": profile.measures},
            "rounds": profile.rounds,
            "tools": [row._asdict() | {"rounds": [one._asdict() for one in row.rounds]} for row in profile.rows],
        },
        _flat(profile),
    )


def _body(profile: Profile) -> list[list[str]]:
    return [
        [
            row.tool,
            figure(row.whole_process_s, "{:,.2f}"),
            figure(row.whole_process_ratio, "{:,.1f}"),
            figure(row.second_evaluation_s, "{:,.4f}"),
            figure(row.second_evaluation_ratio, "{:,.1f}"),
            figure(row.peak_mb, "{:,.0f}"),
            figure(row.peak_ratio, "{:,.1f}"),
            _means(row),
        ]
        for row in profile.rows
    ]


def _means(row: Row) -> str:
    if row.failure:
        return f"not measured: {row.failure}"
    if row.agrees is None:
        return "-"
    return f"agree to {row.tolerance:.0e}" if row.agrees else f"differ by {row.largest_difference:.0e}"


def _flat(profile: Profile) -> list[dict[str, Any]]:
    about = {"machine": str(profile.machine), "date": profile.machine.date, **profile.workload._asdict()}
    return [
        {key: value for key, value in row._asdict().items() if key != "rounds"} | {"rounds": len(row.rounds)} | about
        for row in profile.rows
    ]
