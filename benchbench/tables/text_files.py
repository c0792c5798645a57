"""JSON and TOML of a whole file: bytes in any UTF encoding to a value, or the sentence that says where they are bad."""

import codecs
import io
import re
from pathlib import Path
from typing import Any, BinaryIO

import orjson

from benchbench.errors import InputError, visible

LONGEST = 1 << 30  # bytes of a file that is read whole
_PART = 1 << 20
_REASON = 200  # characters

_BOMS = (  # the longer marks first: UTF-32's begins with UTF-16's
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_ZEROS = {  # which of the first four bytes are zero, in a file that starts with an ASCII character
    (False, True, True, True): "utf-32-le",
    (True, True, True, False): "utf-32-be",
    (False, True, False, True): "utf-16-le",
    (True, False, True, False): "utf-16-be",
}


def detect_encoding(head: bytes) -> str:
    """Return the UTF encoding that the first bytes of a file show; UTF-8 where nothing else does."""
    for mark, name in _BOMS:
        if head.startswith(mark):
            return name
    return _ZEROS.get(tuple(byte == 0 for byte in head[:4]), "utf-8")  # type: ignore[arg-type]


def read_whole(file: BinaryIO, name: str) -> bytes:
    """Return what a file has; InputError when that is more than anybody keeps in one piece."""
    content = read_up_to(file, LONGEST)
    if content is None:
        raise InputError(f"{name} is longer than {LONGEST >> 20} MiB, too long for a file that is read as a whole")
    return content


def read_up_to(file: BinaryIO | io.FileIO, most: int, first: bytes = b"") -> bytes | None:
    """Return what a file or stream has, behind what was read of it before; None when that is more than `most` bytes."""
    parts, size = [first], len(first)
    while part := file.read(_PART):
        parts.append(part)
        size += len(part)
        if size > most:
            return None
    return b"".join(parts)


def json_value(content: bytes, name: str) -> Any:
    """Return the one JSON value of a file's bytes; InputError with its name, the line, the column and the reason."""
    _check_content(content, name)
    encoding = detect_encoding(content[:4])
    try:
        return orjson.loads(content if encoding == "utf-8" else content.decode(encoding))
    except (UnicodeDecodeError, orjson.JSONDecodeError) as error:
        text = _decoded(content, encoding, name)
        reason, line, column = str(error), 1, 1
        if isinstance(error, orjson.JSONDecodeError):
            reason, line, column = error.msg, error.lineno, error.colno
        if not text.strip():
            reason = "not JSON (there is only white space)"
        elif (large := too_large(error)) is not None:
            reason = large
        else:
            reason = f"not JSON ({visible(reason, _REASON)})"
    raise InputError(f"{name}, line {line}, column {column}: {reason}")


def too_large(error: Exception) -> str | None:
    """Return that a number is beyond 64-bit floats, where that is why it was not read."""
    if not isinstance(error, orjson.JSONDecodeError) or "infinity" not in error.msg:
        return None
    number = re.match(r"[-+.\dEe]*", error.doc[error.pos :])
    return f"the number '{number[0][:40] if number else ''}' is too large for a 64-bit float"


def toml_value(content: bytes, name: str) -> dict[str, Any]:
    """Return the table of a TOML file's bytes; InputError as `json_value`."""
    import tomllib  # most commands read none

    _check_content(content, name)
    text = _decoded(content, detect_encoding(content[:4]), name)
    try:
        return tomllib.loads(text)
    except (ValueError, RecursionError) as error:  # not every ValueError is TOML's own: a number may be too long
        reason = "tables in tables, too deep" if isinstance(error, RecursionError) else str(error)
        at = re.search(r" \(at line (\d+), column (\d+)\)$", reason)
        where = f", line {at[1]}, column {at[2]}" if at else ""
        reason = reason[: at.start()] if at else reason
    raise InputError(f"{name}{where}: not TOML ({visible(reason, _REASON)})")


def toml_beside(module: str, name: str) -> dict[str, Any]:
    """Return a TOML file of ours that lies beside a module, whose `__file__` is given."""
    return toml_value(Path(module).with_name(name).read_bytes(), name)  # importlib.resources takes 5 ms to import


def _check_content(content: bytes, name: str) -> None:
    if not content:
        raise InputError(f"{name} is empty")


def _decoded(content: bytes, encoding: str, name: str) -> str:
    try:
        return content.decode(encoding)
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        shown = encoding.removesuffix("-sig").upper()
        raise InputError(f"{name}, line {line}: not {shown} text (byte {error.start + 1} of the file)") from None
