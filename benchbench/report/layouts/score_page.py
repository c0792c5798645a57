"""The page of scores: how good, on which queries, and what was counted. There is no service, and so no latency."""

from collections.abc import Mapping, Sequence

from msgspec.structs import replace

from benchbench.measures.catalog import CATALOG
from benchbench.measures.default_list import leading
from benchbench.measures.headline import COMPARE, headline
from benchbench.measures.notation import is_total, measured, resolve
from benchbench.measures.scores import RunScores, run_scores
from benchbench.report.blocks import Block, Facts, Table
from benchbench.report.layouts.page_parts import (
    band,
    head,
    passed_gates,
    reproduce,
    settings,
)
from benchbench.report.layouts.page_scales import rows_axis, share_axis, value_axis, value_text
from benchbench.report.layouts.query_parts import ends_said, spread_table
from benchbench.report.layouts.run_page import queries_section
from benchbench.report.layouts.score import order
from benchbench.report.page_blocks import (
    Dot,
    Folded,
    Lede,
    Masthead,
    PageBlock,
    Panel,
    Panels,
    Path,
    Plot,
    PlotMark,
    Section,
    Tone,
)
from benchbench.report.render.lines import cut
from benchbench.report.row_drawings import Forest, ForestRow
from benchbench.results.figures import ends, estimate
from benchbench.results.record import Number, Record
from benchbench.results.result import Result
from benchbench.runs.page import QueryPage, score_page
from benchbench.tables.shared_messages import and_joined, counted, few

_SETTINGS = {
    "measure": "measures",
    "ties": "order of ties",
    "over": "queries in the mean",
    "no_positives": "query without a relevant document",
    "rel": "lowest relevant grade",
    "score_precision": "score precision",
}
_MOST = 30  # runs that have a row
_BESIDE = 5  # measures beside the first one for which a row has room
_NEXT = 2  # runs behind the best that are named first
_NAMED = 4  # runs: of more, a chart of all measures has no room for their names
_LONGEST = 18  # letters of the name of a run in a chart
_ROW = 44  # pixels of a measure, with room for names above and below its line
_Runs = Mapping[str, RunScores]  # by what tells them apart
_Numbers = Mapping[str, Mapping[str, Number]]  # by run and measure


def blocks(result: Result, shared: Sequence[Block]) -> list[Block | PageBlock]:
    """Return the page.

    Parameters
    ----------
    result
        Scores of a run or of several.
    shared
        What other formats have too, with a table of every measure, and what was counted.
    """
    table = next(block for block in shared if isinstance(block, Table))
    facts = next(block for block in shared if isinstance(block, Facts))
    record, runs = result.record, run_scores(result)
    page = score_page(result, list(runs), list(_first(runs).measures))
    numbers = _with_intervals(runs, page)
    page_blocks: list[Block | PageBlock | None] = [
        _masthead(record, runs),
        *band(record),
        _lede(runs, page),
        *_quality(numbers, _ranked(runs)),
        *([] if not 1 < len(runs) <= _NAMED else _leaders(runs)),
        *([] if page is None else queries_section(page)),
        Section("tables", "Tables", "Tables"),
        Folded("Every measure", "with the definitions of trec_eval", [table, facts]),
        *([] if page is None else [spread_table(page)]),
        *passed_gates(record),
        *reproduce(record, [("Settings", settings(record, _SETTINGS))]),
    ]
    return [block for block in page_blocks if block is not None]


def _first(runs: _Runs) -> RunScores:
    return next(iter(runs.values()))


def _masthead(record: Record, runs: _Runs) -> Masthead:
    missing, whose = max(run.queries["missing"] for run in runs.values()), "the run" if len(runs) == 1 else "some run"
    state: tuple[str, Tone] = ("✓ no judged query is missing", "good")
    if missing:
        state = f"{counted(missing, 'judged query')} missing from {whose}, counted as 0", ""
    names = few(list(runs), what="more runs")
    about = [names, counted(_first(runs).queries["judged"], "judged query")]
    return head("score", record, about, headline(list(runs.values())).sentences[0][1], states=[state])


def _lede(runs: _Runs, page: QueryPage | None) -> Lede | None:
    """Return of one run how many queries fail or are perfect, of several those behind the best, and the last."""
    lead = leading(list(_first(runs).measures))
    if len(runs) == 1:
        if page is None or page.views[0].measure != lead:
            return None
        pieces = ends_said(page, lead)
        fewest, other = min((of.zeros, view.measure) for view, of in zip(page.views, page.spreads, strict=True))
        if fewest < page.spreads[0].zeros:
            pieces[-2:] = [f"{fewest:,}", f" {other} of exactly 0."]
        return Lede(pieces)
    shown = [f"{label} {measured(lead, runs[label].measures[lead].value)}" for label in _ranked(runs)[1:]]
    last = [". The last is ", shown[-1]] if len(shown) > _NEXT else []
    return Lede(["Next: ", and_joined(shown[:_NEXT]), *last, "."], COMPARE)


