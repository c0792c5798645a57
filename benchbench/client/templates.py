"""Request bodies as JSON values with placeholders: `{query}` inside a string, or as the whole string."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

_PLACE = re.compile(r"(?<!\$)\{([a-z][a-z0-9_]*)\}")  # `${NAME}` is the environment's

NOTHING = object()  # fills a place so that the member or the element it stands for is left out


def places(template: Any) -> set[str]:
    """Return the names of a template's places."""
    return {name for text in _strings(template) for name in _PLACE.findall(text)}


def inner_places(template: Any) -> set[str]:
    """Return the names of those places that are only a part of a string."""
    return {name for text in _strings(template) if _PLACE.fullmatch(text) is None for name in _PLACE.findall(text)}


def fill(template: Any, values: Mapping[str, Any]) -> Any:
    """Return a template with the named places filled; other places stay.

    A string that is only a place becomes the value itself, whatever its type; elsewhere the value is
    put in as text. What is put in is not searched for places again.
    """
    if isinstance(template, str):
        place = _PLACE.fullmatch(template)
        if place is not None:
            return values.get(place[1], template)
        return _PLACE.sub(lambda found: _text(values.get(found[1], found[0])), template)
    if isinstance(template, dict):
        filled = {str(fill(name, values)): fill(member, values) for name, member in template.items()}
        return {name: member for name, member in filled.items() if member is not NOTHING}
    if isinstance(template, list):
        return [element for one in template if (element := fill(one, values)) is not NOTHING]
    return template


def _text(value: Any) -> str:
    return "" if value is NOTHING else str(value)


def _strings(template: Any) -> Iterator[str]:
    if isinstance(template, str):
        yield template
    elif isinstance(template, dict):
        for name, member in template.items():
            yield name
            yield from _strings(member)
    elif isinstance(template, list):
        for element in template:
            yield from _strings(element)
