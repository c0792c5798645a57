"""Requests as JSON values with places: `{query}` inside a string, or as the whole string.

`${NAME}` is the place of a variable of the environment; its name has the `$` wherever names are given or returned.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

_PLACE = re.compile(r"\{([a-z][a-z0-9_]*)\}|(\$)\{([A-Za-z_][A-Za-z0-9_]*)\}")

_DEEPEST = 100  # lists and tables in one another
NOTHING = object()  # fills a place so that the member or the element it stands for is left out


def places(template: Any) -> set[str]:
    """Return the names of a template's places, without variables."""
    return {name for name in _names(template) if name[0] != "$"}


def variables(template: Any) -> set[str]:
    """Return the names of the variables in a template, without the `$`."""
    return {name[1:] for name in _names(template) if name[0] == "$"}


def inner_places(template: Any) -> set[str]:
    """Return the names of those places that are only a part of a string."""
    return {
        place[1]
        for text in _strings(template)
        if _PLACE.fullmatch(text) is None
        for place in _PLACE.finditer(text)
        if place[1]
    }


def members(template: Any, name: str = "") -> Iterator[tuple[str, str]]:
    """Yield each text of a template with the name of the member that it stands in."""
    if isinstance(template, str):
        yield name, template
    elif isinstance(template, dict):
        for key, value in template.items():
            yield from members(value, key)
    elif isinstance(template, list):
        for value in template:
            yield from members(value, name)


def is_deep(value: Any) -> bool:
    """Say whether a template is nested deeper than any request is."""
    level = [value]
    for _ in range(_DEEPEST):
        level = [
            member
            for value in level
            if isinstance(value, dict | list)
            for member in (value.values() if isinstance(value, dict) else value)
        ]
        if not level:
            return False
    return True


def fill(template: Any, values: Mapping[str, Any]) -> Any:
    """Return a template with the named places filled; other places stay.

    A string that is only a place becomes the value itself, whatever its type; elsewhere the value is
    put in as text. What is put in is not searched for places again.
    """
    if isinstance(template, str):
        if "{" not in template:
            return template
        place = _PLACE.fullmatch(template)
        if place is not None:
            return values.get(_name(place), template)
        return _PLACE.sub(lambda place: _text(values.get(_name(place), place[0])), template)
    if isinstance(template, dict):
        filled = {str(fill(name, values)): fill(member, values) for name, member in template.items()}
        return {name: member for name, member in filled.items() if member is not NOTHING}
    if isinstance(template, list):
        return [filled for element in template if (filled := fill(element, values)) is not NOTHING]
    return template


def escaped(template: str, escape: Callable[[str], str]) -> str:
    """Return a template in which `escape` was applied to all that is no place."""
    parts, end = [], 0
    for place in _PLACE.finditer(template):
        parts += [escape(template[end : place.start()]), place[0]]
        end = place.end()
    return "".join((*parts, escape(template[end:])))


def _name(place: "re.Match[str]") -> str:
    return place[1] or f"${place[3]}"


def _text(value: Any) -> str:
    return "" if value is NOTHING else str(value)


def _names(template: Any) -> Iterator[str]:
    return (_name(place) for text in _strings(template) for place in _PLACE.finditer(text))


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
