"""Labels by a judge: how many there are, what they settle, how far to trust them, and what they cost."""

from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

from benchbench.judging.agreement.numbers import MEASURES
from benchbench.judging.relevance.holes import HoleCase
from benchbench.judging.relevance.relevance_result import RelevanceDetails, headline, pairs_of, trust
from benchbench.report.blocks import EVERYWHERE, TERMINAL, AnyCell, Facts, Table, Text
from benchbench.report.layout import Layout
from benchbench.report.layouts import items_page
from benchbench.report.layouts.card_parts import attacks, histogram, judge_bands
from benchbench.report.layouts.items_page import AnyBlock
from benchbench.report.layouts.judge_facts import facts as facts_of_judge
from benchbench.report.page_blocks import (
    Axis,
    Dot,
    Folded,
    Masthead,
    Panel,
    Panels,
    Path,
    Plot,
    Section,
    Tile,
    Tiles,
)
from benchbench.report.render.lines import bar
from benchbench.report.standard import standard
from benchbench.results.figures import NOTHING, ends, interval, moment, money, share, signed, value
from benchbench.results.record import Record
from benchbench.results.result import Result
from benchbench.tables.shared_messages import counted

_PAIRS = (
    *("dataset", "queries", "qrels", "collection", "pairs", "depth", "holes", "measures", "limit"),
    *("compare_with", "compare_sample", "ranked_by"),
)
_BAR = 20  # columns


def layout(result: Result) -> Layout:
    """Return the labels first, then what differences they settle, their grades, agreement with people, and costs."""
    found, record = result.details_as(RelevanceDetails), result.record
    title = f"{record.name}: {counted(found.labels.made, 'label')}"
    return standard(
        result,
        title,
        headline(found),
        [*holes(found), *grades(found), *agreement(found)],
        facts=facts(found),
        failed="pair",
        rows=lambda: _rows(found),
        command="benchbench judge relevance",
        drawn=lambda: _page(result),
    )


def holes(found: RelevanceDetails) -> list[Table]:
    """Return the differences before and after, each with its worst and its best case."""
    rows: list[list[AnyCell]] = [
        [
            one.measure,
            f"{one.system} - {one.baseline}",
            signed(one.mean),
            _ends(one),
            signed(None if after is None else after.mean),
            NOTHING if after is None else _ends(after),
        ]
        for one, after in pairs_of(found)
    ]
    head = ["Measure", "Difference", "Before", "Worst and best", "After", "Worst and best"]
    if len({row[1] for row in rows}) == 1:
        head, rows = [head[0], *head[2:]], [[row[0], *row[2:]] for row in rows]
    return [Table(head, rows, "llrrrr"[6 - len(head) :])] if rows else []


def grades(found: RelevanceDetails) -> list[Table]:
    """Return how many labels have each grade: with bars for a terminal, and without."""
    made = found.labels.made
    if not made or not found.rubrics[0].histogram:
        return []
    shares = [(one, one.scores / made) for one in found.rubrics[0].histogram]
    rows: list[list[AnyCell]] = [[f"{one.low:g}", f"{one.scores:,}", share(part, 1)] for one, part in shares]
    drawn = [[*row, bar(part, _BAR, "░")] for row, (_, part) in zip(rows, shares, strict=True)]
    head = ("Grade", "Labels", "Share")
    return [Table((*head, ""), drawn, "rrrl", where=TERMINAL), Table(head, rows, "rrr", where=EVERYWHERE - TERMINAL)]


def agreement(found: RelevanceDetails) -> list[Table]:
    """Return how far the judge agrees with people."""
    if found.compared is None or not found.compared.n:
        return []
    rows: list[list[AnyCell]] = []
    for name, one in found.compared.agreement.items():
        kind, _, cut = name.partition("@")
        said = f"{kind}, from grade {cut} on" if cut else MEASURES[kind].title
        rows.append([said, value(one.value, 3), ends(one, 3)])
    return [Table(("Judge and people", "Value", "95 % interval"), rows, "lrr")]


def facts(found: RelevanceDetails) -> list[tuple[str, str]]:
    """Return labelled sentences: the pairs, the labels, and what the run has sent."""
    pool, labels, its = found.pool, found.labels, found.compared
    source = "a file of pairs"
    if pool.depth:
        source = f"the first {counted(pool.depth, 'hit')} of {counted(len(pool.runs), 'run')}"
    said = [("Pairs", f"{pool.pairs:,} of {source}; {pool.labelled:,} have a label already, {pool.asked:,} are judged")]
    if pool.unjudged_queries:
        said.append(("", f"{pool.unjudged_queries:,} are of queries that nobody judged, and are no holes"))
    if pool.limited:
        said.append(("", f"{pool.limited:,} left out by --limit"))
    were = [f"{labels.people:,} by people", *(f"{count:,} by {name}" for name, count in labels.judges.items())]
    said.append(("Labels", f"{', '.join(were)}; {labels.made:,} made by {found.judge}"))
    if its is not None:
        asked = f"{its.sampled:,} asked about for this alone, {its.failed:,} failed"
        said.append(("Compared", f"{its.n:,} of {its.labels:,}, {its.source}; {asked}"))
    return [*said, *(row for row in facts_of_judge(found) if row[0] not in ("Items", "Cluster"))]


