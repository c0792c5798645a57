"""For terminals: the verdict first, then columns and sentences that fit; control characters have no effect."""

from collections.abc import Iterable, Iterator, Sequence

from benchbench.errors import visible
from benchbench.report.blocks import Block, Detail, Facts, Gates, Heading, Notes, Sparks, Table, Text, Verdict
from benchbench.report.layout import Layout
from benchbench.report.render.columns import sparks, table
from benchbench.report.render.lines import padded, width, wrapped
from benchbench.report.render.screen import Line, Screen, style_of
from benchbench.results.figures import rounded, value
from benchbench.results.gates import ERROR_RATE
from benchbench.results.record import GateResult
from benchbench.results.result import Result
from benchbench.results.verdict import gates_counted

_LABEL = 12  # columns of a label
_MUTED = "Signature"  # the label of what only programs compare
_MARKS = {"passed": "●", "failed": "▼", "not judged": "○"}
_NAMED = 3  # gates that failed, in the verdict, and of one limit


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
            plain = [visible(text).replace("`", "") for text in advice]  # which mark code on a page
            return lines + [[(part, "")] for text in plain for part in wrapped(f"  {text}", columns, 0, 2)]
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
            return [line for outcome in _outcomes(gates) for line in _fact("Gate", outcome, columns)]
    return []


def _outcomes(gates: Sequence[GateResult]) -> Iterator[str]:
    """Yield the outcomes of gates; those of one number and one limit stand together."""
    alike: dict[tuple[str, ...], list[GateResult]] = {}
    for gate in gates:
        if gate.verdict != "broken":
            alike.setdefault((gate.verdict, gate.condition, gate.name, str(gate.bound)), []).append(gate)
    for (verdict, *_), together in alike.items():
        mark, first = _MARKS[verdict], together[0]
        values = [gate.value for gate in together if gate.value is not None]
        if len(values) < len(together) or not all(map(_is_comparison, together)):
            yield from (f"{mark} {_outcome(gate)}" for gate in together)
            continue
        limit, name = f"(limit {_shown(first, first.bound)})", "errors" if _is_share(first) else first.name
        if verdict == "passed" and len(together) > 1:
            ends = dict.fromkeys(_shown(first, end) for end in (min(values), max(values)))
            yield f"{mark} {name} {' to '.join(ends)} in {len(together):,} of {len(gates):,} {limit}"
            continue
        each = [_shown(gate, gate.value) + (f" at {gate.about}" if gate.about else "") for gate in together]
        more = f" and {len(each) - _NAMED:,} more" if len(each) > _NAMED else ""
        yield f"{mark} {name} {'; '.join(each[:_NAMED])}{more} {limit}"


def _is_comparison(gate: GateResult) -> bool:
    """Say that a gate compares one number with a limit, and that its sentence has nothing else."""
    start = gate.condition if gate.verdict == "passed" else f"failed: {gate.name} is "
    about = not gate.about or gate.said.startswith(f"{gate.about}: ")
    return about and gate.bound is not None and " and " not in gate.condition and gate.outcome.startswith(start)


def _is_share(gate: GateResult) -> bool:
    return gate.name.rpartition(".")[2] == ERROR_RATE


def _shown(gate: GateResult, number: float | None) -> str:
    """Return a value or a limit of a gate with its unit: errors in percent, others with the digits that they have."""
    if _is_share(gate) or number is None:
        return f"{rounded(None if number is None else 100 * number, 3)} %"
    if gate.unit == "ms" and number != int(number):
        return f"{value(number, 1)} ms"
    is_near = rounded(number) == rounded(gate.bound)  # or the limit itself
    return f"{rounded(number, 6 if is_near else 4)} {gate.unit}".rstrip()


def _outcome(gate: GateResult) -> str:
    """Return the outcome of a gate, after what it is about, where the sentence does not say that itself."""
    about = f"{gate.about}: "
    return (about if gate.about and gate.said.startswith(about) else "") + gate.outcome


def _failing(gates: Sequence[GateResult]) -> list[tuple[str, str]]:
    """Return what stands above any verdict: that gates failed, that they all passed, or that some were not judged."""
    marked = [("▼", gate.said) for gate in gates if gate.verdict == "broken"]
    failed = list(dict.fromkeys(gate.condition for gate in gates if gate.verdict == "failed"))
    counted = gates_counted(gates)
    if failed:
        more = f" and {len(failed) - _NAMED:,} more" if len(failed) > _NAMED else ""
        marked.append(("▼", f"{counted.removesuffix('.')}: {', '.join(failed[:_NAMED])}{more}."))
    elif counted:
        marked.append(("●" if all(gate.verdict == "passed" for gate in gates) else "○", counted))
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
