"""The page of an evaluation in three pillars: the overall score, pillars and sub-scores, and each question."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence

from benchbench.evaluation.evaluation_details import (
    OVERALL,
    EvaluationDetails,
    PillarDetails,
    SubScoreDetails,
    advice,
    no_overall,
)
from benchbench.report.blocks import Facts
from benchbench.report.card_blocks import (
    AnswerCard,
    Box,
    CardFault,
    CardText,
    Filter,
    Further,
    MetricRow,
    MetricRows,
    Piece,
)
from benchbench.report.layouts import items_page
from benchbench.report.layouts.card_parts import language, pieces
from benchbench.report.layouts.evaluate import judge_facts, known, notes, rows_of, unit_of
from benchbench.report.layouts.items_page import AnyBlock, Compared, Items, Row
from benchbench.report.layouts.page_parts import band, head, reasons_table
from benchbench.report.page_blocks import Band, Folded, Masthead, Section
from benchbench.results.figures import ends, value
from benchbench.results.record import Record
from benchbench.results.result import Result
from benchbench.scores.names import BANDS
from benchbench.scores.numbers import ScoreMean
from benchbench.tables.shared_messages import and_joined, capital, counted

QUESTIONS, VERDICTS = "questions", "verdicts"
MOST = 1000  # questions on the page
_CONTEXT, _SAID = 1200, 2000  # characters of a context, and of an answer or a truth
_FAILED, _UNJUDGED, _ATTACK, _NONE = "failed", "unjudged", "attack", "none"
_SHORT = {"generation": "Gen."}  # heads that four columns of a phone have no room for
_SYMBOLS = {"missed": "∅", "wrong": "✗", "low": "✗"}
_OPTIONS = {
    "Data": ("config", "data", "answers", "cluster", "source_type", "category"),
    "Scores": ("weights", "pillars", "beside", "bands", "cutoff"),
    "Requests": ("contexts", "concurrency", "max_error_rate"),
}


def blocks(result: Result) -> list[AnyBlock]:
    """Return the page."""
    details, record = result.details_as(EvaluationDetails), result.record
    rows = result.table(QUESTIONS).head(MOST).to_dicts() if QUESTIONS in result.tables() else []
    verdicts = result.table(VERDICTS).to_dicts() if VERDICTS in result.tables() else []
    pillars = [_pillar_row(PillarDetails(OVERALL, details.overall, 0.0, 0.0, "no pillar has a score"), details, rows)]
    pillars += [_pillar_row(pillar, details, rows) for pillar in details.pillars]
    scores = [row for score in details.scores for row in _score_rows(score, details, rows)]
    heads = ("Pillar", "Each question", "The overall score and its pillars")
    of_scores = ("Sub-score", "Each question", "Mean of each sub-score")
    titles = {score.name: score.title for score in details.scores}
    table = items_page.numbers_table(rows_of(details), "Score", ("Questions", "Weight", "Failed", "Not tested"), titles)
    groups, noted = details.group_means(), notes(details)
    return items_page.page(
        record,
        "question",
        [_verdict(details, record), *_band(details, record)],
        means=[
            Section("pillars", "Pillars", "Pillars", "The overall score is the weighted mean of the pillars."),
            MetricRows(pillars, items_page.note(pillars, "question"), heads=heads),
            Section("scores", "Sub-scores", "Sub-scores", "A pillar is the mean of its sub-scores, from 0 to 1."),
            MetricRows(scores, _note(details, scores), heads=of_scores),
        ],
        compared={
            name: Compared(capital(name), _SHORT.get(name, capital(name))) for name in (OVERALL, *known(details))
        },
        groups=groups,
        items=questions(details, rows, verdicts),
        more=[] if details.judge is None else [Section("judge", "Judge", "The judge"), Facts(judge_facts(details))],
        numbers=[
            Folded("Scores", "means, intervals, how many", [table]),
            *items_page.group_folds(groups, "question", "Score", titles),
            *([Folded("Notes", counted(len(noted), "note"), [Facts(noted)])] if noted else []),
        ],
        options=_OPTIONS,
    )


def _verdict(details: EvaluationDetails, record: Record) -> Masthead:
    judge = "" if details.judge is None else f"judge {details.judge.model}"
    about = [record.name, counted(details.questions, "question"), judge]
    scored = [pillar for pillar in details.pillars if pillar.mean.value is not None]
    scored.sort(key=lambda pillar: pillar.mean.value or 0.0)
    aside = [
        f"{score.title} {value(score.mean.value)} ({score.mean.band})" for score in details.of("") if score.mean.band
    ]
    lede = [_interval(details.overall), f"Not in the overall score: {and_joined(aside)}." if aside else ""]
    if not scored:
        sentence = "No pillar has a score."
    else:
        bands = {
            band: [f"{pillar.name} {value(pillar.mean.value)}" for pillar in scored if pillar.mean.band == band]
            for band in BANDS
        }
        parts = [
            f"{and_joined(names)} {'is' if len(names) == 1 else 'are'} {band}" for band, names in bands.items() if names
        ]
        if details.overall.value is None:
            sentence = f"{no_overall(details)} {capital(', '.join(parts))}."
        else:
            sentence = f"Overall {value(details.overall.value)} ({details.overall.band}): {', '.join(parts)}."
            if details.overall.band != BANDS[-1] and (cause := _cause(details)):
                lede = [f"{capital(', '.join(parts))}.", *lede]
                sentence = f"Overall {value(details.overall.value)} ({details.overall.band}): {cause} lowers it most."
    return head("evaluate", record, about, sentence, [" ".join(filter(None, lede))], advice(details))


def _cause(details: EvaluationDetails) -> str:
    """Return the sub-score that takes most from the overall score; empty where none does."""
    lost: list[tuple[float, SubScoreDetails]] = []
    for pillar in details.pillars:
        scored = [(score.scaled, score) for score in details.of(pillar.name) if score.scaled is not None]
        lost += [(pillar.share * (1.0 - scaled) / len(scored), score) for scaled, score in scored]
    most, score = max(lost, key=lambda entry: entry[0])
    return f"“{score.title}” ({value(score.mean.value)}{unit_of(score)})" if most else ""


def _interval(mean: ScoreMean) -> str:
    if mean.low is None or mean.high is None:
        return ""
    if not mean.reached:
        return f"95 % interval {ends(mean)}."
    return f"The 95 % interval, {ends(mean)}, reaches into {and_joined([f'“{band}”' for band in mean.reached])}."


def _band(details: EvaluationDetails, record: Record) -> list[Band]:
    """Return the gates that failed, and the failures, where these are more than a few."""
    reasons = details.all_failures
    total, asked = sum(reasons.values()), details.questions + (details.judge.verdicts if details.judge else 0)
    if total <= items_page.MANY_FAILED * asked and all(gate.failure is None for gate in record.gates):
        return []
    lost = f"{total:,} answers and verdicts failed" if total > 1 else "one answer or verdict failed" if total else ""
    return band(record, lost, reasons_table(reasons, "Times"))


def _pillar_row(pillar: PillarDetails, details: EvaluationDetails, rows: Sequence[Row]) -> MetricRow:
    """Return the row of a pillar, or of the overall score, which has no weight."""
    mean, has_weight = pillar.mean, pillar.name != OVERALL and details.overall.value is not None
    weight = f"weight {pillar.share:.3g}, " if has_weight else ""
    words = pillar.missing if mean.value is None else f"{weight}{counted(mean.n, 'question')}"
    bands = details.good, details.acceptable
    boxes = _boxes(pillar.name, details, rows, bands)
    return items_page.metric_row(capital(pillar.name), words, mean, bands, boxes=boxes)


def _score_rows(score: SubScoreDetails, details: EvaluationDetails, rows: Sequence[Row]) -> list[MetricRow]:
    """Return the row of a sub-score; none of numbers without ends."""
    if score.low is None or score.high is None:
        return []
    scale, over = (score.low, score.high), [score.pillar] if score.pillar else []
    over.append(counted(score.mean.n, "question"))
    over += [f"{score.failed:,} without a value"] if score.failed else []
    words = f"{', '.join(over)}: {score.said}" if score.said else ", ".join(over)
    if score.most is not None and score.most < 0.9995:
        words += f"; a perfect ranking reaches {value(score.most)}"
    words = score.why_untested if score.mean.value is None else words
    title = score.title + ("" if score.pillar else " (not in the overall score)")
    bands = score.good, score.acceptable
    boxes = _boxes(score.name, details, rows, bands, scale)
    return [items_page.metric_row(title, words, score.mean, bands, scale, boxes, score.states)]


def _boxes(
    name: str,
    details: EvaluationDetails,
    rows: Sequence[Row],
    bands: tuple[float | None, float | None],
    scale: items_page.Scale = items_page.SHARES,
) -> list[Box]:
    """Return a box per question; none where the page does not hold all."""
    pairs = ((row.get(name), row) for row in rows if len(rows) == details.questions)
    return items_page.boxes(pairs, "question", bands, scale)


def _note(details: EvaluationDetails, rows: Sequence[MetricRow]) -> str:
    endless = [score for score in details.scores if score.high is None and score.mean.n]
    numbers = "; ".join(f"{score.title} {value(score.mean.value, 3)}{unit_of(score)}" for score in endless)
    clusters = f"Intervals are over {details.clusters:,} groups by {details.cluster}." if details.cluster else ""
    return items_page.note(rows, "question", clusters, f"Other numbers: {numbers}." if numbers else "")


def questions(details: EvaluationDetails, rows: Sequence[Row], verdicts: Sequence[Row]) -> Items:
    """Return the questions, worst first as the table has them.

    Parameters
    ----------
    details
        The evaluation.
    rows, verdicts
        Its tables.
    """
    order = "Questions without an overall score come last." if any(row[OVERALL] is None for row in rows) else ""
    rows = sorted(rows, key=lambda row: row[OVERALL] is None)
    of_question: dict[str, list[Row]] = defaultdict(list)
    for verdict in verdicts:
        of_question[verdict["question"]].append(verdict)
    texts = (_texts(row, of_question[row["id"]]) for row in rows)
    kept, page_notes = items_page.shown_items(rows, texts, details.questions, "question")
    titles = {score.rubric: score.title for score in details.scores if score.rubric}
    cards = [_card(row, details, of_question[row["id"]], titles) for row in rows[:kept]]
    kinds = Counter(key for card in cards for key in card.keys)
    marked = {
        f"{fault['score']}-{fault['found']}": (_SYMBOLS.get(fault["found"], "✗"), fault["said"])
        for row in reversed(rows)
        for fault in row["faults"]
    }
    labels = {
        **marked,
        **{score.name: ("✗", f"{score.title}: faults") for score in details.scores if score.rubric},
        _ATTACK: ("+", "looks like an instruction to the judge"),
        _UNJUDGED: ("!", "a failed verdict"),
        _FAILED: ("!", "no answer"),
        _NONE: ("✓", "no fault"),
    }
    filters = [Filter(key, symbol, text, kinds[key]) for key, (symbol, text) in labels.items() if kinds[key]]
    wrong = {text for key, (_, text) in marked.items() if key.endswith("-wrong")}
    words = {"wrong": wrong.pop()} if len(wrong) == 1 else {}
    return Items(cards, filters, details.questions, page_notes, words, order)


def _texts(row: Row, verdicts: Sequence[Row]) -> list[str | None]:
    contexts = [context["text"][:_CONTEXT] for context in row["contexts"] or ()]
    return [row["question"], row["answer"], row["truth"], *contexts, *(verdict["rationale"] for verdict in verdicts)]


def _card(
    row: Row,
    details: EvaluationDetails,
    verdicts: Sequence[Row],
    titles: Mapping[str, str],
) -> AnswerCard:
    keys: dict[str, None] = {}
    faults: list[CardFault] = []
    if row["failure"] is not None and row["answer"] is None:
        keys[_FAILED] = None
    answer, truth = row["answer"] or "", row["truth"] or ""
    for fault in row["faults"]:
        keys[f"{fault['score']}-{fault['found']}"] = None
        faults.append(CardFault(fault["found"], ": ".join(filter(None, (fault["text"], fault["said"])))))
    names = {score.rubric: score.name for score in details.scores if score.rubric}
    for verdict in verdicts:
        for text in verdict["faults"]:
            keys[names.get(verdict["rubric"]) or verdict["rubric"]] = None
            faults.append(CardFault("low", f"{titles.get(verdict['rubric'], verdict['rubric'])}: {text}"))
    for attack in row["attacks"]:
        keys[_ATTACK] = None
        words = f"{attack['field']} may address the judge, {attack['kind']}: {attack['excerpt']}"
        faults.append(CardFault("unexpected", words))
    for failure in row["failures"]:
        if row["answer"] is not None:
            keys[_UNJUDGED] = None
            faults.append(CardFault("missed", f"{failure['score']}: {failure['reason']}"))
    lang = language(row["question"], row["answer"], row["truth"])
    whole = [(capital(name), row.get(name)) for name in (OVERALL, *(pillar.name for pillar in details.pillars))]
    whole += [(score.title, row.get(score.name)) for score in details.scores]
    cut = ["" if len(text) <= _SAID else f"{len(text) - _SAID:,} characters left out" for text in (answer, truth)]
    return items_page.card(
        row,
        list(keys) or [_NONE],
        list(dict.fromkeys(faults)),
        _marked(answer, row["answer_marks"]),
        _marked(truth, row["truth_marks"]),
        [(name, value(number)) for name, number in whole if number is not None],
        failure=(row["failure"] or "") if row["answer"] is None else "",
        cut=cut,
        further=list(_further(row, verdicts, titles, lang)),
    )


def _marked(text: str, marks: Sequence[Row]) -> list[Piece]:
    return pieces(text[:_SAID], [mark for mark in marks if mark["end"] <= _SAID])


def _further(row: Row, verdicts: Sequence[Row], titles: Mapping[str, str], lang: str) -> Iterator[Further]:
    if verdicts:
        entries = [_said(verdict, titles.get(verdict["rubric"], verdict["rubric"]), lang) for verdict in verdicts]
        yield Further(counted(len(verdicts), "verdict"), entries)
    contexts = row["contexts"]
    if contexts:
        entries = [_context(rank, context, lang) for rank, context in enumerate(contexts, 1)]
        title = counted(len(contexts), "context")
        if row["relevant"] is not None:
            relevant = sum(entry.tone == "good" for entry in entries)
            title += f", {relevant:,} of {counted(len(row['relevant']), 'relevant document')}"
        yield Further(title, entries)
    missed = [key for key in row["relevant"] or () if key not in {context["id"] for context in contexts or ()}]
    if missed and contexts is not None:
        entries = [CardText("∅", "bad", key, "", [], lang) for key in missed]
        yield Further(f"{counted(len(missed), 'relevant document')} not retrieved", entries)


def _said(judged: Row, title: str, lang: str) -> CardText:
    text = judged["rationale"] or judged["failure"] or "nothing to score"
    shown = "", [Piece(text)], items_page.own_language(text, lang)
    if judged["failure"] is not None:
        return CardText("✕", "bad", f"{title}: no score", *shown)
    score = "nothing to score" if judged["score"] is None else value(judged["score"])
    return CardText("", "", f"{title}: {score}", *shown)


def _context(rank: int, context: Row, lang: str) -> CardText:
    text, grade = context["text"], context["grade"]
    cut = f" … {len(text) - _CONTEXT:,} more characters" if len(text) > _CONTEXT else ""
    is_relevant = grade is not None and grade > 0
    place = f"relevant, grade {grade:g}" if is_relevant else ""
    shown = place, [Piece(text[:_CONTEXT] + cut)], items_page.own_language(text, lang)
    return CardText(str(rank), "good" if is_relevant else "", context["id"] or "context", *shown)
