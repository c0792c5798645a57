"""The page of a run: what failed, how good, how fast, where it fails, and how to do it again."""

from collections.abc import Mapping, Sequence

from msgspec.structs import replace

from benchbench.measures.default_list import leading
from benchbench.measures.latency import Latency
from benchbench.measures.notation import is_total, measured, resolve
from benchbench.report.blocks import Block, Facts, Table, Text
from benchbench.report.layouts.depth_charts import FEWEST, depth_panels, depth_table, rank_bars
from benchbench.report.layouts.page_parts import (
    band,
    failures_table,
    head,
    measured_plot,
    measured_tile,
    passed_gates,
    reproduce,
    settings,
)
from benchbench.report.layouts.page_scales import share_axis, span_parts, value_text
from benchbench.report.layouts.query_parts import query_list, ranges, spread_chart, spread_table, views_choice
from benchbench.report.layouts.speed_charts import slow, speed_section
from benchbench.report.page_blocks import (
    Axis,
    Band,
    Bars,
    Choice,
    Folded,
    Lede,
    Masthead,
    Option,
    PageBlock,
    Pair,
    Panel,
    Panels,
    Plot,
    Ranges,
    Section,
    Tile,
    Tiles,
    Tone,
)
from benchbench.results.figures import estimate, share, time
from benchbench.results.record import Number, Record
from benchbench.results.result import Result
from benchbench.runs.page import QueryPage, run_page, run_speed
from benchbench.runs.run_details import AskedOptions, Run, run_of
from benchbench.tables.shared_messages import capital, counted
from benchbench.tasks.count_sentences import capped

_NAMES = {
    "nDCG": ("nDCG", "How close the order comes to the ideal one, the best documents counting most."),
    "Success": ("Hit rate", "Share of queries with at least one relevant hit."),
    "P": ("Precision", "Share of the hits that are relevant."),
    "R": ("Recall", "Share of what is relevant that was found, by the denominator that the settings name."),
    "RR": ("MRR", "1 over the rank of the first relevant hit, averaged."),
    "F1": ("Macro-F1", "Precision and recall of each query in one, averaged."),
    "microF1": ("Micro-F1", "Precision and recall over all queries together, in one."),
    "microP": ("Micro-precision", "Share of all hits together that are relevant."),
    "microR": ("Micro-recall", "Relevant hits found over all queries together."),
    "AP": ("MAP", "Precision at each relevant hit, averaged."),
}
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


def blocks(result: Result, shared: Sequence[Block]) -> list[Block | PageBlock]:
    """Return the page.

    Parameters
    ----------
    result
        Of a run of one service.
    shared
        What other formats have too, with a table of every measure, and what was counted.
    """
    table = next(block for block in shared if isinstance(block, Table))
    facts = next(block for block in shared if isinstance(block, Facts))
    record, run, asked = result.record, run_of(result), result.settings_as(AskedOptions)
    page, speed = run_page(result), run_speed(result)
    none = run.counts["failed"] == run.counts["queries"]
    requests = speed.reasons if speed is not None else {}
    page_blocks: list[Block | PageBlock | None] = [
        _masthead(record, run),
        *_band(record, run, requests),
        _resumed(run),
        _lede(run, none, page),
        None if none else _tiles(run, asked, page),
        Text([f"▲ {capital(run.bottleneck)}"]) if run.bottleneck else None,
        *(Text([f"▲ {capital(limit)}."]) for limit in capped(run.counts, run.bounded)),
        *([] if none else _quality(run, page)),
        *([] if page is None else _queries(page, run)),
        *([] if speed is None else speed_section(speed, run.latency, page)),
        Section("tables", "Tables", "Tables"),
        Folded("Every measure", counted(len(run.measures), "task"), [table]),
        *_tables(page),
        Folded("Latency, requests, hits, client", "the counts behind the charts", [facts]),
        *passed_gates(record),
        *reproduce(record, [("Settings", settings(record, _MEASURED)), ("Judging", _judging(record))]),
    ]
    return [block for block in page_blocks if block is not None]


def _band(record: Record, run: Run, requests: Mapping[str, int]) -> list[Band]:
    unanswered = counted(sum(run.failures.values()), "query")
    if not run.failures:
        return band(record)
    lost, action = f"{unanswered} got no answer", f"Show the {unanswered} without an answer"
    return band(record, lost, [failures_table(run.failures, requests)], action)


