"""The page of a run: what failed, how good, how fast, where it fails, and how to do it again."""

from collections.abc import Mapping, Sequence

from msgspec.structs import replace

from benchbench.measures.notation import is_total, resolve
from benchbench.report.blocks import Block, Facts, Table, Text
from benchbench.report.layouts.depth_charts import FEWEST, depth_panels, depth_table, rank_bars
from benchbench.report.layouts.page_parts import (
    band,
    failures_table,
    given,
    measured_plot,
    passed_gates,
    reproduce,
    settings,
)
from benchbench.report.layouts.page_scales import share_axis, value_text
from benchbench.report.layouts.query_parts import query_list, ranges, spread_chart, spread_table, views_choice
from benchbench.report.layouts.run import removed
from benchbench.report.layouts.run_head import equal_at_limit, lede, masthead, tiles
from benchbench.report.layouts.speed_charts import speed_section
from benchbench.report.page_blocks import (
    Axis,
    Band,
    Bars,
    Choice,
    Folded,
    Option,
    PageBlock,
    Pair,
    Panel,
    Panels,
    Plot,
    Ranges,
    Section,
)
from benchbench.results.figures import estimate
from benchbench.results.record import Number, Record
from benchbench.results.result import Result
from benchbench.runs.page import QueryPage, run_page, run_speed
from benchbench.runs.run_details import AskedOptions, Run, run_of
from benchbench.tables.shared_messages import capital, counted
from benchbench.tasks.criteria import RECALL_LIMIT

