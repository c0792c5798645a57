"""Texts from outside, made harmless in Markdown, in LaTeX, and in texts of several lines."""

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
    """Return a text for Markdown in which nothing ends a cell or acts as HTML, link or image."""
    return visible(text).translate(_MARKDOWN).replace("](", "]\\(")


def latex(text: str) -> str:
    """Return a text for LaTeX in which nothing acts as a command."""
    return visible(text).translate(_LATEX)


def visible_lines(text: str) -> str:
    """Return a text with its line ends, and nothing else that a terminal would obey."""
    return text if text.isprintable() else "\n".join(map(visible, text.split("\n")))
