"""A profile, printed: tools down, figures across."""

import csv
import io
from collections.abc import Callable
from typing import Any

import orjson

from benchbench.profile.metrics import Profile, Row
from benchbench.report.columns import plain

_HEAD = ("Tool", "Whole process, s", "x ours", "Second evaluation, s", "x ours", "Peak, MB", "x ours", "Means")
_NOTES = (
    "Whole process: from its start to its exit, TREC files in memory already, twelve means printed.",
    "Second evaluation: of what the tool keeps in memory after the first, in a process of its own.",
    "Peak: 10^6 bytes of the whole process; one of some 20 MB may be that of the process that starts the tools.",
    "Each tool uses the cores that it uses by itself. Means: how close they are to ours.",
)


def text(profile: Profile) -> str:
    """Return the machine, the workload and a table, with what its columns mean."""
    return "\n".join([str(profile.machine), _sized(profile), "", plain(_HEAD, _body(profile)), "", *_NOTES, ""])


def json(profile: Profile) -> str:
    """Return the whole result as one JSON value, the figures of each round with it."""
    value = {
        "machine": profile.machine._asdict(),
        "workload": profile.workload._asdict() | {"measures": profile.measures},
        "rounds": profile.rounds,
        "tools": [row._asdict() | {"rounds": [one._asdict() for one in row.rounds]} for row in profile.rows],
    }
    return orjson.dumps(value, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE).decode()


def json_lines(profile: Profile) -> str:
    """Return a JSON object a tool, each with machine and workload."""
    return "".join(orjson.dumps(flat).decode() + "\n" for flat in _flat(profile))


def comma_separated(profile: Profile) -> str:
    """Return a row a tool, each with machine and workload; figures are whole, and empty where there is none."""
    file = io.StringIO()
    rows = _flat(profile)
    writer = csv.DictWriter(file, list(rows[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return file.getvalue()


def markdown(profile: Profile) -> str:
    """Return the table in Markdown, below machine and workload."""
    lines = [_HEAD, ["---", *["---:"] * (len(_HEAD) - 2), "---"], *_body(profile)]
    table = "".join(f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in line)} |\n" for line in lines)
    return f"{profile.machine}\n\n{_sized(profile)}\n\n{table}"


def latex(profile: Profile) -> str:
    """Return the table as a LaTeX tabular (package booktabs), with machine and workload in comments."""
    lines = [" & ".join(map(_escaped, line)) + r" \\" for line in [list(_HEAD), *_body(profile)]]
    columns = "l" + "r" * (len(_HEAD) - 2) + "l"
    return "\n".join(
        [
            f"% {profile.machine}",
            f"% {_sized(profile)}",
            rf"\begin{{tabular}}{{{columns}}}",
            r"\toprule",
            lines[0],
            r"\midrule",
            *lines[1:],
            r"\bottomrule",
            r"\end{tabular}",
            "",
        ]
    )


def _sized(profile: Profile) -> str:
    size = profile.workload
    return (
        f"{size.queries:,} queries x {size.depth:,} hits, {size.judged:,} judged, {len(profile.measures)} measures "
        f"({', '.join(profile.measures)}), median of {profile.rounds} in turn"
    )


def _body(profile: Profile) -> list[list[str]]:
    return [
        [
            row.tool,
            _shown(row.whole_process_s, "{:,.2f}"),
            _shown(row.whole_process_ratio, "{:,.1f}"),
            _shown(row.second_evaluation_s, "{:,.4f}"),
            _shown(row.second_evaluation_ratio, "{:,.1f}"),
            _shown(row.peak_mb, "{:,.0f}"),
            _shown(row.peak_ratio, "{:,.1f}"),
            _means(row),
        ]
        for row in profile.rows
    ]


def _shown(value: float | None, how: str) -> str:
    return "-" if value is None else how.format(value)


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


def _escaped(cell: str) -> str:
    return "".join("\\" + c if c in "&%$#_{}" else c for c in cell)


FORMATS: dict[str, Callable[[Profile], str]] = {
    "text": text,
    "json": json,
    "jsonl": json_lines,
    "csv": comma_separated,
    "markdown": markdown,
    "latex": latex,
}
