"""A run on a terminal: the verdict, a row per task, latency, what was removed, and what went wrong."""

from collections.abc import Sequence

from benchbench.measures.default_list import default_cutoffs, leading
from benchbench.measures.notation import measured, resolve
from benchbench.report.blocks import NARROW, TERMINAL, AnyCell, Block, Cell, Facts, Gates, Table, Text, Verdict
from benchbench.report.layouts import signatures
from benchbench.report.layouts.notes import note_rows
from benchbench.results.figures import interval
from benchbench.results.record import Record
from benchbench.runs.details import RunDetails, Value
from benchbench.runs.headline import few_requests, headline

BOUNDED = "*"
_REASONS = 5  # why queries failed, most frequent first
_FIRST = ("P", "R", "RR", "Success", "F1")  # of the default measures, beside nDCG


def blocks(record: Record, run: RunDetails, batch: int, wide: Table, facts: Sequence[tuple[str, str]]) -> list[Block]:
    """Return the blocks of a terminal.

    Parameters
    ----------
    record, run
        What was measured.
    batch
        Queries of a request.
    wide
        Every measure with its interval, which a wide terminal shows.
    facts
        What else there is to say.
    """
    reasons = list(run.failures.items())[:_REASONS]
    latency = [_latency(run, batch), *(f"! {one}" for one in (few_requests(run), run.bottleneck) if one)]
    return [
        Verdict(*headline(run, record.data.name)),
        *_narrow(run),
        wide,
        Gates(where=TERMINAL),
        Facts(
            [
                *(("" if number else "Latency", one) for number, one in enumerate(latency)),
                *facts,
                *(("Failed", f"{times:,} {'query' if times == 1 else 'queries'}: {why}") for why, times in reasons),
                *note_rows(note for note in record.notes if note.text != run.bottleneck),
                signatures.row(run.signature),
            ],
            where=TERMINAL,
        ),
    ]


def task_title(task: str) -> str:
    """Return the name of a task as a table has it."""
    return task[:1].upper() + task[1:]


def _latency(run: RunDetails, batch: int) -> str:
    speed = run.latency
    marks = {**speed.percentiles, "max": speed.max}
    times = ", ".join(f"{mark} {time:,.1f}" for mark, time in marks.items())
    return f"{times} ms per {unit(run, batch)} ({requests(run)})"


def unit(run: RunDetails, batch: int) -> str:
    """Return what has one latency: a request, or all pages of a query."""
    if run.timed < run.latency.requests:
        return "query, all its pages together"
    return f"request of {'1 query' if batch == 1 else f'{batch:,} queries'}"


def requests(run: RunDetails) -> str:
    """Return how many requests there were, and how many of them were asked again."""
    speed = run.latency
    retries = speed.attempts - speed.requests
    sent = "1 request" if speed.requests == 1 else f"{speed.requests:,} requests"
    retried = f", {retries:,} {'retry' if retries == 1 else 'retries'}" if retries else ""
    return f"{sent}{retried}"


def _narrow(run: RunDetails) -> list[Block]:
    """Return a row per task: the leading measure with its interval, and what else there is room for."""
    names = run.names
    if not names:
        return []
    lead, others = leading(names), _others(names)
    ends = {task: of[lead] for task, of in run.measures.items() if lead in of}
    between = any(one.low is not None for one in ends.values())
    head = ["Task", lead, *(["95 % interval"] if between else []), *others]
    rows: list[list[AnyCell]] = []
    for task, of in run.measures.items():
        one = ends.get(task)
        row: list[AnyCell] = [task_title(task), Cell(_shown(run, lead, one), strong=True)]
        row += [] if not between else [""] if one is None else [interval(one.low, one.high, 3)]
        rows.append([*row, *(_shown(run, name, of.get(name)) for name in others)])
    said = ["Every measure, with its interval: --wide."] if len(names) > 1 else []
    return [
        Table(head, rows, "l" + "r" * (len(head) - 1), where=NARROW, keeps=[0, *range(len(head) - 1)]),
        *([Text(said, where=NARROW)] if said else []),
    ]


def _shown(run: RunDetails, name: str, one: Value | None) -> str:
    return "" if one is None else f"{measured(name, one.value)}{mark(run, name)}"


def mark(run: RunDetails, name: str) -> str:
    """Return what stands behind the value of a measure that a limit of the service bounds."""
    return BOUNDED if name in run.bounded else ""


def _others(names: Sequence[str]) -> list[str]:
    """Return what is shown beside the leading measure: of the default ones a choice, else all."""
    lead = leading(names)
    cutoffs = default_cutoffs(resolve(names))
    if not cutoffs:
        return [name for name in names if name != lead]
    middle, deepest = cutoffs[len(cutoffs) // 2 if len(cutoffs) > 2 else 0], cutoffs[-1]
    return [f"{name}@{middle if name == 'P' else deepest}" for name in _FIRST]
