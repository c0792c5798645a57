"""The page of scores: how good, on which queries, and what was counted. There is no service, and so no latency."""

from collections.abc import Mapping, Sequence

from msgspec.structs import replace

from benchbench.measures.catalog import CATALOG
from benchbench.measures.default_list import leading
from benchbench.measures.headline import headline
from benchbench.measures.notation import is_total, measured, resolve
from benchbench.measures.scores import RunScores, run_scores
from benchbench.report.blocks import Block, Facts, Table
from benchbench.report.layouts.page_parts import (
    band,
    head,
    measured_plot,
    measured_tile,
    passed_gates,
    reproduce,
    settings,
)
from benchbench.report.layouts.page_scales import rows_axis, share_axis, value_text
from benchbench.report.layouts.query_parts import spread_table
from benchbench.report.layouts.run_page import queries_section
from benchbench.report.page_blocks import (
    Cloud,
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
    Tiles,
    Tone,
)
from benchbench.report.render.lines import cut
from benchbench.results.record import Number, Record
from benchbench.results.result import Result
from benchbench.runs.page import QueryPage, score_page
from benchbench.tables.shared_messages import and_joined, counted, few

_SETTINGS = {
    "measure": "measures",
    "ties": "ties",
    "over": "mean over",
    "no_positives": "without positives",
    "rel": "rel",
    "score_precision": "score precision",
}
_TILES = 4
_MANY = 30  # runs: of more, all but the best are a cloud
_NAMED = 4  # runs: of more, the best alone is named
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
        _tiles(numbers, _first(runs).queries["judged"], page),
        *(_quality(numbers) if len(runs) == 1 else _leaders(runs)),
        *([] if page is None else queries_section(page)),
        Section("tables", "Tables", "Tables"),
        Folded("Every measure", "as trec_eval has them", [table, facts]),
        *([] if page is None else [spread_table(page)]),
        *passed_gates(record),
        *reproduce(record, [("Settings", settings(record, _SETTINGS))]),
    ]
    return [block for block in page_blocks if block is not None]


def _first(runs: _Runs) -> RunScores:
    return next(iter(runs.values()))


def _masthead(record: Record, runs: _Runs) -> Masthead:
    missing, whose = max(run.queries["missing"] for run in runs.values()), "the run" if len(runs) == 1 else "each run"
    state: tuple[str, Tone] = (f"✓ {whose} has every judged query", "good")
    if missing:
        state = f"{counted(missing, 'judged query')} missing from {whose}, which count as 0", ""
    names = few(list(runs), what="more runs")
    about = [names, counted(_first(runs).queries["judged"], "judged query")]
    return head("score", record, about, headline(list(runs.values())).sentences[0][1], states=[state])


def _lede(runs: _Runs, page: QueryPage | None) -> Lede:
    lead = leading(list(_first(runs).measures))
    values = [measured(lead, run.measures[lead].value) for run in runs.values()]
    queries = f"{_first(runs).queries['judged']:,}"
    if len(runs) == 1:
        zeros = page.spreads[0].zeros if page is not None and page.views[0].measure == lead else 0
        last = [" judged queries; ", f"{zeros:,}", " of them have exactly 0."] if zeros else [" judged queries."]
        return Lede([f"{lead} is ", values[0], " over ", queries, *last])
    pieces = [f"{lead} is "]
    for place, (name, value) in enumerate(zip(runs, values, strict=True)):
        pieces += [value, f" for {name}{', ' if place < len(runs) - 1 else f', over {queries} judged queries.'}"]
    return Lede(pieces, "To test the difference: benchbench compare")


def _with_intervals(runs: _Runs, page: QueryPage | None) -> _Numbers:
    """Return the measures of each run, with the intervals that the page makes of values per query."""
    by_run = {label: dict(run.measures) for label, run in runs.items()}
    for view, (_, low, high) in [] if page is None else zip(page.views, page.means, strict=False):
        label = view.name if len(runs) > 1 else next(iter(runs))
        by_run[label][view.measure] = replace(by_run[label][view.measure], low=low, high=high)
    return by_run


def _tiles(numbers: _Numbers, judged: int, page: QueryPage | None) -> Tiles:
    first = next(iter(numbers.values()))
    lead = leading(list(first))
    if len(numbers) > 1:
        first_runs = list(numbers.items())[:_TILES]
        return Tiles([measured_tile(f"{lead}, {label}", measures[lead], "") for label, measures in first_runs])
    words = {}
    if page is not None:
        for view, spread in zip(page.views, page.spreads, strict=True):
            words[view.name] = f"{spread.zeros:,} of {counted(judged, 'query')} have exactly 0."
    order = list(dict.fromkeys((lead, *first)))[:_TILES]
    return Tiles([measured_tile(name, first[name], words.get(name, "")) for name in order])


def _quality(numbers: _Numbers) -> list[PageBlock]:
    """Return a dot per measure of a run that is a share, on one scale."""
    shares = [entry for of_run in numbers.values() for entry in of_run.items() if not is_total(entry[0])]
    if not shares:
        return []
    highs = [number.high for _, number in shares if number.high is not None]
    axis = share_axis(max([*(number.value or 0.0 for _, number in shares), *(high for high in highs if high <= 1.0)]))
    how = "The line through a dot is its 95 % interval over queries." if highs else ""
    plot = measured_plot(next(iter(numbers)), shares, axis, 220)
    return [Section("quality", "Quality", "Every measure"), Panels([Panel("", "", [plot], name="quality")], 1, how)]


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
        if len(values) > _MANY:
            marks += [Cloud([(value, place) for value, _ in values[1:]], muted=True)]
        for value, label in values[: 1 if len(values) > _MANY else None]:
            told = f"{cut(label, _LONGEST)} {value_text(value, 1.0)}"
            text = told if value == best or len(values) <= _NAMED else ""
            marks.append(Dot(value, place, text, hollow=value < best, hint=f"{label}: {name} {value_text(value, 1.0)}"))
        tied = [label for value, label in values if value == best]
        leads.setdefault(leader if len(tied) == 1 else "", []).insert(0, name)
    marks.reverse()  # labels of the first measures, and of the best runs, stay where there is no room for all
    words = [f"{cut(label, _LONGEST)} in {and_joined(names)}" for label, names in leads.items() if label]
    words += [f"several runs in {and_joined(leads[''])}"] if "" in leads else []
    sentence = f"Highest mean, a filled dot: {'; '.join(words)}."
    axis = share_axis(max(values[0][0] for _, values in rows))
    y = rows_axis([name for name, _ in rows])
    heading = "Which run is better in what"
    plot = Plot(f"{heading}. {sentence}", axis, y, marks, 60 + _ROW * len(rows))
    return [
        Section("quality", "Quality", heading),
        Panels([Panel("Mean of each measure", sentence, [plot], name="quality")], 1),
    ]
