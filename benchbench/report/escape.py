"""Texts from outside, made harmless in the cells of Markdown and LaTeX."""

from collections.abc import Sequence

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
    """Return a text as it is read, with no cell ended and no HTML in it."""
    return text.translate(_MARKDOWN)


def latex(text: str) -> str:
    """Return a text as it is read, with no command in it."""
    return text.translate(_LATEX)


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
    return "".join(f"% {one}\n" for one in sentences)
