"""A load test on a terminal: which rate the service keeps up with, and a row per step."""

from collections.abc import Iterator, Sequence

from benchbench.loads.load_details import LoadDetails, StepDetails
from benchbench.loads.load_options import NEVER_SENT
from benchbench.loads.rates_held import CLIENT, Held
from benchbench.measures.latency import enough
from benchbench.measures.notation import measured
from benchbench.report.blocks import EXTRA, NARROW, AnyCell, Block, Cell, Text
from benchbench.report.layouts.columns import Column, table_of
from benchbench.report.layouts.load_words import OVER, done_of, is_behind, limit_of, lost, rate_of, trouble
from benchbench.report.render.lines import cut
from benchbench.results.figures import count, span_of, time, value
from benchbench.results.headline import GOOD, OPEN, WORSE
from benchbench.tables.shared_messages import capital, counted

_REASON = 24  # columns of why requests of a step failed


def kept_up(size: Held, several: bool) -> Iterator[tuple[str, str]]:
    """Yield the highest rate that is kept up with, and where the service falls behind; with marks."""
    of = f" of {size.batch_size} queries" if several or size.batch_size > 1 else ""
    if (step := size.held) is None:
        yield _falls(size.steps[0], size, of)
        return
    fails = ", ".join(lost(step, now=False)) or "none failed"
    yield GOOD, f"Keeps up with {rate_of(step)} requests/s{of}: {_slowest(step, size)}{limit_of(size)}, {fails}."
    if size.refused is not None:
        yield _falls(size.refused, size, of)


def _falls(step: StepDetails, size: Held, of: str) -> tuple[str, str]:
    """Return what happens at a rate that is not kept up with."""
    at, fault = f"{rate_of(step)} requests/s{of}", trouble(step, size)
    if any(reason.startswith(CLIENT) for reason in size.why(step)):
        return OPEN, f"At {at} the client could not send all requests, so the service may be faster."
    parts = lost(step)
    if not step.answered_none:
        parts += [f"answers {done_of(step)}/s"] if is_behind(step) else []
        parts.append(_slowest(step, size) + limit_of(size) * (fault == OVER))
    begin = f"{capital(fault)} already at {at}" if size.held is None else f"At {at} it {fault}"
    return WORSE, f"{begin}: {', '.join(parts)}."


def _slowest(step: StepDetails, size: Held) -> str:
    return f"{size.slow_name(step).removeprefix('the ')} {time(size.slow(step))}"


def steps_tables(load: LoadDetails, sizes: Sequence[Held]) -> Iterator[Block]:
    """Yield a row per step, without columns that nothing stands in, and over what its quality is."""
    if not load.steps:
        return
    is_open = load.loop == "open"
    several = len({step.values.get("batch_size") for step in load.steps}) > 1
    same = alike(load)
    levels = "Requests/s" if is_open else "At once"
    queries = several or any(step.number("batch_size") > 1 for step in load.steps)
    notes = {id(step): _note(step, sizes) for step in load.steps}
    single = {id(size.held) for size in sizes}
    failed, unsent = (any(getattr(step, name) for step in load.steps) for name in ("failed", "unsent"))

    def level(step: StepDetails) -> AnyCell:
        shown = rate_of(step) if step.level else step.name
        return Cell(shown, strong=id(step) in single, tone="bad" if step.number("failed_requests") else "")

    def percentile(mark: str, keep: int) -> Column:
        percent = float(mark.removeprefix("p"))

        def cell(step: StepDetails) -> str:
            few = "" if enough(percent, step.number("requests")) else "*"
            return f"{value(step.values.get(mark), 1)}{few}"

        return Column(f"{mark} ms", cell, "r", keep)

    columns = [
        Column(levels if all(step.level for step in load.steps) else "Load", level, "r"),
        Column("Batch", lambda step: count(step.values.get("batch_size")), "r") if several else None,
        Column("answered" if is_open else "Requests/s", done_of, "r", 1),
        Column("queries/s", lambda step: count(step.values.get("queries_per_second")), "r", 1) if queries else None,
        percentile("p50", 0),
        percentile("p90", EXTRA),
        percentile("p99", 0),
        Column("failed", lambda step: count(step.failed) if step.failed else "", "r") if failed else None,
        Column("not sent", lambda step: count(step.unsent) if step.unsent else "", "r") if unsent else None,
        *(_quality(load, task, 3 + place) for place, task in enumerate(load.tasks) if load.leading and not same),
        Column("Note", lambda step: notes[id(step)]) if any(note.text for note in notes.values()) else None,
    ]
    yield table_of(columns, load.steps, where=NARROW)
    if same:
        yield Text([f"Quality is the same in all steps: {same}."], where=NARROW)
    asked = [step.number("queries_asked") for step in load.steps if load.is_part(step)]
    if asked and load.leading:
        numbers = span_of(asked, 0, value)
        part = f"Quality: some steps asked {numbers} of {load.queries:,} queries, so means differ by chance."
        yield Text([part], where=NARROW)


def alike(load: LoadDetails) -> str:
    """Return the leading measure of each task where all steps, two or more, have the same; else nothing."""
    name = load.leading
    if not name or load.total("failed_requests") or len(load.steps) < 2:
        return ""
    values = [
        ", ".join(f"{task} {name} {measured(name, step.values.get(f'asked.{task}.{name}'))}" for task in load.tasks)
        for step in load.steps
    ]
    return values[0] if len(set(values)) == 1 else ""


def _quality(load: LoadDetails, task: str, keep: int) -> Column:
    name, several = load.leading, len(load.tasks) > 1
    head = f"{task} {name}" if several else name
    return Column(head, lambda step: measured(name, step.values.get(f"asked.{task}.{name}")), "r", keep)


def _note(step: StepDetails, sizes: Sequence[Held]) -> Cell:
    """Return what makes a step stand out: the highest rate that is kept up with, a limit, or why requests failed."""
    parts, tone = [], ""
    for size in sizes:
        if step is size.held and size.refused is not None:
            parts.append("highest")
        elif size.held is not step and (why := size.why(step)):
            tone = "bad"
            parts.append("client limit" if any(one.startswith(CLIENT) for one in why) else trouble(step, size))
    if step.client_is_the_limit and "client limit" not in parts:
        parts.append("client limit")
    if step.failed:
        cause = next(reason for reason in step.failures if not reason.startswith(NEVER_SENT))
        parts.append(cut(cause, _REASON))
    return Cell(", ".join(parts), tone=tone)


def advice(load: LoadDetails, sizes: Sequence[Held]) -> Iterator[str]:
    """Yield what to do: about a client that was the limit, and about rates that were all kept up with."""
    limited = [step for step in load.steps if step.client_is_the_limit]
    if limited:
        among = f" in {len(limited)} of {counted(len(load.steps), 'step')}" if len(load.steps) > 1 else ""
        yield (
            f"The client was the bottleneck{among}, so the service may be faster than this: add --workers, or use a "
            "second machine."
        )
    if any(step.unsent for step in load.steps):
        yield f"{lost(*load.steps, now=False)[-1]}: all places in flight were taken (--max-in-flight)."
    if sizes and all(size.held is not None and size.refused is None for size in sizes):
        yield "No rate was too much: offer more, or use --find-max to search for the highest."
