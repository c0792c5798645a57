"""The page of a run: what failed, how good, how fast, where it fails, and how to do it again."""

from collections.abc import Sequence

from benchbench.measures.catalog import CATALOG
from benchbench.measures.default_list import leading
from benchbench.measures.notation import resolve
from benchbench.report.blocks import Block, Facts, Table, Text
from benchbench.report.layouts.page_parts import (
    band,
    bars,
    capital,
    counted,
    failures_table,
    gates_table,
    log_axis,
    milliseconds,
    moment,
    percent,
    query_list,
    ranges,
    reproduce,
    settings,
    share_axis,
    time_axis,
    time_parts,
    value_text,
    views_choice,
)
from benchbench.report.page_blocks import (
    Axis,
    Band,
    Choice,
    Cloud,
    Dot,
    Folded,
    Lede,
    Masthead,
    Option,
    PageBlock,
    Pair,
    Panel,
    Panels,
    Path,
    Plot,
    Rule,
    Section,
    Tile,
    Tiles,
)
from benchbench.results.record import Record
from benchbench.results.result import Result
from benchbench.results.signature import short
from benchbench.runs.details import Asked, RunDetails, Value
from benchbench.runs.page import QueryPage, run_page, run_speed
from benchbench.runs.page_numbers import Speed

_NAMES = {
    "nDCG": ("nDCG", "How close the order comes to the ideal one, the best documents counting most."),
    "Success": ("Hit rate", "Share of queries with at least one relevant hit."),
    "P": ("Precision", "Share of the hits that are relevant."),
    "R": ("Recall", "Share of what is relevant that was found, by the denominator that the settings name."),
    "RR": ("MRR", "1 over the rank of the first relevant hit, averaged."),
    "F1": ("Macro-F1", "Precision and recall of each query in one, averaged."),
    "microF1": ("Micro-F1", "Precision and recall over all queries together, in one."),
    "AP": ("MAP", "Precision at each relevant hit, averaged."),
}
_FEW = 100  # requests: of fewer, p99 is the slowest
_CURVE = 20  # requests: of fewer, each is drawn
_SHARES = ((0.5, "50 %"), (0.9, "90 %"), (0.95, "95 %"), (0.99, "99 %"), (0.999, "99.9 %"), (0.9999, "99.99 %"))
_MEASURED = {
    "protocol": "protocol",
    "url": "URL",
    "batch_size": "queries a request",
    "top_k": "hits asked for",
    "concurrency": "requests in flight",
    "workers": "client processes",
    "retries": "retries",
    "timeout": "time limit, s",
    "repeat": "passes",
}


def blocks(result: Result, table: Table, facts: Facts) -> list[Block | PageBlock]:
    """Return the page.

    Parameters
    ----------
    result
        Of a run of one service.
    table, facts
        Every measure, and every count.
    """
    record, run, asked = result.record, result.details_as(RunDetails), result.settings_as(Asked)
    page, speed = run_page(result), run_speed(result)
    none = run.counts["failed"] == run.counts["queries"]
    requests = speed.reasons if speed is not None else {}
    made: list[Block | PageBlock | None] = [
        _masthead(record, run),
        band(record.gates, run.failures, requests),
        _resumed(run),
        _lede(run, none),
        None if none else _tiles(run, asked, page),
        Text([f"▲ {run.bottleneck}"]) if run.bottleneck else None,
        *([] if none else _quality(run, page)),
        *([] if page is None else _queries(page, run)),
        *([] if speed is None else _speed(speed, run)),
        Section("tables", "Tables", "Tables"),
        Folded("Every measure", f"{counted(len(run.measures), 'task')}, in percent", [table]),
        *_tables(page, run),
        Folded("Latency, requests, hits, client", "the counts behind the charts", [facts]),
        *([Folded("Gates", "all passed", [gates_table(record.gates)])] if _passed(record) else []),
        Section("reproduce", "Reproduce", "Reproduce"),
        reproduce(record, [("Settings", settings(record, _MEASURED)), ("Judging", _judging(record))]),
    ]
    return [one for one in made if one is not None]


