"""For browsers: one file that opens offline. Whatever comes from outside is escaped, and no request is made."""

import re
from base64 import b64encode
from collections.abc import Sequence
from functools import cache
from hashlib import sha256
from typing import Any
from zlib import compress

import jinja2
import orjson
from markupsafe import Markup, escape

from benchbench.comparison.comparable import rules
from benchbench.report.assets import asset
from benchbench.report.blocks import AnyCell, Gates, Table, Text, Verdict
from benchbench.report.comparison_blocks import Differences
from benchbench.report.escape import visible_lines
from benchbench.report.figures import charts
from benchbench.report.layout import Layout
from benchbench.report.layouts.page_parts import interval_chart
from benchbench.report.page_blocks import Lede, Pair, Panels, Views
from benchbench.report.render.plot import drawn, swatch
from benchbench.report.render.templates import environment
from benchbench.results.record import GateResult
from benchbench.results.result import Result
from benchbench.results.signature import short

_PARTS = re.compile(r"^/\* == ([a-z ]+)(?:: .*)? == \*/$", re.MULTILINE)  # where a part of the style, or script, begins
_STILL = frozenset(
    {"masthead", "band", "section", "heading", "text", "notes", "facts", "gates", "table", "folded", "reproduce"}
)  # blocks that no script changes
_ESCAPED = re.compile(r"\\[bfrtu]")  # what JSON escapes of what a reader cannot see; a line end is seen

_TYPED = re.compile(r"`((?:--|benchbench )[^`]*)`")


def html(result: Result | None, layout: Layout) -> str:
    """Return the whole page; a page of tables alone has no script, and a listing, which is no result, no gates."""
    blocks = layout.of_page()
    halves = (part for block in blocks if isinstance(block, Pair) for part in (*block.left, *block.right))
    kinds = frozenset(map(_kind, (*blocks, *halves)))
    return (
        _environment()
        .get_template("shell.html")
        .render(
            title=layout.title,
            blocks=blocks,
            gates=result.record.gates if result else [],
            style=_needed("page.css", kinds),
            script=_needed("page.js", kinds) if kinds - _STILL else "",
        )
    )


def notebook(result: Result, layout: Layout) -> str:
    """Return what a cell of a notebook shows: what it comes to, its table and its first chart, without a script."""
    blocks = layout.of_page()
    shown = [block for block in blocks if not isinstance(block, Differences | Views)]  # which need a choice
    return (
        _environment()
        .get_template("notebook.html")
        .render(
            style=_needed("page.css", frozenset({"notebook"}), base=False),
            gates=result.record.gates,
            title=layout.title,
            said=_said(layout, blocks),
            tables=[block for whole in (False, True) for block in layout.on(whole) if isinstance(block, Table)][:1],
            chart=next(charts([*shown, *_intervals(result)]), None),
        )
    )


def _intervals(result: Result) -> list[Panels]:
    """Return a chart of the numbers with intervals, for a page that has no chart of its own."""
    panel = interval_chart(result.record.numbers)
    return [] if panel is None else [Panels([panel])]


def prepare() -> None:
    """Compile the templates of most pages, while a command waits for something else before it measures."""
    for name in ("shell.html", "parts.html"):
        _environment().get_template(name)


def _said(drawn: Layout, blocks: Sequence[Any]) -> list[Sequence[str]]:
    """Return what the result comes to: the sentence of its page, else those that a terminal begins with."""
    if lede := next((block for block in blocks if isinstance(block, Lede)), None):
        return [lede.pieces, *([[lede.aside]] if lede.aside else [])]
    for block in drawn.on(whole=False):
        if isinstance(block, Verdict):
            return [[f"{mark} {sentence}".strip()] for mark, sentence in block.sentences]
        if isinstance(block, Text):
            return [[line] for line in block.lines]
    return []


def _coded(text: str) -> Markup:
    """Return a text, in which commands and options between backticks are code."""
    return Markup(_TYPED.sub(r"<code>\1</code>", str(escape(visible_lines(text)))))  # escaped


@cache
def _environment() -> jinja2.Environment:
    return environment(
        {
            "kind": _kind,
            "part": _part,
            "row_spans": _row_spans,
            "embedded": embedded,
            "packed": packed,
            "readable": _readable,
            "short": short,
            "coded": _coded,
            "rules": rules,
            "plotted": drawn,
            "swatch": swatch,
            "digest": lambda script: b64encode(sha256(script.encode()).digest()).decode(),
        },
        finalize=_visible,
    )


def _kind(block: Any) -> str:
    return type(block).__name__.lower()


def _part(block: Any, gates: Sequence[GateResult] = ()) -> Markup:
    """Return a block as its template draws it; a kind without a template raises, and is not left out silently."""
    macro = getattr(_environment().get_template("parts.html").module, _kind(block), None)
    if macro is None:
        raise TypeError(f"no template draws blocks of the class {type(block).__name__}")
    return Markup(macro(gates if isinstance(block, Gates) else block))


@cache
def _needed(name: str, kinds: frozenset[str], base: bool = True) -> Markup:
    """Return the style or the script that blocks of some kinds need: what all do, and the parts that name one."""
    first, *parts = _PARTS.split(asset(name))
    shown = [text for names, text in zip(parts[::2], parts[1::2], strict=True) if kinds & set(names.split())]
    return Markup("".join([first if base else "", *shown]))  # files of this package


def embedded(data: Any) -> Markup:
    """Return JSON that stays within its script element, whatever the texts in it say."""
    return Markup(orjson.dumps(data, option=orjson.OPT_SERIALIZE_NUMPY).decode().replace("<", "\\u003c"))


def packed(data: Any) -> str:
    """Return JSON, deflated, in base64: texts take less than half of their room so; a text is that already."""
    return data if isinstance(data, str) else b64encode(compress(orjson.dumps(data), 6)).decode()


def _readable(data: Any) -> Any:
    """Return JSON values with invisible characters of their texts replaced; others are returned as they are."""
    if isinstance(data, str):
        return visible_lines(data)
    try:
        written = orjson.dumps(data, option=orjson.OPT_SERIALIZE_NUMPY).decode()
        if written.isprintable() and not _ESCAPED.search(written):
            return data
    except TypeError:  # a half of a surrogate pair, say
        pass
    if isinstance(data, dict):
        return {_readable(name): _readable(value) for name, value in data.items()}
    return [_readable(value) for value in data] if isinstance(data, list | tuple) else data


def _row_spans(block: Table) -> list[tuple[Sequence[AnyCell], int]]:
    """Return each row with how many rows its name stands for, itself among them; 0 where the name stands above."""
    rows: list[tuple[Sequence[AnyCell], int]] = []
    begin = 0
    for row in block.rows:
        if rows and (row[0] == "" or (block.grouped and row[0] == rows[begin][0][0])):
            rows[begin] = (rows[begin][0], rows[begin][1] + 1)
            rows.append((row, 0))
        else:
            begin = len(rows)
            rows.append((row, 1))
    return rows


def _visible(value: Any) -> Any:
    """Return a text without what a reader cannot see; what is markup was made visible when it was drawn."""
    return visible_lines(value) if type(value) is str else value
