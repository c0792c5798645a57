"""The head of the page of a run: its result in sentences, and the numbers that get quoted."""

from collections.abc import Mapping

from benchbench.measures.default_list import leading
from benchbench.measures.notation import measured, resolve
from benchbench.report.layouts.page_parts import given, head, measured_tile
from benchbench.report.layouts.page_scales import span_parts, value_text
from benchbench.report.layouts.query_parts import ends_said
from benchbench.report.layouts.run import unit
from benchbench.report.page_blocks import Lede, Masthead, Tile, Tiles, Tone
from benchbench.results.figures import share, time
from benchbench.results.record import Number, Record
from benchbench.runs.headline import few_requests
from benchbench.runs.page import QueryPage, View
from benchbench.runs.run_details import AskedOptions, Run
from benchbench.tables.shared_messages import and_joined, capital, counted
from benchbench.tasks.criteria import RECALL_LIMIT

_IN_A_ROW = 4  # tiles
_SAME = ("R", "F1", "microP", "microR", "microF1")  # as P at the limit of recall


def masthead(record: Record, run: Run, page: QueryPage | None) -> Masthead:
    """Return the line of facts and the title: the leading measure, of several tasks that of each."""
    counts = run.counts
    queries, name = counted(counts["queries"], "query"), record.data.name or "a data set"
    state: tuple[str, Tone] = (f"✓ {'all ' if counts['queries'] > 1 else ''}{queries} answered", "good")
    title = f"No query of {name} was answered by {run.name}."
    if counts["failed"]:
        state = f"✕ {counts['failed']:,} of {queries} got no answer", "bad"
    if counts["failed"] < counts["queries"]:
        task, measures = next(iter(run.measures.items()))
        leads = leading(list(measures))
        sought = _sought(page, task)
        known = {task: of_task[leads].value for task, of_task in run.measures.items() if leads in of_task}
        values = [f"{measured(leads, known[task])} for {capital(task)}" for task in list(known)[:_IN_A_ROW]]
        more, value = len(run.measures) - len(values), measured(leads, known[task])
        title = f"{run.name} reaches {leads} {value} on {name}."
        if len(run.measures) > 1:
            values += [counted(more, "other task")] if more else []
            title = f"{run.name} on {name} reaches {leads} {and_joined(values)}."
        elif sought:
            title = f"{run.name} finds documents with {sought} on {name}: {leads} {value}."
    no_gates: list[tuple[str, Tone]] = [] if record.gates else [("no gates set", "")]
    return head("run", record, [f"{run.name} on {name}", queries], title, states=[state, *no_gates])


def lede(run: Run, none: bool, page: QueryPage | None, batch: int) -> Lede:
    """Return how many queries found something, and how fast; `none`: no query was answered, `batch`: per request."""
    counts, latency = run.counts, run.latency
    if none:
        return Lede(
            ["", f"None of {counted(counts['queries'], 'query')}", " was answered, so there is nothing to judge."]
        )
    if counts["failed"]:
        begin = ["Read the numbers as a lower bound: the ", f"{counts['failed']:,}"]
        first, *others = _sentence(run, page)
        return Lede([*begin, f" queries without an answer count as 0. {first}", *others])
    *begin, end = _sentence(run, page)
    if latency.too_few:
        slowest = f"the slowest{f', of up to {batch:,} queries,' if batch > 1 else ''} took "
        slowest = "it took " if latency.timed == 1 else slowest
        return Lede([*begin, f"{end} {few_requests(run)}; {slowest}", time(latency.max), "."])
    middle, *rest = latency.known.items()
    pieces = [*begin, f"{end} Median ", time(middle[1])]
    pieces += [f", {rest[-1][0]} ", time(rest[-1][1])] if rest else []
    of = unit(run, batch).removesuffix(" of 1 query")
    return Lede([*pieces, f" per {of}, {counted(latency.timed, 'request')}."])


def _sentence(run: Run, page: QueryPage | None) -> list[str]:
    """Return pieces about how many queries found something, or how many have the ends of the leading measure."""
    if page is not None and page.depth is not None:
        ranks, deep = page.depth.ranks, min(10, page.depth.hits)
        early, best = ((ranks > 0) & (ranks <= deep)).sum(), (ranks == 1).sum()
        have = "has" if len(ranks) == 1 else "have"
        which = "document of the best grade" if page.depth.graded else "relevant document"
        words = f" {have} a {which} in the first {counted(deep, 'hit')}, "
        return ["", f"{early:,} of {counted(len(ranks), 'query')}", words, f"{best:,}", " in first place."]
    task, measures = next(iter(run.measures.items()))
    name, queries = _found(measures), run.counts["queries"]
    number, (measure,) = measures[name], resolve(name)
    of_task = f" ({capital(task)})" if len(run.measures) > 1 else ""
    if measure.name != "Success" and page is not None:
        view = page.views[0]
        return ends_said(page, f"{view.measure} ({view.title})" if of_task else view.measure)
    if measure.name != "Success" or number.value is None:
        return [f"{name}{of_task} is ", value_text(number.value, 1.0), f" over {counted(queries, 'query')}."]
    first = "the hits" if measure.cutoff is None else f"the first {measure.cutoff} hits"
    if measure.cutoff == 1:
        first = "first place"
    count = f"{round(number.value * queries):,} of {counted(queries, 'query')}"
    sought = _sought(page, task)
    return ["", count, f" have {f'a hit with {sought}' if sought else 'a relevant document'} in {first}{of_task}."]


