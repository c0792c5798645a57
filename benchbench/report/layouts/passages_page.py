"""The page of scores of passages: how far queries get, the measures, and gold beside what was retrieved."""

from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import unquote

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
from benchbench.report.layouts.card_parts import SHARE_TICKS, held, language, mean_row, pieces
from benchbench.report.layouts.page_parts import band, ending, head, hidden, settings
from benchbench.report.page_blocks import Folded, Masthead, PageBlock, Section
from benchbench.results.figures import NOTHING, count, ends, share, value
from benchbench.results.record import Record
from benchbench.results.result import Result
from benchbench.tables.shared_messages import counted

TABLE = "places"
_STAGES = {
    "place": ("○", "right document, wrong place"),
    "part": ("◐", "part found"),
    "none": ("✗", "wrong document"),
    "all": ("●", "all found"),
}
_UNPLACED = {"part": ("◐", "part found"), "none": ("✗", "nothing found"), "all": ("●", "all found")}
_MEASURES = {
    "char_recall": ("Character recall", "share of gold characters that are retrieved"),
    "char_precision": ("Character precision", "share of retrieved characters that are gold"),
    "recall": ("Recall", "share of gold passages that contain a retrieved one or are in it"),
    "ndcg": ("nDCG", "gold passages that are matched; early ones count more"),
    "span_f1": ("Span F1", "words shared by the first passage and a gold one"),
    "exact_match": ("Exact match", "queries whose first passage is exactly a gold one"),
}
_LISTED = 8  # passages of a kind in a card
_APART = 4.5  # percent of a ruler between two ranks beside one another
_SCORED = {
    "cutoff": "first passages",
    "ideal": "ideal list",
    "normalise": "any white space alike",
    "cluster": "grouped by",
}


def blocks(result: Result) -> list[Block | PageBlock | CardBlock]:
    """Return the page."""
    passages, record = MeasuredPassages(result), result.record
    funnel = passages.funnel
    rows = result.table(TABLE).to_dicts() if TABLE in result.tables() else []
    page: list[Block | PageBlock | CardBlock] = [_verdict(passages, record, rows), *band(record)]
    if funnel is not None:
        page += [
            Section("far", "Funnel", "How far queries get"),
            Funnel("Queries", _steps(funnel, passages.cutoff or "k")),
        ]
    page += [Section("measures", "Measures", "Measures", _said(passages)), _means(passages)]
    if funnel is not None:
        page += [Section("answers", "Queries", "Queries, misses first"), _queries(funnel, rows)]
    folds = [
        Folded("Measures", f"{len(passages.numbers)}", [_table(passages)]),
        Folded("Counts", counted(passages.asked, "query"), [_counts(passages)]),
    ]
    return page + ending(record, folds, [("Passages", _sources(record)), ("Scores", settings(record, _SCORED))])


def _sources(record: Record) -> list[tuple[str, str]]:
    retrieved = record.subject[0].source or record.name
    return [("retrieved", hidden(retrieved)), ("gold", hidden(str(record.data.name)))]


def _verdict(passages: MeasuredPassages, record: Record, rows: Sequence[Mapping[str, Any]]) -> Masthead:
    about = [
        record.name.rpartition("/")[2] or record.name,
        f"{counted(passages.asked, 'query')} of {str(record.data.name).rpartition('/')[2]}",
        f"first {passages.cutoff}" if passages.cutoff else "",
    ]
    sentence, parts = _sentence(passages), [""] if passages.funnel is None else _parts(passages.funnel)
    return head("passages", record, about, sentence, parts, [*_short(passages, rows), *passages.details.notes])