def _ends(one: HoleCase) -> str:
    return interval(one.worst, one.best, shown=signed)


def _rows(found: RelevanceDetails) -> Iterator[dict[str, Any]]:
    of = {"judge": found.model, "rubric": found.rubrics[0].label}
    line = found.rubrics[0].score
    nothing = {"baseline": None, "system": None, "labels": None}
    yield {**of, **nothing, "metric": found.rubrics[0].name, "value": line.mean, "low": line.low, "high": line.high}
    for name, one in (found.compared.agreement if found.compared else {}).items():
        yield {**of, **nothing, "metric": name, **asdict(one)}
    for case in found.holes:
        its = {"baseline": case.baseline, "system": case.system, "labels": case.labels}
        yield {**of, **its, "metric": f"Δ {case.measure}", "value": case.mean, "low": case.worst, "high": case.best}


def _page(result: Result) -> list[AnyBlock]:
    """Return the blocks of the page."""
    found, record = result.details_as(RelevanceDetails), result.record
    means: list[AnyBlock] = [Tiles(_tiles(found))]
    if pairs := pairs_of(found):
        said = (
            "Line: from the worst to the best case of the unjudged hits. Hollow: before; filled: with the new labels."
        )
        means += [
            Section("holes", "Holes", "What the holes could do to the differences", said),
            Panels([_panel(before, after) for before, after in pairs], 2),
            Folded("Differences", "the numbers", holes(found)),
        ]
    means += [
        Section("grades", "Grades", "Grades of the new labels"),
        Panels([histogram(one) for one in found.rubrics if one.histogram], 2),
        *(Folded("Grades", "the numbers", [one]) for one in grades(found)[-1:]),
        Section("trust", "Trust", "How far to trust these labels"),
        Text(trust(found)),
        *agreement(found),
    ]
    warning = "The judge has ranked what it judges" if found.ranked else ""
    return items_page.page(
        record,
        "pair",
        [_verdict(found, record), *judge_bands(record, found, "pair", warning, trust(found)[:1])],
        means,
        {},
        {},
        None,
        attacks(result, found),
        [Folded("Counts and cost", counted(found.cost.calls, "call"), [Facts(facts(found))])],
        {"Pairs": _PAIRS, "Judge": items_page.ASKED},
    )


def _verdict(found: RelevanceDetails, record: Record) -> Masthead:
    said = [sentence for _, sentence in headline(found).found]
    of = f" of {record.data.name}" if record.data.name else ""
    return Masthead(
        "judge relevance",
        [found.model, counted(found.pool.asked, "pair") + of, moment(record.started)],
        found.signature,
        said[0],
        [" ".join(said[1:])],
    )


def _tiles(found: RelevanceDetails) -> list[Tile]:
    labels, line, its, cost = found.labels, found.rubrics[0].score, found.compared, found.cost
    were = labels.people + sum(labels.judges.values())
    tiles = [
        Tile(
            "labels made", [f"{labels.made:,}"], "", "", f"of {counted(found.pool.asked, 'pair')}; {were:,} were there"
        )
    ]
    low, high = found.rubrics[0].scale
    tiles.append(
        Tile("mean grade", [value(line.mean, 2)], f"of {high:g}", "", f"from {low:g}, {counted(line.n, 'label')}")
    )
    if its is not None and (kappa := its.agreement.get("kappa")) is not None:
        said = f"with people, {counted(its.n, 'pair')}"
        tiles.append(Tile("kappa", [value(kappa.value, 2)], "", ends(kappa, 2), said))
    said = f"{counted(cost.calls, 'call')}, {cost.cached:,} verdicts from the cache"
    tiles.append(Tile("cost", [money(cost.cost)], "", "", said))
    return tiles


def _panel(before: HoleCase, after: HoleCase | None) -> Panel:
    ends = [0.0, *(end for one in (before, after) if one is not None for end in (one.worst, one.best))]
    low, high = min(ends), max(ends)
    room = (high - low or 1.0) * 0.1
    marks: list[Dot | Path] = [Path([(0.0, 0.3), (0.0, 2.7)], dashed=True, thin=True)]
    said = []
    for place, (name, one) in enumerate((("after", after), ("before", before)), 1):
        if one is None:
            continue
        told = f"{name}: {signed(one.mean)}, from {signed(one.worst)} to {signed(one.best)}"
        said.append(told)
        hollow = one is before
        if one.width:
            marks.append(Path([(one.worst, float(place)), (one.best, float(place))]))
        marks.append(Dot(one.mean, float(place), name, hollow=hollow, told=told))
    ticks = [(value, signed(value) if value else "0") for value in sorted({low, 0.0, high})]
    plot = Plot(
        f"Δ {before.measure}, {'; '.join(said)}", Axis(low - room, high + room, ticks), Axis(0.0, 3.0, []), marks, 120
    )
    about = f"{before.system} against {before.baseline}"
    return Panel(f"Δ {before.measure}", about, [plot], note=f"{before.queries:,} judged queries")
