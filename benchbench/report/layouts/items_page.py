"""The page of scores by items, of metrics, rubrics or pillars: means with bands, groups, each item, all numbers."""

import re
from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple

from benchbench.answers.metrics import band
from benchbench.report.blocks import Block, Table
from benchbench.report.card_blocks import (
    AnswerCard,
    AnswerList,
    Box,
    CardBlock,
    CardFault,
    Filter,
    HeatCell,
    HeatRow,
    HeatTable,
    MetricRow,
    Piece,
)
from benchbench.report.layouts.card_parts import held, language
from benchbench.report.layouts.page_parts import ending, settings
from benchbench.report.layouts.score_parts import ScoreRow
from benchbench.report.page_blocks import Band, Folded, Masthead, PageBlock, Section
from benchbench.results.figures import ends, value
from benchbench.results.record import Record
from benchbench.scores.names import BANDS
from benchbench.scores.numbers import GroupMeans, Groups, ScoreMean
from benchbench.tables.shared_messages import capital, counted

AnyBlock = Block | PageBlock | CardBlock
Row = Mapping[str, Any]  # of a table
Scale = tuple[float, float]

SHARES: Scale = (0.0, 1.0)
_DOTS = "Dot and line: the mean and its 95 % interval."
_ZONES = "Bands: ○ poor, ◐ acceptable, ● good; where the line reaches another band, the band is uncertain."
MANY_FAILED = 0.05  # a share of failures above which a page begins with them: fewer change no mean by more than that
_NARROWEST = 0.015  # of the scale: so that a zone that begins at the end can be seen
_BOXES = 60  # items: of more, boxes would be smaller than a finger
_FEW = 3  # items: a mean of fewer has no colour
_ROWS = 30  # groups of a kind
_MARKS = {
    "matched": "matched",
    "wrong": "wrong",
    "missed": "missed by the answer",
    "unexpected": "not in the reference (not counted)",
}
_PLURALS = {"source_type": "Source types", "category": "Categories"}
_CALLED = {  # what a page calls settings, where their names do not say it
    "beside": "reported separately",
    "cluster": "grouped by",
    "collection": "documents",
    "compare_sample": "pairs to compare",
    "compare_with": "compared with",
    "concurrency": "concurrent requests",
    "config": "configuration",
    "cutoff": "cut-off",
    "dataset": "data set",
    "depth": "hits per query and run",
    "holes": "holes only",
    "limit": "limit",
    "max_cost": "cost at most, USD",
    "max_error_rate": "error rate allowed",
    "max_tokens": "tokens per answer, at most",
    "qrels": "existing labels",
    "repeat": "times judged",
    "repeat_sample": "judged again",
    "rubric": "rubrics",
    "seed": "seed of the sample",
    "structured": "structured output",
    "testdata": "ground truth",
    "timeout": "time limit, s",
    "url": "URL",
    "window": "nuggets per request",
}
_NAMES = {"metrics", "pillars", "beside", "rubrics"}  # settings that are names of scores
ASKED = (  # settings of a judge
    *("model", "url", "rubric", "temperature", "seed", "max_tokens", "structured", "concurrency"),
    *("repeat", "repeat_sample", "max_cost", "cache"),
)


class Compared(NamedTuple):
    """A score that groups are compared by."""

    title: str
    short: str
    scale: Scale = SHARES


class Items(NamedTuple):
    """The items of a page, of `total` ones: cards, worst first, and the buttons that filter these."""

    cards: Sequence[AnswerCard]
    filters: Sequence[Filter]
    total: int
    notes: Sequence[str]
    words: Mapping[str, str] = MappingProxyType({})  # of marks, where there are better ones than those of all pages
    order: str = ""  # what they are sorted by


