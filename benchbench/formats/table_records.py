"""Records from tables of tabs (TSV) or commas (CSV), with names of columns in the first line or without.

Values are texts: 001 is no number. In TSV quotes are plain characters, as MS MARCO has them; only where the first line
names the columns does a field within quotes lose them, if the quotes in it are doubled. CSV is quoted as RFC 4180 says.
Without names, two columns are id and text; three id, title and text; four id, url, title and text, as MS MARCO's
documents.
"""

import csv
import re
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path
from typing import Any, BinaryIO

from benchbench.errors import InputError
from benchbench.formats.lines import LONGEST, text_lines
from benchbench.tables.fields import COLUMN_IDS, COLUMN_TEXTS, ID, QUERY_TEXTS, TEXT

_IDS = {*ID, *COLUMN_IDS}
_OTHERS = {*TEXT, *QUERY_TEXTS, *COLUMN_TEXTS, "url", "number", "num", "topic", "desc", "narr"}
_NAMELESS = {2: ("id", "text"), 3: ("id", "title", "text"), 4: ("id", "url", "title", "text")}
_QUOTED = re.compile(r'"(?:[^"]|"")*"')

csv.field_size_limit(LONGEST)  # of the module, for a document may be longer than its default


def is_header(fields: Sequence[str], names: Collection[str]) -> bool:
    """Say whether the fields of a first line are names: one of an id or of `names`, or two others that are usual."""
    plain = [_unquoted(field).strip() for field in fields]
    folded = [field.lower() for field in plain]
    if any(field in _IDS for field in folded) or any(field in names for field in plain):
        return True
    return sum(field in _OTHERS for field in folded) >= min(2, len(fields))


def table_records(
    file: BinaryIO,
    path: Path,
    kind: str,
    names: Collection[str],
    encoding: str | None,
    skip_bad_lines: bool,
    digest: Any,
) -> Iterator[tuple[int, dict[str, str] | None]]:
    """Yield the rows below the names of columns, and their numbers from 1; None for one that cannot be read.

    Parameters
    ----------
    file, path
        The open file, and what it is called.
    kind
        `tsv` or `csv`.
    names
        Further names of columns by which the first line is known.
    encoding, skip_bad_lines, digest
        As `formats.lines.text_lines` has them.

    Raises
    ------
    InputError
        With file, line and reason.
    """
    rows = (_tabbed if kind == "tsv" else _quoted)(file, path, encoding, skip_bad_lines, digest)
    columns: Sequence[str] = ()
    named = False
    number = 0
    for line, fields in rows:
        if fields is not None and not columns:
            named = is_header(fields, names)
            if named:
                columns = [_unquoted(field).strip() for field in fields]
                if len(set(columns)) < len(columns):
                    raise InputError(f"{path}, line {line}: two columns have the same name")
                continue
            columns = _nameless(path, line, fields, kind)
        number += 1
        if fields is not None and named and kind == "tsv":
            fields = [_unquoted(field) for field in fields]
        if fields is None or len(fields) > len(columns) or (len(fields) < len(columns) and not named):
            if fields is not None and not skip_bad_lines:
                raise InputError(f"{path}, line {line}: {len(fields)} fields instead of {len(columns)}")
            yield number, None
            continue
        yield number, dict(zip(columns, fields, strict=False))
    if not columns and number == 0:
        raise InputError(f"{path} is no {kind} file: it is empty")


def _nameless(path: Path, line: int, fields: Sequence[str], kind: str) -> Sequence[str]:
    if len(fields) not in _NAMELESS:
        what = "tab" if kind == "tsv" else "comma"
        there = f"no {what}" if len(fields) == 1 else f"{len(fields)} columns"
        raise InputError(
            f"{path}, line {line}: {there}, and this line does not name columns; name them in the "
            "first line, such as id and text"
        )
    return _NAMELESS[len(fields)]


def _tabbed(
    file: BinaryIO, path: Path, encoding: str | None, skip_bad_lines: bool, digest: Any
) -> Iterator[tuple[int, list[str] | None]]:
    for number, line in text_lines(file, path, encoding, skip_bad_lines, digest):
        if line is None:
            yield number, None
        elif not line.isspace() and line:
            yield number, line.rstrip("\r\n").split("\t")


def _quoted(
    file: BinaryIO, path: Path, encoding: str | None, skip_bad_lines: bool, digest: Any
) -> Iterator[tuple[int, list[str] | None]]:
    last, bad = 0, list[int]()

    def lines() -> Iterator[str]:
        nonlocal last
        for last, line in text_lines(file, path, encoding, skip_bad_lines, digest):
            if line is None:
                bad.append(last)
            else:
                yield line

    rows = csv.reader(lines(), strict=True)
    while True:
        first = last + 1
        try:
            fields = next(rows, None)
        except csv.Error as error:
            if not skip_bad_lines:
                raise InputError(f"{path}, line {first}: not CSV ({error})") from None
            fields = []
            bad.append(first)
        yield from ((number, None) for number in bad)
        bad.clear()
        if fields is None:
            return
        if any(fields):
            yield first, fields


def _unquoted(value: str) -> str:
    return value[1:-1].replace('""', '"') if _QUOTED.fullmatch(value) else value