def _masthead(record: Record, run: Run) -> Masthead:
    counts = run.counts
    queries, name = counted(counts["queries"], "query"), record.data.name or "a data set"
    state: tuple[str, Tone] = (f"✓ all {queries} answered", "good")
    title = f"No query of {name} was answered by {run.name}."
    if counts["failed"]:
        state = f"✕ {counts['failed']:,} of {queries} got no answer", "bad"
    if counts["failed"] < counts["queries"]:
        task, measures = next(iter(run.measures.items()))
        leads = leading(list(measures))
        of_task = f" for {task}" if len(run.measures) > 1 else ""
        title = f"{run.name} reaches {leads} {measured(leads, measures[leads].value)}{of_task} on {name}."
    no_gates: list[tuple[str, Tone]] = [] if record.gates else [("no gates set", "")]
    return head("run", record, [f"{run.name} on {name}", queries], title, states=[state, *no_gates])


def _resumed(run: Run) -> Band | None:
    """Return what a reader must know of a run that was not one: queries were asked again."""
    again = run.counts.get("asked_again", 0)
    if not again:
        return None
    words = f"{counted(again, 'query')} had failed and were asked again; latencies are of the last time."
    return Band("✂ Resumed", [], "", [words])


def _lede(run: Run, none: bool, page: QueryPage | None) -> Lede:
    counts, latency = run.counts, run.latency
    if none:
        return Lede(
            ["", f"None of {counted(counts['queries'], 'query')}", " was answered, so there is nothing to judge."]
        )
    if counts["failed"]:
        begin = ["Read the numbers as a lower bound: the ", f"{counts['failed']:,}"]
        first, *rest = _sentence(run, page)
        return Lede([*begin, f" queries without an answer count as 0. {first}", *rest])
    name, share_of = slow(latency)
    half, late, last = map(time, (latency.percentiles["p50"], latency.percentiles.get(name, 0.0), latency.max))
    *begin, end = _sentence(run, page)
    if latency.timed == 1:
        return Lede([*begin, f"{end} The request took ", last, "."])
    if not name:
        return Lede([*begin, f"{end} Half of {_timed(latency)} took ", half, " or less, the slowest ", last, "."])
    names = "requests" if latency.timed == latency.requests else "queries"
    return Lede([*begin, f"{end} Half of the {names} were answered within ", half, f", {share_of} within ", late, "."])


def _timed(latency: Latency) -> str:
    """Return of how many requests there are latencies, or of how many queries that were asked page after page."""
    return counted(latency.timed, "request" if latency.timed == latency.requests else "query")


def _sentence(run: Run, page: QueryPage | None) -> list[str]:
    """Return pieces about how many queries found something, or what the leading measure is."""
    if page is not None and page.depth is not None and not page.depth.graded:
        ranks, deep = page.depth.ranks, min(10, page.depth.hits)
        early, best = ((ranks > 0) & (ranks <= deep)).sum(), (ranks == 1).sum()
        have = "has" if len(ranks) == 1 else "have"
        words = f" {have} a relevant document in the first {counted(deep, 'hit')}, "
        return ["", f"{early:,} of {counted(len(ranks), 'query')}", words, f"{best:,}", " in first place."]
    (task, name, number), queries = _found(run), run.counts["queries"]
    (measure,) = resolve(name)
    for_task = "" if task == "gold" else f" for {task}"
    if measure.name != "Success" or number.value is None:
        return [f"{name}{for_task} is ", value_text(number.value, 1.0), f" over {queries:,} queries."]
    first = "hits" if measure.cutoff is None else f"first {measure.cutoff} hits"
    count = f"{round(number.value * queries):,} of {queries:,}"
    return [f"A document that is relevant{for_task} is among the {first} for ", count, " queries."]


def _found(run: Run) -> tuple[str, str, Number]:
    """Return of the first task how many queries found something; where nobody asked that, the leading measure."""
    task, measures = next(iter(run.measures.items()))
    hits = [name for name in measures if name.startswith("Success")]
    name = hits[-1] if hits else leading(list(measures))
    return task, name, measures[name]


