"""Lines of JSON from a file in any encoding, and the sentence that says which line is bad and why."""

import codecs
import io
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import count
from pathlib import Path
from typing import Any, AnyStr, BinaryIO, NamedTuple

import orjson

from benchbench.errors import BadLineError, InputError
from benchbench.formats.pipes import is_file, piped
from benchbench.tables.text_files import detect_encoding, json_value, read_whole, too_large

LONGEST = 1 << 28  # bytes, or characters, of a line

_READ_AS_UTF8 = ("utf-8", "utf-16", "utf-32")
_BROKEN = "benchbench.broken"  # an error handler: half a surrogate pair for what cannot be decoded
codecs.register_error(_BROKEN, lambda error: ("\ud800", error.end if isinstance(error, UnicodeDecodeError) else 0))


def open_input(path: Path) -> BinaryIO:
    """Open a file or a pipe that the user named; every way in which that fails is an `InputError`."""
    try:
        if path.is_dir():
            raise InputError(f"{path} is a folder; name the file in it")
        return path.open("rb") if is_file(path) else piped(path)
    except FileNotFoundError:
        raise InputError(f"{path} does not exist") from None
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror}") from None


def json_file(path: Path) -> Any:
    """Return the one JSON value of a file in any UTF encoding; InputError with file, line, column and reason."""
    with open_input(path) as file:
        return json_value(read_whole(file, str(path)), str(path))


def json_lines(
    path: Path, encoding: str | None = None, skip_bad_lines: bool = False, digest: Any = None
) -> Iterator[tuple[int, Any]]:
    """Yield `(line number, value)` of each line that is not blank, one line in memory at a time.

    Parameters
    ----------
    path
        One JSON value per line.
    encoding
        A Python codec name; None detects the UTF encodings.
    skip_bad_lines
        Yield None for a line that cannot be read, instead of raising.
    digest
        Is fed the file's bytes (`tables.hashing.content_digest`).

    Raises
    ------
    InputError
        With file, line number and reason.
    """
    with open_input(path) as file:
        yield from json_lines_of(file, path, encoding, skip_bad_lines, digest)


def json_lines_of(
    file: BinaryIO, path: Path, encoding: str | None = None, skip_bad_lines: bool = False, digest: Any = None
) -> Iterator[tuple[int, Any]]:
    """Yield what `json_lines` yields, of a file that is open; `path` is what it is called."""
    number, line = 0, b""
    encoding, lines = _read_lines(file, path, encoding, digest)
    for number, line in enumerate(lines, 1):
        if number == 1 and not (line := line.removeprefix(codecs.BOM_UTF8)):
            break
        try:
            if not encoding.startswith(_READ_AS_UTF8):
                line = line.decode(encoding).encode()
            if line.isspace():
                continue
            yield number, orjson.loads(line)
        except (UnicodeDecodeError, orjson.JSONDecodeError) as error:
            if not skip_bad_lines:
                raise BadLineError(f"{path}, line {number}: {_reason(line, encoding, error)}") from None
            yield number, None
    if number == 0 or (number == 1 and not line):
        raise InputError(f"{path} is empty")


def text_lines(
    file: BinaryIO, path: Path, encoding: str | None = None, skip_bad_lines: bool = False, digest: Any = None
) -> Iterator[tuple[int, str | None]]:
    """Yield `(line number, line)` of an open file, with the ends of the lines; as `json_lines` in all else."""
    encoding, lines = _read_lines(file, path, encoding, digest)
    decoded = "utf-8" if encoding.startswith(_READ_AS_UTF8) else encoding
    for number, line in enumerate(lines, 1):
        try:
            yield number, (line.removeprefix(codecs.BOM_UTF8) if number == 1 else line).decode(decoded)
        except UnicodeDecodeError as error:
            if not skip_bad_lines:
                raise BadLineError(f"{path}, line {number}: {_reason(line, encoding, error)}") from None
            yield number, None


def _read_lines(file: BinaryIO, path: Path, encoding: str | None, digest: Any) -> tuple[str, Iterator[bytes]]:
    """Return the encoding of a file and its lines, which are UTF-8 where it is UTF-16 or UTF-32."""
    encoding = _known(encoding) if encoding else detect_encoding(file.read(4))
    file.seek(0)
    if encoding.startswith(("utf-16", "utf-32")):
        return encoding, _wide_lines(file, path, encoding, digest)
    lines = _lines(file.readline, path)
    return encoding, lines if digest is None else _digested(lines, digest)


def _digested(lines: Iterator[bytes], digest: Any) -> Iterator[bytes]:
    for line in lines:
        digest.update(line)
        yield line


