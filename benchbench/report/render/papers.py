"""For papers and notes: Markdown and LaTeX, with the main table and what its numbers leave out."""

from collections.abc import Iterable

from benchbench.errors import visible
from benchbench.report import escape
from benchbench.report.blocks import AnyCell, Block, Facts, Notes, Table, Text
from benchbench.report.layout import Layout
from benchbench.results.result import Result

_RAISED = {"†": r"\dagger", "‡": r"\ddagger"}


def markdown(result: Result | None, layout: Layout) -> str:
    """Return tables in Markdown, and notes below them."""
    return "\n".join(drawn for block in layout.of("markdown") if (drawn := _markdown(block)))


def markdown_table(block: Table) -> str:
    """Return one table in Markdown, its caption below it."""
    sides = block.sides or "l" * len(block.head)
    rule = ["---:" if side == "r" else "---" for side in sides]
    table = "\n".join([_markdown_row(block.head), f"| {' | '.join(rule)} |", *map(_markdown_row, block.rows), ""])
    return f"{table}\n{escape.markdown(block.caption)}\n" if block.caption else table


def latex(result: Result | None, layout: Layout) -> str:
    """Return tables for LaTeX (package booktabs), below notes in comments."""
    blocks = layout.of("latex")
    notes = [line for block in blocks if isinstance(block, Text) for line in block.lines]
    notes += [line for block in blocks if isinstance(block, Notes) for line in block.sentences]
    comments = "".join(f"% {visible(line)}\n" for line in notes)
    return comments + "\n".join(_latex_table(block) for block in blocks if isinstance(block, Table))


def _markdown(block: Block) -> str:
    match block:
        case Table():
            return markdown_table(block)
        case Text(lines):
            return "".join(f"{escape.markdown(line)}\n\n" for line in lines).removesuffix("\n")
        case Facts(rows):
            return _markdown_list(f"{label}: {text}" if label else text for label, text in rows)
        case Notes(sentences):
            return _markdown_list(sentences)
    return ""


def _markdown_list(lines: Iterable[str]) -> str:
    return "".join(f"- {escape.markdown(line)}\n" for line in lines)


def _markdown_row(cells: Iterable[AnyCell]) -> str:
    return f"| {' | '.join(map(_markdown_cell, cells))} |"


def _markdown_cell(cell: AnyCell) -> str:
    if isinstance(cell, str):
        return escape.markdown(cell)
    value = escape.markdown(f"{cell.text} {cell.aside}".rstrip())
    raised = f"<sup>{escape.markdown(cell.marks)}</sup>" if cell.marks else ""
    return f"{f'**{value}**' if cell.strong else value}{raised}"


def _latex_table(block: Table) -> str:
    lines = []
    group = None
    for row in map(list, block.rows):
        if block.grouped:
            if group not in (None, row[0]):
                lines.append(r"\midrule")
            group, row[0] = row[0], "" if group == row[0] else row[0]
        lines.append(_latex_row(row))
    sides = block.sides or "l" * len(block.head)
    tabular = [rf"\begin{{tabular}}{{{sides}}}", r"\toprule", _latex_row(block.head), r"\midrule", *lines]
    tabular += [r"\bottomrule", r"\end{tabular}"]
    if block.floats:
        caption = rf"\caption{{{escape.latex(block.caption)}}}"
        tabular = [r"\begin{table}", r"\centering", caption, *tabular, r"\end{table}"]
    elif block.caption:
        tabular = [escape.latex(block.caption), "", *tabular]
    return "\n".join([*tabular, ""])


def _latex_row(cells: Iterable[AnyCell]) -> str:
    return " & ".join(map(_latex_cell, cells)) + r" \\"


def _latex_cell(cell: AnyCell) -> str:
    if isinstance(cell, str):
        return escape.latex(cell)
    value = rf"\textbf{{{escape.latex(cell.text)}}}" if cell.strong else escape.latex(cell.text)
    raised = "".join(_RAISED.get(mark, rf"\mathrm{{{escape.latex(mark)}}}") for mark in cell.marks)
    return value + (f"$^{{{raised}}}$" if raised else "")
