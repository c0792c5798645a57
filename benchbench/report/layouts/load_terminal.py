"""A load test on a terminal: the verdict, a row per step, and the quality of all; cells that its tables share."""

import re
from collections.abc import Callable, Mapping, Sequence

from benchbench.loads.details import BOUNDED, LoadDetails, StepDetails
from benchbench.loads.headline import headline
from benchbench.measures.default_list import default_cutoffs, leading
from benchbench.measures.latency import BEYOND, enough
from benchbench.measures.notation import measured, resolve
from benchbench.report.blocks import NARROW, TERMINAL, AnyCell, Block, Cell, Table, Text, Verdict
from benchbench.report.layouts.run import percentage
from benchbench.report.render.lines import bar
from benchbench.results.figures import NOTHING, count, rounded, value
from benchbench.results.headline import best
from benchbench.tasks.count_sentences import bounded

FEW = "*"  # behind a percentile of few requests
MARKS = ("p50", "p90", "p95", "p99", "p99.9", "max")
_QUALITY = {"R": "R", "Success": "HitRate", "nDCG": "nDCG"}  # of the default measures
_Values = Mapping[str, float | None]
_BAR = 8
_KINDS = {"At once": r"concurrency ([\d,]+)", "Due/s": r"([\d,.]+) requests/s"}
_KEEPS = {"p50": 0, "p90": 5, "p95": 3, "p99": 0, "p99.9": 6, "max": 5}  # the highest is left out first


def blocks(found: LoadDetails, times: str) -> list[Block]:
    """Return what a terminal shows first; `times` says how long steps and warm-up were."""
    same = alike(found)
    return [
        Verdict(*headline(found)),
        *([_speed(found)] if found.steps else []),
        Text([f"Milliseconds per request of {_batches(found)}, no retries. {times}", *_caption(found)], where=TERMINAL),
        *([Text([f"Quality is the same in all steps: {same}."], where=NARROW)] if same else []),
    ]


def alike(found: LoadDetails) -> str:
    """Return the leading measure of each task, where all steps have the same; empty where they differ."""
    name = leading(names) if (names := found.names) else ""
    if not name or any(step.values.get("failed_requests") for step in found.steps):
        return ""
    of = [", ".join(f"{task} {name} {_mean(step, task, name)}" for task in found.tasks) for step in found.steps]
    return of[0] if of and len(set(of)) == 1 and NOTHING not in of[0].split() else ""


def _batches(found: LoadDetails) -> str:
    sizes = dict.fromkeys(start_of(step)[1] for step in found.steps)
    return "1 query" if list(sizes) == ["1"] else f"{' or '.join(sizes)} queries"


def _mean(step: StepDetails, task: str, name: str) -> str:
    return mean_of(step, "asked", task, name, measured)


def _speed(found: LoadDetails) -> Table:
    """Return a row per step, and below it one per other kind of latency."""
    steps = found.steps
    paces = [step.values.get("queries_per_second") for step in steps]
    most = max((one for one in paces if one is not None), default=0.0)
    lead = best(paces, "higher")
    batches = several_batches(found)
    named, loads = _loads([start_of(step)[0] for step in steps])
    rows: list[list[AnyCell]] = []
    for number, step in enumerate(steps):
        values, batch = step.values, start_of(step)[1]
        failed = share(values, "failed_requests")
        start: list[AnyCell] = [loads[number], *([batch] if batches else [])]
        start.append(Cell(whole(values, "queries_per_second"), strong=number in lead))
        start.append(bar((paces[number] or 0.0) / most if most else None, _BAR))
        rows.append([*start, "from due", *marks(values, ""), Cell(failed, tone="bad" if failed != "0" else ""),
                     share(values, "late"), Cell(_flag(step))])  # fmt: skip
        empty = [""] * len(start)
        if values.get("rate") is not None:
            rows.append([*empty, "from sent", *marks(values, "sent_"), "", "", ""])
        if (lost := values.get("failed_requests")) and values.get("answered_p50") is not None:
            answered = {**values, "requests": (values.get("requests") or 0.0) - lost}
            rows.append([*empty, "answered", *marks(answered, "answered_"), "", "", ""])
    head = [named, *(["Batch"] if batches else []), "Queries/s", f"0 … {most:,.0f}", "Latency", *MARKS]
    keeps = [0, *([0] if batches else []), 0, 4, 0, *_KEEPS.values(), 0, 4, 1]
    sides = ("l" if named == "Load" else "r") + "r" * batches + "rll" + "r" * len(MARKS) + "rrl"
    head += ["Failed", "Late", ""]
    if len(rows) == len(steps):  # all latencies are from due
        place = head.index("Latency")
        head, sides = [*head[:place], *head[place + 1 :]], sides[:place] + sides[place + 1 :]
        keeps, rows = [*keeps[:place], *keeps[place + 1 :]], [[*row[:place], *row[place + 1 :]] for row in rows]
    return Table(head, rows, sides, where=TERMINAL, keeps=keeps)


