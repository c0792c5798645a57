"""What the pages of several kinds of results share: how numbers are written, scales, the list, the end of a page."""

import re
import shlex
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from math import isfinite
from typing import Any

from benchbench.measures.notation import is_total, measured
from benchbench.report.blocks import Cell, Table
from benchbench.report.layouts.page_scales import value_axis
from benchbench.report.page_blocks import (
    Axis,
    Band,
    Dot,
    Folded,
    Masthead,
    Panel,
    Path,
    Pieces,
    Plot,
    PlotMark,
    Reproduce,
    Section,
    Tile,
    Tone,
)
from benchbench.results.figures import estimate, interval, moment, rounded
from benchbench.results.record import GateResult, Number, Record
from benchbench.results.verdict import NOT_JUDGED
from benchbench.tables.shared_messages import capital, counted

_STATES = {"passed": "✓ passed", "not judged": "○ not judged"}  # of gates that have not failed
_ROWS = 12  # of a chart of numbers
_ROW = 24  # pixels
_LONGEST = 32  # letters of its names
_HOME = re.compile(r"(?:[A-Za-z]:\\Users\\|/home/|/Users/)[^/\\\s'\"]+|/root(?=/|$)")


def hidden(text: str) -> str:
    """Return a text without the home directory of anybody."""
    return _HOME.sub("~", text)


def head(
    command: str,
    record: Record,
    about: Sequence[str],
    title: str,
    pieces: Pieces = (),
    notes: Sequence[str] = (),
    states: Sequence[tuple[str, Tone]] = (),
) -> Masthead:
    """Return what each page begins with: a line of facts, the verdict, a second sentence, and what to do next.

    Parameters
    ----------
    command
        Without its options.
    record
        Of the result: its date and gates that did not fail end the line of facts.
    about
        What was measured, and how much of it.
    title
        The verdict, in a sentence.
    pieces, notes
        What else is known, strong and plain in turn; and what to do.
    states
        What went well or wrong.
    """
    facts: list[str | tuple[str, Tone]] = [*filter(None, about), moment(record.started), *states, *gates_said(record)]
    return Masthead(command, facts, title, pieces, notes)


def reproduce(record: Record, groups: Sequence[tuple[str, Sequence[tuple[str, str]]]]) -> tuple[Section, Reproduce]:
    """Return the end of each page: the command, groups of settings, versions, the machine, the signature."""
    environment = record.environment
    host = [(name.replace("_", " "), str(value)) for name, value in environment.host.items()]
    command = shlex.join(["benchbench", *map(hidden, environment.command)]) if environment.command else ""
    versions = [(name, str(version)) for name, version in environment.versions.items()]
    filled = [(heading, rows) for heading, rows in (*groups, ("Versions", versions), ("Machine", host)) if rows]
    return Section("reproduce", "Reproduce", "Reproduce"), Reproduce(command, filled, record.signature)


def ending(
    record: Record, folds: Iterable[Folded], groups: Sequence[tuple[str, Sequence[tuple[str, str]]]]
) -> list[Section | Folded | Reproduce]:
    """Return the last two sections of a page: gates that passed with all numbers, folded, and how to reproduce them."""
    return [Section("numbers", "Numbers", "All numbers"), *passed_gates(record), *folds, *reproduce(record, groups)]


def settings(record: Record, names: Mapping[str, str]) -> list[tuple[str, str]]:
    """Return settings by their names on the page; those without a value are left out."""
    rows = []
    for name, called in names.items():
        text = _setting(given(record, name))
        if text:
            rows.append((called, hidden(text)))
    return rows


def given(record: Record, name: str, default: Any = None) -> Any:
    """Return the value of a setting; the default where the record does not have it."""
    return record.settings[name].value if name in record.settings else default


