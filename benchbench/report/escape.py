"""Texts from outside, made harmless in Markdown and LaTeX, and where lines are kept."""

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
        "−": "$-$",
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


def visible_lines(text: str) -> str:
    """Return a text with its lines, and nothing else in it that a terminal obeys."""
    return text if text.isprintable() else "\n".join(map(visible, text.split("\n")))
