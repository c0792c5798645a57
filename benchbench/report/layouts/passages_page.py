"""The page of scores of passages: how far each query comes, the measures, and gold beside what was retrieved."""

from collections.abc import Mapping, Sequence
from typing import Any

from benchbench.answers.passage_places import FunnelDetails
from benchbench.answers.passage_scores import MeasuredPassages
from benchbench.report.blocks import Block, Facts, Table
from benchbench.report.card_blocks import (
    CardBlock,
    CardText,
    Filter,
    Funnel,
    FunnelStep,
    Means,
    PassageCard,
    PassageList,
    Piece,
    Ruler,
    Span,
)
from benchbench.report.layouts.card_parts import held, language, mean_row, pieces
from benchbench.report.layouts.page_parts import band, ending, head, hidden, settings
from benchbench.report.layouts.page_scales import share_axis
from benchbench.report.page_blocks import Folded, Masthead, PageBlock, Section
from benchbench.results.figures import NOTHING, count, ends, share, value
from benchbench.results.record import Record
from benchbench.results.result import Result
from benchbench.tables.shared_messages import counted

TABLE = "places"
_STAGES = {
    "part": ("◐", "part found"),
    "place": ("○", "right text, wrong place"),
    "none": ("✗", "wrong text"),
    "all": ("●", "all found"),
}
_UNPLACED = {"part": ("◐", "part found"), "none": ("✗", "nothing found"), "all": ("●", "all found")}
_MEASURES = {
    "char_recall": "of the gold characters, retrieved",
    "char_precision": "of the retrieved characters, gold",
    "recall": "of the gold passages, matched by a retrieved one",
    "ndcg": "the same, earlier is better",
    "span_f1": "words that the first passage and a gold one share",
    "exact_match": "the first passage is a gold one",
}
_LISTED = 8  # passages of a kind in a card
_APART = 4.5  # percent of a ruler between two ranks beside one another
_SCORED = {
    "cutoff": "first passages",
    "ideal": "ideal list",
    "normalise": "white space as one",
    "cluster": "grouped by",
}


def blocks(result: Result) -> list[Block | PageBlock | CardBlock]:
    """Return the page."""
    passages, record = MeasuredPassages(result), result.record
    funnel = passages.funnel
    rows = result.table(TABLE).to_dicts() if TABLE in result.tables() else []
    page: list[Block | PageBlock | CardBlock] = [_verdict(passages, record), *band(record)]
    if funnel is not None:
        page += [
            Section("far", "How far", "How far each query comes"),
            Funnel("Queries", _steps(funnel, passages.cutoff or "k")),
        ]
    page += [Section("measures", "Measures", "Measures", _said(passages)), _means(passages)]
    if funnel is not None:
        page += [Section("answers", "Queries", "Queries, nearest misses first"), _queries(funnel, rows)]
    folds = [
        Folded("Measures", f"{len(passages.numbers)}", [_table(passages)]),
        Folded("Counts", counted(passages.asked, "query"), [_counts(passages)]),
    ]
    return page + ending(record, folds, [("Passages", _sources(record)), ("Scores", settings(record, _SCORED))])


def _sources(record: Record) -> list[tuple[str, str]]:
    retrieved = record.subject[0].source or record.name
    return [("retrieved", hidden(retrieved)), ("gold", hidden(str(record.data.name)))]


def _verdict(passages: MeasuredPassages, record: Record) -> Masthead:
    about = [
        record.name.rpartition("/")[2] or record.name,
        f"{counted(passages.asked, 'query')} of {str(record.data.name).rpartition('/')[2]}",
        f"first {passages.cutoff}" if passages.cutoff else "",
    ]
    sentence, parts = _sentence(passages), [""] if passages.funnel is None else _parts(passages.funnel)
    return head("passages", record, about, sentence, parts, passages.details.notes)


def _sentence(passages: MeasuredPassages) -> str:
    """Return how much of the gold text is found, and in how many queries nothing is."""
    means = {_kind(name): number.value for name, number in passages.numbers.items()}
    what, part = ("gold text", "char_recall") if "char_recall" in means else ("gold passages", "recall")
    sentence = f"Recall of the {what} is {value(means.get(part) or 0.0)}"
    funnel = passages.funnel
    if funnel is None or not funnel.asked:
        return f"{sentence}."
    if funnel.right_text is None:
        if funnel.right_place == funnel.asked:
            return f"{sentence}; every query has some."
        return f"{sentence}; in {_percent(1 - funnel.right_place / funnel.asked)} of queries none is."
    if funnel.right_text == funnel.asked:
        return f"{sentence}; every query has a passage of the right text."
    missed = 1 - funnel.right_text / funnel.asked
    return f"{sentence}; in {_percent(missed)} of queries no passage is of the right text."