def _setting(value: Any) -> str:
    """Return the value of a setting as a text; an empty one for nothing."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, Mapping):
        deep = any(isinstance(part, list | tuple | Mapping) for part in value.values())
        return ("; " if deep else ", ").join(f"{name}{':' * deep} {_setting(part)}" for name, part in value.items())
    if isinstance(value, list | tuple):
        return ", ".join(map(_setting, value))
    return "" if value is None else str(value)


def gates_table(gates: Iterable[GateResult]) -> Table:
    """Return the outcome of each gate."""
    rows = [
        [
            Cell(_STATES.get(gate.verdict, "✕ failed"), strong=gate.verdict != "not judged"),
            Cell(gate.condition),
            Cell(gate.observed),
        ]
        for gate in gates
    ]
    return Table(["Gate", "Condition", "What was observed"], rows, "lll")


def passed_gates(record: Record) -> list[Folded]:
    """Return the gates, folded, where none failed; otherwise they stand at the top of the page."""
    said = ", ".join(text for text, _ in gates_said(record))
    return [Folded("Gates", said, [gates_table(record.gates)])] if said else []


def gates_said(record: Record) -> list[tuple[str, Tone]]:
    """Return how many gates passed, and how many were not judged, in grey; nothing where one failed."""
    if any(gate.failure is not None for gate in record.gates):
        return []
    states = Counter(gate.verdict for gate in record.gates)
    passed: list[tuple[str, Tone]] = [(f"✓ {counted(states['passed'], 'gate')} passed", "good")]
    left: list[tuple[str, Tone]] = [(f"○ {counted(states['not judged'], 'gate')} {NOT_JUDGED}", "")]
    return [*(passed if states["passed"] else []), *(left if states["not judged"] else [])]


def failures_table(queries: Mapping[str, int], requests: Mapping[str, int]) -> Table:
    """Return why queries failed, with the requests that brought no answer."""
    rows = [
        [reason, f"{requests[reason]:,}" if reason in requests else "–", f"{count:,}"]
        for reason, count in queries.items()
    ]
    return Table(["Reason", "Requests", "Queries"], rows, "lrr")


def reasons_table(reasons: Mapping[str, int], noun: str) -> list[Table]:
    """Return how often something failed, by reason; `noun` is what failed, the head of that column."""
    rows = [[reason, f"{times:,}"] for reason, times in reasons.items()]
    return [Table(["Reason", noun], rows, "lr")] if rows else []


def band(record: Record, lost: str = "", tables: Sequence[Table] = (), action: str = "") -> list[Band]:
    """Return the band at the top of a page where gates or something else failed, with its tables."""
    failed = sum(gate.failure is not None for gate in record.gates)
    if not failed and not lost:
        return []
    gates = f"{failed} of {len(record.gates)} gates failed" if len(record.gates) > 1 else "the gate failed"
    title = capital(", and ".join(filter(None, [gates if failed else "", lost])))
    return [Band(title, [*([gates_table(record.gates)] if record.gates else []), *tables], action=action)]


def measured_tile(title: str, number: Number, words: str) -> Tile:
    """Return the tile of a measure; that of a share has its interval."""
    value, low, high = number.value, number.low, number.high
    text = measured(number.name, value)
    if value is None or low is None or high is None or is_total(number.name):
        return Tile(title, [text], "", "", words)
    span = interval(low, high).replace(" ", "\u00a0")  # in one line
    return Tile(title, [text], "", f"95 % interval {span}", words)


def measured_plot(title: str, measures: Sequence[tuple[str, Number]], axis: Axis, height: int) -> Plot:
    """Return a dot for each measure that is a share, at its tick."""
    dots, descriptions = [], []
    for place, (_, number) in enumerate(measures):
        if number.value is None:
            continue
        text = measured(number.name, number.value)
        between = "" if number.low is None else f", interval {interval(number.low, number.high)}"
        descriptions.append(f"{number.name} {text}{between}")
        dots.append(Dot(place + 0.5, number.value, text, number.low, number.high, hint=descriptions[-1]))
    ticks = [(place + 0.5, tick) for place, (tick, _) in enumerate(measures)]
    words = f"{title}: {'; '.join(descriptions) or 'no value'}"
    return Plot(words, Axis(0, len(measures), ticks), axis, dots, height)


def interval_chart(numbers: Iterable[Number]) -> Panel | None:
    """Return the numbers with intervals, a row each: differences where there are any, else those about the whole.

    None where no number has an interval.
    """
    alike = defaultdict[tuple[bool, int, str], list[tuple[str, float, float, float]]](list)
    for number in numbers:
        value, low, high = number.value, number.low, number.high
        if value is not None and low is not None and high is not None and all(map(isfinite, (value, low, high))):
            alike[number.name.startswith("Δ"), -len(number.scope), number.unit].append(
                (_name(number), value, low, high)
            )
    if not alike:
        return None
    chosen = max(alike, key=lambda key: (key[:2], len(alike[key])))
    rows = alike[chosen][:_ROWS]
    more = f"the first {_ROWS} of {len(alike[chosen]):,}" if len(rows) < len(alike[chosen]) else ""
    return interval_rows("values", "Values with their intervals", more, rows, chosen[2])


def interval_rows(
    called: str, title: str, words: str, rows: Sequence[tuple[str, float, float, float]], unit: str
) -> Panel:
    """Return a chart with a row for each name, value, low and high, on a scale that has 0 on it."""
    least, most = min(0.0, *(row[2] for row in rows)), max(0.0, *(row[3] for row in rows))
    room = (most - least or 1.0) * 0.05
    marks: list[PlotMark] = [Path([(0.0, -0.5), (0.0, len(rows) - 0.5)], dashed=True, thin=True)] if least else []
    for place, (name, value, low, high) in enumerate(reversed(rows)):
        hint = f"{name} {estimate(value, low, high, shown=rounded)}"
        marks += [Path([(low, place), (high, place)]), Dot(value, place, hint=hint)]
    x = value_axis([least, most], unit)._replace(low=least - room if least else 0.0, high=most + room)
    x = x._replace(ticks=[tick for tick in x.ticks if x.low <= tick[0] <= x.high])
    names = [name if len(name) <= _LONGEST else f"{name[:_LONGEST]}…" for name, *_ in reversed(rows)]
    y = Axis(-0.5, len(rows) - 0.5, [(float(place), name) for place, name in enumerate(names)])
    values = "; ".join(f"{name} {value:.4g}" for name, value, _, _ in rows)
    return Panel(title, words, [Plot(values, x, y, marks, 50 + _ROW * len(rows))], name=called)


def _name(number: Number) -> str:
    scope = dict(number.scope)
    against = f"against {scope.pop('baseline')}:" if "baseline" in scope else ""
    return " ".join(filter(None, [*scope.values(), against, number.name]))