def _ranked(runs: _Runs) -> list[str]:
    """Return the runs, that with the best leading measure first."""
    labels = list(runs)
    return [labels[place] for place in order(list(runs.values()), leading(list(_first(runs).measures)))]


def _with_intervals(runs: _Runs, page: QueryPage | None) -> _Numbers:
    """Return the measures of each run, with the intervals that the page makes of values per query."""
    by_run = {label: dict(run.measures) for label, run in runs.items()}
    for view, (_, low, high) in [] if page is None else zip(page.views, page.means, strict=False):
        label = view.name if len(runs) > 1 else next(iter(runs))
        by_run[label][view.measure] = replace(by_run[label][view.measure], low=low, high=high)
    return by_run


def _quality(numbers: _Numbers, ranked: Sequence[str]) -> list[PageBlock]:
    """Return a row for each measure of a run that is a share; of several runs one for each, the best first."""
    first = next(iter(numbers.values()))
    lead = leading(list(first))
    names = [name for name in first if not is_total(name)]
    heading, how, others = "Every measure", "", []
    rows = {name: first[name] for name in names}
    if len(numbers) > 1:
        rows = {label: numbers[label][lead] for label in ranked[:_MOST] if lead in names}
        others = [name for name in names if name != lead][:_BESIDE]
        heading, how = f"Runs by {lead}", "Each interval is of one run alone; dashed: the best mean."
        if len(rows) < len(numbers):
            how += f" The best {len(rows)} of {len(numbers):,}."
    drawn = []
    for place, (name, number) in enumerate(rows.items(), 1):
        value = number.value or 0.0
        low, high = (value if end is None else min(max(end, 0.0), 1.0) for end in (number.low, number.high))
        texts = [measured(lead, number.value), ends(number), *(measured(n, numbers[name][n].value) for n in others)]
        hint = f"{name} {estimate(number.value, number.low, number.high)}"
        rank = f"{place}" if len(numbers) > 1 else ""
        drawn.append(ForestRow(name, rank, value, low, high, (), [(text, "") for text in texts], hint=hint))
    if not drawn:
        return []
    heads = [lead if len(numbers) > 1 else "mean", "95 % interval", *others]
    axis = share_axis(max(row.high for row in drawn))
    if len(numbers) > 1:  # runs are near one another: a scale from 0 would hide how they differ
        axis = value_axis([end for row in drawn for end in (row.low, row.high)])
    words = f"{heading}: {'; '.join(row.hint for row in drawn)}."
    forest = Forest(words, heads, drawn, (), *axis[:3], "run" if len(numbers) > 1 else "measure")
    panel = Panel("Means with 95 % intervals", how, [forest], name="quality")
    return [Section("quality", "Quality", heading), Panels([panel], 1)]


def _leaders(runs: _Runs) -> list[PageBlock]:
    """Return a row per measure with the values of all runs, of which the best is named first."""
    rows = []
    for name in _first(runs).measures:
        (parsed,) = resolve(name)
        values = [(run.measures[name].value, label) for label, run in runs.items()]
        known = [(value, label) for value, label in values if value is not None]
        if not is_total(name) and CATALOG[parsed.name].direction == "higher" and known:
            rows.append((name, sorted(known, key=lambda value: -value[0])))
    if not rows:
        return []
    marks: list[PlotMark] = []
    leads: dict[str, list[str]] = {}
    for place, (name, values) in enumerate(reversed(rows)):
        (best, leader), (least, _) = values[0], values[-1]
        marks.append(Path([(least, place), (best, place)], thin=True))
        for value, label in values:
            text = f"{cut(label, _LONGEST)} {value_text(value, 1.0)}"
            marks.append(Dot(value, place, text, hollow=value < best, hint=f"{label}: {name} {value_text(value, 1.0)}"))
        tied = [label for value, label in values if value == best]
        leads.setdefault(leader if len(tied) == 1 else "", []).insert(0, name)
    marks.reverse()  # labels of the first measures, and of the best runs, stay where there is no room for all
    words = [f"{cut(label, _LONGEST)} in {and_joined(names)}" for label, names in leads.items() if label]
    words += [f"several runs in {and_joined(leads[''])}"] if "" in leads else []
    sentence = f"Highest mean, a filled dot: {'; '.join(words)}."
    axis = share_axis(max(values[0][0] for _, values in rows))
    y = rows_axis([name for name, _ in rows])
    heading = "Best run by measure"
    plot = Plot(f"{heading}. {sentence}", axis, y, marks, 60 + _ROW * len(rows))
    return [
        Section("measures", "Measures", heading),
        Panels([Panel("Mean of each measure", sentence, [plot], name="measures")], 1),
    ]
