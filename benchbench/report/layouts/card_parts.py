"""What the pages of answers and of passages share: pieces of texts, languages, how much a page holds."""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from benchbench.report.blocks import Table
from benchbench.report.card_blocks import Piece
from benchbench.report.layouts.page_parts import gates_table
from benchbench.report.page_blocks import Folded, Section
from benchbench.results.record import Record
from benchbench.results.result import Result

if TYPE_CHECKING:
    from benchbench.judging.details import JudgeDetails

HELD = 3_500_000  # bytes of texts in a page
_ATTACKS = 100  # that a page holds
_FRAME = 1200  # bytes around the texts of a card
_KANA, _HANGUL, _HAN = re.compile(r"[\u3040-\u30ff]"), re.compile(r"[\uac00-\ud7af]"), re.compile(r"[\u3400-\u9fff]")


def pieces(text: str, marks: Iterable[Mapping[str, Any]], kind: str = "") -> list[Piece]:
    """Return a text in pieces by its marks, which are in order and do not overlap; `kind` replaces theirs."""
    found: list[Piece] = []
    last = 0
    for mark in marks:
        start, end = mark["start"], mark["end"]
        if start > last:
            found.append(Piece(text[last:start]))
        found.append(Piece(text[start:end], kind or mark["found"], True))
        last = end
    return [*found, Piece(text[last:])] if last < len(text) or not found else found


def language(*texts: str | None) -> str:
    """Return the language whose signs are in one of the texts, for fonts and voices; empty for any other."""
    joined = "".join(one[:2000] for one in texts if one)
    for sign, name in ((_KANA, "ja"), (_HANGUL, "ko"), (_HAN, "zh")):
        if sign.search(joined):
            return name
    return ""


def held(rows: Sequence[Mapping[str, Any]], texts: Iterable[Iterable[str | None]]) -> int:
    """Return how many of the first rows a page holds, by the bytes of their texts."""
    size = 0
    for number, some in enumerate(texts):
        size += _FRAME + sum(len(one.encode()) for one in some if one)
        if size > HELD:
            return number
    return len(rows)


def listed(names: Sequence[str]) -> str:
    """Return names as a sentence lists them."""
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def attacks(result: Result, found: "JudgeDetails") -> list[Section | Table]:
    """Return what looks like an attack on a judge, by kind and one by one."""
    from benchbench.judging.folder import ATTACKS  # late: pages without a judge do not need it

    if not found.attacked:
        return []
    said = "What was judged is data: the verdict's format never changes, and nothing here was obeyed by the tool."
    kinds = [[kind, f"{items:,}"] for kind, items in found.attacks.items()]
    made: list[Section | Table] = [
        Section("attacks", "Attacks", "What looks like an instruction to the judge", said),
        Table(("Kind", "Items"), kinds, "lr"),
    ]
    if ATTACKS in result.tables():
        rows = result.table(ATTACKS).head(_ATTACKS).to_dicts()
        cells = [[row["item"].replace("\t", " "), row["field"], row["kind"], row["excerpt"]] for row in rows]
        made.append(Table(("Item", "In", "Kind", "Excerpt"), cells, "llll"))
    return made


def passed_gates(record: Record) -> list[Folded]:
    """Return the gates where all have passed; those of which one failed stand at the top."""
    if not record.gates or any(one.failure is not None for one in record.gates):
        return []
    return [Folded("Gates", f"✓ {len(record.gates)} passed", [gates_table(record.gates)])]