def _passed(record: Record) -> bool:
    return bool(record.gates) and all(one.failure is None for one in record.gates)


def _masthead(record: Record, run: RunDetails) -> Masthead:
    counts, facts = run.counts, []
    if counts["failed"]:
        facts.append((f"✕ {counts['failed']:,} of {counted(counts['queries'], 'query')} got no answer", "bad"))
    else:
        facts.append((f"✓ all {counted(counts['queries'], 'query')} answered", "good"))
    if _passed(record):
        facts.append((f"✓ {counted(len(record.gates), 'gate')} passed", "good"))
    elif not record.gates:
        facts.append(("no gates set", ""))
    facts.append((moment(record), ""))
    name = record.data.name or "a data set"
    return Masthead("run", run.name, "on", name, facts, run.signature, short(run.signature))  # type: ignore[arg-type]


def _resumed(run: RunDetails) -> Band | None:
    """Return what a reader must know of a run that was not one: queries were asked again."""
    again = run.counts.get("asked_again", 0)
    if not again:
        return None
    said = (
        f"{counted(again, 'query')} failed in an earlier part of this run and asked again; latencies are of all parts."
    )
    return Band("✂ Resumed", [], "", [said])


def _lede(run: RunDetails, none: bool) -> Lede:
    counts, latency = run.counts, run.latency
    if none:
        return Lede(
            ["", f"None of {counted(counts['queries'], 'query')}", " was answered, so there is nothing to judge."]
        )
    found = _found(run)
    if counts["failed"]:
        return Lede(
            [
                "Read the numbers as a lower bound: the ",
                f"{counts['failed']:,}",
                " queries without an answer count as 0. ",
                *_sentence(found, counts["queries"], "Of all, a"),
            ]
        )
    times = [milliseconds(latency.percentiles[name]) for name in ("p50", "p99")]
    if latency.requests < _FEW:
        last = ["", f" Half of {counted(latency.requests, 'request')} took ", times[0], " or less, the slowest "]
        return Lede([*_sentence(found, counts["queries"], "A"), *last[1:], milliseconds(latency.max), "."])
    last = [" Half of the requests were answered within ", times[0], ", 99 of 100 within ", times[1], "."]
    return Lede([*_sentence(found, counts["queries"], "A"), *last])


def _sentence(found: tuple[str, str, Value], queries: int, begin: str) -> list[str]:
    """Return an odd number of pieces about how many queries found something, or what the leading measure is."""
    task, name, one = found
    (measure,) = resolve(name)
    of = "" if task == "gold" else f" for {task}"
    if measure.name != "Success" or one.value is None:
        value = "no value" if one.value is None else f"{percent(one.value)} %"
        return [f"{name}{of} is ", value, f" over {queries:,} queries."]
    first = "hits" if measure.cutoff is None else f"first {measure.cutoff} hits"
    count = f"{round(one.value * queries):,} of {queries:,}"
    return [f"{begin} document that is relevant{of} is among the {first} for ", count, " queries."]


def _found(run: RunDetails) -> tuple[str, str, Value]:
    """Return of the first task how many queries found something; where nobody asked that, the leading measure."""
    task, measures = next(iter(run.measures.items()))
    hits = [name for name in measures if name.startswith("Success")]
    name = hits[-1] if hits else leading(list(measures))
    return task, name, measures[name]


