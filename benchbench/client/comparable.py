"""Texts made comparable, so that a secret in them is found however it is written, and where it stands.

`plain` undoes escapes of JSON, URLs, HTML and Python, however often they were applied, and drops case, accents, and the
difference between the two alphabets of base64. `compact` leaves nothing but letters and digits of ASCII, for base64 in
lines and hexadecimal with separators. Time and memory are linear in the text.
"""

import codecs
import html
import re
import unicodedata
from array import array
from functools import cached_property, lru_cache

import numpy as np

Places = np.ndarray[tuple[int], np.dtype[np.int64]]
CodePoints = np.ndarray[tuple[int], np.dtype[np.uint32]]
Spans = np.ndarray[tuple[int, int], np.dtype[np.int64]]  # first and last character, a row for each

_DEEP = 3  # ways of writing that may have been applied one after the other
_BYTE_BY_BYTE = "benchbench-latin-1"  # what becomes of bytes that are not UTF-8
_ESCAPES = {
    "\\": r"(?<!\\)(?:\\++u[0-9a-fA-F]{4})+|(?<!\\)(?:\\++x[0-9a-fA-F]{2})+",
    "%": r"(?:%(?:25)*[0-9a-fA-F]{2})+",
    "&": r"&(?:amp;)*(?:\#[0-9]{1,7}|\#[xX][0-9a-fA-F]{1,6}|[A-Za-z]{2,31});",
}  # by what they begin with
_LINE_ENDS = re.compile(r"\\(?<!\\\\)\\*+[nrt](?:\\++[nrt])*")
_AMPERSAND = re.compile(r"^&(?:amp;)*")
_UNITS = re.compile(r"\\+[ux]|%(?:25)*(?=[0-9a-fA-F]{2})")  # what stands before the digits of each
_OTHERS = bytes(code for code in range(256) if not (code < 128 and chr(code).isalnum()))
_SMALL = bytes(range(256)).lower()
_KEPT = np.array([code not in _OTHERS for code in range(256)])


class Comparable:
    """A text in both ways of comparing."""

    def __init__(self, text: str, kept: str = "") -> None:
        """Undo escapes but those that begin with a sign that is kept; the rest is done when it is asked for."""
        self._undone: list[_Undone] = []
        for _ in range(_DEEP):
            begins = [begin for begin in _ESCAPES if begin in text and begin not in kept]
            if not begins:
                break
            step = _Undone(_escapes(*begins), _Meanings(), text)
            if step.text == text:
                break
            self._undone.append(step)
            text = step.text
        self._text = text

    @property
    def had_escapes(self) -> bool:
        """Say whether anything was undone."""
        return bool(self._undone)

    @cached_property
    def plain(self) -> str:
        """Without escapes, case and accents."""
        return self._folded[0]

    @cached_property
    def compact(self) -> str:
        """Letters and digits of ASCII only, small."""
        return letters_and_digits(self._in_one_line.text if "\\" in self._text else self._text)

    @property
    def all_in_compact(self) -> bool:
        """Say whether a form in `plain` has its letters and digits in `compact`: so in nearly every text of ASCII."""
        return self._text.isascii() and ("\\" not in self._text or self._in_one_line.text == self._text)

    def from_plain(self, spans: Spans) -> Spans:
        """Return where in the text the spans of `plain` come from."""
        source = self._folded[1]
        return self._before(spans if source is None else source[spans], self._undone)

    def from_compact(self, spans: Spans) -> Spans:
        """Return where in the text the spans of `compact` come from."""
        step = self._in_one_line
        codes = np.frombuffer(step.text.encode("ascii", "replace"), np.uint8)
        return self._before(np.flatnonzero(_KEPT[codes])[spans], [*self._undone, step])

    @cached_property
    def _folded(self) -> tuple[str, Places | None]:
        return _folded(self._text)

    @cached_property
    def _in_one_line(self) -> "_Undone":
        return _Undone(_LINE_ENDS, None, self._text)

    @staticmethod
    def _before(spans: Spans, steps: list["_Undone"]) -> Spans:
        for step in reversed(steps):
            spans = step.before(spans)
        return spans


class _Undone:
    """A text in which some parts were replaced by their meanings, or left out where there are none."""

    def __init__(self, pattern: re.Pattern[str], meanings: "_Meanings | None", text: str) -> None:
        self._pattern, self._meanings, self._before = pattern, meanings, text
        self.text = pattern.sub("", text) if meanings is None else _with_meanings(pattern, meanings, text)

    def before(self, spans: Spans) -> Spans:
        """Return the places in the text before of the first and last characters of spans."""
        marks = array("q")
        for match in self._pattern.finditer(self._before):
            escape = match[0]
            meant = "" if self._meanings is None else self._meanings[escape]
            if meant != escape:
                marks.extend((*match.span(), len(meant)))
        starts, ends, lengths = np.array(marks, np.int64).reshape(-1, 3).T
        if not len(starts):
            return spans
        new_ends = ends + np.cumsum(lengths - (ends - starts))
        mark = np.searchsorted(new_ends - lengths, spans, side="right") - 1
        after = np.where(mark < 0, spans, spans - new_ends[mark] + ends[mark])
        inside = (mark >= 0) & (spans < new_ends[mark])
        whole = np.column_stack((starts[mark[:, 0]], ends[mark[:, 1]] - 1))
        return np.where(inside, whole, after)


