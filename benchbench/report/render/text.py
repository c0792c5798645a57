"""For terminals: the verdict first, columns and sentences that fit, nothing in them obeyed."""

from collections.abc import Iterable, Sequence

from benchbench.errors import visible
from benchbench.report.blocks import Block, Detail, Facts, Gates, Heading, Notes, Sparks, Table, Text, Verdict
from benchbench.report.layout import Layout
from benchbench.report.render.columns import sparks, table
from benchbench.report.render.lines import padded, width, wrapped
from benchbench.report.render.screen import Line, Screen, style_of
from benchbench.results.record import GateResult
from benchbench.results.result import Result

_LABEL = 12  # columns of a label
_MUTED = "Signature"  # the label of what only programs compare
_MARKS = {"passed": "●", "failed": "▼"}
_NAMED = 3  # gates that failed, in the verdict


def text(result: Result | None, layout: Layout, screen: Screen | None = None) -> str:
    """Return the whole report, as a screen shows it."""
    screen = screen or Screen()
    gates = [] if result is None else result.decided()
    drawn = (screen.drawn(_lines(block, gates, screen)) for block in layout.on(screen.wide))
    shown = "\n\n".join(filter(None, drawn))
    return f"{shown}\n" if shown else ""


def _lines(block: Block, gates: Sequence[GateResult], screen: Screen) -> list[Line]:
    columns = screen.columns
    match block:
        case Verdict(found, advice, own=own):
            counted = [one for one in gates if one.condition not in own]
            lines = [line for mark, said in [*_failing(counted), *found] for line in _found(mark, said, columns)]
            return lines + [[(part, "")] for said in advice for part in wrapped(f"  {visible(said)}", columns, 0, 2)]
        case Heading(title, said):
            return [*_sentences([title], columns, "strong"), *_sentences([said] if said else [], columns, "muted")]
        case Text(sentences):
            return _sentences(sentences, columns)
        case Facts(rows):
            shown = rows if screen.verbose else [one for one in rows if not isinstance(one, Detail)]
            return [line for label, said in shown for line in _fact(label, said, columns)]
        case Notes(sentences):
            return [line for said in sentences for line in _fact("Note", said, columns)]
        case Table(caption=caption):
            return [*_sentences([caption] if caption else [], columns), *table(block, screen)]
        case Sparks(rows, caption):
            return [*sparks(rows, columns), *_sentences([caption] if caption else [], columns, "muted")]
        case Gates():
            decided = [one for one in gates if one.verdict != "broken"]
            outcomes = [f"{_MARKS[one.verdict]} {_outcome(one)}" for one in decided]
            return [line for one in outcomes for line in _fact("Gate", one, columns)]
    return []


def _outcome(gate: GateResult) -> str:
    """Return what became of a gate, and before it of what, where the sentence does not say it itself."""
    about = f"{gate.about}: "
    return (about if gate.about and gate.said.startswith(about) else "") + gate.outcome


def _failing(gates: Sequence[GateResult]) -> list[tuple[str, str]]:
    """Return what stands above any verdict: that gates failed, or that they all passed."""
    found = [("▼", one.said) for one in gates if one.verdict == "broken"]
    checked = [one for one in gates if one.verdict != "broken"]
    failed = list(dict.fromkeys(one.condition for one in checked if one.verdict == "failed"))
    if failed:
        more = f" and {len(failed) - _NAMED:,} more" if len(failed) > _NAMED else ""
        number = sum(one.verdict == "failed" for one in checked)
        of = f"{number:,} of {len(checked):,} gates failed" if len(checked) > 1 else "The gate failed"
        found.append(("▼", f"{of}: {', '.join(failed[:_NAMED])}{more}."))
    elif checked:
        found.append(("●", f"All {len(checked):,} gates passed." if len(checked) > 1 else "The gate passed."))
    return found


def _found(mark: str, said: str, columns: int) -> list[Line]:
    first, *more = wrapped(visible(said), columns, 2 if mark else 0, 2)
    start = [(f"{mark} ", style_of(mark))] if mark else []
    return [[*start, (first, "strong")], *([(one, "strong")] for one in more)]


def _fact(label: str, said: str, columns: int) -> list[Line]:
    """Return a label with a sentence beside it."""
    beside, said = padded(f"{visible(label)} ", _LABEL), visible(said)
    style = "muted" if label == _MUTED else ""
    first, *more = wrapped(said, columns, width(beside), _LABEL)
    marked = first[:2] in ("▼ ", "● ", "! ")
    start = [(first[:1], style_of(first[:1])), (first[1:], style)] if marked else [(first, style)]
    return [[(beside, style), *start], *([(one, style)] for one in more)]


def _sentences(sentences: Iterable[str], columns: int, style: str = "") -> list[Line]:
    """Return each sentence on lines of its own, whatever it quotes."""
    lines: list[Line] = []
    for said in map(visible, sentences):
        blanks = len(said) - len(said.lstrip(" "))
        lines += [[(part, style)] for part in wrapped(said, columns, 0, blanks + 2)]
    return lines
