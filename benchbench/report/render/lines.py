"""Lines of a terminal: how wide texts are, where they may be broken or cut, and charts made of characters."""

import re
import unicodedata
from collections.abc import Collection, Iterator, Sequence
from math import isfinite

_EIGHTHS = " ▏▎▍▌▋▊▉█"
_LEVELS = "▁▂▃▄▅▆▇█"
_BLANK = "\0"  # a blank that no line ends at
_UNIT = re.compile(r"(?<=\d) (?=(?:%|µs|ms|s|min|h|kB|MB|GB|queries/s|requests/s|requests|queries)(?![\w/]))")
_EQUALS = re.compile(r"(\w) ([=<>]) (?=[-+\d])")
_MARK = re.compile(r"\b(p\d+(?:\.\d+)?|max|mean) (?=\d)")
_WITHIN = re.compile(r"\[[-+\d.,e]+ [-+\d.,e]+\]")  # the ends of an interval


def width(text: str) -> int:
    """Return the columns that a text takes on a terminal: two for each wide character, none for combining ones."""
    if text.isascii():
        return len(text)
    return sum(_width(c) for c in text)


def padded(text: str, columns: int) -> str:
    """Return a text with blanks behind it, up to so many columns."""
    return text + " " * (columns - width(text))


def cut(text: str, columns: int) -> str:
    """Return a text on one line of at most so many columns, with `…` where it was longer; nothing in it is obeyed."""
    line = " ".join("".join(c if c.isprintable() else " " for c in text).split())
    if width(line) <= columns:
        return line
    taken = used = 0
    while used + _width(line[taken]) < columns:
        used += _width(line[taken])
        taken += 1
    return line[:taken].rstrip() + "…"


def shortened(text: str, columns: int) -> str:
    """Return a name on at most so many columns, with `…` in its middle where it was longer: names often end alike."""
    if width(text) <= columns:
        return text
    ending = ""
    while width(f"{text[-len(ending) - 1]}{ending}") <= columns // 2:
        ending = text[-len(ending) - 1 :]
    return cut(text, columns - width(ending)) + ending


def wrapped(text: str, columns: int, first: int = 0, hang: int = 0) -> list[str]:
    """Return a text as lines of at most so many columns, broken at blanks and between wide characters.

    A number stays with its unit, an interval with its ends, and a word that is too long stays whole.

    Parameters
    ----------
    text
        One line, in which nothing is obeyed.
    columns
        Of the terminal.
    first
        Columns of the first line that are taken; what is returned starts behind them.
    hang
        Blanks before every further line.
    """
    if first + width(text) <= columns:
        return [text]
    hang = hang if 2 * hang <= columns else min(hang, 2)
    lines, used, empty = [""], first, True
    for word in words(text):
        gap = 0 if empty else 1
        for part in _parts(word):
            here = width(part)
            if used + gap + here > columns and (not empty or used > hang):
                lines.append(" " * hang)
                used, gap = hang, 0
            lines[-1] += " " * gap + part
            used += gap + here
            gap, empty = 0, False
    return [line.replace(_BLANK, " ").rstrip() for line in lines]


def words(text: str) -> list[str]:
    """Return the parts of a text between which a line may end; blanks before the first stand with it."""
    text = _MARK.sub(rf"\1{_BLANK}", _UNIT.sub(_BLANK, text))
    text = _EQUALS.sub(rf"\1{_BLANK}\2{_BLANK}", text)
    text = _WITHIN.sub(lambda match: match[0].replace(" ", _BLANK), text)
    start = len(text) - len(text.lstrip(" "))
    first, *others = text[start:].split(" ")
    return [" " * start + first, *filter(None, others)]


def longest_word(text: str) -> int:
    """Return the columns of the longest part of a text that stays whole."""
    return max((width(part) for word in words(text) for part in _parts(word)), default=0)


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


def span(ends: tuple[float, float], at: float, zero: float | None, scale: Sequence[float], columns: int) -> str:
    """Return an interval with its mean, and where 0 is, on a scale of some columns.

    Parameters
    ----------
    ends, at, zero
        What is drawn; None is no line at 0.
    scale
        What the first and the last column stand for.
    """
    least, most = scale
    step = (most - least) / max(1, columns - 1) or 1.0

    def place_of(value: float) -> int:
        return min(columns - 1, max(0, round((value - least) / step)))

    low, high, mean = map(place_of, (*ends, at))
    drawn = [" "] * columns
    drawn[low : high + 1] = "━" * (high + 1 - low)
    if zero is not None:
        nothing = place_of(zero)
        drawn[nothing] = "┿" if low <= nothing <= high else "┊"
    drawn[mean] = "●"
    return "".join(drawn)


def sparkline(values: Sequence[float | None], columns: int, apart: Collection[int] = ()) -> str:
    """Return values as bars of one to eight eighths of a line, the least and the greatest at its ends.

    Of more values than columns each bar is a mean; where there is no value there is a blank, and values that are all
    alike stand in the middle. Places `apart` are in no bar: a column that has nothing else is a dot.
    """
    within = [None if place in apart else value for place, value in enumerate(values)]
    stretches = shares(len(values), columns)
    shown = [_mean(within[begin:end]) for begin, end in stretches]
    empty = ["·" if any(place in apart for place in range(*stretch)) else " " for stretch in stretches]
    known = [value for value in shown if value is not None]
    if not known:
        return "".join(empty)
    low, high = min(known), max(known)
    top = len(_LEVELS) - 1
    range_ = high / 2 - low / 2  # halved, for the whole of it may be more than a number can be
    places = [None if value is None else round(top * ((value / 2 - low / 2) / range_)) if range_ > 0 else top // 2
              for value in shown]  # fmt: skip
    return "".join(nothing if place is None else _LEVELS[place] for place, nothing in zip(places, empty, strict=True))


def shares(number: int, columns: int) -> list[tuple[int, int]]:
    """Return which of so many values stand in each column: one in each where there is room."""
    drawn = max(1, min(number, columns))
    return [(number * place // drawn, number * (place + 1) // drawn) for place in range(drawn)] if number else []


def _mean(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None and isfinite(value)]
    return sum(known) / len(known) if known else None


def _parts(word: str) -> Iterator[str]:
    """Yield a word in the parts between which a line may end: before and after wide characters, not within numbers."""
    if word.isascii():
        yield word
        return
    begin = 0
    for place in range(1, len(word)):
        before, after = word[place - 1], word[place]
        wide = max(_width(before), _width(after)) > 1
        if wide and not unicodedata.combining(after) and not (_of_number(before) and _of_number(after)):
            yield word[begin:place]
            begin = place
    yield word[begin:]


def _of_number(character: str) -> bool:
    return character.isnumeric() or character in ".,%．，"


def _width(character: str) -> int:
    if unicodedata.combining(character):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1
