"""Texts from outside, made harmless in the cells of Markdown, LaTeX and CSV, and in JSON for a terminal."""

import csv
import io
from collections.abc import Iterable, Sequence

from benchbench.errors import visible

_MARKDOWN = str.maketrans({c: "\\" + c for c in "\\|<"})
_LATEX = str.maketrans(
    {
        **{c: "\\" + c for c in "&%$#_{}"},
        "\\": r"\textbackslash{}",
        "~": r"\textasciitilde{}",
        "^": r"\textasciicircum{}",
        "<": r"\textless{}",
        ">": r"\textgreater{}",
        '"': "''",
        "†": r"$\dagger$",
        "‡": r"$\ddagger$",
    }
)


def markdown(text: str) -> str:
    """Return a text as it is read, with no cell ended, no HTML, no link and no image in it."""
    return visible(text).translate(_MARKDOWN).replace("](", "]\\(")


def latex(text: str) -> str:
    """Return a text as it is read, with no command in it."""
    return visible(text).translate(_LATEX)


def markdown_row(cells: Sequence[str]) -> str:
    """Return a line of a table in Markdown."""
    return f"| {' | '.join(map(markdown, cells))} |\n"


def latex_row(cells: Sequence[str]) -> str:
    """Return a row of a LaTeX table."""
    return " & ".join(map(latex, cells)) + r" \\"


def markdown_notes(sentences: Sequence[str]) -> str:
    """Return a list to stand below a table; nothing where there is nothing to say."""
    return "".join(["\n", *(f"- {markdown(one)}\n" for one in sentences)]) if sentences else ""


def latex_notes(sentences: Sequence[str]) -> str:
    """Return comments to stand above a table."""
    return "".join(f"% {visible(one)}\n" for one in sentences)


def comma_rows(rows: Iterable[Sequence[object]]) -> str:
    """Return rows as CSV; a text may have several lines, and nothing else in it that a terminal obeys."""
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\n")
    writer.writerows([visible_lines(one) if isinstance(one, str) else one for one in row] for row in rows)
    return file.getvalue()


def visible_lines(text: str) -> str:
    """Return a text with its lines, and nothing else in it that a terminal obeys."""
    return "\n".join(map(visible, text.split("\n")))
