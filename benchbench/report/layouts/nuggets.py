"""Nugget scores: means of each run, what two runs differ by, what was odd; and the answers that lack most."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from benchbench.judging.headline import trust
from benchbench.judging.nugget_record import NuggetDifference, NuggetMean, NuggetRun, NuggetsDetails, many, notes
from benchbench.report.blocks import (
    EVERYWHERE,
    NARROW,
    PAPER,
    SUMMARY,
    TERMINAL,
    WIDE,
    AnyCell,
    Block,
    Cell,
    Facts,
    Gates,
    Layout,
    Notes,
    Table,
    Text,
    Verdict,
)
from benchbench.results.headline import BETTER, GOOD, OPEN, WORSE, best
from benchbench.results.result import Result, json_members
from benchbench.results.signature import short

if TYPE_CHECKING:
    from benchbench.report.card_blocks import CardBlock
    from benchbench.report.page_blocks import PageBlock

_MARKS = {1: BETTER, -1: WORSE, 0: OPEN}
_NAMED = 3  # runs in the headline


def layout(result: Result, per_query: bool = False) -> Layout:
    """Return the means of all runs; with `per_query`, the scores of each answer too, for programs."""
    found = result.details_as(NuggetsDetails)
    title = f"{result.record.name}: {many(found.queries, 'question')}"
    said = notes(found)
    blocks: list[Block] = [
        Verdict(_headline(found), said[:2]),
        _means(found, NARROW, with_ends=len(found.runs) == 1),
        _means(found, WIDE, with_ends=True),
        _means(found, PAPER | SUMMARY, with_ends=True),
        *([differences(found, EVERYWHERE)] if found.differences else []),
        Text([_legend(found)], where=TERMINAL),
        Gates(where=TERMINAL),
        Facts(facts(found), where=TERMINAL | SUMMARY),
        Facts([("Note", one) for one in said[2:]], where=TERMINAL),
        Facts([("Signature", short(found.signature))], where=TERMINAL),
        Notes(said),
    ]
    return Layout(
        title,
        blocks,
        lambda: _members(result, per_query),
        lambda: _rows(result, found, per_query),
        notes=said,
        command="benchbench judge nuggets",
        page="cards.html",
        drawn=lambda: _page(result),
    )


def _page(result: Result) -> "Sequence[Block | PageBlock | CardBlock]":
    from benchbench.report.layouts.nuggets_page import blocks  # late: only a page needs it

    return blocks(result)


def sentence(found: NuggetsDetails, run: NuggetRun) -> str:
    """Return the main score of a run."""
    one = run.scores[found.main]
    between = "" if one.low is None or one.high is None else f" [{one.low:.3f}, {one.high:.3f}]"
    return f"{run.name}: {found.main} {one.value:.3f}{between} over {many(run.queries, 'answer')}."


def told(found: NuggetsDetails) -> tuple[NuggetDifference, str] | None:
    """Return the main difference, where there is one of two runs, with its sentence."""
    mine = [one for one in found.differences if one.measure == found.main]
    if len(mine) != 1:
        return None
    one = mine[0]
    word = {1: "is better than", -1: "is worse than", 0: "is not shown to differ from"}[one.direction]
    return one, f"{one.run} {word} {one.baseline} in {one.measure}: {_signed(one.mean)}{_between(one)}, p {one.p:.3g}."


def _headline(found: NuggetsDetails) -> list[tuple[str, str]]:
    said = [(GOOD, sentence(found, one)) for one in found.runs[:_NAMED]]
    if len(found.runs) > _NAMED:
        said.append((GOOD, f"{len(found.runs) - _NAMED} more runs are in the table."))
    main = told(found)
    return said if main is None else [(_MARKS[main[0].direction], main[1]), *said]


def _legend(found: NuggetsDetails) -> str:
    documents = "documents" if found.has_documents else "answers"
    return (
        f"Means over {documents}. strict: partial support counts 0, else 0.5. {found.main} is the main score of the "
        "TREC RAG track."
    )


def _means(found: NuggetsDetails, where: frozenset[str], with_ends: bool) -> Table:
    """Return a row per measure and a column per run; of many runs a row per run."""
    runs, measures = found.runs, list(found.runs[0].scores)
    lead = {name: best([one.scores[name].value for one in runs], "higher") for name in measures}

    def cell(name: str, place: int) -> Cell:
        one = runs[place].scores[name]
        return Cell(f"{one.value:.3f}", ends(one) if with_ends else "", strong=place in lead[name])

    rows: list[list[AnyCell]]
    if len(runs) <= _NAMED:
        rows = [[name, *(cell(name, place) for place in range(len(runs)))] for name in measures]
        return Table(["Score", *(one.name for one in runs)], rows, "l" + "r" * len(runs), where=where)
    rows = [[run.name, *(cell(name, place) for name in measures)] for place, run in enumerate(runs)]
    keeps = [0, *(0 if name == found.main else 1 + place for place, name in enumerate(measures))]
    return Table(["Run", *measures], rows, "l" + "r" * len(measures), where=where, keeps=keeps)


def differences(found: NuggetsDetails, where: frozenset[str]) -> Table:
    """Return what runs differ by from the baseline."""
    several = len({one.run for one in found.differences}) > 1
    rows: list[list[AnyCell]] = [
        [
            one.measure,
            *([one.run] if several else []),
            Cell(f"{_MARKS[one.direction]} {_signed(one.mean)}", tone="" if one.direction else "muted"),
            _between(one).strip(),
            f"{one.p:.3g}",
            f"{one.wins:,}/{one.ties:,}/{one.losses:,}",
        ]
        for one in found.differences
    ]
    first = found.differences[0]
    title = f"less {first.baseline}" if several else f"{first.run} less {first.baseline}"
    head = ["Score", *(["Run"] if several else []), title, "95 % interval", "p", "won/tied/lost"]
    sides = "l" + "l" * several + "rrrr"
    return Table(head, rows, sides, grouped=several, where=where, keeps=[0] * (2 + several) + [1, 0, 2])


def facts(found: NuggetsDetails) -> list[tuple[str, str]]:
    """Return labelled sentences: what was scored, and what a judge was asked and cost."""
    counts = found.counts
    answers = many(counts.get("answers", 0), "document" if found.has_documents else "answer")
    runs, vital = many(len(found.runs), "run"), counts.get("vital_nuggets", 0)
    said = [("Scored", f"{answers} of {runs}; {many(counts.get('nuggets', 0), 'nugget')}, {vital:,} of them vital")]
    if found.judge:
        said.append(("Assigned by", f"{found.judge}, {found.rubric}"))
    if found.run is not None:
        from benchbench.report.layouts.judge import facts as asked

        said += [one for one in asked(found.run) if one[0] != "Items"]
    return said


def ends(one: NuggetMean) -> str:
    """Return an interval."""
    return "" if one.low is None or one.high is None else f"[{one.low:.3f}, {one.high:.3f}]"


def trusted(found: NuggetsDetails) -> list[str]:
    """Return how far to trust a judge."""
    if found.run is not None:
        return trust(found.run)
    if not found.judge:
        return []
    if found.refusal:
        return [f"How far to trust {found.judge} is not known: {found.refusal}."]
    return [f"{found.judge} agrees with people: {found.said}."]


def _between(one: NuggetDifference) -> str:
    return "" if one.low is None or one.high is None else f" [{_signed(one.low)}, {_signed(one.high)}]"


def _signed(value: float) -> str:
    return f"{value:+.3f}".replace("-", "−")


def _members(result: Result, per_query: bool) -> dict[str, Any]:
    members = json_members(result)
    if per_query:
        members["per_query"] = result.table("per_query").to_dicts()
    return members


def _rows(result: Result, found: NuggetsDetails, per_query: bool) -> Iterator[Mapping[str, Any]]:
    for row in result.table("per_query").iter_rows(named=True) if per_query else ():
        place = {name: row[name] for name in ("run", "query_id", "document_id")}
        for name in found.runs[0].scores:
            yield {**place, "measure": name, "value": row[name], "low": None, "high": None}
    for run in found.runs:
        for name, one in run.scores.items():
            place = {"run": run.name, "query_id": None, "document_id": None}
            yield {**place, "measure": name, **{key: value for key, value in asdict(one).items() if key != "interval"}}
