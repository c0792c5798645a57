"""The page of an evaluation in three pillars: the overall score, pillars and sub-scores, and each question."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence

from benchbench.evaluation.details import (
    OVERALL,
    EvaluationDetails,
    PillarDetails,
    ScoreDetails,
    advice,
    no_overall,
)
from benchbench.report.blocks import Facts
from benchbench.report.card_blocks import AnswerCard, Box, Fault, Filter, Found, Further, MetricRow, MetricRows, Piece
from benchbench.report.layouts import items_page
from benchbench.report.layouts.card_parts import language, listed, pieces
from benchbench.report.layouts.evaluate import judge_facts, known, notes, rows_of, unit_of
from benchbench.report.layouts.items_page import AnyBlock, Compared, Items, Row
from benchbench.report.layouts.page_parts import band, reasons_table
from benchbench.report.layouts.page_scales import capital
from benchbench.report.page_blocks import Band, Folded, Masthead, Section
from benchbench.results.figures import ends, moment, value
from benchbench.results.record import Record
from benchbench.results.result import Result
from benchbench.scores.names import BANDS
from benchbench.scores.numbers import ScoreMean
from benchbench.tables.shared_messages import counted

QUESTIONS, VERDICTS = "questions", "verdicts"
MOST = 1000  # questions on the page
_CONTEXT, _SAID = 1200, 2000  # characters of a context, and of an answer or a truth
_FAILED, _UNJUDGED, _ATTACK, _NONE = "failed", "unjudged", "attack", "none"
_SYMBOLS = {"missed": "∅", "wrong": "✗", "low": "✗"}
_OPTIONS = {
    "Data": ("config", "data", "answers", "cluster", "source_type", "category"),
    "Scores": ("weights", "pillars", "beside", "bands", "cutoff"),
    "Asked": ("contexts", "concurrency", "max_error_rate"),
}


def blocks(result: Result) -> list[AnyBlock]:
    """Return the page."""
    found, record = result.details_as(EvaluationDetails), result.record
    rows = result.table(QUESTIONS).head(MOST).to_dicts() if QUESTIONS in result.tables() else []
    verdicts = result.table(VERDICTS).to_dicts() if VERDICTS in result.tables() else []
    pillars = [_pillar_row(PillarDetails(OVERALL, found.overall, 0.0, 0.0, "no pillar has a score"), found, rows)]
    pillars += [_pillar_row(one, found, rows) for one in found.pillars]
    heads = ("Pillar", "Each question", "The overall score and its pillars")
    of_scores = ("Sub-score", "Each question", "Mean of each sub-score")
    table = items_page.numbers_table(rows_of(found), "Score", ("Questions", "Weight", "Failed", "Not tested"))
    groups, said = found.group_means(), notes(found)
    return items_page.page(
        record,
        "question",
        [_verdict(found, record), *_band(found, record)],
        [
            Section("pillars", "Pillars", "Pillars", "The overall score is the mean of the pillars by their weights."),
            MetricRows(pillars, items_page.note(True), [], heads),
            Section("scores", "Sub-scores", "Sub-scores", "A pillar is the mean of its sub-scores, from 0 to 1."),
            MetricRows(
                [row for one in found.scores for row in _score_rows(one, found, rows)], _note(found), [], of_scores
            ),
        ],
        {name: Compared(capital(name), capital(name)) for name in (OVERALL, *known(found))},
        groups,
        questions(found, rows, verdicts),
        [] if found.judge is None else [Section("judge", "Judge", "The judge"), Facts(judge_facts(found))],
        [
            Folded("Scores", "means, intervals, how many", [table]),
            *items_page.group_folds(groups, "question", "Score"),
            *([Folded("Notes", counted(len(said), "note"), [Facts(said)])] if said else []),
        ],
        _OPTIONS,
    )


def _verdict(found: EvaluationDetails, record: Record) -> Masthead:
    facts = [record.name, counted(found.questions, "question"), moment(record.started)]
    if found.judge is not None:
        facts.insert(2, f"judge {found.judge.model}")
    known = [one for one in found.pillars if one.mean.value is not None]
    if not known:
        sentence = "No pillar has a score."
    else:
        bands = {band: [one.name for one in known if one.mean.band == band] for band in BANDS}
        parts = [
            f"{listed(names)} {'is' if len(names) == 1 else 'are'} {band}" for band, names in bands.items() if names
        ]
        if found.overall.value is None:
            sentence = f"{no_overall(found)} {capital(', '.join(parts))}."
        else:
            sentence = f"Overall {value(found.overall.value, 2)}, {found.overall.band}: {', '.join(parts)}."
    return Masthead(
        "evaluate",
        facts,
        found.signature,
        sentence,
        [_interval(found.overall)],
        advice(found),
    )


def _interval(mean: ScoreMean) -> str:
    if mean.low is None or mean.high is None:
        return ""
    doubt = f"; it may be {' or '.join(mean.reached)}" if mean.reached else ""
    return f"95 % interval {ends(mean, 2)}{doubt}."


def _band(found: EvaluationDetails, record: Record) -> list[Band]:
    """Return the gates that failed, and what failed where that is more than a few."""
    reasons = found.all_failures
    total, asked = sum(reasons.values()), found.questions + (found.judge.verdicts if found.judge else 0)
    if total <= items_page.MANY_FAILED * asked and all(one.failure is None for one in record.gates):
        return []
    lost = f"{total:,} answers and verdicts failed" if total > 1 else "one answer or verdict failed" if total else ""
    return band(record, lost, reasons_table(reasons, "Times"))


def _pillar_row(pillar: PillarDetails, found: EvaluationDetails, rows: Sequence[Row]) -> MetricRow:
    """Return the row of a pillar, or of the overall score, which has no weight."""
    mean, has_weight = pillar.mean, pillar.name != OVERALL and found.overall.value is not None
    weight = f"weight {pillar.share:.3g}, " if has_weight else ""
    said = pillar.missing if mean.value is None else f"{weight}{counted(mean.n, 'question')}"
    bands, each = (found.good, found.acceptable), _boxes(pillar.name, found, rows)
    return items_page.metric_row(capital(pillar.name), said, mean, bands, boxes=each)


def _score_rows(one: ScoreDetails, found: EvaluationDetails, rows: Sequence[Row]) -> list[MetricRow]:
    """Return the row of a sub-score; none of numbers without ends."""
    if one.low is None or one.high is None:
        return []
    scale, over = (one.low, one.high), [one.pillar] if one.pillar else []
    over.append(f"of {counted(one.mean.n, 'question')}")
    over += [f"{one.failed:,} failed"] if one.failed else []
    over += [f"at most {value(one.most, 2)} by any ranking"] if one.most is not None and one.most < 0.9995 else []
    said = f"{one.said}; {', '.join(over)}" if one.said else ", ".join(over)
    said = one.why_untested if one.mean.value is None else said
    title = one.title + ("" if one.pillar else " (beside)")
    each = _boxes(one.name, found, rows, scale)
    return [items_page.metric_row(title, said, one.mean, (one.good, one.acceptable), scale, each, one.states)]


def _boxes(
    name: str, found: EvaluationDetails, rows: Sequence[Row], scale: items_page.Scale = items_page.SHARES
) -> list[Box]:
    """Return a box per question that has the score; none where the page does not hold all."""
    low, high = scale
    pairs = [(row[name], row) for row in rows if row.get(name) is not None and len(rows) == found.questions]
    return items_page.boxes(
        ((score, items_page.state_of((score - low) / (high - low)), row) for score, row in pairs), "question"
    )


def _note(found: EvaluationDetails) -> str:
    endless = [one for one in found.scores if one.high is None and one.mean.n]
    numbers = "; ".join(f"{one.title} {value(one.mean.value, 3)}{unit_of(one)}" for one in endless)
    clusters = f"Intervals are over {found.clusters:,} groups by {found.cluster}." if found.cluster else ""
    return items_page.note(True, clusters, f"Beside: {numbers}." if numbers else "")


def questions(found: EvaluationDetails, rows: Sequence[Row], verdicts: Sequence[Row]) -> Items:
    """Return the questions, worst first as the table has them.

    Parameters
    ----------
    found
        The evaluation.
    rows, verdicts
        Its tables.
    """
    of_question: dict[str, list[Row]] = defaultdict(list)
    for one in verdicts:
        of_question[one["question"]].append(one)
    texts = (_texts(row, of_question[row["id"]]) for row in rows)
    many, said = items_page.shown_items(rows, texts, found.questions, "question")
    titles = {one.rubric: one.title for one in found.scores if one.rubric}
    cards = [_card(row, found, of_question[row["id"]], titles) for row in rows[:many]]
    kinds = Counter(key for card in cards for key in card.keys)
    marked = {
        f"{one['score']}-{one['found']}": (_SYMBOLS.get(one["found"], "✗"), one["said"])
        for row in reversed(rows)
        for one in row["faults"]
    }
    labels = {
        **marked,
        **{one.name: ("✗", f"{one.title}: faults found") for one in found.scores if one.rubric},
        _ATTACK: ("+", "looks like an instruction to the judge"),
        _UNJUDGED: ("!", "a failed verdict"),
        _FAILED: ("!", "no answer"),
        _NONE: ("✓", "no fault"),
    }
    filters = [Filter(key, symbol, text, kinds[key]) for key, (symbol, text) in labels.items() if kinds[key]]
    return Items(cards, filters, found.questions, said)


def _texts(row: Row, verdicts: Sequence[Row]) -> list[str | None]:
    contexts = [one["text"][:_CONTEXT] for one in row["contexts"] or ()]
    return [row["question"], row["answer"], row["truth"], *contexts, *(one["rationale"] for one in verdicts)]


def _card(
    row: Row,
    found: EvaluationDetails,
    verdicts: Sequence[Row],
    titles: Mapping[str, str],
) -> AnswerCard:
    keys: dict[str, None] = {}
    faults: list[Fault] = []
    if row["failure"] is not None and row["answer"] is None:
        keys[_FAILED] = None
    answer, truth = row["answer"] or "", row["truth"] or ""
    for one in row["faults"]:
        keys[f"{one['score']}-{one['found']}"] = None
        faults.append(Fault(one["found"], f"{one['text']}: {one['said']}" if one["text"] else one["said"]))
    names = {one.rubric: one.name for one in found.scores if one.rubric}
    for one in verdicts:
        for text in one["faults"]:
            keys[names.get(one["rubric"]) or one["rubric"]] = None
            faults.append(Fault("low", f"{titles.get(one['rubric'], one['rubric'])}: {text}"))
    for one in row["attacks"]:
        keys[_ATTACK] = None
        faults.append(Fault("unexpected", f"{one['field']} may address the judge, {one['kind']}: {one['excerpt']}"))
    for one in row["failures"]:
        if row["answer"] is not None:
            keys[_UNJUDGED] = None
            faults.append(Fault("missed", f"{one['score']}: {one['reason']}"))
    lang = language(row["question"], row["answer"], row["truth"])
    whole = [("overall", row["overall"]), *((one.name, row.get(one.name)) for one in found.pillars)]
    whole += [(one.title, row.get(one.name)) for one in found.scores]
    cut = ["" if len(text) <= _SAID else f"{len(text) - _SAID:,} characters left out" for text in (answer, truth)]
    return items_page.card(
        row,
        list(keys) or [_NONE],
        list(dict.fromkeys(faults)),
        _marked(answer, row["answer_marks"]),
        _marked(truth, row["truth_marks"]),
        [(name, value(number, 2)) for name, number in whole if number is not None],
        failure=(row["failure"] or "") if row["answer"] is None else "",
        cut=cut,
        further=list(_further(row, verdicts, titles, lang)),
    )


def _marked(text: str, marks: Sequence[Row]) -> list[Piece]:
    return pieces(text[:_SAID], [one for one in marks if one["end"] <= _SAID])


def _further(row: Row, verdicts: Sequence[Row], titles: Mapping[str, str], lang: str) -> Iterator[Further]:
    if verdicts:
        entries = [_said(one, titles.get(one["rubric"], one["rubric"]), lang) for one in verdicts]
        yield Further(counted(len(verdicts), "verdict"), entries)
    contexts = row["contexts"]
    if contexts:
        entries = [_context(rank, one, lang) for rank, one in enumerate(contexts, 1)]
        relevant = sum(one["grade"] is not None and one["grade"] > 0 for one in contexts)
        known = (
            "" if row["relevant"] is None else f", {relevant:,} of {counted(len(row['relevant']), 'relevant document')}"
        )
        yield Further(f"{counted(len(contexts), 'context')}{known}", entries)
    missed = [key for key in row["relevant"] or () if key not in {one["id"] for one in contexts or ()}]
    if missed and contexts is not None:
        yield Further(
            f"{counted(len(missed), 'relevant document')} not retrieved",
            [Found("∅", "bad", key, "", [], lang) for key in missed],
        )


def _said(one: Row, title: str, lang: str) -> Found:
    text = one["rationale"] or one["failure"] or "nothing to score"
    if one["failure"] is not None:
        return Found(
            "✕", "bad", f"{title}: no score", one["rubric"], [Piece(text)], items_page.own_language(text, lang)
        )
    score = "nothing to score" if one["score"] is None else value(one["score"], 2)
    return Found("", "", f"{title}: {score}", one["rubric"], [Piece(text)], items_page.own_language(text, lang))


def _context(rank: int, one: Row, lang: str) -> Found:
    text, grade = one["text"], one["grade"]
    cut = f" … {len(text) - _CONTEXT:,} more characters" if len(text) > _CONTEXT else ""
    is_relevant = grade is not None and grade > 0
    place = f"relevant, grade {grade:g}" if is_relevant else ""
    shown = [Piece(text[:_CONTEXT] + cut)]
    return Found(
        str(rank),
        "good" if is_relevant else "",
        one["id"] or "context",
        place,
        shown,
        items_page.own_language(text, lang),
    )