def _percent(part: float) -> str:
    """Return a share in whole percent; a small share is not rounded to none, nor a large one to all."""
    if 0 < part < 0.005:
        return "less than 1 %"
    return "over 99 %" if 0.995 <= part < 1 else share(part)


def _parts(funnel: FunnelDetails) -> list[str]:
    touched = f"{funnel.right_place:,} of {counted(funnel.asked, 'query')}"
    if funnel.right_text is None:
        return ["A gold passage is found in ", touched, ", and all of them in ", f"{funnel.all:,}", "."]
    parts = ["The right place is touched in ", touched, ", and all of it is found in ", f"{funnel.all:,}", "."]
    if funnel.right_text > funnel.right_place:
        often = "more often than hit" if 2 * funnel.right_place < funnel.right_text else "in some"
        parts[-1] += f" Where the right text is found, the place in it is missed {often}: "
        parts[-1] += f"it is hit in {funnel.right_place:,} of {funnel.right_text:,}."
    return parts


def _steps(funnel: FunnelDetails, cutoff: Any) -> list[FunnelStep]:
    about = f"queries about {counted(funnel.texts, 'text')}" if funnel.texts else "queries with gold passages"
    steps: list[tuple[str, str, int]] = [("Asked", about, funnel.asked)]
    if funnel.right_text is not None:
        steps += [
            ("Right text found", "a passage is of a text with a gold one", funnel.right_text),
            ("Right place touched", "a passage shares a character with a gold one", funnel.right_place),
            ("All of it found", f"every gold character is in the first {cutoff}", funnel.all),
        ]
    else:
        steps += [
            ("Something found", "a passage matches a gold one", funnel.right_place),
            ("All of it found", f"each gold passage is matched in the first {cutoff}", funnel.all),
        ]
    whole = max(funnel.asked, 1)
    return [
        FunnelStep(name, about, f"{number:,}", f"{100 * number / whole:.0f} %", 100 * number / whole)
        for name, about, number in steps
    ]


def _said(passages: MeasuredPassages) -> str:
    """Return what the means are over, and how long half of the passages are."""
    top = _top(passages)
    words = f"Means over all queries with 95 % intervals; the scale ends at {top:g}."
    funnel = passages.funnel
    if funnel is None or funnel.gold_length is None or funnel.retrieved_length is None:
        return words
    half = f" Half of the gold passages are longer than {funnel.gold_length:,.0f} characters"
    return f"{words}{half}, half of the retrieved ones than {funnel.retrieved_length:,.0f}."


def _top(passages: MeasuredPassages) -> float:
    ends = (end or 0.0 for number in passages.numbers.values() for end in (number.value, number.high))
    return share_axis(max(ends)).high


def _means(passages: MeasuredPassages) -> Means:
    top, order = _top(passages), list(_MEASURES)
    numbers = sorted(passages.numbers.values(), key=lambda number: order.index(_kind(number.name)))
    return Means([mean_row(number.name, _MEASURES[_kind(number.name)], number, top) for number in numbers])


def _kind(name: str) -> str:
    return name.partition("@")[0]


def _queries(funnel: FunnelDetails, rows: Sequence[Mapping[str, Any]]) -> PassageList:
    placed = funnel.right_text is not None
    shown = rows[: held(rows, (_texts(row) for row in rows))]
    named = _STAGES if placed else _UNPLACED
    reached = funnel.right_place if funnel.right_text is None else funnel.right_text
    counts = {
        "part": funnel.right_place - funnel.all,
        "place": reached - funnel.right_place,
        "none": funnel.asked - reached,
        "all": funnel.all,
    }
    filters = [Filter(key, *named[key], counts[key]) for key in named if counts[key]]
    page_notes = []
    if not shown:
        page_notes.append("This result holds no passages: score the predictions again for them.")
    elif len(shown) < funnel.asked:
        page_notes.append(
            f"The page holds {len(shown):,} of {counted(funnel.asked, 'query')}: of each kind those that come nearest."
        )
    return PassageList(filters, [_card(row, named, placed) for row in shown], "queries", funnel.asked, page_notes)


def _texts(row: Mapping[str, Any]) -> list[str]:
    return [row["query"], *(passage["text"] for name in ("gold", "retrieved") for passage in row[name])]


