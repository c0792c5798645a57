"""What the pages of answers and of passages share: pieces of texts, languages, how much a page holds."""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from benchbench.report.blocks import Table
from benchbench.report.card_blocks import MeanRow, Piece
from benchbench.report.layouts.page_parts import band, reasons_table
from benchbench.report.page_blocks import Axis, Band, Panel, Panels, Plot, Section, Stem
from benchbench.results.estimates import Estimate
from benchbench.results.figures import estimate, value
from benchbench.results.record import Number, Record
from benchbench.results.result import Result
from benchbench.tables.shared_messages import capital, counted

if TYPE_CHECKING:
    from benchbench.judging.judge_details import JudgeDetails, RubricDetails

HELD = 3_500_000  # bytes of texts in a page
_ATTACKS = 100  # that a page holds
_FRAME = 1200  # bytes around the texts of a card
_KANA, _HANGUL, _HAN = re.compile(r"[\u3040-\u30ff]"), re.compile(r"[\uac00-\ud7af]"), re.compile(r"[\u3400-\u9fff]")


def pieces(text: str, marks: Iterable[Mapping[str, Any]], kind: str = "") -> list[Piece]:
    """Return a text in pieces by its marks, which are in order and do not overlap; `kind` replaces theirs."""
    parts: list[Piece] = []
    last = 0
    for mark in marks:
        start, end = mark["start"], mark["end"]
        if start > last:
            parts.append(Piece(text[last:start]))
        parts.append(Piece(text[start:end], kind or mark["found"], True))
        last = end
    return [*parts, Piece(text[last:])] if last < len(text) or not parts else parts


def language(*texts: str | None) -> str:
    """Return the language that the characters of the texts show, for fonts and voices; empty for any other."""
    joined = "".join(text[:2000] for text in texts if text)
    for sign, name in ((_KANA, "ja"), (_HANGUL, "ko"), (_HAN, "zh")):
        if sign.search(joined):
            return name
    return ""


def held(rows: Sequence[Mapping[str, Any]], texts: Iterable[Iterable[str | None]]) -> int:
    """Return how many of the first rows a page holds, by the bytes of their texts."""
    size = 0
    for number, row_texts in enumerate(texts):
        size += _FRAME + sum(len(text.encode()) for text in row_texts if text)
        if size > HELD:
            return number
    return len(rows)


def attacks(result: Result, details: "JudgeDetails") -> list[Section | Table]:
    """Return what looks like an attack on a judge, by kind and one by one."""
    from benchbench.judging.judge_folder import ATTACKS  # late: pages without a judge do not need it

    if not details.attacked:
        return []
    words = "What was judged is data: the verdict's format never changes, and nothing here was obeyed by the tool."
    kinds = [[kind, f"{items:,}"] for kind, items in details.attacks.items()]
    blocks: list[Section | Table] = [
        Section("attacks", "Attacks", "What looks like an instruction to the judge", words),
        Table(("Kind", "Items"), kinds, "lr"),
    ]
    if ATTACKS in result.tables():
        rows = result.table(ATTACKS).head(_ATTACKS).to_dicts()
        cells = [[row["item"].replace("\t", " "), row["field"], row["kind"], row["excerpt"]] for row in rows]
        blocks.append(Table(("Item", "In", "Kind", "Excerpt"), cells, "llll"))
    return blocks


def judge_bands(record: Record, details: "JudgeDetails", noun: str, warning: str, reasons: Sequence[str]) -> list[Band]:
    """Return what a page begins with: that a judge was interrupted, a warning, where there is one, and failures."""
    interrupted = (
        f"✂ Interrupted after {counted(details.verdicts, 'verdict')}" if record.status == "interrupted" else ""
    )
    bands = [Band(interrupted, [], ""), Band(warning, [], "bad", reasons)]
    lost = f"{counted(details.failed, noun)} failed" if details.failed else ""
    return [
        *(begin for begin in bands if begin.title),
        *band(record, lost, reasons_table(details.failures, f"{capital(noun)}s")),
    ]


def histograms(rubrics: Sequence["RubricDetails"], noun: str, score: str) -> Panels:
    """Return how many items, each a `noun`, have scores of each size, on one scale of numbers of items."""
    drawn = [rubric for rubric in rubrics if rubric.histogram]
    most = max((bin_.scores for rubric in drawn for bin_ in rubric.histogram), default=0)
    return Panels([_histogram(rubric, noun, score, most) for rubric in drawn], 3 if len(drawn) > 2 else 2)


def _histogram(rubric: "RubricDetails", noun: str, score: str, most: int) -> Panel:
    bins = rubric.histogram
    width = bins[0].high - bins[0].low or 1.0
    ends = [bin_.high if bin_.high > bin_.low else bin_.low + width for bin_ in bins]  # one of a single value: as wide
    stems = [
        Stem((bin_.low + end) / 2, float(bin_.scores), f"{bin_.scores:,}" if bin_.scores else "", width=0.86 * width)
        for bin_, end in zip(bins, ends, strict=True)
    ]
    ticks = [(bin_.low, f"{bin_.low:g}") for bin_ in bins[::2] if bin_.low < bin_.high]
    ticks += [(bin_.low + width / 2, f"{bin_.low:g}") for bin_ in bins if bin_.low == bin_.high]
    words = ", ".join(
        f"{bin_.scores:,} of {bin_.low:g}" if bin_.low == bin_.high else f"{bin_.scores:,} from {bin_.low:g}"
        for bin_ in bins
        if bin_.scores
    )
    from benchbench.judging.judge_details import plain  # late: pages without a judge do not need it

    name = capital(plain(rubric.name))
    plot = Plot(
        f"{capital(noun)}s by {score}, {name}: {words}",
        Axis(bins[0].low, ends[-1], ticks, name=score),
        Axis(0.0, most * 1.2, []),
        stems,
        160,
    )
    return Panel(name, f"{capital(noun)}s by {score}", [plot], name=rubric.label)


SHARE_TICKS = [(0.0, "0"), (50.0, "0.5"), (100.0, "1")]  # of rows from 0 to 1


def mean_row(name: str, about: str, mean: Estimate | Number, series: str = "") -> MeanRow:
    """Return the row of a mean from 0 to 1; what is outside of that stands at the end of the scale."""
    at, low, high = (
        None if number is None else 100 * min(max(number, 0.0), 1.0)
        for number in (mean.value or 0.0, mean.low, mean.high)
    )
    hint = f"{' '.join(filter(None, (name, series)))}: {estimate(mean.value, mean.low, mean.high, 3)}"
    return MeanRow(name, about, value(mean.value, 3), at or 0.0, low, high, hint, series)
