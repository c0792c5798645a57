"""For texts of one's own: Markdown and LaTeX, with the main table and what its numbers leave out."""

from benchbench.report.blocks import AnyCell, Block, Facts, Layout, Notes, Table, Text
from benchbench.report.escape import latex as escaped_latex
from benchbench.report.escape import latex_notes, latex_row, markdown_notes, markdown_row
from benchbench.report.escape import markdown as escaped_markdown
from benchbench.results.result import Result

_RAISED = {"†": r"\dagger", "‡": r"\ddagger"}


def markdown(result: Result | None, layout: Layout) -> str:
    """Return tables in Markdown, and notes below them."""
    return "\n".join(drawn for block in layout.of("markdown") if (drawn := _markdown(block)))


def markdown_table(block: Table) -> str:
    """Return one table in Markdown, its caption below it."""
    sides = block.sides or "l" * len(block.head)
    rule = ["---:" if side == "r" else "---" for side in sides]
    rows = "".join(f"| {' | '.join(map(_markdown_cell, row))} |\n" for row in block.rows)
    table = f"{markdown_row(block.head)}| {' | '.join(rule)} |\n{rows}"
    return f"{table}\n{escaped_markdown(block.caption)}\n" if block.caption else table


def latex(result: Result | None, layout: Layout) -> str:
    """Return tables for LaTeX (package booktabs), below notes in comments."""
    blocks = layout.of("latex")
    said = [line for block in blocks if isinstance(block, Text) for line in block.lines]
    said += [line for block in blocks if isinstance(block, Notes) for line in block.sentences]
    return latex_notes(said) + "\n".join(_latex_table(block) for block in blocks if isinstance(block, Table))


def _markdown(block: Block) -> str:
    match block:
        case Table():
            return markdown_table(block)
        case Text(lines):
            return "".join(f"{escaped_markdown(line)}\n\n" for line in lines).removesuffix("\n")
        case Facts(rows):
            return "".join(f"- {escaped_markdown(f'{label}: {said}' if label else said)}\n" for label, said in rows)
        case Notes(sentences):
            return markdown_notes(sentences).removeprefix("\n")
    return ""


def _markdown_cell(cell: AnyCell) -> str:
    if isinstance(cell, str):
        return escaped_markdown(cell)
    value = escaped_markdown(f"{cell.text} {cell.aside}".rstrip())
    raised = f"<sup>{escaped_markdown(cell.marks)}</sup>" if cell.marks else ""
    return f"{f'**{value}**' if cell.strong else value}{raised}"


def _latex_table(block: Table) -> str:
    lines = []
    group = None
    for row in map(list, block.rows):
        cells = [_latex_cell(cell) for cell in row]
        if block.grouped:
            if group not in (None, cells[0]):
                lines.append(r"\midrule")
            group, cells[0] = cells[0], "" if group == cells[0] else cells[0]
        lines.append(" & ".join(cells) + r" \\")
    sides = block.sides or "l" * len(block.head)
    tabular = [rf"\begin{{tabular}}{{{sides}}}", r"\toprule", latex_row(block.head), r"\midrule", *lines]
    tabular += [r"\bottomrule", r"\end{tabular}"]
    if block.floats:
        caption = rf"\caption{{{escaped_latex(block.caption)}}}"
        tabular = [r"\begin{table}", r"\centering", caption, *tabular, r"\end{table}"]
    elif block.caption:
        tabular = [escaped_latex(block.caption), "", *tabular]
    return "\n".join([*tabular, ""])


def _latex_cell(cell: AnyCell) -> str:
    if isinstance(cell, str):
        return escaped_latex(cell)
    value = rf"\textbf{{{escaped_latex(cell.text)}}}" if cell.strong else escaped_latex(cell.text)
    raised = "".join(_RAISED.get(mark, rf"\mathrm{{{escaped_latex(mark)}}}") for mark in cell.marks)
    return value + (f"$^{{{raised}}}$" if raised else "")
