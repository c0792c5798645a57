"""The questions of an evaluation: answer and truth with marks, what is at fault, verdicts, contexts."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from benchbench.evaluation.details import EvaluationDetails
from benchbench.report.card_blocks import AnswerCard, Fault, Filter, Found, Further, Piece
from benchbench.report.layouts import scored
from benchbench.report.layouts.card_parts import language, pieces
from benchbench.report.layouts.scored import Items
from benchbench.results.figures import value
from benchbench.tables.shared_messages import counted

MOST = 1000  # questions on the page
_CONTEXT, _SAID = 1200, 2000  # characters of a context, and of an answer or a truth
_FAILED, _UNJUDGED, _ATTACK, _NONE = "failed", "unjudged", "attack", "none"
_SYMBOLS = {"missed": "∅", "wrong": "✗", "low": "✗"}


def questions(
    found: EvaluationDetails, rows: Sequence[Mapping[str, Any]], verdicts: Sequence[Mapping[str, Any]]
) -> Items:
    """Return the questions, worst first as the table has them.

    Parameters
    ----------
    found
        The evaluation.
    rows, verdicts
        Its tables.
    """
    of_question: dict[str, list[Mapping[str, Any]]] = defaultdict(list)
    for one in verdicts:
        of_question[one["question"]].append(one)
    texts = (_texts(row, of_question[row["id"]]) for row in rows)
    many, said = scored.shown_items(rows, texts, found.questions, "question")
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


def _texts(row: Mapping[str, Any], verdicts: Sequence[Mapping[str, Any]]) -> list[str | None]:
    contexts = [one["text"][:_CONTEXT] for one in row["contexts"] or ()]
    return [row["question"], row["answer"], row["truth"], *contexts, *(one["rationale"] for one in verdicts)]


def _card(
    row: Mapping[str, Any],
    found: EvaluationDetails,
    verdicts: Sequence[Mapping[str, Any]],
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
            keys[names.get(one["rubric"], one["rubric"])] = None
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
    return scored.card(
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


def _marked(text: str, marks: Sequence[Mapping[str, Any]]) -> list[Piece]:
    return pieces(text[:_SAID], [one for one in marks if one["end"] <= _SAID])


def _further(
    row: Mapping[str, Any], verdicts: Sequence[Mapping[str, Any]], titles: Mapping[str, str], lang: str
) -> Iterator[Further]:
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


def _said(one: Mapping[str, Any], title: str, lang: str) -> Found:
    text = one["rationale"] or one["failure"] or "nothing to score"
    if one["failure"] is not None:
        return Found("✕", "bad", f"{title}: no score", one["rubric"], [Piece(text)], scored.own_language(text, lang))
    score = "nothing to score" if one["score"] is None else value(one["score"], 2)
    return Found("", "", f"{title}: {score}", one["rubric"], [Piece(text)], scored.own_language(text, lang))


def _context(rank: int, one: Mapping[str, Any], lang: str) -> Found:
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
        scored.own_language(text, lang),
    )