class Chunk(NamedTuple):
    """Some lines of a file that follow each other, not yet parsed: one process may hand them to another."""

    path: Path
    encoding: str
    first: int  # number of the first line
    lines: list[bytes]  # in UTF-8

    def values(self) -> Iterator[tuple[int, Any]]:
        """Yield `(line number, value)` of each line that is not blank; InputError as `json_lines`."""
        for number, line in enumerate(self.lines, self.first):
            if line.isspace():
                continue
            try:
                yield number, orjson.loads(line)
            except orjson.JSONDecodeError as error:
                raise InputError(f"{self.path}, line {number}: {_reason(line, self.encoding, error)}") from None


def json_chunks(path: Path, lines: int, size: int = 1 << 23) -> Iterator[Chunk]:
    """Yield the lines of a file in chunks; where one begins depends on the file alone.

    Parameters
    ----------
    path
        One JSON value per line.
    lines, size
        A chunk ends after so many lines, or after the line with which it has so many bytes.

    Raises
    ------
    InputError
        When the file cannot be read or is empty.
    """
    with open_input(path) as file:
        encoding = detect_encoding(file.read(4))
        file.seek(0)
        wide = encoding.startswith(("utf-16", "utf-32"))
        number, first, held, some = 0, 1, 0, list[bytes]()
        lines_read = _wide_lines(file, path, encoding, None) if wide else _lines(file.readline, path)
        for number, line in enumerate(lines_read, 1):
            some.append(line.removeprefix(codecs.BOM_UTF8) if number == 1 else line)
            held += len(line)
            if len(some) == lines or held >= size:
                yield Chunk(path, encoding, first, some)
                first, held, some = number + 1, 0, []
        if number == 0 or some == [b""]:
            raise InputError(f"{path} is empty")
        if some:
            yield Chunk(path, encoding, first, some)


def row_chunks(rows: Iterable[Mapping[str, Any]], lines: int, name: str) -> Iterator[Chunk]:
    """Yield rows in memory as the chunks of a file with one row per line; InputError for what is no JSON."""
    number, some = 0, list[bytes]()
    for number, row in enumerate(rows, 1):
        try:
            some.append(orjson.dumps(row, default=_plain))
        except orjson.JSONEncodeError as error:
            raise InputError(f"{name}, line {number}: not a JSON value ({error})") from None
        if len(some) == lines:
            yield Chunk(Path(name), "utf-8", number + 1 - len(some), some)
            some = []
    if some:
        yield Chunk(Path(name), "utf-8", number + 1 - len(some), some)


def _plain(value: Any) -> Any:
    """Return a number or an array of any library, or a mapping, as Python's own."""
    if hasattr(value, "tolist"):
        return value.tolist()
    if isinstance(value, Mapping):
        return dict(value)
    raise TypeError


def _lines(readline: Callable[[int], AnyStr], path: Path) -> Iterator[AnyStr]:
    """Yield lines; one without an end, as a file of another kind may have, does not fill the memory."""
    for number in count(1):
        line = readline(LONGEST + 1)
        if len(line) > LONGEST:
            raise InputError(f"{path}, line {number}: longer than {LONGEST >> 20} MiB, so these are not lines of JSON")
        if not line:
            return
        yield line


def _wide_lines(file: BinaryIO, path: Path, encoding: str, digest: Any) -> Iterator[bytes]:
    """Yield lines as UTF-8; one with a broken character is no valid UTF-8 either, so that it is a bad line."""
    if digest is not None:
        for block in iter(lambda: file.read(1 << 20), b""):
            digest.update(block)
        file.seek(0)
    with io.TextIOWrapper(file, encoding=encoding, errors=_BROKEN, newline="\n") as lines:
        for line in _lines(lines.readline, path):
            yield line.encode(errors="surrogatepass")


def _known(encoding: str) -> str:
    try:
        "".encode(encoding)  # Python also has codecs of other kinds: hex, zip
        return codecs.lookup(encoding).name
    except (LookupError, UnicodeError):
        raise InputError(f"--encoding {encoding} is not a known encoding; try utf-8 or gb18030") from None


def _reason(line: bytes, encoding: str, error: Exception) -> str:
    if isinstance(error, UnicodeDecodeError):
        return f"not {encoding.upper()} (byte {error.start + 1} of the line); name another with --encoding"
    try:
        line.decode()
    except UnicodeDecodeError as bad:
        if encoding.startswith(("utf-16", "utf-32")):
            return f"not {encoding.upper()}: a character is broken"
        return f"not UTF-8 (byte {bad.start + 1} of the line); name the encoding, e.g. --encoding gb18030"
    if not isinstance(error, orjson.JSONDecodeError):
        return str(error)
    return too_large(error) or f"not JSON ({error.msg} at column {error.colno})"