def _tiles(run: RunDetails, asked: Asked, page: QueryPage | None) -> Tiles:
    task, measures = next(iter(run.measures.items()))
    lead, latency = leading(list(measures)), run.latency
    tiles = [_tile(run, page, task, lead)]
    _, other, value = _found(run)
    if other == lead:
        other = next((name for name in measures if name != lead), lead)
        value = measures[other]
    if other != lead:
        tiles.append(_tile(run, page, task, other))
    few = latency.requests < _FEW
    half = milliseconds(latency.percentiles["p50"])
    (low, small), (high, unit) = (time_parts(one) for one in (latency.percentiles["p50"], latency.percentiles["p99"]))
    if small != unit:
        low = f"{low} {small}"
    said = f"Half of {counted(latency.requests, 'request')} took {half} or less"
    said += "; of so few, p99 is the slowest." if few else f", 99 of 100 {milliseconds(latency.percentiles['p99'])}."
    name = "Latency, p50 and slowest" if few else "Latency, p50 and p99"
    tiles.append(Tile(name, [low, high], unit, f"slowest {milliseconds(latency.max)}", said))
    spare = f" The client had room to spare: {100 * run.client['cpu']:.0f} % of a core." if "cpu" in run.client else ""
    rate = f"{counted(run.counts['scored'], 'query')} in {latency.seconds:.2f} s.{'' if run.bottleneck else spare}"
    flight = f"{counted(asked.concurrency, 'request')} in flight"
    tiles.append(Tile("Queries per second", [f"{latency.queries_per_second:,.0f}"], "", flight, rate))
    return Tiles(tiles)


def _tile(run: RunDetails, page: QueryPage | None, task: str, name: str) -> Tile:
    one, queries = run.measures[task][name], run.counts["queries"]
    said = f"Over {counted(queries, 'query')}."
    (measure,) = resolve(name)
    if one.value is not None and measure.name == "Success":
        said = f"{round(one.value * queries):,} of {counted(queries, 'query')} found at least one relevant document."
    elif page is not None and page.views[0].measure == name and page.views[0].name == task:
        spread = page.spreads[0]
        said = f"100 would be the ideal. {counted(spread.zeros, 'query')} of {queries:,} have exactly 0."
        if spread.answered is not None:
            said = f"Over the {run.counts['scored']:,} answered queries alone it is {percent(spread.answered)} %."
    interval, aside = None, ""
    if one.value is not None and one.low is not None and one.high is not None:
        interval = (100 * one.low, 100 * one.value, 100 * one.high)
        aside = f"95 % interval {percent(one.low)} – {percent(one.high)}"
    value = "–" if one.value is None else value_text(one.value, _top(name))
    return Tile(f"{name}, {task}", [value], "%" if _top(name) == 1.0 else "", aside, said, interval)


def _top(name: str) -> float:
    """Return 1 for a measure that is a share, and 0 for a total."""
    (one,) = resolve(name)
    return 0.0 if CATALOG[one.name].aggregate == "sum" else 1.0


def _quality(run: RunDetails, page: QueryPage | None) -> list[PageBlock]:
    """Return a panel per task, with a plot per measure: its values at each cut-off on one scale."""
    families: dict[str, list[str]] = {}
    for name in run.names:
        (one,) = resolve(name)
        if _top(name) == 1.0:
            families.setdefault(str(one).rpartition("@")[0] if one.cutoff is not None else str(one), []).append(name)
    order = sorted(families, key=lambda name: list(_NAMES).index(name) if name in _NAMES else len(_NAMES))
    if not order:
        return []
    options = [
        Option(_NAMES.get(name, (name, ""))[0], None, _NAMES.get(name, ("", f"{name} as its settings say."))[1])
        for name in order
    ]
    choice = Choice("measure", "Measure", options) if len(options) > 1 else None
    axes = {name: share_axis(_largest(run, families[name])) for name in order}
    rules = {} if page is None else page.rules
    several = len(run.measures) > 1
    panels = [
        Panel(
            capital(task),
            rules.get(task, ""),
            [_cutoffs(task, name, families[name], measures, axes[name]) for name in order],
            "measure",
            place if several else None,
        )
        for place, (task, measures) in enumerate(run.measures.items())
    ]
    how = "; the line through a dot is its 95 % interval over queries" if _has_intervals(run) else ""
    scale = f" All {len(panels)} panels share one scale." if several else ""
    heading = "Quality at each cut-off" if any("@" in name for name in run.names) else "Quality"
    return [
        Section("quality", "Quality", heading, options[0].said, choice),
        Panels(panels, min(max(len(panels), 2), 4), f"Percent{how}.{scale}"),
    ]