def page(
    record: Record,
    noun: str,
    begin: Sequence[Masthead | Band],
    means: Sequence[AnyBlock],
    compared: Mapping[str, Compared],
    groups: Groups,
    items: Items | None,
    more: Sequence[AnyBlock],
    numbers: Sequence[Folded],
    options: Mapping[str, Sequence[str]],
) -> list[AnyBlock]:
    """Return a page.

    Parameters
    ----------
    record
        Of the result.
    noun
        What is scored: answer, question.
    begin
        The verdict, and what a reader must know first.
    means
        Sections of the means of all items.
    compared
        The scores by which groups are compared, by name.
    groups
        The means of groups.
    items
        Each item, where it is shown.
    more
        Sections that follow.
    numbers
        All numbers, folded.
    options
        Names of settings, below the headings that they stand under.
    """
    kinds = [kind for column, rows in groups.items() if (kind := _kind(column, rows, compared, noun)) is not None]
    blocks: list[AnyBlock] = [*begin, *means]
    if kinds and compared:
        hint = f"Choose a row to list its {noun}s."
        if any(mean.band for rows in groups.values() for group in rows for mean in group.means.values()):
            hint += f" Means of one or two {noun}s have no colour."
        blocks.append(Section("groups", "Where it fails", "Where it fails", hint))
        blocks.append(HeatTable([(score.title, score.short) for score in compared.values()], kinds))
    if items is not None:
        alike: dict[str, Any] = dict.fromkeys((column for column in _PLURALS if len(groups.get(column, ())) < 2), "")
        cards = [card._replace(**alike) for card in items.cards]  # without the one group that all are of
        found_marks = {piece.mark for item in items.cards for piece in (*item.answer, *item.truth)}
        marks = [(mark, items.words.get(mark, words)) for mark, words in _MARKS.items() if mark in found_marks]
        blocks.append(Section("answers", capital(f"{noun}s"), capital(f"{noun}s, worst first"), items.order))
        blocks.append(AnswerList(items.filters, cards, marks, f"{noun}s", items.total, items.notes))
    groups_of_settings = [
        (heading, [(name, _plain(text) if name in _NAMES else text) for name, text in settings(record, _called(names))])
        for heading, names in options.items()
    ]
    return [*blocks, *more, *ending(record, numbers, groups_of_settings)]


def _plain(names: str) -> str:
    """Return names of scores, and labels of rubrics, as people say them."""
    return re.sub(r"_(?=[a-z])", " ", re.sub(r"\.([a-z]+)@(\d+)", r" (\1, version \2)", names))


def _called(names: Iterable[str]) -> dict[str, str]:
    return {name: _CALLED.get(name, name.replace("_", " ")) for name in names}


def note(rows: Sequence[MetricRow], noun: str, *more: str) -> str:
    """Return the note below rows of scores of items, which `noun` names; empty sentences are left out."""
    boxes = [box for row in rows for box in row.boxes]
    each = f"Each box is one {noun}" if boxes else ""
    if any(box.state == "wrong" for box in boxes):
        each += ": ✓ right, ◐ partly right, ✗ wrong"
    elif any(box.share is not None and not box.state for box in boxes):
        each += ", filled to its score" + (" where that has no band" if any(box.state for box in boxes) else "")
    return " ".join(filter(None, (_DOTS, _ZONES if any(row.zones for row in rows) else "", each and f"{each}.", *more)))


def metric_row(
    title: str,
    words: str,
    mean: ScoreMean,
    bands: tuple[float | None, float | None] = (None, None),
    scale: Scale = SHARES,
    boxes: Sequence[Box] = (),
    states: tuple[int, int, int] = (0, 0, 0),
) -> MetricRow:
    """Return the row of a score; `words` says why it has no mean, if it has none; `bands`: where good means begin."""
    if mean.value is None:
        return MetricRow(title, words)
    low, high, zones = _placed(mean.low, scale), _placed(mean.high, scale), list[tuple[float, str]]()
    good, acceptable = (_placed(end, scale) for end in bands)
    if good is not None and acceptable is not None and mean.band:
        begins = zip((acceptable, min(good, 1.0 - _NARROWEST)), reversed(bands), strict=True)
        zones = [(place, f"{end:g}") for place, end in begins]
    doubt = f"uncertain: {bands_of(mean)}" if mean.reached and mean.band else ""
    place = _placed(mean.value, scale)
    return MetricRow(
        title, words, value(mean.value), mean.band, doubt, mean=place, low=low, high=high,
        zones=zones, boxes=boxes, stack=states, interval="" if low is None else ends(mean),
    )  # fmt: skip


def bands_of(mean: ScoreMean) -> str:
    """Return which bands a mean may be in, as `poor to good`."""
    reached = [band_ for band_ in BANDS if band_ == mean.band or band_ in mean.reached]
    return " to ".join((reached[0], reached[-1]))


def _placed(number: float | None, scale: Scale) -> float | None:
    """Return where a number is from the low end of a scale, 0, to its high end, 1."""
    low, high = scale
    return number if number is None or scale == SHARES else (number - low) / (high - low)