def _tiles(run: Run, asked: AskedOptions, page: QueryPage | None) -> Tiles:
    task, measures = next(iter(run.measures.items()))
    lead, latency = leading(list(measures)), run.latency
    tiles = [_tile(run, page, task, lead)]
    _, other, _ = _found(run)
    if other == lead:
        other = next((name for name in measures if name != lead), lead)
    if other != lead:
        tiles.append(_tile(run, page, task, other))
    name, share_of = slow(latency)
    half, late = latency.percentiles["p50"], latency.percentiles.get(name, latency.max)
    *span, unit = span_parts(half, late)
    title, single = f"Latency, p50 and {name or 'slowest'}", latency.timed == 1
    words = f"{_timed(latency)} {'is' if single else 'are'} too few for percentiles."
    if name:
        words = f"Half of {_timed(latency)} took {time(half)} or less, {share_of} {time(late)}."
    slowest = f"slowest {time(latency.max)}"
    tiles.append(Tile("Latency" if single else title, span[:1] if single else span, unit, slowest, words))
    spare = f" The client had room to spare: {share(run.client['cpu'])} of a core." if "cpu" in run.client else ""
    rate = f"{counted(run.counts['scored'], 'query')} in {latency.seconds:.2f} s.{'' if run.bottleneck else spare}"
    flight = f"{counted(asked.concurrency, 'request')} in flight"
    tiles.append(Tile("Queries per second", [f"{latency.queries_per_second:,.0f}"], "", flight, rate))
    return Tiles(tiles)


def _tile(run: Run, page: QueryPage | None, task: str, name: str) -> Tile:
    number, queries = run.measures[task][name], run.counts["queries"]
    words = f"Over {counted(queries, 'query')}."
    (measure,) = resolve(name)
    depth = None if page is None else page.depth
    if depth is not None and not depth.graded and measure.name == "R" and measure.cutoff == depth.hits:
        lost = int((depth.ranks == 0).sum())
        which = f"{counted(lost, 'query')} {'has' if lost == 1 else 'have'} no" if lost else "Every query has a"
        help_there = ": reranking cannot help there" if lost else ""
        words = f"{which} relevant document in the first {depth.hits:,}{help_there}."
    elif number.value is not None and measure.name == "Success":
        some = f"{round(number.value * queries):,} of {counted(queries, 'query')}"
        words = f"{some} found at least one relevant document."
    elif page is not None and page.views[0].measure == name and page.views[0].name == task:
        spread = page.spreads[0]
        zeros = f" {spread.zeros:,} of {counted(queries, 'query')} have exactly 0." if spread.zeros else ""
        words = f"1 would be the ideal.{zeros}"
        if spread.answered is not None:
            answered = f"Over the {run.counts['scored']:,} answered queries alone"
            words = f"{answered} it is {value_text(spread.answered, 1.0)}."
    return measured_tile(f"{name}, {task}" if len(run.measures) > 1 else name, number, words)


def _quality(run: Run, page: QueryPage | None) -> list[PageBlock]:
    """Return a panel per task, with a plot per measure: its values at each cut-off on one scale; of one, its depth."""
    depth = None if page is None else page.depth
    if page is not None and depth is not None and depth.hits >= FEWEST:
        how = f"{next(iter(page.rules.values()), '')} Bands are 95 % intervals over {counted(page.total, 'query')}."
        return [Section("quality", "Quality", "Quality", how.strip()), Panels(depth_panels(depth), 3)]
    families: dict[str, list[str]] = {}
    for name in run.names:
        (measure,) = resolve(name)
        if not is_total(name):
            families.setdefault(str(replace(measure, cutoff=None)), []).append(name)
    order = sorted(families, key=lambda name: list(_NAMES).index(name) if name in _NAMES else len(_NAMES))
    if not order:
        return []
    called = [_NAMES.get(name, (name, f"{name} as its settings say.")) for name in order]
    options = [Option(name, None, explanation) for name, explanation in called]
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
            name=f"quality-{task}" if several else "quality",
        )
        for place, (task, measures) in enumerate(run.measures.items())
    ]
    has_intervals = any(estimate.low is not None for estimate in run.estimates)
    how = "The line through a dot is its 95 % interval over queries." if has_intervals else ""
    heading = "Quality at each cut-off" if any("@" in name for name in run.names) else "Quality"
    return [
        Section("quality", "Quality", heading, options[0].subtitle, choice),
        Panels(panels, min(max(len(panels), 2), 4), how),
    ]


def _largest(run: Run, names: Sequence[str]) -> float:
    values = [measures[name] for measures in run.measures.values() for name in names if name in measures]
    return max([number.high or number.value or 0.0 for number in values], default=1.0)


