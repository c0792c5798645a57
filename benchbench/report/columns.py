"""Aligned columns for terminals."""

from collections.abc import Sequence


def plain(head: Sequence[str], body: Sequence[Sequence[str]]) -> str:
    """Return a table in aligned columns."""
    widths = [max(map(len, column)) for column in zip(head, *body, strict=True)]
    lines = [head, ["-" * width for width in widths], *body]
    return "\n".join(
        "  ".join(text.ljust(width) for text, width in zip(line, widths, strict=True)).rstrip() for line in lines
    )
