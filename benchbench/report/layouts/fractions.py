"""Values of measures as a terminal shows them: shares from 0 to 1, as gates and JSON have them."""

from benchbench.measures.notation import is_total

NOTHING = "–"


def fraction(name: str, value: float | None) -> str:
    """Return the value of a measure: a share with three decimals, a total as it is."""
    if value is None or value != value:
        return NOTHING
    return f"{value:,.{0 if value == round(value) else 2}f}" if is_total(name) else f"{value:.3f}"


def interval(low: float | None, high: float | None) -> str:
    """Return an interval; nothing where it has no ends."""
    return "" if low is None or high is None else f"{low:.3f} to {high:.3f}"


def brackets(low: float | None, high: float | None) -> str:
    """Return an interval as it stands behind its value."""
    return "" if low is None or high is None else f"[{low:.3f}, {high:.3f}]"
