"""The screen that a text is drawn for: how wide it is, and whether it shows colours."""

from collections.abc import Iterable
from typing import NamedTuple

WIDE = 120  # columns of a text that shows everything
USUAL = 80
_CODES = {"strong": "1", "muted": "2", "good": "32", "bad": "31"}
_MARKS = {"▲": "good", "●": "good", "▼": "bad", "!": "bad"}
_PLAIN = str.maketrans(
    {
        **dict(zip("─━┿┊█░·▲▼●○◐", "--+|#..^v*o~", strict=True)),
        **dict(zip("▁▂▃▄▅▆▇", "_.-:=+*", strict=True)),
        **dict.fromkeys("▏▎▍▌", " "),
        **dict.fromkeys("▋▊▉", "#"),
        **{"–": "-", "−": "-", "∞": "inf", "…": "..."},
    }
)

Part = tuple[str, str]  # a text, and its style: strong, muted, good, bad, or none
Line = list[Part]


class Screen(NamedTuple):
    """A terminal, or a file that is read like one."""

    columns: int = WIDE
    colours: bool = False
    is_ascii: bool = False  # it has no other characters
    verbose: bool = False  # details are shown too
    whole: bool = False  # everything is shown, as --wide asks for; a wider terminal has more columns, and no more lines

    def drawn(self, lines: Iterable[Line]) -> str:
        """Return lines as the terminal gets them; no line has blanks at its end."""
        text = "\n".join(self._line(line) for line in lines)
        return text.translate(_PLAIN) if self.is_ascii else text

    def _line(self, line: Line) -> str:
        parts = list(line)
        while parts and not (last := parts[-1])[0].rstrip():
            parts.pop()
        if not parts:
            return ""
        parts[-1] = (last[0].rstrip(), last[1])
        return "".join(self._painted(*part) for part in parts)

    def _painted(self, text: str, style: str) -> str:
        if not self.colours or not style or not text.strip():
            return text
        codes = ";".join(_CODES[name] for name in style.split())
        return f"\x1b[{codes}m{text}\x1b[0m"


def style_of(mark: str) -> str:
    """Return the style of what stands behind a mark; open ones have none."""
    return _MARKS.get(mark, "")
