"""Values as TOML writes them, on one line that may stand in a signature."""

from collections.abc import Iterator, Mapping
from typing import Any

from benchbench.errors import InputError, visible
from benchbench.tables.text_files import toml_value

_ESCAPED = '"\\|()'  # `|` parts a signature; a comma between parentheses never parts tasks
_SHOWN = 60  # characters of a wrong value


def printed(value: Any) -> str:
    """Return a text, a number, a flag, or a list or table of these as TOML; `value` reads it back."""
    if isinstance(value, str):
        return quoted(value)
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{_key(name)} = {printed(one)}" for name, one in value.items()) + "}"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(map(printed, value)) + "]"
    return repr(value)


def quoted(text: str) -> str:
    """Return a text in quotes, without a character that a terminal obeys or that parts a signature."""
    return '"' + "".join(map(_character, text)) + '"'


def value(text: str) -> Any:
    """Return the value that a TOML text is; InputError for what is none, or more than one."""
    try:
        table = toml_value(f"value = {{is = {text}}}".encode(), "a parameter")["value"]
    except (InputError, UnicodeEncodeError):
        raise InputError('it is not a TOML value, such as 0.2, true or "text"') from None
    if list(table) != ["is"]:
        raise InputError("it has more than one TOML value")
    return table["is"]


def shown(given: Any) -> str:
    """Return what was given as a message has it: visible and short."""
    return visible(f"'{given}'" if isinstance(given, str) else repr(given), _SHOWN)


def parts(text: str) -> Iterator[str]:
    """Yield what stands between the commas of a text, those in quotes and brackets left out.

    A quote or bracket that nothing closes makes the rest one part.
    """
    depth, begin, place = 0, 0, 0
    while place < len(text):
        character = text[place]
        if character in "\"'":
            place = _closing(text, place)
        elif character in "[{(":
            depth += 1
        elif character in "]})":
            depth -= 1
        elif character == "," and depth == 0:
            yield text[begin:place]
            begin = place + 1
        place += 1
    yield text[begin:]


def _closing(text: str, opening: int) -> int:
    """Return where the quote that opens is closed, or the end of the text."""
    place = opening + 1
    while place < len(text) and text[place] != text[opening]:
        place += 2 if text[place] == "\\" and text[opening] == '"' else 1
    return place


def _character(one: str) -> str:
    if one in '"\\':
        return f"\\{one}"
    if one.isprintable() and one not in _ESCAPED:
        return one
    return f"\\u{ord(one):04X}" if ord(one) < 1 << 16 else f"\\U{ord(one):08X}"


def _key(name: str) -> str:
    return name if name.isascii() and name.replace("_", "").replace("-", "").isalnum() else quoted(name)
