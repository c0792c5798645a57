"""Cases from a CAIL2018 file: `fact` and `meta` with accusations, articles and sentence, one case per line."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from benchbench.errors import InputError
from benchbench.formats.lines import json_lines
from benchbench.tables.cases import Case
from benchbench.tables.fields import ACCUSATION, ARTICLES, SENTENCE, TEXT, first, label
from benchbench.tables.labels import DEATH, LIFE, MALFORMED, sentence


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
                    raise InputError(
                        f"{self._path}, line {number}: {error}; --skip-bad-lines counts such lines and goes on"
                    ) from None
                self.skipped += 1


def _case(identity: str, record: Any) -> Case:
    if not isinstance(record, dict):
        raise ValueError("not a JSON object")
    text = first(record, TEXT)
    if not isinstance(text, str) or not text.strip():
        raise ValueError('the case has no text (a member "fact" with a string)')
    months, penalty = sentence(label(record, SENTENCE))
    if months == MALFORMED:
        raise ValueError("term_of_imprisonment has a wrong type")
    return Case(
        identity,
        text,
        _names(label(record, ACCUSATION), "accusation"),
        _names(label(record, ARTICLES), "relevant_articles"),
        months,
        bool(penalty & DEATH),
        bool(penalty & LIFE),
    )


def _names(value: Any, name: str) -> tuple[str, ...]:
    values = [] if value is None else value if isinstance(value, list) else [value]
    if not all(isinstance(one, str | int) and not isinstance(one, bool) for one in values):
        raise ValueError(f"{name} is not a list of strings or numbers")
    return tuple(text for one in values if (text := str(one).strip()))
