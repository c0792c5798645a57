"""The page of scores: how good, on which queries, and what was counted. There is no service, and so no latency."""

from collections.abc import Sequence

from benchbench.measures.default_list import leading
from benchbench.measures.notation import resolve
from benchbench.measures.scores import RunScores, ScoreDetails, labels
from benchbench.report.blocks import Block, Facts, Table
from benchbench.report.layouts.card_parts import passed_gates
from benchbench.report.layouts.page_parts import (
    band,
    gates_said,
    measured_plot,
    measured_tile,
    query_list,
    reproduce,
    settings,
    spread_chart,
    spread_table,
    views_choice,
)
from benchbench.report.layouts.page_scales import share_axis, value_text
from benchbench.report.layouts.run_page import is_share
from benchbench.report.page_blocks import (
    Axis,
    Folded,
    Lede,
    Masthead,
    PageBlock,
    Pair,
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
    record, scores = result.record, result.details_as(ScoreDetails)
    names = labels([one.name for one in scores.runs])
    page = score_page(result, names, list(scores.runs[0].measures))
    ends: dict[str, _Ends] = {}
    if page is not None:  # by measure of one run, or by run
        ends = {view.name: (low, high) for view, (_, low, high) in zip(page.views, page.means, strict=False)}
    made: list[Block | PageBlock | None] = [
        _masthead(record, scores, names),
        *band(record),
        _lede(scores, names, page),
        _tiles(scores, names, ends, page),
        *_quality(scores, names, ends if len(names) == 1 else {}),
        *_queries(page),
        Section("tables", "Tables", "Tables"),
        Folded("Every measure", "as trec_eval has them", [table, facts]),
        *([] if page is None else [spread_table(page)]),
        *passed_gates(record),
        Section("reproduce", "Reproduce", "Reproduce"),
        reproduce(record, [("Settings", settings(record, _SETTINGS))]),
    ]
    return [one for one in made if one is not None]


def _masthead(record: Record, scores: ScoreDetails, names: Sequence[str]) -> Masthead:
    facts: list[str | tuple[str, Tone]] = []
    missing = max(one.queries["missing"] for one in scores.runs)
    if missing:
        facts.append((f"{counted(missing, 'judged query')} missing from {_whose(names)}, which count as 0", ""))
    else:
        facts.append((f"✓ {_whose(names)} has every judged query", "good"))
    facts += gates_said(record)
    facts.append((moment(record.started), ""))
    judged = counted(scores.queries["judged"], "judged query")
    return Masthead("score", facts, record.signature, [f"{', '.join(names)} ", "over", f" {judged}"])


def _whose(names: Sequence[str]) -> str:
    return "the run" if len(names) == 1 else "each run"


def _lede(scores: ScoreDetails, names: Sequence[str], page: QueryPage | None) -> Lede:
    lead = leading(list(scores.runs[0].measures))
    values = [_value(lead, one) for one in scores.runs]
    queries = f"{scores.queries['judged']:,}"
    if len(names) == 1:
        zeros = page.spreads[0].zeros if page is not None and page.views[0].measure == lead else 0
        last = [" judged queries; ", f"{zeros:,}", " of them have exactly 0."] if zeros else [" judged queries."]
        return Lede([f"{lead} is ", values[0], " over ", queries, *last])
    pieces = [f"{lead} is "]
    for place, (name, value) in enumerate(zip(names, values, strict=True)):
        pieces += [value, f" for {name}{', ' if place < len(names) - 1 else f', over {queries} judged queries.'}"]
    return Lede(pieces, "Whether they differ is another question, which benchbench compare answers.")


def _value(name: str, one: RunScores) -> str:
    return value_text(one.measures[name], 1.0 if is_share(name) else 0.0)


def _tiles(scores: ScoreDetails, names: Sequence[str], ends: dict[str, _Ends], page: QueryPage | None) -> Tiles:
    measures = list(scores.runs[0].measures)
    lead = leading(measures)
    if len(names) > 1:
        runs = list(zip(names, scores.runs, strict=True))[:_TILES]
        return Tiles([_tile(f"{lead}, {name}", lead, one, ends.get(name, (None, None)), "") for name, one in runs])
    order = list(dict.fromkeys((lead, *measures)))[:_TILES]
    total, said = scores.queries["judged"], {}
    if page is not None:
        for view, spread in zip(page.views, page.spreads, strict=True):
            said[view.name] = f"{spread.zeros:,} of {counted(total, 'query')} have exactly 0."
    return Tiles(
        [_tile(name, name, scores.runs[0], ends.get(name, (None, None)), said.get(name, "")) for name in order]
    )


def _tile(title: str, name: str, one: RunScores, ends: _Ends, said: str) -> Tile:
    return measured_tile(title, one.measures[name], ends, is_share(name), said)


def _quality(scores: ScoreDetails, names: Sequence[str], ends: dict[str, _Ends]) -> list[PageBlock]:
    """Return a panel per run, with a dot per measure that is a share, on one scale."""
    measures = [name for name in scores.runs[0].measures if is_share(name)]
    if not measures:
        return []
    values = [one.measures[name] or 0.0 for one in scores.runs for name in measures]
    values += [high for _, high in ends.values() if high is not None and high <= 1.0]
    axis = share_axis(max(values))
    several = len(names) > 1
    panels = [
        Panel(name if several else "", "", [_plot(name, one, measures, ends, axis)])
        for name, one in zip(names, scores.runs, strict=True)
    ]
    how = "The line through a dot is its 95 % bootstrap interval over queries." if ends else ""
    return [Section("quality", "Quality", "Every measure"), Panels(panels, 2 if several else 1, how)]


def _plot(name: str, one: RunScores, measures: Sequence[str], ends: dict[str, _Ends], axis: Axis) -> Plot:
    found = [
        (str(resolve(measure)[0]), measure, one.measures[measure], *ends.get(measure, (None, None)))
        for measure in measures
    ]
    return measured_plot(name, found, axis, 220)


def _queries(page: QueryPage | None) -> list[PageBlock]:
    if page is None:
        return []
    few = bool(page.spreads[0].dots)
    said = "" if few else "Click a bar to narrow the list below; click again to take it back."
    return [
        Section("queries", "Queries", "Where it fails", said, views_choice(page, False)),
        Pair([spread_chart(page)], []),
        query_list(page, []),
    ]