def _has_intervals(run: RunDetails) -> bool:
    return any(one.low is not None for one in run.estimates)


def _largest(run: RunDetails, names: Sequence[str]) -> float:
    values = [measures[name] for measures in run.measures.values() for name in names if name in measures]
    return max([one.high or one.value or 0.0 for one in values], default=1.0)


def _cutoffs(task: str, family: str, names: Sequence[str], measures: dict[str, Value], axis: Axis) -> Plot:
    dots, said, ticks = [], [], []
    for place, name in enumerate(names):
        tick = f"@{name.rpartition('@')[2]}" if "@" in name else "whole list"
        ticks.append((place + 0.5, tick))
        one = measures.get(name)
        if one is None or one.value is None:
            continue
        text = percent(one.value)
        ends = "" if one.low is None or one.high is None else f", interval {percent(one.low)} to {percent(one.high)}"
        dots.append(Dot(place + 0.5, one.value, text, one.low, one.high, told=f"{name}, {task}: {text} %{ends}"))
        said.append(f"{name} {text} %{ends}")
    return Plot(f"{task}, {family}: {'; '.join(said) or 'no value'}", Axis(0, len(names), ticks), axis, dots, 180)


def _queries(page: QueryPage, run: RunDetails) -> list[PageBlock]:
    overall = [run.measures[view.name][view.measure].value or 0.0 for view in page.views]
    labels = ranges(page, overall)
    narrows = "Click a bar or a row to narrow the list below; click again to take it back."
    marks = list(run.measures) if len(run.measures) > 1 else [next(iter(run.measures))]
    return [
        Section("queries", "Queries", "Where it fails", narrows, views_choice(page, True)),
        Pair([_spread(page)], labels),
        query_list(page, marks),
    ]


def _spread(page: QueryPage) -> PageBlock:
    return bars(page)


def _speed(speed: Speed, run: RunDetails) -> list[PageBlock]:
    latency = run.latency
    times = [one for _, one in (*speed.curve, *speed.dots, *speed.crosses)]
    axis = log_axis(min(times), max(times))
    marks = latency.percentiles
    said = f"Half of the requests took {milliseconds(marks['p50'])} or less"
    if speed.requests >= _CURVE:
        said += f", 19 of 20 {milliseconds(marks['p95'])} or less"
    said += (
        f", the slowest {milliseconds(latency.max)}. From sending a request to the end of its answer, retries included."
    )
    if speed.failed_fast:
        said += (
            f" Failed requests count too: {speed.failed_fast:,} of them took under a quarter of the median, which makes "
            "the service look faster than it is."
        )
    return [
        Section("speed", "Speed", "Speed", said),
        Panels(
            [_curve(speed, marks, latency.max, axis), _over_time(speed, marks["p50"], axis)],
            2,
        ),
    ]


def _curve(speed: Speed, marks: dict[str, float], slowest: float, axis: Axis) -> Panel:
    count = speed.requests
    few = count < _CURVE
    ends = Axis(0.0, 1 - 0.4 / count, [one for one in _SHARES if one[0] <= 1 - 0.5 / count], "nines")
    points = [Dot(x, y) for x, y in speed.curve] if few else [Path(speed.curve)]
    named = [(0.5, "p50"), (0.95, "p95"), (0.99, "p99")]
    shown = [one for one in named if one[0] <= 1 - 1 / count] if not few else []
    dots = [Dot(x, marks[name], f"{name} {milliseconds(marks[name])}", hollow=True) for x, name in shown]
    said = "; ".join(f"{100 * x:g} % within {milliseconds(marks[name])}" for x, name in named if not few)
    words = f"Share of requests answered within a time. {said}{'; ' if said else ''}slowest {milliseconds(slowest)}"
    note = "The scale widens to the right: from 90 to 99 % takes as much room as from 0 to 90 %."
    if count < _FEW:
        note += f" With {counted(count, 'request')}, p99 is the slowest one."
    return Panel(
        "Share of requests answered within this time", "", [Plot(words, ends, axis, [*points, *dots])], note=note
    )


