"""A description as the lines of a TOML file."""

import json
import re
from collections.abc import Mapping
from typing import Any

_CONTROL = re.compile("[\x7f-\x9f]")  # characters that JSON may have as they are, and TOML not
_WIDE = 100  # characters of a line from which a table has a line per member


def toml(description: Mapping[str, Any]) -> str:
    """Return a table as TOML that `tables.text_files.toml_value` reads back; lists and tables have no null."""
    plain, tables = [], []
    for name, value in description.items():
        line = f"{_key(name)} = {_value(value)}"
        if isinstance(value, Mapping) and value and (name == "results" or len(line) > _WIDE):
            members = (f"{_key(member)} = {_value(value[member])}" for member in value)
            tables.append("\n".join((f"[{_key(name)}]", *members)))
        else:
            plain.append(line)
    return "\n\n".join(filter(None, ("\n".join(plain), *tables))) + "\n"


def _value(value: Any) -> str:
    if isinstance(value, str):
        return _text(value)
    if isinstance(value, Mapping):
        members = ", ".join(f"{_key(name)} = {_value(member)}" for name, member in value.items())
        return f"{{ {members} }}" if members else "{}"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(map(_value, value)) + "]"
    return json.dumps(value)


def _text(text: str) -> str:
    if '"' in text and "'" not in text and text.isprintable():
        return f"'{text}'"
    whole = text.encode(errors="replace").decode()
    return _CONTROL.sub(lambda control: f"\\u{ord(control[0]):04X}", json.dumps(whole, ensure_ascii=False))


def _key(name: str) -> str:
    return name if name.isascii() and name.replace("_", "").replace("-", "").isalnum() else _text(name)