def boxes(
    scored: Iterable[tuple[float | None, Row]],
    noun: str,
    bands: tuple[float | None, float | None] = (None, None),
    scale: Scale = SHARES,
    states: Mapping[int, str] = MappingProxyType({}),
) -> list[Box]:
    """Return a box per item, of its score and row, worst first; none where they are many.

    Parameters
    ----------
    scored
        Items with their scores, None without one.
    noun
        What an item is.
    bands, scale
        Of the scores, as `metric_row` takes them: the box has the band that its score alone would have.
    states
        By the numbers of items, where they say more than a band.
    """
    ranked = sorted(scored, key=lambda entry: (entry[0] is None, entry[0], entry[1]["number"]))
    if len(ranked) > _BOXES:
        return []
    return [
        Box(
            number := row["number"],
            states.get(number, "") if score is None else states.get(number) or band(score, *bands, scale[1]),
            f"{noun} {number}: {'no score' if score is None else value(score)}, {row['question'][:99]}",
            _placed(score, scale),
        )
        for score, row in ranked
    ]


def _kind(
    column: str, groups: Sequence[GroupMeans], compared: Mapping[str, Compared], noun: str
) -> tuple[str, list[HeatRow]] | None:
    """Return the groups of a column, worst first; None for a single group."""
    if len(groups) < 2:
        return None

    def place(group: GroupMeans) -> float:
        means = ((group.means.get(name, ScoreMean(None)).value, score.scale) for name, score in compared.items())
        places = [placed for mean, scale in means if (placed := _placed(mean, scale)) is not None]
        return sum(places) / len(places) if places else 2.0

    rows = [
        HeatRow(group.name, column, group.size, [_cell(group, name, shown, noun) for name, shown in compared.items()])
        for group in sorted(groups, key=place)[:_ROWS]
    ]
    label = capital(column.replace("_", " "))
    return (f"{label}, the {_ROWS} worst of {len(groups):,}" if len(groups) > _ROWS else label), rows


def _cell(group: GroupMeans, name: str, score: Compared, noun: str) -> HeatCell:
    mean = group.means.get(name, ScoreMean(None))
    if mean.value is None:
        return HeatCell("–", "", "", True, f"{score.title}: no value")
    hint = f"{score.title}: {value(mean.value)} of {counted(mean.n, noun)}"
    of_size = f"of {mean.n:,}" if mean.n != group.size else ""
    return HeatCell(value(mean.value), mean.band, of_size, mean.n < _FEW, hint)


def numbers_table(
    rows: Iterable[ScoreRow], noun: str, more: Sequence[str], titles: Mapping[str, str] = MappingProxyType({})
) -> Table:
    """Return all numbers of scores by their titles; `more` are the heads of their further cells."""
    named = ((titles.get(str(row.name).strip(), row.name), row) for row in rows)
    cells = [[name, *row.begins[1:], row.told_band, *row.more, *row.aside, row.mean.interval] for name, row in named]
    head = (noun, "Mean", "95 % interval", "Band", *more, "Method")
    return Table(head, cells, f"lrrl{'r' * len(more)}l")


def group_folds(groups: Groups, noun: str, score: str, titles: Mapping[str, str]) -> list[Folded]:
    """Return the means of groups as tables; each row is of a group and a score, which has a title."""
    folded = []
    for column, several in groups.items():
        rows = [
            [group.name, titles.get(name, name), value(mean.value, 3), ends(mean, 3), f"{mean.n:,}", mean.band]
            for group in several
            for name, mean in group.means.items()
        ]
        if rows:
            head = (_PLURALS[column], score, "Mean", "95 % interval", capital(f"{noun}s"), "Band")
            table = Table(head, rows, "llrrrl", grouped=True)
            folded.append(Folded(_PLURALS[column], f"{len(several):,}", [table]))
    return folded


def shown_items(
    rows: Sequence[Any], texts: Iterable[Iterable[str | None]], total: int, noun: str, end: str = "."
) -> tuple[int, list[str]]:
    """Return how many of the first rows the page holds, and a sentence on it where that is not all."""
    kept = held(rows, texts)
    return kept, [f"The page holds the {kept:,} worst of {counted(total, noun)}{end}"] if kept < total else []


def card(
    row: Row,
    keys: Sequence[str],
    faults: Sequence[CardFault],
    answer: Sequence[Piece],
    truth: Sequence[Piece],
    scores: Sequence[tuple[str, str]],
    **members: Any,
) -> AnswerCard:
    """Return the card of an item; each of its texts has the language of all, where that has signs of its own in it."""
    question, given, expected = row["question"], row["answer"], row["truth"]
    lang = language(question, given, expected)
    return AnswerCard(
        number=row["number"],
        question=question,
        keys=keys,
        source_type=row["source_type"],
        category=row["category"],
        faults=faults,
        answer=answer,
        truth=truth,
        scores=scores,
        langs=(own_language(question, lang), own_language(given, lang), own_language(expected, lang)),
        **{"failure": "", "cut": ("", ""), **members},
    )


def own_language(text: str | None, lang: str) -> str:
    """Return the language of an item for one of its texts; empty where none of its signs is in it."""
    return lang if language(text) else ""
