"""The page of an audit: checks by harm with examples side by side and what to do, and steps to the repaired score."""

from collections.abc import Sequence
from difflib import SequenceMatcher
from typing import Literal

from benchbench.audit.finding import AuditDetails, Finding, Pair, Shown
from benchbench.report.audit_blocks import CheckGroup, CheckList, CheckRow, SideText
from benchbench.report.blocks import AnyCell, Block, Cell, Table
from benchbench.report.layouts.audit import Groups, Row, ends_of, groups_of, name_of, not_run, size_of, verdict
from benchbench.report.layouts.page_parts import band, head, passed_gates, reproduce, settings
from benchbench.report.layouts.page_scales import rows_axis, value_axis
from benchbench.report.page_blocks import (
    Dot,
    Folded,
    Masthead,
    PageBlock,
    Panel,
    Panels,
    Path,
    Plot,
    PlotMark,
    Section,
    Tile,
    Tiles,
)
from benchbench.report.render.lines import cut
from benchbench.results.figures import NOTHING, signed, value
from benchbench.results.record import Record
from benchbench.results.result import Result
from benchbench.tables.shared_messages import capital, counted

_SETTINGS = {
    "cutoff": "cut-off",
    "near": "near-copies from",
    "sample": "compared at most",
    "max_tokens": "long from, tokens",
    "limit": "asked of the service",
}
_GROUPS = (
    ("harm", "May change scores"),
    ("handled", "Handled by benchbench run"),
    ("harmless", "No effect on BM25; may matter for other retrievers"),
    ("others", "Good to know"),
)
_CEILINGS = {  # check -> its number, and whether that is what is lost
    "dangling_judgments": ("possible_nDCG@", False),
    "twins_judged_differently": ("twin_loss_nDCG@", True),
    "near_duplicates": ("near_loss_nDCG@", True),
}
_SHOWN = 160  # characters of a text that is not compared word by word: its title and first words
_ROW = 34  # pixels of a chart
_ROOM = 0.06  # of a scale, beyond its ends
_LABEL = 0.12  # of a scale, for the number behind the last dot


def blocks(result: Result, shared: Sequence[Block]) -> list[Block | PageBlock | CheckList]:
    """Return the page; what other formats have too is not needed."""
    audit, record = result.details_as(AuditDetails), result.record
    groups = groups_of(audit)
    ceilings = _ceilings(audit, groups)
    notes = [note.text for note in record.notes]
    made: list[Block | PageBlock | CheckList] = [
        _masthead(audit, record, groups),
        *band(record),
        *_tiles(audit, groups, ceilings),
    ]
    scale = _scale(groups)
    headings = {"harm": "Change scores"} if all(row.effect for row in groups.harm) else {}
    listed = [
        CheckGroup(headings.get(member, name), [_row(audit, row, groups, scale) for row in getattr(groups, member)])
        for member, name in _GROUPS
    ]
    if any(group.rows for group in listed):
        measure = audit.effects.measure if audit.effects else ""
        how = f"Effect: how much {measure} of BM25 rises when only this fault is repaired, with its 95 % interval. "
        how += "Without a number: it cannot be measured. "
        how = how if measure else "No effect on scores was measured. "
        how = next((f"{capital(text)}. " for text in notes if text.startswith("effects on BM25")), how)
        made.append(Section("checks", "Checks", "Checks, most harmful first", f"{how}Open a row for examples."))
        made.append(CheckList(measure, _ticks(scale), [group for group in listed if group.rows]))
    else:
        made.append(Section("checks", "Checks", "Checks"))
    made += _folds(groups)
    made += _charts(audit, groups, ceilings)
    made += passed_gates(record)
    counts = [(item.name.replace("_", " "), f"{item.count:,}") for item in record.counts if not item.scope]
    effects = audit.effects
    measured = [("retriever", effects.retriever), ("intervals", "BCa bootstrap, 2,000 resamples")] if effects else []
    names = {name: words for name, words in _SETTINGS.items() if name != "limit" or audit.service}
    made.extend(reproduce(record, [("Settings", [*settings(record, names), *measured]), ("Data", counts)]))
    return made


def _masthead(audit: AuditDetails, record: Record, groups: Groups) -> Masthead:
    ((_, first), *others), advice = verdict(audit, groups)
    notes = [*(text for _, text in others), *advice]
    return head("audit", record, [name_of(audit), size_of(audit)], first, _second(groups), notes)


