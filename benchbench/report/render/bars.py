"""Charts of one line, made of characters."""

from collections.abc import Sequence

_EIGHTHS = " ▏▎▍▌▋▊▉█"


def bar(share: float | None, columns: int, rest: str = "") -> str:
    """Return a bar of a share of some columns, to an eighth of one; `rest` fills what is left of whole columns."""
    if share is None or share != share:
        return ""
    eighths = round(min(max(share, 0.0), 1.0) * columns * 8)
    whole, part = divmod(eighths, 8)
    if rest:
        whole = round(eighths / 8)
        return "█" * whole + rest * (columns - whole)
    return "█" * whole + (_EIGHTHS[part] if part else "")


def span(ends: tuple[float, float], at: float, zero: float, scale: Sequence[float], columns: int) -> str:
    """Return an interval with its mean, and where 0 is, on a scale of some columns.

    Parameters
    ----------
    ends, at, zero
        What is drawn.
    scale
        What the first and the last column stand for.
    """
    least, most = scale
    step = (most - least) / max(1, columns - 1) or 1.0
    places = [min(columns - 1, max(0, round((value - least) / step))) for value in (*ends, at, zero)]
    low, high, mean, nothing = places
    drawn = [" "] * columns
    drawn[nothing] = "┊"
    for place in range(low, high + 1):
        drawn[place] = "┿" if place == nothing else "━"
    drawn[mean] = "●"
    return "".join(drawn)
