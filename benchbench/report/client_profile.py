"""The profile of the client as a table: answers and clients down, figures across."""

from benchbench.profile.client import Profile, Row
from benchbench.report.sheet import Sheet, figure

_HEAD = ("Answer", "Client", "Requests/s", "Queries/s", "MB/s", "Time, x ours", "")
_NOTES = (
    "Time, x ours: how many times as long as benchbench a client takes for the same requests.",
    "Each client has one process; benchbench keeps several requests in flight, and does all that it does in a run.",
    "No network: what one core takes to parse the same answers, and to hash their texts, without asking anybody.",
    "The service runs on the same machine, and takes its share of it.",
)


def sheet(profile: Profile) -> Sheet:
    """Return what is printed of a profile."""
    size = profile.workload
    about = {"machine": str(profile.machine), "date": profile.machine.date, "service": profile.service}
    return Sheet(
        str(profile.machine),
        f"{size.queries:,} queries, {size.batch_size:,} a request, {size.hits:,} hits each, from {profile.service}; "
        f"{size.concurrency:,} requests in flight (benchbench); median of {profile.rounds} in turn",
        _HEAD,
        "llrrrrl",
        [_line(row) for row in profile.rows],
        _NOTES,
        {
            "machine": profile.machine._asdict(),
            "service": profile.service,
            "workload": size._asdict(),
            "rounds": profile.rounds,
            "clients": [row._asdict() for row in profile.rows],
        },
        [
            {key: value for key, value in row._asdict().items() if key != "rounds"}
            | {"rounds": len(row.rounds)}
            | about
            | size._asdict()
            for row in profile.rows
        ],
    )


def _line(row: Row) -> list[str]:
    speed = None if row.requests_per_s is None else row.requests_per_s * row.bytes / 1e6
    return [
        f"{row.answer}, {row.bytes / 1e3:,.0f} kB",
        row.client,
        figure(row.requests_per_s, "{:,.0f}"),
        figure(row.queries_per_s, "{:,.0f}"),
        figure(speed, "{:,.0f}"),
        figure(row.ratio, "{:,.2f}"),
        f"not measured: {row.failure}" if row.failure else "",
    ]
