"""Cases from a CAIL2018 file: `fact` and `meta` with accusations, articles and sentence, one case per line."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from benchbench.errors import BadLineError
from benchbench.formats.lines import json_lines
from benchbench.prepare.cases import Case
from benchbench.tables.fields import TEXT, first

_ACCUSATION = ("accusation",)
_ARTICLES = ("relevant_articles", "articles")
_SENTENCE = ("imprisonment", "term_of_imprisonment")
_WRONG_SENTENCE = "term_of_imprisonment has a wrong type"


class CailFile:
    """A file of cases, read line by line; `skipped` counts the lines that could not be read."""

    def __init__(self, path: Path, encoding: str | None, skip_bad_lines: bool, digest: Any) -> None:
        """Name the file; it is opened by iteration. `digest` is fed its bytes."""
        self.skipped = 0
        self._path = path
        self._encoding = encoding
        self._skip = skip_bad_lines
        self._digest = digest

    def __iter__(self) -> Iterator[Case]:
        """Yield the cases; their ids are `c` and the line number."""
        for number, record in json_lines(self._path, self._encoding, self._skip, self._digest):
            try:
                yield _case(f"c{number}", record)
            except ValueError as error:
                if not self._skip:
                    raise BadLineError(f"{self._path}, line {number}: {error}") from None
                self.skipped += 1


def _case(identity: str, record: Any) -> Case:
    if not isinstance(record, dict):
        raise ValueError("not a JSON object")
    text = first(record, TEXT)
    if not isinstance(text, str) or not text.strip():
        raise ValueError('the case has no text (a member "fact" with a string)')
    sentence = _sentence(_label(record, _SENTENCE))
    accusations = _names(_label(record, _ACCUSATION), "accusation")
    return Case(identity, text, accusations, _names(_label(record, _ARTICLES), "relevant_articles"), *sentence)


def _label(record: dict[str, Any], names: tuple[str, ...]) -> Any:
    """Return a label from the top level of a record or from its `meta`."""
    value, meta = first(record, names), record.get("meta")
    return first(meta, names) if value is None and isinstance(meta, dict) else value


def _sentence(value: Any) -> tuple[int, bool, bool]:
    """Return months, -1 where there are none, and whether it is death, and life.

    Accepts `{"imprisonment": 8, "death_penalty": false, "life_imprisonment": false}` with any member missing, or a bare
    number of months. Months are 0 where it is death or life.
    """
    if not isinstance(value, dict):
        return _months(value), False, False
    death, life = value.get("death_penalty") or False, value.get("life_imprisonment") or False
    if not isinstance(death, bool | int) or not isinstance(life, bool | int):
        raise ValueError(_WRONG_SENTENCE)
    return 0 if death or life else _months(value.get("imprisonment")), bool(death), bool(life)


def _months(value: Any) -> int:
    if value is None:
        return -1
    if isinstance(value, str) and len(value) < 32 and value.strip().isdecimal():
        value = int(value)
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < 2**31 or value % 1:
        raise ValueError(_WRONG_SENTENCE)
    return int(value)


def _names(value: Any, name: str) -> tuple[str, ...]:
    values = [] if value is None else value if isinstance(value, list) else [value]
    if not all(isinstance(entry, str | int) and not isinstance(entry, bool) for entry in values):
        raise ValueError(f"{name} is not a list of strings or numbers")
    return tuple(text for entry in values if (text := str(entry).strip()))
