"""A run of one service: one row per task and measure, one column per cut-off where that is a table, and notes."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass

from msgspec.structs import replace

from benchbench.measures.default_list import default_cutoffs, leading
from benchbench.measures.notation import Measure, is_total, measured, resolve
from benchbench.report.blocks import NARROW, PAGE, PAPER, SUMMARY, WIDE, AnyCell, Block, Cell, Detail, Table, Text
from benchbench.report.layout import Layout
from benchbench.report.standard import standard
from benchbench.results.figures import behind, estimate, interval, share
from benchbench.results.record import Number
from benchbench.results.result import Result
from benchbench.runs.headline import few_requests, headline
from benchbench.runs.run_details import AskedOptions, RepeatDetails, Run, run_of
from benchbench.tables.shared_messages import and_joined, capital, counted

COMMAND = "benchbench run"
BOUNDED = "*"  # behind the value of a measure that a limit of the service bounds
_TITLES = {  # what people call the default measures, in the order of the report
    "P": "Precision",
    "R": "Recall",
    "Success": "Success",
    "F1": "Macro-F1",
    "microF1": "Micro-F1",
    "nDCG": "nDCG",
    "RR": "RR",
}
_FIRST = ("P", "R", "RR", "Success", "F1")  # of the default measures, beside nDCG, where there is little room
_CELL, _WIDTH = 20, 70  # characters of a value with its interval, and of all that stands behind the task
_WHOLE_LIST = "all"  # the column of measures without a cut-off


def layout(result: Result) -> Layout:
    """Return the table of measures, and counts, latency and throughput."""
    run, asked = run_of(result), result.settings_as(AskedOptions)
    data = result.record.data.name
    return standard(
        result,
        f"{run.name} on {data}: {run.counts['queries']:,} queries",
        headline(run, data),
        [*_narrow(run), _whole(run)],
        facts=_facts(run, asked),
        failed="query",
        rows=lambda: map(asdict, run.estimates),
        command=COMMAND,
        page="run_page",
    )


@dataclass(frozen=True, slots=True)
class MeasureTable:
    """The heads of columns of values, and rows: a title, and the measure of each column, None where there is none."""

    heads: tuple[str, ...]
    rows: tuple[tuple[str, tuple[str | None, ...]], ...]


def measure_table(names: Sequence[str]) -> MeasureTable:
    """Return the table of some measures.

    The default measures have a column per cut-off. So have others where a row would not be too long, and several
    cells of some row are filled; where not, each measure has a row of its own.
    """
    measures = resolve(names)
    if cutoffs := default_cutoffs(measures):
        rows = tuple((title, tuple(f"{name}@{k}" for k in cutoffs)) for name, title in _TITLES.items())
        return MeasureTable(tuple(f"@{k}" for k in cutoffs), rows)
    cells = {(str(replace(measure, cutoff=None)), _head(measure)): str(measure) for measure in measures}
    heads = tuple(dict.fromkeys(_head(measure) for measure in sorted(measures, key=_place)))
    titles = dict.fromkeys(title for title, _ in cells)
    fits = _CELL * len(heads) + max(map(len, titles), default=0) <= _WIDTH
    if not fits or (len(heads) > 1 and len(titles) == len(measures)):
        return MeasureTable(("Value",), tuple((name, (name,)) for name in names))
    return MeasureTable(heads, tuple((title, tuple(cells.get((title, head)) for head in heads)) for title in titles))


def _head(measure: Measure) -> str:
    return _WHOLE_LIST if measure.cutoff is None else f"@{measure.cutoff}"


def _place(measure: Measure) -> tuple[bool, bool, float]:
    """Return what sorts ranks before levels of recall, and both before none."""
    return measure.cutoff is None, isinstance(measure.cutoff, float), measure.cutoff or 0.0


def how_made(run: Run) -> str:
    """Return how the intervals of a table were made, and which of its values are totals and not shares."""
    totals = [name for name in run.names if is_total(name)]
    text = f"{and_joined(totals)} {'is a total' if len(totals) == 1 else 'are totals'}." if totals else ""
    return f"{_methods(run)} {text}".strip()


def _methods(run: Run) -> str:
    if all(row.low is None for row in run.estimates):
        return ""
    methods = dict.fromkeys(row.interval for row in run.estimates if row.interval)
    if not methods:  # of version 0.1
        return "95 % bootstrap intervals over queries."
    *others, last = sorted(methods, key=lambda method: method.split()[0] == "Wilson")  # of shares: the fewer
    if not others:
        return f"95 % intervals: {last}."
    where = "all are 0 or all are 1" if run.cluster else "all values are 0 or 1"
    return f"95 % intervals: {', '.join(others)}; {last} where {where}."


def _whole(run: Run) -> Table:
    """Return every measure with its interval; a narrow terminal has less."""
    table = measure_table(run.names)
    body: list[list[AnyCell]] = [
        [capital(task), title, *("" if name is None else _cell(run, name, measures.get(name)) for name in names)]
        for task, measures in run.measures.items()
        for title, names in table.rows
        if not measures.keys().isdisjoint(names)
    ]
    sides = "ll" + "r" * len(table.heads)
    return Table(
        ["Task", "Metric", *table.heads], body, sides, how_made(run), grouped=True, where=WIDE | PAGE | PAPER | SUMMARY
    )


def _cell(run: Run, name: str, value: Number | None) -> AnyCell:
    return "" if value is None else Cell(_shown(run, name, value), behind(value.low, value.high, 3))


def _narrow(run: Run) -> list[Block]:
    """Return a row per task: the leading measure with its interval, and what else there is room for."""
    names = run.names
    if not names:
        return []
    lead, others = leading(names), _others(names)
    ends = {task: values[lead] for task, values in run.measures.items() if lead in values}
    between = any(end.low is not None for end in ends.values())
    head = ["Task", lead, *(["95 % interval"] if between else []), *others]
    rows: list[list[AnyCell]] = []
    for task, values in run.measures.items():
        value = ends.get(task)
        row: list[AnyCell] = [capital(task), Cell(_shown(run, lead, value), strong=True)]
        row += [] if not between else [_interval(value)]
        rows.append([*row, *(_shown(run, name, values.get(name)) for name in others)])
    if len(rows) == 1 and len(others) > 0:
        (values,) = run.measures.values()
        rows = [
            [name, Cell(_shown(run, name, values.get(name)), strong=name == lead), _interval(values.get(name))]
            for name in (lead, *others)
        ]
        head = ["Measure", "Value", "95 % interval"]
    hint = ["Every measure, with its interval: --wide."] if len(names) > 1 else []
    return [
        Table(head, rows, "l" + "r" * (len(head) - 1), where=NARROW, keeps=[0, *range(len(head) - 1)]),
        *([Text(hint, where=NARROW)] if hint else []),
    ]


def _interval(value: Number | None) -> str:
    """Return the interval of a number; empty where there is none."""
    return "" if value is None or value.low is None else interval(value.low, value.high, 3)


def _shown(run: Run, name: str, value: Number | None) -> str:
    return "" if value is None else f"{measured(name, value.value)}{BOUNDED if name in run.bounded else ''}"


def _others(names: Sequence[str]) -> list[str]:
    """Return what is shown beside the leading measure: of the default ones a choice, else all."""
    lead = leading(names)
    cutoffs = default_cutoffs(resolve(names))
    if not cutoffs:
        return [name for name in names if name != lead]
    middle, deepest = cutoffs[len(cutoffs) // 2 if len(cutoffs) > 2 else 0], cutoffs[-1]
    return [f"{name}@{middle if name == 'P' else deepest}" for name in _FIRST]


def _facts(run: Run, asked: AskedOptions) -> list[tuple[str, str]]:
    """Return what there is to say of latency, throughput, hits, the client and repeats."""
    counts, latency, client = run.counts, run.latency, run.client
    times = ", ".join(f"{name} {time:,.1f}" for name, time in {**latency.known, "max": latency.max}.items())
    gone = removed(counts)
    sent = f"at concurrency {asked.concurrency}, {latency.bytes / 1e6:,.1f} MB"
    rate = f"{latency.queries_per_second:,.0f} queries/s {sent} in {latency.seconds:.2f} s"
    if latency.too_few:
        rate = f"not measured: {counted(counts['scored'], 'query')} {sent}"
    facts = [
        ("Latency", f"{times} ms per {unit(run, asked.batch_size)} ({_requests(run)})"),
        *(("", f"! {few}") for few in (few_requests(run),) if few),
        ("Throughput", rate),
        Detail("Queries", f"{counts['scored']:,} scored, {counts['failed']:,} failed; a failed query counts as 0"),
        ("Hits", f"{counts['hits']:,} received{gone and f'; removed before ranking: {gone}'}"),
    ]
    if first := counts["own_text_first"]:
        facts.append(("", f"the query's own text stood first for {first:,} of {counts['queries']:,} queries"))
    if "cpu" in client:
        late = f"late by {client['lag_p99_ms']:.1f} (p99), at most {client['lag_max_ms']:.1f} ms"
        facts.append(("Client", f"event loop {late}; {share(client['cpu'])} of a core"))
    return facts if run.repeats is None else facts + repeated(run.repeats)


def unit(run: Run, batch: int) -> str:
    """Return what has one latency: a request, or all pages of a query."""
    if run.latency.timed < run.latency.requests:
        return "query, all its pages together"
    return f"request of {counted(batch, 'query')}"


def _requests(run: Run) -> str:
    """Return how many requests there were, and how many of them were asked again."""
    retries = run.latency.attempts - run.latency.requests
    retried = f", {retries:,} {'retry' if retries == 1 else 'retries'}" if retries else ""
    return f"{counted(run.latency.requests, 'request')}{retried}"


def removed(counts: Mapping[str, int]) -> str:
    """Return which hits were removed before ranking; empty where none was."""
    named = {
        "self_hits": ("self-retrieval", "self-retrievals"),
        "copies": ("copy of the query's text", "copies of the query's text"),
        "duplicates": ("repeated id", "repeated ids"),
    }
    return ", ".join(f"{counts[name]:,} {words[counts[name] != 1]}" for name, words in named.items() if counts[name])


def repeated(repeat: RepeatDetails) -> list[tuple[str, str]]:
    """Return how much the service differs from itself."""
    alike = [f"{row.measure} {estimate(row.mean, row.low, row.high)}" for row in repeat.agreement]
    facts = [("Repeats", f"{repeat.passes:,} passes over the queries; later ones beside the first: {', '.join(alike)}")]
    for task, measures in repeat.measures.items():
        name = leading(list(measures))
        values, spread = (measured(name, mean) for mean in measures[name]), measured(name, repeat.spread(task, name))
        facts.append(("", f"{task} {name} of each pass {', '.join(values)}; spread {spread}"))
    if sum(repeat.failed):
        facts.append(
            (
                "",
                f"failed queries of each pass {', '.join(map(str, repeat.failed))}; they are not compared, and "
                "count as 0 in the means of their pass",
            )
        )
    if repeat.without_id:
        facts.append(("", f"{repeat.without_id:,} hits have no id; their queries are not compared"))
    return facts