def _over_time(speed: Speed, half: float, axis: Axis) -> Panel:
    points = (*speed.dots, *speed.crosses)
    end = max([at for at, _ in points] + [speed.slowest[0]])
    drawn = len(points)
    marks = [
        Rule(half),
        Cloud(speed.dots),
        Cloud(speed.crosses, crosses=True),
        Dot(*speed.slowest, f"slowest {milliseconds(speed.slowest[1])}"),
    ]
    note = "Dashed: p50. Both charts share one logarithmic scale."
    if speed.crosses:
        note += " A cross is a request that failed."
    if drawn < speed.requests:
        note += f" {drawn:,} of {speed.requests:,} requests are drawn, the slow ones first."
    words = f"{counted(speed.requests, 'request')} over {end:.3g} seconds, {speed.failed:,} of them failed"
    words += f"; slowest {milliseconds(speed.slowest[1])} after {speed.slowest[0]:.3g} seconds"
    return Panel(
        "When: each request at the moment it was sent",
        "",
        [Plot(words, time_axis(end * 1.02), axis, marks)],
        note=note,
    )


def _tables(page: QueryPage | None, run: RunDetails) -> list[PageBlock]:
    """Return the numbers of the charts of queries."""
    if page is None:
        return []
    head = ["Value", *(view.name for view in page.views)]
    names = ["no answer", "exactly 0", *(f"tenth {one}" for one in range(1, 11))]
    rows = [
        [name, *(f"{one.counts[place]:,}" for one in page.spreads)]
        for place, name in enumerate(names)
        if place or page.failed
    ]
    spread = Table(head, rows, "l" + "r" * len(page.views))
    folded: list[PageBlock] = [
        Folded("Queries by value", f"of {page.views[0].measure}, in tenths of its scale", [spread])
    ]
    tables = [
        Table(
            [one.column.replace("_", " "), "Queries", *(view.name for view in page.views)],
            [
                [
                    row.label,
                    f"{row.queries:,}",
                    *(_with_ends(*ends, one_top.top) for ends, one_top in zip(row.means, page.spreads, strict=True)),
                ]
                for row in one.rows
            ],
            "lr" + "r" * len(page.views),
        )
        for one in page.slices
    ]
    if tables:
        folded.append(Folded("Means by label", f"{page.views[0].measure} with 95 % intervals, in percent", tables))
    if run.failures:
        folded.append(
            Folded("Failures", f"{counted(run.counts['failed'], 'query')}", [failures_table(run.failures, {})])
        )
    return folded


def _with_ends(mean: float, low: float | None, high: float | None, top: float) -> str:
    ends = "" if low is None or high is None else f" [{value_text(low, top)}, {value_text(high, top)}]"
    return value_text(mean, top) + ends


def _judging(record: Record) -> list[tuple[str, str]]:
    given = record.settings["criteria"].value if "criteria" in record.settings else {}
    names = {
        "self_by": "the query itself, by",
        "gold_by": "relevant documents, by",
        "recall_denominator": "recall of",
        "max_positives": "positives at most",
    }
    rows = [(called, str(given[name])) for name, called in names.items() if given.get(name) is not None]
    cluster = record.settings["cluster"].value if "cluster" in record.settings else None
    return [*rows, *([("queries grouped by", str(cluster))] if cluster else [])]
