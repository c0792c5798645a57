"""A description as the lines of a TOML file."""

import json
from collections.abc import Mapping
from typing import Any

_WIDE = 100  # characters of a line from which a table has a line per member


def toml(description: Mapping[str, Any]) -> str:
    """Return a table as TOML that `tables.text_files.toml_value` reads back; lists and tables have no null."""
    plain, tables = [], []
    for name, value in description.items():
        line = f"{_key(name)} = {_value(value)}"
        if isinstance(value, Mapping) and value and (name == "results" or len(line) > _WIDE):
            tables.append("\n".join((f"[{_key(name)}]", *(f"{_key(one)} = {_value(value[one])}" for one in value))))
        else:
            plain.append(line)
    return "\n\n".join(filter(None, ("\n".join(plain), *tables))) + "\n"


def _value(value: Any) -> str:
    if isinstance(value, str):
        return _text(value)
    if isinstance(value, Mapping):
        return (
            "{ " + ", ".join(f"{_key(name)} = {_value(one)}" for name, one in value.items()) + " }" if value else "{}"
        )
    if isinstance(value, list | tuple):
        return "[" + ", ".join(map(_value, value)) + "]"
    return json.dumps(value)


def _text(text: str) -> str:
    if '"' in text and "'" not in text and text.isprintable():
        return f"'{text}'"
    whole = text.encode(errors="replace").decode()
    return "".join(
        one if ord(one) != 0x7F and (ord(one) > 0x9F or ord(one) < 0x80) else f"\\u{ord(one):04X}"
        for one in json.dumps(whole, ensure_ascii=False)
    )


def _key(name: str) -> str:
    return name if name.isascii() and name.replace("_", "").replace("-", "").isalnum() else _text(name)
