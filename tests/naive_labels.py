"""Labels of records, read slowly and obviously."""

import math
import re
from typing import Any

Path = tuple[str, ...]

MALFORMED = "malformed"


def value_of(record: Any, paths: tuple[Path, ...]) -> Any:
    """Return the first value at one of the paths; an object counts unless another path goes through it."""
    for path in paths:
        value = record
        for name in path:
            value = value.get(name) if isinstance(value, dict) else None
        inner = [other for other in paths if len(other) > len(path) and other[: len(path)] == path]
        if value is None or (isinstance(value, dict) and inner):
            continue
        return value
    return None


def set_of(value: Any, ignore: str = "") -> frozenset[str] | str | None:
    """Return the texts of a set, None where there is none, or `MALFORMED`."""
    if value is None:
        return None
    texts = []
    for member in value if isinstance(value, list) else [value]:
        if isinstance(member, bool):
            text = str(member).lower()
        elif isinstance(member, str):
            text = member
        elif isinstance(member, int) or (isinstance(member, float) and math.isfinite(member)):
            text = str(int(member) if member == int(member) else member)
        else:
            return MALFORMED
        texts.append("".join(character for character in text if character not in ignore).strip())
    return frozenset(texts) - {""} or None


def flag_of(value: Any) -> frozenset[str] | str | None:
    """Return the set of a flag, which is None where it is not set."""
    if isinstance(value, bool | int | float):
        if value == 0:
            return None
        if value == 1:
            return frozenset({"true"})
    return set_of(value)


def number_of(value: Any) -> float | str | None:
    """Return a number, None where there is none, or `MALFORMED`."""
    if value is None:
        return None
    if isinstance(value, bool | list | dict):
        return MALFORMED
    if isinstance(value, str) and not re.fullmatch(r"\s*[-+]?(\d+(\.\d*)?|\.\d+)([eE][-+]?\d+)?\s*", value):
        return MALFORMED
    try:
        found = float(value)
    except OverflowError:
        return MALFORMED
    return MALFORMED if math.isinf(found) or math.isnan(found) else found
