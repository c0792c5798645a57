"""The page of labels by a judge."""

from collections.abc import Iterator

from benchbench.judging.headline import many
from benchbench.judging.holes import Case
from benchbench.judging.relevance_details import RelevanceDetails
from benchbench.judging.relevance_headline import headline, pairs_of, trust
from benchbench.report.blocks import Block, Facts, Notes, Table, Text
from benchbench.report.card_blocks import CardBlock, Verdict
from benchbench.report.layouts.card_parts import passed_gates
from benchbench.report.layouts.judge import dollars
from benchbench.report.layouts.judge_page import attack_tables, histogram, refusals
from benchbench.report.layouts.judge_relevance import agreement, facts, grades, holes, signed
from benchbench.report.layouts.page_parts import gates_table, moment, reproduce, settings
from benchbench.report.layouts.page_scales import capital
from benchbench.report.page_blocks import (
    Axis,
    Band,
    Dot,
    Folded,
    PageBlock,
    Panel,
    Panels,
    Path,
    Plot,
    Section,
    Tile,
    Tiles,
)
from benchbench.results.record import Record
from benchbench.results.result import Result
from benchbench.results.signature import short

_PAGE = frozenset({"html"})
_PAIRS = {
    "dataset": "data set",
    "queries": "queries",
    "qrels": "labels that there were",
    "collection": "documents",
    "pairs": "pairs",
    "depth": "hits per query and run",
    "holes": "holes only",
    "measures": "measures",
    "limit": "pairs at most",
    "compare_with": "compared with",
    "compare_sample": "asked for the comparison",
    "ranked_by": "ranked by",
}
_JUDGE = {
    "model": "model",
    "url": "URL",
    "rubric": "rubric",
    "temperature": "temperature",
    "seed": "seed",
    "structured": "structured output",
    "concurrency": "requests at once",
    "repeat": "times judged",
    "repeat_sample": "pairs judged again",
    "cache": "cache",
}


def blocks(result: Result) -> list[Block | PageBlock | CardBlock]:
    """Return the page."""
    found, record = result.details_as(RelevanceDetails), result.record
    made: list[Block | PageBlock | CardBlock] = [_verdict(found, record), *_bands(found, record), Tiles(_tiles(found))]
    pairs = pairs_of(found)
    if pairs:
        said = (
            "Line: from the worst to the best case of the unjudged hits. Hollow: before; filled: with the new labels."
        )
        made += [Section("holes", "Holes", "What the holes could do to the differences", said)]
        made += [
            Panels([_panel(before, after) for before, after in pairs], 2),
            *_folded("Differences", holes(found, _PAGE)),
        ]
    made += [Section("grades", "Grades", "Grades of the new labels")]
    made += [
        Panels([histogram(one) for one in found.rubrics if one.histogram], 2),
        *_folded("Grades", grades(found, _PAGE)),
    ]
    made += [Section("trust", "Trust", "How far to trust these labels"), Text(trust(found)), *agreement(found, _PAGE)]
    made += refusals(found)
    attacked = list(attack_tables(result, found))
    if attacked:
        told = "What was judged is data: the verdict's format never changes, and nothing here was obeyed by the tool."
        made += [Section("attacks", "Attacks", "What looks like an instruction to the judge", told), *attacked]
    made += [
        Section("numbers", "Numbers", "All numbers"),
        *passed_gates(record),
        Folded("Counts and cost", many(found.cost.calls, "call"), [Facts(facts(found))]),
        Section("reproduce", "To reproduce", "To reproduce"),
        reproduce(record, [("Pairs", settings(record, _PAIRS)), ("Judge", settings(record, _JUDGE))]),
    ]
    return made


def _verdict(found: RelevanceDetails, record: Record) -> Verdict:
    said = [sentence for _, sentence in headline(found).found]
    of = f" of {record.data.name}" if record.data.name else ""
    return Verdict(
        "judge relevance",
        [found.model, many(found.pool.asked, "pair") + of, moment(record)],
        found.signature,
        short(found.signature) if found.signature else "",
        said[0],
        [" ".join(said[1:])],
    )


def _bands(found: RelevanceDetails, record: Record) -> Iterator[Band]:
    if record.status == "interrupted":
        yield Band(f"✂ Interrupted after {many(found.verdicts, 'verdict')}", [], "")
    if found.ranked:
        yield Band("The judge has ranked what it judges", [], "bad", trust(found)[:1])
    failed = [one for one in record.gates if one.failure is not None]
    if not failed and not found.failed:
        return
    several = f"{len(failed)} of {len(record.gates)} gates failed" if len(record.gates) > 1 else "the gate failed"
    said = [*([several] if failed else []), *([f"{many(found.failed, 'pair')} failed"] if found.failed else [])]
    tables = [gates_table(record.gates)] if record.gates else []
    if found.failures:
        rows = [[reason, f"{times:,}"] for reason, times in found.failures.items()]
        tables.append(Table(["Reason", "Pairs"], rows, "lr"))
    yield Band(capital(", and ".join(said)), tables)


def _tiles(found: RelevanceDetails) -> list[Tile]:
    labels, line, its, cost = found.labels, found.rubrics[0].score, found.compared, found.cost
    were = labels.people + sum(labels.judges.values())
    tiles = [
        Tile("labels made", [f"{labels.made:,}"], "", "", f"of {many(found.pool.asked, 'pair')}; {were:,} were there")
    ]
    low, high = found.rubrics[0].scale
    mean = "–" if line.mean is None else f"{line.mean:.2f}"
    tiles.append(Tile("mean grade", [mean], f"of {high:g}", "", f"from {low:g}, {many(line.n, 'label')}"))
    if its is not None and (kappa := its.agreement.get("kappa")) is not None:
        ends = "" if kappa.low is None or kappa.high is None else f"{kappa.low:.2f}–{kappa.high:.2f}"
        value = "–" if kappa.value is None else f"{kappa.value:.2f}"
        tiles.append(Tile("kappa", [value], "", ends, f"with people, {many(its.n, 'pair')}"))
    money = "–" if cost.cost is None else dollars(cost.cost)
    tiles.append(Tile("cost", [money], "", "", f"{many(cost.calls, 'call')}, {cost.cached:,} verdicts from the cache"))
    return tiles


def _panel(before: Case, after: Case | None) -> Panel:
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


def _folded(title: str, tables: list[Table]) -> list[Folded]:
    return [Folded(title, "the numbers", list[Table | Facts | Text | Notes](tables))] if tables else []