def _short(passages: MeasuredPassages, rows: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return a note where no query has as many passages as the measures look at."""
    most, cutoff = max((len(row["retrieved"]) for row in rows), default=0), passages.cutoff
    has_all = passages.funnel is not None and len(rows) >= passages.funnel.asked
    if cutoff is None or not has_all or most >= cutoff:
        return []
    return [f"No query has more than {counted(most, 'passage')}, so scores at {cutoff} are scores at {most}."]


def _sentence(passages: MeasuredPassages) -> str:
    """Return how much of the gold text is found, and in how many queries nothing is."""
    means = {_kind(name): number.value for name, number in passages.numbers.items()}
    what, part = ("gold text is", "char_recall") if "char_recall" in means else ("gold passages are", "recall")
    sentence = f"On average {_percent(means.get(part) or 0.0)} of a query's {what} retrieved"
    funnel = passages.funnel
    if funnel is None or not funnel.asked:
        return f"{sentence}."
    get = "gets" if funnel.all == 1 else "get"
    return f"{sentence}; {funnel.all:,} of {counted(funnel.asked, 'query')} {get} all of it."


def _percent(part: float) -> str:
    """Return a share in whole percent; a small share is not rounded to none, nor a large one to all."""
    if 0 < part < 0.005:
        return "less than 1 %"
    return "over 99 %" if 0.995 <= part < 1 else share(part)


def _parts(funnel: FunnelDetails) -> list[str]:
    touched = f"{funnel.right_place:,} of {counted(funnel.asked, 'query')}"
    if funnel.right_text is None:
        return ["", touched, " have a gold passage."]
    reach = " reaches the right place" if funnel.right_place == 1 else " reach the right place"
    text_only, missed = funnel.right_text - funnel.right_place, funnel.asked - funnel.right_text
    others = [f"{text_only:,} only the right document"] if text_only else []
    others += [f"{missed:,} neither"] if missed else []
    return ["", touched, f"{', '.join([reach, *others])}."]


def _steps(funnel: FunnelDetails, cutoff: Any) -> list[FunnelStep]:
    about = f"queries about {counted(funnel.texts, 'document')}" if funnel.texts else "queries with gold passages"
    steps: list[tuple[str, str, int]] = [("Asked", about, funnel.asked)]
    if funnel.right_text is not None:
        steps += [
            ("Right document", "a passage is from a document with a gold one", funnel.right_text),
            ("Right place", "a passage shares a character with a gold one", funnel.right_place),
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
    words = "Means over all queries with 95 % intervals."
    funnel = passages.funnel
    if funnel is None or funnel.gold_length is None or funnel.retrieved_length is None:
        return words
    gold, retrieved = f"{funnel.gold_length:,.0f}", f"{funnel.retrieved_length:,.0f}"
    return f"{words} Median length of a passage: gold {gold}, retrieved {retrieved} characters."


def _means(passages: MeasuredPassages) -> Means:
    order = list(_MEASURES)
    numbers = sorted(passages.numbers.values(), key=lambda number: order.index(_kind(number.name)))
    rows = [mean_row(_title(number.name), _MEASURES[_kind(number.name)][1], number) for number in numbers]
    return Means(rows, SHARE_TICKS)


def _title(name: str) -> str:
    return f"{_MEASURES[_kind(name)][0]}{name.removeprefix(_kind(name))}"


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
    order = list(named)
    shown = [
        {**row, "number": number}
        for number, row in enumerate(
            sorted(shown, key=lambda row: (order.index(row["stage"]), row["recall"] or 0.0)), 1
        )
    ]
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
        facts.append(f"{row['recall'] * row['characters']:,.0f} of {row['characters']:,} gold characters found")
        of_this_text = sum(passage["file"] in row["files"] for passage in retrieved)
        these_texts = "this document" if len(row["files"]) == 1 else f"these {len(row['files'])} documents"
        facts.append(f"{of_this_text} of {len(retrieved)} passages from {these_texts}")
        if row["distance"] is not None:
            facts.append(f"nearest passage {row['distance']:,} characters away")
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
    return Ruler(unquote(file), hint, spans)


def _span(passage: Mapping[str, Any], whole: int) -> tuple[float, float]:
    return 100 * passage["start"] / whole, 100 * (passage["end"] - passage["start"]) / whole


def _found(row: Mapping[str, Any], placed: bool, lang: str) -> list[CardText]:
    """Return the passages to read: retrieved ones by rank, then the gold ones that were not wholly found."""
    passages = []
    for passage in [passage for passage in row["retrieved"] if passage["text"]][:_LISTED]:
        shares = passage["shared"] > 0 or (not placed and bool(passage["marks"]))
        if not shares:
            other = "from another document" if placed else "matches no gold one"
            label = "no overlap" if passage["file"] in row["files"] else other
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
        found = ("◐", "acceptable", part) if passage["found"] else ("∅", "bad", "gold, not found")
        text = pieces(passage["text"], passage["missed"])
        passages.append(CardText(*found, *_shown(passage, row, lang, text)))  # type: ignore[arg-type]
    more = len(missed) - _LISTED
    if more > 0:
        passages.append(CardText("", "", f"and {counted(more, 'more gold passage')} not found", "", [], ""))
    return passages


def _shown(
    passage: Mapping[str, Any], row: Mapping[str, Any], lang: str, text: Sequence[Piece]
) -> tuple[str, Sequence[Piece], str]:
    """Return a passage's place, without the name of its text where the card has only one, its text and language."""
    place = f"characters {passage['start']:,}–{passage['end']:,}" if passage["file"] else ""
    file = "" if row["files"] == [passage["file"]] else passage["file"]
    return f"{file} {place}".strip(), text, lang if language(passage["text"]) else ""


def _table(passages: MeasuredPassages) -> Table:
    how = {name: estimate.method for name, estimate in passages.details.intervals.items()}
    numbers = passages.numbers.items()
    rows = [[_title(name), value(number.value), ends(number), how.get(name) or NOTHING] for name, number in numbers]
    rows.append(["Queries", count(passages.asked), NOTHING, NOTHING])
    return Table(("Measure", "Mean", "95 % interval", "Interval by"), rows, "lrrl")


def _counts(passages: MeasuredPassages) -> Facts:
    return Facts([(name.replace("_", " "), f"{number:,}") for name, number in passages.counts.items()])
