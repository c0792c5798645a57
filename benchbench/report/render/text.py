"""For terminals: the verdict first, then columns and sentences that fit; control characters have no effect."""

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
    screen = screen or Screen(whole=True)
    gates = [] if result is None else result.decided()
    drawn = (screen.drawn(_lines(block, gates, screen)) for block in layout.on(screen.whole))
    shown = "\n\n".join(filter(None, drawn))
    return f"{shown}\n" if shown else ""


def _lines(block: Block, gates: Sequence[GateResult], screen: Screen) -> list[Line]:
    columns = screen.columns
    match block:
        case Verdict(marked, advice, own=own):
            counted = [gate for gate in gates if gate.condition not in own]
            lines = [line for mark, text in [*_failing(counted), *marked] for line in _found(mark, text, columns)]
            return lines + [[(part, "")] for text in advice for part in wrapped(f"  {visible(text)}", columns, 0, 2)]
        case Heading(title, below):
            return [*_sentences([title], columns, "strong"), *_sentences([below] if below else [], columns, "muted")]
        case Text(sentences):
            return _sentences(sentences, columns)
        case Facts(rows):
            shown = rows if screen.verbose else [row for row in rows if not isinstance(row, Detail)]
            return [line for label, text in shown for line in _fact(label, text, columns)]
        case Notes(sentences):
            return [line for sentence in sentences for line in _fact("Note", sentence, columns)]
        case Table(caption=caption):
            return [*_sentences([caption] if caption else [], columns), *table(block, screen)]
        case Sparks(rows, caption):
            return [*sparks(rows, columns), *_sentences([caption] if caption else [], columns, "muted")]
        case Gates():
            decided = [gate for gate in gates if gate.verdict != "broken"]
            outcomes = [f"{_MARKS[gate.verdict]} {_outcome(gate)}" for gate in decided]
            return [line for outcome in outcomes for line in _fact("Gate", outcome, columns)]
    return []


def _outcome(gate: GateResult) -> str:
    """Return the outcome of a gate, after what it is about, where the sentence does not say that itself."""
    about = f"{gate.about}: "
    return (about if gate.about and gate.said.startswith(about) else "") + gate.outcome


def _failing(gates: Sequence[GateResult]) -> list[tuple[str, str]]:
    """Return what stands above any verdict: that gates failed, or that they all passed."""
    marked = [("▼", gate.said) for gate in gates if gate.verdict == "broken"]
    checked = [gate for gate in gates if gate.verdict != "broken"]
    failed = list(dict.fromkeys(gate.condition for gate in checked if gate.verdict == "failed"))
    if failed:
        more = f" and {len(failed) - _NAMED:,} more" if len(failed) > _NAMED else ""
        number = sum(gate.verdict == "failed" for gate in checked)
        start = f"{number:,} of {len(checked):,} gates failed" if len(checked) > 1 else "The gate failed"
        marked.append(("▼", f"{start}: {', '.join(failed[:_NAMED])}{more}."))
    elif checked:
        marked.append(("●", f"All {len(checked):,} gates passed." if len(checked) > 1 else "The gate passed."))
    return marked


def _found(mark: str, text: str, columns: int) -> list[Line]:
    first, *more = wrapped(visible(text), columns, 2 if mark else 0, 2)
    start = [(f"{mark} ", style_of(mark))] if mark else []
    return [[*start, (first, "strong")], *([(line, "strong")] for line in more)]


def _fact(label: str, text: str, columns: int) -> list[Line]:
    """Return a label with a sentence beside it."""
    label_column, text = padded(f"{visible(label)} ", _LABEL), visible(text)
    style = "muted" if label == _MUTED else ""
    first, *more = wrapped(text, columns, width(label_column), _LABEL)
    marked = first[:2] in ("▼ ", "● ", "! ")
    start = [(first[:1], style_of(first[:1])), (first[1:], style)] if marked else [(first, style)]
    return [[(label_column, style), *start], *([(line, style)] for line in more)]


def _sentences(sentences: Iterable[str], columns: int, style: str = "") -> list[Line]:
    """Return each sentence on lines of its own, whatever it quotes."""
    lines: list[Line] = []
    for sentence in map(visible, sentences):
        blanks = len(sentence) - len(sentence.lstrip(" "))
        lines += [[(part, style)] for part in wrapped(sentence, columns, 0, blanks + 2)]
    return lines