def _cutoffs(task: str, family: str, names: Sequence[str], measures: dict[str, Number], axis: Axis) -> Plot:
    marks = []
    for name in names:
        tick = f"@{name.rpartition('@')[2]}" if "@" in name else "whole list"
        marks.append((tick, measures.get(name) or Number(name=name, value=None)))
    return measured_plot(f"{task}, {family}", marks, axis, 180)


def _queries(page: QueryPage, run: Run) -> list[PageBlock]:
    overall = [run.measures[view.name][view.measure].value or 0.0 for view in page.views]
    labels = ranges(page, overall)
    if page.depth is None:
        return queries_section(page, labels, list(run.measures), True)
    columns: list[list[Bars | Panels | Ranges]] = [[spread_chart(page)], [rank_bars(page.depth)]]
    lines = [1, 0]  # below the charts: the left one has a note
    for part in sorted(labels, key=lambda part: -len(part.rows)):
        place = lines.index(min(lines))
        columns[place].append(part)
        lines[place] += len(part.rows) + 2
    words = [_widest(page), "Click a bar or a row to narrow the list below; click again to take it back."]
    return [
        Section("queries", "Queries", "Where it fails", " ".join(filter(None, words))),
        Pair(columns[0], columns[1], stacked=True),
        query_list(page, list(run.measures)),
    ]


def _widest(page: QueryPage) -> str:
    """Return by which kind of query the leading measure differs most, where the intervals of its ends are apart."""
    measure, best, sentence = page.views[0].measure, 0.0, ""
    for part in page.slices:
        low, high = (pick(part.rows, key=lambda row: row.means[0][0]) for pick in (min, max))
        (least, _, least_high), (most, most_low, _) = low.means[0], high.means[0]
        if least_high is not None and most_low is not None and least_high < most_low and most - least > best:
            best, column = most - least, part.column.replace("_", " ")
            ends = [f"{value_text(row.means[0][0], page.spreads[0].top)} ({row.label})" for row in (low, high)]
            sentence = f"{measure} differs most by {column}: from {ends[0]} to {ends[1]}."
    if sentence or len(page.slices) == 0:
        return sentence
    return f"No kind of query differs measurably in {measure}: the intervals overlap."


def queries_section(
    page: QueryPage, labels: Sequence[Ranges] = (), marks: Sequence[str] = (), marked: bool = False
) -> list[PageBlock]:
    """Return how queries are spread, their means by label, and their list; `marked`: hits have marks of the views."""
    few = bool(page.spreads[0].dots)
    click = "" if few and not labels else "a row" if few else "a bar or a row" if labels else "a bar"
    narrows = f"Click {click} to narrow the list below; click again to take it back." if click else ""
    return [
        Section("queries", "Queries", "Where it fails", narrows, views_choice(page, marked)),
        Pair([spread_chart(page)], labels),
        query_list(page, marks),
    ]


def _tables(page: QueryPage | None) -> list[PageBlock]:
    """Return the numbers of the charts of queries."""
    if page is None:
        return []
    digits, tables = [3 if spread.top == 1.0 else 4 for spread in page.spreads], []
    for values_by_label in page.slices:
        rows = [
            [row.label, f"{row.queries:,}", *(estimate(*ends, n) for ends, n in zip(row.means, digits, strict=True))]
            for row in values_by_label.rows
        ]
        head = [values_by_label.column.replace("_", " "), "Queries", *(view.name for view in page.views)]
        tables.append(Table(head, rows, "lr" + "r" * len(page.views)))
    by_label = Folded("Means by label", f"{page.views[0].measure} with 95 % intervals", tables)
    curves = [depth_table(page.depth)] if page.depth is not None else []
    return [*curves, spread_table(page), *([by_label] if tables else [])]


def _judging(record: Record) -> list[tuple[str, str]]:
    criteria = record.settings["criteria"].value if "criteria" in record.settings else {}
    names = {
        "self_by": "the query itself, by",
        "gold_by": "relevant documents, by",
        "recall_denominator": "recall of",
        "max_positives": "positives at most",
    }
    rows = [(called, str(criteria[name])) for name, called in names.items() if criteria.get(name) is not None]
    cluster = record.settings["cluster"].value if "cluster" in record.settings else None
    return [*rows, *([("queries grouped by", str(cluster))] if cluster else [])]
