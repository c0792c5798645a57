"""Nugget scores: means of each run, differences of two runs, oddities; and the answers that lack most."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from benchbench.judging.judge_details import plain
from benchbench.judging.nuggets.nuggets_result import LOWEST, NuggetDifference, NuggetRun, NuggetsDetails, trust
from benchbench.report.blocks import TERMINAL, AnyCell, Cell, Facts, Table, Text
from benchbench.report.card_blocks import AnswerCard, CardFault, CardText, Filter, Further, MeanRow, Means, Piece
from benchbench.report.layout import Layout
from benchbench.report.layouts import items_page
from benchbench.report.layouts.card_parts import SHARE_TICKS, attacks, judge_bands, language, mean_row
from benchbench.report.layouts.columns import Column, table_of
from benchbench.report.layouts.items_page import AnyBlock, Items, Row
from benchbench.report.layouts.page_parts import band, head
from benchbench.report.page_blocks import Folded, Masthead, Section
from benchbench.report.standard import standard
from benchbench.results.figures import NOTHING, behind, ends, estimate, p_said, p_value, share, signed, value
from benchbench.results.headline import GOOD, OF_DIRECTION, Headline, best
from benchbench.results.record import Record
from benchbench.results.result import Result
from benchbench.tables.shared_messages import and_joined, counted

_NAMED = 3  # runs in the headline
_TITLES = {  # what the page calls a score, and what it is
    "strict_vital_score": ("Vital, strict", "share of vital nuggets fully supported; main score of the TREC RAG track"),
    "strict_all_score": ("All, strict", "share of all nuggets fully supported"),
    "strict_weighted_score": ("Weighted, strict", "share of all nuggets fully supported; “okay” nuggets count half"),
    "vital_score": ("Vital", "vital nuggets; partial support counts half"),
    "all_score": ("All", "all nuggets; partial support counts half"),
    "weighted_score": ("Weighted", "all nuggets; “okay” nuggets and partial support count half"),
}
_STATES = {  # of nuggets, by the columns that list them
    "supported": ("✓", "fully supported"),
    "partly": ("◐", "supported in part"),
    "missing": ("✗", "not supported"),
}
_NO_VITAL = CardFault("unexpected", "no vital nugget: the vital scores are 0 by definition")
_CARD = {"answer": "", "truth": "", "source_type": "", "category": ""}
_SCORED = ("nuggets", "assignments", "answers", "baseline", "window")
_FEW_RUNS = 6  # runs: of more, only the means of the main measure are drawn


def layout(result: Result, per_query: bool = False) -> Layout:
    """Return the means of all runs; with `per_query`, the scores of each answer too, for programs."""
    details = result.details_as(NuggetsDetails)
    title = f"{result.record.name}: {counted(details.queries, 'question')}"
    return standard(
        result,
        title,
        Headline(_headline(details), trust(details)),
        [
            _means(details),
            *([_differences(details)] if details.differences else []),
            Text([_legend(details)], where=TERMINAL),
        ],
        facts=_facts(details),
        failed="verdict",
        members=lambda: _members(result, per_query),
        rows=lambda: _rows(result, details, per_query),
        command="benchbench judge nuggets",
        drawn=lambda: _page(result),
    )


def _sentence(details: NuggetsDetails, run: NuggetRun) -> str:
    """Return the main score of a run."""
    main = run.scores[details.main]
    mean = estimate(main.value, main.low, main.high, 3)
    return f"{run.name}: {details.main} {mean} over {counted(run.queries, 'answer')}."


def _told(details: NuggetsDetails) -> tuple[NuggetDifference, str] | None:
    """Return the main difference with its sentence, where exactly two runs differ."""
    mine = [difference for difference in details.differences if difference.measure == details.main]
    if len(mine) != 1:
        return None
    main = mine[0]
    word = {1: "is better than", -1: "is worse than", 0: "does not differ measurably from"}[main.direction]
    return main, f"{main.run} {word} {main.baseline} in {main.measure}: {_changed(main)}, {p_said(main.p)}."


def _headline(details: NuggetsDetails) -> list[tuple[str, str]]:
    sentences: list[tuple[str, str]] = [(GOOD, _sentence(details, run)) for run in details.runs[:_NAMED]]
    if len(details.runs) > _NAMED:
        sentences.append((GOOD, f"{len(details.runs) - _NAMED} more runs are in the table."))
    main = _told(details)
    return sentences if main is None else [(OF_DIRECTION[main[0].direction], main[1]), *sentences]


def _legend(details: NuggetsDetails) -> str:
    documents = "documents" if details.has_documents else "answers"
    return (
        f"Means over {documents}. Partial support counts half, and nothing in strict scores. {details.main} is the "
        "main score of the TREC RAG track."
    )


def _means(details: NuggetsDetails) -> Table:
    """Return a row per measure and a column per run; of many runs a row per run."""
    runs, measures = details.runs, list(details.runs[0].scores)
    lead = {name: best([run.scores[name].value for run in runs], "higher") for name in measures}

    def cell(name: str, place: int) -> Cell:
        mean = runs[place].scores[name]
        return Cell(value(mean.value, 3), behind(mean.low, mean.high, 3), strong=place in lead[name])

    rows: list[list[AnyCell]]
    if len(runs) <= _NAMED:
        rows = [[name, *(cell(name, place) for place in range(len(runs)))] for name in measures]
        return Table(["Score", *(run.name for run in runs)], rows, "l" + "r" * len(runs))
    rows = [[run.name, *(cell(name, place) for name in measures)] for place, run in enumerate(runs)]
    keeps = [0, *(0 if name == details.main else 1 + place for place, name in enumerate(measures))]
    return Table(["Run", *measures], rows, "l" + "r" * len(measures), keeps=keeps)


def _differences(details: NuggetsDetails) -> Table:
    """Return the differences of runs from the baseline."""
    several = len({difference.run for difference in details.differences}) > 1
    first = details.differences[0]
    title = f"Run − {first.baseline}" if several else f"{first.run} − {first.baseline}"
    columns = [
        Column("Score", lambda difference: difference.measure),
        Column("Run", lambda difference: difference.run) if several else None,
        Column(title, _mean_cell, "r"),
        Column("95 % interval", lambda difference: ends(difference, 3, signed), "r", 1),
        Column("p", lambda difference: p_value(difference.p), "r"),
        Column("won/tied/lost", lambda row: f"{row.wins:,}/{row.ties:,}/{row.losses:,}", "r", 2),
    ]
    return table_of(columns, details.differences, grouped=several)


def _mean_cell(difference: NuggetDifference) -> Cell:
    mean = f"{OF_DIRECTION[difference.direction]} {signed(difference.mean, 3)}"
    return Cell(mean, tone="" if difference.direction else "muted")


def _facts(details: NuggetsDetails) -> list[tuple[str, str]]:
    """Return labelled sentences: what was scored, and what a judge was asked and cost."""
    counts = details.counts
    answers = counted(counts.get("answers", 0), "document" if details.has_documents else "answer")
    runs, vital = (
        counted(len(details.runs), "run"),
        counts.get("different_vital_nuggets", counts.get("vital_nuggets", 0)),
    )
    facts = [("Scored", f"{answers} of {runs}; {_nuggets(details)}, {vital:,} of them vital")]
    if details.judge:
        facts.append(("Assigned by", f"{details.judge}, {plain(details.rubric)}"))
    if details.run is not None:
        from benchbench.report.layouts.judge_facts import facts as asked

        facts += [fact for fact in asked(details.run) if fact[0] != "Items"]
    return facts


def _nuggets(details: NuggetsDetails) -> str:
    counts = details.counts
    return counted(counts.get("different_nuggets", counts.get("nuggets", 0)), "nugget")


def _changed(difference: NuggetDifference) -> str:
    return estimate(difference.mean, difference.low, difference.high, 3, signed)


def _members(result: Result, per_query: bool) -> dict[str, Any]:
    members = result.json_members()
    if per_query:
        members["per_query"] = result.table("per_query").to_dicts()
    return members


def _rows(result: Result, details: NuggetsDetails, per_query: bool) -> Iterator[Mapping[str, Any]]:
    for row in result.table("per_query").iter_rows(named=True) if per_query else ():
        place = {name: row[name] for name in ("run", "query_id", "document_id")}
        for name in details.runs[0].scores:
            yield {**place, "measure": name, "value": row[name], "low": None, "high": None}
    for run in details.runs:
        for name, mean in run.scores.items():
            place = {"run": run.name, "query_id": None, "document_id": None}
            yield {**place, "measure": name, "value": mean.value, "low": mean.low, "high": mean.high}


def _page(result: Result) -> list[AnyBlock]:
    """Return the blocks of the page."""
    details, record = result.details_as(NuggetsDetails), result.record
    run = details.run
    words = "Dot and line: the mean over questions and its 95 % interval."
    means: list[AnyBlock] = [Section("scores", "Scores", "Scores", words), Means(list(_drawn(details)), SHARE_TICKS)]
    if details.differences:
        head = "Differences between runs, over the same questions"
        table = _differences(details)
        rows = [[_TITLES[str(row[0])][0], *row[1:]] for row in table.rows]
        means += [Section("differences", "Differences", head), table._replace(rows=rows)]
    trusted: list[AnyBlock] = []
    if details.judge:
        lines = [f"{details.judge}, {plain(details.rubric)}", *trust(details)]
        trusted = [Section("trust", "Trust", "How far to trust this judge"), Text(lines)]
    return items_page.page(
        record,
        "question" if _is_grouped(details) else "answer",
        [
            _verdict(details, record),
            *(band(record) if run is None else judge_bands(record, run, "verdict", "", ())),
        ],
        means=means,
        compared={},
        groups={},
        items=_answers(result, details),
        more=[*trusted, *([] if run is None else attacks(result, run))],
        numbers=[
            Folded("Scores", counted(len(details.runs), "run"), [_numbers(details)]),
            Folded("Counts", counted(details.counts.get("answers", 0), "answer"), [Facts(_facts(details))]),
        ],
        options={"Scores": _SCORED, **({} if run is None else {"Judge": items_page.ASKED})},
    )


def _verdict(details: NuggetsDetails, record: Record) -> Masthead:
    main = _told(details)
    ranked = sorted(details.runs, key=lambda run: -(run.scores[details.main].value or 0.0))
    first, last, best = ranked[0], ranked[-1], ranked[0].scores[details.main]
    whose = "a document" if details.has_documents else "a question"
    what = f"{share(best.value)} of {whose}'s vital nuggets on average"
    if main is not None:
        sentence = main[1].replace(main[0].measure, "the share of vital nuggets that are fully supported")
    elif first is last:
        ends_of_best = "" if best.low is None else f" (95 % interval {share(best.low)} to {share(best.high)})"
        sentence = f"{first.name} fully supports {what}{ends_of_best}."
    elif best.value == last.scores[details.main].value:
        sentence = f"Each of the {len(ranked)} runs fully supports {what}."
    else:
        tested = "" if details.differences else " (not tested)"
        sentence = f"{first.name} is nominally first{tested}: it fully supports {what}."
    about = [counted(len(ranked), "run"), counted(details.queries, "question"), _nuggets(details)]
    means = [(run.name, run.scores[details.main]) for run in ranked[:_FEW_RUNS]]
    scores = and_joined([f"{name} {estimate(mean.value, mean.low, mean.high)}" for name, mean in means])
    lede = [] if first is last else [f"{_TITLES[details.main][0]}, with 95 % intervals: {scores}."]
    return head("judge nuggets", record, about, sentence, lede, [note.text for note in record.notes])


def _drawn(details: NuggetsDetails) -> Iterator[MeanRow]:
    several = len(details.runs) > 1
    for name in _TITLES if len(details.runs) <= _FEW_RUNS else [details.main]:
        for run in details.runs:
            yield mean_row(*_TITLES[name], run.scores[name], run.name if several else "")


def _answers(result: Result, details: NuggetsDetails) -> Items:
    measures = list(details.runs[0].scores)
    rows = result.table(LOWEST).to_dicts() if LOWEST in result.tables() else []
    together: dict[tuple[str, str, int], list[Row]] = {}  # answers of one card
    for place, row in enumerate(rows):
        together.setdefault((row["query_id"], row["document_id"], 0 if _is_grouped(details) else place), []).append(row)
    grouped = sorted(together.values(), key=lambda several: _mean_of(several, measures, details.main))
    texts = [list(map(str, several)) for several in grouped]
    answers = (details.counts.get("answers", 0), "answer")
    total, noun = (details.queries, "question") if _is_grouped(details) else answers
    kept, page_notes = items_page.shown_items(grouped, texts, total, noun, "; per_query.parquet has all.")
    cards = [
        _group_card(number, several, details) if _is_grouped(details) else _card(number, several[0], details)
        for number, several in enumerate(grouped[:kept], 1)
    ]
    counts = Counter(key for card in cards for key in card.keys)
    filters = [
        Filter(name, symbol, f"vital nugget {words}", counts[name])
        for name, (symbol, words) in reversed(_STATES.items())
        if counts[name]
    ]
    mean = "mean " if _is_grouped(details) else ""
    order = f"By {mean}“{_TITLES[details.main][0]}”; {noun}s without a vital nugget come last."
    return Items(cards, filters, kept, page_notes, order=order)


def _mean_of(rows: Sequence[Row], measures: Sequence[str], main: str) -> tuple[bool, float]:
    """Return the place of a question among the others: by the mean of the main score, those without one last."""
    is_last = _has_no_vital(rows[0])
    at = measures.index("strict_all_score" if is_last else main)
    return is_last, sum(row["scores"][at] for row in rows) / len(rows)


def _is_grouped(details: NuggetsDetails) -> bool:
    """Whether a card has the answers of all runs to a question."""
    return 1 < len(details.runs) <= _FEW_RUNS and not details.has_documents


def _has_no_vital(row: Row) -> bool:
    """Whether the question has no vital nugget: the main score is 0, and no vital nugget lacks support."""
    return not any(row["scores"][:1]) and not any(row["vital"])


def _lacking(row: Row) -> list[tuple[str, str, bool]]:
    """Return the nuggets without full support, the vital ones first: state, text, and whether it is vital."""
    lacking = [(name, text) for name in ("partly", "missing") for text in row[name]]
    return sorted(
        ((*nugget, vital) for nugget, vital in zip(lacking, row["vital"], strict=False)),
        key=lambda nugget: not nugget[2],
    )


def _importances(row: Row) -> dict[str, str]:
    """Return whether each nugget is vital or okay; results of earlier versions do not know it of supported ones."""
    texts = [*row["partly"], *row["missing"], *row["supported"]]
    return {text: "vital" if vital else "okay" for text, vital in zip(texts, row["vital"], strict=False)}


def _group_card(number: int, rows: Sequence[Row], details: NuggetsDetails) -> AnswerCard:
    """Return the card of a question: what each run supports of each nugget, and the answers."""
    runs = [run.name for run in details.runs]
    known = {text: importance for row in rows for text, importance in _importances(row).items()}
    states = {(text, row["run"]): symbol for row in rows for name, (symbol, _) in _STATES.items() for text in row[name]}
    nuggets = sorted(dict.fromkeys(text for text, _ in states), key=lambda text: known.get(text) != "vital")
    lang = language(rows[0]["query"], *(row["answer"] for row in rows))
    answers = [CardText("", "", row["run"], "", [Piece(row["answer"] or "(no text)")], lang) for row in rows]
    main = list(details.runs[0].scores).index(details.main)
    scores = {row["run"]: value(row["scores"][main]) for row in rows}
    return items_page.card(
        {**_CARD, "number": number, "question": rows[0]["query"]},
        list(dict.fromkeys(state for row in rows for state, _, vital in _lacking(row) if vital)),
        [_NO_VITAL] if _has_no_vital(rows[0]) else [],
        [],
        [],
        [],
        faultless="",
        heads=("Nugget", "Importance", *runs),
        verdicts=[
            *((text, known.get(text, ""), *(states.get((text, run), NOTHING) for run in runs)) for text in nuggets),
            (_TITLES[details.main][0], "", *(scores.get(run, NOTHING) for run in runs)),
        ],
        further=[Further(counted(len(rows), "answer"), answers)],
    )


def _card(number: int, row: Row, details: NuggetsDetails) -> AnswerCard:
    faults = [
        CardFault(
            "partial" if state == "partly" else "wrong", f"{'vital' if vital else 'okay'}, {_STATES[state][1]}: {text}"
        )
        for state, text, vital in _lacking(row)
    ]
    named = {"run": row["run"] if len(details.runs) > 1 else "", "document": row["document_id"]}
    importances = _importances(row)
    supported = "\n".join(f"✓ {importances.get(text, 'nugget')}: {text}" for text in row["supported"])
    measures = details.runs[0].scores
    scores = [(_TITLES[name][0], value(score)) for name, score in zip(measures, row["scores"], strict=True)]
    return items_page.card(
        {**_CARD, **row, "number": number, "question": row["query"], "truth": supported},
        list(dict.fromkeys(state for state, _, vital in _lacking(row) if vital)),
        [*faults, *([_NO_VITAL] if _has_no_vital(row) else [])],
        [Piece(row["answer"] or "(no text)")],
        [Piece(supported)] if supported else [],
        [("question", row["query_id"]), *((name, text) for name, text in named.items() if text), *scores],
        titles=("Answer", "Fully supported"),
        faultless="every nugget is fully supported",
    )


def _numbers(details: NuggetsDetails) -> Table:
    rows = [
        [run.name, _TITLES[name][0], value(mean.value), ends(mean), mean.interval, f"{run.queries:,}"]
        for run in details.runs
        for name, mean in run.scores.items()
    ]
    return Table(["Run", "Score", "Mean", "95 % interval", "Interval by", "Over"], rows, "llrrlr", grouped=True)
