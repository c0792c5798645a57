"""The page of scores: how good, on which queries, and what was counted. There is no service, and so no latency."""

from collections.abc import Mapping, Sequence

from benchbench.measures.default_list import leading
from benchbench.measures.notation import resolve
from benchbench.measures.scores import RunScores, run_scores
from benchbench.report.blocks import Block, Facts, Table
from benchbench.report.layouts.card_parts import passed_gates
from benchbench.report.layouts.page_parts import (
    band,
    gates_said,
    measured_plot,
    measured_tile,
    reproduce,
    settings,
    spread_table,
)
from benchbench.report.layouts.page_scales import share_axis, value_text
from benchbench.report.layouts.run_page import is_share, queries_section
from benchbench.report.page_blocks import (
    Axis,
    Folded,
    Lede,
    Masthead,
    PageBlock,
    Panel,
    Panels,
    Plot,
    Section,
    Tile,
    Tiles,
    Tone,
)
from benchbench.results.figures import moment
from benchbench.results.record import Record
from benchbench.results.result import Result
from benchbench.runs.page import QueryPage, score_page
from benchbench.tables.shared_messages import counted

_SETTINGS = {
    "measure": "measures",
    "ties": "ties",
    "over": "mean over",
    "no_positives": "without positives",
    "rel": "rel",
    "score_precision": "score precision",
}
_TILES = 4
_Ends = tuple[float | None, float | None]
_Runs = Mapping[str, RunScores]  # by what tells them apart


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
    ends: dict[str, _Ends] = {}
    if page is not None:  # by measure of one run, or by run
        ends = {view.name: (low, high) for view, (_, low, high) in zip(page.views, page.means, strict=False)}
    made: list[Block | PageBlock | None] = [
        _masthead(record, runs),
        *band(record),
        _lede(runs, page),
        _tiles(runs, ends, page),
        *_quality(runs, ends if len(runs) == 1 else {}),
        *([] if page is None else queries_section(page)),
        Section("tables", "Tables", "Tables"),
        Folded("Every measure", "as trec_eval has them", [table, facts]),
        *([] if page is None else [spread_table(page)]),
        *passed_gates(record),
        Section("reproduce", "Reproduce", "Reproduce"),
        reproduce(record, [("Settings", settings(record, _SETTINGS))]),
    ]
    return [one for one in made if one is not None]


def _first(runs: _Runs) -> RunScores:
    return next(iter(runs.values()))


def _masthead(record: Record, runs: _Runs) -> Masthead:
    facts: list[str | tuple[str, Tone]] = []
    missing, whose = max(one.queries["missing"] for one in runs.values()), "the run" if len(runs) == 1 else "each run"
    if missing:
        facts.append((f"{counted(missing, 'judged query')} missing from {whose}, which count as 0", ""))
    else:
        facts.append((f"✓ {whose} has every judged query", "good"))
    facts += gates_said(record)
    facts.append((moment(record.started), ""))
    judged = counted(_first(runs).queries["judged"], "judged query")
    return Masthead("score", facts, record.signature, [f"{', '.join(runs)} ", "over", f" {judged}"])


def _lede(runs: _Runs, page: QueryPage | None) -> Lede:
    lead = leading(list(_first(runs).measures))
    values = [value_text(one.measures[lead], 1.0 if is_share(lead) else 0.0) for one in runs.values()]
    queries = f"{_first(runs).queries['judged']:,}"
    if len(runs) == 1:
        zeros = page.spreads[0].zeros if page is not None and page.views[0].measure == lead else 0
        last = [" judged queries; ", f"{zeros:,}", " of them have exactly 0."] if zeros else [" judged queries."]
        return Lede([f"{lead} is ", values[0], " over ", queries, *last])
    pieces = [f"{lead} is "]
    for place, (name, value) in enumerate(zip(runs, values, strict=True)):
        pieces += [value, f" for {name}{', ' if place < len(runs) - 1 else f', over {queries} judged queries.'}"]
    return Lede(pieces, "Whether they differ is another question, which benchbench compare answers.")


def _tiles(runs: _Runs, ends: dict[str, _Ends], page: QueryPage | None) -> Tiles:
    first = _first(runs)
    lead = leading(list(first.measures))
    if len(runs) > 1:
        some = list(runs.items())[:_TILES]
        return Tiles([_tile(f"{lead}, {name}", lead, one, ends.get(name, (None, None)), "") for name, one in some])
    order = list(dict.fromkeys((lead, *first.measures)))[:_TILES]
    total, said = first.queries["judged"], {}
    if page is not None:
        for view, spread in zip(page.views, page.spreads, strict=True):
            said[view.name] = f"{spread.zeros:,} of {counted(total, 'query')} have exactly 0."
    return Tiles([_tile(name, name, first, ends.get(name, (None, None)), said.get(name, "")) for name in order])


def _tile(title: str, name: str, one: RunScores, ends: _Ends, said: str) -> Tile:
    return measured_tile(title, one.measures[name], ends, is_share(name), said)


def _quality(runs: _Runs, ends: dict[str, _Ends]) -> list[PageBlock]:
    """Return a panel per run, with a dot per measure that is a share, on one scale."""
    measures = [name for name in _first(runs).measures if is_share(name)]
    if not measures:
        return []
    values = [one.measures[name] or 0.0 for one in runs.values() for name in measures]
    values += [high for _, high in ends.values() if high is not None and high <= 1.0]
    axis = share_axis(max(values))
    several = len(runs) > 1
    panels = [Panel(name if several else "", "", [_plot(name, one, ends, axis)]) for name, one in runs.items()]
    how = "The line through a dot is its 95 % bootstrap interval over queries." if ends else ""
    return [Section("quality", "Quality", "Every measure"), Panels(panels, 2 if several else 1, how)]


def _plot(name: str, one: RunScores, ends: dict[str, _Ends], axis: Axis) -> Plot:
    found = [
        (str(resolve(measure)[0]), measure, mean, *ends.get(measure, (None, None)))
        for measure, mean in one.measures.items()
        if is_share(measure)
    ]
    return measured_plot(name, found, axis, 220)
