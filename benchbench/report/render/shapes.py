"""What drawings consist of, as SVG."""

from markupsafe import escape

from benchbench.report.escape import visible_lines
from benchbench.report.render.lines import shortened

LETTER = 6.6  # mean width of a character, in pixels
BOLD = 7.2  # … of a strong one


def svg_text(x: float, y: float, text: str, anchor: str, kind: str = "") -> str:
    """Return a text at a place, which it begins at, ends at or has in its middle."""
    named = f' class="{kind}"' if kind else ""
    return f'<text{named} x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{escape(visible_lines(text))}</text>'


def fitting(text: str, pixels: float) -> str:
    """Return as much of a name as fits."""
    return shortened(visible_lines(text), max(int(pixels / LETTER), 1))


def svg_title(text: str) -> str:
    """Return what a pointer shows."""
    return f"<title>{escape(visible_lines(text))}</title>" if text else ""


def svg_line(kind: str, x: float, y: float, to: str) -> str:
    """Return a line from a place."""
    return f'<path class="{kind}" d="M{x:.1f} {y:.1f}{to}"/>'