def _sought(page: QueryPage | None, task: str) -> str:
    """Return what a relevant hit of a task has, in a few words; empty where that is not known."""
    return "" if page is None else page.rules.get(task, ("", ""))[1]


def _found(measures: Mapping[str, Number]) -> str:
    """Return the measure of how many queries found something; where nobody asked that, the leading one."""
    hits = [name for name in measures if name.startswith("Success")]
    return hits[-1] if hits else leading(list(measures))


def equal_at_limit(record: Record, run: Run) -> bool:
    """Return whether recall divides by as many documents as a cut-off has, where precision and F1 are then the same."""
    criteria = given(record, "criteria", {})
    return criteria.get("recall_denominator") == "fixed" and f"R@{RECALL_LIMIT}" in run.names


def tiles(run: Run, asked: AskedOptions, page: QueryPage | None, equal: bool) -> Tiles:
    """Return the leading measure of each task, further ones, and where there is room how fast the answers came.

    `equal`: recall and F1 at the limit of recall repeat precision.
    """
    latency, tasks = run.latency, run.measures
    leads = [(task, leading(list(measures))) for task, measures in tasks.items()]
    found = [(task, _found(measures)) for task, measures in tasks.items()]
    task, measures = next(iter(tasks.items()))
    families = {name: name.partition("@")[0] for name in measures}
    deepest = {family: name for name, family in families.items() if not (equal and family in _SAME)}.values()
    named = dict.fromkeys((*leads, *found, *((task, name) for name in deepest)))
    room = min(max(len(tasks), _IN_A_ROW), 2 * _IN_A_ROW)
    with_speed = len(tasks) <= _IN_A_ROW // 2 and not latency.too_few
    shown = [_tile(run, page, *names) for names in list(named)[: _IN_A_ROW // 2 if with_speed else room]]
    if not with_speed:
        return Tiles(shown)
    first, *rest = latency.known.items()
    *span, small = span_parts(first[1], rest[-1][1] if rest else latency.max)
    title = f"Latency, median and {rest[-1][0] if rest else 'slowest'}"
    words = counted(latency.timed, "request" if latency.timed == latency.requests else "query")
    words += f"; the slowest {time(latency.max)}." if rest else ": too few for percentiles."
    shown.append(Tile(title, span, small, f"per {unit(run, asked.batch_size)}", words))
    used = f" The client used {share(run.client['cpu'])} of a core." if "cpu" in run.client else ""
    rate = f"{counted(run.counts['scored'], 'query')} in {latency.seconds:.2f} s.{'' if run.bottleneck else used}"
    flight = f"{counted(asked.concurrency, 'request')} in flight"
    shown.append(Tile("Queries per second", [f"{latency.queries_per_second:,.0f}"], "", flight, rate))
    return Tiles(shown)


def _tile(run: Run, page: QueryPage | None, task: str, name: str) -> Tile:
    number, queries = run.measures[task][name], run.counts["queries"]
    words = ""
    (measure,) = resolve(name)
    depth = None if page is None else page.depth
    spreads = {} if page is None else dict(zip(page.views, page.spreads, strict=True))
    spread = spreads.get(View(task, name, f"{task}.{name}"))
    if depth is not None and not depth.graded and measure.name == "R" and measure.cutoff == depth.hits:
        lost = int((depth.ranks == 0).sum())
        which = f"{counted(lost, 'query')} {'has' if lost == 1 else 'have'} no" if lost else "Every query has a"
        help_there = ": reranking cannot help there" if lost else ""
        words = f"{which} relevant document in the first {depth.hits:,}{help_there}."
    elif spread is not None and spread.answered is not None:
        words = f"Over the {run.counts['scored']:,} answered queries alone it is {value_text(spread.answered, 1.0)}."
    elif spread is not None and spread.zeros:
        words = f"{spread.zeros:,} of {counted(queries, 'query')} have exactly 0."
    return measured_tile(f"{name}, {capital(task)}" if len(run.measures) > 1 else name, number, words)