def _with_meanings(pattern: re.Pattern[str], meanings: "_Meanings", text: str) -> str:
    """Return a text with its escapes undone; `pattern` has a group of its whole."""
    parts = pattern.split(text)
    parts[1::2] = map(meanings.__getitem__, parts[1::2])
    return "".join(parts)


def plain(text: str) -> str:
    """Return a text without escapes, case and accents."""
    return Comparable(text).plain


def compact(text: str) -> str:
    """Return the letters and digits of a text without escapes, small."""
    return Comparable(text).compact


def letters_and_digits(text: str) -> str:
    """Return the letters and digits of ASCII of a text as it is written, small."""
    return text.encode("ascii", "replace").translate(_SMALL, _OTHERS).decode()


def code_points(text: str) -> CodePoints:
    """Return the code points of a text, lone surrogates among them."""
    return np.frombuffer(text.encode("utf-32-le", "surrogatepass"), "<u4")


def _folded(text: str) -> tuple[str, Places | None]:
    """Return the characters of a text as they are compared, and where each comes from if that is not its own place."""
    if text.isascii():
        signs = np.frombuffer(text.encode(), np.uint8)
        return text.translate(_ASCII), np.flatnonzero(signs != ord("\\")) if "\\" in text else None
    codes = code_points(text)
    present = np.zeros(codes.max() + 1, bool)
    present[codes] = True
    distinct = np.flatnonzero(present)
    folds = [_fold(chr(code)) for code in distinct.tolist()]
    all_folds = code_points("".join(folds))
    number = np.zeros(len(present), np.int32)
    number[distinct] = np.arange(len(distinct))
    numbers, lengths = number[codes], np.array([len(fold) for fold in folds], np.int32)
    if (lengths == 1).all():
        return all_folds[numbers].tobytes().decode("utf-32-le", "surrogatepass"), None
    repeats = lengths[numbers]
    source = np.repeat(np.arange(len(codes)), repeats)
    starts = (np.cumsum(lengths) - lengths)[numbers] - (np.cumsum(repeats) - repeats)
    folded = all_folds[starts[source] + np.arange(len(source))]
    return folded.tobytes().decode("utf-32-le", "surrogatepass"), source


@lru_cache(8)
def _escapes(*begins: str) -> re.Pattern[str]:
    return re.compile(f"({'|'.join(_ESCAPES[begin] for begin in begins)})")


@lru_cache(1 << 14)
def _fold(character: str) -> str:
    """Return a character as it is compared."""
    if character in _SAME:
        return _SAME[character]
    if unicodedata.category(character) == "Cf" or character == "\ufffd":
        return ""
    parts = unicodedata.normalize("NFKD", unicodedata.normalize("NFKD", character).casefold())
    return "".join(part for part in parts if not unicodedata.combining(part))


class _Meanings(dict[str, str]):
    """What the escapes of a text stand for; most come many times."""

    def __missing__(self, escape: str) -> str:
        meaning = self[escape] = _meaning(escape)
        return meaning


def _meaning(escape: str) -> str:
    """Return what an escape, or a run of one kind, stands for."""
    if escape[0] == "&":
        return html.unescape(_AMPERSAND.sub("&", escape))
    mark = "%" if escape[0] == "%" else escape.lstrip("\\")[0]
    digits = 4 if mark == "u" else 2
    before = "%" if mark == "%" else f"\\{mark}"
    if escape.count(before) * (len(before) + digits) == len(escape):  # none is escaped again: by far the most
        units = escape.replace(before, "")
    else:
        units = _UNITS.sub("", escape)
    encoded = bytes.fromhex(units)
    return encoded.decode("utf-16-be", errors="replace") if mark == "u" else encoded.decode(errors=_BYTE_BY_BYTE)


_SAME = {"+": "-", " ": "-", "_": "/", "\\": ""}
_ASCII = {code: _fold(chr(code)) or None for code in range(128)}


def _as_latin_1(error: UnicodeError) -> tuple[str, int]:
    """Return the bytes that are not UTF-8 as they are, whatever stands beside them: a run may be of two parts."""
    assert isinstance(error, UnicodeDecodeError)
    return error.object[error.start : error.end].decode("latin-1"), error.end


codecs.register_error(_BYTE_BY_BYTE, _as_latin_1)