_IN_A_ROW = 4  # charts
_NAMES = {
    "nDCG": ("nDCG", "How close the ranking is to the ideal one; early ranks count most."),
    "Success": ("Success", "Share of queries with at least one relevant hit."),
    "P": ("Precision", "Share of the hits that are relevant."),
    "R": ("Recall", "Share of the relevant documents that were found."),
    "RR": ("RR", "1 over the rank of the first relevant hit, averaged."),
    "F1": ("Macro-F1", "Precision and recall of each query in one, averaged."),
    "microF1": ("Micro-F1", "Precision and recall over all queries together, in one."),
    "microP": ("Micro-precision", "Share of all hits together that are relevant."),
    "microR": ("Micro-recall", "Relevant hits found over all queries together."),
    "AP": ("AP", "Precision at each relevant hit, averaged."),
}
_MEASURED = {
    "protocol": "protocol",
    "url": "URL",
    "batch_size": "queries per request",
    "top_k": "hits per query",
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
    limits = [note.text for note in record.notes if note.shown == "always"]
    equal = equal_at_limit(record, run)
    page_blocks: list[Block | PageBlock | None] = [
        masthead(record, run, page),
        *_band(record, run, requests),
        lede(run, none, page, asked.batch_size),
        None if none else tiles(run, asked, page, equal),
        *(
            Text([f"▲ {capital(limit).removesuffix('.')}."])
            for limit in dict.fromkeys((run.bottleneck, *limits))
            if limit
        ),
        *([] if none else _quality(run, page, equal)),
        *([] if page is None else _queries(page, run)),
        *([] if speed is None or run.latency.too_few else speed_section(speed, run.latency, page)),
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


def _quality(run: Run, page: QueryPage | None, equal: bool) -> list[PageBlock]:
    """Return a panel per task, with a plot per measure: its values at each cut-off; of one task a panel per measure."""
    depth = None if page is None else page.depth
    gone = removed(run.counts)
    gone = f" Removed before ranking: {gone}." if gone else ""
    if page is not None and depth is not None and depth.hits >= FEWEST:
        how = f"{'Bands are 95 % intervals over queries.' if page.total > 1 else ''}{gone}".strip()
        panels = depth_panels(depth)
        return [Section("quality", "Quality", "Quality", how), Panels(panels, len(panels))]
    families: dict[str, list[str]] = {}
    for name in run.names:
        (measure,) = resolve(name)
        if not is_total(name):
            families.setdefault(str(replace(measure, cutoff=None)), []).append(name)
    order = sorted(families, key=lambda name: list(_NAMES).index(name) if name in _NAMES else len(_NAMES))
    if not order:
        return []
    explained = _NAMES | ({"R": ("Recall", f"Relevant hits divided by {RECALL_LIMIT}.")} if equal else {})
    called = [explained.get(name, (name, f"{name} as its settings say.")) for name in order]
    has_intervals = any(estimate.low is not None for estimate in run.estimates)
    how = f"{'The line through a dot is its 95 % interval over queries.' if has_intervals else ''}{gone}".strip()
    if equal:
        how += f" Recall divides by {RECALL_LIMIT}: recall, precision and F1 are the same at @{RECALL_LIMIT}."
    heading = "Quality at each cut-off" if any("@" in name for name in run.names) else "Quality"
    rules = {} if page is None else page.rules
    axes = {name: share_axis(_largest(run, families[name])) for name in order}
    if len(run.measures) == 1:
        ((task, measures),) = run.measures.items()
        axis = max(axes.values(), key=lambda axis: axis.high)
        panels = [
            Panel(name, words, [_cutoffs(task, family, families[family], measures, axis)], name=f"quality-{name}")
            for family, (name, words) in list(zip(order, called, strict=True))[:_IN_A_ROW]
        ]
        rule = rules.get(task, ("", ""))[0]
        return [Section("quality", "Quality", heading, rule), Panels(panels, max(len(panels), 2), how)]
    options = [Option(name, None, explanation) for name, explanation in called]
    choice = Choice("measure", "Measure", options) if len(options) > 1 else None
    panels = [
        Panel(
            capital(task),
            rules.get(task, ("", ""))[0],
            [_cutoffs(task, name, families[name], measures, axes[name]) for name in order],
            "measure",
            place,
            name=f"quality-{task}",
        )
        for place, (task, measures) in enumerate(run.measures.items())
    ]
    return [
        Section("quality", "Quality", heading, options[0].subtitle, choice),
        Panels(panels, min(len(panels), _IN_A_ROW), how),
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
    lines = [0, 0]  # below the charts
    for part in sorted(labels, key=lambda part: -len(part.rows)):
        place = lines.index(min(lines))
        columns[place].append(part)
        lines[place] += len(part.rows) + 2
    words = [_trend(page), "Click a bar or a row to narrow the list below; click again to clear."]
    return [
        Section("queries", "Where it fails", "Where it fails", " ".join(filter(None, words))),
        Pair(columns[0], columns[1], stacked=True),
        query_list(page, list(run.measures)),
    ]


def _trend(page: QueryPage) -> str:
    """Return the lowest and the highest mean of the leading measure, of the kind whose groups differ most.

    Labels of the data are not compared: they can be many, and the intervals of some are apart by chance.
    """
    apart: dict[float, str] = {}
    kinds = [part for part in page.slices if part.ordered]
    for part in kinds:
        groups = sorted(part.rows, key=lambda row: row.means[0][0])
        ends = [row.means[0] for row in groups]
        if min(mean if high is None else high for mean, _, high in ends) < max(
            mean if low is None else low for mean, low, _ in ends
        ):
            lowest, highest = (
                f"{value_text(row.means[0][0], page.spreads[0].top)} ({row.label}: {counted(row.queries, 'query')})"
                for row in (groups[0], groups[-1])
            )
            by = f"By {part.column.replace('_', ' ')}, {page.views[0].measure}"
            apart[ends[-1][0] - ends[0][0]] = f"{by} is lowest at {lowest} and highest at {highest}."
    if apart:
        return apart[max(apart)]
    return "No kind of query is clearly easier or harder: the intervals of all groups overlap." if kinds else ""


def queries_section(
    page: QueryPage, labels: Sequence[Ranges] = (), marks: Sequence[str] = (), marked: bool = False
) -> list[PageBlock]:
    """Return how queries are spread, their means by label, and their list; `marked`: hits have marks of the views."""
    heading = "Where runs differ" if page.one_measure and not marked else "Where it fails"
    few = bool(page.spreads[0].dots)
    click = "" if few and not labels else "a row" if few else "a bar or a row" if labels else "a bar"
    narrows = f"Click {click} to narrow the list below; click again to clear." if click else ""
    return [
        Section("queries", heading, heading, narrows, views_choice(page, marked)),
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
        head = [values_by_label.column.replace("_", " "), "Queries", *(view.title for view in page.views)]
        tables.append(Table(head, rows, "lr" + "r" * len(page.views)))
    by_label = Folded("Means by group", f"{page.views[0].measure} with 95 % intervals", tables)
    curves = [depth_table(page.depth)] if page.depth is not None else []
    return [*curves, spread_table(page), *([by_label] if tables else [])]


def _judging(record: Record) -> list[tuple[str, str]]:
    criteria = given(record, "criteria", {})
    names = {
        "self_by": "query matched by",
        "gold_by": "documents matched by",
        "recall_denominator": "recall divides by",
        "max_positives": "relevant documents used",
    }
    words = {"fixed": f"{RECALL_LIMIT}", "capped": f"at most {RECALL_LIMIT}", "full": "all", "0": "all"}
    chosen = {called: str(criteria[name]) for name, called in names.items() if criteria.get(name) is not None}
    rows = [(called, words.get(value, value)) for called, value in chosen.items()]
    cluster = given(record, "cluster")
    return [*rows, *([("queries grouped by", str(cluster))] if cluster else [])]