def _second(groups: Groups) -> list[str]:
    """Return the dearest fault, with its interval, and how many others there are."""
    if not groups.harm:
        return []
    first, *others = groups.harm
    pieces = ["", first.title, f": {first.said}."]
    changing = sum(row.effect is not None for row in others)
    if first.effect is not None:
        low, high = (value(end, 3) for end in (first.effect.low, first.effect.high))
        cost = f"That alone costs {value(first.effect.value, 3)}, 95 %" if changing else "95 %"
        pieces[-1] += f" {cost} interval {low} to {high}."
    if changing:
        pieces[-1] += f" {counted(changing, 'more fault')} {'changes' if changing == 1 else 'change'} scores."
    return pieces


def _tiles(audit: AuditDetails, groups: Groups, ceilings: Sequence[tuple[str, float]]) -> list[Tiles]:
    """Return what BM25 scores and can score; nothing where that was not measured."""
    effects = audit.effects
    if effects is None:
        return []
    words = f"{effects.measure}, {counted(effects.queries, 'query')}"
    left = f"{counted(effects.left, 'query')} left" if effects.left != effects.queries else effects.measure
    tiles = [
        Tile("BM25 now", [value(effects.before, 3)], aside=words),
        Tile("BM25 after repair", [value(effects.after, 3)], aside=left),
    ]
    if ceilings:
        title, most = min(ceilings, key=lambda ceiling: ceiling[1])
        tiles.append(Tile(f"Best possible {effects.measure}", [value(most, 3)], aside=f"because of: {title.lower()}"))
    run = len(groups.found) + len(groups.passed)
    skipped = f"{len(groups.skipped)} not run" if groups.skipped else ""
    tiles.append(Tile("Checks passed", [f"{len(groups.passed)}"], f"of {run}", aside=skipped))
    return [Tiles(tiles)]


def _ceilings(audit: AuditDetails, groups: Groups) -> list[tuple[str, float]]:
    """Return the nDCG that a perfect retriever reaches with each fault alone, where that is below 1."""
    ceilings = []
    for row in groups.found:
        prefix, is_loss = _CEILINGS.get(row.check.check, ("", False))
        most = next((number for name, number in row.check.effects.items() if prefix and name.startswith(prefix)), None)
        if row.check.check == "queries_without_positives":
            most = 1.0 - row.times / audit.queries
        if most is not None:
            ceilings.append((row.title, 1.0 - most if is_loss else most))
    return [(title, most) for title, most in ceilings if most < 1.0]


def _scale(groups: Groups) -> tuple[float, float]:
    """Return the ends of the scale that all effects are drawn on."""
    effects = [row.effect for rows in groups[:3] for row in rows if row.effect]
    low, high = (
        min([0.0, *(effect.low for effect in effects)]),
        max([0.0, *(effect.high for effect in effects)]),
    )
    room = _ROOM * (high - low or 1.0)
    return low - room, high + room


def _place(number: float, scale: tuple[float, float]) -> float:
    low, high = scale
    return 100 * (number - low) / (high - low)


def _ticks(scale: tuple[float, float]) -> list[tuple[float, str]]:
    low, high = scale
    ticks = value_axis([low, high]).ticks
    return [
        (_place(at, scale), signed(at, 3) if at else "0")
        for at, _ in ticks[:: 2 if len(ticks) > 3 else 1]
        if low <= at <= high
    ]


def _row(audit: AuditDetails, row: Row, groups: Groups, scale: tuple[float, float]) -> CheckRow:
    effect = row.effect
    is_counted_above = row.check.check == "duplicate_documents" and any(
        other.check.check == "twins_judged_differently" and other.effect for other in groups.harm
    )
    span, text, ends = None, "", "" if not audit.effects else "counted above" if is_counted_above else NOTHING
    if effect is not None:
        span = (_place(effect.low, scale), _place(effect.value, scale), _place(effect.high, scale))
        text, ends = signed(effect.value, 3), ends_of(effect)
        if not effect.value:
            text, ends = "0.000", "no query changed"
    pairs = [_sides(pair) for finding in row.findings for pair in finding.pairs]
    return CheckRow(
        row.title,
        capital(row.said),
        _concerned(audit, row),
        _place(0.0, scale),
        span,
        text,
        ends,
        f"{capital(row.advice)}." if row.advice else "",
        [_part(finding, not pairs) for finding in row.findings],
        pairs,
        row.check.check,
    )


def _concerned(audit: AuditDetails, row: Row) -> str:
    """Return how many queries a fault concerns, or else how many documents; a document may have several kinds of it."""
    for noun, whole in (("query", audit.queries), ("document", audit.documents)):
        counts = [(finding.queries if noun == "query" else finding.documents).count for finding in row.findings]
        if whole and any(counts):
            return f"{min(sum(counts), max(row.times, *counts)):,} of {counted(whole, noun)}"
    return ""