def _card(row: Mapping[str, Any], named: Mapping[str, tuple[str, str]], placed: bool) -> PassageCard:
    symbol, stage = named[row["stage"]]
    retrieved, gold = row["retrieved"], row["gold"]
    facts = []
    if placed:
        facts.append(f"recall {value(row['recall'])} of {row['characters']:,} gold characters")
        of_this_text = sum(passage["file"] in row["files"] for passage in retrieved)
        these_texts = "this text" if len(row["files"]) == 1 else f"these {len(row['files'])} texts"
        facts.append(f"{of_this_text} of {len(retrieved)} passages from {these_texts}")
        if row["distance"] is not None:
            facts.append(f"missed by {row['distance']:,} characters")
    else:
        matched = sum(passage["found"] > 0 for passage in gold)
        facts.append(f"{matched} of {counted(len(gold), 'gold passage')}")
    if not retrieved:
        facts.append("nothing was retrieved")
    lang = language(row["query"], *(passage["text"] for passage in (*gold, *retrieved)))
    return PassageCard(
        row["number"],
        row["query"],
        key=row["stage"],
        symbol=symbol,
        stage=stage,
        facts=facts,
        rulers=[_ruler(file, length, row) for file, length in zip(row["files"], row["lengths"], strict=True)],
        entries=_found(row, placed, lang),
        lang=lang if language(row["query"]) else "",
    )


def _ruler(file: str, length: int, row: Mapping[str, Any]) -> Ruler:
    whole = max(length, 1)
    gold = [passage for passage in row["gold"] if passage["file"] == file]
    own = [passage for passage in row["retrieved"] if passage["file"] == file]
    spans = [Span(*_span(passage, whole)) for passage in gold]
    ends = {"above": -100.0, "below": -100.0}
    for passage in sorted(own, key=lambda passage: (passage["start"], passage["rank"])):
        left, width = _span(passage, whole)
        middle = left + width / 2
        side = next((side for side in ends if middle - ends[side] >= _APART and 1 <= middle <= 99), "")
        if side:
            ends[side] = middle
        spans.append(Span(left, width, passage["rank"], passage["shared"] > 0, side))  # type: ignore[arg-type]
    hint = f"{file}: {counted(len(gold), 'gold passage')}, {len(own)} of {len(row['retrieved'])} retrieved passages"
    return Ruler(file, hint, spans)


def _span(passage: Mapping[str, Any], whole: int) -> tuple[float, float]:
    return 100 * passage["start"] / whole, 100 * (passage["end"] - passage["start"]) / whole


def _found(row: Mapping[str, Any], placed: bool, lang: str) -> list[CardText]:
    """Return the passages to read: retrieved ones by rank, then the gold ones that were not wholly found."""
    passages = []
    for passage in [passage for passage in row["retrieved"] if passage["text"]][:_LISTED]:
        shares = passage["shared"] > 0 or (not placed and bool(passage["marks"]))
        if not shares:
            other = "of another text" if placed else "matches no gold one"
            label = "beside it" if passage["file"] in row["files"] else other
        elif placed:
            label = f"● {passage['shared']:,} of {counted(passage['end'] - passage['start'], 'character')} gold"
        else:
            label = "● matches a gold passage"
        text = pieces(passage["text"], passage["marks"], "gold")
        passages.append(
            CardText(str(passage["rank"]), "good" if shares else "", label, *_shown(passage, row, lang, text))
        )
    missed = [passage for passage in row["gold"] if passage["found"] < passage["length"]]
    for passage in missed[:_LISTED]:
        part = f"gold, {passage['found']:,} of {counted(passage['length'], 'character')} found"
        symbol, label = ("◐", part) if passage["found"] else ("∅", "gold, not found")
        text = pieces(passage["text"], passage["missed"])
        passages.append(CardText(symbol, "bad", label, *_shown(passage, row, lang, text)))
    more = len(missed) - _LISTED
    if more > 0:
        passages.append(CardText("", "", f"and {counted(more, 'more gold passage')} not found", "", [], ""))
    return passages


def _shown(
    passage: Mapping[str, Any], row: Mapping[str, Any], lang: str, text: Sequence[Piece]
) -> tuple[str, Sequence[Piece], str]:
    """Return a passage's place, without the name of its text where the card has only one, its text and language."""
    place = f"{passage['start']:,}–{passage['end']:,}" if passage["file"] else ""
    file = "" if row["files"] == [passage["file"]] else passage["file"]
    return f"{file} {place}".strip(), text, lang if language(passage["text"]) else ""


def _table(passages: MeasuredPassages) -> Table:
    how = {name: estimate.method for name, estimate in passages.details.intervals.items()}
    numbers = passages.numbers.items()
    rows = [[name, value(number.value), ends(number), how.get(name) or NOTHING] for name, number in numbers]
    rows.append(["num_examples", count(passages.asked), NOTHING, NOTHING])
    return Table(("Measure", "Mean", "95 % interval", "Interval by"), rows, "lrrl")


def _counts(passages: MeasuredPassages) -> Facts:
    return Facts([(name.replace("_", " "), f"{number:,}") for name, number in passages.counts.items()])
