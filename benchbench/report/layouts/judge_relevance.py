"""Labels by a judge: how many there are, what they settle, how far to trust them, and what they cost."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import Any

from benchbench.judging.agreement.numbers import MEASURES
from benchbench.judging.relevance.holes import HoleCase
from benchbench.judging.relevance.relevance_result import (
    RelevanceDetails,
    against,
    headline,
    is_of_one_grade,
    mixed_scales,
    pairs_of,
    trust,
    undecided,
)
from benchbench.report.blocks import EVERYWHERE, TERMINAL, AnyCell, Facts, Table, Text
from benchbench.report.layout import Layout
from benchbench.report.layouts import items_page
from benchbench.report.layouts.card_parts import attacks, histograms, judge_bands
from benchbench.report.layouts.columns import Column, table_of
from benchbench.report.layouts.items_page import AnyBlock
from benchbench.report.layouts.judge_facts import facts as facts_of_judge
from benchbench.report.layouts.page_parts import head
from benchbench.report.layouts.page_scales import value_axis
from benchbench.report.page_blocks import (
    Axis,
    Dot,
    Folded,
    Label,
    Masthead,
    Pair,
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
from benchbench.results.figures import NOTHING, ends, interval, money, share, signed, value
from benchbench.results.record import Record
from benchbench.results.result import Result
from benchbench.tables.shared_messages import counted

_PAIRS = (
    *("dataset", "queries", "qrels", "collection", "pairs", "depth", "holes", "measures", "limit"),
    *("compare_with", "compare_sample", "ranked_by"),
)
_BAR = 20  # columns
_OF_CUT = {"kappa": "kappa", "agreement": "same", "bias": "judge − people"}


def layout(result: Result) -> Layout:
    """Return the labels first, then what differences they settle, their grades, agreement with people, and costs."""
    details, record = result.details_as(RelevanceDetails), result.record
    title = f"{record.name}: {counted(details.labels.made, 'label')}"
    return standard(
        result,
        title,
        headline(details),
        [*holes(details), *grades(details), *agreement(details)],
        facts=facts(details),
        failed="pair",
        rows=lambda: _rows(details),
        command="benchbench judge relevance",
        drawn=lambda: _page(result),
    )


def holes(details: RelevanceDetails) -> list[Table]:
    """Return the differences before and after, each with its worst and its best case."""
    pairs = pairs_of(details)
    several = len({(before.system, before.baseline) for before, _ in pairs}) > 1
    columns = (
        Column("Measure", lambda pair: pair[0].measure),
        Column("Systems", lambda pair: f"{pair[0].system} − {pair[0].baseline}") if several else None,
        Column("Difference before", lambda pair: signed(pair[0].mean), "r"),
        Column("Range before", lambda pair: _ends(pair[0]), "r"),
        Column("Difference after", lambda pair: signed(None if pair[1] is None else pair[1].mean), "r"),
        Column("Range after", lambda pair: NOTHING if pair[1] is None else _ends(pair[1]), "r"),
    )
    return [table_of(columns, pairs)] if pairs else []


def grades(details: RelevanceDetails) -> list[Table]:
    """Return how many labels have each grade: with bars for a terminal, and without."""
    made = details.labels.made
    if not made or not details.rubrics[0].histogram:
        return []
    shares = [(grade, grade.scores / made) for grade in details.rubrics[0].histogram]
    rows: list[list[AnyCell]] = [[f"{grade.low:g}", f"{grade.scores:,}", share(part, 1)] for grade, part in shares]
    drawn = [[*row, bar(part, _BAR, "░")] for row, (_, part) in zip(rows, shares, strict=True)]
    head = ("Grade", "Labels", "Share")
    return [Table((*head, ""), drawn, "rrrl", where=TERMINAL), Table(head, rows, "rrr", where=EVERYWHERE - TERMINAL)]


def agreement(details: RelevanceDetails) -> list[Table]:
    """Return how far the judge agrees with people."""
    if details.compared is None or not details.compared.n:
        return []
    rows: list[list[AnyCell]] = []
    highest, scale, is_mixed = details.labels.highest, details.rubrics[0].scale, bool(mixed_scales(details))
    for name, estimate in details.compared.agreement.items():
        kind, _, cut = name.partition("@")
        if (is_of_one_grade(details) and kind != "agreement") or (cut and highest is not None and float(cut) > highest):
            continue  # of labels of one grade, or none so high, the number says nothing
        if not cut if is_mixed else cut and scale == (0.0, 1.0):
            continue  # on two scales, only cuts can be compared; on 0 and 1, the cut is the grade
        title = f"grade ≥ {cut}, {_OF_CUT[kind]}" if cut else MEASURES[kind].title
        rows.append([title, value(estimate.value, 3), ends(estimate, 3)])
    return [] if not rows else [Table(("Judge and people", "Value", "95 % interval"), rows, "lrr")]


def facts(details: RelevanceDetails) -> list[tuple[str, str]]:
    """Return labelled sentences: the pairs, the labels, and what the run has sent."""
    pool, labels, agreed = details.pool, details.labels, details.compared
    source = "a file of pairs"
    if pool.depth:
        source = f"the first {counted(pool.depth, 'hit')} of {counted(len(pool.runs), 'run')}"
    judged = f"{pool.labelled:,} had a label, {pool.asked:,} were judged"
    labelled = [("Pairs", f"{pool.pairs:,} of {source}; {judged}")]
    if pool.unjudged_queries:
        labelled.append(
            ("", f"{pool.unjudged_queries:,} belong to queries without judgments, and do not count as holes")
        )
    were = [f"{labels.people:,} by people", *(f"{count:,} by {name}" for name, count in labels.judges.items())]
    labelled.append(("Labels", f"{', '.join(were)}; {labels.made:,} new by {details.model}"))
    if agreed is not None:
        asked = f"{agreed.sampled:,} judged for this alone, {agreed.failed:,} failed"
        labelled.append(("Compared", f"{agreed.n:,} of {agreed.labels:,} pairs of {agreed.source}; {asked}"))
    return [*labelled, *(row for row in facts_of_judge(details) if row[0] not in ("Items", "Cluster"))]


def _ends(case: HoleCase) -> str:
    return interval(case.worst, case.best, shown=signed)


def _rows(details: RelevanceDetails) -> Iterator[dict[str, Any]]:
    scope = {"judge": details.model, "rubric": details.rubrics[0].label}
    line = details.rubrics[0].score
    nothing = {"baseline": None, "system": None, "labels": None}
    ends = {"low": line.low, "high": line.high}
    yield {**scope, **nothing, "metric": details.rubrics[0].name, "value": line.mean, **ends}
    for name, estimate in (details.compared.agreement if details.compared else {}).items():
        yield {**scope, **nothing, "metric": name, **asdict(estimate)}
    for case in details.holes:
        about = {"baseline": case.baseline, "system": case.system, "labels": case.labels}
        ends = {"low": case.worst, "high": case.best}
        yield {**scope, **about, "metric": f"Δ {case.measure}", "value": case.mean, **ends}


def _page(result: Result) -> list[AnyBlock]:
    """Return the blocks of the page."""
    details, record = result.details_as(RelevanceDetails), result.record
    means: list[AnyBlock] = [Tiles(_tiles(details))]
    if pairs := pairs_of(details):
        words = (
            "Holes are hits without a label. Line: from the worst to the best case that they allow. Hollow: with the "
            "existing labels; filled: with the new ones, too."
        )
        means += [
            Section("holes", "Holes", "How unjudged hits could change the differences", words),
            Panels(_panels(pairs), 2),
            Folded("Differences", "the numbers", holes(details)),
        ]
    told, table = trust(details)[1:], agreement(details)
    means += [
        Section("grades", "Labels", "New labels, and how far to trust them"),
        *([Text(told)] if told else []),
        Pair([histograms(details.rubrics, "label", "grade")], table),
    ]
    warning, *reasons = [*(reason for reason in against(details) if not reason.startswith("Not usable")), ""]
    return items_page.page(
        record,
        "pair",
        [_verdict(details, record), *judge_bands(record, details, "pair", warning, list(filter(None, reasons)))],
        means=means,
        compared={},
        groups={},
        items=None,
        more=attacks(result, details),
        numbers=[Folded("Counts and cost", counted(details.cost.calls, "call"), [Facts(facts(details))])],
        options={"Pairs": _PAIRS, "Judge": items_page.ASKED},
    )


def _verdict(details: RelevanceDetails, record: Record) -> Masthead:
    mixed, told = mixed_scales(details), undecided(details)
    made, *settled = [sentence for _, sentence in headline(details).sentences[bool(mixed) :]]
    title, *sentences = [*mixed[:1], *([told] if told else []), *settled] or [made]
    of_data = f" of {record.data.name}" if record.data.name else ""
    return head(
        "judge relevance",
        record,
        [details.model, counted(details.pool.asked, "pair") + of_data],
        title,
        [" ".join([*mixed[1:], *sentences])],
        [*trust(details)[:1], *([made] if title != made else [])],
    )


def _tiles(details: RelevanceDetails) -> list[Tile]:
    labels, line, agreed, cost = details.labels, details.rubrics[0].score, details.compared, details.cost
    were = labels.people + sum(labels.judges.values())
    low, high = details.rubrics[0].scale
    labels_made = f"of {counted(details.pool.asked, 'pair')}; {were:,} existing"
    graded = f"scale {low:g} to {high:g}, {counted(line.n, 'label')}"
    more = []
    name, title = ("agreement", "Same grade as people") if is_of_one_grade(details) else ("kappa", "Kappa with people")
    if agreed is not None and not mixed_scales(details) and (alike := agreed.agreement.get(name)) is not None:
        more = [Tile(title, [value(alike.value)], aside=ends(alike), subtitle=counted(agreed.n, "pair"))]
    if cost.cost is not None:
        subtitle = f"{counted(cost.calls, 'call')}, {counted(cost.cached, 'verdict')} from the cache"
        more.append(Tile("Cost", [money(cost.cost)], subtitle=subtitle))
    return [
        Tile("New labels", [f"{labels.made:,}"], subtitle=labels_made),
        Tile("Mean grade", [value(line.mean, 2)], subtitle=graded),
        *more,
    ]


def _panels(pairs: Sequence[tuple[HoleCase, HoleCase | None]]) -> list[Panel]:
    """Return a chart for each pair of cases, all on one scale."""
    cases = [case for pair in pairs for case in pair if case is not None]
    x = value_axis([0.0, *(end for case in cases for end in (case.worst, case.best))], "difference")
    room = 0.08 * (x.high - x.low)  # for the numbers at the ends
    x = x._replace(low=x.low - room, high=x.high + room)
    return [_panel(before, after, x) for before, after in pairs]


def _panel(before: HoleCase, after: HoleCase | None, x: Axis) -> Panel:
    marks: list[Dot | Label | Path] = [Path([(0.0, 0.3), (0.0, 2.7)], dashed=True, thin=True)]
    described = []
    for place, (name, case) in enumerate((("after", after), ("before", before)), 1):
        if case is None:
            continue
        hint = f"{name}: {signed(case.mean)}, from {signed(case.worst)} to {signed(case.best)}"
        described.append(hint)
        hollow = case is before
        if case.width:
            marks.append(Path([(case.worst, float(place)), (case.best, float(place))]))
            marks += [Label(end, float(place), signed(end), "above") for end in (case.worst, case.best)]
        marks.append(Label(case.mean, float(place), signed(case.mean), "below"))
        marks.append(Dot(case.mean, float(place), hollow=hollow, hint=hint))
    words = f"Δ {before.measure}, {'; '.join(described)}"
    plot = Plot(words, x, Axis(0.0, 3.0, [(1.0, "after"), (2.0, "before")]), marks, 190)
    about = f"{before.system} − {before.baseline}: above 0, {before.system} is better"
    return Panel(
        before.measure,
        about,
        [plot],
        note=f"Over {before.queries:,} judged queries",
        name=f"changed-{before.measure}",
    )