def several_batches(found: LoadDetails) -> bool:
    """Say that steps have batches of several sizes."""
    return len({start_of(step)[1] for step in found.steps}) > 1


def _loads(names: Sequence[str]) -> tuple[str, list[str]]:
    """Return the head of the column of loads, and what it has: numbers, where all loads are of one kind."""
    for head, pattern in _KINDS.items():
        if all(found := [re.fullmatch(pattern, name) for name in names]):
            return head, [one[1] for one in found if one]
    return "Load", list(names)


def _flag(step: StepDetails) -> str:
    """Return what makes the numbers of a step say less than they seem to."""
    if step.client_is_the_limit:
        return "! client"
    return f"! {step.saturation} saturation" if step.saturation in ("at", "beyond") else ""


def _caption(found: LoadDetails) -> list[str]:
    marked = any(FEW in text for step in found.steps for text in marks(step.values, ""))
    return [f"{FEW} rests on fewer than {BEYOND} requests above it."] if marked else []


def has_backlog(found: LoadDetails) -> bool:
    """Say that the number of requests under way was followed."""
    return found.loop == "open" and any("backlog_growth" in step.values for step in found.steps)


def start_of(step: StepDetails) -> list[str]:
    """Return the first two cells of a row: the load, and the batch size that its name ends in."""
    load, _, batch = step.name.rpartition(", batch ")
    return [load, batch]


def marks(values: _Values, prefix: str) -> list[str]:
    """Return the percentiles of one kind of latency, and the maximum."""
    return [time(values, f"{prefix}{mark}") + few(values, mark, prefix) for mark in MARKS]


def few(values: _Values, mark: str, prefix: str = "") -> str:
    """Return the mark of a percentile that rests on few requests."""
    requests, percent = values.get("requests"), mark.removeprefix("p")
    if mark == percent or requests is None or values.get(f"{prefix}{mark}") is None:
        return ""
    return "" if enough(float(percent), requests) else FEW


def time(values: _Values, name: str) -> str:
    """Return milliseconds."""
    return value(values.get(name), 1)


def mean_of(
    step: StepDetails, over: str, task: str, measure: str, how: Callable[[str, float | None], str] = percentage
) -> str:
    """Return the mean of a measure over the queries asked, or over those answered."""
    return how(measure, step.values.get(f"{over}.{task}.{measure}"))


def whole(values: _Values, name: str) -> str:
    """Return a whole number."""
    return count(values.get(name))


def pace(values: _Values, name: str) -> str:
    """Return a number per second."""
    return rounded(values.get(name))


def share(values: _Values, name: str) -> str:
    """Return a count of requests out of all, or 0."""
    return f"{whole(values, name)} of {whole(values, 'requests')}" if values.get(name) else "0"


def measures_of(found: LoadDetails) -> dict[str, str]:
    """Return the measures that are shown, by what they are called: of the default ones some at the deepest cut-off."""
    known = found.names
    cutoffs = default_cutoffs(resolve(known), averaged=True)
    shown = {name: name for name in known}
    if cutoffs:
        shown = {f"{title}@{cutoffs[-1]}": f"{name}@{cutoffs[-1]}" for name, title in _QUALITY.items()}
    low = bounded(found.counts, known)
    return {f"{title}{BOUNDED if name in low else ''}": name for title, name in shown.items()}