def _part(finding: Finding, has_examples: bool) -> tuple[str, list[str]]:
    """Return a sentence on a finding, and its examples unless they stand side by side below."""
    shown = finding.examples if has_examples else []
    first = f" The first {len(shown)}:" if 0 < len(shown) < finding.count else ""
    return f"{capital(finding.said)}{f': {finding.effect}' if finding.effect else ''}.{first}", shown


def _sides(pair: Pair) -> list[SideText]:
    """Return two texts with what differs, or one alone."""
    if len(pair) == 1:
        return [_side(pair[0], [cut(pair[0].text, _SHOWN), ""])]
    left, right = pair
    if left.text and left.text == right.text:
        return [_side(left, [cut(left.text, _SHOWN)]), _side(right, ["The same text."])]
    if left.noun != right.noun or not left.text or not right.text:
        shown = cut(right.text, _SHOWN) or "No document has this id." * (right.mark != "")
        return [_side(left, [cut(left.text, _SHOWN)]), _side(right, [shown])]
    first, second = left.text.split(), right.text.split()
    pieces: tuple[list[str], list[str]] = ([""], [""])
    for kind, a, b, c, d in SequenceMatcher(None, first, second, autojunk=False).get_opcodes():
        for its, words in zip(pieces, (first[a:b], second[c:d]), strict=True):
            text = " ".join(words)
            if kind == "equal":
                its[-1] += text
            elif text:
                its += [text, " "]
                its[-3] += " "
    return [_side(left, pieces[0], "del"), _side(right, pieces[1], "ins")]


def _side(shown: Shown, pieces: Sequence[str], tag: Literal["", "del", "ins"] = "") -> SideText:
    return SideText(f"{shown.noun} {shown.id}", shown.mark, pieces, tag)


def _folds(groups: Groups) -> list[Folded]:
    folds = []
    if groups.passed:
        rows: list[list[AnyCell]] = [[check.title or check.check, Cell(check.check)] for check in groups.passed]
        table = Table(("Check", "Name in gates"), rows, "ll")
        folds.append(Folded(f"✓ {counted(len(groups.passed), 'check')} found nothing", "", [table]))
    if groups.skipped:
        rows = [[check.title or check.check, check.skipped] for check in groups.skipped]
        folds.append(Folded("Not run", not_run(groups.skipped), [Table(("Check", "Why"), rows, "ll")]))
    return folds


def _charts(audit: AuditDetails, groups: Groups, ceilings: Sequence[tuple[str, float]]) -> list[PageBlock]:
    """Return the steps to the mended score where several faults make them, and what a perfect retriever reaches."""
    panels, effects = [], audit.effects
    steps = [(row.title, row.effect.after) for row in groups.harm if row.effect and row.effect.after is not None]
    if effects is not None and len(steps) > 1:
        before = effects.before
        rows, marks = [("now", before)], list[PlotMark]()
        rows += [*steps, ("after repair", effects.after)]
        for place, (_, after) in enumerate(rows):
            y = float(len(rows) - 1 - place)
            change = after - before
            marks += [Path([(before, y), (after, y)])] if change else []
            text = signed(change, 3) if 0 < place <= len(steps) else value(after, 3)
            marks.append(Dot(after, y, text, hint=f"{rows[place][0]}: {value(after, 3)}"))
            before = after
        panels.append(
            _panel(
                "steps", "BM25 after each step", f"{effects.measure}, each step after the one above it.", rows, marks
            )
        )
    if len(ceilings) > 1:
        marks = []
        for place, (title, most) in enumerate(reversed(ceilings)):
            marks += [Path([(most, place), (1.0, place)], thin=True), Dot(1.0, place, hollow=True)]
            marks.append(Dot(most, place, hint=f"{title}: {value(most, 3)}"))
        rows = [(f"{title} {value(most, 3)}", most) for title, most in ceilings]
        panels.append(
            _panel(
                "ceilings",
                "A perfect retriever",
                "The highest nDCG that each fault alone leaves possible.",
                rows,
                marks,
                1.0,
            )
        )
    if not panels:
        return []
    return [Section("effect", "Effect", "Effect on scores"), Panels(panels, 2)]


def _panel(
    name: str,
    title: str,
    subtitle: str,
    rows: Sequence[tuple[str, float]],
    marks: Sequence[PlotMark],
    most: float | None = None,
) -> Panel:
    values = [number for _, number in rows] + ([] if most is None else [most])
    axis = value_axis(values)
    room = _LABEL * (axis.high - axis.low)
    x = axis._replace(low=axis.low - room, high=axis.high + room)
    y = rows_axis([label for label, _ in rows])
    words = f"{title}: {'; '.join(f'{label} {value(number, 3)}' for label, number in rows)}"
    return Panel(title, subtitle, [Plot(words, x, y, marks, 50 + _ROW * len(rows))], name=name)
